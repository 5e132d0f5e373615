"""Regression: conditions after some steps, expressed over the state before them (Waldinger 1977; Pednault 1988).

An atom is true after a step if the step adds it, or if it was true before and the step does not delete it. This can
depend on conditions, on which parameters are the same object, and on quantified variables. A fluent's value follows in
the same way, by cases. Facts that earlier steps require are used at once, which keeps formulas small.

Fluents without a value are treated as in the simulator: an action that reads one is not applicable, and an increase or
decrease counts it as 0. No expression of PDDL can say the latter, so reading such a fluent later is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    Rules,
    as_said,
    closed,
    conjunction,
    disjunction,
    equality,
    is_bound,
    negation,
    replaced,
)
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.simplify import Facts, Simplifier
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
    write_expression,
)
from pddl2nl.pddl.tree import write_number
from pddlval.formulas import fluents_in, negation_normal, updates_in
from pddlval.semantics import compare

__all__ = [
    "Change",
    "Part",
    "Regression",
    "Touch",
    "coincidence",
    "matched",
    "mixed_functions",
    "no_value",
    "normal",
    "total",
]

ZERO = Number(Fraction(0))
_Monomial = tuple[Expression, ...]
_Polynomial = dict[_Monomial, Fraction]


@dataclass(frozen=True)
class Value:
    """The value of a fluent: ``amount``, or ``amount`` more than before the macro if ``relative``.

    ``touched``: an update happened. ``loose``: the amount reads a fluent that may have had no value before the macro
    and was updated since, so that it counted as 0.
    """

    amount: Expression = ZERO
    relative: bool = True
    touched: bool = False
    loose: bool = False


@dataclass(frozen=True)
class Case:
    """A value under a condition; the cases of one fluent are exclusive and exhaustive."""

    guard: Condition
    value: Value


def total(one: Expression, other: Expression) -> Expression:
    """The sum."""
    return normal(Arithmetic("+", (one, other)))


def divides(expression: Expression) -> bool:
    """Whether an expression divides by what may be zero."""
    if not isinstance(expression, Arithmetic):
        return False
    if expression.operator == "/":
        for divisor in expression.operands[1:]:
            known = normal(divisor)
            if not isinstance(known, Number) or known.value == 0:
                return True
    return any(map(divides, expression.operands))


def normal(expression: Expression) -> Expression:
    """The expression as a sum of products; unchanged if it would no longer read the same fluents."""
    if not isinstance(expression, Arithmetic):
        return expression
    polynomial = _polynomial(expression)
    # Numbers without a finite decimal form could only be written as quotients.
    if any(write_number(number).startswith("(/") for number in polynomial.values()):
        return expression
    found = _written(polynomial)
    same = set(fluents_in(found)) == set(fluents_in(expression)) and divides(found) == divides(expression)
    return found if same else expression


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
    # Constants last, as usual.
    ordered = sorted(polynomial.items(), key=lambda item: item[0] == ())
    more = list(_products((monomial, number) for monomial, number in ordered if number > 0))
    less = list(_products((monomial, -number) for monomial, number in ordered if number < 0))
    if not more and len(less) == 1 and isinstance(less[0], Number):
        return Number(-less[0].value)
    if not less:
        return _added(more)
    return Arithmetic("-", (_added(more), _added(less))) if more else Arithmetic("-", (_added(less),))


def _products(items: Iterator[tuple[_Monomial, Fraction]]) -> Iterator[Expression]:
    for monomial, number in items:
        factors = monomial if number == 1 and monomial else (Number(number), *monomial)
        yield factors[0] if len(factors) == 1 else Arithmetic("*", tuple(factors))


def _added(terms: list[Expression]) -> Expression:
    if not terms:
        return ZERO
    return terms[0] if len(terms) == 1 else Arithmetic("+", tuple(terms))


@dataclass(frozen=True)
class Touch:
    """An atom that a step adds or deletes under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    atom: Atom
    positive: bool


