"""Derived predicates against the least fixpoint over all ground instances of the rules."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
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
    Not,
    Task,
    TypedName,
    parse_task,
    stratify,
    write_condition,
)
from pddlval import Simulator, joins, memos, validate
from pddlval.axioms import Axioms
from pddlval.numeric import UndefinedError
from pddlval.semantics import holds
from pddlval.state import Statics


def _load(name: str) -> ModuleType:
    # The tests are no package, and pytest imports them by path.
    spec = importlib.util.spec_from_file_location(f"validators_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


formulas: Any = _load("formulas")
DERIVED = {"d0": 1, "d1": 2, "d2": 2, "d3": 0}
EVERYTHING = {**formulas.STATIC, **formulas.CHANGING}


class World(formulas.PlainWorld):  # type: ignore[name-defined, misc]
    """A plain world that asks axioms for what is derived."""

    def __init__(self, axioms: Axioms, task: Task, atoms: frozenset[GroundAtom], values: Any = None):
        super().__init__(task, atoms, values)
        self.axioms = axioms

    def true(self, atom: GroundAtom) -> bool:
        """Whether the atom is given or derived."""
        if atom[0] in self.axioms.predicates:
            return self.axioms.true(atom, self)
        return atom in self.atoms


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


@pytest.mark.parametrize("worth_a_list", [0, 2000])
def test_derived_is_the_least_fixpoint(worth_a_list: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "_WORTH_A_LIST", worth_a_list)
    if worth_a_list == 0:
        monkeypatch.setattr(joins, "_WORTH_A_LOOK", 0)
    settings(max_examples=250, deadline=None)(given(CASES, st.randoms())(check_derived))()


CASES = st.tuples(rule_sets(), formulas.subsets(formulas.STATIC), formulas.subsets(formulas.CHANGING))


def check_derived(case: tuple[Rules, frozenset[GroundAtom], frozenset[GroundAtom]], rng: Any) -> None:
    """Asks for all atoms in a random order, and for all extensions."""
    rules, statics, changing = case
    task = formulas.task_with(statics, derived=tuple(rules))
    strata = stratify(task.domain)
    assume(not strata.cycle)
    axioms = Axioms(task, Statics(task, statics, {}))
    wanted = least_fixpoint(task, strata.layers, statics | changing)
    world = World(axioms, task, statics | changing)
    everything = formulas.ground_atoms({name: DERIVED[name] for name in axioms.predicates})
    rng.shuffle(everything)
    for atom in everything:
        assert axioms.true(atom, world) is (atom in wanted), atom
    fresh = World(axioms, task, statics | changing)
    for name in sorted(axioms.predicates):
        rows = axioms.rows(name, fresh)
        assert list(rows) == sorted(atom[1:] for atom in wanted if atom[0] == name)
        assert all(axioms.true(GroundAtom((name, *row)), fresh) for row in rows)


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


def _on(task: Task, names: str) -> tuple[Axioms, World]:
    statics = frozenset(task.problem.init)
    axioms = Axioms(task, Statics(task, statics, {}))
    return axioms, World(axioms, task, statics | {GroundAtom(("on", name)) for name in names.split()})


def test_a_transitive_closure() -> None:
    task = network(5)
    axioms, world = _on(task, "n0 n1 n3")
    assert axioms.predicates == {"reach", "far", "island"}
    assert axioms.rows("reach", world) == [("n0", "n1"), ("n0", "n2"), ("n1", "n2"), ("n3", "n4")]
    assert axioms.rows("far", world) == [("n0", "n2")]
    assert axioms.rows("island", world) == [("n2",), ("n4",)]
    assert axioms.true(GroundAtom(("reach", "n0", "n2")), world)
    assert not axioms.true(GroundAtom(("reach", "n0", "n3")), world)
    assert not axioms.true(GroundAtom(("island", "m")), world), "the rule is for nodes"


def test_rules_that_join_two_derived_atoms() -> None:
    doubled = NETWORK.replace("(and (reach ?x ?z) (on ?z) (link ?z ?y))", "(and (reach ?x ?z) (reach ?z ?y))")
    assert doubled != NETWORK
    one, other = network(40), network(40, doubled)
    names = " ".join(f"n{number}" for number in range(40) if number % 9)
    axioms, world = _on(one, names)
    doubled_axioms, doubled_world = _on(other, names)
    rows = axioms.rows("reach", world)
    assert len(rows) > 100
    assert doubled_axioms.rows("reach", doubled_world) == rows


BLOCKS = """(define (domain tower) (:requirements :strips :typing :derived-predicates) (:types block)
  (:predicates (on ?x ?y - block) (above ?x ?y - block))
  (:derived (above ?x ?y - block) (or (on ?x ?y) (exists (?z - block) (and (on ?x ?z) (above ?z ?y)))))
  (:action put :parameters (?x ?y - block) :precondition (not (above ?y ?x)) :effect (on ?x ?y)))"""


def test_rules_over_atoms_that_actions_change(steps: Callable[[Callable[[], object]], int]) -> None:
    size = 400
    blocks = " ".join(f"b{number}" for number in range(size))
    task = parse_task(BLOCKS, f"(define (problem x) (:domain tower) (:objects {blocks} - block) (:init) (:goal (and)))")
    atoms = frozenset(GroundAtom(("on", f"b{number}", f"b{number + 1}")) for number in range(size - 1))
    axioms = Axioms(task, Statics(task, frozenset(), {}))
    world = World(axioms, task, atoms)
    world.changing = atoms.__iter__
    assert axioms.true(GroundAtom(("above", "b3", "b300")), world)
    assert not axioms.true(GroundAtom(("above", "b300", "b3")), world)
    pairs = size * (size - 1) // 2
    # Without lists of what is true it is some hundred times as much.
    assert steps(lambda: axioms.rows("above", world)) < 100 * pairs
    assert len(axioms.rows("above", world)) == pairs


def test_only_what_is_asked_for_is_derived() -> None:
    task = network(300)
    axioms, world = _on(task, " ".join(f"n{number}" for number in range(300)))
    assert axioms.true(GroundAtom(("reach", "n297", "n299")), world)
    extensions = world.memo.extensions
    assert [sorted(rows["reach"]) for rows in extensions.values()] == [[("n297", "n298"), ("n297", "n299")]]


def test_answers_are_kept_with_the_state() -> None:
    task = network(4)
    axioms, world = _on(task, "n0 n1")
    assert world.memo is None
    atom = GroundAtom(("reach", "n0", "n2"))
    assert axioms.true(atom, world)
    world.atoms = frozenset()
    assert axioms.true(atom, world)
    world.memo = None
    assert not axioms.true(atom, world)


def test_an_undefined_fluent_in_a_rule() -> None:
    text = """(define (domain d) (:requirements :derived-predicates :numeric-fluents :typing)
      (:predicates (rich ?x - object) (poor ?x - object)) (:functions (money ?x - object))
      (:derived (rich ?x - object) (> (money ?x) 3)) (:derived (poor ?x - object) (not (rich ?x))))"""
    task = parse_task(text, "(define (problem x) (:domain d) (:objects a b) (:init (= (money a) 4)) (:goal (and)))")
    axioms = Axioms(task, Statics(task, frozenset(), {}))
    world = World(axioms, task, frozenset(), {GroundAtom(("money", "a")): 4})
    assert axioms.true(GroundAtom(("rich", "a")), world)
    assert not axioms.true(GroundAtom(("poor", "a")), world)
    with pytest.raises(UndefinedError):
        axioms.true(GroundAtom(("poor", "b")), world)
    with pytest.raises(UndefinedError):
        axioms.rows("rich", world)


def test_long_chains_of_rules() -> None:
    size = 3000
    parameters = (TypedName("?x"),)
    rules = [DerivedPredicate("e0", parameters, Atom("u", ("?x",)))]
    for number in range(1, size):
        before = Atom(f"e{number - 1}", ("?x",))
        rules.append(DerivedPredicate(f"e{number}", parameters, Not(before) if number % 2 else And((before,))))
    atoms = frozenset({GroundAtom(("u", "a"))})
    task = formulas.task_with(atoms, derived=tuple(rules))
    axioms = Axioms(task, Statics(task, atoms, {}))
    world = World(axioms, task, atoms)
    for name, wanted in (("a", False), ("b", True)):
        value = name == "a"
        for number in range(1, size):
            value = not value if number % 2 else value
        assert axioms.true(GroundAtom((f"e{size - 1}", name)), world) is value, wanted


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
