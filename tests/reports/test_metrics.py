"""Metrics, on records whose numbers can be counted by eye: of runs, of optimal lengths, of what replies took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import RoleUsage, read_record, usage_by_role
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Message, Request
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.policies.events import Acted, Failed, Fault, Finished, Prompted, Read, Replied
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.coverage import aggregate
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.metrics import all_metrics, length_ratio, measure, optimal_length, shipped_lengths, task_id
from pddl2nl.reports.summaries import summarize
from pddl2nl.tasks import shipped_domain, shipped_task
from tests.answering import Answering, scripted
from tests.records import begun, changed


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


# ── optimal lengths ───────────────────────────────────────────────────────────────────────────────


OVER = "plan-length-over-optimal"


def test_one_task_has_one_name_however_its_lines_end():
    assert task_id("(d)\n", "(p)\n") == task_id("\ufeff(d)\r\n", "(p)\r")
    assert len({task_id("ab", "c"), task_id("a", "bc"), task_id("a", "b c"), task_id("abc", "")}) == 4


def test_shipped_tasks_are_known_by_their_texts(write, planned):
    shipped = shipped_domain("blocksworld")
    instance = shipped.instance("p05")
    domain, problem = shipped.domain_path.read_text(encoding="utf-8"), instance.path.read_text(encoding="utf-8")
    plan = ("(x)",) * (2 * instance.optimal_length)
    of = structs.replace(planned, planner="ff", domain_pddl=domain, problem_pddl=problem, plan=plan)
    record = read_record(write("one", of))
    assert optimal_length(record) == instance.optimal_length
    assert all_metrics()[OVER].of(record) == 2
    moved = read_record(write("two", structs.replace(of, problem_pddl=problem.replace("(on ", "(on  ", 1))))
    assert optimal_length(moved) is None
    assert all_metrics()[OVER].of(moved) is None


@pytest.mark.parametrize("name", ["blocksworld", "visitall"])
def test_the_proved_lengths_of_a_set_are_there_and_no_upper_bound_is_taken_for_one(name):
    shipped = shipped_domain(name)
    proved = [each for each in shipped.instances if each.proof in ("lmcut", "brfs", "blind", "hmax")]
    assert len(proved) > 30
    assert len(shipped_lengths(shipped.domain_path.read_text(encoding="utf-8"))) == len(proved)


@pytest.mark.parametrize(
    ("planner", "metric", "known"),
    [
        ("brfs", "", 2),
        ("brfs", "(:metric minimize (total-cost))", 2),
        ("lmcut", "", 2),
        ("lmcut", "(:metric minimize (total-cost))", None),
        ("ff", "", None),
        ("lama", "", None),
    ],
)
def test_a_plan_proves_its_length_where_its_planner_looks_for_the_shortest(write, planned, planner, metric, known):
    problem = planned.problem_pddl.rstrip().removesuffix(")") + metric + ")"
    record = read_record(write("one", structs.replace(planned, planner=planner, problem_pddl=problem)))
    assert optimal_length(record) == known


@pytest.mark.parametrize(("length", "optimal", "over"), [(6, 4, 1.5), (4, 4, 1.0), (0, 0, 1.0), (2, 0, None)])
def test_ratios(length, optimal, over):
    assert length_ratio(length, optimal) == over


def test_other_runs_of_a_task_learn_its_length_from_an_optimal_planner(write, planned, act_events, basic_events):
    detour = ("(pick-up b)", "(put-down b)", *planned.plan)
    longer = structs.replace(planned, planner="ff", plan=detour, cost=4)
    records = [
        read_record(write(name, item)) for name, item in (("act", act_events), ("ff", longer), ("no", basic_events))
    ]
    assert all(OVER not in run.values for run in gathered(records).runs.values())
    found = gathered([*records, read_record(write("lmcut", planned))]).runs
    assert {name: run.values.get(OVER) for name, run in found.items()} == {"act": 1, "ff": 2, "no": None, "lmcut": 1}


# ── what replies took, by role ────────────────────────────────────────────────────────────────────


def _asked(call: int, kept: int, *texts: str, purpose: str = "planner") -> Prompted:
    return Prompted(call, purpose, kept, tuple(Message("user", text) for text in texts), f"sha{call}")


def test_a_prompt_that_nobody_counted_is_estimated_with_all_that_it_kept():
    events = [_asked(1, 0, "x" * 40, "y" * 40), Replied(1, "z" * 9), _asked(2, 1, "w" * 20), Replied(2, "")]
    usage = usage_by_role(events)["planner"]
    assert usage.prompt_tokens == estimate_tokens(80) + estimate_tokens(60)
    assert usage.completion_tokens == 3, "nine characters are no two tokens, and nothing is none"
    assert (usage.calls, usage.prompt_estimated, usage.completion_estimated) == (2, True, True)


def test_what_an_endpoint_counted_is_never_replaced():
    events = [_asked(1, 0, "x" * 40), Replied(1, "z" * 40, prompt_tokens=3, completion_tokens=4)]
    assert usage_by_role(events)["planner"] == RoleUsage(1, 3, 4, usd=None, new_tokens=3)


def test_each_role_keeps_its_own_prompts():
    translates = _asked(2, 0, "t" * 400, purpose="translator")
    events = [
        _asked(1, 0, "x" * 40),
        Replied(1, "a"),
        translates,
        Replied(2, "b"),
        _asked(3, 1, "y" * 4),
        Replied(3, "c"),
    ]
    usage = usage_by_role(events)
    assert [*usage] == ["planner", "translator"]
    assert (usage["planner"].prompt_tokens, usage["translator"].prompt_tokens) == (13 + 14, 122)
    assert sum(usage.values(), RoleUsage()).prompt_tokens == 13 + 14 + 122


def test_a_call_that_failed_is_none_and_nothing_is_kept_of_its_prompt():
    events = [
        *(_asked(1, 0, "x" * 40), Replied(1, "a")),
        *(_asked(2, 0, "y" * 4000), Failed(2, "503")),
        *(_asked(2, 1, "z" * 4), Replied(2, "b")),
    ]
    usage = usage_by_role(events)["planner"]
    assert (usage.calls, usage.prompt_tokens) == (2, 13 + 14)


@pytest.mark.parametrize(("usd", "known"), [(0.0, None), (0.25, 0.25), (None, None)])
def test_what_uncounted_tokens_of_an_endpoint_cost_is_not_nothing(usd, known):
    started = begun("act", base_url="http://localhost/v1")
    events = [started, _asked(1, 0, "x" * 40), Replied(1, "a", usd=usd)]
    assert usage_by_role(events)["planner"].usd == known
    free = [structs.replace(started, base_url=None), *events[1:]]
    assert usage_by_role(free)["planner"].usd == usd


@pytest.mark.parametrize("history", ["all", "last:2", "none"])
def test_a_records_estimate_is_that_of_what_was_sent(tmp_path: Path, history: str) -> None:
    said, sent = iter(["look around", "dance", "look around", "stack b on a", "no", "look around"]), []

    def count(request: Request) -> str:
        sent.append(estimate_tokens(sum(len(message.content) for message in request.messages)))
        return next(said)

    model = Answering(count)
    record = tmp_path / "one.jsonl"
    task = shipped_task("blocksworld", "p01")
    run_spec(RunSpec(task, "act", model=model, example="none", steps=6, history=history, record=record))
    assert len(json.loads(record.read_text(encoding="utf-8").splitlines()[-1])["proposed"]) == 0
    values, estimated = measure(read_record(record))
    assert values["planner-prompt-tokens"] == sum(sent) > 0
    assert {"planner-prompt-tokens", "tokens"} <= estimated


@pytest.mark.parametrize("history", ["all", "last:1", "none"])
def test_new_tokens_are_those_behind_what_the_last_prompt_began_with(tmp_path: Path, history: str) -> None:
    model = scripted("look around", "unstack b from a", "dance", "look around")
    record = tmp_path / "one.jsonl"
    task = shipped_task("blocksworld", "p01")
    run_spec(RunSpec(task, "act", model=model, example="none", steps=4, history=history, record=record))
    values, estimated = measure(read_record(record))
    prompts = [event for event in read_record(record).events if event.event == "prompted"]
    new = sum(len(message.content) for event in prompts for message in event.messages)
    assert values["new-tokens"] == pytest.approx(new / CHARACTERS_A_TOKEN, abs=4)
    assert "new-tokens" in estimated
