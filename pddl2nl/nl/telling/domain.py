"""The description of a domain, composed by rules, so that its logical structure is complete.

After Stein et al., section 3: the actions, what each asks for (positive and negative conditions in sentences
of their own), what each changes (added and deleted facts likewise, `pddl2nl.nl.telling.effects`), then the type
hierarchy. Beyond them: composite conditions, derived predicates, constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.nl.telling.effects import Coincidences, effect_groups
from pddl2nl.nl.telling.phrases import Phrases, Scope, refuse
from pddl2nl.nl.wording.english import closed_clause, enumerate_words, generic_action, one_of_kind, within_sentence
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Domain,
    Equality,
    Forall,
    Not,
    Or,
    Preference,
    StepSchema,
    TypedName,
    conjuncts,
    required,
    typed_groups,
)

__all__ = [
    "Literals",
    "action_lines",
    "compose_domain",
    "constraint_lines",
    "is_word",
    "object_lines",
    "sorted_literals",
    "wishes",
]


def compose_domain(phrases: Phrases, *, constants: bool = True) -> str:
    """The description of a domain in the snippets of a wording, or the wording's own text for it.

    Args:
        phrases: the domain and its wording.
        constants: list the domain's constants; not needed beside a problem's objects, which include them.

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
        ["Each action changes this and nothing else:", *(line for action in actions for line in _effects(action))],
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


@dataclass(frozen=True)
class ToldAction:
    """An action schema in general terms; ``phrase`` is "stack a block A on a block B"."""

    schema: StepSchema
    phrases: Phrases
    scope: Scope
    phrase: str
    typed: frozenset[int]

    @classmethod
    def of(cls, schema: StepSchema, phrases: Phrases) -> ToldAction:
        parts = phrases.wording.actions[schema.name].parts
        # Letters in the order in which the sentence mentions them.
        mentioned = dict.fromkeys(part for part in parts if isinstance(part, int))
        scope = Scope(f"action '{schema.name}'", {}, phrases.constants).bind(
            [schema.parameters[at] for at in mentioned]
        )
        phrase, typed = generic_action(
            parts,
            [scope.said(item.name) for item in schema.parameters],
            [phrases.type_words(item) for item in schema.parameters],
            _known_nouns(phrases, schema),
        )
        return cls(schema, phrases, scope, within_sentence(phrase), typed)

    @property
    def headline(self) -> str:
        """The action as it is listed, with the types that its text does not name."""
        untold = [
            f"{self.scope.said(item.name)} is {is_word(item.types, self.phrases)}"
            for position, item in enumerate(self.schema.parameters)
            if position not in self.typed and item.types != ("object",)
        ]
        return f"{self.phrase}, where {enumerate_words(untold)}" if untold else self.phrase

    def conditions(self, condition: Condition) -> Iterator[str]:
        """Its preconditions: a sentence for all positive, one for all negative and one for each composite condition."""
        only = f"I can only {closed_clause(self.phrase)} if "
        said = list(self.requirements(required(condition), only))
        yield from said or [f"I can always {self.phrase}."]
        start = f"when I {closed_clause(self.phrase)}, I would prefer that "
        yield from wishes(condition, self.phrases, self.scope, start)

    def requirements(self, condition: Condition, only: str) -> Iterator[str]:
        """What a condition asks for, in sentences that begin with `only`; nothing for an empty condition."""
        parts = sorted_literals(condition, self.phrases)
        if parts.positive:
            yield (
                only
                + f"it is the case that {' and '.join(self.phrases.condition(p, self.scope) for p in parts.positive)}."
            )
        if parts.negative:
            # Inequalities first: after "it is not the case that …" they would read as part of the negation.
            negative = sorted(parts.negative, key=lambda part: not isinstance(part, Equality))
            yield only + f"{' and '.join(self._negative(part) for part in negative)}."
        for part in parts.composite:
            if part == Or():
                yield f"I can never {self.phrase}."
                return
            text = self.phrases.condition(part, self.scope)
            yield only + (f"{text}." if text.startswith(NOT_SO) else f"it is the case that {text}.")

    def _negative(self, part: Condition) -> str:
        if isinstance(part, Equality):
            return self.phrases.condition(Not(part), self.scope)
        return NOT_SO + self.phrases.condition(part, self.scope)

    def effects(self, schema: ActionSchema, start: str) -> Iterator[str]:
        """Its effects: added and deleted facts and numeric changes, each in a sentence of its own."""
        groups = effect_groups(schema.effect, self.phrases, self.scope)
        unless = Coincidences(schema, self.phrases, groups).unless
        yield from (line for group in groups for line in group.sentences(start, self.phrases, unless=unless))


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


def wishes(condition: Condition, phrases: Phrases, scope: Scope, start: str) -> Iterator[str]:
    """The preferences of a condition, a sentence each; one under a quantifier counts for every choice of objects."""
    match condition:
        case Preference(name, body):
            named = f" (preference '{name}')" if name else ""
            yield f"{start[0].upper()}{start[1:]}{phrases.condition(body, scope)}{named}."
        case And(parts):
            for part in parts:
                yield from wishes(part, phrases, scope, start)
        case Forall(parameters, body):
            inner = scope.bind(parameters)
            yield from wishes(body, phrases, inner, f"{phrases.every(parameters, inner)}, {start}")


def _known_nouns(phrases: Phrases, schema: StepSchema) -> frozenset[str]:
    """Words that are nouns before a parameter: types, unary predicates, parameters' own names."""
    domain = phrases.domain
    words = {phrases.wording.type_word(item.name) for item in domain.types}
    words |= {item.name for item in domain.predicates if len(item.parameters) == 1}
    words |= {item.name.lstrip("?").rstrip("0123456789") for item in schema.parameters}
    return frozenset(word.casefold() for word in words if len(word) > 1) | {"object"}


@dataclass(frozen=True)
class Literals:
    """The conjuncts of a condition by kind; negative ones without their ``not``."""

    positive: tuple[Condition, ...]
    negative: tuple[Condition, ...]
    composite: tuple[Condition, ...]


def sorted_literals(condition: Condition, phrases: Phrases) -> Literals:
    """The conjuncts by kind, negative ones without their ``not``; facts that are never told are skipped."""
    positive: list[Condition] = []
    negative: list[Condition] = []
    composite: list[Condition] = []
    for part in conjuncts(condition):
        body = part.body if isinstance(part, Not) else part
        if isinstance(body, Atom) and not phrases.told(body.predicate):
            continue
        if isinstance(body, Atom | Equality):
            (negative if isinstance(part, Not) else positive).append(body)
        elif isinstance(part, Comparison):
            positive.append(part)
        else:
            composite.append(part)
    return Literals(tuple(positive), tuple(negative), tuple(composite))


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


def is_word(types: Sequence[str], phrases: Phrases) -> str:
    """``a truck``; of several types ``a truck or an airplane``."""
    return " or ".join(one_of_kind(phrases.wording.type_word(name)) for name in types)


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
