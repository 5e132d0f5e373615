"""The objects of a task as a reader knows them: by told name, by looser spellings, and by type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pddl2nl.nl.match_words import Word, fold, words_of
from pddl2nl.nl.wording import Wording
from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import Domain, TypedName

__all__ = ["KnownObject", "Lexicon", "ObjectReading"]


@dataclass(frozen=True, slots=True)
class KnownObject:
    """One object: its told name, its PDDL name, all its types (supertypes and ``object`` included)."""

    nl: str
    pddl: str
    types: frozenset[str]

    def fits(self, wanted: Iterable[str]) -> bool:
        """Whether it is of one of the types (a parameter's types are alternatives)."""
        # "object" is among the types of everything.
        return not self.types.isdisjoint(wanted)


@dataclass(frozen=True, slots=True)
class ObjectReading:
    """Objects that a stretch of ``length`` words may name; ``loose`` where the spelling is not the told one."""

    objects: tuple[KnownObject, ...]
    length: int
    loose: bool


class Lexicon:
    """All names by which the objects of a task can be meant.

    A told name counts as it is; letter case and hyphens for underscores don't matter unless two names differ
    in nothing else. Looser spellings are "truck 0" and "truck0" for ``truck_0``, "0" after its type word has
    been dropped, and ``block_a`` for an object ``a`` of type block; they are loose readings.
    """

    def __init__(self, domain: Domain, wording: Wording, objects: Mapping[str, TypedName]):
        """``objects`` maps told names to PDDL names with their own types."""
        self._above = supertypes(domain)
        self._wording = wording
        self._words_of_type: dict[frozenset[str], frozenset[str]] = {}
        self._own_words: dict[tuple[str, ...], tuple[str, ...]] = {}
        closures: dict[tuple[str, ...], frozenset[str]] = {}
        self.by_nl: dict[str, KnownObject] = {}
        self.by_pddl: dict[str, KnownObject] = {}
        self.folded: dict[str, tuple[KnownObject, ...]] = {}
        self._aliases: dict[str, tuple[KnownObject, ...]] = {}
        self._near: dict[str, tuple[str, ...]] = {}
        self.longest = 1
        self._first_parts: set[str] = set()
        self._anyone = frozenset() if domain.types else frozenset(_nouns(domain, wording))
        self.noun = wording.type_word
        declared = {*self._above, *(word for kind in self._above if (word := wording.type_word(kind)))}
        self.type_words = frozenset(_spellings(declared)) | self._anyone
        for nl, item in objects.items():
            if item.types not in closures:
                closures[item.types] = frozenset(
                    {"object"}.union(*(self._above.get(kind, frozenset((kind,))) for kind in item.types))
                )
            self._add(KnownObject(nl, item.name, closures[item.types]), item.types)

    def _add(self, item: KnownObject, own: tuple[str, ...]) -> None:
        self.by_nl[item.nl] = item
        self.by_pddl[item.pddl] = item
        folded = fold(item.nl)
        _append(self.folded, folded, item)
        if item.nl.strip(".,;:!?\"'`*()[]{}<>") != item.nl:
            words = words_of(item.nl)
            if words and words[0].text != folded:
                _append(self._aliases, words[0].text, item)
        squeezed = folded.replace("_", "")
        if squeezed != folded:
            self.longest = min(5, max(self.longest, folded.count("_") + 1))
            self._first_parts.add(folded.partition("_")[0])
            _append(self._aliases, squeezed, item)
        for word in self._type_names(own):
            if folded.startswith(word) and len(folded) > len(word):
                short = folded[len(word) :].lstrip("_")
                # A short name that is a letter would turn articles into objects.
                if short and (short[0].isdigit() or len(short) > 1) and short != folded:
                    _append(self._aliases, short, item)
            else:
                _append(self._aliases, f"{word}_{folded}", item)

    def _type_names(self, own: tuple[str, ...]) -> tuple[str, ...]:
        if own not in self._own_words:
            found = {fold(kind) for kind in own} | {fold(self._wording.type_word(kind)) for kind in own}
            self._own_words[own] = tuple(sorted(word for word in found if " " not in word))
        return self._own_words[own]

    def words_for(self, item: KnownObject) -> frozenset[str]:
        """The type words that may stand beside an object."""
        found = self._words_of_type.get(item.types)
        if found is None:
            told = (self._wording.type_word(kind) for kind in item.types)
            found = frozenset(_spellings({*item.types, *told})) | self._anyone
            self._words_of_type[item.types] = found
        return found

    def readings(self, words: Sequence[Word], index: int) -> Iterator[ObjectReading]:
        """The objects that the words from ``index`` on may name, the told spelling first, then longest first."""
        word = words[index]
        exact = self.by_nl.get(word.raw)
        found = (exact,) if exact is not None else self.folded.get(word.text)
        if found:
            yield ObjectReading(found, 1, False)
        if word.text in self._first_parts:
            for length in range(min(self.longest, len(words) - index), 1, -1):
                stretch = words[index : index + length]
                if any(item.parted for item in stretch[1:]):
                    continue
                joined = self.folded.get("_".join(item.text for item in stretch))
                if joined:
                    yield ObjectReading(joined, length, True)
        loose = self._aliases.get(word.text)
        if loose and not found:
            yield ObjectReading(loose, 1, True)

    def names(self, word: Word) -> bool:
        """Whether a single word names an object in its told spelling, letter case and hyphens aside."""
        return word.text in self.folded

    def near(self, name: str) -> tuple[str, ...]:
        """Told names that resemble an unknown one, at most three, the nearest first."""
        wanted = fold(name).replace(" ", "_")
        if wanted not in self._near:
            # Only names that could be near at all are compared: with thousands of objects that is what takes time.
            alike = [known for known in self.folded if known[:1] == wanted[:1] and abs(len(known) - len(wanted)) < 3]
            close = get_close_matches(wanted, alike or self.folded, n=3, cutoff=0.7) if len(alike) < 20_000 else []
            self._near[wanted] = tuple(item.nl for folded in close for item in self.folded[folded])
        return self._near[wanted]


def _nouns(domain: Domain, wording: Wording) -> Iterator[str]:
    """In a domain without types, the words that serve as types in language.

    Its unary predicates; the noun in "the {?x} block", which is no sentence without one; and the stem of the
    domain's name, as long as a noun is ("block" of "blocksworld" and "blocks").
    """
    yield from _spellings(item.name for item in domain.predicates if len(item.parameters) == 1)
    for snippet in wording.actions.values():
        for match in _NOUN_BEHIND.finditer(snippet.text or ""):
            yield fold(match[1])
    stem = _NAME_STEM.match(domain.name.lower())
    if stem is not None:
        yield stem[1]


_NOUN_BEHIND = re.compile(r"\bthe \{[^{}]*\} (\w+)", re.IGNORECASE)
_NAME_STEM = re.compile(r"([a-z]{4,}?)s?(?:world)?(?:[^a-z].*)?\Z")


def _append(table: dict[str, tuple[KnownObject, ...]], key: str, item: KnownObject) -> None:
    table[key] = (*table.get(key, ()), item)


def _spellings(words: Iterable[str]) -> Iterator[str]:
    """Each word folded, and the parts of those that have several ("radio-tower", "radio tower")."""
    for word in words:
        folded = fold(word)
        yield folded
        yield from (part for part in re.split(r"[ _]+", folded) if len(part) > 2)
