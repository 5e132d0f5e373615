"""Reading quickly: lines of one shape are read once.

A line's *shape* is its text with a hole for every object that is named as it was told. Objects that the grammar
cannot tell apart (of the same types, with names that mean nothing else) leave the same hole, so whatever one line
of a shape says, every other line of it says of its own objects. What is kept is the reading of the first one,
with the places of its holes; any line for which that could go wrong is read in full. Results are the same with and
without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pddl2nl.nl.reading.match_objects import KnownObject
from pddl2nl.nl.reading.match_static import StaticTypes
from pddl2nl.nl.reading.match_words import fold, reserved_words, words_of
from pddl2nl.nl.reading.read_line import BREAKS, ActionGrammar
from pddl2nl.nl.reading.read_peel import PEELED_WORDS
from pddl2nl.nl.reading.readings import Status
from pddl2nl.nl.reading.verdicts import Verdict
from pddlval import GroundAction

__all__ = ["ShapedGrammar"]

_TOKEN = re.compile(r"(\w+(?:-\w+)*)")
_REGULAR = re.compile(r"[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*")
_HOLE = "\0"
_NAMED = re.compile(rf"{_HOLE}(\d+){_HOLE}")
_QUOTED = re.compile(r"'([^']*)'")
_MOST = 5000
"""How many shapes are kept; then they are forgotten, as a text of so many shapes has few lines alike."""

_MOST_HOLES = 50
"""A line that names more objects is one of its kind: its shape is not worth keeping."""


class _Template(NamedTuple):
    """A verdict with holes.

    It starts ``start`` characters and ``before`` holes from the beginning, and ends ``end`` characters and
    ``behind`` holes before the end. An argument is a hole's number, or an object that every line of the shape names.
    """

    start: int
    before: int
    end: int
    behind: int
    status: Status
    candidates: tuple[tuple[str, tuple[int | str, ...]], ...]
    rest: tuple[Any, ...]


class ShapedGrammar:
    """An `ActionGrammar` that remembers the shapes of what it has read."""

    def __init__(self, grammar: ActionGrammar):
        self.grammar = grammar
        self._pddl_names: dict[str, str] = {}
        self._holes: dict[str, str] = {}
        self._openers = _openers(grammar)
        leadless = self._openers is None
        self._initials = None if leadless else frozenset(fold(str(parts[0])[0]) for parts in grammar.parts)
        if not _is_glued(grammar):
            self._dig(grammar.lexicon.by_nl.values(), grammar.statics)
        self._said: dict[str, tuple[_Template, ...] | None] = {}
        self._exact: dict[str, tuple[_Template, ...] | None] = {}

    def said(self, content: str) -> Sequence[Verdict]:
        """As `ActionGrammar.said`."""
        parts = _TOKEN.split(content)
        if self._openers is not None and len(parts) > 1 and content[0] != "(" and "|" not in content:
            opener = fold(parts[1])
            if opener not in self._openers and parts[2][:1] not in ("(", "."):
                return ()
        return self._read(content, parts, self._said, self.grammar.said)

    def exact(self, text: str) -> Verdict | None:
        """As `ActionGrammar.exact`."""
        if self._initials is not None and text[0].lower() not in self._initials:
            return None
        found = self._read(text, _TOKEN.split(text), self._exact, self._exactly)
        return found[0] if found else None

    def _exactly(self, text: str) -> Sequence[Verdict]:
        verdict = self.grammar.exact(text)
        return (verdict,) if verdict else ()

    def _read(
        self,
        text: str,
        parts: Sequence[str],
        known: dict[str, tuple[_Template, ...] | None],
        read: Callable[[str], Sequence[Verdict]],
    ) -> Sequence[Verdict]:
        hole = self._holes.get
        held = list(filter(self._holes.__contains__, parts))
        if not held or len(held) > _MOST_HOLES or _HOLE in text:
            return read(text)
        shape = "".join(map(hole, parts, parts))
        if len(set(held)) < len(held):
            shape = f"{shape}{_HOLE}{[held.index(part) for part in held]}"
        templates = known.get(shape)
        if templates is not None:
            return [self._filled(item, held, len(text)) for item in templates]
        verdicts = read(text)
        if shape not in known:
            if len(known) >= _MOST:
                known.clear()
            known[shape] = self._templates(text, parts, held, verdicts)
        return verdicts

    def _filled(self, template: _Template, held: list[str], length: int) -> Verdict:
        start, before, end, behind, status, candidates, rest = template
        if _HOLE in rest[1]:
            rest = (rest[0], _NAMED.sub(lambda match: held[int(match[1])], rest[1]), *rest[2:])
        if before:
            start += sum(map(len, held[:before]))
        if behind:
            end += sum(map(len, held[-behind:]))
        name_of = self._pddl_names
        actions = [
            GroundAction(name, tuple([arg if isinstance(arg, str) else name_of[held[arg]] for arg in args]))
            for name, args in candidates
        ]
        return Verdict(start, length - end, status, tuple(actions), *rest)

    # ── what is kept ─────────────────────────────────────────────────────────────────────────────

    def _templates(
        self, text: str, parts: Sequence[str], held: Sequence[str], verdicts: Sequence[Verdict]
    ) -> tuple[_Template, ...] | None:
        """The verdicts with holes; None where other objects could make another reading of the same shape."""
        names = [self._pddl_names[part] for part in held]
        if not self._denoted(text).isdisjoint(names):
            return None
        spans = _spans(parts, self._holes)
        templates: list[_Template] = []
        for verdict in verdicts:
            start, end = _place(verdict.start, spans), _place(verdict.end, spans)
            reason = _with_holes(verdict.reason, held)
            if start is None or end is None or reason is None:
                return None
            if any(part in name for part in held for name in verdict.unknown):
                return None
            behind = (len(text) - sum(map(len, held)) - end[0], len(held) - end[1])
            candidates = tuple(
                (action.name, tuple([names.index(arg) if arg in names else arg for arg in action.args]))
                for action in verdict.candidates
            )
            if "pddl" in verdict.rules and (
                verdict.status != "read" or any(isinstance(arg, str) for _, args in candidates for arg in args)
            ):
                return None
            templates.append(
                _Template(*start, *behind, verdict.status, candidates, (verdict.rules, reason, *verdict[6:]))
            )
        if ":" in text and not any(verdict.status == "read" for verdict in verdicts):
            return None
        return None if self._depends_on_ending(text, verdicts) else tuple(templates)

    def _depends_on_ending(self, text: str, verdicts: Sequence[Verdict]) -> bool:
        """Whether a last object may be left out here, which depends on which objects the others are."""
        endings = self.grammar.endings
        if endings is None or not endings.any:
            return False
        # Before a bar an action may end that is read to its end where the left out object is not to be found.
        if "|" in text or any("static" in verdict.rules for verdict in verdicts):
            return True
        if not any(verdict.status == "unreadable" for verdict in verdicts):
            return False
        words = words_of(text)
        return text[0] == "(" or endings.may_complete(words, self.grammar.matcher.candidates(words))

    def _denoted(self, text: str) -> set[str]:
        """The objects that words of a text may mean besides those named as they were told."""
        lexicon = self.grammar.lexicon
        found: set[str] = set()
        words = words_of(text)
        for index, word in enumerate(words):
            if word.raw in self._holes:
                continue
            for reading in lexicon.readings(words, index):
                found.update(item.pddl for item in reading.objects)
            if word.raw.lower() in lexicon.by_pddl:
                found.add(word.raw.lower())
        # A name may be but a part of a word: "PACKAGE_6'S place".
        for part in _TOKEN.findall(text):
            if part not in self._holes:
                found.update(item.pddl for item in lexicon.folded.get(fold(part), ()))
        return found

    def _dig(self, objects: Iterable[KnownObject], statics: StaticTypes | None) -> None:
        """Gives every regular object the hole of its class."""
        special = _special_words(self.grammar)
        lexicon = self.grammar.lexicon
        classes: dict[object, str] = {}
        for item in objects:
            name = item.nl
            folded = fold(name)
            own = lexicon.by_pddl.get(name)
            if (
                not _REGULAR.fullmatch(name)
                or lexicon.folded[folded] != (item,)
                or (own is not None and own is not item)
                or not special.isdisjoint(_pieces(name, folded))
            ):
                continue
            held = statics.of(item.pddl) if statics is not None else frozenset()
            kind = (item.types, held, len(name) == 1)
            self._holes[name] = classes.setdefault(kind, f"{_HOLE}{len(classes)}{_HOLE}")
            self._pddl_names[name] = item.pddl


def _with_holes(reason: str, held: Sequence[str]) -> str | None:
    """A reason with holes for the objects that it names in quotes; None where it says more of one than its name."""
    for said in _QUOTED.findall(reason):
        if said in held:
            reason = reason.replace(f"'{said}'", f"'{_HOLE}{held.index(said)}{_HOLE}'")
        elif any(part in said for part in held):
            return None
    return reason


def _spans(parts: Sequence[str], holes: Iterable[str]) -> list[tuple[int, int]]:
    """Where the holes lie in the text that was split into ``parts``."""
    spans: list[tuple[int, int]] = []
    at = 0
    for index, part in enumerate(parts):
        if index % 2 and part in holes:
            spans.append((at, at + len(part)))
        at += len(part)
    return spans


def _place(offset: int, spans: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """An offset as characters outside of holes and the number of holes before it; None inside of one."""
    fixed, count = offset, 0
    for start, end in spans:
        if end <= offset:
            fixed -= end - start
            count += 1
        elif start < offset:
            return None
    return fixed, count


def _pieces(name: str, folded: str) -> list[str]:
    """A name, and all that a rule could take for a word in it."""
    return [name, folded, *(piece for part in name.split("-") for piece in (part, part.rstrip("0123456789")))]


def _special_words(grammar: ActionGrammar) -> frozenset[str]:
    """Words that may be more than a name: of the rules, of snippets, of types, and parts of other names."""
    found = set(reserved_words() | PEELED_WORDS | grammar.lexicon.type_words | set(grammar.pddl.schemas))
    found.update(re.findall(r"[a-z]{2,}", BREAKS))
    for pattern in grammar.patterns:
        for element in (*pattern.elements, *pattern.reduced):
            if element.slot < 0:
                found.update((element.text, *re.split(r"[^a-z0-9]+", element.text)))
    for folded in grammar.lexicon.folded:
        if "_" in folded or not _REGULAR.fullmatch(folded):
            found.update(piece for piece in re.split(r"[\W_]+", folded) if piece != folded)
    return frozenset(found)


def _is_glued(grammar: ActionGrammar) -> bool:
    """Whether a snippet's words touch an object's name, which no checked wording does."""
    for parts in grammar.parts:
        for before, after in pairwise(parts):
            touching = before[-1] if isinstance(before, str) else after[0] if isinstance(after, str) else "_"
            if touching.isalnum() or touching in "_-":
                return True
    return False


def _openers(grammar: ActionGrammar) -> frozenset[str] | None:
    """The first words of everything that begins like an action; None where an object may begin one."""
    if any(not pattern.lead for pattern in grammar.patterns):
        return None
    told = {str(parts[0]) for parts in grammar.parts}
    words = {"the", *grammar.lexicon.type_words, *grammar.pddl.schemas, *(item.lead[0] for item in grammar.patterns)}
    return frozenset(words | {fold(_first_word(item)) for item in (*words, *told)})


def _first_word(text: str) -> str:
    match = _TOKEN.search(text)
    return match[0] if match else ""
