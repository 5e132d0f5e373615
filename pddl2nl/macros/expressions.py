"""Numeric expressions over the state before a macro: normal forms, and values that depend on conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from pddl2nl.pddl import Arithmetic, Condition, Expression, Number, write_expression
from pddlval.names import fluents_in

__all__ = ["Case", "Value", "divides", "difference", "normal", "product", "quotient", "total"]

ZERO = Number(Fraction(0))
_Monomial = tuple[Expression, ...]
_Polynomial = dict[_Monomial, Fraction]


@dataclass(frozen=True)
class Value:
    """What a fluent is worth: ``amount``, or that much more than before the macro.

    ``touched`` says that an update happened, ``loose`` that the amount reads a fluent which may have had no value
    before, and which an update has given one since: it counted as 0 there, which no expression can say.
    """

    amount: Expression = ZERO
    relative: bool = True
    touched: bool = False
    loose: bool = False


@dataclass(frozen=True)
class Case:
    """A value under a condition; the cases of one fluent exclude each other, and one of them always holds."""

    guard: Condition
    value: Value


def total(one: Expression, other: Expression) -> Expression:
    """The sum."""
    return normal(Arithmetic("+", (one, other)))


def difference(one: Expression, other: Expression) -> Expression:
    """The difference."""
    return normal(Arithmetic("-", (one, other)))


def product(one: Expression, other: Expression) -> Expression:
    """The product."""
    return normal(Arithmetic("*", (one, other)))


def quotient(one: Expression, other: Expression) -> Expression:
    """The quotient."""
    return normal(Arithmetic("/", (one, other)))


def divides(expression: Expression) -> bool:
    """Whether an expression divides by what may be zero."""
    if not isinstance(expression, Arithmetic):
        return False
    if expression.operator == "/":
        for divisor in expression.operands[1:]:
            known = _constant(normal(divisor))
            if known is None or known == 0:
                return True
    return any(map(divides, expression.operands))


def normal(expression: Expression) -> Expression:
    """The expression as a sum of products, numbers worked out; as it is where that would lose what it reads."""
    if not isinstance(expression, Arithmetic):
        return expression
    polynomial = _polynomial(expression)
    if any(_endless(number) for number in polynomial.values()):
        return expression
    found = _written(polynomial)
    same = set(fluents_in(found)) == set(fluents_in(expression)) and divides(found) == divides(expression)
    return found if same else expression


def _endless(number: Fraction) -> bool:
    """Whether a number has no decimal writing that ends."""
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest != 1


def _constant(expression: Expression) -> Fraction | None:
    return expression.value if isinstance(expression, Number) else None


def _polynomial(expression: Expression) -> _Polynomial:
    if isinstance(expression, Number):
        return {(): expression.value} if expression.value else {}
    if not isinstance(expression, Arithmetic):
        return {(expression,): Fraction(1)}
    first, *rest = [_polynomial(operand) for operand in expression.operands]
    if expression.operator == "-" and not rest:
        return _scaled(first, Fraction(-1))
    for at, other in enumerate(rest, 1):
        if expression.operator == "+":
            first = _sum(first, other)
        elif expression.operator == "-":
            first = _sum(first, _scaled(other, Fraction(-1)))
        elif expression.operator == "*":
            first = _times(first, other)
        elif set(other) == {()}:
            first = _scaled(first, 1 / other[()])
        else:
            opaque = Arithmetic("/", (_written(first), normal(expression.operands[at])))
            first = {(opaque,): Fraction(1)}
    return first


def _sum(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    found = dict(one)
    for monomial, number in other.items():
        found[monomial] = found.get(monomial, Fraction(0)) + number
    return {monomial: number for monomial, number in found.items() if number}


def _scaled(one: _Polynomial, by: Fraction) -> _Polynomial:
    return {monomial: number * by for monomial, number in one.items() if by}


def _times(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    found: _Polynomial = {}
    for first, number in one.items():
        for second, factor in other.items():
            monomial = tuple(sorted((*first, *second), key=write_expression))
            found = _sum(found, {monomial: number * factor})
    return found


def _written(polynomial: Mapping[_Monomial, Fraction]) -> Expression:
    # A constant comes last, as people write it.
    ordered = sorted(polynomial.items(), key=lambda item: item[0] == ())
    more = list(_terms((monomial, number) for monomial, number in ordered if number > 0))
    less = list(_terms((monomial, -number) for monomial, number in ordered if number < 0))
    if not more and len(less) == 1 and isinstance(less[0], Number):
        return Number(-less[0].value)
    if not less:
        return _added(more)
    return Arithmetic("-", (_added(more), _added(less))) if more else Arithmetic("-", (_added(less),))


def _terms(items: Iterator[tuple[_Monomial, Fraction]]) -> Iterator[Expression]:
    for monomial, number in items:
        factors = monomial if number == 1 and monomial else (Number(number), *monomial)
        yield factors[0] if len(factors) == 1 else Arithmetic("*", tuple(factors))


def _added(terms: list[Expression]) -> Expression:
    if not terms:
        return ZERO
    return terms[0] if len(terms) == 1 else Arithmetic("+", tuple(terms))
