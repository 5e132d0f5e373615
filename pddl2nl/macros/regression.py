"""Regression: conditions and values after some steps, expressed over the state before them, and the net effect.

An atom is true after a step if the step adds it, or if it was true before and the step does not delete it (Waldinger
1977; Pednault 1988). This can depend on conditions, on which parameters are the same object, and on quantified
variables; the value of a fluent follows by the same cases. Facts that earlier steps require are used at once, which
keeps formulas small.

Fluents without a value are treated as in the simulator: an action that reads one is not applicable, and an increase or
decrease counts it as 0. No expression of PDDL can say the latter, so reading such a fluent later is refused.

The net effect says when each atom that a step touches is true in the end, and the change of each number. Each part of
it is correct by itself: an atom is added only if it is true in the end, and deleted only if it is
false in the end or also added (an atom both deleted and added is added). So it suffices that one part covers each atom
whose truth changes; the shortest parts are chosen. Bound variables then get readable names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count

from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    Rules,
    as_said,
    conjunction,
    disjunction,
    disjuncts,
    equality,
    is_bound,
    negation,
    replaced,
    size,
    within,
)
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.simplify import Facts, Names, Simplifier, TermScope, matched, renamed
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Not,
    Number,
    Or,
    TypedName,
    Update,
    When,
    conjuncts,
    substitute,
)
from pddl2nl.pddl.tree import map_children, write_number
from pddlval.formulas import fluents_in, updates_in
from pddlval.semantics import compare

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


# ── regression ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Touch:
    """An atom that is added or deleted under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    atom: Atom
    positive: bool

    @property
    def change(self) -> Condition:
        return self.atom if self.positive else Not(self.atom)


Part = Touch | NumericChange
"""A part of an effect."""


def coincidence(touch: Touch, terms: tuple[str, ...], simplifier: Simplifier) -> Condition:
    """When an effect happens to the atom with the given terms."""
    same, binding = matched(touch.atom.args, touch.variables, terms, simplifier)
    if same == FALSE:
        return FALSE
    happens = conjunction((same, replaced(touch.condition, binding)))
    for name in touch.variables:
        if name not in binding:
            happens = simplifier.exists(name, happens)
    return happens


