"""The description of a domain, composed by rules, so that its logical structure is complete.

After Stein et al., section 3: the actions, what each asks for (positive and negative conditions in sentences
of their own), what each changes (added facts, deleted facts, numeric changes, and their conditions), then the type
hierarchy. Beyond them: composite conditions, durative actions, derived predicates, constants. A condition that is more
than a conjunction of literals and has more than 40 words is a numbered list (`Told.outline`), and what is said of an
action with such a condition refers to "this" in place of its heading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from pddl2nl.nl.telling.phrases import SIMPLE, Phrases, Scope, Told, is_literal, is_long, refuse
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
    DurativeAction,
    Equality,
    Forall,
    Not,
    Number,
    Or,
    Preference,
    StepSchema,
    TypedName,
    Update,
    When,
    conjuncts,
    is_variable,
    required,
    typed_groups,
    walk,
)

_GONE = "it is not the case anymore that "
_TAKES = {"=": "", "<=": "at most ", ">=": "at least ", "<": "less than ", ">": "more than "}
_CHANGES = {
    "increase": "increases by",
    "decrease": "decreases by",
    "assign": "becomes",
    "scale-up": "is multiplied by",
    "scale-down": "is divided by",
}


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
    headlines: list[str] = []
    conditions: list[str] = []
    changes: list[str] = []
    for rule in _rules(phrases):
        headlines.append(rule[0].headline)
        conditions += _conditions(rule)
        changes += _effects(rule) if effects else ()
    sections = [
        ["These are the actions that I can take:", *headlines],
        ["Each action has its conditions, all of which must hold:", *conditions],
        ["Each action changes this and nothing else:", *changes],
        ["On the way this must hold:", *constraint_lines(domain.constraints, phrases, general)],
        ["Some facts follow from others, and hold only then:", *(_derived(item, phrases) for item in domain.derived)],
        ["These objects are always there:", *object_lines(domain.constants if constants else (), {}, phrases)],
        ["Some kinds of objects belong to others:", *_hierarchy(phrases)],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if len(lines) > 1)


def action_lines(phrases: Phrases) -> tuple[str, ...]:
    """The actions as a description lists them, one per line: "stack a block A on a block B"."""
    return tuple(rule[0].headline for rule in _rules(phrases))


def _refuse_unsaid(domain: Domain) -> None:
    place = f"the domain '{domain.name}'"
    for kind, items in (("a process", domain.processes), ("an event", domain.events)):
        for item in items:
            raise refuse(f"{kind} ('{item.name}')", place)
    for function in domain.functions:
        if function.types != ("number",):
            raise refuse(f"an object fluent ('{function.name}')", place)


Rule = tuple["ToldAction", ...]
"""Actions that are told together: nearly always a single one."""


def _rules(phrases: Phrases) -> Iterator[Rule]:
    """All actions; those with one headline, such as two moves up and down, are told together where that is exact."""
    groups: dict[str, list[ToldAction]] = {}
    for schema in phrases.domain.steps:
        action = ToldAction.of(schema, phrases)
        groups.setdefault(action.headline, []).append(action)
    for headline in tuple(groups):
        # None is kept once it is told: with thousands of actions garbage collection would visit all that they hold.
        group = groups.pop(headline)
        if len(group) == 1 or _share_a_rule(tuple(group)):
            yield tuple(group)
        else:
            named = (f"{closed_clause(one.phrase)} by '{one.schema.name}'" for one in group)
            yield from [(replace(one, phrase=phrase),) for one, phrase in zip(group, named, strict=True)]


def _share_a_rule(rule: Rule) -> bool:
    """Whether their effects are the same, or each has conditions of its own that say when its effects come."""
    for one in rule:
        if not isinstance(one.schema, ActionSchema):
            return False
        if any(isinstance(node, Preference) for node in walk(one.schema.precondition)):
            return False
    return all(_own_conditions(rule)) or len({tuple(_own_effects(one)) for one in rule}) == 1


def _shared_conditions(rule: Rule) -> dict[str, Condition]:
    first, *others = (one.told_conditions for one in rule)
    return {text: part for text, part in first.items() if all(text in other for other in others)}


def _own_conditions(rule: Rule) -> list[str]:
    """What each action of a rule asks for beside the shared conditions; empty for one that asks for nothing more."""
    shared = _shared_conditions(rule)
    own = (And(tuple(part for text, part in one.told_conditions.items() if text not in shared)) for one in rule)
    return [one.phrases.condition(part, one.scope) if part.parts else "" for one, part in zip(rule, own, strict=True)]


def _conditions(rule: Rule) -> Iterator[str]:
    action, *others = rule
    if not isinstance(action.schema, ActionSchema):
        yield from _durative_conditions(action, action.schema)
        return
    if not others:
        yield from action.conditions(action.asked)
        start = f"when I {closed_clause(action.phrase)}, I would prefer that "
        yield from wishes(action.schema.precondition, action.phrases, action.scope, start)
        return
    own = _own_conditions(rule)
    shared = And(tuple(_shared_conditions(rule).values()))
    if shared.parts or not all(own):
        yield from action.conditions(sorted_literals(shared, action.phrases, action.scope))
    if all(own):
        yield f"{action.only}it is the case that {' or '.join(f'({text})' for text in own)}."


def _effects(rule: Rule) -> Iterator[str]:
    action = rule[0]
    if not isinstance(action.schema, ActionSchema):
        return _durative_effects(action, action.schema)
    lines = [list(_own_effects(one)) for one in rule]
    if len(rule) == 1:
        told = action.said_once(lines[0], action.once, "Once I have done this, ")
        return iter(told or [f"{action.once}nothing changes."])
    told = [line for line in lines[0] if all(line in own for own in lines)]
    for own, condition in zip(lines, _own_conditions(rule), strict=True):
        told += [
            f"{action.once}if just before it was the case that {condition}, {line.removeprefix(action.once)}"
            for line in own
            if line not in told
        ]
    return iter(told or [f"{action.once}nothing changes."])


def _own_effects(action: ToldAction) -> Iterator[str]:
    return action.effects(action.schema, action.once) if isinstance(action.schema, ActionSchema) else iter(())


def constraint_lines(constraint: Condition | None, phrases: Phrases, scope: Scope) -> Iterator[str]:
    """The trajectory constraints, a sentence each, and the preferences among them by their names."""
    if constraint is not None:
        for part in conjuncts(required(constraint)):
            said = phrases.condition(part, scope)
            yield f"{said[0].upper()}{said[1:]}."
        yield from wishes(constraint, phrases, scope, "I would prefer that ")


# ── actions ─────────────────────────────────────────────────────────────────────────────────────


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
    def only(self) -> str:
        """How a sentence about its conditions begins."""
        return f"I can only {closed_clause(self.phrase)} if "

    @property
    def once(self) -> str:
        """How a sentence about its effects begins."""
        return f"Once I {self.phrase}, "

    @cached_property
    def asked(self) -> Literals:
        """The conjuncts of its precondition, without preferences."""
        condition = self.schema.precondition if isinstance(self.schema, ActionSchema) else And()
        return sorted_literals(required(condition), self.phrases, self.scope)

    @cached_property
    def groups(self) -> list[EffectGroup]:
        """Its effects."""
        effect = self.schema.effect if isinstance(self.schema, ActionSchema) else And()
        return effect_groups(effect, self.phrases, self.scope)

    @cached_property
    def told_conditions(self) -> dict[str, Condition]:
        """The conjuncts of its precondition by their texts."""
        literals = (*self.asked.positive, *map(Not, self.asked.negative))
        told = {self.phrases.condition(part, self.scope): part for part in literals}
        return told | {told.text: part for part, told in self.asked.composite}

    @property
    def headline(self) -> str:
        """The action as it is listed, with the types that its text does not name."""
        untold = [
            f"{self.scope.said(item.name)} is {is_word(item.types, self.phrases)}"
            for position, item in enumerate(self.schema.parameters)
            if position not in self.typed and item.types != ("object",)
        ]
        return f"{self.phrase}, where {enumerate_words(untold)}" if untold else self.phrase

    def conditions(self, asked: Literals) -> Iterator[str]:
        """Preconditions: a sentence for all positive, one for all negative and one for each composite condition."""
        said = self.said_once(list(self.requirements(asked, self.only)), self.only, "I can only do this if ")
        yield from said or [f"I can always {self.phrase}."]

    def said_once(self, lines: list[str], start: str, again: str) -> list[str]:
        """The lines about a long action: what follows the first one begins with "this" in place of its heading."""
        return [lines[0], *(line.replace(start, again, 1) for line in lines[1:])] if lines[1:] and self._long else lines

    @cached_property
    def _long(self) -> bool:
        return any(is_long(told.text) for _, told in self.asked.composite) or any(group.long for group in self.groups)

    def requirements(self, parts: Literals, only: str) -> Iterator[str]:
        """What a condition asks for, in sentences that begin with `only`; nothing for an empty condition."""
        if parts.positive:
            yield (
                only
                + f"it is the case that {' and '.join(self.phrases.condition(p, self.scope) for p in parts.positive)}."
            )
        if parts.negative:
            # Inequalities first: after "it is not the case that …" they would read as part of the negation.
            negative = sorted(parts.negative, key=lambda part: not isinstance(part, Equality))
            yield only + f"{' and '.join(self._negative(part) for part in negative)}."
        for part, told in parts.composite:
            if part == Or():
                yield f"I can never {self.phrase}."
                return
            start = only if told.text.startswith(NOT_SO) else f"{only}it is the case that "
            yield start + "\n".join(told.outline()) + "."

    def _negative(self, part: Condition) -> str:
        if isinstance(part, Equality):
            return self.phrases.condition(Not(part), self.scope)
        return NOT_SO + self.phrases.condition(part, self.scope)

    def effects(self, schema: ActionSchema, start: str) -> Iterator[str]:
        """Its effects: added and deleted facts and numeric changes, each in a sentence of its own."""
        groups = self.groups if schema is self.schema else effect_groups(schema.effect, self.phrases, self.scope)
        unless = Coincidences(schema, self.phrases, groups).unless
        yield from (line for group in groups for line in group.sentences(start, self.phrases, unless=unless))


def _known_nouns(phrases: Phrases, schema: StepSchema) -> frozenset[str]:
    """Words that are nouns before a parameter: types, unary predicates, parameters' own names."""
    words = (item.name.lstrip("?").rstrip("0123456789") for item in schema.parameters)
    return phrases.nouns.union(word.casefold() for word in words if len(word) > 1)


