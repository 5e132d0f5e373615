"""First broken links: of every kind that a record can hold, with the predicates that it broke on."""

from __future__ import annotations

import re

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import OUTCOMES, Acted, Fault, Finished, Judged, Rejected
from pddl2nl.reports.summaries import LINKS, BrokenLink, first_broken_link, predicates_of
from tests.records import changed


@pytest.mark.parametrize(
    ("conditions", "predicates"),
    [
        (["(holding a)", "(clear b)", "(clear c)"], ("clear", "holding")),
        (["(not (on a b))", "(clear b)"], ("clear", "not on")),
        (["(handempty)"], ("handempty",)),
        (["(not (not (CLEAR b)))"], ("clear",)),
        (["(or (at a b) (not (at a c)))"], ("at", "not at")),
        (["(not (and (p) (q a)))"], ("not p", "not q")),
        (["(imply (wet a) (dry b))"], ("dry", "not wet")),
        (["(forall (?x - (either block tray)) (clear ?x))", "(exists (?y) (not (full ?y)))"], ("clear", "not full")),
        (["(>= (fuel t) (+ (need a b) 3))"], ("fuel", "need")),
        (["(not (= a b))", "(= (cost) 3)"], ("cost", "not =")),
        ([], ()),
        (["", "()", "(", "not pddl at all", "(not)"], ()),
    ],
)
def test_predicates_of_conditions(conditions, predicates):
    assert predicates_of(conditions) == predicates


def _link(write, events, name="one"):
    return first_broken_link(read_record(write(name, events)))


def test_an_inapplicable_action_is_told_by_what_was_violated(write, basic_events):
    events = [*basic_events]
    events[5] = structs.replace(events[5], unmet=("(holding a)", "(not (clear b))"))
    assert _link(write, events) == BrokenLink("inapplicable", ("holding", "not clear"), 1, "stack a on b")


def test_a_run_that_was_solved_has_none_whatever_happened_on_the_way(write, act_events):
    assert _link(write, act_events) is None


def test_the_first_one_counts_and_not_what_ended_the_run(write, act_events):
    ended = Finished("budget", Fault(2, "inapplicable", "stack a on b"), steps=5)
    assert _link(write, [*act_events[:-2], ended]) == BrokenLink("inapplicable", ("holding",), 2, "stack a on b")


def test_a_missed_goal_is_told_by_what_of_it_is_missing(write, basic_events):
    missed = Finished(
        "goal-missed", Fault(1, "goal-missed", "a is not on b"), ("(pick-up a)",), ("(pick-up a)",), steps=1
    )
    assert _link(write, [*basic_events[:4], Acted(1, "(pick-up a)"), missed]) == BrokenLink(
        "goal-missed", ("on",), 1, "a is not on b"
    )


@pytest.mark.parametrize("broken", ["(define (domain", "(define (domain d) (:predicates (p)))"])
def test_a_task_that_cannot_be_read_leaves_the_missed_goal_without_predicates(write, basic_events, broken):
    started = changed(basic_events[0], domain_pddl=broken)
    missed = Finished("goal-missed", Fault(1, "goal-missed", "told"), ("(pick-up a)",))
    assert _link(write, [started, missed]) == BrokenLink("goal-missed", (), 1, "told")


def test_a_false_claim_is_told_by_what_was_missing(write, act_events):
    claimed = Rejected(1, "claimed-done", "done", unmet=("(on a b)",))
    ended = Finished("gave-up", Fault(1, "claimed-done", "done"))
    link = _link(write, [act_events[0], claimed, ended])
    assert link == BrokenLink("claimed-done", ("on",), 1, "done")
    assert LINKS[link.kind] == "goal missed"


def test_of_several_plans_the_one_that_counts_is_looked_at(write, basic_events):
    other = Rejected(1, "inapplicable", "put a", "(put-down a)", ("(holding c)",))
    own = structs.replace(basic_events[5], unmet=("(clear b)",))
    events = [
        *basic_events[:3],
        *(other, Judged(1, 0, 0, "inapplicable")),
        *(own, Judged(2, 0, 1, "inapplicable")),
        structs.replace(basic_events[6], counted=2),
    ]
    assert _link(write, events).predicates == ("clear",)


def test_a_planners_status_is_its_link(write, planned):
    failed = structs.replace(planned, status="timeout", plan=None, message="after 10 s")
    assert first_broken_link(read_record(write("one", failed))) == BrokenLink("timeout", (), 0, "after 10 s")
    broken = structs.replace(planned, status="error", plan=None, message="killed")
    assert first_broken_link(read_record(write("two", broken))) == BrokenLink("infrastructure-error", (), 0, "killed")
    assert first_broken_link(read_record(write("three", planned))) is None


def test_infrastructure_is_no_link_of_the_chain(write, act_events):
    ended = Finished("infrastructure-error", Fault(0, "filtered", "withheld"), message="the reply was withheld")
    link = _link(write, [act_events[0], ended])
    assert link == BrokenLink("filtered", (), 0, "the reply was withheld")
    assert LINKS[link.kind] == "infrastructure"


def test_a_record_without_a_fault_is_counted_by_its_outcome(write, act_events):
    assert _link(write, [act_events[0], Finished("budget", message="40 steps")]) == BrokenLink(
        "budget", (), 0, "40 steps"
    )


def test_every_status_and_outcome_has_a_name_for_readers():
    said = set(re.findall(r"``([a-z-]+)``", Fault.__doc__ or "")) - {"step", "status", "text"}
    assert len(said) > 12
    assert said | {*OUTCOMES} - {"solved"} <= LINKS.keys()
    unread, answers = ["unreadable", "ambiguous", "unknown object"], ["incomplete", "wrong", "too costly"]
    issue = [*unread, *answers, "inapplicable", "goal missed", "budget", "context", "gave up", "undecided"]
    assert [*dict.fromkeys(LINKS.values())] == [*issue, "infrastructure"]
