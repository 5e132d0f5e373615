"""Effects as sentences: added facts, deleted facts, numeric changes, and their conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pddl2nl.nl.telling.phrases import Phrases, Scope, refuse
from pddl2nl.pddl.tree import (
    ActionSchema,
    Atom,
    Comparison,
    Condition,
    Equality,
    Forall,
    Not,
    TypedName,
    Update,
    When,
    conjuncts,
    is_variable,
    walk,
)

_GONE = "it is not the case anymore that "


@dataclass
class EffectGroup:
    """Effects under the same quantifiers and conditions; ``lead`` is their text."""

    lead: str
    scope: Scope
    added: list[Atom] = field(default_factory=list)
    deleted: list[Atom] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)

    def sentences(
        self,
        start: str,
        phrases: Phrases,
        becomes: str = "it is the case that ",
        unless: Callable[[Atom, Scope], str] = lambda atom, scope: "",
    ) -> Iterator[str]:
        """Added facts, deleted facts and numeric changes, a sentence each.

        ``becomes`` introduces the added facts; ``unless`` tells when a deleted fact still holds (empty: never).
        """
        said = list(dict.fromkeys(phrases.condition(atom, self.scope) for atom in self.added))
        if said:
            yield f"{start}{self.lead}{becomes}{' and '.join(said)}."
        # A fact that is both deleted and added holds afterwards (PDDL 2.1, section 5).
        gone: dict[str, dict[str, None]] = {"": {}}
        for atom in self.deleted:
            fact = phrases.condition(atom, self.scope)
            if fact not in said:
                gone.setdefault(unless(atom, self.scope), {})[_GONE + fact] = None
        for exception, facts in gone.items():
            if facts:
                yield f"{start}{self.lead}{' and '.join(facts)}{exception and f', unless {exception}'}."
        changes = [update_text(update, phrases, self.scope) for update in self.updates]
        if changes:
            yield f"{start}{self.lead}{' and '.join(changes)}."


def effect_groups(effect: Condition, phrases: Phrases, scope: Scope, lead: str = "") -> list[EffectGroup]:
    """The parts of an effect, grouped by their quantifiers and conditions.

    Raises `UnsupportedError` for effects that cannot be told.
    """
    group = EffectGroup(lead, scope)
    groups = [group]
    for part in conjuncts(effect):
        match part:
            case Atom():
                if phrases.told(part.predicate):
                    group.added.append(part)
            case Not(body=Atom() as atom):
                if phrases.told(atom.predicate):
                    group.deleted.append(atom)
            case Update():
                group.updates.append(part)
            case Forall(parameters=parameters, body=body):
                inner = scope.bind(parameters)
                quantified = f"{lead}{phrases.every(parameters, inner)}, " if parameters else lead
                groups += effect_groups(body, phrases, inner, quantified)
            case When(condition=condition, effect=body):
                before = _before(condition, phrases, scope)
                # The effect does not reuse the letters of its condition.
                groups += effect_groups(body, phrases, scope.beside(before), lead + before)
            case _:
                raise refuse(f"an effect of kind {type(part).__name__.lower()}", scope.place)
    return groups


@dataclass(frozen=True)
class Coincidences:
    """When a fact that an action deletes holds afterwards, since the action adds it too (PDDL 2.1, section 5).

    ``drive ?truck ?from ?to`` deletes ``(at ?truck ?from)`` and adds ``(at ?truck ?to)``: with ``?from`` = ``?to`` the
    truck stays there. Two terms are taken to differ if their types or an inequality exclude that they are equal, if a
    static fact relates them (a road from one to the other), and if the added term has a fluent precondition of its own
    (the free place that a robot moves to).
    """

    schema: ActionSchema
    phrases: Phrases
    groups: Sequence[EffectGroup]

    @cached_property
    def _added(self) -> dict[str, list[Atom]]:
        """The added facts with arguments, by predicate."""
        found: dict[str, list[Atom]] = {}
        for atom in (atom for group in self.groups for atom in group.added if atom.args):
            found.setdefault(atom.predicate, []).append(atom)
        return found

    @cached_property
    def _conditions(self) -> tuple[Condition, ...]:
        whens = [node.condition for node in walk(self.schema.effect) if isinstance(node, When)]
        return tuple(part for condition in (self.schema.precondition, *whens) for part in conjuncts(condition))

    @cached_property
    def _types(self) -> dict[str, TypedName]:
        bound = [item for node in walk(self.schema.effect) if isinstance(node, Forall) for item in node.parameters]
        return {item.name: item for item in (*self.phrases.domain.constants, *self.schema.parameters, *bound)}

    def unless(self, deleted: Atom, scope: Scope) -> str:
        """When a deleted fact still holds, "B and C are the same object"; empty: never."""
        found: dict[str, None] = {}
        for atom in self._added.get(deleted.predicate, ()):
            pairs = [pair for pair in zip(deleted.args, atom.args, strict=False) if pair[0] != pair[1]]
            if pairs and not any(self._differ(*pair) for pair in pairs):
                same = dict.fromkeys(self.phrases.condition(Equality(*pair), scope) for pair in pairs)
                found[" and ".join(same)] = None
        return " or ".join(found)

    def _differ(self, deleted: str, added: str) -> bool:
        if not (is_variable(deleted) or is_variable(added)):
            return True
        one, other, above = self._types.get(deleted), self._types.get(added), self.phrases.above
        if one is None or other is None:
            return True
        if not above.fits(one.types, other.types) and not above.fits(other.types, one.types):
            return True
        atoms = [part for part in self._conditions if isinstance(part, Atom) and added in part.args]
        unequal = [part.body for part in self._conditions if isinstance(part, Not) and isinstance(part.body, Equality)]
        return any(deleted in atom.args or atom.predicate in self.phrases.changed for atom in atoms) or any(
            {equality.left, equality.right} == {deleted, added} for equality in unequal
        )


def _before(condition: Condition, phrases: Phrases, scope: Scope) -> str:
    """The condition of a conditional effect, which refers to the state before the action; empty without condition.

    Equalities do not depend on the state: they come first, without "just before".
    """
    timeless: list[str] = []
    said: list[str] = []
    for part in conjuncts(condition):
        body = part.body if isinstance(part, Not) else part
        text = phrases.condition(body, scope)
        scope = scope if isinstance(body, Atom | Equality | Comparison) else scope.beside(text)
        was = "it was not the case that" if isinstance(part, Not) else "it was the case that"
        if isinstance(body, Equality):
            timeless.append(phrases.condition(part, scope))
        else:
            said.append(f"{was} {text if isinstance(body, Atom | Comparison) else f'({text})'}")
    if said:
        said[0] = f"just before {said[0]}"
    return f"if {' and '.join(timeless + said)}, " if timeless or said else ""


def update_text(update: Update, phrases: Phrases, scope: Scope) -> str:
    """A numeric change: ``the fuel of A decreases by 5``."""
    fluent = phrases.expression(update.fluent, scope)
    value = phrases.expression(update.value, scope)
    verbs = {
        "increase": "increases by",
        "decrease": "decreases by",
        "assign": "becomes",
        "scale-up": "is multiplied by",
        "scale-down": "is divided by",
    }
    return f"{fluent} {verbs[update.operator]} {value}"