class Regression:
    """The steps of a macro, added one after the other.

    Attributes:
        needed: the parts of the weakest precondition so far.
        facts: what they imply about the state before the macro.
        opaque: parts of it in the domain's own form, because a fluent in them may have no value.
        values: the values of fluents after the steps.
        layers: the atoms that each step adds and deletes.
        mixed: functions that several steps change with operators that do not add up.
    """

    def __init__(self, domain: Domain, simplifier: Simplifier, mixed: Collection[str] = ()):
        self.simplifier = simplifier
        self.scope = simplifier.scope
        self.mixed = mixed
        self.needed: list[Condition] = []
        self.opaque: list[Condition] = []
        self.facts = Facts(self.scope)
        self.values = RegressedValues(simplifier, self.facts)
        self.layers: list[list[Touch]] = []
        self._truths: dict[tuple[Condition, tuple[tuple[str, ...], ...], int], Condition] = {}
        self._derived = Rules(domain)

    # ── steps ────────────────────────────────────────────────────────────────────────────────────

    def advance(self, schema: ActionSchema, names: Names) -> None:
        """Adds a step: an action with these terms for its parameters.

        Raises:
            CannotComposeError: its precondition or effect cannot be expressed over the state before the macro.
        """
        for part in conjuncts(schema.precondition):
            try:
                self.need(self.regressed(part, names, certain=True))
            except CannotComposeError:
                # It can stay as it is, with its order of evaluation, if no earlier step changes what it reads.
                if self._changes(part):
                    raise
                self.opaque.append(as_said(part, names))
        parts = list(self._parts(schema.effect, names, (), TRUE))
        changes = [part for part in parts if isinstance(part, NumericChange)]
        self._refuse_conflicts(changes)
        self.values.changes += changes
        self.layers.append([part for part in parts if isinstance(part, Touch)])

    def need(self, condition: Condition) -> None:
        condition = self.simplify(condition)
        if condition != TRUE:
            self.needed.append(condition)
            self.facts.assume(condition)

    def simplify(self, condition: Condition) -> Condition:
        return self.simplifier.simplify(condition, self.facts)

    def _changes(self, formula: Condition | Expression) -> bool:
        changed = {touch.atom.predicate for layer in self.layers for touch in layer}
        changed.update(change.change.fluent.name for change in self.values.changes)
        return not changed.isdisjoint(self._derived.mentioned(formula))

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def regressed(self, condition: Condition, names: Names, *, certain: bool = False) -> Condition:
        """A condition on the state after all steps so far, expressed over the state before them.

        Args:
            condition: as in the domain.
            names: the macro's terms for its free variables.
            certain: whether it is a part of the precondition, so that fluents in it must have values.

        Raises:
            CannotComposeError: it cannot be expressed, or may be undefined.
        """
        match condition:
            case Atom(predicate, args):
                for function in sorted(self._derived.functions(predicate) - self.scope.total):
                    raise no_value(Fluent(function))
                return self.truth(Atom(predicate, renamed(args, names)), len(self.layers))
            case Equality(left, right):
                before = equality(names.get(left, left), names.get(right, right))
            case Comparison():
                before = self._compared(condition, names, certain)
            case Not(body):
                return negation(self.regressed(body, names, certain=certain))
            case And(parts):
                before = conjunction(self.regressed(part, names) for part in parts)
            case Or(parts):
                before = disjunction(self.regressed(part, names) for part in parts)
            case Imply(left, right):
                before = disjunction((negation(self.regressed(left, names)), self.regressed(right, names)))
            case Forall(parameters, body) | Exists(parameters, body):
                own = self._fresh(parameters)
                before = self.regressed(body, {**names, **own})
                over = self.simplifier.exists if isinstance(condition, Exists) else self.simplifier.forall
                for name in reversed(own.values()):
                    before = over(name, before)
            case _:
                raise CannotComposeError(
                    f"{condition} cannot be part of a macro-action: it is no condition on one state", "not executable"
                )
        return self.simplify(before)

    def _fresh(self, parameters: tuple[TypedName, ...]) -> dict[str, str]:
        return {item.name: self.scope.fresh(item.types, item.name) for item in parameters}

    def truth(self, atom: Atom, steps: int) -> Condition:
        """Whether an atom is true after so many steps.

        Raises:
            CannotComposeError: it is derived by recursive rules from atoms that these steps change.
        """
        if atom.predicate in self._derived.names:
            # Only conditions mention derived atoms, and they are evaluated after all steps so far.
            assert steps == len(self.layers), "a derived atom is asked for in an earlier state"
            return self._derived_truth(atom)
        # The facts do not mention bound variables, so all those of the same types have the same result.
        names = {term: f"?!{place}" for place, term in enumerate(dict.fromkeys(filter(is_bound, atom.args)))}
        key = (replaced(atom, names), tuple(map(self.scope.types, names)), steps)
        if key not in self._truths:
            self._truths[key] = replaced(self._truth(atom, steps), names)
        return replaced(self._truths[key], {place: term for term, place in names.items()})

    def _truth(self, atom: Atom, steps: int) -> Condition:
        for at in range(steps - 1, -1, -1):
            added, deleted = self._happening(at, atom, True), self._happening(at, atom, False)
            if added == TRUE or deleted == TRUE:
                return added
            if added != FALSE or deleted != FALSE:
                before = self.truth(atom, at)
                return self.simplify(disjunction((added, conjunction((before, negation(deleted))))))
        return self.simplify(atom)

    def _happening(self, at: int, atom: Atom, positive: bool) -> Condition:
        touches = (t for t in self.layers[at] if t.atom.predicate == atom.predicate and t.positive is positive)
        return self.simplify(disjunction(coincidence(touch, atom.args, self.simplifier) for touch in touches))

    def _derived_truth(self, atom: Atom) -> Condition:
        if not self._changes(atom):
            return self.simplify(atom)
        if self._derived.recursive(atom.predicate):
            raise CannotComposeError(
                f"{atom} follows by rules that mention '{atom.predicate}' again from atoms that an earlier step"
                " changes: no formula of PDDL says what it will be",
                "derived predicates",
            )
        cases = []
        for parameters, condition in self._derived.rules(atom.predicate):
            own = {item.name: self.scope.fresh(item.types) for item in parameters}
            same, binding = matched(tuple(own.values()), tuple(own.values()), atom.args, self.simplifier)
            if same != FALSE:
                inner = {name: binding[fresh] for name, fresh in own.items()}
                cases.append(conjunction((same, self.regressed(condition, inner))))
        return self.simplify(disjunction(cases))

    def _compared(self, condition: Comparison, names: Names, certain: bool) -> Condition:
        lefts, rights = (self.values.expression(side, names, certain) for side in (condition.left, condition.right))
        parts = []
        for one, left in lefts:
            for other, right in rights:
                guard = self.values.guard(one, other)
                if (divides(left) or divides(right)) and not (certain and guard == TRUE):
                    raise CannotComposeError(f"{condition} may divide by zero where it is read", "division")
                if isinstance(left, Number) and isinstance(right, Number):
                    decided = TRUE if compare(condition.operator, left.value, right.value) else FALSE
                else:
                    decided = Comparison(condition.operator, left, right)
                parts.append(conjunction((guard, decided)))
        return disjunction(parts)

    # ── effects ──────────────────────────────────────────────────────────────────────────────────

    def _parts(self, effect: Effect, names: Names, variables: tuple[str, ...], condition: Condition) -> Iterator[Part]:
        for part in conjuncts(effect):
            match part:
                case Atom(predicate, args) | Not(Atom(predicate, args)):
                    positive = isinstance(part, Atom)
                    yield Touch(variables, condition, Atom(predicate, renamed(args, names)), positive)
                case Update():
                    yield from self._updates(part, names, variables, condition)
                case When(before, body):
                    here = self.simplify(conjunction((condition, self.regressed(before, names))))
                    if here != FALSE:
                        yield from self._parts(body, names, variables, here)
                case Forall(parameters, body):
                    own = self._fresh(parameters)
                    yield from self._parts(body, {**names, **own}, (*variables, *own.values()), condition)
                case _:
                    raise CannotComposeError(f"{part} cannot be part of a macro-action", "not executable")

    def _updates(
        self, update: Update, names: Names, variables: tuple[str, ...], condition: Condition
    ) -> Iterator[NumericChange]:
        fluent = Fluent(update.fluent.name, renamed(update.fluent.args, names))
        mixed = fluent.name in self.mixed
        certain = not (mixed or variables) and condition == TRUE
        try:
            cases = self.values.expression(update.value, names, certain)
        except CannotComposeError:
            # The update can stay as it is under the same condition.
            if mixed or self._changes(update.value):
                raise
            cases = [(TRUE, substitute(update.value, names))]
        for guard, amount in cases:
            here = self.values.guard(condition, guard)
            if here == FALSE:
                continue
            # If several steps set or scale a function, an amount may be overwritten and would then not be read.
            by_zero = update.operator == "scale-down" and not (isinstance(amount, Number) and amount.value)
            if mixed and (by_zero or divides(amount)):
                raise CannotComposeError(f"'{fluent.name}' is changed by what may divide by zero", "division")
            if mixed:
                self.values.require(fluents_in(amount), here)
            yield NumericChange(variables, here, Update(update.operator, fluent, amount))

    def _refuse_conflicts(self, changes: list[NumericChange]) -> None:
        """Requires that no fluent gets two values in one step; otherwise the simulator and VAL refuse it."""
        for at, one in enumerate(changes):
            for other in changes[at:]:
                fluent, operators = other.change.fluent, {one.change.operator, other.change.operator}
                if fluent.name not in self.mixed or fluent.name != one.change.fluent.name or operators <= ADDITIVE:
                    continue
                happens = bound(one, fluent, self.simplifier)[0]
                if other is not one:
                    bound(other, fluent, self.simplifier)
                    clash = conjunction((happens, other.condition))
                    for name in other.variables:
                        clash = self.simplifier.exists(name, clash)
                    self.need(negation(self.simplify(clash)))


