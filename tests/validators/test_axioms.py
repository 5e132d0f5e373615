"""Derived predicates against the least fixpoint over all ground instances of the rules."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    DerivedPredicate,
    Exists,
    GroundAtom,
    Task,
    TypedName,
    parse_task,
    stratify,
    write_condition,
)
from pddlval import Simulator, State, validate
from pddlval.numeric import UndefinedError
from pddlval.semantics import holds
from tests.validators import formulas

DERIVED = {"d0": 1, "d1": 2, "d2": 2, "d3": 0}
EVERYTHING = {**formulas.STATIC, **formulas.CHANGING}


def rows(predicate: str, state: State) -> list[tuple[str, ...]]:
    """The arguments of the true atoms of a derived predicate, sorted."""
    return sorted(atom[1:] for atom in state.derived if atom[0] == predicate)


class Rules(tuple[DerivedPredicate, ...]):
    """Rules that are shown as PDDL where an example fails."""

    def __repr__(self) -> str:
        heads = (" ".join(f"{item.name} - {item.types}" for item in rule.parameters) for rule in self)
        bodies = (write_condition(rule.condition) for rule in self)
        return "\n".join(f"({r.name} {head}) <- {body}" for r, head, body in zip(self, heads, bodies, strict=True))


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Stratified rules for some of the derived predicates; about half of them are recursive."""
    names = draw(st.lists(st.sampled_from(sorted(DERIVED)), min_size=1, max_size=4))
    rules = []
    for name in names:
        variables = [f"?v{number}" for number in range(DERIVED[name])]
        parameters = tuple(TypedName(v, draw(st.sampled_from(formulas.TYPES[:4]))) for v in variables)
        body: Condition = draw(formulas.conditions(variables, {**EVERYTHING, **DERIVED}, 3))
        if draw(st.booleans()):
            # So that more rules recur, also through each other, and through more than one atom.
            inner = ["?x", "?y", *variables]
            needed = [draw(st.sampled_from(names)) for _ in range(draw(st.integers(1, 2)))]
            atoms = [
                Atom(other, tuple(draw(st.sampled_from(inner)) for _ in range(DERIVED[other]))) for other in needed
            ]
            rest = draw(formulas.conditions(inner, EVERYTHING, 1))
            body = Exists((TypedName("?x"), TypedName("?y", ("thing",))), And((*atoms, rest)))
        rules.append(DerivedPredicate(name, parameters, body))
    return Rules(rules)


def least_fixpoint(task: Task, layers: tuple[frozenset[str], ...], atoms: frozenset[GroundAtom]) -> set[GroundAtom]:
    """All derived atoms, layer by layer, trying all objects until nothing new is found."""
    found: set[GroundAtom] = set()
    for layer in layers:
        grown = True
        while grown:
            before = len(found)
            world = formulas.PlainWorld(task, atoms | found)
            for rule in task.domain.derived:
                if rule.name in layer:
                    for args in itertools.product(*(task.objects_of(item.types) for item in rule.parameters)):
                        binding = dict(zip((item.name for item in rule.parameters), args, strict=True))
                        if holds(rule.condition, world, binding):
                            found.add(GroundAtom((rule.name, *args)))
            grown = len(found) > before
    return found


CASES = st.tuples(rule_sets(), formulas.subsets(formulas.STATIC), formulas.subsets(formulas.CHANGING))


@settings(max_examples=130)
@given(CASES, st.randoms())
def test_derived_is_the_least_fixpoint(
    case: tuple[Rules, frozenset[GroundAtom], frozenset[GroundAtom]], rng: Any
) -> None:
    """Asks for all atoms in a random order, and for whole predicates."""
    rules, statics, changing = case
    task = formulas.task_with(statics, derived=tuple(rules))
    strata = stratify(task.domain)
    assume(not strata.cycle)
    simulator = Simulator(task)
    wanted = least_fixpoint(task, strata.layers, statics | changing)
    names = {rule.name for rule in rules}
    everything = formulas.ground_atoms({name: DERIVED[name] for name in names})
    rng.shuffle(everything)
    state, fresh = simulator.state(statics | changing), simulator.state(statics | changing)
    for atom in everything:
        assert state.true(atom) is (atom in wanted), atom
    assert fresh.derived == wanted
    assert all(fresh.true(atom) for atom in wanted)
    assert simulator.state(statics).derived == least_fixpoint(task, strata.layers, statics)


NETWORK = """
(define (domain network)
  (:requirements :strips :typing :derived-predicates)
  (:types node mark)
  (:predicates (link ?x ?y - node) (on ?x - node) (reach ?x ?y - node) (island ?x - node) (far ?x ?y - node))
  (:derived (reach ?x ?y - node) (and (on ?x) (link ?x ?y)))
  (:derived (reach ?x ?y - node) (exists (?z - node) (and (reach ?x ?z) (on ?z) (link ?z ?y))))
  (:derived (far ?x ?y - node) (and (reach ?x ?y) (not (link ?x ?y))))
  (:derived (island ?x - node) (forall (?y - node) (not (reach ?x ?y))))
  (:action switch :parameters (?x - node) :precondition (not (on ?x)) :effect (on ?x)))
"""


def network(size: int, domain: str = NETWORK) -> Task:
    """A chain of nodes."""
    nodes = " ".join(f"n{number}" for number in range(size))
    links = " ".join(f"(link n{number} n{number + 1})" for number in range(size - 1))
    problem = f"(define (problem x) (:domain network) (:objects {nodes} - node m - mark) (:init {links}) (:goal (and)))"
    return parse_task(domain, problem)


def _on(task: Task, names: str) -> State:
    return Simulator(task).state([*task.problem.init, *(GroundAtom(("on", name)) for name in names.split())])


def test_a_transitive_closure() -> None:
    task = network(5)
    state = _on(task, "n0 n1 n3")
    assert rows("reach", state) == [("n0", "n1"), ("n0", "n2"), ("n1", "n2"), ("n3", "n4")]
    assert rows("far", state) == [("n0", "n2")]
    assert rows("island", state) == [("n2",), ("n4",)]
    assert state.true(GroundAtom(("reach", "n0", "n2")))
    assert not state.true(GroundAtom(("reach", "n0", "n3")))
    assert not state.true(GroundAtom(("island", "m"))), "the rule is for nodes"


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
