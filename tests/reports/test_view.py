"""Runs as pages show them: turns and steps, why a step failed, several plans, and pictures of the states."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pddl2nl import run
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import load_wording
from pddl2nl.pddl import parse_task
from pddl2nl.policies.events import Acted, Fault, Finished, Read, Rejected, Replied
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports import read_record, recheck
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.picture import run_figure
from pddl2nl.reports.html.run import NOT_REACHED, Reason, ReplyPiece, explained, missing_goals, run_turns, turns_of
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.tasks import shipped_domain
from tests.records import changed, tiny_start


def test_an_interactive_run_has_a_turn_for_every_call(write, act_events, hostile):
    turns = turns_of(read_record(write("one", act_events)))
    assert [[step.status for step in turn.steps] for turn in turns] == [
        ["looked-around"],
        ["inapplicable"],
        ["unreadable"],
        ["executed"],
        ["executed"],
    ]
    assert [turn.steps[0].mistake for turn in turns] == [False, True, True, False, False]
    assert turns[1].steps[0].unmet == ("(holding a)",)
    assert turns[1].steps[0].rule == "snippet"
    assert turns[1].calls[0].prompt.kept == 2
    assert turns[2].calls[0].reply == (ReplyPiece(hostile, "unreadable", 3),)
    assert turns[3].calls[0].reply == (ReplyPiece("Action: "), ReplyPiece("pick up a from the table", "executed", 4))
    assert turns[3].steps[0].added == ("(holding a)",)
    assert [turn.steps[0].goal for turn in turns] == [False, False, False, False, True]


def test_lines_behind_the_first_broken_link_are_shown_as_not_reached(write, basic_events):
    (turn,) = turns_of(read_record(write("one", basic_events)))
    assert [step.status for step in turn.steps] == ["inapplicable", NOT_REACHED]
    assert [piece.status for piece in turn.calls[0].reply] == ["", "inapplicable", "", NOT_REACHED, ""]


def test_a_planners_plan_is_shown_with_its_effects(write, planned):
    (turn,) = turns_of(read_record(write("one", planned)))
    assert [step.action for step in turn.steps] == ["(pick-up a)", "(stack a b)"]
    assert turn.steps[0].added == ("(holding a)",)
    assert set(turn.steps[0].deleted) == {"(handempty)", "(clear a)", "(ontable a)"}
    assert [step.goal for step in turn.steps] == [False, True]


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-2, 35), st.integers(-2, 35)), max_size=5))
def test_no_character_of_a_reply_is_lost_whatever_the_spans(text, spans):
    reads = [Read(step, "unreadable", "", start=start, end=end) for step, (start, end) in enumerate(spans, 1)]
    turns = run_turns([_prompt(), Replied(1, text), *reads])
    assert "".join(piece.text for piece in turns[0].calls[0].reply) == text


def _prompt():
    from pddl2nl.policies.events import Prompted

    return Prompted(1, "planner", 0, (), "sha")


def test_a_plan_that_reaches_the_goal_and_breaks_behind_it_is_judged_by_what_was_executed(write, basic_events):
    plan = ("(pick-up a)", "(stack a b)")
    end = Finished("unreadable", Fault(3, "unreadable", "dance"), plan, plan, steps=3)
    assert recheck(read_record(write("one", [*basic_events[:-1], end]))).agrees
    lie = structs.replace(end, outcome="goal-missed")
    assert not recheck(read_record(write("two", [*basic_events[:-1], lie]))).agrees


NUMERIC_DOMAIN = """(define (domain jars) (:requirements :adl :numeric-fluents)
  (:predicates (shut)) (:functions (level) (mark ?x))
  (:action fill :parameters () :precondition (or (shut) (< (level) 2)) :effect (increase (level) 1.5))
  (:action twice :parameters (?x ?y) :effect (and (assign (mark ?x) 1) (assign (mark ?y) 2))))
