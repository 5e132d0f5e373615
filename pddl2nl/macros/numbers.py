"""The values of fluents after some steps, expressed over the state before them.

A fluent's value follows by cases: whether an update happens can depend on conditions and on which parameters are the
same object.

Fluents without a value are treated as in the simulator: an action that reads one is not applicable, and an increase or
decrease counts it as 0. No expression of PDDL can say the latter, so reading such a fluent later is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, negation, replaced
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.simplify import Facts, Names, Simplifier, matched, renamed
from pddl2nl.pddl import ActionSchema, Arithmetic, Condition, Expression, Fluent, Number, Update, substitute
from pddl2nl.pddl.tree import write_number
from pddlval.formulas import fluents_in, updates_in

ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up in any order."""

ZERO = Number(Fraction(0))
_ONE = Number(Fraction(1))
_SIGNS = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}
_MOST_CASES = 64

# ── expressions ──────────────────────────────────────────────────────────────────────────────────

_Sum = dict[Expression, Fraction]
"""A sum of terms with factors; a constant is a multiple of `_ONE`."""


def total(one: Expression, other: Expression) -> Expression:
    """The sum."""
    return normal(Arithmetic("+", (one, other)))


def divides(expression: Expression) -> bool:
    """Whether an expression divides by what may be zero."""
    if not isinstance(expression, Arithmetic):
        return False
    if expression.operator == "/":
        divisors = map(normal, expression.operands[1:])
        if not all(isinstance(divisor, Number) and divisor.value for divisor in divisors):
            return True
    return any(map(divides, expression.operands))


def normal(expression: Expression) -> Expression:
    """The expression with equal terms added; unchanged if it would no longer read the same fluents."""
    if not isinstance(expression, Arithmetic):
        return expression
    terms = _terms(expression)
    # Numbers without a finite decimal form could only be written as quotients.
    if any(write_number(factor).startswith("(/") for factor in terms.values()):
        return expression
    result = _written(terms)
    same = set(fluents_in(result)) == set(fluents_in(expression)) and divides(result) == divides(expression)
    return result if same else expression


def _terms(expression: Expression) -> _Sum:
    if isinstance(expression, Number):
        return {_ONE: expression.value} if expression.value else {}
    if not isinstance(expression, Arithmetic):
        return {expression: Fraction(1)}
    first, *rest = map(_terms, expression.operands)
    if not rest:
        return _plus({}, first, Fraction(-1))
    for other in rest:
        constant = other.get(_ONE, Fraction(0)) if set(other) <= {_ONE} else None
        if expression.operator in "+-":
            first = _plus(first, other, Fraction(1 if expression.operator == "+" else -1))
        elif constant is not None and (constant or expression.operator == "*"):
            first = _plus({}, first, constant if expression.operator == "*" else 1 / constant)
        elif expression.operator == "*" and set(first) <= {_ONE}:
            first = _plus({}, other, first.get(_ONE, Fraction(0)))
        else:
            first = {Arithmetic(expression.operator, (_written(first), _written(other))): Fraction(1)}
    return first


def _plus(one: _Sum, other: _Sum, factor: Fraction) -> _Sum:
    result = dict(one)
    for term, number in other.items():
        result[term] = result.get(term, Fraction(0)) + number * factor
    return {term: number for term, number in result.items() if number}


def _written(terms: _Sum) -> Expression:
    # Constants last, as usual.
    ordered = sorted(terms.items(), key=lambda item: item[0] == _ONE)
    more = [_multiple(term, number) for term, number in ordered if number > 0]
    less = [_multiple(term, -number) for term, number in ordered if number < 0]
    if not less:
        return _added(more)
    if not more and isinstance(less[0], Number):
        return Number(-less[0].value)
    return Arithmetic("-", (_added(more), _added(less)) if more else (_added(less),))


def _multiple(term: Expression, number: Fraction) -> Expression:
    if term == _ONE:
        return Number(number)
    return term if number == 1 else Arithmetic("*", (Number(number), term))


def _added(terms: Sequence[Expression]) -> Expression:
    if not terms:
        return ZERO
    return terms[0] if len(terms) == 1 else Arithmetic("+", tuple(terms))


