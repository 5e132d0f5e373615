"""Regression: conditions after some steps, expressed over the state before them (Waldinger 1977; Pednault 1988).

An atom is true after a step if the step adds it, or if it was true before and the step does not delete it. This can
depend on conditions, on which parameters are the same object, and on quantified variables. Facts that earlier steps
require are used at once, which keeps formulas small.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pddl2nl.macros.formulas import (
    FALSE,
    TRUE,
    Rules,
    as_said,
    conjunction,
    disjunction,
    equality,
    is_bound,
    negation,
    replaced,
)
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.numbers import ADDITIVE, NumericChange, RegressedValues, bound, divides, no_value
from pddl2nl.macros.simplify import Facts, Names, Simplifier, matched, renamed
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
    substitute,
)
from pddlval.formulas import fluents_in
from pddlval.semantics import compare


@dataclass(frozen=True)
class Touch:
    """An atom that is added or deleted under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    atom: Atom
    positive: bool

    @property
    def change(self) -> Condition:
        """The literal."""
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
        """Adds a part of the precondition."""
        condition = self.simplify(condition)
        if condition != TRUE:
            self.needed.append(condition)
            self.facts.assume(condition)

    def simplify(self, condition: Condition) -> Condition:
        """The condition, simplified under the facts."""
        return self.simplifier.simplify(condition, self.facts)

    def _changes(self, formula: Condition | Expression) -> bool:
        """Whether a step so far changes what a formula depends on."""
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
        """The parts of a step's effect."""
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
