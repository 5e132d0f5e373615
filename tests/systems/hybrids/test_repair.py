"""Repair: the nearest valid plan to a proposal, what it costs, and what is recorded of it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.baselines.planner import cheapest_plan
from pddl2nl.errors import InputError
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies import Episode, Policy, make_policy
from pddl2nl.policies.events import RecordError, Started
from pddl2nl.policies.spec import RunSpec
from pddl2nl.search import nearest_plan
from pddl2nl.search.nearest_plan import common_actions, distance, repair_plan
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemWritten, StatesSearched
from pddl2nl.systems.hybrids.llm_p import problem_in
from pddl2nl.systems.hybrids.prompting import LAYOUT
from pddl2nl.tasks import shipped_task
from pddl2nl.tasks.costs import with_unit_costs
from pddlval import GroundAction, Simulator, State, validate
from tests.policies.conftest import Play, World

pytestmark = pytest.mark.usefixtures("needs_planner")

DISTANCES = {None: 0, "wrong-action": 2, "swapped-objects": 2, "invented-action": 0, "missing-init": 8}
"""Of the oracle's plan for p05 with each mistake: an exchanged action is left out and the right one added."""
GOOD = "(lift red table)\n(put red shelf)"


def actions(text: str) -> tuple[GroundAction, ...]:
    return tuple(map(GroundAction.parse, text.splitlines()))


def replied(text: str) -> list[str]:
    return [f"[PLAN]\n{text}\n[PLAN END]"]


def least_distance(simulator: Simulator, proposal: Sequence[GroundAction]) -> int:
    """By Dijkstra over all states and places in the proposal: what the planner must find, without compiling."""
    order = count()
    queue: list[tuple[int, int, State, int]] = [(0, next(order), simulator.initial, 0)]
    closed = set[tuple[State, int]]()
    while queue:
        cost, _, state, place = heappop(queue)
        if place == len(proposal) and simulator.is_goal(state):
            return cost
        if (state, place) in closed:
            continue
        closed.add((state, place))
        if place < len(proposal):
            heappush(queue, (cost + 1, next(order), state, place + 1))
            if proposal[place] in set(simulator.applicable(state)):
                successor = simulator.step(state, proposal[place]).successor
                assert successor is not None
                heappush(queue, (cost, next(order), successor, place + 1))
        for action in simulator.applicable(state):
            successor = simulator.step(state, action).successor
            assert successor is not None
            heappush(queue, (cost + 1, next(order), successor, place))
    raise AssertionError("the task has no plan")


def proposals(simulator: Simulator, seed: int) -> tuple[GroundAction, ...]:
    """A walk that is shuffled, shortened or ends with an action that is never possible."""
    rng, state, walk = random.Random(seed), simulator.initial, list[GroundAction]()
    while len(walk) < 6 and (action := simulator.sample(state, rng)) is not None:
        walk.append(action)
        state = simulator.step(state, action).successor or state
    kinds = (rng.sample(walk, len(walk)), walk[1::2], [*walk[:-1], *actions("(lift red nowhere)")], walk[::-1])
    return tuple(kinds[seed % len(kinds)])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(1, 6))])
def test_the_distance_is_proved_to_be_the_least_and_is(world: World, seed: int) -> None:
    simulator = Simulator(world.task)
    proposal = proposals(simulator, seed)
    repaired = repair_plan(simulator, proposal)
    assert repaired.plan is not None
    assert repaired.proved
    assert validate(world.task, list(repaired.plan)).valid
    assert distance(repaired.plan, proposal) == least_distance(simulator, proposal)


def test_a_valid_proposal_comes_back_unchanged(play: Play) -> None:
    detour = f"(lift blue table)\n(put blue table)\n{GOOD}"
    played = play("repair", replied(detour), style="pddl")
    [event] = played.of("plan-repaired")
    assert played.finished.outcome == "solved"
    assert played.finished.plan == tuple(detour.splitlines())
    assert (event.planner, event.distance, event.leaves, event.expanded) == ("", 0, 0, 0)


