"""What a page shows of planning: a note for each event, turns that end where something was noted, text that is text."""

from __future__ import annotations

import pytest

from pddl2nl.llm.types import Message
from pddl2nl.policies.events import Finished, Prompted, Read, Replied
from pddl2nl.policies.notes import Note
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.run import facts_of
from pddl2nl.reports.html.steps import run_turns
from pddl2nl.reports.records import read_record
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
        (
            Retrieved("plan", whole=True),
            "Nothing was selected for the plan",
            "the whole graph is in the prompt",
            "soft",
            [],
        ),
        (MacroPlanned(1, ("Fry", "Eat")), "Macro plan", "2 macro-actions", "", ["Fry", "Eat"]),
        (MacroPlanned(2, ()), "Macro plan 2", "0 macro-actions", "bad", []),
        (
            MacrosConditioned(
                1, 1, ({"precondition": "(p)", "effect": "(q)", "problem": ""}, {"problem": "no effect"})
            ),
            "Conditions, correction 1",
            "1 of 2 could not be used",
            "bad",
            [":precondition (p) :effect (q)", "no effect"],
        ),
        (MacrosConditioned(2, 1, (), 3), "Conditions of macro plan 2, after the block of macro-action 3", "", "", []),
        (
            MacrosVerified(1, 0, 1, 2, ("(p)", "(q)")),
            "Macro plan on paper, as first given",
            "1 of 2 macro-actions can be carried out",
            "bad",
            ["unmet (p) (q)"],
        ),
        (
            MacrosVerified(3, 2, 1, 1),
            "Macro plan 3 on paper, correction 2",
            "1 of 1 macro-action can be carried out",
            "good",
            [],
        ),
        (
            BlockExpanded(1, 2, 0, ("(a)", "(b)", "(c)"), (0,), 1, False, ("(p)",), "", ("gibberish",)),
            "Block 2, as first given",
            "1 of 3 applicable, its effect does not hold",
            "bad",
            ["(a) put in by the repair", "(b)", "(c)", "unread gibberish", "unmet (p)"],
        ),
        (
            BlockExpanded(2, 0, 3, ("(a)",), (), 1, True),
            "Plan of macro plan 2, correction 3",
            "all applicable, the goal holds",
            "good",
            ["(a)"],
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
        (Discrepancy(0, ""), "The world is not as expected before the first step", "discrepancy", "bad", []),
        (MacroProved(1, 1, True, "exact"), "Proof for block 1", "sound; its precondition is the exact one", "good", []),
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


def test_calls_say_what_they_asked_for(hvr_events) -> None:
    system, block = Message("system", "Stage: macro-plan\n\nYou plan."), Message("system", "Stage: block\nYou act.")
    asked = [
        Prompted(1, "planner", 0, (system, Message("user", "Stage: none")), "a"),
        Prompted(2, "planner", 1, (Message("user", "again"),), "b"),
        Prompted(3, "planner", 0, (block, Message("user", "now")), "c"),
        Prompted(4, "planner", 0, (Message("user", "Stage: block"),), "d"),
        Prompted(5, "planner", 0, (), "e"),
    ]
    [turn] = run_turns([hvr_events[0], *asked, Finished("gave-up")])
    assert [call.stage for call in turn.calls] == ["macro-plan", "macro-plan", "block", "", ""]


def test_lines_of_a_block_are_no_steps_and_are_marked_in_the_reply(hvr_events) -> None:
    text = "first\nActions:\nstack a on b"
    start = text.index("stack")
    read = Read(1, "read", "stack a on b", "(stack a b)", start=start, end=len(text))
    events = [*hvr_events[:2], Replied(1, text), read, BlockExpanded(1, 1, 0, ("(stack a b)",)), Finished("gave-up")]
    [turn] = run_turns(events)
    assert turn.steps == ()
    assert [(piece.text, piece.status, piece.step) for piece in turn.calls[0].reply][1:] == [
        ("stack a on b", "read", 0)
    ]


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


def test_facts_say_the_task_in_words_and_the_world(write, hvr_events, act_events) -> None:
    facts = facts_of(read_record(write("one", hvr_events)))
    assert facts["task"] == "T1: Build a tower"
    assert facts["task in words"] == "I want a on b"
    assert facts["ground truth"] == "the only one, 2 actions in 2 blocks"
    assert "faults fail (stack a b) at 2" in facts["options of the policy"]
    assert not {"task", "ground truth"} & facts_of(read_record(write("two", act_events))).keys()