class Literals(NamedTuple):
    """The conjuncts of a condition by kind; negative ones without their ``not``, composite ones with their texts."""

    positive: list[Condition]
    negative: list[Condition]
    composite: list[tuple[Condition, Told]]


def sorted_literals(condition: Condition, phrases: Phrases, scope: Scope) -> Literals:
    """The conjuncts by kind; facts that are never told are skipped."""
    found = Literals([], [], [])
    for part in conjuncts(condition):
        body = part.body if isinstance(part, Not) else part
        if isinstance(body, Atom) and not phrases.told(body.predicate):
            continue
        if isinstance(body, (Atom, Equality)):
            (found.negative if isinstance(part, Not) else found.positive).append(body)
        elif isinstance(part, Comparison):
            found.positive.append(part)
        else:
            found.composite.append((part, phrases.composite(part, scope)))
    return found


def wishes(condition: Condition, phrases: Phrases, scope: Scope, start: str) -> Iterator[str]:
    """The preferences of a condition, a sentence each; one under a quantifier counts for every choice of objects."""
    match condition:
        case Preference(name, body):
            named = f" (preference '{name}')" if name else ""
            yield f"{start[0].upper()}{start[1:]}{phrases.condition(body, scope)}{named}."
        case And(parts):
            for part in parts:
                if isinstance(part, Preference | And | Forall):
                    yield from wishes(part, phrases, scope, start)
        case Forall(parameters, body):
            inner = scope.bind(parameters)
            yield from wishes(body, phrases, inner, f"{phrases.every(parameters, inner)}, {start}")