@dataclass(frozen=True)
class Change:
    """A numeric update of a step under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    operator: str
    fluent: Fluent
    amount: Expression


@dataclass(frozen=True)
class Part:
    """A literal or an update of the macro's effect under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    change: Condition


@dataclass
class Layer:
    """The effects of one step."""

    touches: list[Touch] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    def touching(self, predicate: str, positive: bool) -> list[Touch]:
        """Its touches of one predicate."""
        return [touch for touch in self.touches if touch.atom.predicate == predicate and touch.positive is positive]

    def changing(self, function: str) -> list[Change]:
        """Its updates of one function."""
        return [change for change in self.changes if change.fluent.name == function]


def matched(
    pattern: tuple[str, ...], variables: tuple[str, ...], terms: tuple[str, ...], simplifier: Simplifier
) -> tuple[Condition, dict[str, str]]:
    """When the arguments of an effect are the given terms, and the binding of its variables then.

    If a term may have a type outside a variable's range, the condition tests the type:
    ``(exists (?z - type) (= ?z ?term))``.
    """
    scope = simplifier.scope
    binding: dict[str, str] = {}
    parts: list[Condition] = []
    for name, term in zip(pattern, terms, strict=True):
        if name not in variables or name in binding:
            own = binding.get(name, name)
            if not scope.may_equal(own, term):
                return FALSE, {}
            parts.append(equality(own, term))
            continue
        types = scope.types(name)
        if not scope.fits(term, types):
            if not scope.may_fit(term, types):
                return FALSE, {}
            parts.append(_is_of(term, types, simplifier))
        binding[name] = term
    return conjunction(parts), binding


def _is_of(term: str, types: tuple[str, ...], simplifier: Simplifier) -> Condition:
    name = simplifier.scope.fresh(types)
    return closed(Exists, name, types, equality(name, term))


def coincidence(touch: Touch, terms: tuple[str, ...], simplifier: Simplifier) -> Condition:
    """When an effect happens to the atom with the given terms."""
    same, binding = matched(touch.atom.args, touch.variables, terms, simplifier)
    if same == FALSE:
        return FALSE
    found = conjunction((same, replaced(touch.condition, binding))) if touch.condition != TRUE else same
    for name in touch.variables:
        if name not in binding:
            found = simplifier.exists(name, found)
    return found


def bound(change: Change, terms: tuple[str, ...], simplifier: Simplifier) -> tuple[Condition, dict[str, str]] | None:
    """When an update happens to the fluent with the given terms, and the binding; None if there may be several."""
    if any(name not in change.fluent.args for name in change.variables):
        return None
    same, binding = matched(change.fluent.args, change.variables, terms, simplifier)
    return conjunction((same, replaced(change.condition, binding))), binding


