"""What actions do: conditional and quantified effects, numeric updates, and what cannot happen together."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from pddl2nl.pddl import GroundAtom, Task, UnsupportedError, parse_task, write_condition
from pddlval import GroundAction, Simulator, validate
from pddlval.schemas import Change, Outcome

DOMAIN = """
(define (domain works)
  (:requirements :adl :numeric-fluents)
  (:types item place)
  (:constants b a c - item home yard - place)
  (:predicates (at ?i - item ?p - place) (wet ?i - item) (seen ?i - item) (lit) (last ?i - item))
  (:functions (load ?p - place) (total) (unset) (width ?i - item))
  (:action {name} :parameters {parameters} :precondition {precondition} :effect {effect}))
"""

PROBLEM = """
(define (problem small) (:domain works)
  (:objects)
  (:init (at a home) (at b home) (at c yard) (wet b) (= (load home) 3) (= (load yard) 0) (= (total) 2)
         (= (width a) 1) (= (width b) 1/2) (= (width c) 4))
  (:goal (lit)))
""".replace("1/2", "0.5")


def task(effect: str, *, precondition: str = "()", parameters: str = "()") -> Task:
    return parse_task(
        DOMAIN.format(name="do", parameters=parameters, precondition=precondition, effect=effect), PROBLEM
    )


def outcome(effect: str, *args: str, parameters: str = "()") -> Outcome:
    simulator = Simulator(task(effect, parameters=parameters))
    return simulator.ground(GroundAction("do", args)).outcome(simulator.initial)


def atoms(*texts: str) -> tuple[GroundAtom, ...]:
    return tuple(GroundAtom(text.split()) for text in texts)


def test_conditions_are_read_in_the_old_state() -> None:
    simulator = Simulator(task("(and (lit) (not (wet b)) (when (lit) (seen a)) (when (wet b) (seen b)))"))
    after = simulator.step(simulator.initial, "(do)").successor
    assert after is not None
    assert [GroundAtom(("seen", name)) in after for name in "ab"] == [False, True]
    assert GroundAtom(("wet", "b")) not in after


def test_what_is_deleted_and_added_is_added() -> None:
    for effect in ("(and (wet b) (not (wet b)))", "(and (not (wet b)) (when (wet b) (wet b)))"):
        simulator = Simulator(task(effect))
        result = simulator.step(simulator.initial, "(do)")
        assert result.successor == simulator.initial
        assert (result.added, result.deleted) == ((), ())


def test_top_level_first_then_when_then_forall_in_alphabetic_order() -> None:
    found = outcome("(and (forall (?i - item) (seen ?i)) (when (wet b) (last b)) (lit) (last c))")
    assert found.adds == atoms("lit", "last c", "last b", "seen a", "seen b", "seen c")


def test_updates_of_conditional_effects_come_before_those_at_the_top() -> None:
    found = outcome(
        "(and (increase (total) 1) (when (wet b) (increase (load home) 2))"
        " (forall (?i - item) (when (at ?i home) (decrease (load yard) (width ?i)))))"
    )
    assert found.updates == (
        Change(GroundAtom(("load", "home")), "increase", 2),
        Change(GroundAtom(("total",)), "increase", 1),
        Change(GroundAtom(("load", "yard")), "decrease", 1),
        Change(GroundAtom(("load", "yard")), "decrease", Fraction(1, 2)),
    )


LEVELS = """
(define (domain levels)
  (:requirements :adl)
  (:types level store)
  (:constants v00 v01 v02 v03 v04 v05 v06 v07 v08 v09 v10 - level)
  (:predicates (less ?more ?one - level) (has ?s - store ?l - level) (open ?l - level))
  (:action move :parameters (?from ?to ?by - store) :effect
    (forall (?old ?new ?low ?high ?out ?in - level)
      (when (and (has ?from ?old) (less ?old ?new) (has ?to ?low) (less ?high ?low) (not (open ?high))
                 (has ?by ?out) (or (less ?out ?in) (= ?out ?in)))
        (and (not (has ?from ?old)) (has ?from ?new) (not (has ?to ?low)) (has ?to ?high) (has ?by ?in))))))
