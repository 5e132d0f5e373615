"""Finds preconditions and effects in a reply: what stands where, and the names in it as PDDL has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pddl2nl.nl import Names
from pddl2nl.pddl import Task

__all__ = ["Found", "NameResolver", "find_conditions"]

_LABEL = re.compile(
    r"(?<![\w-])(?:(?P<pre>pre[-_ ]?cond(?:ition)?s?)|(?P<post>post[-_ ]?cond(?:ition)?s?|effects?))(?![\w-])",
    re.IGNORECASE,
)
# What follows a label: marks of emphasis and quotes, a remark in parentheses; then a colon, or the condition itself.
_BEHIND = re.compile(
    r"[*_`\"'\]]*(?:[ \t]+(?:is|are|(?:of|for) [^\n:()]{1,80}))?\s*"
    r"(?:\([^()\n]*\)[*_`\"' ]*(?=:))?(?::|=|(?=[*_`\"']*\s*\())"
)
_NUMBER = re.compile(r"(?im)^[ \t>#*_-]*(?:macro(?:[- ]?action)?[ \t]*#?)?\(?(\d{1,3})[ \t]*[.):-]")
_OPENING = re.compile(r"(?<![\w?-])([A-Za-z][\w-]*)\(")
_TOKEN = re.compile(r"[()]|[^\s(),]+")
_COMMENT = re.compile(r";[^\n]*")
_QUOTES = "\"'`“”‘’"
_BETWEEN = re.compile(r"[\s,.;:*`\"'&∧-]*(?:\b(?:and|or|not)\b[\s,.;:*`\"'&∧-]*)*", re.IGNORECASE)
_CONNECTIVES = frozenset(("and", "or", "not", "when", "imply", "forall", "exists"))
_NOTHING = re.compile(r"[\s*`\"'(:-]*(?:none|nothing|empty|true|n/a|no (?:precondition|effect)s?)\b", re.IGNORECASE)
_MOST = 200_000
"""So many characters of a reply are looked through."""


class Found(NamedTuple):
    """The lists that are one macro-action's precondition and effect; None where the reply has none."""

    precondition: tuple[str, ...] | None
    effect: tuple[str, ...] | None


class _Label(NamedTuple):
    kind: str
    start: int
    end: int
    number: int | None


class NameResolver:
    """Names of a reply as PDDL has them: told names, PDDL's own, and either in other letters or with other hyphens."""

    def __init__(self, task: Task, names: Names | None):
        told = {} if names is None else dict(names.to_pddl)
        aliases = {} if names is None else dict(names.aliases)
        own = {name: name for name in task.objects}
        self._objects = _table(told, aliases, own)
        symbols = (*(item.name for item in task.domain.predicates), *(item.name for item in task.domain.functions))
        self.heads = _table({name: name for name in symbols})
        self._types = {_bare(name): name for name in ("object", *(item.name for item in task.domain.types))}

    def knows_head(self, name: str) -> bool:
        """Whether a name is a connective, a predicate or a function."""
        return name.lower() in _CONNECTIVES or name in self.heads or _folded(name) in self.heads

    def pddl(self, text: str) -> str:
        """The text with names as in PDDL; what is no name that is known stays as it is."""
        words: list[str] = []
        before, types = "", 0
        for token in _TOKEN.findall(_COMMENT.sub(" ", text)):
            word = token.strip(_QUOTES) or token
            if token == "(":
                types += 1 if types or before == "-" else 0
                words.append(word)
            elif token == ")":
                types -= 1 if types else 0
                words.append(word)
            else:
                words.append(self._word(word, before, bool(types)))
            before = token
        return " ".join(words).replace("( ", "(").replace(" )", ")")

    def _word(self, word: str, before: str, in_types: bool) -> str:
        if word.startswith("?") or word == "-":
            return word.lower()
        if before == "-" or in_types:
            return self._types.get(_bare(word), word.lower())
        table = self.heads if before == "(" else self._objects
        return table.get(word) or table.get(_folded(word)) or word.lower()


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")


def _bare(name: str) -> str:
    return re.sub(r"[-_]", "", name.casefold())


def _table(*groups: Mapping[str, str]) -> dict[str, str]:
    """Names to PDDL names: first those of the first group as they are, last those of the last one folded."""
    table: dict[str, str] = {}
    for group in groups:
        for said, name in group.items():
            table.setdefault(said, name)
    for group in groups:
        for said, name in group.items():
            table.setdefault(_folded(said), name)
    return table