# ── the net effect ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class _TouchedAtom:
    """An atom that a step touches, for all objects of some variables.

    ``final`` is when it is true in the end; ``adds`` the same if it was false before; ``deletes`` when it is false
    in the end if it was true before.
    """

    variables: tuple[str, ...]
    atom: Atom
    final: Condition
    adds: Condition
    deletes: Condition

    def add(self, condition: Condition = TRUE) -> Touch:
        return Touch(self.variables, condition, self.atom, True)

    def delete(self, condition: Condition = TRUE) -> Touch:
        return Touch(self.variables, condition, self.atom, False)


def net_literals(regression: Regression, facts: Facts) -> list[Touch]:
    """The literals of the effect of a sequence of steps, as one action that is applicable if the facts hold."""
    return _LiteralChoice(regression, facts).parts()


class _LiteralChoice:
    def __init__(self, regression: Regression, facts: Facts):
        self._regression = regression
        self._simplifier = regression.simplifier
        self._facts = facts
        self._parts: dict[_TouchedAtom, list[Touch]] = {}
        self._schemas: list[_TouchedAtom] = []
        for touch in (touch for layer in regression.layers for touch in layer):
            schema = self._schema(touch)
            if not any(self._covers(schema, one) and self._covers(one, schema) for one in self._schemas):
                self._schemas.append(schema)
        # Schemas with few atoms first, which leaves less for the others.
        widths = {schema: (len(schema.variables), len(self._below(schema))) for schema in self._schemas}
        self._schemas.sort(key=widths.__getitem__)

    def parts(self) -> list[Touch]:
        """The parts, deletes first, each kind in the order of the steps."""
        for schema in reversed(self._schemas):
            if schema in self._parts:
                continue
            if schema.adds == schema.deletes == FALSE:
                self._parts[schema] = []
            elif schema.final in (TRUE, FALSE):
                self._settle(schema, schema.add() if schema.final == TRUE else schema.delete())
            elif schema.variables and schema.deletes != FALSE:
                self._sweep(schema)
        for schema in self._schemas:
            if schema not in self._parts:
                self._parts[schema] = [part for part in self._single(schema) if part.condition != FALSE]
        return sorted((part for schema in self._schemas for part in self._parts[schema]), key=lambda p: p.positive)

    def _schema(self, touch: Touch) -> _TouchedAtom:
        scope, simplify, facts = self._regression.scope, self._simplifier.simplify, self._facts
        fresh = {name: scope.fresh(scope.types(name)) for name in touch.variables if name in touch.atom.args}
        atom = substitute(touch.atom, fresh)
        final = simplify(self._regression.truth(atom, len(self._regression.layers)), facts)
        adds = simplify(final, facts.extended(negation(atom)))
        deletes = simplify(negation(final), facts.extended(atom))
        return _TouchedAtom(tuple(fresh.values()), atom, final, adds, deletes)

    def _covers(self, one: _TouchedAtom, other: _TouchedAtom) -> bool:
        if one.atom.predicate != other.atom.predicate:
            return False
        return matched(one.atom.args, one.variables, other.atom.args, self._simplifier)[0] == TRUE

    def _below(self, schema: _TouchedAtom) -> list[_TouchedAtom]:
        return [other for other in self._schemas if other is not schema and self._covers(schema, other)]

    def _chosen(self) -> list[Touch]:
        return [part for parts in self._parts.values() for part in parts]

    def _settle(self, schema: _TouchedAtom, part: Touch) -> None:
        """Sets the part of a schema, which also covers all narrower schemas."""
        self._parts[schema] = [part]
        self._parts.update({other: [] for other in self._below(schema)})

    def _sweep(self, schema: _TouchedAtom) -> None:
        """Deletes all atoms of a schema and adds the few that are true in the end again, if that is right."""
        kept: dict[_TouchedAtom, Touch] = {}
        for other in self._below(schema):
            if other not in self._parts:
                condition = self._left(other.final, self._facts, self._hits(kept.values(), other.atom))
                if condition != FALSE:
                    kept[other] = other.add(condition)
        for other in [other for other, part in kept.items() if part.condition != TRUE]:
            rest = [part for place, part in kept.items() if place is not other]
            if self._always_added(schema, rest):
                del kept[other]
        if self._always_added(schema, kept.values()):
            self._settle(schema, schema.delete())
            self._parts.update({other: [part] for other, part in kept.items()})

    def _single(self, schema: _TouchedAtom) -> list[Touch]:
        """The parts for the atoms of one schema that are not covered yet."""
        chosen = self._chosen()
        added, gone = self._hits(chosen, schema.atom), self._hits(chosen, schema.atom, positive=False)
        if schema.deletes == FALSE:
            return [schema.add(self._left(schema.adds, self._facts.extended(negation(schema.atom)), added))]
        if self._readded(schema):
            return [schema.delete()]
        if schema.adds == FALSE:
            return [schema.delete(self._left(schema.deletes, self._facts.extended(schema.atom), gone))]
        refuted = self._simplifier.simplify(negation(schema.final), self._facts)
        refuted = min(refuted, conjunction((schema.atom, schema.deletes)), key=size)
        final = min(schema.final, conjunction((negation(schema.atom), schema.adds)), key=size)
        return [
            schema.delete(self._left(refuted, self._facts, gone)),
            schema.add(self._left(final, self._facts, added)),
        ]

    def _readded(self, schema: _TouchedAtom) -> bool:
        """Whether an atom that is true in the end is always added by another part, so that deleting it is harmless.

        An atom that is true before and after may be added again for that.
        """
        others = [other for other in self._schemas if other is not schema]
        later = (
            other for other in others if other not in self._parts and other.deletes == FALSE and other.adds != FALSE
        )
        known = [*self._chosen(), *(other.add(other.adds) for other in later)]
        if self._always_added(schema, known):
            return True
        for other in others:
            if other.final == TRUE and not self._parts.get(other) and self._always_added(schema, [*known, other.add()]):
                self._parts[other] = [other.add()]
                return True
        return False

    def _hits(self, parts: Iterable[Touch], atom: Atom, *, positive: bool = True) -> Condition:
        """When some parts add, or delete, an atom."""
        touches = (part for part in parts if part.positive is positive and part.atom.predicate == atom.predicate)
        return disjunction(coincidence(part, atom.args, self._simplifier) for part in touches)

    def _left(self, condition: Condition, facts: Facts, met: Condition) -> Condition:
        """The disjuncts of a condition that other parts do not cover."""
        if met == FALSE:
            return condition
        return disjunction(
            part for part in disjuncts(condition) if not self._simplifier.implies(facts.extended(part), met)
        )

    def _always_added(self, schema: _TouchedAtom, parts: Iterable[Touch]) -> bool:
        """Whether parts add each atom of a schema that is true in the end."""
        return self._left(schema.final, self._facts, self._hits(parts, schema.atom)) == FALSE


