"""Metrics, on records whose numbers can be counted by eye."""

from __future__ import annotations

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import Acted, Fault, Finished, Read
from pddl2nl.reports.coverage import aggregate
from pddl2nl.reports.metrics import all_metrics, measure
from pddl2nl.reports.summaries import summarize
from tests.records import changed


def value(name, records):
    """The metric over the runs; None where it has none."""
    found = aggregate(all_metrics()[name], map(summarize, records))
    return None if found is None else found.value


@pytest.mark.parametrize(
    ("metric", "expected"),
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
        ("tokens", 170),
    ],
)
def test_an_episode(write, act_events, metric, expected):
    assert value(metric, [read_record(write("one", act_events))]) == expected


def test_a_planner_has_no_mistakes_and_no_calls(write, planned):
    record = read_record(write("one", planned))
    assert all_metrics()["mistakes"].of(record) is None
    assert all_metrics()["prompt-tokens"].of(record) is None
    assert value("calls", [record]) is None
    assert all_metrics()["plan-length"].of(record) == 2


def test_the_runs_of_a_task_become_one_number_first_and_then_the_tasks(write, act_events, basic_events):
    def run(name, events, task, seed):
        started = changed(events[0], task=task, seed=seed)
        return read_record(write(name, [started, *events[1:]]))

    # One task with three seeds, two of which solve it, and another one with a single run.
    records = [run("a1", act_events, "a", 1), run("a2", act_events, "a", 2), run("a3", basic_events, "a", 3)]
    records.append(run("b1", act_events, "b", 1))
    assert value("coverage", records) == pytest.approx(2 / 3 + 1)
    assert value("steps", records) == pytest.approx(((5 + 5 + 1) / 3 + 5) / 2)
    # A run that found no plan has no length, and one that is missing is no zero.
    assert value("plan-length", records) == 2
    found = aggregate(all_metrics()["plan-length"], map(summarize, records))
    assert (found.runs, found.tasks, found.estimated) == (3, 2, False)


def test_a_plans_lines_behind_the_first_broken_link_are_mistakes_where_they_cannot_be_read(write, basic_events):
    nonsense = [Read(3, "unreadable", "dance"), Read(4, "ambiguous", "stack it"), Read(5, "read", "x", "(pick-up a)")]
    events = [*basic_events[:5], *nonsense, *basic_events[5:]]
    assert all_metrics()["mistakes"].of(read_record(write("one", events))) == 1 + 2


def test_a_reply_that_holds_no_plan_is_one_mistake(write, basic_events):
    events = [*basic_events[:3], Finished("unreadable", Fault(0, "unreadable", "I will not."), mistakes=1)]
    assert all_metrics()["mistakes"].of(read_record(write("one", events))) == 1


def test_a_walk_takes_no_tokens_and_makes_no_calls(write, act_events):
    started = changed(act_events[0], policy="random", models={})
    record = read_record(write("one", [started, Acted(1, "(pick-up a)"), Finished("budget", Fault(1, "budget", "…"))]))
    values, _ = measure(record)
    assert values == {"coverage": 0, "steps": 1, "mistakes": 0, "look-arounds": 0, "seconds": 0}


def test_a_role_that_nobody_was_asked_in_has_no_value(write, act_events):
    values, estimated = measure(read_record(write("one", act_events)))
    assert values["planner-prompt-tokens"] == values["prompt-tokens"] == 150
    assert not [name for name in values if name.startswith(("wording", "thoughts", "translator"))]
    assert estimated == frozenset()


def test_an_estimate_marks_the_metrics_that_it_is_in(write, act_events):
    uncounted = [
        structs.replace(event, prompt_tokens=0) if event.event == "replied" and event.call == 5 else event
        for event in act_events
    ]
    _, estimated = measure(read_record(write("one", uncounted)))
    assert estimated == {"planner-prompt-tokens", "planner-tokens", "prompt-tokens", "new-tokens", "tokens"}
    found = aggregate(
        all_metrics()["tokens"], [summarize(read_record(write("two", item))) for item in (uncounted, act_events)]
    )
    assert found.estimated is True


def test_claiming_to_be_done_is_no_mistake(write, act_events):
    claimed = [
        structs.replace(event, status="claimed-done") if event.event == "rejected" else event for event in act_events
    ]
    assert all_metrics()["mistakes"].of(read_record(write("one", claimed))) == 0


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
    started = changed(act_events[0], solvable=solvable)
    record = read_record(write("one", [started, Finished("gave-up", fault)]))
    assert all_metrics()["unsolvable-claimed"].of(record) == rightly
    assert all_metrics()["unsolvable-claimed-falsely"].of(record) == falsely


def test_a_solved_task_has_a_plan_and_a_planner_claims_nothing(write, act_events, planned):
    record = read_record(write("one", act_events))
    assert record.started.solvable is None
    assert all_metrics()["unsolvable-claimed-falsely"].of(record) == 0
    proof = read_record(write("two", structs.replace(planned, status="unsolvable", plan=None)))
    assert (proof.solvable, all_metrics()["unsolvable-claimed"].of(proof)) == (False, None)


def _role(events, call, purpose, **fields):
    """The events with one call in another role, and other fields of its reply."""
    changed = []
    for event in events:
        if event.event == "prompted" and event.call == call:
            event = structs.replace(event, purpose=purpose)
        if event.event == "replied" and event.call == call:
            event = structs.replace(event, **fields)
        changed.append(event)
    return changed


def test_what_the_planner_took_stands_apart_from_the_other_roles(write, act_events):
    events = _role(act_events, 2, "translator", usd=0.5, cached_tokens=8, reasoning_tokens=1)
    events = _role(events, 4, "thoughts", usd=0.25, from_cache=True)
    record = read_record(write("one", events))
    found = {name: metric.of(record) for name, metric in all_metrics().items()}
    assert (found["calls"], found["prompt-tokens"], found["completion-tokens"]) == (5, 150, 20)
    assert found["planner-calls"] == 3
    assert found["planner-prompt-tokens"] == 10 + 30 + 50
    assert found["planner-completion-tokens"] == 2 + 4 + 6
    assert (found["translator-tokens"], found["thoughts-tokens"], found["wording-tokens"]) == (20 + 3, 40 + 5, None)
    assert found["tokens"] == sum(found[f"{role}-tokens"] for role in ("planner", "translator", "thoughts"))
    assert (found["cached-tokens"], found["reasoning-tokens"], found["cache-hits"]) == (8, 1, 1)
    assert found["usd"] is None, "the price of three calls is not known"
    assert 0 < found["new-tokens"] < found["prompt-tokens"]
    for call in (1, 3, 5):
        events = _role(events, call, "planner", usd=0.0)
    assert all_metrics()["usd"].of(read_record(write("two", events))) == 0.75


def test_the_time_of_a_planner_is_told_by_the_processor_and_by_the_clock(write, planned):
    record = read_record(write("one", structs.replace(planned, seconds=2.0, wall_seconds=5.0)))
    assert (all_metrics()["planning-seconds"].of(record), all_metrics()["seconds"].of(record)) == (2.0, 5.0)
