"""The description of a domain, composed by rules, so that its logical structure is complete.

After Stein et al., section 3: the actions, what each asks for (positive and negative conditions in sentences
of their own), what each changes (added and deleted facts likewise, `pddl2nl.nl.telling.effects`), then the type
hierarchy. Beyond them: composite conditions, derived predicates, constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pddl2nl.nl.telling.actions import ToldAction, is_word, wishes
from pddl2nl.nl.telling.phrases import Phrases, Scope, refuse
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Atom,
    Condition,
    DerivedPredicate,
    Domain,
    TypedName,
    conjuncts,
    required,
    typed_groups,
)


def compose_domain(phrases: Phrases, *, constants: bool = True, effects: bool = True) -> str:
    """The description of a domain in the snippets of a wording, or the wording's own text for it.

    Args:
        phrases: the domain and its wording.
        constants: list the domain's constants; not needed beside a problem's objects, which include them.
        effects: say what each action changes; without it a description is shorter, for small context windows.

    Raises `UnsupportedError` for processes, events and object fluents.
    """
    domain = phrases.domain
    _refuse_unsaid(domain)
    if phrases.wording.domain_text is not None:
        return phrases.wording.domain_text
    general = Scope("the constraints", {}, phrases.constants)
    actions = [ToldAction.of(schema, phrases) for schema in domain.steps]
    sections = [
        ["These are the actions that I can take:", *(action.headline for action in actions)],
        [
            "Each action has its conditions, all of which must hold:",
            *(line for action in actions for line in _conditions(action)),
        ],
        [
            "Each action changes this and nothing else:",
            *(line for action in actions if effects for line in _effects(action)),
        ],
        ["On the way this must hold:", *constraint_lines(domain.constraints, phrases, general)],
        ["Some facts follow from others, and hold only then:", *(_derived(item, phrases) for item in domain.derived)],
        ["These objects are always there:", *object_lines(domain.constants if constants else (), {}, phrases)],
        ["Some kinds of objects belong to others:", *_hierarchy(phrases)],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if len(lines) > 1)


def action_lines(phrases: Phrases) -> tuple[str, ...]:
    """The actions as a description lists them, one per line: "stack a block A on a block B"."""
    return tuple(ToldAction.of(schema, phrases).headline for schema in phrases.domain.steps)


def _refuse_unsaid(domain: Domain) -> None:
    place = f"the domain '{domain.name}'"
    for kind, items in (
        ("a process", domain.processes),
        ("an event", domain.events),
    ):
        for item in items:
            raise refuse(f"{kind} ('{item.name}')", place)
    for function in domain.functions:
        if function.types != ("number",):
            raise refuse(f"an object fluent ('{function.name}')", place)


# ── actions ──────────────────────────────────────────────────────────────────────────────────────


def _conditions(action: ToldAction) -> Iterator[str]:
    if isinstance(action.schema, ActionSchema):
        yield from action.conditions(action.schema.precondition)
    else:
        from pddl2nl.nl.telling.durative import condition_lines

        yield from condition_lines(action, action.schema)


def _effects(action: ToldAction) -> Iterator[str]:
    if isinstance(action.schema, ActionSchema):
        start = f"Once I {action.phrase}, "
        yield from list(action.effects(action.schema, start)) or [f"{start}nothing changes."]
    else:
        from pddl2nl.nl.telling.durative import effect_lines

        yield from effect_lines(action, action.schema)


def constraint_lines(constraint: Condition | None, phrases: Phrases, scope: Scope) -> Iterator[str]:
    """The trajectory constraints, a sentence each, and the preferences among them by their names."""
    if constraint is not None:
        for part in conjuncts(required(constraint)):
            said = phrases.condition(part, scope)
            yield f"{said[0].upper()}{said[1:]}."
        yield from wishes(constraint, phrases, scope, "I would prefer that ")


# ── derived predicates, objects, types ───────────────────────────────────────────────────────────


def _derived(item: DerivedPredicate, phrases: Phrases) -> str:
    scope = Scope(f"derived predicate '{item.name}'", {}, phrases.constants)
    inner = scope.bind(item.parameters)
    head = phrases.fact(item.name, [inner.said(parameter.name) for parameter in item.parameters])
    start = f"{phrases.every(item.parameters, inner)}, it" if item.parameters else "it"
    parts = tuple(conjuncts(item.condition))
    if all(isinstance(part, Atom) for part in parts):
        body = " and ".join(phrases.condition(part, inner) for part in parts)
    else:
        body = phrases.condition(And(parts), inner)
    sentence = f"is the case that {head} whenever {body}" if body else f"is always the case that {head}"
    return f"{start[0].upper()}{start[1:]} {sentence}."


def object_lines(objects: Sequence[TypedName], names: Mapping[str, str], phrases: Phrases) -> Iterator[str]:
    """A sentence for each run of objects of the same types, in the order given."""
    for run, types in typed_groups(objects):
        said, word = [names.get(name, name) for name in run], is_word(types, phrases)
        yield f"{said[0]} is {word}." if len(said) == 1 else f"Each of {enumerate_words(said)} is {word}."


def _hierarchy(phrases: Phrases) -> list[str]:
    """``Everything that is a depot or a distributor is also a place.``, a sentence for each supertype.

    That everything is an object is not told.
    """
    below: dict[tuple[str, ...], list[str]] = {}
    for item in phrases.domain.types:
        if item.name != "object" and item.types != ("object",):
            below.setdefault(item.types, []).append(item.name)
    return [
        f"Everything that is {is_word(names, phrases)} is also {is_word(types, phrases)}."
        for types, names in below.items()
    ]
