"""Derived predicates against the least fixpoint over all ground instances of the rules."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import assume, given, settings

from pddl2nl.pddl import GroundAtom, Task, parse_task, write_condition
from pddlval import Simulator, validate
from pddlval.numeric import UndefinedError
from tests.validators import random_tasks, reference


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
