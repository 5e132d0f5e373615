"""Exact arithmetic over numeric expressions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from pddl2nl.pddl import Arithmetic, Expression, Fluent, GroundAtom
from pddl2nl.pddl import Number as NumberNode
from validators.state import Number

__all__ = ["as_float", "evaluate", "exact", "plain_number"]


def exact(value: Fraction) -> Number:
    """The same number, as an ``int`` where it is whole."""
    return value.numerator if value.denominator == 1 else value


def as_float(value: Number | Fraction) -> float:
    """The nearest float; an infinity, as C++ has it, where the number is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def plain_number(value: Number | Fraction | None) -> int | float | None:
    """The number as JSON can hold it: whole where it is whole, or so large that no float is near."""
    if value is None or value.denominator == 1:
        return None if value is None else value.numerator
    number = as_float(value)
    return number if math.isfinite(number) else round(value)


def evaluate(expression: Expression, value_of: Callable[[GroundAtom], Number | None], steps: int = 0) -> Number | None:
    """The value of a ground numeric expression; None where a function has no value or a divisor is zero.

    Args:
        expression: numbers, functions of objects, arithmetic, and ``total-time``, which is the number of steps.
        value_of: the value of a function at objects, or None.
        steps: the number of steps so far.
    """
    match expression:
        case NumberNode(value):
            return exact(value)
        case Fluent(name, args):
            return value_of(GroundAtom((name, *args)))
        case Arithmetic(operator, operands):
            values = [evaluate(operand, value_of, steps) for operand in operands]
            known = [value for value in values if value is not None]
            return _calculate(operator, known) if len(known) == len(values) else None
    return steps


def _calculate(operator: str, values: list[Number]) -> Number | None:
    first, *rest = values
    if operator == "-" and not rest:
        return -first
    for value in rest:
        if operator == "+":
            first += value
        elif operator == "-":
            first -= value
        elif operator == "*":
            first *= value
        elif value == 0:
            return None
        else:
            first = exact(Fraction(first) / value)
    return first