def find_conditions(text: str, resolver: NameResolver, count: int | None = None) -> dict[int, Found]:
    """The conditions in a reply by the number of their macro-action, from 1; lists in PDDL's names."""
    text = text[:_MOST]
    labels = list(_labels(text, resolver))
    if not labels:
        return _unlabelled(text, resolver)
    parts: list[tuple[_Label, tuple[str, ...] | None]] = []
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        end = len(text) if following is None else following.start
        parts.append((label, _lists(text[label.end : end], resolver)))
    entries: list[tuple[int | None, Found]] = []
    trusted = True
    for label, lists in parts:
        last = entries[-1][1] if entries else None
        if label.kind == "post" and last is not None and last.effect is None:
            # Where effects have numbers of their own, the numbers count lines and no macro-actions.
            trusted = trusted and label.number in (None, entries[-1][0])
            entries[-1] = (entries[-1][0], Found(last.precondition, lists))
        elif label.kind == "post":
            entries.append((label.number, Found(None, lists)))
        else:
            entries.append((label.number, Found(lists, None)))
    return _by_number(entries, trusted, count)


def _by_number(entries: list[tuple[int | None, Found]], trusted: bool, count: int | None) -> dict[int, Found]:
    numbers = [number for number, _ in entries]
    known = [number for number in numbers if number is not None]
    fits = trusted and len(set(known)) == len(known) == len(numbers) and 0 not in known
    if not fits or max(known) > (count or len(entries)):
        return {place: found for place, (_, found) in enumerate(entries, start=1)}
    return {number: found for number, found in entries if number is not None}


def _labels(text: str, resolver: NameResolver) -> Iterator[_Label]:
    end = 0
    for match in _LABEL.finditer(text):
        behind = _BEHIND.match(text, match.end())
        if match.start() < end or behind is None:
            continue
        if behind[0][-1:] not in (":", "=") and not _head_known(text[behind.end() :], resolver):
            # "the effect (which matters) …" is a remark.
            continue
        numbers = _NUMBER.findall(text, end, match.start() + 1)
        number = int(numbers[-1]) if numbers else None
        end = behind.end()
        yield _Label("pre" if match["pre"] else "post", match.start(), end, number)


def _unlabelled(text: str, resolver: NameResolver) -> dict[int, Found]:
    """Two lists and nothing that says what they are: the first is the precondition."""
    lists = [resolver.pddl(part) for _, part in _balanced(_calls(text, resolver)) if _head_known(part, resolver)]
    if len(lists) != 2:
        return {}
    return {1: Found((lists[0],), (lists[1],))}


def _lists(text: str, resolver: NameResolver) -> tuple[str, ...] | None:
    """The lists behind a label: all that follow on the first, or begin a line of their own."""
    text = _calls(text, resolver)
    found = list(_balanced(text))
    first = next((place for place, (_, part) in enumerate(found) if _head_known(part, resolver)), None)
    if first is None:
        if _NOTHING.match(text):
            return ()
        # What is no condition is given on, so that what is wrong with it can be said.
        return (resolver.pddl(found[0][1]),) if found else None
    lists: list[str] = []
    alternatives = False
    end = found[first][0]
    for start, part in found[first:]:
        between = text[end:start]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if lists and not _BETWEEN.fullmatch(between) and not _BETWEEN.fullmatch(re.sub(r"\d+", "", line)):
            break
        alternatives = alternatives or bool(lists and re.search(r"\bor\b", between, re.IGNORECASE))
        negated = re.search(r"\bnot[\s`*\"']*\Z", line, re.IGNORECASE)
        lists.append(f"(not {resolver.pddl(part)})" if negated else resolver.pddl(part))
        end = start + len(part)
    return (f"(or {' '.join(lists)})",) if alternatives else tuple(lists)


def _calls(text: str, resolver: NameResolver) -> str:
    """The text with calls, ``inside(egg_1, fridge_1)``, as lists."""

    def opened(match: re.Match[str]) -> str:
        return f"({match[1]} " if resolver.knows_head(match[1]) else match[0]

    return _OPENING.sub(opened, text)


def _head_known(part: str, resolver: NameResolver) -> bool:
    words = [token for token in _TOKEN.findall(part[:200]) if token not in "()"]
    head = words[0].strip(_QUOTES) if words else ""
    return not words or resolver.knows_head(head) or head in ("<", "<=", "=", ">=", ">", *_UPDATES)


_UPDATES: Iterable[str] = ("assign", "increase", "decrease", "scale-up", "scale-down")


def _balanced(text: str) -> Iterator[tuple[int, str]]:
    """The outermost lists of a text with their places; one that is never closed is closed at its end."""
    depth, start, at = 0, 0, 0
    while at < len(text):
        character = text[at]
        if character == ";" and depth:
            # A comment, as PDDL has them: it may hold parentheses.
            at = text.find("\n", at)
            if at < 0:
                break
        elif character == "(":
            start = start if depth else at
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                yield start, text[start : at + 1]
        at += 1
    if depth:
        rest = re.sub(r"[\s`\"'*,;]+\Z", "", text[start:])
        yield start, rest + ")" * depth