def is_word(types: Sequence[str], phrases: Phrases) -> str:
    """``a truck``; of several types ``a truck or an airplane``."""
    return " or ".join(one_of_kind(phrases.wording.type_word(name)) for name in types)


# ── effects ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class EffectGroup:
    """Effects under the same quantifiers and conditions; ``lead`` is their text, ``long`` whether one is a list."""

    lead: str
    scope: Scope
    long: bool = False
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
                ceased = phrases.affirmed(atom, self.scope) or _GONE + fact
                gone.setdefault(unless(atom, self.scope), {})[ceased] = None
        for exception, facts in gone.items():
            if facts:
                yield f"{start}{self.lead}{' and '.join(facts)}{exception and f', unless {exception}'}."
        changes = [_update_text(update, phrases, self.scope) for update in self.updates]
        if changes:
            yield f"{start}{self.lead}{' and '.join(changes)}."


def effect_groups(
    effect: Condition, phrases: Phrases, scope: Scope, lead: str = "", *, long: bool = False
) -> list[EffectGroup]:
    """The parts of an effect, grouped by their quantifiers and conditions.

    Raises `UnsupportedError` for effects that cannot be told.
    """
    group = EffectGroup(lead, scope, long)
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
                groups += effect_groups(body, phrases, inner, quantified, long=long)
            case When(condition=condition, effect=body):
                before, listed = _before(condition, phrases, scope)
                # The effect does not reuse the letters of its condition.
                groups += effect_groups(body, phrases, scope.beside(before), lead + before, long=long or listed)
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
        """When a deleted fact still holds, "B and C are the same object"; empty: never, or not to be told."""
        if not self.phrases.exceptions:
            return ""
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


