"""Why a step failed, as pages explain it."""

from __future__ import annotations

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.nl import load_wording
from pddl2nl.policies.events import Acted, Fault, Finished, Read, Rejected
from pddl2nl.reports.html.run import Reason, explained, missing_goals, turns_of
from pddl2nl.reports.recheck import recheck
from pddl2nl.tasks import shipped_domain
from tests.records import changed, tiny_start


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
