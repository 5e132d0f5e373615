"""Reasons: why a condition does not hold, said of the smallest parts of it that fail (`validators.semantics.unmet`).

The forms, with those of `pddl2nl.nl.tell`::

    REASON := negated snippet filled | "it is not the case that " FACT        an unmet atom, derived ones included
            | FACT                                                            an unmet negation
            | n " and " n " are different objects" | … " are the same object" an unmet equality, inequality
            | EXPRESSION " is " NUMBER ", which is not " COMPARED             an unmet comparison, in a known state
            | EXPRESSION " is " NUMBER ", which is " COMPARED                 the negation of one
            | "it is not the case that (" C ")"                               a comparison where no state is known
            | EXPRESSION " is undefined" [", since it divides by zero"]       a fluent or a division without a value
            | "neither (" C ") nor (" C ") nor …"                             an unmet or
            | "it would have to be the case that ((" C ") or (" C ") …)"      one with a negation in it
            | "although (" C "), it is not the case that (" C ")"             an unmet imply
            | "there is no " WORD A " and no " WORD B " such that (" C ")"    an unmet exists
    COMPARED := "at least | at most | more than | less than | equal to " EXPRESSION [" (" NUMBER ")"]
    REASONS  := REASON { " and " REASON }                                     where all are literals
              | REASON { ", and " REASON }                                    where some are not
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.nl.compose import COMPARISONS, Phrases, Scope, number_text
from pddl2nl.nl.negation import NOT_SO
from pddl2nl.pddl.tree import (
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Expression,
    Fluent,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
)

if TYPE_CHECKING:
    from validators import State

__all__ = ["Reasons", "is_undefined", "join_reasons", "short_number", "value_in"]

_LONGEST = 12
_FLIPPED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}


@dataclass(frozen=True)
class Reasons:
    """Says why ground conditions do not hold; in a known state, with the numbers of that state."""

    phrases: Phrases
    scope: Scope
    state: State | None = None

    def all_of(self, conditions: Iterable[Condition]) -> str:
        """The reasons for several conditions, joined; empty where there is none."""
        conditions = tuple(conditions)
        return join_reasons(conditions, [self.of(condition) for condition in conditions])

    def of(self, condition: Condition) -> str:
        """Why one condition does not hold: ``block_1 is not clear``."""
        match condition:
            case Or(parts=(only,)):
                return self.of(only)
            case Or(parts=()):
                return "something impossible is asked for"
            case Or(parts=parts):
                return self._none_of(parts)
            case Imply(left=left, right=right) if not isinstance(right, Not):
                said = self.phrases.condition(right, self.scope)
                return f"although ({self.phrases.condition(left, self.scope)}), {NOT_SO}({said})"
            case Imply():
                return f"it would have to be the case that ({self.phrases.condition(condition, self.scope)})"
            case Exists(parameters=parameters, body=body) if parameters:
                inner = self.scope.bind(parameters)
                none = " and ".join(
                    f"no {self.phrases.type_words(item)} {inner.said(item.name)}" for item in parameters
                )
                return f"there is {none} such that ({self.phrases.condition(body, inner)})"
            case Comparison() if is_undefined(condition):
                return self._undefined(condition.left)
            case Comparison():
                return self._comparison(condition, holds=False) or self.phrases.reason(condition, self.scope)
            case Not(body=Comparison() as body):
                return self._comparison(body, holds=True) or self.phrases.reason(condition, self.scope)
        return self.phrases.reason(condition, self.scope)

    def contradiction(self, fluent: GroundAtom) -> str:
        """That an action's numeric effects on a fluent contradict each other."""
        return f"it would change {self.fluent(fluent)} in more than one way at once"

    def fluent(self, fluent: GroundAtom) -> str:
        """A ground numeric fluent in the words of its snippet."""
        return self.phrases.expression(Fluent(fluent[0], tuple(fluent[1:])), self.scope)

    def _none_of(self, parts: tuple[Condition, ...]) -> str:
        said = [f"({self.phrases.condition(part, self.scope)})" for part in parts]
        if any(isinstance(part, Not) for part in parts):
            # "neither … nor" of what is itself a negation says it twice.
            return f"it would have to be the case that ({' or '.join(said)})"
        return f"neither {' nor '.join(said)}"

    def _undefined(self, expression: Expression) -> str:
        said = self.phrases.expression(expression, self.scope)
        return f"{said} is undefined{', since it divides by zero' if isinstance(expression, Arithmetic) else ''}"

    def _comparison(self, comparison: Comparison, *, holds: bool) -> str:
        """A comparison with the values of its sides; empty where they are not known."""
        left, right, operator = comparison.left, comparison.right, comparison.operator
        if isinstance(left, Number):
            left, right, operator = right, left, _FLIPPED[operator]
        one, other = value_in(self.state, left), value_in(self.state, right)
        if one is None or other is None:
            return ""
        compared = f"{'' if holds else 'not '}{COMPARISONS[operator]} {self.phrases.expression(right, self.scope)}"
        if not isinstance(right, Number):
            compared += f" ({short_number(other)})"
        if isinstance(left, Number):
            return f"{short_number(one)} is {compared}"
        return f"{self.phrases.expression(left, self.scope)} is {short_number(one)}, which is {compared}"


def join_reasons(conditions: Iterable[Condition], reasons: Iterable[str]) -> str:
    """Reasons for some conditions in one sentence: a comma parts them where one is more than a literal."""
    simple = all(
        isinstance(condition.body if isinstance(condition, Not) else condition, Atom | Equality)
        for condition in conditions
    )
    return (" and " if simple else ", and ").join(reasons)


def short_number(value: Fraction) -> str:
    """A number as it is told where nobody reads it back: exactly if that is short, else ``about 0.0536``."""
    from validators.numeric import as_float

    if value.denominator < 10**_LONGEST:
        exactly = number_text(value)
        if len(exactly) <= _LONGEST or value.denominator == 1:
            return exactly
    return f"about {as_float(value):.6g}"


def is_undefined(condition: Condition) -> bool:
    """Whether a condition stands for an expression without a value, as in ``(= (f a) (f a))``."""
    return isinstance(condition, Comparison) and condition.operator == "=" and condition.left == condition.right


def value_in(state: State | None, expression: Expression) -> Fraction | None:
    """The value of a ground expression in a state; None where it has none, or no state is known."""
    if isinstance(expression, Number):
        return expression.value
    if state is None:
        return None
    from validators.numeric import UndefinedError, evaluate

    try:
        return Fraction(evaluate(expression, state.level))
    except UndefinedError:
        return None
