"""Which parts of an unmet condition are told: true ones as premises, false ones as alternatives, and enough of them."""

from __future__ import annotations

from itertools import chain, combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.nl.telling.reasons import unmet_parts
from pddl2nl.pddl import GroundAtom, parse_task
from pddl2nl.pddl.tree import And, Atom, Condition, Exists, Forall, Imply, Not, Or, TypedName
from pddlval import Simulator, State
from pddlval.semantics import holds

TASK = parse_task(
    "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r))"
    "(:action a :parameters (?x) :effect (and (p ?x) (q ?x) (r))))",
    "(define (problem x) (:domain d) (:objects a b) (:init) (:goal (r)))",
)
SIMULATOR = Simulator(TASK)
ATOMS = [GroundAtom(parts) for parts in (("p", "a"), ("p", "b"), ("q", "a"), ("q", "b"), ("r",))]
STATES = [
    SIMULATOR.state(list(chosen))
    for chosen in chain.from_iterable(combinations(ATOMS, count) for count in range(len(ATOMS) + 1))
]
X = (TypedName("?x", ("object",)),)


def deeper(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    return st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.tuples(inner, inner).map(lambda pair: Imply(*pair)),
        inner.map(lambda body: Forall(X, body)),
        inner.map(lambda body: Exists(X, body)),
    )


def conditions(*terms: str) -> st.SearchStrategy[Condition]:
    atoms = [Atom("r", ()), *(Atom(name, (term,)) for name in "pq" for term in terms)]
    return st.recursive(st.sampled_from(atoms), deeper, max_leaves=8)


# Variables stand only below the quantifier that binds them.
GROUND = st.one_of(
    conditions("a", "b"),
    conditions("a", "?x").map(lambda body: Exists(X, body)),
    conditions("b", "?x").map(lambda body: Forall(X, body)),
)
COMPOSITE = st.one_of(
    st.tuples(GROUND, GROUND).map(lambda pair: Imply(*pair)),
    st.lists(GROUND, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
)


@settings(max_examples=120)
@given(COMPOSITE, st.sampled_from(STATES))
def test_the_parts_are_as_said_and_enough(condition: Condition, state: State) -> None:
    if holds(condition, state):
        return
    parts = unmet_parts(condition, state)
    assert all(holds(premise, state) for premise in parts.premises)
    assert not any(holds(failing, state) for item in parts.alternatives for failing in item.failing)
    for other in STATES:
        as_said = all(holds(premise, other) for premise in parts.premises)
        missing = all(not holds(failing, other) for item in parts.alternatives for failing in item.failing)
        assert not (as_said and missing and holds(condition, other))


@settings(max_examples=40)
@given(COMPOSITE, st.sampled_from(STATES))
def test_without_a_state_the_parts_are_right_too(condition: Condition, state: State) -> None:
    if holds(condition, state):
        return
    parts = unmet_parts(condition, None)
    assert all(holds(premise, state) for premise in parts.premises)
    assert not any(holds(item.whole, state) for item in parts.alternatives)
    assert not any(holds(failing, state) for item in parts.alternatives for failing in item.failing)


def test_a_static_premise_about_the_same_object_goes_without_saying() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :adl) (:types box)
          (:predicates (openable ?b - box) (open ?b - box) (full ?b - box))
        (:action put :parameters (?b ?c - box) :precondition
          (and (imply (openable ?b) (open ?b)) (imply (openable ?c) (open ?b)) (imply (full ?b) (open ?b)))
          :effect (and (open ?b) (full ?b))))""",
        "(define (problem p) (:domain d) (:objects a b - box)"
        "  (:init (openable a) (openable b) (full a)) (:goal (full a)))",
    )
    simulator = Simulator(task)
    teller = Teller(task, template_wording(task.domain), make_names(task, "original"))
    step = simulator.step(simulator.initial, "(put a b)")
    assert [teller.reasons([item], simulator.initial) for item in step.unmet] == [
        "a is not 'open'",
        "even though b is 'openable', a is not 'open'",
        "even though a is 'full', a is not 'open'",
    ]
