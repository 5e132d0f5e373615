"""Conditions, literals and expressions in the snippets of a wording; `telling.teller` documents the grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.nl.wording.english import letters, one_of_kind
from pddl2nl.nl.wording.negation import NOT_SO, affirm, negate, whole_sentence
from pddl2nl.nl.wording.snippets import Snippet, Wording, fill_parts, shape_of, split_text
from pddl2nl.nl.wording.template import template_function, template_predicate
from pddl2nl.pddl.task import Hierarchy, changed_predicates, supertypes
from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Modal,
    Not,
    Number,
    Or,
    Special,
    Timed,
    TypedName,
    conjuncts,
    number_text,
)

COMPARISONS: Mapping[str, str] = MappingProxyType(
    {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "=": "equal to"}
)
"""What stands behind "is" in a comparison of numbers."""
_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_MODALS: Mapping[str, str] = MappingProxyType(
    {
        "always": "at all times, {}",
        "sometime": "at some time, {}",
        "at-most-once": "at most once, and then without a break, {}",
        "sometime-after": "whenever {}, at that time or later {}",
        "sometime-before": "before the first time that {}, {}",
        "within": "at time {1} or before, {0}",
        "always-within": "whenever {0}, at that time or at most {2} later {1}",
        "hold-during": "from time {1} until time {2}, {0}",
        "hold-after": "from time {1} on, {0}",
    }
)
"""The trajectory constraints by their operators; the conditions come before the numbers."""
IMPOSSIBLE = "this is never the case"
"""An empty ``or`` within other conditions."""
_LETTER = re.compile(r"\b[A-Z]\d*\b")
NOTHING_ASKED = "nothing is asked for"
"""An empty ``and`` within other conditions."""


class UntoldError(InputError):
    """A condition needs a fact that the wording never tells."""


LONG = 40
"""A condition of more words is told as a list, unless it is a conjunction of literals."""


def is_long(text: str) -> bool:
    """Whether a text is too long for one sentence."""
    return text.count(" ") >= LONG


SIMPLE = (Atom, Equality, Comparison)
"""Conditions without other conditions in them."""


def is_literal(condition: Condition) -> bool:
    """Whether a condition is an atom, an equality, a comparison, or the negation of one."""
    body = condition.body if isinstance(condition, Not) else condition
    return isinstance(body, SIMPLE)


def refuse(construct: str, place: str) -> UnsupportedError:
    """The error for a construct that cannot be told."""
    return UnsupportedError(f"{construct} in {place} cannot be told in language by this version")


@dataclass(frozen=True)
class Scope:
    """What terms are called in one text: told names of objects, letters of variables.

    ``place`` is named in errors; ``strict`` refuses facts that the wording never tells, as a goal needs all of them.
    """

    place: str
    names: Mapping[str, str]
    avoid: frozenset[str] = frozenset()
    strict: bool = False

    def said(self, term: str) -> str:
        """What a term is called; by default the term itself."""
        return self.names.get(term, term)

    def beside(self, text: str) -> Scope:
        """The scope for another part of the same sentence: it does not reuse the letters of this text."""
        avoid = self.avoid.union(_LETTER.findall(text))
        return self if len(avoid) == len(self.avoid) else replace(self, avoid=avoid)

    def bind(self, parameters: Sequence[TypedName]) -> Scope:
        """The scope within a quantifier or action: its variables get the next free letters."""
        if not parameters:
            return self
        fresh = letters(self.avoid)
        bound = {item.name: next(fresh) for item in parameters}
        return Scope(self.place, {**self.names, **bound}, self.avoid | set(bound.values()), self.strict)


class Told(NamedTuple):
    """A condition in words: as one text, and as an outline for one that is long.

    Attributes:
        text: the whole condition.
        heading: the outline's first line; the text, where that is not long.
        items: what stands below the heading.
    """

    text: str
    heading: str
    items: Sequence[Told] = ()

    @classmethod
    def listed(cls, text: str, heading: str, items: Sequence[Told]) -> Told:
        """A list of items, where the text is long."""
        return cls(text, heading, items) if is_long(text) else cls(text, text)

    @classmethod
    def behind(cls, start: str, told: Told) -> Told:
        """A condition in brackets behind a text; an outline behind it has none."""
        text = f"{start}({told.text})"
        return cls(text, start + told.heading, told.items) if is_long(told.text) else cls(text, text)

    def outline(self, number: str = "") -> Iterator[str]:
        """The condition as lines: what is longer than `LONG` words is a numbered list, in lists in turn.

        ``number`` stands before the numbers of the items, ``2.`` before 2.1.
        """
        yield self.heading
        for place, item in enumerate(self.items, start=1):
            mark = f"{number}{place}"
            first, *others = item.outline(f"{mark}.")
            yield f"{'  ' * (mark.count('.') + 1)}({mark}) {first}"
            yield from others


@dataclass(frozen=True)
class Phrases:
    """Tells facts and conditions of one domain in one wording.

    Attributes:
        exceptions: whether a description of the domain says when a deleted fact still holds.
    """

    wording: Wording
    domain: Domain
    exceptions: bool = True

    @cached_property
    def constants(self) -> frozenset[str]:
        """The domain's constants with the name of a letter, which no variable may have; others need no avoiding."""
        return frozenset(item.name for item in self.domain.constants if _LETTER.fullmatch(item.name.upper()))

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words for the domain's types, and its unary predicates."""
        words = {self.wording.type_word(item.name) for item in self.domain.types}
        words |= {item.name for item in self.domain.predicates if len(item.parameters) == 1}
        return frozenset(word.casefold() for word in words if len(word) > 1) | {"object"}

    @cached_property
    def changed(self) -> frozenset[str]:
        """The predicates that are not static."""
        return changed_predicates(self.domain)

    @cached_property
    def above(self) -> Hierarchy:
        """The supertypes of each type."""
        return supertypes(self.domain)

    @cached_property
    def _shapes(self) -> Counter[str]:
        """How many predicates have a text of each shape, plain or negated: a negation must not equal another fact."""
        snippets = self.wording.predicates.values()
        return Counter(shape_of(text) for item in snippets for text in (item.text, item.negated) if text is not None)

    def _distinct(self, text_of: Callable[[Snippet], str | None]) -> dict[str, tuple[str | int, ...]]:
        """The pieces of another text of each predicate, unless a predicate has a text of that shape."""
        found: dict[str, tuple[str | int, ...]] = {}
        for name in self.wording.predicates:
            snippet = self.predicate(name)
            text = text_of(snippet)
            # A text of its own counts itself.
            if text is not None and self._shapes[shape_of(text)] <= (text == snippet.negated):
                found[name] = split_text(text, snippet.parameters)
        return found

    @cached_property
    def _negatives(self) -> dict[str, tuple[str | int, ...]]:
        return self._distinct(lambda snippet: snippet.negated)

    @cached_property
    def _reasons(self) -> dict[str, tuple[str | int, ...]]:
        """The wording's negated texts, else those by the rule: "not occupied" may be a fact of its own."""
        told = {name: item for name, item in self.wording.predicates.items() if item.text is not None}
        return self._distinct(lambda snippet: negate(snippet.text or "")) | {
            name: snippet.negated_parts for name, snippet in told.items() if snippet.negated is not None
        }

    @cached_property
    def _wholes(self) -> dict[str, tuple[str | int, ...]]:
        """The whole sentences, for texts that leave out their subject."""
        return self._distinct(lambda snippet: whole_sentence(snippet.text or ""))

    @cached_property
    def _affirmed(self) -> dict[str, tuple[str | int, ...]]:
        """What denied texts deny: of "A does not exist" that A exists."""
        return self._distinct(lambda snippet: affirm(snippet.text or ""))

    @cached_property
    def _fallbacks(self) -> dict[str, Snippet]:
        return {item.name: template_predicate(item) for item in self.domain.predicates}

    def told(self, predicate: str) -> bool:
        """Whether facts of this predicate are told at all."""
        snippet = self.wording.predicates.get(predicate)
        return snippet is None or snippet.text is not None

    def predicate(self, name: str) -> Snippet:
        """The snippet of a predicate; the template's if the wording never tells it."""
        snippet = self.wording.predicates.get(name)
        if snippet is not None and snippet.text is not None:
            return snippet
        fallback = self._fallbacks.get(name)
        if fallback is None:
            raise InputError(f"the domain '{self.domain.name}' has no predicate '{name}'")
        return fallback

    def function(self, name: str) -> Snippet:
        """The snippet of a function; the template's if the wording has none."""
        snippet = self.wording.functions.get(name)
        if snippet is not None and snippet.text is not None:
            return snippet
        if name == "total-time":
            # The states of tasks with time hold it as a fluent.
            return Snippet(name, (), "the time")
        declared = next((item for item in self.domain.functions if item.name == name), None)
        if declared is None:
            raise InputError(f"the domain '{self.domain.name}' has no function '{name}'")
        return template_function(declared)

    def fact(self, predicate: str, said: Sequence[str]) -> str:
        """A positive atom; ``said`` are the arguments' names."""
        return self.predicate(predicate).fill(said)

    def negative(self, predicate: str, said: Sequence[str]) -> str:
        """A negative literal in the form that reads back: the wording's own, else "it is not the case that …"."""
        parts = self._negatives.get(predicate) if self.told(predicate) else None
        return NOT_SO + self.fact(predicate, said) if parts is None else fill_parts(parts, said)

    def affirmed(self, atom: Atom, scope: Scope) -> str:
        """That an atom does not hold, without a negation, where its text is denied; else empty."""
        parts = self._affirmed.get(atom.predicate)
        return "" if parts is None else fill_parts(parts, [scope.said(term) for term in atom.args])

    def reason(self, literal: Condition, scope: Scope) -> str:
        """That a condition does not hold, as part of a reason: ``block_1 is not clear`` (`telling.reasons`)."""
        if isinstance(literal, Atom):
            said = [scope.said(term) for term in literal.args]
            parts = self._reasons.get(literal.predicate)
            return NOT_SO + self.fact(literal.predicate, said) if parts is None else fill_parts(parts, said)
        if isinstance(literal, Equality):
            return _equality(literal, scope, same=False)
        if isinstance(literal, Not):
            return self.holding(literal.body, scope)
        return f"{NOT_SO}({self.condition(literal, scope)})"

    def holding(self, condition: Condition, scope: Scope) -> str:
        """That a condition holds, as part of a reason, in a whole sentence."""
        if not isinstance(condition, Atom):
            return self.condition(condition, scope)
        said = [scope.said(term) for term in condition.args]
        parts = self._wholes.get(condition.predicate)
        return self.fact(condition.predicate, said) if parts is None else fill_parts(parts, said)

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def condition(self, condition: Condition, scope: Scope) -> str:
        """A condition in the grammar of `pddl2nl.nl.telling.teller`.

        Raises `UnsupportedError` for what cannot be told, `UntoldError` in a strict scope for a fact that the
        wording never tells.
        """
        match condition:
            case Atom(predicate=name, args=args):
                self._demand(name, scope)
                names = scope.names
                return self.fact(name, [names.get(term, term) for term in args])
            case Not(body=Atom(predicate=name, args=args)):
                self._demand(name, scope)
                return self.negative(name, [scope.said(term) for term in args])
            case Equality():
                return _equality(condition, scope, same=True)
            case Not(body=Equality() as equality):
                return _equality(equality, scope, same=False)
            case Not(body=Comparison() as comparison):
                return f"{NOT_SO}({self.condition(comparison, scope)})"
            case Not() | And() | Or() | Imply() | Forall() | Exists():
                return self.composite(condition, scope).text
            case Comparison(operator=operator, left=left, right=right) if operator in COMPARISONS:
                said = f"{self.expression(left, scope)} is {COMPARISONS[operator]} "
                return said + self.expression(right, scope)
            case Timed(when="at end", body=body):
                return f"in the end, ({self.condition(body, scope)})"
            case Modal():
                said_parts = [f"({self.condition(part, scope)})" for part in condition.parts]
                return _MODALS[condition.operator].format(*said_parts, *map(number_text, condition.numbers))
        construct = {Timed: "a timed condition", Modal: "a trajectory constraint"}
        name = type(condition).__name__.lower()
        raise refuse(construct.get(type(condition), f"a {name}"), scope.place)

    def composite(self, condition: Condition, scope: Scope) -> Told:
        """A condition with its parts, each told once; its text is that of `condition`."""
        if is_literal(condition):
            text = self.condition(condition, scope)
            return Told(text, text)
        match condition:
            case And(parts=(only,)) | Or(parts=(only,)) | Forall(parameters=(), body=only) | Exists((), only):
                return self.composite(only, scope)
            case Not(body=body):
                return Told.behind(NOT_SO, self.composite(body, scope))
            case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
                inner = scope.bind(parameters)
                return Told.behind(self._quantifier(condition, inner), self.composite(body, inner))
            case Imply(left=left, right=right):
                first = self.composite(left, scope)
                second = self.composite(right, scope.beside(first.text))
                text = f"if ({first.text}) then ({second.text})"
                return Told.listed(text, "if the first of these holds, so does the second:", [first, second])
            case And():
                items = self._items(conjuncts(condition), scope)
                return Told.listed(_joined(items, " and ") or NOTHING_ASKED, "all of these hold:", items)
            case Or(parts=parts):
                items = self._items(parts, scope)
                return Told.listed(_joined(items, " or ") or IMPOSSIBLE, "at least one of these holds:", items)
        text = self.condition(condition, scope)
        return Told(text, text)

    def _items(self, parts: Iterable[Condition], scope: Scope) -> list[Told]:
        """The parts of a condition; none reuses a letter of those before it."""
        found: list[Told] = []
        for part in parts:
            told = self.composite(part, scope)
            found.append(told)
            if not isinstance(part, SIMPLE):
                scope = scope.beside(told.text)
        return found

    def _quantifier(self, condition: Forall | Exists, inner: Scope) -> str:
        if not condition.parameters:
            return ""
        if isinstance(condition, Forall):
            return f"{self.every(condition.parameters, inner)}, "
        some = " and ".join(
            f"{one_of_kind(self.type_words(item))} {inner.said(item.name)}" for item in condition.parameters
        )
        return f"there is {some} such that "

    def every(self, parameters: Sequence[TypedName], scope: Scope) -> str:
        """``for every truck A and every location B``."""
        return "for " + " and ".join(f"every {self.type_words(item)} {scope.said(item.name)}" for item in parameters)

    def type_words(self, item: TypedName) -> str:
        """The noun of a name's type; of several types ``truck or airplane``."""
        return " or ".join(self.wording.type_word(name) for name in item.types)

    def _demand(self, predicate: str, scope: Scope) -> None:
        if scope.strict and not self.told(predicate):
            raise UntoldError(f"{scope.place} asks for '{predicate}', which the wording never tells (its text is null)")

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def expression(self, expression: Expression, scope: Scope) -> str:
        """A numeric expression, with brackets around each operation."""
        match expression:
            case Number(value=value):
                return number_text(value)
            case Fluent(name=name, args=args):
                return self.function(name).fill([scope.said(term) for term in args])
            case Special(name="total-time"):
                return "the total time"
            case Special(name="?duration"):
                return "its duration"
            case Special(name="#t"):
                return "the time that has passed"
            case Special(name="is-violated", args=(preference,)):
                return f"the number of violations of preference '{preference}'"
            case Special(name=name):
                raise refuse(f"'{name}'", scope.place)
            case Arithmetic(operator="-", operands=(only,)):
                return f"minus ({self.expression(only, scope)})"
            case Arithmetic(operator=operator, operands=operands):
                joiner = f" {_OPERATORS[operator]} "
                return f"({joiner.join(self.expression(part, scope) for part in operands)})"


def _joined(items: Sequence[Told], joiner: str) -> str:
    return joiner.join([f"({item.text})" for item in items])


def _equality(equality: Equality, scope: Scope, *, same: bool) -> str:
    both = f"{scope.said(equality.left)} and {scope.said(equality.right)}"
    return f"{both} are the same object" if same else f"{both} are different objects"