Names = Mapping[str, str]
ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up in any order."""

_SIGNS = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}
_MOST_CASES = 64


class UnclearError(Exception):
    """A comparison that may be undefined and is evaluated only in some cases; ``refusal`` is the error to report."""

    def __init__(self, refusal: CannotComposeError):
        super().__init__(str(refusal))
        self.refusal = refusal


class Numbers:
    """The values of fluents after the steps so far.

    Attributes:
        valued: fluents that the steps always read, so that the macro is applicable only if they have values.
        valued_where: fluents that are read if a condition holds, and not otherwise.
        divided: expressions with divisions that are always evaluated.
    """

    def __init__(self, simplifier: Simplifier, facts: Facts, layers: Sequence[Layer]):
        self.simplifier = simplifier
        self.facts = facts
        self.layers = layers
        self.valued: set[Fluent] = set()
        self.valued_where: dict[tuple[Condition, Fluent], None] = {}
        self.divided: dict[Expression, None] = {}

    def guard(self, one: Condition, other: Condition) -> Condition:
        """The conjunction of two conditions, simplified."""
        if other == TRUE:
            return one
        if one == TRUE:
            return other
        return self.simplifier.simplify(conjunction((one, other)), self.facts)

    def cases(self, expression: Expression, names: Names, certain: bool) -> list[tuple[Condition, Expression]]:
        """The value of an expression after all steps so far, by exclusive cases."""
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
                # The step that changed it may have read the amount only under a condition.
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
        """Whether a fluent certainly has a value before the macro, given a condition."""
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
        """Notes that the next step always reads a fluent and is applicable only if it has a value."""
        for case in self.values(fluent, len(self.layers)):
            if case.value.relative and not case.value.touched:
                if case.guard == TRUE:
                    self.valued.add(fluent)
                elif not self.is_valued(fluent, case.guard):
                    self.valued_where[case.guard, fluent] = None

    def values(self, fluent: Fluent, steps: int) -> list[Case]:
        """The value of a fluent after so many steps."""
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
        amount = substitute(change.amount, matches[1])
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
            changed = normal(Arithmetic(_SIGNS[operator], (value.amount, amount)))
            return Value(changed, value.relative, touched=True, loose=value.loose)
        loose = value.loose or (value.relative and not self.is_valued(fluent, case.guard))
        before = total(fluent, value.amount) if value.relative else value.amount
        changed = normal(Arithmetic(_SIGNS[operator], (before, amount)))
        return Value(changed, relative=False, touched=True, loose=loose)


def _refuse_many(cases: int) -> None:
    if cases > _MOST_CASES:
        raise CannotComposeError(
            f"a number in the macro has more than {_MOST_CASES} possible values: compose fewer steps at a time",
            "too large",
        )


def no_value(fluent: Fluent) -> CannotComposeError:
    """The error for reading a fluent that may have no value."""
    written = f"({' '.join((fluent.name, *fluent.args))})"
    return CannotComposeError(
        f"{written} may have no value before the macro, and counts as 0 where a step increases it: no formula of PDDL"
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


class Regression:
    """The steps of a macro, added one after the other.

    Attributes:
        needed: the parts of the weakest precondition so far.
        facts: what they imply about the state before the macro.
        opaque: parts of it in the domain's own form, because a fluent in them may have no value.
        numbers: the values of fluents after the steps.
        layers: the effects of each step.
    """

    def __init__(self, domain: Domain, simplifier: Simplifier, mixed: Collection[str] = ()):
        self.simplifier = simplifier
        self.scope = simplifier.scope
        self.mixed = frozenset(mixed)
        self.needed: list[Condition] = []
        self.opaque: list[Condition] = []
        self.facts = Facts(self.scope)
        self._truths: dict[tuple[Condition, tuple[tuple[str, ...], ...], int], Condition] = {}
        self.layers: list[Layer] = []
        self.numbers = Numbers(simplifier, self.facts, self.layers)
        self._derived = Rules(domain)

    # ── steps ────────────────────────────────────────────────────────────────────────────────────

    def advance(self, schema: ActionSchema, names: Names) -> None:
        """Adds a step: an action with these terms for its parameters.

        Raises:
            CannotComposeError: its precondition or effect cannot be expressed over the state before the macro.
        """
        self._note_values(schema, names)
        for part in conjuncts(schema.precondition):
            try:
                self._need(self.regressed(part, names, certain=True))
            except UnclearError as unclear:
                self._need_as_it_is(part, names, unclear.refusal)
        layer = Layer()
        self._read_effect(schema.effect, names, (), TRUE, layer)
        self._refuse_conflicts(layer)
        self.layers.append(layer)

    def _note_values(self, schema: ActionSchema, names: Names) -> None:
        """Notes the fluents that the step always reads; without their values it is not applicable."""
        read = dict.fromkeys(sorted(certainly_read(negation_normal(schema.precondition)), key=str))
        updates = (part for part in conjuncts(schema.effect) if isinstance(part, Update))
        read.update(dict.fromkeys(fluent for update in updates for fluent in fluents_in(update.value)))
        for fluent in read:
            self.numbers.note(Fluent(fluent.name, _terms(fluent.args, names)))

    def _need(self, condition: Condition) -> None:
        condition = self.simplifier.simplify(condition, self.facts)
        if condition != TRUE:
            self.needed.append(condition)
            self.facts.assume(condition)

    def _need_as_it_is(self, part: Condition, names: Names, refusal: CannotComposeError) -> None:
        """Keeps a condition in its own form and order of evaluation, if no earlier step changes what it reads."""
        if any(self._changed_name(name) for name in self._derived.mentioned(part)):
            raise refusal
        self.opaque.append(as_said(part, names))

    def _changed_name(self, name: str) -> bool:
        return any(
            name in (*(t.atom.predicate for t in layer.touches), *(c.fluent.name for c in layer.changes))
            for layer in self.layers
        )

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def regressed(self, condition: Condition, names: Names, *, certain: bool = False) -> Condition:
        """A condition on the state after all steps so far, expressed over the state before them.

        Args:
            condition: as in the domain.
            names: the macro's terms for its free variables.
            certain: whether it is always evaluated, so that fluents in it must have values.
        """
        match condition:
            case Atom(predicate, args):
                if not certain and predicate in self._derived.names:
                    self._refuse_unclear(predicate)
                return self.truth(Atom(predicate, _terms(args, names)), len(self.layers))
            case Equality(left, right):
                one, other = names.get(left, left), names.get(right, right)
                return self.simplifier.simplify(equality(one, other), self.facts)
            case Comparison(operator, left, right):
                return self._compared(operator, left, right, names, certain)
            case Not(body):
                return negation(self.regressed(body, names, certain=certain))
            case And(parts):
                found = conjunction(self.regressed(part, names, certain=certain and part is parts[0]) for part in parts)
            case Or(parts):
                found = disjunction(self.regressed(part, names, certain=certain and part is parts[0]) for part in parts)
            case Imply(left, right):
                before = negation(self.regressed(left, names, certain=certain))
                found = disjunction((before, self.regressed(right, names)))
            case Forall(parameters, body):
                return self._over(parameters, body, names, Forall)
            case Exists(parameters, body):
                return self._over(parameters, body, names, Exists)
            case _:
                raise CannotComposeError(
                    f"{condition} cannot be part of a macro-action: it is no condition on one state", "not executable"
                )
        return self.simplifier.simplify(found, self.facts)

    def _over(
        self, parameters: tuple[TypedName, ...], body: Condition, names: Names, kind: type[Forall] | type[Exists]
    ) -> Condition:
        own = {item.name: self.scope.fresh(item.types, item.name) for item in parameters}
        found = self.regressed(body, {**names, **own})
        for name in reversed(own.values()):
            found = self.simplifier.exists(name, found) if kind is Exists else self.simplifier.forall(name, found)
        return self.simplifier.simplify(found, self.facts)

    def _refuse_unclear(self, predicate: str) -> None:
        """Refuses derived predicates whose rules compare fluents that may have no value."""
        for function in sorted(self._derived.functions(predicate) - self.scope.total):
            raise UnclearError(no_value(Fluent(function)))

    def truth(self, atom: Atom, steps: int) -> Condition:
        """Whether an atom is true after so many steps.

        Raises:
            CannotComposeError: it is derived by recursive rules from atoms that these steps change.
        """
        if atom.predicate in self._derived.names:
            return self._derived_truth(atom, steps)
        names = {term: f"?!{place}" for place, term in enumerate(dict.fromkeys(filter(is_bound, atom.args)))}
        key = (replaced(atom, names), tuple(map(self.scope.types, names)), steps)
        found = self._truths.get(key)
        if found is None:
            found = self._told_before(atom, steps)
            # The facts do not mention bound variables, so any other one of its types has the same result.
            self._truths[key] = replaced(found, names)
            return found
        return replaced(found, {place: term for term, place in names.items()})

    def _told_before(self, atom: Atom, steps: int) -> Condition:
        for at in range(steps - 1, -1, -1):
            layer = self.layers[at]
            added = self._happening(layer, atom, positive=True)
            if added == TRUE:
                return TRUE
            deleted = self._happening(layer, atom, positive=False)
            if added == FALSE and deleted == FALSE:
                continue
            if deleted == TRUE:
                return added
            before = self.truth(atom, at)
            found = disjunction((added, conjunction((before, negation(deleted)))))
            return self.simplifier.simplify(found, self.facts)
        known = self.facts.value(atom)
        return atom if known is None else TRUE if known else FALSE

    def _happening(self, layer: Layer, atom: Atom, *, positive: bool) -> Condition:
        touches = layer.touching(atom.predicate, positive)
        if not touches:
            return FALSE
        found = disjunction(coincidence(touch, atom.args, self.simplifier) for touch in touches)
        return self.simplifier.simplify(found, self.facts)

    def _derived_truth(self, atom: Atom, steps: int) -> Condition:
        if steps != len(self.layers):
            # Only conditions mention derived atoms, and they are evaluated after all steps so far.
            raise AssertionError("a derived atom is asked for in an earlier state")
        if not any(self._changed_name(name) for name in self._derived.below(atom.predicate)):
            return self.simplifier.simplify(atom, self.facts)
        if self._derived.recursive(atom.predicate):
            raise CannotComposeError(
                f"{atom} follows by rules that mention '{atom.predicate}' again from atoms that an earlier step"
                " changes: no formula of PDDL says what it will be",
                "derived predicates",
            )
        found = []
        for parameters, condition in self._derived.rules(atom.predicate):
            own = {item.name: self.scope.fresh(item.types) for item in parameters}
            same, binding = matched(tuple(own.values()), tuple(own.values()), atom.args, self.simplifier)
            if same != FALSE:
                inner = {name: binding[fresh] for name, fresh in own.items()}
                found.append(conjunction((same, self.regressed(condition, inner))))
        return self.simplifier.simplify(disjunction(found), self.facts)

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def _compared(self, operator: str, left: Expression, right: Expression, names: Names, certain: bool) -> Condition:
        parts = []
        lefts, rights = self.numbers.cases(left, names, certain), self.numbers.cases(right, names, certain)
        for one in lefts:
            for other in rights:
                guard = self.numbers.guard(one[0], other[0])
                if guard == FALSE:
                    continue
                for side in filter(divides, (one[1], other[1])):
                    if not certain or guard != TRUE:
                        written = Comparison(operator, left, right)
                        refusal = CannotComposeError(f"{written} may divide by zero where it is read", "division")
                        raise UnclearError(refusal)
                    self.numbers.divided[side] = None
                parts.append(conjunction((guard, _decided(operator, one[1], other[1]))))
        return self.simplifier.simplify(disjunction(parts), self.facts)

    # ── effects ──────────────────────────────────────────────────────────────────────────────────

    def _read_effect(
        self, effect: Effect, names: Names, variables: tuple[str, ...], condition: Condition, layer: Layer
    ) -> None:
        for part in conjuncts(effect):
            match part:
                case Atom(predicate, args):
                    layer.touches.append(Touch(variables, condition, Atom(predicate, _terms(args, names)), True))
                case Not(Atom(predicate, args)):
                    layer.touches.append(Touch(variables, condition, Atom(predicate, _terms(args, names)), False))
                case Update():
                    layer.changes.extend(self._change(part, names, variables, condition))
                case When(before, body):
                    certain = not variables and condition == TRUE
                    here = self._effect_condition(before, names, certain)
                    here = self.simplifier.simplify(conjunction((condition, here)), self.facts)
                    if here != FALSE:
                        self._read_effect(body, names, variables, here, layer)
                case Forall(parameters, body):
                    own = {item.name: self.scope.fresh(item.types, item.name) for item in parameters}
                    self._read_effect(body, {**names, **own}, (*variables, *own.values()), condition, layer)
                case _:
                    raise CannotComposeError(f"{part} cannot be part of a macro-action", "not executable")

    def _effect_condition(self, condition: Condition, names: Names, certain: bool) -> Condition:
        """The condition of an effect; fluents in it must have values, otherwise the action is not applicable."""
        try:
            return self.regressed(condition, names, certain=certain)
        except UnclearError as unclear:
            raise unclear.refusal from None

    def _change(
        self, update: Update, names: Names, variables: tuple[str, ...], condition: Condition
    ) -> Iterator[Change]:
        fluent = Fluent(update.fluent.name, _terms(update.fluent.args, names))
        certain = not variables and condition == TRUE
        try:
            cases = self.numbers.cases(update.value, names, certain)
        except UnclearError as unclear:
            # Increases can stay in the macro's effect under the same condition; assignments could be overwritten.
            if fluent.name in self.mixed or any(self._changed_name(read.name) for read in fluents_in(update.value)):
                raise unclear.refusal from None
            cases = [(TRUE, substitute(update.value, names))]
        if len(cases) > 1 and fluent.name in self.mixed:
            # An amount read only in some cases could be overwritten and would then not be read.
            unread = [read for _, amount in cases for read in fluents_in(amount) if not self.numbers.is_valued(read)]
            if unread:
                raise no_value(unread[0])
        for guard, amount in cases:
            here = self.numbers.guard(condition, guard)
            if here != FALSE:
                self._refuse_division(Change(variables, here, update.operator, fluent, amount), certain)
                yield Change(variables, here, update.operator, fluent, amount)

    def _refuse_division(self, change: Change, certain: bool) -> None:
        """Adds the conditions under which an update does not divide by zero, or refuses it."""
        # If only one step changes a function, its updates are part of the macro's effect unchanged.
        if change.fluent.name not in self.mixed:
            return
        amount = change.amount
        if divides(amount):
            if not (certain and change.condition == TRUE):
                raise CannotComposeError(f"'{change.fluent.name}' is changed by what may divide by zero", "division")
            self.numbers.divided[amount] = None
        if change.operator == "scale-down" and not (isinstance(amount, Number) and amount.value):
            needed = disjunction((negation(change.condition), Not(Comparison("=", amount, ZERO))))
            for name in change.variables:
                needed = self.simplifier.forall(name, needed)
            self._need(needed)

    def _refuse_conflicts(self, layer: Layer) -> None:
        """Adds the conditions under which no fluent gets two values; otherwise the simulator and VAL refuse it."""
        for at, one in enumerate(layer.changes):
            if one.fluent.name not in self.mixed:
                continue
            for other in layer.changes[at:]:
                if other.fluent.name != one.fluent.name or {one.operator, other.operator} <= ADDITIVE:
                    continue
                if other is one:
                    if any(name not in one.fluent.args for name in one.variables):
                        raise _many_values(one)
                    continue
                clash = self._clash(one, other)
                if clash != FALSE:
                    self._need(negation(clash))

    def _clash(self, one: Change, other: Change) -> Condition:
        matches = bound(one, other.fluent.args, self.simplifier)
        if matches is None or any(name not in other.fluent.args for name in other.variables):
            raise _many_values(one)
        found = conjunction((matches[0], other.condition))
        for name in other.variables:
            found = self.simplifier.exists(name, found)
        return self.simplifier.simplify(found, self.facts)


def certainly_read(condition: Condition) -> frozenset[Fluent]:
    """The fluents that have values in every state where a condition (in negation normal form) is true."""
    match condition:
        case Comparison(left=left, right=right) | Not(Comparison(left=left, right=right)):
            return frozenset((*fluents_in(left), *fluents_in(right)))
        case And(parts):
            return frozenset().union(*map(certainly_read, parts))
        case Or(parts) if parts:
            return frozenset.intersection(*map(certainly_read, parts))
        case Exists(parameters, body):
            bound_here = {item.name for item in parameters}
            return frozenset(fluent for fluent in certainly_read(body) if bound_here.isdisjoint(fluent.args))
    return frozenset()


def _terms(args: tuple[str, ...], names: Names) -> tuple[str, ...]:
    return tuple([names.get(term, term) for term in args])


def _decided(operator: str, left: Expression, right: Expression) -> Condition:
    if isinstance(left, Number) and isinstance(right, Number):
        return TRUE if compare(operator, left.value, right.value) else FALSE
    return Comparison(operator, left, right)


def _many_values(change: Change) -> CannotComposeError:
    return CannotComposeError(
        f"'{change.fluent.name}' gets a value for each of many objects at once", "many values at once"
    )
