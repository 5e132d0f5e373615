"""The objects of a task as a reader knows them: by told name, by looser spellings, and by type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pddl2nl.nl.reading.words import Word, fold
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import Domain, TypedName

_SUGGESTED = 3
_RESEMBLES = 70.0
_NOUN_BEHIND = re.compile(r"\bthe \{[^{}]*\} (\w+)", re.IGNORECASE)
_NAME_STEM = re.compile(r"([a-z]{4,}?)s?(?:world)?(?:[^a-z].*)?\Z")


@dataclass(frozen=True, slots=True)
class KnownObject:
    """One object: its told name, its PDDL name, all its types (supertypes and ``object`` included)."""

    nl: str
    pddl: str
    types: frozenset[str]

    def fits(self, wanted: Iterable[str]) -> bool:
        """Whether it is of one of the types (a parameter's types are alternatives)."""
        return not self.types.isdisjoint(wanted)


class Lexicon:
    """All names by which the objects of a task can be meant.

    A told name counts as it is; letter case and hyphens for underscores don't matter unless two names differ in
    nothing else (``folded``). Looser spellings (``_loose``) are "truck 0" and "truck0" for ``truck_0``, "0" behind its
    type word, ``block_a`` for an object ``a`` of type block, ``aliases`` of the wording's own, and PDDL's own names.
    """

    def __init__(
        self, domain: Domain, wording: Wording, objects: Mapping[str, TypedName], aliases: Mapping[str, str]
    ) -> None:
        """``objects`` maps told names to PDDL names with their own types, ``aliases`` further ones to PDDL names."""
        self._above = supertypes(domain)
        self._words_of_type: dict[frozenset[str], frozenset[str]] = {}
        self.by_nl: dict[str, KnownObject] = {}
        self.by_pddl: dict[str, KnownObject] = {}
        self.folded: dict[str, tuple[KnownObject, ...]] = {}
        self._loose: dict[str, tuple[KnownObject, ...]] = {}
        self._near: dict[str, tuple[str, ...]] = {}
        self._compounds: dict[str, tuple[KnownObject, ...]] = {}
        self._longest = 1
        self._first_parts: set[str] = set()
        self._anyone = frozenset() if domain.types else frozenset(_nouns(domain, wording))
        self.noun = wording.type_word
        declared = {*self._above, *(word for kind in self._above if (word := wording.type_word(kind)))}
        self.type_words = frozenset(_spellings(declared)) | self._anyone
        above = cache(lambda types: frozenset({"object"}.union(*(self._above.get(kind, (kind,)) for kind in types))))
        for nl, item in objects.items():
            kinds = {fold(word) for kind in item.types for word in (kind, wording.type_word(kind))}
            self._add(KnownObject(nl, item.name, above(item.types)), kinds)
        for alias, name in aliases.items():
            self._add_loose(fold(alias), self.by_pddl[name])
        # PDDL's own names, where no told name looks like them: "p0" for package_0, but no "truck7" beside truck_0.
        # Without types "hoist0" is more than a word for some object and its number: object_0 may be another thing.
        taken = {_stem(name) for name in self.folded} | (self.type_words - self._anyone)
        for known in self.by_nl.values():
            own_name = fold(known.pddl)
            if own_name != _stem(own_name) and _stem(own_name) not in taken:
                self._add_loose(own_name, known)
        # "b3" for block_3, where no other noun begins with that letter.
        initials = Counter(stem[:1] for stem in {_stem(name) for name in self.folded})
        for known in self.by_nl.values():
            stem = self.stem(known)
            short = stem[:1] + fold(known.nl)[len(stem) :].lstrip("_")
            if short[1:].isdigit() and initials[stem[:1]] == 1 and short not in {*self._loose, *self.by_pddl}:
                self._add_loose(short, known)
        self._choices = list(self.folded)
        self.nouns = self.type_words | {self.stem(known) for known in self.by_nl.values()}

    def stem(self, item: KnownObject) -> str:
        """The noun of an object's name: "fridge" of ``fridge_1``."""
        return _stem(fold(item.nl))

    def _add(self, item: KnownObject, kinds: Iterable[str]) -> None:
        self.by_nl[item.nl] = item
        self.by_pddl[item.pddl] = item
        folded = fold(item.nl)
        _append(self.folded, folded, item)
        self._note_parts(folded, item)
        for word in kinds:
            short = folded.removeprefix(word).lstrip("_")
            # A short name that is a letter would turn articles into objects.
            if folded.startswith(word) and (short[:1].isdigit() or len(short) > 1):
                _append(self._loose, short, item)

    def _add_loose(self, folded: str, item: KnownObject) -> None:
        if folded not in self.folded:
            _append(self._loose, folded, item)
            self._note_parts(folded, item)

    def _note_parts(self, folded: str, item: KnownObject) -> None:
        """Notes a name of several parts, which may be said in several words or in one."""
        squeezed = folded.replace("_", "")
        if squeezed != folded:
            self._longest = min(5, max(self._longest, folded.count("_") + 1))
            self._first_parts.add(folded.partition("_")[0])
            _append(self._loose, squeezed, item)

    def words_for(self, item: KnownObject) -> frozenset[str]:
        """The type words that may stand beside an object."""
        if item.types not in self._words_of_type:
            told = map(self.noun, item.types)
            self._words_of_type[item.types] = frozenset(_spellings({*item.types, *told})) | self._anyone
        return self._words_of_type[item.types]

    def at(self, words: Sequence[Word], index: int) -> tuple[tuple[KnownObject, ...], int, bool]:
        """The objects that the words from ``index`` on name, how many words, and whether spelled loosely.

        The told spelling comes first, then the longest.
        """
        word = words[index]
        # "the orange cube" is orange-cube, even where a colour is an object.
        several = word.text in self._first_parts and index + 1 < len(words)
        if several and (longer := self._in_words(words, index, told=True)):
            return longer
        exact = self.by_nl.get(word.raw)
        objects = (exact,) if exact is not None else self.folded.get(word.text, ())
        if objects:
            return objects, 1, False
        if several and (longer := self._in_words(words, index, told=False)):
            return longer
        return self._loose.get(word.text) or self.compound(word.text), 1, True

    def _in_words(
        self, words: Sequence[Word], index: int, told: bool
    ) -> tuple[tuple[KnownObject, ...], int, bool] | None:
        """The objects whose name is said in several words, the longest first; ``told``: told names only."""
        for length in range(min(self._longest, len(words) - index), 1, -1):
            stretch = words[index : index + length]
            name = "_".join(item.text for item in stretch)
            joined = self.folded.get(name) or (() if told else self._loose.get(name))
            if joined and not any(item.parted for item in stretch[1:]):
                return joined, length, True
        return None

    def compound(self, text: str) -> tuple[KnownObject, ...]:
        """Objects whose name or number stands behind a word for their kind: ``block_a`` for ``a``, ``object_2``."""
        if text not in self._compounds:
            objects: dict[str, KnownObject] = {}
            for kind in self.type_words:
                rest = text[len(kind) :].lstrip("_") if text.startswith(kind) else ""
                # "blocks" is many, not a block called s.
                if rest and text != f"{kind}s":
                    known = (*self.folded.get(rest, ()), *self._loose.get(rest, ()))
                    objects |= {item.pddl: item for item in known if kind in self.words_for(item)}
            self._compounds[text] = tuple(objects.values())
        return self._compounds[text]

    def named(self, name: str) -> tuple[KnownObject, ...]:
        """The objects that a name by itself can mean, with or without a word for their kind ("blue_block")."""
        folded = fold(name)
        bare = "_".join(part for part in folded.split("_") if part not in self.type_words)
        return self.folded.get(folded) or self._loose.get(folded) or self.folded.get(bare) or self.compound(folded)

    def near(self, name: str) -> tuple[str, ...]:
        """Told names that resemble an unknown one, at most three, the nearest first, else in declaration order."""
        wanted = fold(name).replace(" ", "_")
        if wanted not in self._near:
            from rapidfuzz import fuzz, process

            near = process.extract(wanted, self._choices, scorer=fuzz.ratio, score_cutoff=_RESEMBLES, limit=_SUGGESTED)
            self._near[wanted] = tuple(item.nl for folded, _, _ in near for item in self.folded[folded])
        return self._near[wanted]


def _nouns(domain: Domain, wording: Wording) -> Iterator[str]:
    """In a domain without types, the words that serve as types in language.

    Its unary predicates; the noun in "the {?x} block", which is no sentence without one; and the stem of the domain's
    name, as long as a noun is ("block" of "blocksworld" and "blocks").
    """
    yield from _spellings(item.name for item in domain.predicates if len(item.parameters) == 1)
    for snippet in wording.actions.values():
        for match in _NOUN_BEHIND.finditer(snippet.text or ""):
            yield fold(match[1])
    stem = _NAME_STEM.match(domain.name.lower())
    if stem is not None:
        yield stem[1]


def _stem(name: str) -> str:
    """A name without the number at its end."""
    return name.rstrip("0123456789").rstrip("_")


def _append(table: dict[str, tuple[KnownObject, ...]], key: str, item: KnownObject) -> None:
    table[key] = (*table.get(key, ()), item)


def _spellings(words: Iterable[str]) -> Iterator[str]:
    """Each word folded, and the parts of those that have several ("radio-tower", "radio tower", "batch of dough")."""
    for word in words:
        folded = fold(word)
        yield folded
        parts = re.split(r"[ _]+", folded)
        yield from (part for index, part in enumerate(parts) if len(part) > 2 or 0 < index < len(parts) - 1)
