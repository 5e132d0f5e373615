"""An action schema in general terms: its name, its conditions and its effects in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pddl2nl.nl.telling.effects import Coincidences, effect_groups
from pddl2nl.nl.telling.phrases import Phrases, Scope
from pddl2nl.nl.wording.english import closed_clause, enumerate_words, generic_action, one_of_kind, within_sentence
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.pddl.tree import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    Equality,
    Forall,
    Not,
    Or,
    Preference,
    StepSchema,
    conjuncts,
    required,
)


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


def is_word(types: Sequence[str], phrases: Phrases) -> str:
    """``a truck``; of several types ``a truck or an airplane``."""
    return " or ".join(one_of_kind(phrases.wording.type_word(name)) for name in types)
