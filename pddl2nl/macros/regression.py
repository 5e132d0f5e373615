"""Regression: conditions after some steps, expressed over the state before them, and the net effect.

An atom is true after a step if the step adds it, or if it was true before and the step does not delete it (Waldinger
1977; Pednault 1988). This can depend on conditions, on which parameters are the same object, and on quantified
variables. Facts that earlier steps require are used at once, which keeps formulas small.

Numbers stay as they are said: increases and decreases add up, and a step that reads, sets or scales what an earlier one
changed is refused. An action that reads a fluent without a value is not applicable, as in the simulator.

The net effect says when each atom that a step touches is true in the end, and the change of each number. Each part of
it is correct by itself: an atom is added only if it is true in the end, and deleted only if it is
false in the end or also added (an atom both deleted and added is added). So it suffices that one part covers each atom
whose truth changes; the shortest parts are chosen. Bound variables then get readable names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
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
from pddl2nl.pddl.tree import map_children, walk
from pddlval.formulas import fluents_in, updates_in

ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up in any order."""


def mixed_functions(schemas: Sequence[ActionSchema]) -> frozenset[str]:
    """The functions that several steps change with operators that do not add up."""
    updates = [list(updates_in(schema.effect)) for schema in schemas]
    steps = Counter(name for own in updates for name in {update.fluent.name for update in own})
    set_or_scaled = {update.fluent.name for own in updates for update in own if update.operator not in ADDITIVE}
    return frozenset(name for name in set_or_scaled if steps[name] > 1)


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


@dataclass(frozen=True)
class NumericChange:
    """A numeric update under a condition, for all objects of some variables."""

    variables: tuple[str, ...]
    condition: Condition
    change: Update


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
        layers: the atoms that each step adds and deletes.
        updates: the numeric updates of all steps.
    """

    def __init__(self, domain: Domain, simplifier: Simplifier, mixed: Collection[str] = ()):
        self.simplifier = simplifier
        self.scope = simplifier.scope
        self.needed: list[Condition] = []
        self.opaque: list[Condition] = []
        self.facts = Facts(self.scope)
        self.layers: list[list[Touch]] = []
        self.updates: list[NumericChange] = []
        # Functions that several steps change with operators that do not add up.
        self._mixed = mixed
        # Fluents that the steps always read, so that the macro is applicable only if they have values.
        self._valued: set[Fluent] = set()
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
        self.updates += [part for part in parts if isinstance(part, NumericChange)]
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
        changed.update(update.change.fluent.name for update in self.updates)
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
                for function in sorted(self._derived.functions(predicate)):
                    raise _no_value(function)
                return self.truth(Atom(predicate, renamed(args, names)), len(self.layers))
            case Equality(left, right):
                before = equality(names.get(left, left), names.get(right, right))
            case Comparison():
                before = self._compared(substitute(condition, names), certain)
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

    def _compared(self, condition: Comparison, certain: bool) -> Condition:
        if self._changes(condition):
            raise CannotComposeError(f"{condition} is read after a step that changes one of its numbers", "numbers")
        fluents = {*fluents_in(condition.left), *fluents_in(condition.right)}
        if certain:
            self._valued |= fluents
            return condition
        for fluent in sorted(fluents - self._valued, key=str):
            raise _no_value(fluent.name)
        if any(isinstance(node, Arithmetic) and node.operator == "/" for node in walk(condition)):
            raise CannotComposeError(f"{condition} may divide by zero where it is read", "division")
        return condition

    # ── effects ──────────────────────────────────────────────────────────────────────────────────

    def _parts(self, effect: Effect, names: Names, variables: tuple[str, ...], condition: Condition) -> Iterator[Part]:
        """The parts of a step's effect."""
        for part in conjuncts(effect):
            match part:
                case Atom(predicate, args) | Not(Atom(predicate, args)):
                    positive = isinstance(part, Atom)
                    yield Touch(variables, condition, Atom(predicate, renamed(args, names)), positive)
                case Update():
                    yield self._update(part, names, variables, condition)
                case When(before, body):
                    here = self.simplify(conjunction((condition, self.regressed(before, names))))
                    if here != FALSE:
                        yield from self._parts(body, names, variables, here)
                case Forall(parameters, body):
                    own = self._fresh(parameters)
                    yield from self._parts(body, {**names, **own}, (*variables, *own.values()), condition)
                case _:
                    raise CannotComposeError(f"{part} cannot be part of a macro-action", "not executable")

    def _update(self, update: Update, names: Names, variables: tuple[str, ...], condition: Condition) -> NumericChange:
        function = update.fluent.name
        if function in self._mixed or self._changes(update.value):
            raise CannotComposeError(
                f"'{function}' is set or scaled beside other changes, or changed by a number that an earlier step"
                " changes: only increases and decreases add up",
                "numbers",
            )
        change = Update(update.operator, substitute(update.fluent, names), substitute(update.value, names))
        return NumericChange(variables, condition, change)


def _no_value(function: str) -> CannotComposeError:
    return CannotComposeError(
        f"'{function}' may have no value where it is read, and the action is then not applicable: no formula of PDDL"
        " says that",
        "undefined fluent",
    )


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


def net_updates(updates: Sequence[NumericChange]) -> list[NumericChange]:
    """The updates of all steps; those of one fluent that always happen are one, as in planners' action costs."""
    plain: dict[Fluent, list[Update]] = {}
    apart: list[NumericChange] = []
    for update in updates:
        if update.variables or update.condition != TRUE or update.change.operator not in ADDITIVE:
            apart.append(update)
        else:
            plain.setdefault(update.change.fluent, []).append(update.change)
    return [*(NumericChange((), TRUE, _sum(fluent, own)) for fluent, own in plain.items()), *apart]


def _sum(fluent: Fluent, updates: Sequence[Update]) -> Update:
    if len(updates) == 1:
        return updates[0]
    constant = Fraction(0)
    amounts: list[Expression] = []
    for update in updates:
        if isinstance(update.value, Number):
            constant += update.value.value if update.operator == "increase" else -update.value.value
        else:
            amounts.append(update.value if update.operator == "increase" else Arithmetic("-", (update.value,)))
    if not amounts:
        return Update("increase" if constant >= 0 else "decrease", fluent, Number(abs(constant)))
    if constant:
        amounts.append(Number(constant))
    return Update("increase", fluent, amounts[0] if len(amounts) == 1 else Arithmetic("+", tuple(amounts)))


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
