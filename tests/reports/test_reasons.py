"""Why a step failed, as pages explain it."""

from __future__ import annotations

from msgspec import structs

from pddl2nl.nl import load_wording
from pddl2nl.policies.events import Acted, Fault, Finished, Read, Rejected
from pddl2nl.reports.html.run import Reason, explained, missing_goals, turns_of
from pddl2nl.reports.recheck import recheck
from pddl2nl.reports.records import read_record
from pddl2nl.tasks import shipped_domain
from tests.records import changed


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
