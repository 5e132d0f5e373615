"""The net effect of a macro: when each atom that a step touches is true in the end, and the change of each number.

Each part of the effect is correct by itself: an atom is added only if it is true in the end, and deleted only if it is
false in the end or also added (an atom both deleted and added is added). So it suffices that one part covers each atom
whose truth changes; the shortest parts are chosen. Bound variables then get readable names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, disjunction, disjuncts, negation, replaced, size, within
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.regression import Change, Part, Regression, Touch, coincidence, matched, no_value, normal, total
from pddl2nl.macros.simplify import Facts, Scope
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

__all__ = ["net_literals", "net_updates", "readable_condition", "readable_effect"]


@dataclass(frozen=True)
class _Schema:
    """An atom that a step touches, for all objects of some variables.

    ``final`` is when it is true in the end; ``adds`` the same if it was false before; ``deletes`` when it is false
    in the end if it was true before.
    """

    variables: tuple[str, ...]
    atom: Atom
    final: Condition
    adds: Condition
    deletes: Condition

    def part(self, condition: Condition, *, positive: bool) -> Part:
        """The atom added or deleted under a condition."""
        return Part(self.variables, condition, self.atom if positive else negation(self.atom))


def net_literals(regression: Regression, facts: Facts) -> list[Part]:
    """The literals of the effect of a sequence of steps, as one action that is applicable if the facts hold."""
    return _Literals(regression, facts).parts()


class _Literals:
    """Chooses the parts of the effect."""

    def __init__(self, regression: Regression, facts: Facts):
        self._regression = regression
        self._simplifier = regression.simplifier
        self._facts = facts
        self._parts: dict[int, list[Part]] = {}
        # Schemas with few atoms first, which leaves less for the others.
        self._schemas: list[_Schema] = list(self._touched())
        widths = {schema.atom: len(self._below(at)) for at, schema in enumerate(self._schemas)}
        self._schemas.sort(key=lambda schema: (len(schema.variables), widths[schema.atom]))

    def parts(self) -> list[Part]:
        """The parts, deletes first, each kind in the order of the steps."""
        schemas = self._schemas
        for at in reversed(range(len(schemas))):
            schema = schemas[at]
            if at in self._parts:
                continue
            if schema.adds == schema.deletes == FALSE:
                self._parts[at] = []
            elif schema.final == TRUE:
                self._settle(at, [schema.part(TRUE, positive=True)])
            elif schema.final == FALSE:
                self._settle(at, [schema.part(TRUE, positive=False)])
            elif schema.variables and schema.deletes != FALSE:
                self._swept(at)
        for at in range(len(schemas)):
            if at not in self._parts:
                self._parts[at] = self._single(at)
        chosen = [part for at in range(len(schemas)) for part in self._parts[at]]
        return sorted(chosen, key=lambda part: isinstance(part.change, Atom))

    # ── what is touched ──────────────────────────────────────────────────────────────────────────

    def _touched(self) -> Iterator[_Schema]:
        """The atoms that the steps touch, without duplicates."""
        scope, seen = self._regression.scope, list[tuple[tuple[str, ...], Atom]]()
        for touch in (touch for layer in self._regression.layers for touch in layer.touches):
            used = [name for name in touch.variables if name in touch.atom.args]
            fresh = {name: scope.fresh(scope.types(name)) for name in used}
            variables = tuple(fresh.values())
            atom = Atom(touch.atom.predicate, tuple(fresh.get(term, term) for term in touch.atom.args))
            if not any(self._same(one, (variables, atom)) and self._same((variables, atom), one) for one in seen):
                seen.append((variables, atom))
                yield self._schema(variables, atom)

    def _same(self, one: tuple[tuple[str, ...], Atom], other: tuple[tuple[str, ...], Atom]) -> bool:
        """Whether the first schema covers all atoms of the second."""
        if one[1].predicate != other[1].predicate:
            return False
        return matched(one[1].args, one[0], other[1].args, self._simplifier)[0] == TRUE

    def _schema(self, variables: tuple[str, ...], atom: Atom) -> _Schema:
        simplify, facts = self._simplifier.simplify, self._facts
        final = simplify(self._regression.truth(atom, len(self._regression.layers)), facts)
        adds = simplify(final, facts.extended(negation(atom)))
        deletes = simplify(negation(final), facts.extended(atom))
        return _Schema(variables, atom, final, adds, deletes)

    def _below(self, at: int) -> list[int]:
        """The schemas whose atoms another schema covers."""
        own = self._schemas[at]
        return [
            place
            for place, other in enumerate(self._schemas)
            if place != at and self._same((own.variables, own.atom), (other.variables, other.atom))
        ]

    # ── what is said of it ───────────────────────────────────────────────────────────────────────

    def _settle(self, at: int, parts: list[Part]) -> None:
        """Sets the parts of a schema, which also cover all narrower schemas."""
        self._parts[at] = parts
        for place in self._below(at):
            self._parts[place] = []

    def _swept(self, at: int) -> None:
        """Deletes all atoms of a schema and adds the few that are true in the end again."""
        schema, below = self._schemas[at], [place for place in self._below(at) if place not in self._parts]
        kept: dict[int, Part] = {}
        for place in below:
            other = self._schemas[place]
            condition = self._left(other.final, self._facts, self._hits(kept.values(), other.atom))
            if condition != FALSE:
                kept[place] = other.part(condition, positive=True)
        for place in [place for place, part in kept.items() if part.condition != TRUE]:
            rest = [part for other, part in kept.items() if other != place]
            if self._implied(schema.final, self._hits(rest, schema.atom)):
                del kept[place]
        if self._implied(schema.final, self._hits(kept.values(), schema.atom)):
            self._settle(at, [schema.part(TRUE, positive=False)])
            self._parts.update({place: [part] for place, part in kept.items()})

    def _single(self, at: int) -> list[Part]:
        """The parts for the atoms of one schema that are not covered yet."""
        schema = self._schemas[at]
        chosen = [part for parts in self._parts.values() for part in parts]
        added = self._hits(chosen, schema.atom)
        if schema.deletes == FALSE:
            condition = self._left(schema.adds, self._facts.extended(negation(schema.atom)), added)
            return [schema.part(condition, positive=True)] if condition != FALSE else []
        if self._covered(at):
            return [schema.part(TRUE, positive=False)]
        parts = []
        gone = self._hits(chosen, schema.atom, positive=False)
        if schema.adds == FALSE:
            parts.append(
                schema.part(self._left(schema.deletes, self._facts.extended(schema.atom), gone), positive=False)
            )
        else:
            refuted = self._simplifier.simplify(negation(schema.final), self._facts)
            refuted = _shorter(refuted, conjunction((schema.atom, schema.deletes)))
            final = _shorter(schema.final, conjunction((negation(schema.atom), schema.adds)))
            parts.append(schema.part(self._left(refuted, self._facts, gone), positive=False))
            parts.append(schema.part(self._left(final, self._facts, added), positive=True))
        return [part for part in parts if part.condition != FALSE]

    def _covered(self, at: int) -> bool:
        """Whether an atom that is true in the end is always added by another part, so that deleting it is harmless.

        An atom that is true before and after may be added again for that.
        """
        schema = self._schemas[at]
        chosen = [part for parts in self._parts.values() for part in parts]
        later = [
            (place, other.part(other.adds, positive=True))
            for place, other in enumerate(self._schemas)
            if place not in self._parts and place != at and other.deletes == FALSE and other.adds != FALSE
        ]
        known = [*chosen, *(part for _, part in later)]
        if self._implied(schema.final, self._hits(known, schema.atom)):
            return True
        for place, other in enumerate(self._schemas):
            if other.final == TRUE and not self._parts.get(place):
                again = other.part(TRUE, positive=True)
                if self._implied(schema.final, self._hits([*known, again], schema.atom)):
                    self._parts[place] = [again]
                    return True
        return False

    def _hits(self, parts: Iterable[Part], atom: Atom, *, positive: bool = True) -> Condition:
        """When some parts add, or delete, an atom."""
        found = []
        for part in parts:
            inner = part.change if positive else negation(part.change)
            if isinstance(inner, Atom) and inner.predicate == atom.predicate:
                touch = Touch(part.variables, part.condition, inner, positive)
                found.append(coincidence(touch, atom.args, self._simplifier))
        return disjunction(found)

    def _left(self, condition: Condition, facts: Facts, met: Condition) -> Condition:
        """The disjuncts of a condition that other parts do not cover."""
        if met == FALSE:
            return condition
        rest = [part for part in disjuncts(condition) if not self._simplifier.implies(facts.extended(part), met)]
        return disjunction(rest)

    def _implied(self, condition: Condition, met: Condition) -> bool:
        if met == FALSE:
            return condition == FALSE
        return all(self._simplifier.implies(self._facts.extended(part), met) for part in disjuncts(condition))


def _shorter(one: Condition, other: Condition) -> Condition:
    return other if size(other) < size(one) else one


def net_updates(regression: Regression, facts: Facts) -> list[Part]:
    """The numeric updates of the effect of a sequence of steps, as one action that is applicable if the facts hold.

    Raises:
        CannotComposeError: no effect of PDDL expresses them.
    """
    functions = dict.fromkeys(change.fluent.name for layer in regression.layers for change in layer.changes)
    found: list[Part] = []
    for function in functions:
        layers = [changes for layer in regression.layers if (changes := layer.changing(function))]
        if function in regression.mixed:
            found += _final_values(function, layers, regression, facts)
        else:
            found += _side_by_side([change for changes in layers for change in changes])
    return found


def _side_by_side(changes: list[Change]) -> list[Part]:
    """Updates that can be combined: they add up, or belong to one step."""
    alone = all(change.operator in ("increase", "decrease") for change in changes)
    sums: dict[Fluent, Expression] = {}
    found: list[Part] = []
    for change in changes:
        if not alone or change.variables or change.condition != TRUE:
            update = Update(change.operator, change.fluent, change.amount)
            found.append(Part(change.variables, change.condition, update))
        else:
            amount = change.amount if change.operator == "increase" else Arithmetic("-", (change.amount,))
            sums[change.fluent] = total(sums[change.fluent], amount) if change.fluent in sums else amount
    whole = [Part((), TRUE, _signed(fluent, normal(amount))) for fluent, amount in sums.items()]
    return [*whole, *found]


def _signed(fluent: Fluent, amount: Expression) -> Update:
    """An increase, or a decrease by a negative amount."""
    if isinstance(amount, Number) and amount.value < 0:
        return Update("decrease", fluent, Number(-amount.value))
    if isinstance(amount, Arithmetic) and amount.operator == "-" and len(amount.operands) == 1:
        return Update("decrease", fluent, amount.operands[0])
    return Update("increase", fluent, amount)


def _final_values(function: str, layers: list[list[Change]], regression: Regression, facts: Facts) -> Iterator[Part]:
    """The last value of each fluent that several steps set, scale or increase."""
    simplifier, scope = regression.simplifier, regression.scope
    seen: list[tuple[tuple[str, ...], Fluent]] = []
    for change in (change for changes in layers for change in changes):
        if any(name not in change.fluent.args for name in change.variables):
            raise CannotComposeError(f"'{function}' is changed for each of many objects", "sum over objects")
        fresh = {name: scope.fresh(scope.types(name)) for name in change.variables}
        replacement = substitute(change.fluent, fresh)
        elsewhere = TRUE
        for variables, fluent in seen:
            # A fluent gets one value: if two schemas can be the same fluent, the first one sets it.
            same, _ = matched(fluent.args, variables, replacement.args, simplifier)
            elsewhere = simplifier.simplify(conjunction((elsewhere, negation(same))), facts)
        if elsewhere == FALSE:
            continue
        seen.append((tuple(fresh.values()), replacement))
        for case in regression.numbers.values(replacement, len(regression.layers)):
            condition = simplifier.simplify(conjunction((elsewhere, case.guard)), facts)
            value = case.value
            if condition == FALSE or not value.touched:
                continue
            if value.loose:
                raise no_value(replacement)
            update = Update("assign", replacement, value.amount)
            if value.relative:
                update = _signed(replacement, value.amount)
            yield Part(tuple(fresh.values()), condition, update)


def readable_condition(condition: Condition, scope: Scope, taken: Iterable[str]) -> Condition:
    """A condition with readable variable names that are not taken."""
    return _named(condition, scope, frozenset(taken))


def readable_effect(parts: Sequence[Part], scope: Scope, taken: Iterable[str]) -> Effect:
    """An effect: literals first, then conditional effects, then quantified ones; equal conditions are shared."""
    taken = frozenset(taken)
    groups: dict[tuple[tuple[str, ...], ...], list[Part]] = {}
    for part in parts:
        groups.setdefault(tuple(scope.types(name) for name in part.variables), []).append(part)
    found: list[Effect] = []
    for types in sorted(groups, key=len):
        own = _unused_names(scope, types, taken)
        body: dict[Condition, list[Effect]] = {TRUE: []}
        for part in groups[types]:
            binding = dict(zip(part.variables, own, strict=True))
            change = part.change
            change = substitute(change, binding) if isinstance(change, Update) else replaced(change, binding)
            condition = _named(replaced(part.condition, binding), scope, taken | {*own})
            body.setdefault(condition, []).append(change)
        whens = [When(condition, _alone(changes)) for condition, changes in body.items() if condition != TRUE]
        effects = [*body[TRUE], *whens]
        if own:
            parameters = tuple(TypedName(name, kinds) for name, kinds in zip(own, types, strict=True))
            found.append(Forall(parameters, _alone(effects)))
        else:
            found += effects
    return And(tuple(found))


def _alone(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _unused_names(scope: Scope, types: Sequence[tuple[str, ...]], taken: frozenset[str]) -> list[str]:
    """A readable name for a bound variable of each of the types."""
    found: list[str] = []
    for own in types:
        hint = scope.hint(own)
        name, number = hint, 2
        while name in taken or name in found:
            name, number = f"{hint}{number}", number + 1
        found.append(name)
    return found


def _named(condition: Condition, scope: Scope, taken: frozenset[str]) -> Condition:
    """The condition with readable names for its bound variables, atoms first."""
    match condition:
        case And(parts):
            return And(tuple(_named(part, scope, taken) for part in sorted(parts, key=_rank)))
        case Not() | Or():
            return map_children(condition, lambda part: _named(part, scope, taken))
        case Forall() | Exists():
            types = condition.parameters[0].types
            (name,) = _unused_names(scope, (types,), taken)
            body = _named(within(condition, name), scope, taken | {name})
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