# ── values ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class NumericChange:
    """A numeric update under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    change: Update


@dataclass(frozen=True)
class Case:
    """A value of a fluent under a condition; the cases of one fluent are exclusive and exhaustive.

    The value is ``amount``, or ``amount`` more than before the macro if ``relative``. ``touched``: it was updated.
    """

    guard: Condition = TRUE
    amount: Expression = ZERO
    relative: bool = True
    touched: bool = False


class RegressedValues:
    """The values of fluents after the steps so far.

    Attributes:
        changes: the updates of each step.
        valued: fluents that the steps always read, so that the macro is applicable only if they have values.
    """

    def __init__(self, simplifier: Simplifier, facts: Facts):
        self.simplifier = simplifier
        self.facts = facts
        self.changes: list[NumericChange] = []
        self.valued: set[Fluent] = set()

    def guard(self, one: Condition, other: Condition) -> Condition:
        """The conjunction of two conditions, simplified."""
        if other == TRUE:
            return one
        if one == TRUE:
            return other
        return self.simplifier.simplify(conjunction((one, other)), self.facts)

    def expression(self, expression: Expression, names: Names, certain: bool) -> list[tuple[Condition, Expression]]:
        """The value of an expression, by exclusive cases.

        Args:
            expression: as in the domain.
            names: the macro's terms for its variables.
            certain: whether the macro always reads it, so that it is applicable only if the expression has a value.

        Raises:
            CannotComposeError: the value cannot be expressed, or a fluent may have no value.
        """
        match expression:
            case Fluent(name, args):
                return self._read(Fluent(name, renamed(args, names)), certain)
            case Arithmetic(operator, operands):
                combined: list[tuple[Condition, tuple[Expression, ...]]] = [(TRUE, ())]
                for operand in operands:
                    more = self.expression(operand, names, certain)
                    pairs = ((self.guard(g, h), (*done, e)) for g, done in combined for h, e in more)
                    combined = [pair for pair in pairs if pair[0] != FALSE]
                    _refuse_many(len(combined))
                return [(guard, normal(Arithmetic(operator, done))) for guard, done in combined]
            case Number():
                return [(TRUE, expression)]
        raise CannotComposeError(f"'{expression.name}' cannot be part of a macro-action", "not executable")

    def _read(self, fluent: Fluent, certain: bool) -> list[tuple[Condition, Expression]]:
        readings = []
        cases = self.of(fluent)
        for case in cases:
            if case.relative and not self.is_valued(fluent, case.guard):
                if case.touched or not certain:
                    raise no_value(fluent)
                if len(cases) == 1:
                    self.valued.add(fluent)
            # The step that changed it may have read the amount only under a condition.
            self.require(fluents_in(case.amount), case.guard)
            readings.append((case.guard, self._absolute(case, fluent)))
        return readings

    @staticmethod
    def _absolute(case: Case, fluent: Fluent) -> Expression:
        if not case.relative:
            return case.amount
        return total(fluent, case.amount) if case.touched else fluent

    def is_valued(self, fluent: Fluent, guard: Condition = TRUE) -> bool:
        """Whether a fluent certainly has a value before the macro, given a condition."""
        if fluent.name in self.simplifier.scope.total or fluent in self.valued:
            return True
        facts = self.facts.extended(guard)
        return any(other.name == fluent.name and facts.same(other.args, fluent.args) for other in self.valued)

    def require(self, fluents: Iterable[Fluent], guard: Condition = TRUE) -> None:
        """Raises `CannotComposeError` if a fluent may have no value."""
        for fluent in fluents:
            if not self.is_valued(fluent, guard):
                raise no_value(fluent)

    def of(self, fluent: Fluent) -> list[Case]:
        """The value of a fluent."""
        cases = [Case()]
        for change in self.changes:
            if change.change.fluent.name != fluent.name:
                continue
            happens, amount = self._update(change, fluent)
            if happens == FALSE:
                continue
            updated = []
            for case in cases:
                changed = self.guard(case.guard, happens)
                if changed != FALSE:
                    updated.append(self._after(case, changed, change.change.operator, amount, fluent))
                kept = FALSE if happens == TRUE else self.guard(case.guard, negation(happens))
                if kept != FALSE:
                    updated.append(Case(kept, case.amount, case.relative, case.touched))
            cases = updated
            _refuse_many(len(cases))
        return cases

    def _update(self, change: NumericChange, fluent: Fluent) -> tuple[Condition, Expression]:
        """When an update happens to a fluent, and its amount then."""
        happens, binding = bound(change, fluent, self.simplifier)
        return self.simplifier.simplify(happens, self.facts), substitute(change.change.value, binding)

    def _after(self, case: Case, guard: Condition, operator: str, amount: Expression, fluent: Fluent) -> Case:
        if operator == "assign":
            return Case(guard, amount, relative=False, touched=True)
        if operator in ADDITIVE:
            return Case(guard, normal(Arithmetic(_SIGNS[operator], (case.amount, amount))), case.relative, touched=True)
        if case.relative:
            self.require([fluent], guard)
        scaled = normal(Arithmetic(_SIGNS[operator], (self._absolute(case, fluent), amount)))
        return Case(guard, scaled, relative=False, touched=True)


def bound(change: NumericChange, fluent: Fluent, simplifier: Simplifier) -> tuple[Condition, Mapping[str, str]]:
    """When an update happens to a fluent, and the binding of its variables then.

    Raises:
        CannotComposeError: it happens for each of many objects.
    """
    if any(name not in change.change.fluent.args for name in change.variables):
        raise CannotComposeError(
            f"'{fluent.name}' is read or set after a step that changes it for each of many objects, and PDDL has no"
            " sums over objects",
            "sum over objects",
        )
    same, binding = matched(change.change.fluent.args, change.variables, fluent.args, simplifier)
    return (FALSE if same == FALSE else conjunction((same, replaced(change.condition, binding)))), binding


def _refuse_many(cases: int) -> None:
    if cases > _MOST_CASES:
        raise CannotComposeError(
            f"a number in the macro has more than {_MOST_CASES} possible values: compose fewer steps at a time",
            "too large",
        )


def no_value(fluent: Fluent) -> CannotComposeError:
    """The error for reading a fluent that may have no value."""
    return CannotComposeError(
        f"{fluent} may have no value before the macro, and counts as 0 where a step increases it: no formula of PDDL"
        f" says that of an undefined fluent; name '{fluent.name}' among the total functions where it always has"
        f" one (--total {fluent.name})",
        "undefined fluent",
    )


def mixed_functions(schemas: Sequence[ActionSchema]) -> frozenset[str]:
    """The functions that several steps change with operators that do not add up."""
    updates = [list(updates_in(schema.effect)) for schema in schemas]
    steps = Counter(name for own in updates for name in {update.fluent.name for update in own})
    set_or_scaled = {update.fluent.name for own in updates for update in own if update.operator not in ADDITIVE}
    return frozenset(name for name in set_or_scaled if steps[name] > 1)