def net_updates(regression: Regression, facts: Facts) -> list[NumericChange]:
    """The numeric updates of the effect of a sequence of steps, as one action that is applicable if the facts hold.

    Raises:
        CannotComposeError: no effect of PDDL expresses them.
    """
    changes: dict[str, list[NumericChange]] = {}
    for change in regression.values.changes:
        changes.setdefault(change.change.fluent.name, []).append(change)
    net_changes: list[NumericChange] = []
    for function, own in changes.items():
        net_changes += _final_values(own, regression, facts) if function in regression.mixed else _side_by_side(own)
    return net_changes


def _side_by_side(changes: list[NumericChange]) -> list[NumericChange]:
    """Updates that can be combined: they add up, or belong to one step."""
    alone = all(change.change.operator in ADDITIVE for change in changes)
    sums: dict[Fluent, Expression] = {}
    apart: list[NumericChange] = []
    for change in changes:
        if not alone or change.variables or change.condition != TRUE:
            apart.append(change)
            continue
        operator, fluent, amount = change.change.operator, change.change.fluent, change.change.value
        if operator == "decrease":
            amount = Arithmetic("-", (amount,))
        sums[fluent] = total(sums[fluent], amount) if fluent in sums else amount
    return [*(NumericChange((), TRUE, _signed(fluent, normal(amount))) for fluent, amount in sums.items()), *apart]


