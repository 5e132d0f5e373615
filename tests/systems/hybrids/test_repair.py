"""Repair: the nearest valid plan to a proposal, what it costs, and what is recorded of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import pytest

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.baselines.planner import cheapest_plan
from pddl2nl.experiments.runs import run_spec
from pddl2nl.pddl import parse_task
from pddl2nl.policies.spec import RunSpec
from pddl2nl.search import nearest_plan
from pddl2nl.search.nearest_plan import common_actions, distance, repair_plan
from pddl2nl.systems.hybrids.events import PlanRepaired, StatesSearched
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
    monkeypatch.setattr(nearest_plan, "LEAST_SECONDS", 2)
    monkeypatch.setattr(nearest_plan, "OPTIMAL_SECONDS", 2)
    task = shipped_task("blocksworld", "s10")
    plan = solve(task, "ff").plan
    assert plan is not None
    # All of it is possible, and LM-cut needs minutes to find what of it is worth keeping.
    proposal = random.Random(1).sample(plan, len(plan))
    repaired = repair_plan(Simulator(task), proposal)
    assert repaired.alone is not None
    assert repaired.plan is not None
    own = repaired.alone.plan
    assert validate(task, list(repaired.plan)).valid
    assert own is None or distance(repaired.plan, proposal) <= distance(own, proposal)
    searched = repaired.result.seconds
    # The driver gives each search up to a second more for its start.
    assert searched <= max(2, repaired.alone.seconds + 1) + 2


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
