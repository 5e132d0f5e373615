"""Reading facts, conditions and expressions back from the sentences that `pddl2nl.nl.telling.teller` makes.

The inverse of its grammar, under any wording: a sentence is compared with every snippet letter by letter, and
counts only if it is exactly one thing once the objects' types are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pddl2nl.errors import InputError
from pddl2nl.nl.reading.exact import ExactForm, FormIndex
from pddl2nl.nl.telling.phrases import IMPOSSIBLE, NOTHING_ASKED, Phrases
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl.task import supertypes
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
    Not,
    Number,
    Or,
    Special,
    TypedName,
)

__all__ = ["FactReader", "Fact", "NLReadError", "Scope"]

Scope = Mapping[str, TypedName]
"""What terms mean at one place: told name or letter → PDDL name (or variable) and types."""


class NLReadError(InputError):
    """A told text that cannot be read back; ``line`` (from 1) is the place, ``expected`` says what would be right."""

    def __init__(self, line: int, reason: str, expected: str = ""):
        super().__init__(f"line {line}: {reason}" + (f"; expected {expected}" if expected else ""))
        self.line = line
        self.reason = reason
        self.expected = expected


class Fact(NamedTuple):
    """What a snippet says: a predicate's atom, positive or negated, or a function's value."""

    name: str
    types: tuple[tuple[str, ...], ...]
    positive: bool = True


_NUMBER = re.compile(r"-?\d+(?:\.\d+|/\d+)?")
_EQUALITY = re.compile(r"(\S+) and (\S+) are (the same object|different objects)")
_COMPARISON = re.compile(r" is (at least|at most|more than|less than|equal to) ")
_COMPARISONS = {"at least": ">=", "at most": "<=", "more than": ">", "less than": "<", "equal to": "="}
_OPERATORS = {" plus ": "+", " minus ": "-", " times ": "*", " divided by ": "/"}
_EVERY = re.compile(r"every (.+?) ([A-Z]\d*)(?: and (?=every )|, (?=\())")
_SOME = re.compile(r"(?:an? |one of the )?(.+?) ([A-Z]\d*)(?: and | such that (?=\())")


class FactReader:
    """Reads single sentences of one domain in one wording; ``types`` finds a type by its told noun."""

    def __init__(self, domain: Domain, wording: Wording):
        self._above = supertypes(domain)
        self.types = {wording.type_word(name).casefold(): name for name in self._above}
        predicates: list[ExactForm[Fact]] = []
        phrases = Phrases(wording, domain)
        for predicate in domain.predicates:
            snippet = wording.predicates.get(predicate.name)
            if snippet is None or snippet.text is None:
                continue
            types = tuple(parameter.types for parameter in predicate.parameters)
            predicates.append(ExactForm(Fact(predicate.name, types), snippet.parts, len(types)))
            if _has_own_negation(phrases, snippet):
                predicates.append(ExactForm(Fact(predicate.name, types, False), snippet.negated_parts, len(types)))
        self._predicates = FormIndex(predicates)
        functions: list[ExactForm[Fact]] = []
        for function in domain.functions:
            types = tuple(parameter.types for parameter in function.parameters)
            functions.append(ExactForm(Fact(function.name, types), phrases.function(function.name).parts, len(types)))
        self._functions = FormIndex(functions)

    def facts(self, text: str, scope: Scope) -> list[Atom | Not]:
        """All literals that a sentence may say; one of them, if it was told in this wording."""
        options: list[Atom | Not] = []
        for form, args in self._predicates.read(text, scope.__contains__):
            terms = self._terms(form.meaning, args, scope)
            if terms is not None:
                atom = Atom(form.meaning.name, terms)
                options.append(atom if form.meaning.positive else Not(atom))
        if text.startswith(NOT_SO):
            options += [Not(fact) for fact in self.facts(text[len(NOT_SO) :], scope) if isinstance(fact, Atom)]
        return options if len(options) < 2 else list(dict.fromkeys(options))

    def value(self, text: str, scope: Scope) -> list[tuple[Fluent, Fraction]]:
        """All values that a sentence may give to a numeric fluent."""
        said, joint, number = text.rpartition(" is ")
        if not joint or not _NUMBER.fullmatch(number):
            return []
        return [(fluent, Fraction(number)) for fluent in self._fluents(said, scope)]

    def _fluents(self, text: str, scope: Scope) -> list[Fluent]:
        options: list[Fluent] = []
        for form, args in self._functions.read(text, scope.__contains__):
            terms = self._terms(form.meaning, args, scope)
            if terms is not None:
                options.append(Fluent(form.meaning.name, terms))
        return options

    def _terms(self, fact: Fact, args: Sequence[str], scope: Scope) -> tuple[str, ...] | None:
        """The terms' PDDL names, or None where one is unknown or of a wrong type."""
        terms: list[str] = []
        for name, wanted in zip(args, fact.types, strict=True):
            item = scope.get(name)
            if item is None or not self._fits(item, wanted):
                return None
            terms.append(item.name)
        return tuple(terms)

    def _fits(self, item: TypedName, wanted: Sequence[str]) -> bool:
        for kind in wanted:
            if kind == "object" or any(kind in self._above.get(own, (own,)) for own in item.types):
                return True
            # A variable may range over more than the parameter takes.
            if item.name.startswith("?") and any(own in self._above.get(kind, ()) for own in item.types):
                return True
        return False

    def unknown_terms(self, text: str, scope: Scope) -> tuple[str, ...]:
        """The names that a sentence of a known shape uses and the scope lacks; empty where no shape fits."""
        forms = [*self._predicates.read(text, _anything), *self._functions.read(text.rpartition(" is ")[0], _anything)]
        lacking = [tuple(name for name in args if name not in scope) for _, args in forms]
        return min((names for names in lacking if names), key=len, default=())

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def conditions(self, text: str, scope: Scope) -> list[Condition]:
        """All conditions that a sentence may say, in the grammar of `pddl2nl.nl.telling.teller`."""
        options: list[Condition] = [*self.facts(text, scope)]
        if match := _EQUALITY.fullmatch(text):
            first, second = scope.get(match[1]), scope.get(match[2])
            if first is not None and second is not None:
                same = Equality(first.name, second.name)
                options.append(same if match[3] == "the same object" else Not(same))
        if text == NOTHING_ASKED:
            options.append(And())
        if text == IMPOSSIBLE:
            options.append(Or())
        if text[:1] == "(" or text.startswith(("if (", "for every ", "there is ", NOT_SO + "(")):
            options += self._compound(text, scope)
        for match in _COMPARISON.finditer(text):
            left = self.expressions(text[: match.start()], scope)
            right = self.expressions(text[match.end() :], scope) if left else []
            options += [Comparison(_COMPARISONS[match[1]], one, other) for one in left for other in right]
        return list(dict.fromkeys(options))

    def _compound(self, text: str, scope: Scope) -> Iterator[Condition]:
        for kind, joiner in ((Or, " or "), (And, " and ")):
            groups = _groups(text, joiner)
            if len(groups) > 1:
                yield from (kind(parts) for parts in self._all(groups, scope))
            elif kind is Or and groups and len(_groups(groups[0], joiner)) > 1:
                yield from self._compound(groups[0], scope)
        if text.startswith("if ("):
            for parts in self._all(_groups(text[len("if ") :], " then "), scope):
                if len(parts) == 2:
                    yield Imply(*parts)
        if text.startswith(NOT_SO + "("):
            for parts in self._all(_groups(text[len(NOT_SO) :], ""), scope):
                yield from (Not(part) for part in parts[:1])
        if text.startswith("for every "):
            yield from (Forall(*options) for options in self._quantified(text[len("for ") :], _EVERY, scope))
        if text.startswith("there is "):
            yield from (Exists(*options) for options in self._quantified(text[len("there is ") :], _SOME, scope))

    def _all(self, groups: Sequence[str], scope: Scope) -> Iterator[tuple[Condition, ...]]:
        """Every way to read all the groups."""
        ways: list[tuple[Condition, ...]] = [()] if groups else []
        for group in groups:
            options = self.conditions(group, scope)
            ways = [(*way, option) for way in ways for option in options]
        yield from ways

    def _quantified(
        self, text: str, announced: re.Pattern[str], scope: Scope
    ) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        inner = dict(scope)
        parameters: list[TypedName] = []
        at = 0
        while text[at : at + 1] != "(" and (match := announced.match(text, at)):
            kinds = tuple(self.types.get(word.casefold(), "") for word in match[1].split(" or "))
            if "" in kinds or match[2] in inner:
                return
            parameters.append(TypedName(f"?{match[2].lower()}", kinds))
            inner[match[2]] = parameters[-1]
            at = match.end()
        for group in _groups(text[at:], ""):
            yield from ((tuple(parameters), body) for body in self.conditions(group, inner))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def expressions(self, text: str, scope: Scope) -> list[Expression]:
        """All numeric expressions that a text may say."""
        options: list[Expression] = [*self._fluents(text, scope)]
        if _NUMBER.fullmatch(text):
            options.append(Number(Fraction(text)))
        if text == "the total time":
            options.append(Special("total-time"))
        if text.startswith("minus ("):
            for group in _groups(text[len("minus ") :], ""):
                options += [Arithmetic("-", (operand,)) for operand in self.expressions(group, scope)]
        for group in _groups(text, "") if text[:1] == "(" else []:
            for joiner, operator in _OPERATORS.items():
                pieces = _cut(group, joiner)
                if len(pieces) > 1:
                    options += [Arithmetic(operator, way) for way in self._operands(pieces, scope)]
        return list(dict.fromkeys(options))

    def _operands(self, pieces: Sequence[str], scope: Scope) -> list[tuple[Expression, ...]]:
        ways: list[tuple[Expression, ...]] = [()]
        for piece in pieces:
            options = self.expressions(piece, scope)
            ways = [(*way, option) for way in ways for option in options]
        return ways


