"""Effects in sentences: what becomes the case, what is so no longer, numbers that change, and on what that depends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pddl2nl.nl.telling.phrases import Phrases, Scope, refuse
from pddl2nl.pddl.tree import (
    Atom,
    Comparison,
    Condition,
    Equality,
    Forall,
    Not,
    Update,
    When,
    conjuncts,
)

__all__ = ["EffectGroup", "effect_groups"]

_GONE = "it is not the case anymore that "


@dataclass
class EffectGroup:
    """Effects under one chain of quantifiers and conditions, which ``lead`` says."""

    lead: str
    scope: Scope
    added: list[Atom] = field(default_factory=list)
    deleted: list[Atom] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)

    def sentences(self, start: str, phrases: Phrases, becomes: str = "it is the case that ") -> Iterator[str]:
        """Added facts, deleted facts and numeric changes, a sentence each; ``becomes`` introduces the added ones."""
        said = list(dict.fromkeys(phrases.condition(atom, self.scope) for atom in self.added))
        if said:
            yield f"{start}{self.lead}{becomes}{' and '.join(said)}."
        # An effect that deletes and adds one fact leaves it the case (PDDL 2.1, section 5).
        lost = dict.fromkeys(phrases.condition(atom, self.scope) for atom in self.deleted)
        gone = [_GONE + fact for fact in lost if fact not in said]
        if gone:
            yield f"{start}{self.lead}{' and '.join(gone)}."
        changes = [_update(update, phrases, self.scope) for update in self.updates]
        if changes:
            yield f"{start}{self.lead}{' and '.join(changes)}."


def effect_groups(effect: Condition, phrases: Phrases, scope: Scope, lead: str = "") -> list[EffectGroup]:
    """The parts of an effect, those under one chain of quantifiers and conditions together.

    Raises `UnsupportedError` for what has no words here.
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
                # Letters of the condition are not used again in what follows it.
                groups += effect_groups(body, phrases, scope.beside(before), lead + before)
            case _:
                raise refuse(f"an effect of kind {type(part).__name__.lower()}", scope.place)
    return groups


def _before(condition: Condition, phrases: Phrases, scope: Scope) -> str:
    """The condition of a conditional effect, which looks at the state before the action; empty where it asks nothing.

    Which objects are the same is so at any time: that is said first, and without "just before".
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


def _update(update: Update, phrases: Phrases, scope: Scope) -> str:
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
