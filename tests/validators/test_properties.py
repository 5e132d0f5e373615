"""The simulator against the definition, on random tasks: what is applicable succeeds, and everything else fails."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    GroundAtom,
    Not,
    Task,
    When,
    parse_task,
    write_condition,
    write_domain,
    write_problem,
)
from pddlval import Cause, GroundAction, Plan, PlanStep, Report, Simulator, State, val_text, validate
from pddlval.formulas import subformulas
from pddlval.happenings import Happening, claim, happenings
from pddlval.numeric import UndefinedError
from pddlval.schemas import Ground
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


# ── VAL's verbose text, and actions at the same time ──────────────────────────────────────────────


ENDS = {
    "valid": ("Plan executed successfully - checking goal\nPlan valid\nFinal value: ", "\nSuccessful plans:"),
    "goal-not-satisfied": ("Goal not satisfied\nPlan invalid\n", "\n\nFailed plans:\n p \n"),
    "inapplicable": ("\nPlan failed to execute\n", "\n\nFailed plans:\n p \n"),
}
_UNDEFINED = "Error occurred in validation attempt:\n  Attempt to access undefined numeric expression!\n"


def _all_actions(simulator: Simulator) -> list[GroundAction]:
    """Every action whose arguments are of the right types."""
    found = []
    for schema in simulator.task.domain.actions:
        rows: list[tuple[str, ...]] = [()]
        for parameter in schema.parameters:
            rows = [(*row, name) for row in rows for name in simulator.task.objects_of(parameter.types)]
        found += [GroundAction(schema.name, row) for row in rows]
    return found


def _random_plan(simulator: Simulator, dice: random.Random, together: bool) -> Plan:
    """A plan that mostly can be executed; with several actions at a time, if asked for."""
    actions = _all_actions(simulator)
    steps: list[PlanStep] = []
    state = simulator.initial
    for time in range(dice.randint(0, 4)):
        applicable = [action for action in actions if simulator.is_applicable(state, action)]
        if not actions:
            break
        pool = applicable if applicable and dice.random() < 0.9 else actions
        chosen = dice.sample(pool, min(len(pool), dice.randint(1, 3) if together else 1))
        steps += [PlanStep(action, Fraction(time) if together else None) for action in chosen]
        for action in chosen:
            state = simulator.step(state, action).successor or state
    return Plan(tuple(steps))


def _names(text: str) -> GroundAtom:
    return GroundAtom(text.strip("()").split())


def _replayed(text: str, state: State) -> tuple[frozenset[GroundAtom], dict[GroundAtom, float]]:
    """The atoms and the numbers at the end of a verbose text, told by its own lines."""
    atoms = set(state.atoms)
    levels = {fluent: float(value) for fluent, value in state.values.items()}
    for line in text.splitlines():
        if line.startswith("Deleting "):
            atoms.discard(_names(line.removeprefix("Deleting ")))
        elif line.startswith("Adding "):
            atoms.add(_names(line.removeprefix("Adding ")))
        elif found := re.fullmatch(r"Updating (\(.*?\)) \((.*?)\) by (\S+) (.*)", line):
            fluent, amount = _names(found[1]), float(found[3])
            before = levels.get(fluent, 0.0)
            assert abs(before - float(found[2])) <= 1e-6 * max(1, abs(before))
            after = {"assignment": amount, "increase": before + amount, "decrease": before - amount}
            levels[fluent] = after[found[4]] if found[4] in after else _scaled(before, amount, found[4])
    return frozenset(atoms), levels


def _scaled(before: float, amount: float, operator: str) -> float:
    return before * amount if operator == "scale up" else before / amount


def _numbers(happening: Happening) -> list[int]:
    return [event.step for event in happening.events]


def _end_state(simulator: Simulator, plan: Plan, report: Report) -> State:
    """The state after the happenings that were executed."""
    state = simulator.initial
    for happening in happenings(plan):
        if report.failed_step in _numbers(happening):
            break
        outcomes = [simulator.ground(plan.actions[number - 1]).outcome(state) for number in _numbers(happening)]
        state = simulator.apply(state, outcomes)
    return state


@settings(max_examples=40)
@given(random_tasks.cases(), st.booleans())
def test_the_verbose_text_tells_what_happens(case: tuple[Task, random.Random], together: bool) -> None:
    task, dice = case
    simulator = Simulator(task)
    plan = _random_plan(simulator, dice, together)
    report = validate(task, plan)
    verbose, plain = (val_text(task, plan, report, "p", one) for one in (True, False))
    if _UNDEFINED in plain:
        assert _UNDEFINED in verbose
        return
    middle, end = ENDS[report.verdict]
    assert middle in plain
    assert end in plain
    if _UNDEFINED in verbose:
        # Only the advice reads the value that is undefined.
        assert not report.valid
        assert "Plan Repair Advice:" not in verbose
    else:
        assert middle in verbose
        assert verbose.endswith(plain[plain.index(end) :])
        rest = re.sub(r"\nPlan Repair Advice:\n(.|\n)*?(?=\n\nFailed plans)", "", verbose)
        assert rest.endswith(plain[plain.index(middle.splitlines()[-1]) :])
    assert verbose.count("Checking next happening") == (
        len(happenings(plan))
        if report.failed_step is None
        else next(n for n, one in enumerate(happenings(plan), 1) if report.failed_step in _numbers(one))
    )
    state = _end_state(simulator, plan, report)
    atoms, levels = _replayed(verbose, simulator.initial)
    assert atoms == state.atoms
    assert {fluent for fluent, value in levels.items()} == set(state.values)
    for fluent, value in state.values.items():
        assert abs(levels[fluent] - float(value)) <= 1e-6 * max(1, abs(float(value)))


@settings(max_examples=40)
@given(random_tasks.cases())
def test_actions_without_a_conflict_may_happen_in_any_order(case: tuple[Task, random.Random]) -> None:
    """The purpose of mutual exclusion (Fox and Long 2003).

    VAL overlooks conditions of effects that do not hold, and only warns of an atom that is added and deleted: of such
    an atom the last word counts, and of nothing else. Of two actions that sum up a fluent, VAL lets the one that reads
    it pass where the plan lists it first, and not where it comes second (`test_ownership` has the pair): there the
    fluents that it changes may differ, and nothing else.
    """
    task, dice = case
    simulator = Simulator(task)
    state = simulator.initial
    plain = {
        action.name
        for action in task.domain.actions
        if not any(isinstance(part, When) for part in subformulas(action.effect))
    }
    applicable = [
        action for action in _all_actions(simulator) if action.name in plain and simulator.is_applicable(state, action)
    ]
    for _ in range(10):
        if len(applicable) < 2:
            return
        grounds = [simulator.ground(action) for action in dice.sample(applicable, 2)]
        outcomes = [ground.outcome(state) for ground in grounds]
        claims = claim(grounds, state)
        if claims.conflict is not None:
            continue
        spared = {told.partition(_BOTH)[2] for told in claims.warnings}
        collided = claim(grounds[::-1], state).conflict
        if collided is not None and collided.claim == "needs" and collided.atom in state.values:
            spared |= {str(update.fluent) for update in outcomes[1 - collided.place].updates}
        together = _but_for(spared, simulator.apply(state, outcomes))
        assert _but_for(spared, _in_turn(simulator, state, grounds)) == together
        assert _but_for(spared, _in_turn(simulator, state, grounds[::-1])) == together


_BOTH = "adds and deletes the literal "


def _but_for(spared: set[str], state: State) -> tuple[set[GroundAtom], dict[GroundAtom, object]]:
    """A state without some of its atoms and fluents."""
    atoms = {atom for atom in state.atoms if str(atom) not in spared}
    return atoms, {fluent: value for fluent, value in state.values.items() if str(fluent) not in spared}


def _in_turn(simulator: Simulator, state: State, grounds: list[Ground]) -> State:
    for ground in grounds:
        after = simulator.step(state, ground.action).successor
        assert after is not None
        state = after
    return state
