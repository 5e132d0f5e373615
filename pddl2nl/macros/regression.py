"""Regression: what holds after some steps, told over the state before them.

Every step is read in the state where it runs. An atom is true after a step where the step adds it, or where it was
true before and the step does not delete it; which of these happens may depend on conditions, on which parameters are
the same object, and on quantified variables. A fluent's value follows in the same way by cases. What the steps before
have made certain is used at once, so that formulas stay small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from pddl2nl.macros.expressions import ZERO, divides
from pddl2nl.macros.facts import Facts
from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    as_said,
    conjunction,
    disjunction,
    equality,
    is_bound,
    negation,
    replaced,
    replaced_terms,
)
from pddl2nl.macros.layers import Change, Layer, Touch, bound, coincidence, matched
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.numbers import ADDITIVE, Numbers, UnclearError, no_value
from pddl2nl.macros.rules import Rules
from pddl2nl.macros.simplify import Simplifier
from pddl2nl.pddl import (
    ActionSchema,
    And,
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
)
from pddlval.names import fluents_in, updates_in
from pddlval.normal_form import negation_normal
from pddlval.semantics import compare

__all__ = ["Regression", "certainly_read", "mixed_functions"]

Names = Mapping[str, str]


def mixed_functions(schemas: Sequence[ActionSchema]) -> frozenset[str]:
    """The functions that several of these steps change, and not only by increases and decreases, which add up."""
    updates = [list(updates_in(schema.effect)) for schema in schemas]
    steps = Counter(name for own in updates for name in {update.fluent.name for update in own})
    set_or_scaled = {update.fluent.name for own in updates for update in own if update.operator not in ADDITIVE}
    return frozenset(name for name in set_or_scaled if steps[name] > 1)


class Regression:
    """The steps of a macro, one after the other.

    Attributes:
        needed: the parts of the weakest precondition so far.
        facts: what they say of the state before the macro.
        opaque: parts of it in the domain's own words, since a fluent in them may have no value.
        numbers: what fluents are worth after the steps.
        layers: what each step does.
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
            CannotComposeError: what it needs or does cannot be told over the state before the macro in PDDL.
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
        """Notes the fluents that the step reads whatever happens: without their values it does not run at all."""
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
        """Keeps a condition in its own words, and so in its own order of reading, where no step before touches it."""
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
        """A condition on the state after all steps so far, told over the state before them.

        Args:
            condition: as the domain has it.
            names: the macro's terms for its free variables.
            certain: whether it is read whatever else holds, so that what it reads must have a value.
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
        """Rules that compare what may have no value are as unclear as the comparison itself."""
        for function in sorted(self._derived.functions(predicate) - self.scope.total):
            raise UnclearError(no_value(Fluent(function)))

    def truth(self, atom: Atom, steps: int) -> Condition:
        """Whether an atom is true after so many steps.

        Raises:
            CannotComposeError: it is derived by rules that mention themselves from atoms that these steps change.
        """
        if atom.predicate in self._derived.names:
            return self._derived_truth(atom, steps)
        names = {term: f"?!{place}" for place, term in enumerate(dict.fromkeys(filter(is_bound, atom.args)))}
        key = (replaced(atom, names), tuple(map(self.scope.types, names)), steps)
        found = self._truths.get(key)
        if found is None:
            found = self._told_before(atom, steps)
            # What is known says nothing of a bound variable: any other one of its types has the same answer.
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
            # Only conditions mention derived atoms, and these are read after all steps so far.
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
        """The condition of an effect; what it reads must have a value, or the action does not run."""
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
            # What adds up stays in the macro's effect, under the same condition; what is set may be overwritten.
            if fluent.name in self.mixed or any(self._changed_name(read.name) for read in fluents_in(update.value)):
                raise unclear.refusal from None
            cases = [(TRUE, replaced_terms(update.value, names))]
        if len(cases) > 1 and fluent.name in self.mixed:
            # An amount that is read in some cases only could be overwritten, and would not be read any more.
            unread = [read for _, amount in cases for read in fluents_in(amount) if not self.numbers.is_valued(read)]
            if unread:
                raise no_value(unread[0])
        for guard, amount in cases:
            here = self.numbers.guard(condition, guard)
            if here != FALSE:
                self._refuse_division(Change(variables, here, update.operator, fluent, amount), certain)
                yield Change(variables, here, update.operator, fluent, amount)

    def _refuse_division(self, change: Change, certain: bool) -> None:
        """Sees to what an update divides by."""
        # Where one step alone changes a function, its updates stand in the macro's effect as they are.
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
        """Needs that no fluent gets two values at once: there the simulator, and VAL, refuse the action."""
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
    """The fluents that have values wherever a condition (in negation normal form) is true."""
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