def _anything(name: str) -> bool:
    return True


def _has_own_negation(phrases: Phrases, snippet: Snippet) -> bool:
    """Whether a negative literal is told in the snippet's own negated text: the teller's decision, asked of it."""
    said = [f"x{index}" for index in range(len(snippet.parameters))]
    return snippet.negated is not None and phrases.negative(snippet.name, said) != NOT_SO + snippet.fill(said)


def _groups(text: str, joiner: str) -> list[str]:
    """The insides of ``(…) joiner (…) …``; empty where the text is not of that form. No joiner: one group."""
    groups: list[str] = []
    at = 0
    while at < len(text) and text[at] == "(":
        end = _closing(text, at)
        if end < 0:
            return []
        groups.append(text[at + 1 : end])
        at = end + 1
        if at == len(text):
            return groups
        if not joiner or not text.startswith(joiner, at):
            return []
        at += len(joiner)
    return []


def _closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at ``at``, or -1."""
    depth = 0
    for match in _BRACKET.finditer(text, at):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return -1


_BRACKET = re.compile(r"[()]")


def _cut(text: str, joiner: str) -> list[str]:
    """A text cut at each joiner that stands outside brackets."""
    pieces: list[str] = []
    start = depth = 0
    index = 0
    while index < len(text):
        character = text[index]
        depth += (character == "(") - (character == ")")
        if depth == 0 and text.startswith(joiner, index):
            pieces.append(text[start:index])
            index += len(joiner)
            start = index
            continue
        index += 1
    return [*pieces, text[start:]]
