"""Why a condition does not hold, told of its smallest parts that fail (`pddlval.semantics.unmet`).

The forms, with those of `pddl2nl.nl.telling.teller`::

    REASON := negated snippet filled | "it is not the case that " FACT        an unmet atom, also a derived one
            | FACT                                                            an unmet negation
            | n " and " n " are different objects" | … " are the same object" an unmet equality, inequality
            | EXPRESSION " is " NUMBER ", which is not " COMPARED             an unmet comparison, in a known state
            | EXPRESSION " is " NUMBER ", which is " COMPARED                 the negation of one
            | "it is not the case that (" C ")"                               a comparison where no state is known
            | EXPRESSION " is undefined" [", since it divides by zero"]       a fluent or a division without a value
            | "neither (" C ") nor (" C ") nor …"                             an unmet or
            | HOLDS " while " HOLDS { " and " HOLDS }                         one of negations alone
            | "even though " HOLDS { " and " HOLDS } ", " REASON              an unmet imply, an or with a negation
            | "there is no " WORD A " and no " WORD B " such that (" C ")"    an unmet exists
    COMPARED := "at least | at most | more than | less than | equal to " EXPRESSION [" (" NUMBER ")"]
    HOLDS    := FACT | NOT | EQ | "(" C ")"                                   what is the case and should not be
    REASONS  := REASON { " and " REASON }                                     where all are literals
              | REASON { ", and " REASON }                                    where some are not, or begin "it is not"

An unmet ``imply`` or ``or`` comes down to facts that hold (*premises*) and to *alternatives* none of which does: of
"if A and B, then C or D" A and B are premises, C and D the alternatives. In a known state each is cut down to what
makes it so there: of a true ``exists`` one object that it is true of, of a false ``and`` its false members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from pddl2nl.nl.telling.phrases import COMPARISONS, Phrases, Scope, is_literal
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.pddl.rewriting import substitute
from pddl2nl.pddl.tree import (
    And,
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
    number_text,
)

if TYPE_CHECKING:
    from pddlval import State

_LONGEST = 12
"""The most characters of a number that is told exactly."""
_LONG = 400
"""Longer reasons are replaced by a shorter text that names no objects."""
_MOST_WITNESSES = 20_000
"""The most choices of objects that are tried to find a witness of an ``exists``."""
_FLIPPED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}


@dataclass(frozen=True)
class Reasons:
    """Says why ground conditions do not hold; in a known state, with the numbers of that state."""

    phrases: Phrases
    scope: Scope
    state: State | None = None

    def all_of(self, conditions: Iterable[Condition]) -> str:
        """The reasons for several conditions, joined; empty without one."""
        conditions = tuple(conditions)
        return join_reasons(conditions, [self.of(condition) for condition in conditions])

    def of(self, condition: Condition) -> str:
        """Why one condition does not hold: ``block_1 is not clear``."""
        match condition:
            case Or(parts=()):
                return "this is never possible"
            case Or() | Imply():
                return self._composite(unmet_parts(condition, self.state))
            case Exists(parameters=parameters, body=body) if parameters:
                inner = self.scope.bind(parameters)
                none = " and ".join(
                    f"no {self.phrases.type_words(item)} {inner.said(item.name)}" for item in parameters
                )
                return f"there is {none} such that ({self.phrases.condition(body, inner)})"
            case Comparison() if is_undefined(condition):
                said = self.phrases.expression(condition.left, self.scope)
                because = ", since it divides by zero" if isinstance(condition.left, Arithmetic) else ""
                return f"{said} is undefined{because}"
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

    def _composite(self, parts: UnmetParts) -> str:
        telling = [item for item in parts.premises if not self._goes_without_saying(item, parts.alternatives)]
        holding = [self._holds(premise) for premise in (telling if parts.alternatives else parts.premises)]
        missing = self._none_of(parts.alternatives)
        if not missing:
            return f"{holding[0]} while {' and '.join(holding[1:])}" if len(holding) > 1 else holding[0]
        return f"even though {' and '.join(holding)}, {missing}" if holding else missing

    def _goes_without_saying(self, premise: Condition, alternatives: tuple[Alternative, ...]) -> bool:
        """Whether a premise adds nothing: an object's equality with itself, or that a closed fridge can be opened."""
        if isinstance(premise, Equality):
            return premise.left == premise.right
        if not isinstance(premise, Atom) or premise.predicate in self.phrases.changed or len(alternatives) != 1:
            return False
        missing = alternatives[0].failing
        return all(isinstance(part, Atom) and set(premise.args) <= set(part.args) for part in missing)

    def _holds(self, condition: Condition) -> str:
        match condition:
            case Not(body=Atom() as atom):
                return self.phrases.reason(atom, self.scope)
            case Comparison():
                return self._comparison(condition, holds=True) or self.phrases.condition(condition, self.scope)
        said = self.phrases.holding(condition, self.scope)
        return said if is_literal(condition) else f"({said})"

    def _none_of(self, alternatives: tuple[Alternative, ...]) -> str:
        """That no alternative holds: the reasons of a single one; of several, what each needs."""
        if len(alternatives) > 1:
            return f"neither {' nor '.join(f'({self._vain(item)})' for item in alternatives)}"
        for whole, failing in alternatives:
            simple = len(failing) == 1 or all(is_literal(part) for part in failing)
            reasons = self.all_of(failing) if simple else " and ".join(f"({self.of(part)})" for part in failing)
            if len(reasons) <= _LONG:
                return reasons
            return min(reasons, f"{NOT_SO}({self.phrases.condition(whole, self.scope)})", key=len)
        return ""

    def _vain(self, alternative: Alternative) -> str:
        """What an alternative needs: its false parts, or all of it if that is shorter."""
        whole = self.phrases.condition(alternative.whole, self.scope)
        return min(" and ".join(self._asked(part) for part in alternative.failing), whole, key=len)

    def _asked(self, condition: Condition) -> str:
        said = self.phrases.condition(condition, self.scope)
        return said if is_literal(condition) else f"({said})"

    def _comparison(self, comparison: Comparison, *, holds: bool) -> str:
        left, right, operator = comparison.left, comparison.right, comparison.operator
        if isinstance(left, Number):
            left, right, operator = right, left, _FLIPPED[operator]
        one, other = value_in(self.state, left), value_in(self.state, right)
        if one is None or other is None:
            return ""
        bound = self.phrases.expression(right, self.scope)
        if isinstance(right, Arithmetic) and len(right.operands) > 1:
            bound = bound[1:-1]
        if not isinstance(right, Number):
            bound += f" ({short_number(other)})"
        compared = f"{'' if holds else 'not '}{COMPARISONS[operator]} {bound}"
        if isinstance(left, Number):
            return f"{short_number(one)} is {compared}"
        return f"{self.phrases.expression(left, self.scope)} is {short_number(one)}, which is {compared}"


