"""Exact arithmetic; and numbers on their way out, as floats where people read them, as JSON where scripts do."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from pddl2nl.pddl import (
    Arithmetic,
    Comparison,
    Expression,
    Fluent,
    GroundAtom,
    Number,
    Task,
    UnsupportedError,
    parse_task,
)
from pddlval import Simulator, val_text, validate
from pddlval.numeric import UndefinedError, evaluate, plain_number
from pddlval.val_text import in_doubles

HUGE = 10**400


def test_plain_numbers_are_whole_where_they_can_be() -> None:
    assert [plain_number(value) for value in (None, 3, Fraction(4, 2), Fraction(5, 2), HUGE)] == [None, 3, 2, 2.5, HUGE]
    assert plain_number(Fraction(2 * HUGE + 1, 2)) == HUGE
    assert type(plain_number(Fraction(4, 2))) is int


def test_costs_beyond_all_floats() -> None:
    for cost in (f"{HUGE}", f"{HUGE}.5"):
        task = parse_task(
            "(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost) - number)"
            f" (:action a :parameters () :effect (and (p) (increase (total-cost) {cost}))))",
            "(define (problem x) (:domain d) (:init (= (total-cost) 0)) (:goal (p)) (:metric minimize (total-cost)))",
        )
        report = validate(task, "(a)")
        assert json.loads(json.dumps(report.as_json("x")))["cost"] == HUGE
        for verbose in (False, True):
            assert "Final value: inf \n" in val_text(task, "(a)", report, "x", verbose)


# ── expressions ──────────────────────────────────────────────────────────────────────────────────

F, G = Fluent("f", ("?x",)), Fluent("g")
LEVELS = {GroundAtom(("f", "a")): 6, GroundAtom(("f", "b")): Fraction(1, 4), GroundAtom(("g",)): 4}


def _value(operator: str, *operands: Expression, **binding: str) -> int | Fraction:
    return evaluate(Arithmetic(operator, operands), LEVELS.get, {f"?{name}": value for name, value in binding.items()})


@pytest.mark.parametrize("effect", ["(scale-up (f) (f))", "(assign (f) (* (f) (f)))", "(scale-down (f) 1e-400)"])
def test_numbers_beyond_all_computing_end_the_plan(effect: str) -> None:
    task = parse_task(
        "(define (domain d) (:requirements :fluents) (:predicates (p)) (:functions (f))"
        f" (:action a :parameters () :effect (and (p) {effect.replace('1e-400', '0.' + '0' * 400 + '1')})))",
        "(define (problem x) (:domain d) (:init (= (f) 2)) (:goal (p)) (:metric minimize (f)))",
    )
    # Each step doubles the digits: without an end this would take for ever.
    with pytest.raises(UnsupportedError, match="too large to compute with"):
        validate(task, "(a)" * 60)
    report = validate(task, "(a)" * 10)
    assert report.valid
    assert json.loads(json.dumps(report.as_json("x")))["cost"] == report.cost
    assert "Plan valid" in val_text(task, "(a)" * 10, report, "x", verbose=True)


def test_arithmetic_is_exact_and_whole_where_it_can_be() -> None:
    two = Number(Fraction(2))
    assert _value("+", F, G, two, x="a") == 12
    assert _value("-", F, G, x="a") == 2
    assert _value("-", F, x="a") == -6
    assert _value("*", F, G, x="b") == 1
    assert _value("/", F, G, x="a") == Fraction(3, 2)
    for value in (_value("*", F, G, x="b"), _value("/", F, two, x="a"), evaluate(two, LEVELS.get)):
        assert type(value) is int
    third = Arithmetic("/", (Number(Fraction(1)), Number(Fraction(3))))
    assert _value("+", third, third, third) == 1


def test_what_has_no_value() -> None:
    with pytest.raises(UndefinedError, match="no value") as caught:
        _value("+", G, F, x="c")
    assert caught.value.expression == Fluent("f", ("c",))
    assert caught.value.condition == Comparison("=", Fluent("f", ("c",)), Fluent("f", ("c",)))
    zero = Arithmetic("-", (G, G))
    with pytest.raises(UndefinedError, match="zero") as divided:
        _value("*", G, Arithmetic("/", (F, zero)), x="a")
    assert divided.value.expression == Arithmetic("/", (Fluent("f", ("a",)), zero))
    assert UndefinedError.of(GroundAtom(("f", "c"))).expression == Fluent("f", ("c",))


# ── numbers as VAL reads them ─────────────────────────────────────────────────────────────────────


DOMAIN = """
(define (domain d) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types t)
  (:predicates (p) (q ?x - t) (far))
  (:functions (f) (g ?x - t))
  (:derived (far) (> (f) 0.1))
  (:action a :parameters (?x - t)
    :precondition (and (p) (imply (far) (not (or (= (f) (+ 0.1 1)) (exists (?y - t) (< (g ?y) 0.2))))))
    :effect (and (q ?x) (decrease (f) 0.085166015625)
      (forall (?y - t) (when (>= (g ?y) 0.3) (assign (g ?y) (* 0.1 (f)))))))
  (:action b :parameters () :precondition (p) :effect (not (p))))
