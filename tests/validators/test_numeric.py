"""Numbers on their way out: as floats where people read them, as JSON numbers where scripts do."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from pddl2nl.pddl import parse_task
from validators import val_text, validate
from validators.numeric import as_float, plain_number

HUGE = 10**400


def test_as_float() -> None:
    assert [as_float(value) for value in (3, Fraction(5, 2), HUGE, -HUGE)] == [3.0, 2.5, math.inf, -math.inf]
    assert as_float(Fraction(1, HUGE)) == 0.0


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
