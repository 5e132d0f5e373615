"""States hold tens of thousands of atoms, share what they have in common, and are values."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddlval import Simulator, State
from pddlval.state import BITS

DOMAIN = """
(define (domain lamps)
  (:requirements :negative-preconditions :numeric-fluents)
  (:predicates (on ?l) (lamp ?l))
  (:functions (used ?l))
  (:action light :parameters (?l) :precondition (and (lamp ?l) (not (on ?l)))
   :effect (and (on ?l) (increase (used ?l) 1)))
  (:action quench :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))
"""


def lamps(count: int, lit: int) -> Task:
    names = [f"l{number}" for number in range(count)]
    init = "".join(f"(lamp {name})" for name in names) + "".join(f"(on {name})" for name in names[:lit])
    return parse_task(
        DOMAIN, f"(define (problem p) (:domain lamps) (:objects {' '.join(names)}) (:init {init}) (:goal (on l0)))"
    )


def on(number: int) -> GroundAtom:
    return GroundAtom(("on", f"l{number}"))


def test_a_step_and_its_undoing_give_the_same_state() -> None:
    simulator = Simulator(lamps(3 * BITS, 2 * BITS))
    quenched = simulator.step(simulator.initial, f"(quench l{BITS + 5})").successor
    assert quenched is not None
    assert quenched != simulator.initial
    assert len(quenched) == len(simulator.initial) - 1
    relit = simulator.step(quenched, f"(light l{BITS + 5})").successor
    assert relit is not None
    assert relit.atoms == simulator.initial.atoms
    assert relit != simulator.initial, "the lamp was used, which a number tells"
    assert simulator.state(relit.atoms, simulator.initial.values) == simulator.initial
    assert hash(simulator.state(relit.atoms)) == hash(simulator.initial)


def test_changes_are_those_that_the_sets_of_atoms_show() -> None:
    simulator = Simulator(lamps(3 * BITS, 2 * BITS))
    states = [simulator.initial]
    for action in (f"(quench l{BITS + 5})", "(quench l0)", f"(light l{3 * BITS - 1})", "(light l0)"):
        successor = simulator.step(states[-1], action).successor
        assert successor is not None
        states.append(successor)
    # Another simulator numbers its atoms and fluents for itself.
    other = Simulator(lamps(3 * BITS, 2 * BITS))
    for before in states:
        for after in states:
            for then in (before, other.state(before.atoms, before.values)):
                change = after.changes_since(then)
                assert sorted(change.added) == sorted(after.atoms - then.atoms)
                assert sorted(change.deleted) == sorted(then.atoms - after.atoms)
                differing = {*after.values.items()} ^ {*then.values.items()}
                assert sorted(change.fluents) == sorted({fluent for fluent, _ in differing})


def test_what_a_state_says_about_itself() -> None:
    simulator = Simulator(lamps(3, 1))
    state = simulator.step(simulator.initial, "(light l2)").successor
    assert state is not None
    assert [str(atom) for atom in state] == ["(lamp l0)", "(lamp l1)", "(lamp l2)", "(on l0)", "(on l2)"]
    assert len(state) == 5
    assert ("on", "l2") in state
    assert on(1) not in state
    assert "on" not in state
    assert () not in state
    assert dict(state.values) == {GroundAtom(("used", "l2")): Fraction(1)}
    assert state.value(GroundAtom(("used", "l0"))) is None
    assert state.derived == frozenset()
    assert repr(state) == "<State of 5 atoms>"
    assert state != 3


def test_a_derived_atom_in_the_initial_state_counts_for_nothing() -> None:
    task = parse_task(
        "(define (domain d) (:requirements :derived-predicates) (:predicates (p) (q))"
        " (:derived (q) (p)) (:action a :parameters () :effect (p)))",
        "(define (problem x) (:domain d) (:init (q)) (:goal (q)))",
    )
    simulator = Simulator(task)
    assert simulator.initial.atoms == simulator.initial.derived == frozenset()
    assert not simulator.is_goal(simulator.initial)
    after = simulator.step(simulator.initial, "(a)").successor
    assert after is not None
    assert (after.atoms, after.derived) == ({GroundAtom(("p",))}, {GroundAtom(("q",))})


def test_states_of_two_simulators_of_one_task_are_the_same_values() -> None:
    task = lamps(4, 2)
    one, other = Simulator(task), Simulator(task)
    assert one.initial == other.initial
    assert len({one.initial, other.initial}) == 1
    assert other.is_applicable(one.initial, "(quench l1)")
    tolerant = Simulator(task, Fraction(1, 10_000))
    assert tolerant.initial != one.initial, "what holds in it may differ"


def test_a_state_can_be_pickled_with_its_task() -> None:
    simulator = Simulator(lamps(4, 2))
    state = simulator.step(simulator.initial, "(light l3)").successor
    assert state is not None
    task, copy = pickle.loads(pickle.dumps((simulator.task, state)))
    assert (copy.atoms, copy.values) == (state.atoms, state.values)
    again = Simulator(task)
    assert again.step(again.initial, "(light l3)").successor == copy


def test_threads_may_step_through_one_simulator() -> None:
    count = 400
    simulator = Simulator(lamps(count, 0))
    ends: list[State] = []

    def walk() -> None:
        state = simulator.initial
        for number in range(count):
            state = simulator.step(state, f"(light l{number})").successor or state
        ends.append(state)

    threads = [threading.Thread(target=walk) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 8
    assert len(set(ends)) == 1
    assert ends[0].atoms >= {on(number) for number in range(count)}


# ── domains of thousands of schemas: few of them are ever compiled ────────────────────────────────


def grounded(count: int) -> Task:
    """A ring of places, an action a step, as domains are that were grounded by hand."""
    schemas = " ".join(
        f"(:action go{number} :parameters () :precondition (and (free) (at{number}) (not (shut{number})))"
        f" :effect (and (not (at{number})) (at{(number + 1) % count})))"
        for number in range(count)
    )
    shut = " ".join(
        f"(:action shut{number} :parameters (?x) :precondition (and (key ?x p{number}) (at{number}) (free))"
        f" :effect (and (shut{number}) (key ?x p{number})))"
        for number in range(count)
    )
    predicates = " ".join(f"(at{number}) (shut{number})" for number in range(count))
    places = " ".join(f"p{number}" for number in range(count))
    return parse_task(
        f"""(define (domain ring) (:requirements :adl) (:constants {places})
          (:predicates (free) (key ?x ?y) {predicates}) {schemas} {shut}
          (:action stop :parameters () :effect (and (not (free)))))""",
        "(define (problem x) (:domain ring) (:objects a b) (:init (free) (at0) (key a p0) (key b p1)) (:goal (at1)))",
    )


def test_threads_may_ask_about_thousands_of_schemas_at_once() -> None:
    task = grounded(200)
    simulator, states = Simulator(task), []
    state = simulator.initial
    for number in range(12):
        states.append(state)
        state = simulator.step(state, f"(go{number})").successor or state
    expected = [list(simulator.applicable(one)) for one in states]
    shared = Simulator(parse_task(task.domain.source.text, task.problem.source.text))  # type: ignore[union-attr]
    copies = [shared.state(one.atoms) for one in states]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda one: list(shared.applicable(one)), copies)) == expected
