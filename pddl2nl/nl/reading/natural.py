"""How a model writes an action that has no wording: its name as a verb, its objects by what the action does to them.

The template wording says "apply the action 'drive' to truck t, place a, and place b"; a model writes "drive t from a to
b". The effects tell which object is acted on, and where it is before and after: ``(at ?t ?a)`` becomes ``(at ?t ?b)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pddl2nl.nl.reading.words import ARTICLES, PARTICLES, PREPOSITIONS, SYNONYMS, fold
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.nl.wording.template import declared_variables
from pddl2nl.pddl.task import effect_literals
from pddl2nl.pddl.tree import ActionSchema, Atom, StepSchema, conjuncts, untimed

VERBS = frozenset(SYNONYMS).union(*SYNONYMS.values())
_SQUEEZED = re.compile(rf"({'|'.join(sorted(VERBS))})({'|'.join(sorted(PARTICLES | {'to', 'in', 'on', 'from'}))})")
_AT = frozenset(("at", "in", "on"))
_EMPTY = ARTICLES | {"do", "action", "op", "perform", "execute"}


def name_words(name: str) -> list[str]:
    """The words of an action's name: "pick up" of ``pickup``, "load truck" of ``load-truck``."""
    words: list[str] = []
    for word in fold(name).split("_"):
        squeezed = _SQUEEZED.fullmatch(word)
        words += squeezed.groups() if squeezed else [word] if word.isalpha() and word not in _EMPTY else []
    return words


def natural_snippet(action: StepSchema, nouns: frozenset[str]) -> Snippet:
    """The snippet of an action by its name and its effects; ``nouns``: words for kinds of objects."""
    words = name_words(action.name)
    content = [word for word in words if word not in PREPOSITIONS | PARTICLES | nouns]
    verb = content[0] if content else "move"
    at = words.index(verb) + 1 if content else 0
    particles = [word for word in words[at : at + 1] if word in PARTICLES | {"on", "in"}]
    names = [item.name for item in action.parameters]
    said = dict(zip(names, declared_variables(action.parameters), strict=True))
    condition = action.precondition if isinstance(action, ActionSchema) else untimed(action.condition)
    facts = [part for part in conjuncts(condition) if isinstance(part, Atom)]
    roles = _roles(names, list(effect_literals(action.effect)), {item.name: item.types for item in action.parameters})
    for fact in facts:
        # "(at-robot ?x)": where it is done
        if len(fact.args) == 1 and roles.get(fact.args[0]) == "with" and _AT.intersection(name_words(fact.predicate)):
            roles[fact.args[0]] = "at"
    text = [verb, *particles]

    def add(name: str, announced: str) -> None:
        text.extend([announced, f"{{{said[name]}}}"] if announced else [f"{{{said[name]}}}"])
        del roles[name]
        for fact in facts:
            # "(at ?rover ?x)": "… rover at x"
            where = _AT.intersection(name_words(fact.predicate))
            if where and len(fact.args) == 2 and fact.args[0] == name and roles.get(fact.args[1]) == "with":
                add(fact.args[1], min(where))

    for announced in ("", "from", "to", "at", "with"):
        for name in names:
            if roles.get(name) == announced:
                add(name, announced)
        text += [] if announced else content[1:]
    return Snippet(action.name, tuple(said[name] for name in names), " ".join(text))


def _roles(
    names: Sequence[str], effects: Sequence[tuple[Atom, bool]], types: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """How each parameter is announced: the one that is acted on by nothing, where it is before by "from", and so on."""
    relations = [(atom, added) for atom, added in effects if len(atom.args) > 1]
    ways = list(_ways(relations))
    if not ways:
        # "(at-robby ?a)" becomes "(at-robby ?b)"; "(clear ?x)" is no place where "(on ?x ?y)" changes too.
        related = {term for atom, _ in relations for term in atom.args}
        ways = [way for way in _ways(effects) if related.isdisjoint(way)]
    roles = dict.fromkeys(names, "with")
    for before, after in ways:
        roles |= {before: "from", after: "to"}
    for name in names:
        # "?head" and "?newhead", "?from" and "?to" say it themselves.
        if (after := f"?new{name[1:]}") in roles:
            roles |= {name: "from", after: "to"}
        if name in ("?from", "?to"):
            roles[name] = name[1:]
    changed = {term for way in ways for term in way}
    weights = {
        name: sum(
            1.0 if len(atom.args) > 1 and changed.isdisjoint(atom.args) else 0.25
            for atom, _ in effects
            if name in atom.args
        )
        for name in names
        if roles[name] == "with"
    }
    for atom, _ in relations:
        # Of two assemblies the one that is now (incorporated ?part ?whole) is acted on, and not the one that it is in.
        if len(atom.args) == 2 and len({types.get(term, (term,)) for term in atom.args} - {("object",)}) == 1:
            weights = {name: weight + 0.5 * (name == atom.args[0]) for name, weight in weights.items()}
    patient = max(weights, key=lambda name: weights[name], default="")
    if weights.get(patient):
        roles[patient] = ""
    for name in [name for name in names if roles[name] == "with"]:
        signs = {added for atom, added in relations if name in atom.args and patient in atom.args}
        if len(signs) == 1:
            roles[name] = "to" if True in signs else "from"
    return roles


def _ways(effects: Sequence[tuple[Atom, bool]]) -> Iterator[tuple[str, str]]:
    """The pairs of terms where one takes the other's place in a fact."""
    for (before, was), (after, now) in product(effects, effects):
        if now and not was and before.predicate == after.predicate and len(before.args) == len(after.args):
            differ = [pair for pair in zip(before.args, after.args, strict=True) if pair[0] != pair[1]]
            if len(differ) == 1:
                yield differ[0]
