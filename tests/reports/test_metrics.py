"""Metrics, on records whose numbers can be counted by eye."""

from __future__ import annotations

import dataclasses

import pytest

from pddl2nl.policies.events import Failed, Fault, Finished
from pddl2nl.reports import METRICS, aggregate, read_record


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("coverage", 1),
        ("plan-length", 2),
        ("steps", 5),
        ("mistakes", 2),
        ("look-arounds", 1),
        ("calls", 5),
        ("prompt-tokens", 150),
        ("completion-tokens", 20),
        ("seconds", 1.5),
    ],
)
def test_an_episode(write, act_events, metric, value):
    assert aggregate(METRICS[metric], [read_record(write("one", act_events))]) == value


def test_the_events_and_the_accounts_at_the_end_agree(write, act_events):
    record = read_record(write("one", act_events))
    finished = record.finished
    for name, stored in (("mistakes", finished.mistakes), ("steps", finished.steps), ("calls", finished.calls)):
        assert METRICS[name].of(record) == stored


def test_a_planner_has_no_mistakes_and_no_calls(write, planned):
    record = read_record(write("one", planned))
    assert METRICS["mistakes"].of(record) is None
    assert METRICS["prompt-tokens"].of(record) is None
    assert aggregate(METRICS["calls"], [record]) is None
    assert METRICS["plan-length"].of(record) == 2


def test_means_and_sums(write, act_events, basic_events, planned):
    records = [read_record(write(str(n), item)) for n, item in enumerate((act_events, basic_events, planned))]
    assert aggregate(METRICS["coverage"], records) == 2
    assert aggregate(METRICS["plan-length"], records) == 2
    assert aggregate(METRICS["steps"], records) == 3
    assert aggregate(METRICS["prompt-tokens"], records) == 157


def test_a_run_that_infrastructure_broke_has_no_value(write, act_events):
    broken = Finished("infrastructure-error", Fault(3, "infrastructure-error", "503"))
    records = [read_record(write("x", [*act_events[:12], broken])), read_record(write("y", act_events))]
    assert aggregate(METRICS["mistakes"], records) == 2
    assert aggregate(METRICS["mistakes"], records[:1]) is None


def test_every_metric_says_which_way_is_better():
    higher = {name for name, metric in METRICS.items() if metric.better == "higher"}
    assert higher == {"coverage", "cached-tokens", "cache-hits", "unsolvable-claimed"}
    assert all(metric.name == name and metric.summary for name, metric in METRICS.items())


def test_claiming_to_be_done_is_no_mistake(write, act_events):
    claimed = [
        dataclasses.replace(event, status="claimed-done") if event.event == "rejected" else event
        for event in act_events
    ]
    assert METRICS["mistakes"].of(read_record(write("one", claimed))) == 0


@pytest.mark.parametrize(
    ("solvable", "claimed", "rightly", "falsely"),
    [
        (False, True, 1, None),
        (False, False, 0, None),
        (True, True, None, 1),
        (True, False, None, 0),
        (None, True, None, None),
    ],
)
def test_a_claim_that_there_is_no_plan_is_right_by_what_is_known(
    write, act_events, solvable, claimed, rightly, falsely
):
    fault = Fault(1, "claimed-unsolvable" if claimed else "inapplicable", "No plan exists.")
    started = dataclasses.replace(act_events[0], solvable=solvable)
    record = read_record(write("one", [started, Finished("gave-up", fault)]))
    assert METRICS["unsolvable-claimed"].of(record) == rightly
    assert METRICS["unsolvable-claimed-falsely"].of(record) == falsely


def test_a_solved_task_has_a_plan_and_a_planner_claims_nothing(write, act_events, planned):
    record = read_record(write("one", act_events))
    assert record.started.solvable is None
    assert METRICS["unsolvable-claimed-falsely"].of(record) == 0
    proof = read_record(write("two", dataclasses.replace(planned, status="unsolvable", plan=None)))
    assert (proof.solvable, METRICS["unsolvable-claimed"].of(proof)) == (False, None)


def test_a_claim_that_there_is_no_plan_is_no_mistake(write, act_events):
    claimed = [
        dataclasses.replace(event, status="claimed-unsolvable") if event.event == "rejected" else event
        for event in act_events
    ]
    assert METRICS["mistakes"].of(read_record(write("one", claimed))) == 0


def _role(events, call, purpose, **fields):
    """The events with one call in another role, and other fields of its reply."""
    changed = []
    for event in events:
        if event.event == "prompted" and event.call == call:
            event = dataclasses.replace(event, purpose=purpose)
        if event.event == "replied" and event.call == call:
            event = dataclasses.replace(event, **fields)
        changed.append(event)
    return changed


def test_what_the_planner_took_stands_apart_from_the_other_roles(write, act_events):
    events = _role(act_events, 2, "translator", usd=0.5, cached_tokens=8, reasoning_tokens=1)
    events = _role(events, 4, "thoughts", usd=0.25, from_cache=True)
    record = read_record(write("one", events))
    found = {name: metric.of(record) for name, metric in METRICS.items()}
    assert (found["calls"], found["prompt-tokens"], found["completion-tokens"]) == (5, 150, 20)
    assert found["planner-calls"] == 3
    assert found["planner-prompt-tokens"] == 10 + 30 + 50
    assert found["planner-completion-tokens"] == 2 + 4 + 6
    assert (found["cached-tokens"], found["reasoning-tokens"], found["cache-hits"]) == (8, 1, 1)
    assert found["usd"] is None, "the price of three calls is not known"
    for call in (1, 3, 5):
        events = _role(events, call, "planner", usd=0.0)
    assert METRICS["usd"].of(read_record(write("two", events))) == 0.75


def test_a_call_that_failed_is_none(write, act_events):
    failed = [*act_events[:2], Failed(1, "503"), *act_events[1:]]
    assert METRICS["calls"].of(read_record(write("one", failed))) == 5
