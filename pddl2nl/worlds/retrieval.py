"""Retrieval: from the names that a model gives to the objects that it means.

A text means an object if it is the object's name (told or PDDL's, ignoring letter case, hyphens and blanks), all
objects of a class if it is the name of the class, and the objects whose names a phrase contains. Any other text means
the object or class with the nearest name (`pddl2nl.worlds.similarity`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.nl.names import Names
from pddl2nl.worlds.similarity import Vectors, nearest, plain

_LIST_MARK = re.compile(r"\s*(?:[-*•+–]|\(?\d+[.):])\s+")
_FENCE = re.compile(r"\s*(```|~~~)")
_REMARK = re.compile(r"\s+[-–—]+\s|\s*[:(\[–—]|\s+because\b|\s+since\b")
_INTRODUCTION = re.compile(
    r"\A[^:]*\b(?:objects?|items?|things?|list|relevant|needed|need|selected|answer)\b[^:]*:", re.I
)
_LONGEST_NAME = 4
"""The most words of a name within a phrase."""
_LONGEST_PHRASE = 1_000
"""The most words of a phrase that are searched for names."""
_SENTENCE = 7
"""A text with this many words is a sentence: it may contain names but is not compared with them."""


@dataclass(frozen=True)
class Selection:
    """The selected objects, by their PDDL names.

    ``chosen`` are the objects that were meant, in the order in which they were named; ``around`` the objects that
    these are in, on or at, in the order of declaration; ``unknown`` the texts that mean no object.
    """

    chosen: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[str, ...]:
        """All of them, the chosen ones first."""
        return (*self.chosen, *self.around)


def said_objects(reply: str) -> tuple[str, ...]:
    """The names in a reply, one in each line or separated by commas, without numbering, bullets and remarks.

    Code fences and lines that end in a colon (they introduce a list) are skipped.
    """
    names: list[str] = []
    for line in reply.splitlines():
        bare = line.strip().strip("`*_ \t")
        if not bare or _FENCE.match(line) or bare.endswith(":"):
            continue
        bare = _INTRODUCTION.sub("", _LIST_MARK.sub("", line, count=1).strip())
        # A remark in parentheses may contain commas; a list in square brackets keeps its names.
        bare = re.sub(r"\([^()]*\)|[\[\]]", " ", bare)
        for part in re.split(r"[,;]", bare):
            # What follows a name is a reason, or its class.
            name = _REMARK.split(part, maxsplit=1)[0].strip(" \t.`*'\"“”‘’[]{}")
            names.append(re.sub(r"\A(?:and|the|an?)\s+", "", name, flags=re.IGNORECASE))
    return tuple(dict.fromkeys(filter(None, names)))


class Choices:
    """The objects and classes that a model can name.

    Args:
        objects: the objects, by their PDDL names.
        classes: for each class its objects.
        names: what the objects are called in language.
    """

    def __init__(self, objects: Sequence[str], classes: Mapping[str, Sequence[str]], names: Names):
        aliases = {name: alias for alias, name in names.aliases.items()}
        spellings = (names.to_nl, {name: name for name in objects}, aliases)
        self._tables = [
            _by_spelling((spelled[name], name) for name in objects if name in spelled) for spelled in spellings
        ]
        kinds: dict[str, tuple[str, ...]] = {}
        for said, members in classes.items():
            for form in (said, f"{said}s", f"all {said}s", f"all {said}"):
                kinds.setdefault(_keys(form)[-1], tuple(members))
        self._tables.append(kinds)
        self._labels: dict[str, tuple[str, ...]] = {}
        for name in objects:
            self._labels.setdefault(names.to_nl.get(name, name), (name,))
        for said, members in classes.items():
            self._labels.setdefault(said, tuple(members))

    def meant(self, said: Sequence[str], vectors: Vectors | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The objects that are meant, in the order in which they were named, and the texts that mean none."""
        meant = {text: self._meant_by(text, vectors) for text in said}
        chosen = dict.fromkeys(name for objects in meant.values() for name in objects)
        return tuple(chosen), tuple(text for text in said if not meant[text])

    def _meant_by(self, text: str, vectors: Vectors | None) -> tuple[str, ...]:
        if objects := self._named(text) or self._within(text):
            return objects
        if len(plain(text).split()) >= _SENTENCE:
            return ()
        labels = list(self._labels)
        near = (self._labels[labels[place]] for place in nearest(text, labels, vectors))
        return tuple(dict.fromkeys(name for members in near for name in members))

    def _named(self, text: str) -> tuple[str, ...]:
        """The objects that a text is the name of."""
        keys = _keys(text.strip())
        return next((table[key] for table in self._tables for key in keys if key in table), ())

    def _within(self, text: str) -> tuple[str, ...]:
        """The objects whose names a phrase contains; of overlapping names, the longest."""
        words = re.findall(r"[\w-]+", text)[:_LONGEST_PHRASE]
        objects: dict[str, None] = {}
        place = 0
        while place < len(words):
            for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
                meant = self._named(" ".join(words[place : place + length]))
                # A name of one letter may be an article; a class within a sentence is too weak a sign.
                if len(meant) == 1 and len("".join(words[place : place + length])) > 1:
                    objects[meant[0]] = None
                    place += length - 1
                    break
            place += 1
        return tuple(objects)


def _by_spelling(spelled: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The object of each spelling; exact ones before looser ones: ``pos-1-11`` is ``pos-11-1`` without hyphens."""
    keys = [(_keys(said), name) for said, name in spelled]
    table: dict[str, tuple[str, ...]] = {}
    for form in range(3):
        for forms, name in keys:
            table.setdefault(forms[form], (name,))
    return table


def _keys(name: str) -> tuple[str, str, str]:
    """A name for comparison, the strictest form first: unchanged, as words, and without spaces."""
    words = plain(name)
    return name.casefold(), words or name.casefold(), words.replace(" ", "") or name.casefold()
