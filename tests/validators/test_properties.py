"""The simulator against the definition, on random tasks: what is applicable succeeds, and everything else fails."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings

from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    GroundAtom,
    Not,
    Task,
    parse_task,
    write_condition,
    write_domain,
    write_problem,
)
from pddlval import Cause, GroundAction, Simulator, State, validate
from pddlval.numeric import UndefinedError
from tests.validators import random_tasks, reference

STEPS = 3
"""How far random walks go where all actions are tried in every state."""

PLAN = 8
"""How long random plans are."""


class Model:
    """What the definition says about a task, and where it leaves a choice.

    It leaves one where a comparison reads a fluent without a value: the order in which the parts of a condition are
    read decides whether that comparison is ever reached.
    """

    def __init__(self, task: Task, slack: Fraction = Fraction(0)):
        self.task = task
        self.in_order = reference.Reference(task, "in order", slack)
        self._all = reference.Reference(task, "all", slack)
        self._lucky = reference.Reference(task, "lucky", slack)

    @property
    def initial(self) -> Any:
        return self.in_order.initial

    def actions(self) -> list[GroundAction]:
        return [GroundAction(name, tuple(args)) for name, *args in self.in_order.actions()]

    def outcomes(self, world: Any, action: GroundAction) -> tuple[Any, ...]:
        """The successor states that are right; None stands for a failure."""
        return self._choice(lambda model: model.attempt(world, (action.name, *action.args)), None)

    def goal_values(self, world: Any) -> tuple[bool, ...]:
        """Whether the goal holds."""
        found: tuple[bool, ...] = self._choice(lambda model: model.holds(self.task.problem.goal, world, {}), False)
        return found

    def _choice(self, ask: Callable[[Any], Any], failure: Any) -> tuple[Any, ...]:
        try:
            return (ask(self._all),)
        except reference.MeaninglessError:
            pass
        try:
            return (ask(self._lucky), failure)
        except reference.MeaninglessError:
            return (failure,)


def _assert_same_state(state: State, world: Any) -> None:
    assert state.atoms == world.atoms
    assert dict(state.values) == dict(world.values)
    assert list(state) == sorted(world.atoms)
    assert len(state) == len(world.atoms)
    assert all(atom in state for atom in world.atoms)
    assert all(state.value(GroundAtom(fluent)) == value for fluent, value in world.values.items())


def _assert_right_step(simulator: Simulator, state: State, model: Model, world: Any, action: GroundAction) -> None:
    """That an action does to a state what the definition says, or fails for reasons that are true."""
    outcomes = model.outcomes(world, action)
    result = simulator.step(state, action)
    assert result.action == action
    assert simulator.is_applicable(state, action) == result.applicable, action
    if result.successor is None:
        assert None in outcomes, action
        assert result.unmet or result.conflict, action
        for condition in result.unmet:
            assert model.in_order.fails(condition, world), (str(action), write_condition(condition))
        return
    assert (result.unmet, result.conflict) == ((), None)
    (after,) = (outcome for outcome in outcomes if outcome is not None)
    _assert_same_state(result.successor, after)
    assert len(set(result.added)) == len(result.added)
    assert len(set(result.deleted)) == len(result.deleted)
    assert frozenset(result.added) == after.atoms - world.atoms
    assert frozenset(result.deleted) == world.atoms - after.atoms


def _assert_right_goal(simulator: Simulator, state: State, model: Model, world: Any) -> None:
    reached = simulator.is_goal(state)
    assert reached in model.goal_values(world)
    unmet = simulator.unmet_goals(state)
    assert bool(unmet) != reached
    assert all(model.in_order.fails(condition, world) for condition in unmet)


def _walk(
    simulator: Simulator, model: Model, rng: random.Random, steps: int = STEPS
) -> Iterator[tuple[State, Any, GroundAction | None]]:
    """States of a random walk, with the model's, and the action that follows; None where none is applicable."""
    state, world = simulator.initial, model.initial
    for _ in range(steps):
        chosen = simulator.sample(state, rng)
        yield state, world, chosen
        if chosen is None:
            return
        successor = simulator.step(state, chosen).successor
        assert successor is not None
        state, world = successor, model.outcomes(world, chosen)[0]


def _assert_right_walk(simulator: Simulator, model: Model, rng: random.Random) -> None:
    everything = model.actions()
    for state, world, chosen in _walk(simulator, model, rng):
        _assert_same_state(state, world)
        assert state.derived == world.derived
        assert all(atom in state for atom in world.derived)
        for action in everything:
            _assert_right_step(simulator, state, model, world, action)
        found = list(simulator.applicable(state))
        assert len(found) == len(set(found))
        assert set(found) == {action for action in everything if simulator.is_applicable(state, action)}
        assert (chosen in found) if found else (chosen is None)
        _assert_right_goal(simulator, state, model, world)


