"""Exact arithmetic; and numbers on their way out, as floats where people read them, as JSON where scripts do."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from pddl2nl.pddl import Arithmetic, Comparison, Expression, Fluent, GroundAtom, Number, UnsupportedError, parse_task
from pddlval import val_text, validate
from pddlval.numeric import UndefinedError, evaluate, plain_number

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