"""


@pytest.mark.parametrize("times", [1, 2, 3])
def test_many_quantified_variables_are_bound_one_by_one(
    times: int, steps: Callable[[Callable[[], object]], int]
) -> None:
    less = " ".join(f"(less v{more:02} v{more - 1:02})" for more in range(1, 11))
    problem = f"""(define (problem three) (:domain levels) (:objects a b c - store)
        (:init {less} (has a v07) (has b v01) (has c v00)) (:goal (has b v02)))"""
    simulator = Simulator(parse_task(LEVELS, problem))
    ground = simulator.ground(GroundAction("move", ("a", "b", "c")))
    outcomes: list[Outcome] = []
    # All choices are 1,771,561.
    assert steps(lambda: outcomes.extend(ground.outcome(simulator.initial) for _ in range(times))) < 400_000
    found = outcomes[-1]
    assert found.deletes == atoms("has a v07", "has b v01")
    assert found.adds == atoms("has a v06", "has b v02", "has c v00")


@pytest.mark.parametrize("condition", ["(seen ?v0)", pytest.param("(not (= ?v0 ?v1))", marks=pytest.mark.heavy)])
def test_too_many_instances_of_an_effect_are_an_error_that_names_it(condition: str) -> None:
    names = " ".join(f"?v{number}" for number in range(22))
    simulator = Simulator(task(f"(forall ({names} - item) (when {condition} (seen ?v21)))"))
    expected = r"the effect \(forall \(\?v0 .*\?v21\) …\) of action \(do\) has more than 1,000,000 instances"
    with pytest.raises(UnsupportedError, match=expected):
        simulator.step(simulator.initial, "(do)")


def test_nested_quantifiers_shadow_and_range_over_types_and_constants() -> None:
    found = outcome(
        "(forall (?p - place) (forall (?i - item) (when (and (at ?i ?p) (not (= ?p home))) (not (at ?i ?p)))))"
    )
    assert found.deletes == atoms("at c yard")
    shadowed = outcome(
        "(and (seen ?x) (forall (?x - item) (when (wet ?x) (not (wet ?x)))))", "a", parameters="(?x - item)"
    )
    assert (shadowed.adds, shadowed.deletes) == (atoms("seen a"), atoms("wet b"))


@pytest.mark.parametrize(
    "effect",
    [
        "(and (assign (load ?p) 1) (assign (load home) 2))",
        "(and (assign (load ?p) 1) (increase (load home) 1))",
        "(and (scale-up (load ?p) 2) (increase (load home) 1))",
        "(and (assign (load ?p) 1) (when (wet b) (increase (load home) 1)))",
    ],
)
def test_contradicting_updates_of_one_fluent_are_an_error(effect: str) -> None:
    contradicting = task(effect, parameters="(?p - place)")
    simulator = Simulator(contradicting)
    assert simulator.is_applicable(simulator.initial, "(do yard)")
    assert not simulator.is_applicable(simulator.initial, "(do home)")
    result = simulator.step(simulator.initial, "(do home)")
    assert (result.successor, result.unmet) == (None, ())
    assert result.conflict == GroundAtom(("load", "home"))
    report = validate(contradicting, "(do yard) (do home)")
    assert (report.verdict, report.failed_step, report.unmet) == ("inapplicable", 2, ())
    assert "(load home)" in report.diagnostics[0].message


def test_a_precondition_that_fails_comes_before_a_contradiction() -> None:
    effect = "(and (assign (load ?p) 1) (increase (load home) 1))"
    report = validate(task(effect, precondition="(lit)", parameters="(?p - place)"), "(do home)")
    assert [write_condition(condition) for condition in report.unmet] == ["(lit)"]
    assert report.diagnostics == ()


def test_a_condition_decides_whether_updates_contradict_each_other() -> None:
    simulator = Simulator(task("(and (lit) (assign (load home) 1) (when (lit) (increase (load home) 1)))"))
    assert simulator.is_applicable(simulator.initial, "(do)")
    assert not simulator.is_applicable(simulator.state([*simulator.initial.atoms, *atoms("lit")]), "(do)")


@pytest.mark.parametrize(
    ("effect", "missing"),
    [
        ("(assign (total) (unset))", "(= (unset) (unset))"),
        ("(when (> (unset) 1) (lit))", "(= (unset) (unset))"),
        ("(and (when (> (unset) 1) (when (lit) (increase (total) 1))) (not (lit)))", "(= (unset) (unset))"),
        ("(when (> (unset) 1) (forall (?i - item) (when (last ?i) (not (last ?i)))))", "(= (unset) (unset))"),
        ("(forall (?i - item) (when (wet ?i) (increase (total) (unset))))", "(= (unset) (unset))"),
        ("(scale-down (total) (load yard))", "(= (/ (total) 0) (/ (total) 0))"),
        ("(increase (total) (/ 1 (load yard)))", "(= (/ 1 (load yard)) (/ 1 (load yard)))"),
    ],
)
def test_what_has_no_value_is_an_error_at_use(effect: str, missing: str) -> None:
    simulator = Simulator(task(effect))
    # What an action does is compiled further once it has been met before.
    for _ in range(3):
        assert not simulator.is_applicable(simulator.initial, "(do)")
        result = simulator.step(simulator.initial, "(do)")
        assert [write_condition(condition) for condition in result.unmet] == [missing]


def test_a_fluent_without_a_value_is_updated_from_zero_as_in_val() -> None:
    simulator = Simulator(task("(increase (unset) 2)"))
    after = simulator.step(simulator.initial, "(do)").successor
    assert after is not None
    assert after.value(GroundAtom(("unset",))) == 2