@settings(max_examples=32)
@given(random_tasks.cases())
def test_applicable_actions_and_successors_are_those_of_the_definition(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    _assert_right_walk(Simulator(task), Model(task), rng)


@settings(max_examples=25)
@given(random_tasks.cases(numeric=True))
def test_with_vals_tolerance_comparisons_may_miss_a_little(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    slack = Fraction(1, 10_000)
    _assert_right_walk(Simulator(task, tolerance=slack), Model(task, slack), rng)


@settings(max_examples=25)
@given(random_tasks.cases())
def test_a_written_and_read_task_behaves_the_same(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    again = parse_task(write_domain(task.domain), write_problem(task.problem))
    assert (again.domain, again.problem) == (task.domain, task.problem)
    simulator, copy = Simulator(task), Simulator(again)
    model = Model(task)
    for state, _, _ in _walk(simulator, model, rng):
        same = copy.state(sorted(state.atoms, reverse=True), state.values)
        assert same == copy.state(state.atoms, state.values)
        assert hash(same) == hash(copy.state(state.atoms, state.values))
        found = list(simulator.applicable(state))
        assert found == list(copy.applicable(same)), "the order depends on nothing but task and state"
        assert simulator.is_goal(state) == copy.is_goal(same)
        assert simulator.cost(state) == copy.cost(same)


def _cause(model: Model, condition: Condition, worlds: list[Any], *, goals: bool) -> Cause:
    """Why a condition fails in the last of the states that a plan went through."""
    held = [not model.in_order.fails(condition, world) for world in worlds]
    lost = [step for step in range(1, len(worlds)) if held[step - 1] and not held[step]]
    first, last = (lost[0], lost[-1]) if lost else (None, None)
    return Cause(condition, last, never_held=not any(held), lost_after_step=first if goals else None)


def _executed(task: Task, rng: random.Random) -> tuple[Model, list[GroundAction], list[Any]]:
    """A random plan and the states that it goes through, the last one included."""
    simulator, model = Simulator(task), Model(task)
    walk = list(_walk(simulator, model, rng, PLAN))
    plan = [chosen for _, _, chosen in walk if chosen is not None]
    worlds = [world for _, world, _ in walk]
    if len(plan) == len(worlds):
        worlds.append(model.outcomes(worlds[-1], plan[-1])[0])
    return model, plan, worlds


@settings(max_examples=28)
@given(random_tasks.cases())
def test_plans_get_the_verdict_of_the_definition(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    model, plan, worlds = _executed(task, rng)
    report = validate(task, "\n".join(map(str, plan)))
    assert (report.verdict == "valid") in model.goal_values(worlds[-1])
    assert report.verdict in ("valid", "goal-not-satisfied")
    assert (report.failed_step, report.steps) == (None, len(plan))
    assert bool(report.unmet_goals) != report.valid
    assert all(model.in_order.fails(condition, worlds[-1]) for condition in report.unmet_goals)
    assert list(report.explanation) == [_cause(model, one, worlds, goals=True) for one in report.unmet_goals]
    metric = task.problem.metric
    cost = len(plan) if metric is None else model.in_order.number(metric.expression, worlds[-1], {}, len(plan))
    assert report.cost == cost


@settings(max_examples=28)
@given(random_tasks.cases())
def test_a_step_that_fails_ends_the_plan(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    model, plan, worlds = _executed(task, rng)
    place = rng.randrange(len(worlds))
    failing = [action for action in model.actions() if model.outcomes(worlds[place], action) == (None,)]
    assume(failing)
    plan.insert(place, rng.choice(failing))
    report = validate(task, plan)
    assert (report.verdict, report.failed_step, report.action) == ("inapplicable", place + 1, plan[place])
    assert report.cost is None
    simulator = Simulator(task)
    state = simulator.state(map(GroundAtom, worlds[place].atoms), worlds[place].values)
    assert report.unmet == simulator.step(state, plan[place]).unmet
    expected = [_cause(model, one, worlds[: place + 1], goals=False) for one in report.unmet]
    assert list(report.explanation) == expected


@settings(max_examples=28)
@given(random_tasks.cases())
def test_every_lost_atom_is_explained(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    model, plan, worlds = _executed(task, rng)
    assume(plan)
    # What was ever true or false as goals: whatever fails in the end was lost, or never held.
    seen = sorted(frozenset().union(*(world.atoms | world.derived for world in worlds)))
    atoms = [Atom(name, tuple(args)) for name, *args in seen]
    goal = And(tuple(rng.choice((atom, Not(atom))) for atom in atoms))
    report = validate(Task(task.domain, replace(task.problem, goal=goal)), plan)
    unmet = [part for part in goal.parts if model.in_order.fails(part, worlds[-1])]
    assert list(report.unmet_goals) == unmet
    assert list(report.explanation) == [_cause(model, one, worlds, goals=True) for one in unmet]


# ── derived predicates ────────────────────────────────────────────────────────────────────────────


@settings(max_examples=32)
@given(random_tasks.cases())
def test_each_derived_atom_is_true_where_the_definition_says(case: tuple[Task, random.Random]) -> None:
    """Atoms are asked for one by one in a random order, which derives less at a time than whole predicates do."""
    task, rng = case
    assume(task.domain.derived)
    simulator, model = Simulator(task), reference.Reference(task)
    arities = {rule.name: len(rule.parameters) for rule in task.domain.derived}
    everything = [
        GroundAtom((name, *args))
        for name, arity in arities.items()
        for args in itertools.product(task.objects, repeat=arity)
    ]
    rng.shuffle(everything)
    state = simulator.initial
    for _ in range(3):
        atoms = frozenset(map(tuple, state.atoms))
        world = reference.World(atoms, {tuple(one): value for one, value in state.values.items()}, model.initial.follow)
        for atom in everything:
            assert state.true(atom) is (atom in world.derived), atom
        assert simulator.state(state.atoms, state.values).derived == world.derived
        action = simulator.sample(state, rng)
        state = state if action is None else simulator.step(state, action).successor or state


def test_an_undefined_fluent_in_a_rule() -> None:
    text = """(define (domain d) (:requirements :derived-predicates :numeric-fluents :typing)
      (:predicates (rich ?x - object) (poor ?x - object)) (:functions (money ?x - object))
      (:derived (rich ?x - object) (> (money ?x) 3)) (:derived (poor ?x - object) (not (rich ?x))))"""
    task = parse_task(text, "(define (problem x) (:domain d) (:objects a b) (:init (= (money a) 4)) (:goal (and)))")
    state = Simulator(task).initial
    assert state.true(GroundAtom(("rich", "a")))
    assert not state.true(GroundAtom(("poor", "a")))
    with pytest.raises(UndefinedError):
        state.true(GroundAtom(("poor", "b")))
    with pytest.raises(UndefinedError):
        _ = state.derived


@pytest.mark.parametrize(("layers", "depth"), [(8, 90), (30, 40), (400, 1)])
def test_high_and_deep_rules_do_not_overflow_the_stack(layers: int, depth: int) -> None:
    rules = "(:derived (d0 ?x) (p ?x)) (:derived (z0 ?x) (p ?x))"
    for number in range(1, layers):
        # Beside the chain of `d` stands one of `z`, which it rests on in some places: so it skips some heights.
        below = f"(d{number - 1} ?x)" if number % 3 else f"(and (d{number - 1} ?x) (z{number - 1} ?x))"
        rules += f"(:derived (z{number} ?x) (z{number - 1} ?x))"
        rules += f"(:derived (d{number} ?x) {'(and (p ?x) (or (q) ' * depth}{below}{'))' * depth})"
    names = " ".join(f"(d{number} ?x) (z{number} ?x)" for number in range(layers))
    task = parse_task(
        f"(define (domain d) (:requirements :adl :derived-predicates) (:predicates (p ?x) (q) {names}) {rules}"
        f" (:action a :parameters (?x) :precondition (d{layers - 1} ?x) :effect (q)))",
        "(define (problem x) (:domain d) (:objects a b) (:init (p a)) (:goal (q)))",
    )
    simulator = Simulator(task)
    assert [str(action) for action in simulator.applicable(simulator.initial)] == ["(a a)"]
    assert not simulator.is_applicable(simulator.initial, "(a b)")


@pytest.mark.parametrize(
    "action",
    [
        "() :effect (when (rich) (q))",
        "() :effect (when (and (rich) (never)) (q))",
        "() :effect (forall (?x) (when (not (rich)) (q)))",
        "() :precondition (or (rich) (known)) :effect (q)",
        "() :precondition (and (rich) (never)) :effect (q)",
        "() :precondition (exists (?x ?y) (and (rich) (not (= ?x ?y)))) :effect (q)",
    ],
)
def test_a_rule_without_a_value_makes_an_action_inapplicable(action: str) -> None:
    task = parse_task(
        "(define (domain d) (:requirements :adl :fluents :derived-predicates) (:predicates (q) (known) (never) (rich))"
        f" (:functions (money)) (:derived (rich) (> (money) 1)) (:action a :parameters {action})"
        " (:action lose :parameters () :effect (not (never))))",
        "(define (problem x) (:domain d) (:objects o p) (:init (known)) (:goal (q)))",
    )
    simulator = Simulator(task)
    # Again and again: what is taken apart at the second time must not read less than it did at the first.
    for _ in range(4):
        result = simulator.step(simulator.initial, "(a)")
        assert not result.applicable
        assert next(write_condition(part) for part in result.unmet) == "(= (money) (money))"
        assert [str(one) for one in simulator.applicable(simulator.initial)] == ["(lose)"]
    assert validate(task, "(a)").verdict == "inapplicable"