"""
NUMERIC_PROBLEM = "(define (problem jar) (:domain jars) (:objects a) (:init (= (level) 0)) (:goal (>= (level) 3)))"


def _numeric(planned, *plan):
    texts = {"domain_pddl": NUMERIC_DOMAIN, "problem_pddl": NUMERIC_PROBLEM}
    return structs.replace(planned, **texts, planner="random", plan=plan)


def test_numbers_and_what_fails_as_a_whole_are_shown(write, planned):
    (turn,) = turns_of(read_record(write("one", _numeric(planned, "(fill)", "(fill)", "(fill)"))))
    assert [step.changed for step in turn.steps] == [("(= (level) 1.5)",), ("(= (level) 3)",), ()]
    assert [step.status for step in turn.steps] == ["executed", "executed", "inapplicable"]
    assert turn.steps[-1].unmet == ("(or (shut) (< (level) 2))",)


def test_effects_that_contradict_each_other_are_not_shown_as_executed(write, planned):
    record = read_record(write("one", _numeric(planned, "(fill)", "(twice a a)")))
    (turn,) = turns_of(record)
    assert [step.status for step in turn.steps] == ["executed", "inapplicable"]
    assert (recheck(record).verdict, recheck(record).agrees) == ("inapplicable", False)


def test_calls_before_the_run_are_a_turn_of_their_own_and_say_how_they_were_paid(write, act_events):
    from pddl2nl.policies.events import Failed, Prompted

    before = [
        Prompted(1, "wording", 0, (), "sha"),
        Replied(1, "{?x} is clear", from_cache=True, tariff="batch"),
        Prompted(2, "thoughts", 0, (), "sha", sample=2),
        Failed(2, "too long <b>", context_window=True),
    ]
    record = read_record(write("one", [act_events[0], *before, *act_events[1:]]))
    first, second, *_ = turns_of(record)
    assert first.steps == ()
    assert [(call.prompt.purpose, call.paid, call.failure, call.prompt.sample) for call in first.calls] == [
        ("wording", "from our cache, by the batch tariff", "", 0),
        ("thoughts", "", "too long <b>", 2),
    ]
    assert [call.prompt.purpose for call in second.calls] == ["planner"]
    assert len(second.steps) == 1


def test_a_reply_to_nothing_that_was_asked_is_shown_all_the_same(write, act_events):
    foreign = [event for event in act_events if event.event != "prompted"]
    turns = turns_of(read_record(write("one", foreign)))
    assert [step.status for turn in turns for step in turn.steps][-1] == "executed"
    assert turns[0].calls[0].prompt.messages == ()


# ── why a step failed ─────────────────────────────────────────────────────────────────────────────


def _turns(record):
    return explained(record, turns_of(record))


def test_what_never_held_and_what_a_step_undid_are_told_apart(write, act_events):
    again = Rejected(5, "inapplicable", "pick up b", "(pick-up b)", ("(handempty)",))
    events = [*act_events[:17], Read(5, "read", "pick up b", "(pick-up b)"), again]
    end = Finished("inapplicable", Fault(5, "inapplicable", "pick up b"), ("(pick-up a)",), steps=5)
    record = read_record(write("one", [*events, end]))
    steps = [step for turn in _turns(record) for step in turn.steps]
    assert steps[1].reasons == (Reason("(holding a)", never=True),)
    assert steps[4].reasons == (Reason("(handempty)", step=4, action="(pick-up a)"),)
    (missing,) = missing_goals(record, _turns(record), recheck(record))
    assert (missing.literal, missing.never, missing.step) == ("(on a b)", True, None)


def test_reasons_speak_the_words_of_the_run(write, basic_events):
    domain = shipped_domain("blocksworld")
    wording = load_wording(domain.wording_path, domain.domain).to_json()
    started = changed(basic_events[0], wording=wording, names={"a": "block_0", "b": "block_1"})
    record = read_record(write("one", [started, *basic_events[1:]]))
    (turn,) = _turns(record)
    (reason,) = turn.steps[0].reasons
    assert "block_0" in reason.words
    assert "not" in reason.words
    foreign = changed(started, wording={"predicates": 3}, names={})
    (turn,) = _turns(read_record(write("two", [foreign, *basic_events[1:]])))
    assert turn.steps[0].reasons == (Reason("(holding a)", never=True),)


def test_a_record_that_the_validator_contradicts_is_not_explained(write, basic_events):
    lie = structs.replace(basic_events[5], unmet=("(clear b)",))
    (turn,) = _turns(read_record(write("one", [*basic_events[:5], lie, basic_events[6]])))
    assert turn.steps[0].reasons == (Reason("(clear b)"),)
    broken = changed(basic_events[0], problem_pddl="(define")
    (turn,) = _turns(read_record(write("two", [broken, *basic_events[1:]])))
    assert turn.steps[0].reasons == (Reason("(holding a)"),)


def test_a_claim_to_be_done_says_what_of_the_goal_is_missing(write, act_events):
    claim = Rejected(5, "claimed-done", "You are finished", None, ("(on a b)",))
    events = [*act_events[:17], Read(5, "claimed-done", "You are finished"), claim]
    end = Finished("gave-up", Fault(5, "claimed-done", "You are finished"), ("(pick-up a)",), steps=5)
    record = read_record(write("one", [*events, end]))
    assert _turns(record)[-1].steps[-1].reasons == (Reason("(on a b)", never=True),)


def test_a_step_that_was_executed_carries_no_reasons(write, act_events):
    record = read_record(write("one", act_events))
    executed = [event for event in record.events if isinstance(event, Acted)]
    steps = [step for turn in _turns(record) for step in turn.steps if step.status == "executed"]
    assert len(steps) == len(executed) == 2
    assert [step.reasons for step in steps] == [(), ()]


# ── runs in a world with faults, judged again in such a world ─────────────────────────────────────


PLAN = ("(pick-up a)", "(stack a b)")
"""Reaches the goal of the tiny task."""


def test_a_run_in_a_world_with_faults_is_judged_again_in_such_a_world(write) -> None:
    plan = (*PLAN, "(stack a b)")
    events = [*(Acted(number, action) for number, action in enumerate(plan, 1)), Finished("solved", plan=plan)]
    faulty = tiny_start(options={"faults": "fail (stack a b) at 2"})
    found = recheck(read_record(write("one", [faulty, *events])))
    assert (found.verdict, found.agrees, found.steps) == ("valid", True, 3)
    # By the model alone the second stack is not applicable.
    assert recheck(read_record(write("two", [tiny_start(), *events]))).verdict == "inapplicable"


@pytest.mark.parametrize(
    ("faults", "verdict", "agrees"),
    [
        ("fail (pick-up a) at 1", "inapplicable", False),
        ("fail (stack a b)", "goal-not-satisfied", False),
        ("fail (no-such-action)", "not-judged", False),
        ("what?", "not-judged", False),
    ],
)
def test_faults_that_do_not_lead_to_what_the_record_says(faults: str, verdict: str, agrees: bool, write) -> None:
    started = tiny_start(options={"faults": faults})
    done = [Acted(1, PLAN[0]), Acted(2, PLAN[1]), Finished("solved", plan=PLAN)]
    found = recheck(read_record(write("one", [started, *done])))
    assert (found.verdict, found.agrees) == (verdict, agrees)


def test_the_world_counts_an_action_that_it_refused(write) -> None:
    started = tiny_start(options={"faults": 'refuse (pick-up a) "it is stuck" at 1'})
    refused = Rejected(1, "world-error", "", PLAN[0], observation="I cannot pick up a: it is stuck.")
    done = [Acted(2, PLAN[0]), Acted(3, PLAN[1]), Finished("solved", plan=PLAN)]
    found = recheck(read_record(write("one", [started, refused, *done])))
    assert (found.verdict, found.agrees) == ("valid", True)


# ── several plans ─────────────────────────────────────────────────────────────────────────────────


PROBLEM = """(define (problem tiny) (:domain blocksworld-4ops) (:objects a b)
  (:init (handempty) (ontable a) (ontable b) (clear a) (clear b)) (:goal (on a b)))"""


def _plan(*actions: str) -> str:
    return "\n".join(["[PLAN]", *actions, "[PLAN END]"])


GOOD = _plan("(pick-up a)", "(stack a b)")
EARLY = _plan("(stack a b)", "(pick-up a)")
SHORT = _plan("(pick-up a)")
LEFT_AGAIN = _plan("(pick-up a)", "(stack a b)", "(unstack a b)", "(stack b a)")

Recorded = Callable[..., RunRecord]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """A recorded run of Basic in PDDL against scripted replies."""

    def _recorded(*replies: str, budget_calls: int | None = None, **options: int) -> RunRecord:
        task = parse_task(shipped_domain("blocksworld").domain_path.read_text(encoding="utf-8"), PROBLEM)
        spec = RunSpec(
            task,
            "basic",
            options,
            ScriptedModel(replies),
            style="pddl",
            example="none",
            out=tmp_path,
            budget_calls=budget_calls,
        )
        path = run_spec(spec).path
        assert path is not None
        record = read_record(path)
        assert isinstance(record, RunRecord)
        return record

    return _recorded


def test_tables_count_the_plan_that_counts_and_the_calls_of_all(recorded: Recorded) -> None:
    several, alone = recorded(EARLY, SHORT, GOOD, samples=3), recorded(GOOD)
    for name in ("coverage", "plan-length", "steps", "mistakes", "look-arounds"):
        assert all_metrics()[name].of(several) == all_metrics()[name].of(alone), name
    assert (all_metrics()["calls"].of(several), all_metrics()["calls"].of(alone)) == (3.0, 1.0)
    failed, once = recorded(EARLY, SHORT, samples=2), recorded(EARLY)
    for name in ("coverage", "steps", "mistakes"):
        assert all_metrics()[name].of(failed) == all_metrics()[name].of(once), name


def test_a_page_shows_every_plan_and_says_which_one_counts(recorded: Recorded, tmp_path) -> None:
    record = recorded(EARLY, SHORT, GOOD, rounds=2)
    turns = run_turns(record.events)
    assert [turn.counts for turn in turns] == [False, False, True]
    assert [[step.status for step in turn.steps] for turn in turns] == [
        ["inapplicable", "not-reached"],
        ["executed"],
        ["executed", "executed"],
    ]
    assert [turn.judged.outcome for turn in turns if turn.judged] == ["inapplicable", "goal-missed", "solved"]
    page = write_html(gathered([record]), tmp_path / "page.html", plots=False).read_text(encoding="utf-8")
    assert "Plan 1 (sample 1, no correction yet): inapplicable; it does not count." in page
    assert "Plan 3 (sample 1, round 2): solved; this plan counts." in page
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_plan_that_cannot_be_read_has_a_turn_of_its_own(recorded: Recorded) -> None:
    turns = run_turns(recorded("I do not know.", GOOD, samples=2).events)
    assert [(len(turn.calls), len(turn.steps), turn.counts) for turn in turns] == [(1, 0, False), (1, 2, True)]


@pytest.mark.parametrize(
    ("replies", "options", "verdict"),
    [
        ((EARLY, GOOD), {"samples": 2}, "valid"),
        ((EARLY, SHORT), {"samples": 2}, "goal-not-satisfied"),
        ((SHORT, EARLY), {"rounds": 1}, "goal-not-satisfied"),
        ((LEFT_AGAIN, SHORT), {"rounds": 1, "budget_calls": 1}, "goal-not-satisfied"),
        ((GOOD.replace("[PLAN END]", "(stack a b)\n[PLAN END]"),), {"samples": 2}, "valid"),
        ((GOOD.replace("[PLAN END]", "(stack a b)\n[PLAN END]"),), {"rounds": 1, "budget_calls": 1}, "valid"),
    ],
)
def test_the_plan_that_counts_is_judged_again_with_the_same_verdict(
    recorded: Recorded, replies: tuple[str, ...], options: dict[str, int], verdict: str
) -> None:
    again = recheck(recorded(*replies, **options))
    assert again.verdict == verdict
    assert again.agrees


# ── pictures of the states ────────────────────────────────────────────────────────────────────────


def figure_of(tmp_path: Path, reply: str, **options: Any) -> str:
    script = tmp_path / "replies.txt"
    script.write_text(reply, encoding="utf-8")
    path = tmp_path / "run.jsonl"
    run(shipped_domain("blocksworld").task("p01"), policy="basic", model=f"script:{script}", record=path, **options)
    record = read_record(path)
    return run_figure(record, [step for turn in turns_of(record) if turn.counts for step in turn.steps])


def data_of(figure: str) -> dict[str, Any]:
    found = re.search("data-trace='(.*?)'", figure)
    assert found is not None
    data: dict[str, Any] = json.loads(unescape(found[1]))
    return data


def test_each_step_has_its_state_and_the_failed_one_what_it_lacked(tmp_path: Path) -> None:
    figure = figure_of(tmp_path, "(unstack c b)\n(put-down c)\n(stack a c)\n(pick-up a)")
    data = data_of(figure)
    assert data["steps"] == {"1": 1, "2": 2, "3": 3}
    assert [frame["is"].split(";")[0] for frame in data["frames"]] == [
        "initial state",
        "(unstack c b)",
        "(put-down c)",
        "(stack a c): inapplicable",
    ]
    assert data["frames"][3]["is"].endswith("missing: (holding a)")
    assert "data-shown='3'" in figure
    assert sum("missing" in markup for markup in data["markups"]) == 1


def test_a_world_with_faults_is_drawn_as_it_was(write, act_events) -> None:
    first, last = (event for event in act_events if isinstance(event, Acted))
    events = [first, Acted(5, "(stack a b)"), structs.replace(last, step=6), Finished("solved", plan=(*PLAN, PLAN[1]))]
    record = read_record(write("one", [tiny_start(options={"faults": "fail (stack a b) at 2"}), *events]))
    steps = [step for turn in turns_of(record) for step in turn.steps]
    data = data_of(run_figure(record, steps))
    assert [frame["is"].endswith("changed nothing") for frame in data["frames"]] == [False, False, True, False]


def test_a_run_without_actions_has_no_picture(tmp_path: Path) -> None:
    assert figure_of(tmp_path, "I do not know.") == ""
