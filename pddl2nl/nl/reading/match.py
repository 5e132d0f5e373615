"""Matching words against the snippets of a wording: the reader's grammar, derived from wording and objects.

A snippet is a row of literal words and slots. A line matches when the words can be laid along that row so
that every slot meets an object of its parameter's types. What had to be overlooked on the way is recorded as
flags, and the alignment with the least of them wins: an exact match always beats a loose one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntFlag
from itertools import product
from typing import NamedTuple

from pddl2nl.nl.reading.match_objects import KnownObject, Lexicon
from pddl2nl.nl.reading.match_words import (
    ARTICLE,
    PREPOSITIONS,
    PRONOUNS,
    Word,
    reduce_prepositions,
    tail_is_harmless,
    words_of,
)
from pddl2nl.nl.wording.snippets import Snippet

__all__ = ["Loose", "Matched", "Matcher", "NamedObjects", "Pattern", "alignments"]

_SLOT = 0xE000


class Loose(IntFlag):
    """What a match overlooked. A match with a higher flag is looser than any without it."""

    NOTHING = 0
    ARTICLES = 1
    TYPES = 2
    NAMES = 4
    PREPOSITIONS = 8
    ENDING = 16
    TAIL = 32


# Plain numbers for the search, where an enumeration's attribute would cost more than the comparison.
_ARTICLES, _TYPES, _NAMES = int(Loose.ARTICLES), int(Loose.TYPES), int(Loose.NAMES)
_PREPOSITIONS, _ENDING, _TAIL = int(Loose.PREPOSITIONS), int(Loose.ENDING), int(Loose.TAIL)
_WORSE_THAN_ALL = 2 * _TAIL

RULES = {
    Loose.ARTICLES: "loose-articles",
    Loose.TYPES: "loose-types",
    Loose.NAMES: "loose-names",
    Loose.PREPOSITIONS: "loose-prepositions",
    Loose.ENDING: "loose-ending",
    Loose.TAIL: "loose-tail",
}
"""The name of the rule behind each flag, as readings show it."""


class _Element(NamedTuple):
    """A literal word (``slot`` is -1) or a slot; ``cost`` is the flag of leaving a literal out, -1 if it must stand."""

    text: str
    slot: int
    cost: int


class NamedObjects(NamedTuple):
    """An action's name with its objects in PDDL's order."""

    action: str
    objects: tuple[KnownObject, ...]


@dataclass(frozen=True)
class Matched:
    """What words were matched to.

    ``candidates``: the actions that fit equally well (more than one is an ambiguity); ``end``: the offset
    behind the last matched word. Without candidates, ``unknown`` holds words that stand where an object is
    needed and name none, ``reason`` says what was wrong, and ``mistyped`` is the action that only types forbid.
    """

    candidates: tuple[NamedObjects, ...] = ()
    flags: int = 0
    end: int = -1
    unknown: tuple[str, ...] = ()
    reason: str = ""
    mistyped: NamedObjects | None = None


class Pattern:
    """A snippet as a row of literals and slots, twice: as it stands, and with prepositions reduced."""

    def __init__(self, snippet: Snippet, types: Sequence[tuple[str, ...]], lexicon: Lexicon):
        """``types`` are the declared types of each parameter, in order."""
        self.name = snippet.name
        self.types = tuple(types)
        self.arity = len(snippet.parameters)
        said = "".join(part if isinstance(part, str) else f" {chr(_SLOT + part)} " for part in snippet.parts)
        words = words_of(said)
        self.elements = _elements(words, lexicon)
        self.reduced = _elements(reduce_prepositions(words), lexicon)
        leading: list[str] = []
        for element in self.elements:
            if element.slot >= 0:
                break
            if element.cost < 0:
                leading.append(element.text)
        self.lead = tuple(leading[:2])
        self.omitted = -1
        self.marker = next((item.text for item in self.elements if item.slot < 0 and item.cost < 0), "")

    def without_last(self) -> Pattern | None:
        """The pattern without its last slot and the words around it; None where that slot is the only one, or
        named before. ``omitted`` is the parameter that it lacks."""
        slots = [index for index, element in enumerate(self.elements) if element.slot >= 0]
        named = [self.elements[index].slot for index in slots]
        if len(slots) < 2 or named.count(named[-1]) > 1:
            return None
        shorter = copy(self)
        shorter.omitted = named[-1]
        shorter.elements = self.elements[: slots[-2] + 1]
        ends = [index for index, element in enumerate(self.reduced) if element.slot >= 0]
        shorter.reduced = self.reduced[: ends[-2] + 1]
        return shorter


def _elements(words: Sequence[Word], lexicon: Lexicon) -> tuple[_Element, ...]:
    slots = [ord(word.raw) - _SLOT if len(word.raw) == 1 and ord(word.raw) >= _SLOT else -1 for word in words]
    kinds = [word.text in lexicon.type_words for word in words]
    for index in range(1, len(words) - 1):
        kinds[index] = kinds[index] or (words[index].text == "or" and kinds[index - 1] and kinds[index + 1])
    costs = [_ARTICLES if word.text in (ARTICLE, "a", "an") else -1 for word in words]
    # A type word counts as one only beside the slot that it announces or follows.
    for order in (range(len(words)), range(len(words) - 1, -1, -1)):
        beside = False
        for index in order:
            if beside and kinds[index] and slots[index] < 0:
                costs[index] = _TYPES
            beside = slots[index] >= 0 or (beside and costs[index] >= 0)
    # So is the noun that the snippet itself says between a preposition and a slot: "to point {?p}".
    for index in range(1, len(words) - 1):
        noun = slots[index] < 0 and slots[index + 1] >= 0 and words[index].text.isalpha()
        if noun and words[index - 1].text in PREPOSITIONS and words[index].text not in PREPOSITIONS:
            costs[index] = max(costs[index], _TYPES)
    return tuple(_Element(word.text, slot, cost) for word, slot, cost in zip(words, slots, costs, strict=True))


@dataclass(slots=True)
class _Alignment:
    """One way of laying the words along a pattern."""

    objects: tuple[tuple[KnownObject, ...], ...]
    flags: int
    end: int
    unknown: tuple[str, ...]


class _Search:
    """All alignments of one pattern with one row of words that are no looser than the best so far."""

    def __init__(self, lexicon: Lexicon, pattern: Pattern, words: Sequence[Word], *, reduced: bool, wild: bool):
        self.lexicon = lexicon
        self.pattern = pattern
        self.elements = pattern.reduced if reduced else pattern.elements
        self.words = words
        self.wild = wild
        self.best = _WORSE_THAN_ALL
        self.found: list[_Alignment] = []
        self.bound: list[tuple[KnownObject, ...] | None] = [None] * pattern.arity
        self.unknown: list[str] = []
        self.fewest = len(words)

    def run(self, flags: int = 0) -> list[_Alignment]:
        self._step(0, 0, flags)
        return self.found

    def _step(self, e: int, k: int, flags: int) -> None:
        if flags > self.best:
            return
        if e == len(self.elements):
            self._finish(k, flags)
            return
        element = self.elements[e]
        if k == len(self.words):
            if all(item.slot < 0 for item in self.elements[e:]) and None not in self.bound:
                self._finish(k, flags | _ENDING)
            return
        if element.slot >= 0:
            self._slot(e, k, flags)
            return
        text = self.words[k].text
        if text == element.text:
            self._step(e + 1, k + 1, flags)
        elif text == ARTICLE:
            behind = k + 1
            while behind < len(self.words) and self.words[behind].text == ARTICLE:
                behind += 1
            self._step(e, behind, flags | _ARTICLES)
        if element.cost >= 0:
            self._step(e + 1, k, flags | element.cost)

    def _finish(self, k: int, flags: int) -> None:
        if k < len(self.words):
            if not tail_is_harmless(self.words[k:], self.lexicon.names):
                return
            flags |= _TAIL
        if flags > self.best:
            return
        if not self.wild:
            self.best = flags
        self.fewest = len(self.unknown)
        objects = tuple(item or () for item in self.bound)
        self.found.append(_Alignment(objects, flags, k, tuple(self.unknown)))

    def _slot(self, e: int, k: int, flags: int) -> None:
        """Tries objects at ``k``, and behind "the" and type words that may stand before one."""
        skipped: list[str] = []
        words = self.words
        while k < len(words):
            for reading in self.lexicon.readings(words, k):
                objects = tuple(item for item in reading.objects if self._admits(e, item, skipped))
                if objects:
                    loose = _NAMES if reading.loose else 0
                    self._bind(e, k + reading.length, flags | loose, objects)
            text = words[k].text
            if self.wild and not self.lexicon.names(words[k]):
                self._wild(e, k, flags, skipped)
            if text == ARTICLE:
                flags |= _ARTICLES
            elif text in self.lexicon.type_words:
                flags |= _TYPES
                skipped.append(text)
            else:
                return
            k += 1

    def _admits(self, e: int, item: KnownObject, skipped: Iterable[str]) -> bool:
        if self.wild:
            return True
        slot = self.elements[e].slot
        already = self.bound[slot]
        if already is not None and item not in already:
            return False
        return item.fits(self.pattern.types[slot]) and self.lexicon.words_for(item).issuperset(skipped)

    def _bind(self, e: int, k: int, flags: int, objects: tuple[KnownObject, ...]) -> None:
        slot = self.elements[e].slot
        before = self.bound[slot]
        self.bound[slot] = objects
        self._step(e + 1, k, flags)
        if e + 1 == len(self.elements) and k == len(self.words):
            self.bound[slot] = before
            return
        # "the red block" for an object called red: a type word may follow, but an object called "a" would
        # then make an action of every "pick up a block".
        words = self.words
        if k < len(words) and (words[k - 1].text != "a" or words[max(k - 2, 0)].text == ARTICLE):
            fitting = self.lexicon.words_for(objects[0])
            while k < len(words) and not words[k].parted and words[k].text in fitting:
                k += 1
                self._step(e + 1, k, flags | _TYPES)
        self.bound[slot] = before

    def _wild(self, e: int, k: int, flags: int, skipped: Sequence[str]) -> None:
        """Lets a word that names no object stand in a slot, to say what is unknown."""
        word = self.words[k]
        following = self.elements[e + 1].text if e + 1 < len(self.elements) else None
        if word.text == ARTICLE or word.text == following or len(self.unknown) >= self.fewest:
            return
        name = f"{skipped[-1]} {word.raw}" if skipped and word.raw.isdigit() else word.raw
        self.unknown.append(name)
        slot = self.elements[e].slot
        before = self.bound[slot]
        self.bound[slot] = ()
        self._step(e + 1, k + 1, flags)
        self.bound[slot] = before
        self.unknown.pop()


def alignments(
    lexicon: Lexicon, pattern: Pattern, words: Sequence[Word], *, reduced: bool
) -> Iterator[tuple[tuple[KnownObject, ...], ...]]:
    """Each parameter's objects, for all ways to lay all of the words along a pattern; none for an omitted one."""
    for alignment in _Search(lexicon, pattern, words, reduced=reduced, wild=False).run():
        if alignment.end == len(words):
            yield alignment.objects


