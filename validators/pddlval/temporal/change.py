"""Numbers that change linearly between two happenings: where conditions on them can become true or false."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from pddl2nl.pddl import (
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    UnsupportedError,
)
from pddl2nl.pddl.tree import children
from pddlval.numeric import UndefinedError, calculate, evaluate
from pddlval.schemas import Change, Outcome
from pddlval.semantics import Binding, choices, ground_fluent
from pddlval.state import Number, State

Slopes = Mapping[GroundAtom, Number]
"""By how much fluents grow in every unit of time."""


def outcome_after(slopes: Slopes, time: Fraction) -> Outcome:
    """What has changed after some time."""
    return Outcome(updates=tuple([Change(fluent, "increase", slope * time) for fluent, slope in slopes.items()]))


def instants(
    conditions: Iterable[tuple[Condition, Binding]], state: State, slopes: Slopes, length: Fraction
) -> list[Fraction]:
    """Times inside an open interval that show everything that some conditions do in it.

    A comparison of linear functions changes its truth only where both sides are equal, so each of these times is one,
    and between any two of them, and between them and the ends, there is one more.

    Args:
        conditions: with the objects of their variables.
        state: the state at the beginning of the interval.
        slopes: how fluents change.
        length: of the interval.

    Raises:
        UnsupportedError: a side is no linear function of time.
    """
    crossings = {Fraction(0), length}
    for condition, binding in conditions:
        for comparison, objects in _comparisons(condition, state, binding):
            crossings.update(_crossings(comparison, objects, state, slopes, length))
    ordered = sorted(crossings)
    return sorted({(one + other) / 2 for one, other in pairwise(ordered)}.union(ordered[1:-1]))


def _comparisons(condition: Condition, state: State, binding: Binding) -> Iterator[tuple[Comparison, Binding]]:
    match condition:
        case Comparison():
            yield condition, binding
        case Atom(predicate) if predicate in state.layout.partial:
            raise UnsupportedError(
                f"the derived predicate '{predicate}' compares numbers while numbers change continuously,"
                " which cannot be executed"
            )
        case Forall(parameters, body) | Exists(parameters, body):
            for chosen in choices(parameters, state, binding):
                yield from _comparisons(body, state, chosen)
        case _:
            for part in children(condition):
                yield from _comparisons(part, state, binding)  # type: ignore[arg-type]


def _crossings(
    comparison: Comparison, binding: Binding, state: State, slopes: Slopes, length: Fraction
) -> Iterator[Fraction]:
    """Where the sides of a comparison are equal, or differ by the tolerance."""
    try:
        sides = [_linear(side, binding, state, slopes) for side in (comparison.left, comparison.right)]
    except UndefinedError:
        # It is reported where the condition is read.
        return
    (one, first), (other, second) = sides
    if first != second:
        for slack in {Fraction(0), state.tolerance, -state.tolerance}:
            time = Fraction(slack + other - one) / (first - second)
            if 0 < time < length:
                yield time


def _linear(expression: Expression, binding: Binding, state: State, slopes: Slopes) -> tuple[Number, Number]:
    """The value of an expression at the beginning of an interval, and its slope."""
    match expression:
        case Fluent():
            return evaluate(expression, state.level, binding), slopes.get(ground_fluent(expression, binding), 0)
        case Arithmetic(operator, operands):
            parts = [_linear(operand, binding, state, slopes) for operand in operands]
            value = evaluate(expression, state.level, binding)
            if operator in "+-":
                return value, calculate(operator, [slope for _, slope in parts])
            changing = [place for place, (_, slope) in enumerate(parts) if slope]
            if not changing:
                return value, 0
            if len(changing) == 1 and (operator == "*" or changing == [0]):
                factors = [slope if place in changing else one for place, (one, slope) in enumerate(parts)]
                return value, calculate(operator, factors)
            raise UnsupportedError(f"{expression} is not linear in time where it is compared, which cannot be executed")
    return evaluate(expression, state.level, binding), 0