def join_reasons(conditions: Iterable[Condition], reasons: Iterable[str]) -> str:
    """Reasons for some conditions in one sentence.

    They are separated by a comma if one of them is more than a literal or begins with "it is not the case that …".
    """
    reasons = tuple(reasons)
    simple = all(
        isinstance(condition.body if isinstance(condition, Not) else condition, Atom | Equality)
        for condition in conditions
    ) and not any(reason.startswith(NOT_SO) for reason in reasons)
    return (" and " if simple else ", and ").join(reasons)


def short_number(value: Fraction) -> str:
    """A number in an explanation: exact if that is short, else ``about 0.0536``."""
    from pddlval.numeric import as_float

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
    from pddlval.numeric import UndefinedError, evaluate

    try:
        return Fraction(evaluate(expression, state.level))
    except UndefinedError:
        return None


# ── the parts of a condition that does not hold ──────────────────────────────────────────────────


class Alternative(NamedTuple):
    """A condition that would make an ``or`` or ``imply`` true, and its smallest parts that are false."""

    whole: Condition
    failing: tuple[Condition, ...]


class UnmetParts(NamedTuple):
    """Why an ``or`` or ``imply`` is false: all premises hold, and none of the alternatives does."""

    premises: tuple[Condition, ...]
    alternatives: tuple[Alternative, ...]


def unmet_parts(condition: Condition, state: State | None) -> UnmetParts:
    """The parts of a ground ``or`` or ``imply`` that does not hold, in a state if that is known."""
    premises: list[Condition] = []
    alternatives: list[Alternative] = []
    for part in _disjuncts(condition):
        if isinstance(part, _Premise):
            premises += _true_parts(part.condition, state)
            continue
        failing = _false_parts(part, state)
        if all(isinstance(item, Not) and is_literal(item) for item in failing):
            premises += [item.body for item in failing if isinstance(item, Not)]
        else:
            alternatives.append(Alternative(part, failing))
    if len(alternatives) == 1:
        only, *others = alternatives[0].failing
        if isinstance(only, Or | Imply) and not others:
            inner = unmet_parts(only, state)
            premises += inner.premises
            alternatives = list(inner.alternatives)
    return UnmetParts(tuple(dict.fromkeys(premises)), tuple(dict.fromkeys(alternatives)))


class _Premise(NamedTuple):
    condition: Condition


def _disjuncts(condition: Condition) -> Iterator[Condition | _Premise]:
    from pddlval.formulas import opposite

    match condition:
        case Or(parts=parts):
            for part in parts:
                yield from _disjuncts(part)
        case Imply(left=left, right=right):
            yield _Premise(left)
            yield from _disjuncts(right)
        case Not(body=body) if not is_literal(condition):
            yield from _disjuncts(opposite(body))
        case _:
            yield condition


def _false_parts(condition: Condition, state: State | None) -> tuple[Condition, ...]:
    """The smallest false parts of a false condition; the whole condition if no state is given."""
    if state is None:
        return (condition,)
    from pddlval.numeric import UndefinedError
    from pddlval.semantics import unmet

    try:
        return unmet(condition, state, test=state.layout.holds) or (condition,)
    except UndefinedError:
        return (condition,)


def _true_parts(condition: Condition, state: State | None) -> tuple[Condition, ...]:
    """Parts of a true condition that make it true; the whole condition if no state is given."""
    from pddlval.formulas import opposite
    from pddlval.numeric import UndefinedError

    try:
        match condition:
            case And(parts=parts):
                return tuple(found for part in parts for found in _true_parts(part, state))
            case Not(body=body) if not is_literal(condition):
                return _true_parts(opposite(body), state)
            case Or(parts=parts) if state is not None:
                holding = [part for part in parts if state.layout.holds(part, state, {})]
                return min((_true_parts(part, state) for part in holding), key=len, default=(condition,))
            case Imply(left=left, right=right) if state is not None:
                return _true_parts(Or((opposite(left), right)), state)
            case Exists() if state is not None:
                found = _witness(condition, state)
                return (condition,) if found is None else _true_parts(found, state)
    except UndefinedError:
        pass
    return (condition,)


def _witness(condition: Exists, state: State) -> Condition | None:
    """The body of an ``exists`` for the first objects that satisfy it; None if they are not found soon."""
    names = [parameter.name for parameter in condition.parameters]
    choices = product(*(state.objects(parameter.types) for parameter in condition.parameters))
    for chosen in islice(choices, _MOST_WITNESSES):
        binding = dict(zip(names, chosen, strict=True))
        if state.layout.holds(condition.body, state, binding):
            return substitute(condition.body, binding)
    return None
