"""Alignment of expected and observed states, and triples."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddl2nl.systems.hvr.execution import Value, accounts, align
from pddl2nl.worlds.triples import triple_of
from pddlval import Simulator
from tests.worlds.conftest import DOMAIN, PROBLEM, after


def test_what_is_missing_and_what_is_surplus(simulator: Simulator, task: Task) -> None:
    expected = after(simulator, "(open-it fridge-1)", "(take egg-1 fridge-1)")
    observed = after(simulator, "(open-it fridge-1)")
    found = align(expected, observed, accounts(task))
    assert not found.same
    assert found.missing_texts == ("(held egg-1)",)
    assert found.surplus_texts == ("(hand-empty)", "(in-it egg-1 fridge-1)")


def test_values_that_are_part_of_the_world_differ_and_accounts_do_not(simulator: Simulator, task: Task) -> None:
    # The distance is read by nobody either, and never changes.
    assert accounts(task) == {"total-cost", "distance"}
    warmer = after(simulator, "(warm pan-1)")
    heat = GroundAtom(("heat", "pan-1"))
    found = align(warmer, simulator.initial, accounts(task))
    assert (found.missing_values, found.surplus_values) == (
        (Value(heat, Fraction(3, 2)),),
        (Value(heat, Fraction(1, 2)),),
    )
    assert found.missing_texts == ("(= (heat pan-1) 1.5)",)
    dearer = simulator.state(simulator.initial.atoms, {GroundAtom(("total-cost",)): Fraction(5), heat: Fraction(1, 2)})
    assert align(dearer, simulator.initial, accounts(task)).same
    assert not align(dearer, simulator.initial).same


def test_a_function_that_another_one_reads_is_part_of_the_world() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :numeric-fluents) (:predicates (p)) (:functions (a) (b) (c))
        (:action go :effect (and (increase (a) (b)) (when (> (c) 1) (p)))))""",
        "(define (problem x) (:domain d) (:init (= (a) 0) (= (b) 1) (= (c) 1)) (:goal (p)))",
    )
    assert accounts(task) == {"a"}


def test_triples() -> None:
    assert triple_of(GroundAtom(("hand-empty",))) == ("world", "is", "hand-empty")
    assert str(triple_of(GroundAtom(("in", "e", "f")), {"e": "egg_1"})) == "(egg_1, in, f)"
    assert triple_of(GroundAtom(("between", "a", "b", "c")), {"c": "C"}) == ("a", "between", "b, C")


_SIMULATOR = Simulator(parse_task(DOMAIN, PROBLEM))
_LITTLE = [
    ("held", "egg-1"),
    ("dirty", "pan-1"),
    ("near", "egg-1", "pan-1"),
    ("between", "egg-1", "shelf-1", "fridge-1"),
]


@given(st.sets(st.sampled_from(_LITTLE)), st.sets(st.sampled_from(_LITTLE)))
def test_an_alignment_is_the_way_from_one_state_to_the_other(
    one: set[tuple[str, ...]], other: set[tuple[str, ...]]
) -> None:
    expected, observed = (_SIMULATOR.state(map(GroundAtom, atoms)) for atoms in (one, other))
    found = align(expected, observed)
    assert (set(expected.atoms) - set(found.missing)) | set(found.surplus) == observed.atoms
    assert found.same == (one == other)
    back = align(observed, expected)
    assert (back.missing, back.surplus) == (found.surplus, found.missing)