class Matcher:
    """All action snippets of a wording, found by their leading words."""

    def __init__(self, patterns: Iterable[Pattern], lexicon: Lexicon):
        self.lexicon = lexicon
        self._by_lead: dict[str, list[Pattern]] = {}
        self._leadless: list[Pattern] = []
        for pattern in patterns:
            if pattern.lead:
                self._by_lead.setdefault(pattern.lead[0], []).append(pattern)
            else:
                self._leadless.append(pattern)

    def candidates(self, words: Sequence[Word]) -> list[Pattern]:
        """The patterns whose leading words the words begin with ("the" and type words aside)."""
        content = [word.text for word in words[:6] if word.text != ARTICLE]
        if not content:
            return []
        found: list[Pattern] = []
        for index, text in enumerate(content):
            for pattern in self._by_lead.get(text, ()):
                second = pattern.lead[1:]
                if not second or second[0] in content[index + 1 : index + 4]:
                    found.append(pattern)
            if text not in self.lexicon.type_words:
                break
        if self._leadless:
            texts = {word.text for word in words}
            found += [item for item in self._leadless if item.marker in texts and self._opens_with_object(words)]
        return found

    def _opens_with_object(self, words: Sequence[Word]) -> bool:
        for index, word in enumerate(words[:4]):
            if any(True for _ in self.lexicon.readings(words, index)):
                return True
            if word.text != ARTICLE and word.text not in self.lexicon.type_words:
                return False
        return False

    def match(self, words: Sequence[Word], patterns: Sequence[Pattern]) -> Matched:
        """The least loose actions that the words say, or why there is none."""
        best, found = self._best(words, patterns, reduced=False)
        if best >= _PREPOSITIONS:
            shorter = reduce_prepositions(words)
            reducible = [item for item in patterns if item.reduced != item.elements] if shorter == words else patterns
            loosest, more = self._best(shorter, reducible, reduced=True, limit=best)
            if more and loosest < best:
                best, found, words = loosest, more, shorter
        if not found:
            return self._failed(words, patterns)
        candidates: dict[NamedObjects, None] = {}
        for pattern, alignment in found:
            for objects in product(*alignment.objects):
                candidates[NamedObjects(pattern.name, objects)] = None
        end = min(alignment.end for _, alignment in found)
        return Matched(tuple(candidates), best, words[end - 1].end)

    def _best(
        self, words: Sequence[Word], patterns: Sequence[Pattern], *, reduced: bool, limit: int = _WORSE_THAN_ALL
    ) -> tuple[int, list[tuple[Pattern, _Alignment]]]:
        best = limit
        found: list[tuple[Pattern, _Alignment]] = []
        for pattern in patterns:
            search = _Search(self.lexicon, pattern, words, reduced=reduced, wild=False)
            search.best = best
            for alignment in search.run(_PREPOSITIONS if reduced else 0):
                if alignment.flags < best:
                    best, found = alignment.flags, []
                if alignment.flags == best:
                    found.append((pattern, alignment))
        return best, found

    def _failed(self, words: Sequence[Word], patterns: Sequence[Pattern]) -> Matched:
        """What an attempt lacks: an unknown object, an object of a wrong type, or the shape of the action."""
        tries: list[tuple[int, int, Pattern, _Alignment]] = []
        for reduced in (False, True):
            row = reduce_prepositions(words) if reduced else words
            for pattern in patterns:
                search = _Search(self.lexicon, pattern, row, reduced=reduced, wild=True)
                tries += [(len(a.unknown), a.flags, pattern, a) for a in search.run()]
        if not tries:
            return Matched(reason="it begins like an action, but does not go on like it")
        _, _, pattern, alignment = min(tries, key=lambda item: item[:2])
        if any(name.lower() in PRONOUNS for name in alignment.unknown):
            return Matched(reason=f"'{alignment.unknown[0]}' names no object")
        nouns = [name for name in alignment.unknown if name.lower() in self.lexicon.type_words]
        if nouns:
            return Matched(reason=f"'{nouns[0]}' is a kind of object; which one is not said")
        if alignment.unknown:
            quoted = ", ".join(f"'{name}'" for name in alignment.unknown)
            return Matched(unknown=alignment.unknown, reason=f"no object is called {quoted}")
        clear = all(len(objects) == 1 for objects in alignment.objects)
        named = NamedObjects(pattern.name, tuple(objects[0] for objects in alignment.objects)) if clear else None
        return Matched(reason=self._mistyped(pattern, alignment), mistyped=named)

    def _mistyped(self, pattern: Pattern, alignment: _Alignment) -> str:
        # Models are told this: it speaks of kinds as the wording does, and of no name of the PDDL domain.
        for wanted, objects in zip(pattern.types, alignment.objects, strict=True):
            if objects and not any(item.fits(wanted) for item in objects):
                kinds = " or ".join(self.lexicon.noun(kind) for kind in wanted)
                return f"'{objects[0].nl}' is no {kinds}, and one is needed there"
        return "it names two objects where one is needed, or says that an object is what it is not"