def test_a_missing_action_is_added(play: Play) -> None:
    played = play("repair", replied("(put red shelf)"), style="pddl")
    [event] = played.of("plan-repaired")
    assert played.finished.plan == tuple(GOOD.splitlines())
    assert event.distance == 1
    assert event.kept == (1,)
    assert (event.prefix, event.leaves) == (0, 1)
    assert [judged.round for judged in played.of("judged")] == [0, 1]


# ── hopeless proposals ───────────────────────────────────────────────────────────────────────────


def test_a_proposal_of_impossible_actions_costs_what_planning_alone_costs(world: World) -> None:
    repaired = repair_plan(Simulator(world.task), actions("(lift red nowhere)"))
    assert repaired.result is repaired.alone, "nothing else was searched"
    assert (repaired.proved, repaired.fallback) == (True, False)


@pytest.mark.heavy
def test_useless_actions_cost_no_more_than_planning_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the limits that the searches get: how long they take depends on what else the machine does."""
    monkeypatch.setattr(nearest_plan, "LEAST_SECONDS", 2)
    monkeypatch.setattr(nearest_plan, "OPTIMAL_SECONDS", 2)
    task = shipped_task("blocksworld", "s10")
    plan = solve(task, "ff").plan
    assert plan is not None
    limits: list[int] = []

    def counted(task: Task, planner: str, *, time_limit: int) -> PlannerResult:
        limits.append(time_limit)
        return solve(task, planner, time_limit=time_limit)

    def improved(task: Task, time_limit: int) -> PlannerResult:
        limits.append(time_limit)
        return cheapest_plan(task, time_limit)

    monkeypatch.setattr(nearest_plan, "solve", counted)
    monkeypatch.setattr(nearest_plan, "cheapest_plan", improved)
    # All of it is possible, and LM-cut needs minutes to find what of it is worth keeping.
    proposal = random.Random(1).sample(plan, len(plan))
    repaired = repair_plan(Simulator(task), proposal)
    assert repaired.alone is not None
    assert repaired.plan is not None
    own = repaired.alone.plan
    assert validate(task, list(repaired.plan)).valid
    assert own is None or distance(repaired.plan, proposal) <= distance(own, proposal)
    assert len(limits) >= 3, "LM-cut alone, and both searches on the compiled task"
    assert sum(limits[-2:]) <= max(2, math.ceil(repaired.alone.seconds))


def test_at_the_limit_the_plan_is_that_of_planning_alone(monkeypatch: pytest.MonkeyPatch, play: Play) -> None:
    late = PlannerResult("lama", "timeout", None, None, 2.0, 100, "", "no plan within 2 s")
    monkeypatch.setattr(nearest_plan, "cheapest", lambda task, alone: late)
    played = play("repair", replied("(lift blue table)\n(put blue shelf)"), style="pddl")
    [event] = played.of("plan-repaired")
    assert played.finished.plan == tuple(GOOD.splitlines())
    assert (event.fallback, event.proved, event.planner, event.distance) == (True, False, "lmcut", 4)
    assert event.expanded == 100 + event.alone, "both searches were needed"


@pytest.mark.parametrize(
    "reply",
    ["I do not know.", *(pytest.param(text, marks=pytest.mark.heavy) for text in ("", "[NO PLAN]", "[PLAN]\nsing"))],
)
def test_without_a_proposal_the_planner_plans_alone(play: Play, reply: str) -> None:
    played = play("repair", [reply])
    [event] = played.of("plan-repaired")
    assert played.finished.outcome == "solved"
    assert (event.kept, event.proposal, event.expanded) == ((), (), event.alone)


def test_an_unsolvable_task_is_not_searched_twice() -> None:
    repaired = repair_plan(Simulator(shipped_task("blocksworld", "u01")), actions("(pick-up a)"))
    assert (repaired.plan, repaired.result.status) == (None, "unsolvable")
    assert repaired.result is repaired.alone


# ── from the prefix, and other planners ──────────────────────────────────────────────────────────


def test_the_prefix_is_kept_where_that_is_asked_for(play: Play) -> None:
    started = "(lift blue table)\n(put blue shelf)"
    played = play(
        "repair", replied(f"{started}\n(lift blue table)\n{GOOD}"), style="pddl", chosen={"from_prefix": True}
    )
    [event] = played.of("plan-repaired")
    assert played.finished.outcome == "solved"
    assert played.finished.plan[:2] == tuple(started.splitlines())
    assert event.prefix == 2
    assert event.planner == "lama"


def test_where_the_prefix_ends_in_a_dead_end_the_proposal_is_judged(play: Play) -> None:
    played = play(
        "repair", replied(f"(lift red table)\n(smash red)\n{GOOD}"), style="pddl", chosen={"from_prefix": True}
    )
    assert played.finished.outcome == "inapplicable"
    assert played.of("plan-repaired")[0].status == "unsolvable"


CONDITIONAL = """(define (domain lamps) (:requirements :strips :conditional-effects)
  (:predicates (on) (power) (dark))
  (:action plug :parameters () :precondition (and) :effect (power))
  (:action pull :parameters () :precondition (power) :effect (not (power)))
  (:action look :parameters () :precondition (not (on)) :effect (dark))
  (:action press :parameters () :precondition (and) :effect (when (power) (on))))"""


@pytest.mark.parametrize(
    "proposal", ["(plug)\n(pull)\n(press)\n(look)", pytest.param("(press)", marks=pytest.mark.heavy)]
)
def test_conditional_effects_are_for_the_planner_that_takes_them(proposal: str) -> None:
    task = parse_task(CONDITIONAL, "(define (problem p) (:domain lamps) (:init) (:goal (on)))")
    simulator = Simulator(task)
    repaired = repair_plan(simulator, actions(proposal))
    assert (repaired.result.planner, repaired.proved) == ("lama", True)
    assert repaired.plan is not None
    assert validate(task, list(repaired.plan)).valid
    assert distance(repaired.plan, actions(proposal)) == least_distance(simulator, actions(proposal))


@pytest.mark.parametrize("seconds", [20, pytest.param(1, marks=pytest.mark.heavy)])
def test_an_anytime_search_says_whether_its_plan_is_proved_the_cheapest(seconds: int) -> None:
    task = with_unit_costs(shipped_task("blocksworld", "s10" if seconds == 1 else "p02"))
    result = cheapest_plan(task, seconds)
    assert result.plan is not None
    assert validate(task, list(result.plan)).valid
    assert bool(result.message) == (seconds == 1)
    assert result.expanded


def test_common_actions_are_a_longest_common_subsequence() -> None:
    plan, proposal = actions("(a)\n(b)\n(c)\n(d)"), actions("(b)\n(x)\n(c)\n(a)")
    assert common_actions(plan, proposal) == [(1, 0), (2, 2)]
    assert common_actions((), proposal) == []


@pytest.mark.parametrize(
    "mistake", ["wrong-action", *(pytest.param(m, marks=pytest.mark.heavy) for m in DISTANCES if m != "wrong-action")]
)
def test_repair_solves_whatever_mistake_the_oracle_makes(mistake: str | None) -> None:
    model = f"oracle:{mistake}" if mistake else "oracle"
    task = shipped_task("blocksworld", "p05")
    assert run_spec(RunSpec(task, "basic", model=model)).solved == (mistake is None)
    repaired = run_spec(RunSpec(task, "repair", model=model))
    assert repaired.solved
    [event] = [event for event in repaired.events if isinstance(event, PlanRepaired)]
    assert event.distance == DISTANCES[mistake]


# ── whatever policy of the family, task and mistake: pddlval judges every plan as the run does ────


DOMAINS = ("blocksworld", "ferry", "grippers", "visitall")
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repair", {}),
    ("repair", {"from_prefix": True}),
    ("repair:cot", {}),
    ("guided", {"calls": 3}),
    ("landmarks", {"samples": 2}),
    ("tree", {"calls": 6}),
    ("llm+p", {"rounds": 1}),
)
BY_DEFAULT = {("landmarks", "missing-init"), ("llm+p", "invented-action")}
CASES = [
    pytest.param(
        policy,
        options,
        mistake,
        marks=() if (policy, mistake) in BY_DEFAULT and "from_prefix" not in options else pytest.mark.heavy,
        id=f"{policy}-{'-'.join(options)}-{mistake}",
    )
    for policy, options in RUNS
    for mistake in MISTAKES
]


@pytest.mark.parametrize(("policy", "options", "mistake"), CASES)
def test_every_plan_is_judged_right(policy: str, options: dict[str, Any], mistake: str | None) -> None:
    rng = random.Random(f"{policy} {options} {mistake}")
    task = shipped_task(rng.choice(DOMAINS), f"p{rng.randint(1, 8):02}")
    run = run_spec(RunSpec(task, policy, options, f"oracle:{mistake}" if mistake else "oracle"))
    assert run.outcome != "infrastructure-error"
    assert run.solved == validate(task, [*map(GroundAction.parse, run.plan)]).valid
    for event in run.events:
        if isinstance(event, PlanRepaired | StatesSearched) and event.plan:
            assert validate(task, [*map(GroundAction.parse, event.plan)]).valid
    if policy.startswith("repair"):
        assert run.solved, "the planner finds a plan whatever the proposal is"


# ── plans of other policies ───────────────────────────────────────────────────────────────────────


CHEAP = ("cot", "brainbody-open")
GOOD_PLAN = ("(lift red table)", "(put red shelf)")
MISTAKEN = [
    ("cot", "wrong-action", "blocksworld", "p05"),
    ("brainbody-open", "too-short", "blocksworld", "p05"),
    ("sayplan-open", "missing-access", "building", "example"),
    ("llm", "missing-step", "blocksworld", "p05"),
]


class Mine(Policy):
    """A policy of a user: it executes half a plan, and tries an impossible action."""

    one_shot = True
    needs_model = False

    def run(self, episode: Episode) -> None:
        episode.move(GroundAction.parse("(lift red table)"))
        episode.move(GroundAction.parse("(lift blue table)"))


def repaired(run: RunRecord) -> PlanRepaired:
    [event] = [event for event in run.events if isinstance(event, PlanRepaired)]
    return event


@pytest.mark.parametrize(
    ("policy", "mistake", "domain", "problem"),
    [pytest.param(*case, marks=() if case[0] in CHEAP[:1] else pytest.mark.heavy) for case in MISTAKEN],
)
def test_a_policy_that_fails_by_a_mistake_is_repaired(policy: str, mistake: str, domain: str, problem: str) -> None:
    task = shipped_task(domain, problem)
    assert not run_spec(RunSpec(task, policy, model=f"oracle:{mistake}")).solved
    run = run_spec(RunSpec(task, f"repair:{policy}", model=f"oracle:{mistake}"))
    event = repaired(run)
    assert run.solved
    assert validate(task, [*map(GroundAction.parse, run.plan)]).valid
    assert event.proposal
    assert event.kept
    assert event.distance > 0


def test_the_proposal_of_a_policy_that_moves_is_what_it_tried(play: Play) -> None:
    played = play(f"repair:{__name__}:Mine")
    [event], [judged, _] = played.of("plan-repaired"), played.of("judged")
    assert event.proposal == ("(lift red table)", "(lift blue table)")
    assert (judged.plan, judged.proposed) == (event.proposal[:1], event.proposal)
    assert played.finished.plan == GOOD_PLAN
    assert (event.prefix, event.distance, event.kept) == (1, 2, (0,))


def test_rounds_come_before_the_repair(play: Play) -> None:
    replies = ["[PLAN]\n(smash red)\n[PLAN END]", "[PLAN]\n(put red shelf)\n[PLAN END]"]
    played = play("repair", replies, style="pddl", chosen={"rounds": 1})
    assert [judged.round for judged in played.of("judged")] == [0, 1, 2]
    assert played.of("plan-repaired")[0].proposal == ("(put red shelf)",)
    assert played.finished.plan == GOOD_PLAN


def test_an_endpoint_that_fails_ends_the_run_without_a_repair(play: Play) -> None:
    played = play("repair", [])
    assert (played.finished.outcome, played.of("plan-repaired")) == ("infrastructure-error", [])
    assert len(played.of("finished")) == 1


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("repair:act", "act takes its actions one at a time"),
        ("repair:random", "random takes its actions one at a time"),
        ("repair:repair", "repair works on the plan of another policy itself"),
        ("repair:repair:cot", "repair:cot works on the plan of another policy itself"),
        ("repair:cott", "did you mean 'cot'.*no policy 'cott'"),
    ],
)
def test_other_policies_are_refused(policy: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        make_policy(policy)


def test_a_proposing_policy_takes_its_options(world: World) -> None:
    pytest.importorskip("rdflib", reason="rdflib is absent: pip install 'pddl2nl[macros]'")
    spec = RunSpec(world.task, "repair:hvr", {"replans": 1, "from_prefix": True}, ScriptedModel([]))
    [started, *_] = run_spec(spec).events
    assert isinstance(started, Started)
    assert started.options["from_prefix"] is True
    assert started.options["proposer_options"]["replans"] == 1
    with pytest.raises(InputError, match="policy cot has no option 'replans'"):
        run_spec(replace(spec, policy="repair:cot"))
    with pytest.raises(InputError, match="repair:hvr plans for the world as the task describes it"):
        run_spec(replace(spec, options={"faults": "fail 40%"}))
    with pytest.raises(InputError, match="wrong-action"):
        run_spec(replace(spec, model="oracle:wrong-action"))


@pytest.mark.parametrize(
    ("policy", "example"), [("repair:cot", None), pytest.param("repair:base", None, marks=pytest.mark.heavy)]
)
def test_a_run_replays_from_its_record(policy: str, example: str | None, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    spec = RunSpec(
        shipped_task("blocksworld", "p01"),
        policy,
        {"from_prefix": True},
        ScriptedModel(["[PLAN]\nput down block_1\n[PLAN END]"]),
        example=example,
        record=record,
    )
    assert run_spec(spec).solved
    assert replay_record(record).identical


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"policy": "repair:os:getcwd"}, "'repair:os:getcwd', is not registered"),
        ({"options": {"proposer": "os:getcwd"}}, "as repair:os:getcwd"),
    ],
)
def test_a_record_chooses_no_code(changed: dict[str, object], why: str, world: World, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    model = ScriptedModel(["(put red shelf)"])
    run_spec(RunSpec(world.task, "repair", model=model, style="pddl", example="none", record=record))
    first, *rest = record.read_text().splitlines()
    started = json.loads(first)
    record.write_text("\n".join([json.dumps({**started, "spec": {**started["spec"], **changed}}), *rest, ""]))
    with pytest.raises(RecordError, match=why):
        replay_record(record)


# ── LLM+P ─────────────────────────────────────────────────────────────────────────────────────────


WRITTEN = """(define (problem written) (:domain cups)
  (:objects cup_0 cup_1 - cup place_0 place_1 - place)
  (:init (at cup_0 place_1) (at cup_1 place_1) (free))
  (:goal (and (at cup_0 place_0) (at cup_1 place_1))))"""
TIDY_PLAN = ("(lift red table)", "(put red shelf)")


@pytest.mark.parametrize("reply", [WRITTEN, f"Here it is:\n```pddl\n{WRITTEN}\n```\nThat is all (really)."])
def test_the_problem_is_solved_under_the_true_names(play: Play, reply: str) -> None:
    played = play("llm+p", [reply])
    [written], [solved] = played.of("problem-written"), played.of("problem-solved")
    assert (played.finished.outcome, played.finished.plan) == ("solved", TIDY_PLAN)
    assert (written.equivalent, written.missing, written.invented) == (True, (), ())
    assert (solved.planner, solved.status, solved.plan) == ("lama", "solved", TIDY_PLAN)


def test_a_wrong_problem_has_a_plan_that_misses_the_true_goal(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("(at cup_0 place_0)", "(at cup_0 place_1)")])
    [written] = played.of("problem-written")
    assert played.finished.outcome == "goal-missed"
    assert written.equivalent is False
    assert written.missing == ("goal (at red shelf)",)
    assert written.invented == ("goal (at red table)",)


def test_an_object_that_does_not_exist_fails_on_the_true_task(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("cup_0", "mug")])
    assert played.finished.outcome == "unreadable"
    assert played.of("problem-written")[0].equivalent is True, "it has another name and is the same problem"


def test_without_rounds_a_problem_that_cannot_be_read_ends_the_run(play: Play) -> None:
    played = play("llm+p", ["(define (problem x) (:domain cups) (:init (magic)) (:goal (free)))"])
    assert played.finished.outcome == "gave-up"
    assert "'magic' is not declared" in played.finished.message
    assert played.of("problem-written")[0].equivalent is None


def test_the_readers_diagnostics_go_back_to_the_model(play: Play) -> None:
    played = play("llm+p", ["I refuse.", WRITTEN.replace("(free)", "(fre)"), WRITTEN], chosen={"rounds": 2})
    assert played.finished.outcome == "solved"
    assert [event.round for event in played.of("problem-written")] == [0, 1, 2]
    first, second, third = (LAYOUT.read(request.messages[-1].content) for request in played.requests)
    assert "Feedback" not in first
    assert second["Feedback"] == "the reply has no (define (problem ...) ...)"
    assert "predicate 'fre' is not declared" in third["Feedback"]
    assert "(fre)" in third["Problem"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(:domain cups)", "(:domain crockery)"),
        ("(:objects cup_0", "(:objects cup_0 - cup cup_0"),
        ("(:objects", "(:requirements :fluents :timed-initial-literals) (:objects"),
    ],
)
def test_what_the_reader_accepts_is_written_anew_for_the_planner(play: Play, old: str, new: str) -> None:
    played = play("llm+p", [WRITTEN.replace(old, new)])
    assert (played.finished.outcome, played.finished.plan, played.finished.calls) == ("solved", TIDY_PLAN, 1)
    assert played.of("problem-written")[0].equivalent is True


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(:objects cup_0", "(:objects cup_0 - place cup_0", "object 'cup_0' is declared twice, with different types"),
        ("(:init", "(:init (at 5 (free))", "timed initial literal"),
        ("(:goal", "(:constraints (always (free))) (:goal", "trajectory constraint"),
    ],
)
def test_what_cannot_be_planned_is_told_to_the_model(play: Play, old: str, new: str, reason: str) -> None:
    played = play("llm+p", [WRITTEN.replace(old, new), WRITTEN], chosen={"rounds": 1})
    assert (played.finished.outcome, played.finished.calls) == ("solved", 2)
    assert reason in LAYOUT.read(played.requests[1].messages[-1].content)["Feedback"]


def test_the_example_is_a_problem_under_its_told_names(play: Play) -> None:
    [request] = play("llm+p", [WRITTEN]).requests
    system, question, answer, _ = request.messages
    assert "(:action lift" in system.content
    assert "cup_0 is on place_0" in question.content
    assert "(at cup_0 place_0)" in answer.content


def test_an_unsolvable_problem_has_no_plan(play: Play) -> None:
    played = play("llm+p", [WRITTEN.replace("(free))", ")", 1)])
    assert (played.finished.outcome, played.finished.fault.status) == ("gave-up", "dead-end")
    assert played.of("problem-solved")[0].status == "unsolvable"


def test_a_problem_ends_with_its_own_parenthesis() -> None:
    assert problem_in("a (b) (define (x) ; (\n) c)") == "(define (x) ; (\n)"
    assert problem_in("(DEFINE (x)") == "(DEFINE (x)"
    assert problem_in("no problem") == ""


@pytest.mark.parametrize(
    "mistake",
    [
        MISTAKES[0],
        "swapped-objects",
        *(pytest.param(m, marks=pytest.mark.heavy) for m in (None, *MISTAKES[1:]) if m != "swapped-objects"),
    ],
)
def test_the_problem_with_each_mistake(mistake: str | None) -> None:
    task = shipped_task("blocksworld", "p05")
    run = run_spec(RunSpec(task, "llm+p", {"rounds": 1}, f"oracle:{mistake}" if mistake else "oracle"))
    *_, written = [event for event in run.events if isinstance(event, ProblemWritten)]
    # What cannot be read is corrected; a fact that is wrong or missing is not noticed.
    unnoticed = mistake in ("swapped-objects", "missing-init")
    assert (run.solved, written.equivalent) == (not unnoticed, not unnoticed)
    assert written.round == (1 if mistake == "invented-action" else 0)
    assert bool(written.missing) == unnoticed
