"""Repair: the nearest valid plan to a proposal, what it costs, and what is recorded of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

import pytest

from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.macros.planning import with_unit_costs
from pddl2nl.pddl import parse_task
from pddl2nl.policies.hybrids.compiling import compile_proposal
from pddl2nl.policies.hybrids.events import PlanRepaired
from pddl2nl.policies.hybrids.mistakes import MISTAKES
from pddl2nl.policies.hybrids.planning import best_plan
from pddl2nl.policies.hybrids.repair import common_actions, executable_prefix, repair_plan
from pddl2nl.tasks import shipped_task
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


def one_wrong(rng: random.Random, walk: list[GroundAction]) -> list[GroundAction]:
    return [*walk[:-1], *actions("(lift red nowhere)")]


def shuffled(rng: random.Random, walk: list[GroundAction]) -> list[GroundAction]:
    return rng.sample(walk, len(walk))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spoil", [one_wrong, shuffled])
def test_the_distance_is_the_least_there_is(
    world: World, seed: int, spoil: Callable[[random.Random, list[GroundAction]], list[GroundAction]]
) -> None:
    simulator, rng = Simulator(world.task), random.Random(seed)
    state, walk = simulator.initial, list[GroundAction]()
    while len(walk) < 6 and (action := simulator.sample(state, rng)) is not None:
        walk.append(action)
        state = simulator.step(state, action).successor or state
    proposal = spoil(rng, walk)
    plan = repair_plan(simulator, proposal).plan
    assert plan is not None
    assert validate(world.task, list(plan)).valid
    distance = len(plan) + len(proposal) - 2 * len(common_actions(plan, proposal))
    assert distance == least_distance(simulator, proposal)


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


@pytest.mark.parametrize("hopeless", ["(lift red nowhere)", "(fly red shelf)\n(put red blue)", "(lift table red)"])
def test_a_hopeless_proposal_costs_no_more_than_planning_alone(world: World, hopeless: str) -> None:
    simulator = Simulator(world.task)
    repaired = repair_plan(simulator, actions(hopeless))
    alone = best_plan(with_unit_costs(world.task), ("lmcut",)).result
    assert repaired.plan == alone.plan
    assert repaired.planners.expanded == alone.expanded
    assert compile_proposal(simulator, actions(hopeless)).task == with_unit_costs(world.task)


@pytest.mark.parametrize("reply", ["I do not know.", "", "[NO PLAN]", "[PLAN]\nsing a song\n[PLAN END]"])
def test_without_a_proposal_the_planner_plans_alone(play: Play, reply: str) -> None:
    played = play("repair", [reply])
    [event] = played.of("plan-repaired")
    assert played.finished.outcome == "solved"
    assert event.kept == ()
    assert event.proposal == ()


def test_the_prefix_is_kept_where_that_is_asked_for(play: Play, world: World) -> None:
    started = "(lift blue table)\n(put blue shelf)"
    setting = replace(world.setting("pddl"), from_prefix=True)
    played = play("repair", replied(f"{started}\n(lift blue table)\n{GOOD}"), setting=setting)
    [event] = played.of("plan-repaired")
    assert played.finished.outcome == "solved"
    assert played.finished.plan[:2] == tuple(started.splitlines())
    assert event.prefix == 2
    assert event.planner == "lama"


def test_where_the_prefix_ends_in_a_dead_end_the_proposal_is_judged(play: Play, world: World) -> None:
    setting = replace(world.setting("pddl"), from_prefix=True)
    played = play("repair", replied(f"(lift red table)\n(smash red)\n{GOOD}"), setting=setting)
    assert played.finished.outcome == "inapplicable"
    assert played.of("plan-repaired")[0].status == "unsolvable"


def test_conditional_effects_are_for_the_planner_that_takes_them() -> None:
    domain = """(define (domain lamps) (:requirements :strips :conditional-effects)
      (:predicates (on) (power))
      (:action plug :parameters () :precondition (and) :effect (power))
      (:action press :parameters () :precondition (and) :effect (when (power) (on))))"""
    task = parse_task(domain, "(define (problem p) (:domain lamps) (:init) (:goal (on)))")
    repaired = repair_plan(Simulator(task), actions("(press)"))
    assert repaired.planners.result.planner == "lama"
    assert repaired.plan is not None
    assert validate(task, list(repaired.plan)).valid


def test_common_actions_are_a_longest_common_subsequence() -> None:
    plan, proposal = actions("(a)\n(b)\n(c)\n(d)"), actions("(b)\n(x)\n(c)\n(a)")
    assert common_actions(plan, proposal) == [(1, 0), (2, 2)]
    assert common_actions((), proposal) == []


def test_the_prefix_ends_at_the_first_action_that_fails(world: World) -> None:
    simulator = Simulator(world.task)
    assert executable_prefix(simulator, actions(f"{GOOD}\n(smash red)\n(put red shelf)"))[0] == 2
    assert executable_prefix(simulator, actions("(nothing)"))[0] == 0
    assert executable_prefix(simulator, actions(GOOD))[0] == 2


@pytest.mark.parametrize("mistake", [None, *MISTAKES])
def test_repair_solves_whatever_mistake_the_oracle_makes(mistake: str | None) -> None:
    model = f"oracle:{mistake}" if mistake else "oracle"
    task = shipped_task("blocksworld", "p05")
    assert run_spec(RunSpec(task, "basic", model)).solved == (mistake is None)
    repaired = run_spec(RunSpec(task, "repair", model))
    assert repaired.solved
    [event] = [event for event in repaired.events if isinstance(event, PlanRepaired)]
    assert event.distance == DISTANCES[mistake]
