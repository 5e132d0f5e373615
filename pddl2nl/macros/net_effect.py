"""The net effect of a macro on atoms: for all that a step touches, whether it is true in the end.

Every part of the effect is right by itself: an atom is added only where it is true in the end, and deleted only where
it is false in the end or where some part adds it as well (of an atom both deleted and added the add wins). So it is
enough that each atom whose truth changes is met by one part, and the shortest are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pddl2nl.macros.facts import Facts
from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, disjunction, disjuncts, negation, size
from pddl2nl.macros.layers import Part, Touch, coincidence, matched
from pddl2nl.macros.regression import Regression
from pddl2nl.pddl import Atom, Condition

__all__ = ["net_literals"]


@dataclass(frozen=True)
class _Schema:
    """An atom that a step touches, for all objects of some variables.

    ``final`` says when it is true in the end; ``adds`` the same where it was false before, ``deletes`` when it is
    false in the end where it was true.
    """

    variables: tuple[str, ...]
    atom: Atom
    final: Condition
    adds: Condition
    deletes: Condition

    def part(self, condition: Condition, *, positive: bool) -> Part:
        """The atom added, or deleted, under a condition."""
        return Part(self.variables, condition, self.atom if positive else negation(self.atom))


def net_literals(regression: Regression, facts: Facts) -> list[Part]:
    """What a sequence of steps does to atoms, as the effect of one action that runs where the facts hold."""
    return _Literals(regression, facts).parts()


class _Literals:
    """Chooses the parts of the effect."""

    def __init__(self, regression: Regression, facts: Facts):
        self._regression = regression
        self._simplifier = regression.simplifier
        self._facts = facts
        self._parts: dict[int, list[Part]] = {}
        # First what stands for few atoms: what is left for the others then is less.
        self._schemas: list[_Schema] = list(self._touched())
        widths = {schema.atom: len(self._below(at)) for at, schema in enumerate(self._schemas)}
        self._schemas.sort(key=lambda schema: (len(schema.variables), widths[schema.atom]))

    def parts(self) -> list[Part]:
        """The parts: deletes first, each kind in the order of the steps, as people write them."""
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
        """The atoms that the steps touch, each once."""
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
        """Whether all atoms that the second stands for are among those of the first."""
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
        """The places of the schemas whose atoms are among those of another."""
        own = self._schemas[at]
        return [
            place
            for place, other in enumerate(self._schemas)
            if place != at and self._same((own.variables, own.atom), (other.variables, other.atom))
        ]

    # ── what is said of it ───────────────────────────────────────────────────────────────────────

    def _settle(self, at: int, parts: list[Part]) -> None:
        """One part says all about these atoms, also about those of narrower schemas."""
        self._parts[at] = parts
        for place in self._below(at):
            self._parts[place] = []

    def _swept(self, at: int) -> None:
        """Deletes all atoms of a schema, where those that are true in the end are few and can be added again."""
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
        """The parts about the atoms of one schema that nothing has been said about yet."""
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
        """Whether an atom that is true in the end is always added by another part, so that deleting it does no harm.

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
        """What of a condition other parts have not met yet."""
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