"""
PROBLEM = """
(define (problem x) (:domain d) (:objects o - t)
  (:init (p) (= (f) 0.1) (= (g o) 3)) (:goal (forall (?x - t) (> (g ?x) 0.7))))
"""


def test_every_number_is_rounded_and_nothing_else() -> None:
    task = parse_task(DOMAIN, PROBLEM)
    rounded = in_doubles(task)
    assert rounded is not task
    assert rounded.domain.derived != task.domain.derived
    assert rounded.problem.goal != task.problem.goal
    one, other = Simulator(task), Simulator(rounded)
    assert one.initial.atoms == other.initial.atoms
    assert {str(fluent): value for fluent, value in other.initial.values.items()} == {
        "(f)": Fraction(0.1),
        "(g o)": Fraction(3),
    }
    precondition = repr(rounded.domain.actions[0].precondition)
    effect = repr(rounded.domain.actions[0].effect)
    for number, text in ((0.1, precondition), (0.2, precondition), (0.3, effect), (0.1, effect)):
        assert repr(Fraction(number)) in text
    assert "Fraction(1, 10)" not in precondition + effect


def test_tasks_with_whole_numbers_are_left_alone(tower: Task) -> None:
    assert in_doubles(tower) is tower
    whole = parse_task(DOMAIN.replace("0.085166015625", "2").replace("0.", ""), PROBLEM.replace("0.", ""))
    assert in_doubles(whole) is whole


def test_what_no_double_is_near_stays_as_it_is() -> None:
    huge = "9" * 400 + ".5"
    task = parse_task(DOMAIN, PROBLEM.replace("(= (f) 0.1)", f"(= (f) {huge})"))
    assert [value.value for value in in_doubles(task).problem.init_values] == [Fraction(huge), 3]


def test_what_lies_between_two_printed_numbers_falls_where_it_does_in_val() -> None:
    """The exact product has a five in the eleventh place, which would be rounded down to the even number before."""
    task = parse_task(
        "(define (domain d) (:requirements :numeric-fluents) (:predicates (p)) (:functions (f) (g))"
        " (:action a :parameters () :precondition () :effect (and (p) (increase (f) (* (g) 57)))))",
        "(define (problem x) (:domain d) (:init (= (f) 0) (= (g) 0.001494140625)) (:goal (p)))",
    )
    exact = Fraction("0.001494140625") * 57
    assert f"{float(exact):.10g}" == "0.08516601562"
    assert "by 0.08516601563 increase" in val_text(task, "(a)", validate(task, "(a)"), "p", verbose=True)


def test_verdicts_hang_on_exact_numbers_and_the_text_follows_them() -> None:
    """A tenth seven times is more than seven tenths in doubles' exact sum; the effect at the end depends on it."""
    task = parse_task(
        "(define (domain d) (:requirements :adl :numeric-fluents) (:predicates (p)) (:functions (f))"
        " (:action a :parameters () :precondition () :effect (increase (f) 0.1))"
        " (:action b :parameters () :precondition (<= (f) 0.7)"
        "  :effect (and (when (= (f) 0.7) (p)) (increase (f) 0.001))))",
        "(define (problem x) (:domain d) (:init (= (f) 0)) (:goal (and (p) (> (f) 0.7))))",
    )
    assert Fraction(0.1) * 7 > Fraction(0.7)
    plan = "(a)" * 7 + "(b)"
    report = validate(task, plan)
    assert report.valid
    text = val_text(task, plan, report, "p", verbose=True)
    assert "Adding (p)\nUpdating (f) (0.7) by 0.001 increase\nPlan executed successfully" in text
