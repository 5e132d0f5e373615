"""Exact arithmetic over numeric expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from pddl2nl.pddl import Arithmetic, Comparison, Expression, Fluent, GroundAtom, UnsupportedError, substitute
from pddl2nl.pddl import Number as NumberNode
from pddlval.state import Number

_NOTHING: Mapping[str, str] = MappingProxyType({})
_LARGEST = 14_284
"""Bits of the largest number: no double comes near, and Python prints what is smaller."""
_LONGEST = 100_000
"""Bits of numerator and denominator together: a plan that squares a number again and again must terminate."""


def exact(value: Number) -> Number:
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


class UndefinedError(ArithmeticError):
    """A numeric expression has no value: a fluent in it has none, or a divisor is zero.

    ``expression`` is the ground fluent without a value, or the ground division.
    """

    def __init__(self, expression: Fluent | Arithmetic):
        self.expression = expression
        super().__init__("a numeric fluent has no value" if isinstance(expression, Fluent) else "a divisor is zero")

    @classmethod
    def of(cls, fluent: GroundAtom) -> UndefinedError:
        """The error for a fluent without a value."""
        return cls(Fluent(fluent[0], tuple(fluent[1:])))

    @property
    def condition(self) -> Comparison:
        """What would have to hold, as a condition: ``(= (f a) (f a))``."""
        return Comparison("=", self.expression, self.expression)


def evaluate(
    expression: Expression, level: Callable[[GroundAtom], Number | None], binding: Mapping[str, str] = _NOTHING
) -> Number:
    """The value of a numeric expression, exact.

    Args:
        expression: numbers, functions and arithmetic.
        level: the value of a function at objects, or None.
        binding: objects for the variables.

    Raises:
        UndefinedError: a function has no value, or a divisor is zero.
        UnsupportedError: a number is too large to compute with.
        TypeError: an expression that only durative actions or metrics have.
    """
    match expression:
        case NumberNode(value):
            return exact(value)
        case Fluent(name, args):
            fluent = GroundAtom((name, *[binding.get(term, term) for term in args]))
            number = level(fluent)
            if number is None:
                raise UndefinedError.of(fluent)
            return number
        case Arithmetic(operator, operands):
            values = [evaluate(operand, level, binding) for operand in operands]
            try:
                return calculate(operator, values)
            except ZeroDivisionError:
                raise UndefinedError(substitute(expression, binding)) from None
    raise TypeError(f"not an executable expression: {type(expression).__name__}")


def calculate(operator: str, values: Sequence[Number]) -> Number:
    """``+``, ``-``, ``*`` or ``/`` of some numbers; ``-`` of a single one is its negative.

    Raises:
        ZeroDivisionError: a divisor is zero.
        UnsupportedError: the number is too large to compute with.
    """
    first, *rest = values
    if operator == "-" and not rest:
        return -first
    for value in rest:
        if operator == "+":
            first += value
        elif operator == "-":
            first -= value
        else:
            first = multiply(first, value) if operator == "*" else bounded(Fraction(first) / value)
    return exact(bounded(first))


def multiply(one: Number, other: Number) -> Number:
    """The product of two numbers; raises `UnsupportedError` if it is too large to compute with."""
    return bounded(one * other)


def divide(one: Number, other: Number, by_zero: Callable[..., UndefinedError], *arguments: int) -> Number:
    """The quotient of two numbers; if the divisor is zero, raises what `by_zero` makes of the arguments."""
    if not other:
        raise by_zero(*arguments)
    return calculate("/", (one, other))


def bounded(value: Number) -> Number:
    """The number itself.

    Raises:
        UnsupportedError: it is too large to compute with.
    """
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if above - below > _LARGEST or above + below > _LONGEST:
        raise UnsupportedError("a number in this plan has become too large to compute with")
    return value
