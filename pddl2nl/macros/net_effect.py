"""The net effect of a macro: when each atom that a step touches is true in the end, and the change of each number.

Each part of the effect is correct by itself: an atom is added only if it is true in the end, and deleted only if it is
false in the end or also added (an atom both deleted and added is added). So it suffices that one part covers each atom
whose truth changes; the shortest parts are chosen. Bound variables then get readable names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, disjunction, disjuncts, negation, replaced, size, within
from pddl2nl.macros.numbers import ADDITIVE, NumericChange, normal, total
from pddl2nl.macros.regression import Part, Regression, Touch, coincidence
from pddl2nl.macros.simplify import Facts, TermScope, matched
from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Condition,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Not,
    Number,
    Or,
    TypedName,
    Update,
    When,
    substitute,
)
from pddl2nl.pddl.tree import map_children


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
        """The atom added under a condition."""
        return Touch(self.variables, condition, self.atom, True)

    def delete(self, condition: Condition = TRUE) -> Touch:
        """The atom deleted under a condition."""
        return Touch(self.variables, condition, self.atom, False)


def net_literals(regression: Regression, facts: Facts) -> list[Touch]:
    """The literals of the effect of a sequence of steps, as one action that is applicable if the facts hold."""
    return _LiteralChoice(regression, facts).parts()


class _LiteralChoice:
    """Chooses the parts of the effect."""

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
        """Whether the first schema covers all atoms of the second."""
        if one.atom.predicate != other.atom.predicate:
            return False
        return matched(one.atom.args, one.variables, other.atom.args, self._simplifier)[0] == TRUE

    def _below(self, schema: _TouchedAtom) -> list[_TouchedAtom]:
        """The other schemas whose atoms a schema covers."""
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
    """An increase, or a decrease by a negative amount."""
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