def _before(condition: Condition, phrases: Phrases, scope: Scope) -> tuple[str, bool]:
    """The condition of a conditional effect, which refers to the state before the action; empty without condition.

    Equalities do not depend on the state: they come first, without "just before". Also whether a part of it is long.
    """
    parts = tuple(conjuncts(condition))
    if not all(is_literal(part) for part in parts):
        told = phrases.composite(And(parts), scope)
        if is_long(told.text):
            listed = "\n".join(told.outline())
            long = any(is_long(item.text) for item in (told.items if parts[1:] else (told,)))
            return f"if just before it was the case that {listed}\n  then ", long
    timeless: list[str] = []
    said: list[str] = []
    for part in parts:
        body = part.body if isinstance(part, Not) else part
        text = phrases.condition(body, scope)
        scope = scope if isinstance(body, SIMPLE) else scope.beside(text)
        was = "it was not the case that" if isinstance(part, Not) else "it was the case that"
        if isinstance(body, Equality):
            timeless.append(phrases.condition(part, scope))
        else:
            said.append(f"{was} {text if isinstance(body, Atom | Comparison) else f'({text})'}")
    if said:
        said[0] = f"just before {said[0]}"
    return f"if {' and '.join(timeless + said)}, " if timeless or said else "", False


def _update_text(update: Update, phrases: Phrases, scope: Scope) -> str:
    fluent = phrases.expression(update.fluent, scope)
    value = phrases.expression(update.value, scope)
    return f"{fluent} {_CHANGES[update.operator]} {value}"


# ── durative actions ─────────────────────────────────────────────────────────────────────────────


def _durative_conditions(action: ToldAction, node: DurativeAction) -> Iterator[str]:
    from pddlval.temporal.lowering import Durative

    durative, phrases, scope = Durative(node), action.phrases, action.scope
    phrase, clause = action.phrase, closed_clause(action.phrase)
    for phase, constraints in durative.durations.items():
        for constraint in constraints:
            if constraint.operator == "=" and constraint.right == Number(Fraction(0)):
                continue
            long = f"{_TAKES[constraint.operator]}{phrases.expression(constraint.right, scope)}"
            yield f"It takes {long} to {phrase}{', as things are at the end' if phase == 'end' else ''}."
    for condition, only, when in (
        (durative.start.precondition, f"I can only start to {clause} if ", f"when I start to {clause}, "),
        (durative.over_all, f"While I {clause}, I can only go on if ", f"while I {clause}, "),
        (durative.end.precondition, f"While I {clause}, I can only end if ", f"when I {clause}, at the end "),
    ):
        yield from action.requirements(sorted_literals(required(condition), phrases, scope), only)
        yield from wishes(condition, phrases, scope, f"{when}I would prefer that ")


def _durative_effects(action: ToldAction, node: DurativeAction) -> Iterator[str]:
    from pddlval.temporal.lowering import Durative

    durative, phrases, clause = Durative(node), action.phrases, closed_clause(action.phrase)
    end = f"At the end, when I {clause}, "
    said = [*action.effects(durative.start, f"As soon as I start to {clause}, "), *action.effects(durative.end, end)]
    for one in durative.spanning:
        inner = action.scope.bind(one.parameters)
        every = f"{phrases.every(one.parameters, inner)}, " if one.parameters else ""
        times = ((one.start, " at the start"), (one.over_all, " all the time"), (one.end, " just before"))
        earlier = [
            f"it was the case{when} that {phrases.condition(condition, inner)}"
            for condition, when in times
            if condition != And()
        ]
        for group in effect_groups(one.effect, phrases, inner, f"{every}if {' and '.join(earlier)}, "):
            said += group.sentences(end, phrases)
    for rate in durative.rates:
        inner = action.scope.bind(rate.parameters)
        lead = f"{phrases.every(rate.parameters, inner)}, " if rate.parameters else ""
        parts = tuple(conjuncts(rate.start))
        if parts:
            lead += f"if it was the case at the start that {phrases.condition(And(parts), inner)}, "
        said.append(f"While I {clause}, {lead}{_update_text(rate.update, phrases, inner)} in every unit of time.")
    yield from said or [f"Once I {action.phrase}, nothing changes."]


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
        body = "\n".join(phrases.composite(And(parts), inner).outline())
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
