"""What a page shows of planning: a note for each event, turns that end where something was noted, text that is text."""

from __future__ import annotations

import pytest

from pddl2nl.policies.notes import Note
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.run import run_turns
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    Hierarchical,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Retrieved,
)


def told(note: Note) -> list[str]:
    return [" ".join([item.label, *item.codes, item.text]).strip() for item in (*note.lines, *note.items)]


@pytest.mark.parametrize(
    ("event", "title", "verdict", "tone", "lines"),
    [
        (
            Retrieved("block", ("egg",), ("egg-1",), ("fridge-1",)),
            "Retrieved for a block",
            "1 objects",
            "",
            ["named egg", "taken for it egg-1", "along with them fridge-1"],
        ),
        (MacroPlanned(1, ("Fry", "Eat")), "Macro plan", "2 macro-actions", "", ["Fry", "Eat"]),
        (
            MacrosConditioned(
                1, 1, ({"precondition": "(p)", "effect": "(q)", "problem": ""}, {"problem": "no effect"})
            ),
            "Conditions, correction 1",
            "1 of 2 could not be used",
            "bad",
            [":precondition (p) :effect (q)", "no effect"],
        ),
        (
            MacrosVerified(1, 0, 1, 2, ("(p)", "(q)")),
            "Macro plan on paper, as first given",
            "1 of 2 macro-actions can be carried out",
            "bad",
            ["unmet (p) (q)"],
        ),
        (
            BlockExpanded(1, 2, 0, ("(a)", "(b)", "(c)"), (0,), 1, False, ("(p)",), "", ("gibberish",)),
            "Block 2, as first given",
            "1 of 3 applicable, its effect does not hold",
            "bad",
            ["(a) put in by the repair", "(b)", "(c)", "unread gibberish", "unmet (p)"],
        ),
        (
            PlanExpanded(1, ("(a)", "(b)"), (1, 1), 1, False),
            "Expanded plan",
            "1 of 2 actions verified, the goal does not hold at its end",
            "bad",
            ["(a)", "(b)"],
        ),
        (
            Discrepancy(4, "(a)", ("(p)",), ("(q)", "(r)"), "(s)"),
            "The world is not as expected after step 4, (a)",
            "discrepancy",
            "bad",
            ["expected, not observed (p)", "observed, not expected (q) (r)", "fails by it (s)"],
        ),
        (
            MacroProved(2, 3, False, "weaker", "(:action fry)"),
            "Proof for block 3 of macro plan 2",
            "refuted; its precondition is weaker than the exact one",
            "bad",
            ["(:action fry)"],
        ),
    ],
)
def test_each_event_has_its_note(event: Hierarchical, title: str, verdict: str, tone: str, lines: list[str]) -> None:
    note = event.note()
    assert (note.kind, note.title, note.verdict, note.tone) == (event.event, title, verdict, tone)
    assert told(note) == lines


def test_a_blocks_actions_are_told_apart_by_how_far_they_were_verified() -> None:
    note = BlockExpanded(1, 1, 0, ("(a)", "(b)", "(c)"), (), 1).note()
    assert [item.tone for item in note.lines] == ["good", "bad", "soft"]


def test_a_turn_ends_where_something_was_noted(hvr_events) -> None:
    turns = run_turns(hvr_events)
    shown = [
        (
            [call.prompt.call for call in turn.calls],
            [note.kind for note in turn.notes],
            [step.number for step in turn.steps],
        )
        for turn in turns
    ]
    assert shown == [
        ([1], ["retrieved"], []),
        ([2], ["macro-planned"], []),
        ([3], ["macros-conditioned", "macros-verified"], []),
        (
            [4],
            ["macros-conditioned", "macros-verified", "retrieved", "block-expanded", "macro-proved", "block-expanded"],
            [],
        ),
        ([5], ["block-expanded", "plan-expanded"], [1, 2]),
        ([6], ["macro-planned", "macros-conditioned", "macros-verified", "block-expanded", "plan-expanded"], [3]),
    ]
    assert [[note.kind for note in turn.remarks] for turn in turns] == [[], [], [], [], ["discrepancy"], []]


def test_a_page_shows_the_planning_and_whatever_it_says_is_text(write, hvr_events, hostile, tmp_path) -> None:
    write("one", hvr_events)
    page = write_html(gather(tmp_path), tmp_path / "page.html", plots=False).read_text(encoding="utf-8")
    for said in (
        "Macro plan on paper, correction 1",
        "put in by the repair",
        "The world is not as expected after step 2",
    ):
        assert said in page
    assert hostile not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "HVR and its ablations: all metrics, in %" in page
    assert "from the PDDL and the faults of its world" in page
    assert "PC 100.00 %, PC by prefix 100.00 %, ES 50.00 %, LD 0.00 %" in page
