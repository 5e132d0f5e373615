"""What numeric fluents are worth after some steps of a macro, told over the state before them.

Undefined fluents are treated as the simulator treats them: an action that reads one does not run, and an increase or
a decrease counts it as 0. The first is what the same expression says of the state before the macro; the second is
something that no expression can say, so that reading such a fluent afterwards is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pddl2nl.macros.expressions import Case, Value, difference, normal, product, quotient, total
from pddl2nl.macros.facts import Facts
from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, negation, replaced_terms
from pddl2nl.macros.layers import Change, Layer, bound
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.simplify import Simplifier
from pddl2nl.pddl import Arithmetic, Condition, Expression, Fluent, Number
from pddlval.names import fluents_in

__all__ = ["ADDITIVE", "Numbers", "UnclearError", "no_value"]

Names = Mapping[str, str]
ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up, in whatever order."""

_MOST_CASES = 64


class UnclearError(Exception):
    """A comparison is reached only sometimes, and may have no truth value; ``refusal`` is what to say of it."""

    def __init__(self, refusal: CannotComposeError):
        super().__init__(str(refusal))
        self.refusal = refusal


class Numbers:
    """The values of fluents after the steps so far.

    Attributes:
        valued: the fluents that the steps read whatever happens, so that the macro runs only where they have values.
        valued_where: the same of fluents that are read wherever a condition holds, which no step reads otherwise.
        divided: what is worked out whatever happens and divides, so that the macro runs only where that is not by zero.
    """

    def __init__(self, simplifier: Simplifier, facts: Facts, layers: Sequence[Layer]):
        self.simplifier = simplifier
        self.facts = facts
        self.layers = layers
        self.valued: set[Fluent] = set()
        self.valued_where: dict[tuple[Condition, Fluent], None] = {}
        self.divided: dict[Expression, None] = {}

    def guard(self, one: Condition, other: Condition) -> Condition:
        """Both conditions, told as shortly as the facts allow."""
        if other == TRUE:
            return one
        if one == TRUE:
            return other
        return self.simplifier.simplify(conjunction((one, other)), self.facts)

    def cases(self, expression: Expression, names: Names, certain: bool) -> list[tuple[Condition, Expression]]:
        """What an expression is worth after all steps so far, by cases that exclude each other."""
        match expression:
            case Fluent(name, args):
                return self._read(Fluent(name, tuple([names.get(term, term) for term in args])), certain)
            case Arithmetic(operator, operands):
                found: list[tuple[Condition, tuple[Expression, ...]]] = [(TRUE, ())]
                for operand in operands:
                    more = self.cases(operand, names, certain)
                    pairs = ((self.guard(g, h), (*done, e)) for g, done in found for h, e in more)
                    found = [pair for pair in pairs if pair[0] != FALSE]
                    _refuse_many(len(found))
                return [(guard, normal(Arithmetic(operator, done))) for guard, done in found]
            case Number():
                return [(TRUE, expression)]
        raise CannotComposeError(f"'{expression.name}' cannot be part of a macro-action", "not executable")

    def _read(self, fluent: Fluent, certain: bool) -> list[tuple[Condition, Expression]]:
        found = []
        cases = self.values(fluent, len(self.layers))
        for case in cases:
            value = case.value
            valued = self.is_valued(fluent, case.guard)
            if value.loose or (value.relative and value.touched and not valued):
                raise no_value(fluent)
            if value.touched:
                # The step that changed it read the amount, but perhaps only under a condition.
                self._refuse_unread(value.amount, case.guard)
            if value.relative and not valued and not certain:
                raise UnclearError(no_value(fluent))
            amount = value.amount
            if value.relative:
                amount = total(fluent, amount) if value.touched else fluent
                if certain and len(cases) == 1:
                    self.valued.add(fluent)
            found.append((case.guard, amount))
        return found

    def _refuse_unread(self, amount: Expression, guard: Condition) -> None:
        for fluent in fluents_in(amount):
            if not self.is_valued(fluent, guard):
                raise no_value(fluent)

    def is_valued(self, fluent: Fluent, guard: Condition = TRUE) -> bool:
        """Whether a fluent certainly has a value before the macro, where a condition holds."""
        if fluent.name in self.simplifier.scope.total or fluent in self.valued:
            return True
        facts = self.facts.extended(guard)
        if any(other == fluent and self.simplifier.implies(facts, condition) for condition, other in self.valued_where):
            return True
        return any(
            other.name == fluent.name
            and all(facts.equal(one, two) for one, two in zip(other.args, fluent.args, strict=True))
            for other in self.valued
        )

    def note(self, fluent: Fluent) -> None:
        """Notes that the next step reads a fluent whatever happens, and so runs only where it has a value."""
        for case in self.values(fluent, len(self.layers)):
            if case.value.relative and not case.value.touched:
                if case.guard == TRUE:
                    self.valued.add(fluent)
                elif not self.is_valued(fluent, case.guard):
                    self.valued_where[case.guard, fluent] = None

    def values(self, fluent: Fluent, steps: int) -> list[Case]:
        """What a fluent is worth after so many steps."""
        found = [Case(TRUE, Value())]
        for layer in self.layers[:steps]:
            for change in layer.changing(fluent.name):
                found = self._updated(found, change, fluent)
        return found

    def _updated(self, cases: list[Case], change: Change, fluent: Fluent) -> list[Case]:
        matches = bound(change, fluent.args, self.simplifier)
        if matches is None:
            raise CannotComposeError(
                f"'{fluent.name}' is read after a step that changes it for each of many objects, and PDDL has no sums"
                " over objects",
                "sum over objects",
            )
        happens = self.simplifier.simplify(matches[0], self.facts)
        if happens == FALSE:
            return cases
        amount = replaced_terms(change.amount, matches[1])
        found = []
        for case in cases:
            changed = self.guard(case.guard, happens)
            if changed != FALSE:
                found.append(Case(changed, self._after(case, change.operator, amount, fluent)))
            if happens != TRUE:
                kept = self.guard(case.guard, negation(happens))
                if kept != FALSE:
                    found.append(Case(kept, case.value))
        _refuse_many(len(found))
        return found

    def _after(self, case: Case, operator: str, amount: Expression, fluent: Fluent) -> Value:
        value = case.value
        if operator == "assign":
            return Value(amount, relative=False, touched=True)
        if operator in ADDITIVE:
            changed = (total if operator == "increase" else difference)(value.amount, amount)
            return Value(changed, value.relative, touched=True, loose=value.loose)
        loose = value.loose or (value.relative and not self.is_valued(fluent, case.guard))
        before = total(fluent, value.amount) if value.relative else value.amount
        changed = (product if operator == "scale-up" else quotient)(before, amount)
        return Value(changed, relative=False, touched=True, loose=loose)


def _refuse_many(cases: int) -> None:
    if cases > _MOST_CASES:
        raise CannotComposeError(
            f"a number in the macro has more than {_MOST_CASES} possible values: compose fewer steps at a time",
            "too large",
        )


def no_value(fluent: Fluent) -> CannotComposeError:
    """The refusal of what reads a fluent that may have no value."""
    written = f"({' '.join((fluent.name, *fluent.args))})"
    return CannotComposeError(
        f"{written} may have no value before the macro, and counts as 0 where a step increases it: no formula of PDDL"
        f" says that of an undefined fluent; name '{fluent.name}' among the total functions where it always has"
        f" one (--total {fluent.name})",
        "undefined fluent",
    )
