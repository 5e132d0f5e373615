"""Decisions about states: they agree with looking at every reachable state of a small task, one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from pddl2nl.baselines import solve
from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddl2nl.questions.deciding import Decider, all_actions, all_atoms, condition_of, removals, without
from pddl2nl.search.grounding import GroundActions
from pddl2nl.search.mutexes import Mutexes
from pddlval import GroundAction, Simulator
from tests.macros.small_tasks import ATOMS, small_task
from tests.questions.asked import FERRY, PROBLEM
from tests.walks import reachable


def small_tasks(count: int) -> Iterator[Task]:
    """Random tasks: quantifiers, disjunctions, conditional effects, derived predicates, initial state and goal."""
    for seed in range(count):
        rng = random.Random(seed)
        task = small_task(rng, numbers=False)
        # The action "all" makes everything true.
        domain = replace(task.domain, actions=task.domain.actions[:3])
        init = (GroundAtom(("s", "a")), *(atom for atom in ATOMS if rng.random() < 0.3))
        goal = condition_of(rng.sample(ATOMS, 2))
        yield Task(domain, replace(task.problem, init=init, goal=goal))


def test_what_is_refuted_holds_in_no_reachable_state() -> None:
    refuted = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        states, mutexes = reachable(simulator), Mutexes(GroundActions(simulator), simulator.initial)
        for atoms in (*combinations(all_atoms(task), 1), *combinations(all_atoms(task), 2)):
            if mutexes.refutation(condition_of(atoms)) is not None:
                refuted += 1
                assert not any(all(map(state.true, atoms)) for state in states), (task, atoms)
    assert refuted > 30


def test_decisions_on_facts_and_actions_agree_with_all_reachable_states() -> None:
    decided = {True: 0, False: 0}
    for task in small_tasks(30):
        simulator = Simulator(task)
        states, decider = reachable(simulator), Decider(GroundActions(simulator), seconds=0)
        for atoms in (*combinations(all_atoms(task), 1), *combinations(all_atoms(task), 2)):
            decision = decider.reach(condition_of(atoms))
            if decision is not None:
                decided[decision.answer] += 1
                assert decision.answer is any(all(map(state.true, atoms)) for state in states), (task, atoms)
        for action in all_actions(task):
            decision = decider.action(action)
            if decision is not None:
                assert decision.answer is any(simulator.is_applicable(state, action) for state in states)
    assert min(decided.values()) > 30


def test_a_landmark_is_on_every_way_to_the_goal() -> None:
    found = 0
    for task in small_tasks(30):
        simulator = Simulator(task)
        if not any(map(simulator.is_goal, reachable(simulator))):
            continue
        decider = Decider(GroundActions(simulator), seconds=0)
        for atom in all_atoms(task):
            decision = decider.landmark(atom)
            if decision is not None and decision.answer:
                avoiding = reachable(simulator, lambda state, atom=atom: not state.true(atom))
                found += not simulator.initial.true(atom)
                assert not any(map(simulator.is_goal, avoiding)), (task, atom)
    assert found > 1


def test_a_negative_need_counts() -> None:
    # (lit) never ends, and only an action that needs it to be false adds (dark).
    task = parse_task(
        "(define (domain d) (:predicates (lit) (dark)) (:requirements :negative-preconditions)"
        "(:action close :parameters () :precondition (not (lit)) :effect (dark)))",
        "(define (problem p) (:domain d) (:init (lit)) (:goal (dark)))",
    )
    simulator = Simulator(task)
    dark = condition_of([GroundAtom(("dark",))])
    assert Mutexes(GroundActions(simulator), simulator.initial).refutation(dark) == ("(dark)",)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_a_planner_agrees_that_there_is_no_plan_without_a_landmark() -> None:
    task = parse_task(FERRY, PROBLEM)
    assert solve(without(task, GroundAtom(("on", "c"))), "brfs").status == "unsolvable"
    assert solve(without(task, GroundAtom(("on", "d"))), "brfs").status == "solved"


def test_the_next_action_of_a_ferry() -> None:
    decider = Decider(GroundActions(Simulator(parse_task(FERRY, PROBLEM))))
    # Optimal: sail l k, board c k, sail k l, debark c l.
    assert decider.optimal == 4
    forward = decider.next_action(GroundAction("sail", ("l", "k")))
    waiting = decider.next_action(GroundAction("sail", ("l", "l")))
    assert forward is not None
    assert waiting is not None
    assert (forward.answer, forward.certificate) == (True, {"before": 4.0, "after": 4.0})
    assert (waiting.answer, waiting.certificate) == (False, {"before": 4.0, "after": 5.0})


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_costs_decide_the_next_action_where_there_is_a_metric() -> None:
    costly = FERRY.replace("(:predicates", "(:functions (total-cost)) (:predicates").replace(":strips", ":action-costs")
    costly = costly.replace("(ferry ?t) (not", "(ferry ?t) (increase (total-cost) 5) (not")
    costly = costly.replace("(on ?c) (not (at", "(on ?c) (increase (total-cost) 1) (not (at")
    costly = costly.replace("(empty) (not (on", "(empty) (increase (total-cost) 1) (not (on")
    problem = PROBLEM.replace("(:init", "(:init (= (total-cost) 3)")
    problem = problem.replace("(:goal", "(:metric minimize (total-cost)) (:goal")
    decider = Decider(GroundActions(Simulator(parse_task(costly, problem))))
    # 3 were spent before; 5 + 1 + 5 + 1 remain.
    assert decider.optimal == 15
    answers = [decider.next_action(GroundAction("sail", ("l", place))) for place in ("k", "l")]
    assert [decision is not None and decision.answer for decision in answers] == [True, False]


def test_what_can_be_left_out_of_a_plan() -> None:
    simulator = Simulator(parse_task(FERRY, PROBLEM))
    texts = ("sail l k", "board d k", "debark d k", "board c k", "sail k l", "debark c l", "sail l k")
    plan = [GroundAction.parse(text) for text in texts]
    assert [*removals(simulator, simulator.initial, plan)] == [(6, 1), (1, 2)]


def test_too_many_actions_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.search.grounding.MOST_ACTIONS", 3)
    simulator = Simulator(parse_task(FERRY, PROBLEM))
    mutexes = Mutexes(GroundActions(simulator), simulator.initial)
    assert mutexes.refutation(condition_of([GroundAtom(("at", "c", "k")), GroundAtom(("at", "c", "l"))])) is None