def _signed(fluent: Fluent, amount: Expression) -> Update:
    if isinstance(amount, Number) and amount.value < 0:
        return Update("decrease", fluent, Number(-amount.value))
    if isinstance(amount, Arithmetic) and amount.operator == "-" and len(amount.operands) == 1:
        return Update("decrease", fluent, amount.operands[0])
    return Update("increase", fluent, amount)


def _final_values(changes: list[NumericChange], regression: Regression, facts: Facts) -> Iterator[NumericChange]:
    """The last value of each fluent that several steps set, scale or increase."""
    simplifier, scope = regression.simplifier, regression.scope
    seen: list[tuple[tuple[str, ...], Fluent]] = []
    for change in changes:
        fresh = {name: scope.fresh(scope.types(name)) for name in change.variables}
        fluent = substitute(change.change.fluent, fresh)
        elsewhere = TRUE
        for variables, other in seen:
            # A fluent gets one value: if two schemas can be the same fluent, the first one sets it.
            same, _ = matched(other.args, variables, fluent.args, simplifier)
            elsewhere = simplifier.simplify(conjunction((elsewhere, negation(same))), facts)
        if elsewhere == FALSE:
            continue
        seen.append((tuple(fresh.values()), fluent))
        for case in regression.values.of(fluent):
            condition = simplifier.simplify(conjunction((elsewhere, case.guard)), facts)
            if condition != FALSE and case.touched:
                update = _signed(fluent, case.amount) if case.relative else Update("assign", fluent, case.amount)
                yield NumericChange(tuple(fresh.values()), condition, update)


def readable_effect(parts: Sequence[Part], scope: TermScope, taken: frozenset[str]) -> Effect:
    """An effect: literals first, then conditional effects, then quantified ones; equal conditions are shared."""
    groups: dict[tuple[tuple[str, ...], ...], list[Part]] = {}
    for part in parts:
        groups.setdefault(tuple(scope.types(name) for name in part.variables), []).append(part)
    all_effects: list[Effect] = []
    for types in sorted(groups, key=len):
        own = _unused_names(scope, types, taken)
        body: dict[Condition, list[Effect]] = {TRUE: []}
        for part in groups[types]:
            binding = dict(zip(part.variables, own, strict=True))
            condition = readable_condition(replaced(part.condition, binding), scope, taken | {*own})
            body.setdefault(condition, []).append(substitute(part.change, binding))
        whens = [When(condition, _alone(changes)) for condition, changes in body.items() if condition != TRUE]
        effects = [*body[TRUE], *whens]
        if own:
            parameters = tuple(TypedName(name, kinds) for name, kinds in zip(own, types, strict=True))
            all_effects.append(Forall(parameters, _alone(effects)))
        else:
            all_effects += effects
    return And(tuple(all_effects))


def _alone(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _unused_names(scope: TermScope, types: Sequence[tuple[str, ...]], taken: frozenset[str]) -> list[str]:
    """A readable name for a bound variable of each of the types."""
    chosen: list[str] = []
    for own in types:
        names = (f"{scope.hint(own)}{number if number > 1 else ''}" for number in count(1))
        chosen.append(next(name for name in names if name not in taken and name not in chosen))
    return chosen


def readable_condition(condition: Condition, scope: TermScope, taken: frozenset[str]) -> Condition:
    """A condition with readable names, none of them taken, for its bound variables; atoms stand first."""
    match condition:
        case And(parts):
            return And(tuple(readable_condition(part, scope, taken) for part in sorted(parts, key=_rank)))
        case Not() | Or():
            return map_children(condition, lambda part: readable_condition(part, scope, taken))
        case Forall() | Exists():
            types = condition.parameters[0].types
            (name,) = _unused_names(scope, (types,), taken)
            body = readable_condition(within(condition, name), scope, taken | {name})
            parameters = (TypedName(name, types),)
            if type(body) is type(condition):
                return replace(condition, parameters=(*parameters, *body.parameters), body=body.body)
            return replace(condition, parameters=parameters, body=body)
    return condition


def _rank(part: Condition) -> int:
    """Atoms, negated atoms, equalities; the rest keeps its order, which matters if a number has no value."""
    inner = part.body if isinstance(part, Not) else part
    if isinstance(inner, Atom):
        return 1 if isinstance(part, Not) else 0
    return 2 if isinstance(inner, Equality) else 3
