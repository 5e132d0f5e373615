"""Retrieval: from the names that a model gives to the objects that it means.

A text means an object if it is the object's name (told or PDDL's, ignoring letter case, hyphens and blanks), all
objects of a class if it is the name of the class, and the objects whose names a phrase contains. Any other text means
the object or class with the nearest name (`pddl2nl.worlds.similarity`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.nl.names import Names
from pddl2nl.worlds.similarity import Vectors, nearest, plain

__all__ = ["Choices", "Selection", "said_objects"]

_MARK = re.compile(r"\s*(?:[-*•+–]|\(?\d+[.):])\s+")
_FENCE = re.compile(r"\s*(```|~~~)")
_ASIDE = re.compile(r"\s+[-–—]+\s|\s*[:(\[–—]|\s+because\b|\s+since\b")
_INTRODUCTION = re.compile(
    r"\A[^:]*\b(?:objects?|items?|things?|list|relevant|needed|need|selected|answer)\b[^:]*:", re.I
)
_LONGEST = 4
"""The most words of a name within a phrase."""
_MOST_WORDS = 1_000
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
    found: list[str] = []
    for line in reply.splitlines():
        bare = line.strip().strip("`*_ \t")
        if not bare or _FENCE.match(line) or bare.endswith(":"):
            continue
        bare = _MARK.sub("", line, count=1).strip()
        bare = _INTRODUCTION.sub("", bare)
        for part in re.split(r"[,;]", _without_brackets(bare)):
            # What follows a name is a reason, or its class.
            name = _ASIDE.split(part, maxsplit=1)[0].strip(" \t.`*'\"“”‘’[]{}")
            name = re.sub(r"\A(?:and|the|an?)\s+", "", name, flags=re.IGNORECASE)
            if name:
                found.append(name)
    return tuple(dict.fromkeys(found))


def _without_brackets(text: str) -> str:
    """A line without remarks in parentheses, which may contain commas; a list in square brackets keeps its names."""
    return re.sub(r"\([^()]*\)", " ", text).replace("[", " ").replace("]", " ")


class Choices:
    """The objects and classes that a model can name.

    Args:
        objects: the objects, by their PDDL names.
        classes: for each class its objects.
        names: what the objects are called in language.
    """

    def __init__(self, objects: Sequence[str], classes: Mapping[str, Sequence[str]], names: Names):
        self._tables: list[dict[str, tuple[str, ...]]] = []
        self._labels: dict[str, tuple[str, ...]] = {}
        for spelled in (names.to_nl, {name: name for name in objects}, {v: k for k, v in names.aliases.items()}):
            own = [(_keys(spelled[name]), (name,)) for name in objects if name in spelled]
            table: dict[str, tuple[str, ...]] = {}
            # Exact spelling before looser ones: ``pos-1-11`` and ``pos-11-1`` are equal without hyphens.
            for keys in zip(*(keys for keys, _ in own), strict=True):
                for key, (_, meant) in zip(keys, own, strict=True):
                    table.setdefault(key, meant)
            self._tables.append(table)
        for name in objects:
            self._labels.setdefault(names.to_nl.get(name, name), (name,))
        kinds: dict[str, tuple[str, ...]] = {}
        for said, members in classes.items():
            for form in (said, f"{said}s", f"all {said}s", f"all {said}"):
                kinds.setdefault(_keys(form)[-1], tuple(members))
            self._labels.setdefault(said, tuple(members))
        self._tables.append(kinds)

    def meant(self, said: Sequence[str], vectors: Vectors | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The objects that are meant, in the order in which they were named, and the texts that mean none."""
        chosen: dict[str, None] = {}
        unknown: list[str] = []
        for text in said:
            objects = self._one(text, vectors)
            chosen.update(dict.fromkeys(objects))
            if not objects:
                unknown.append(text)
        return tuple(chosen), tuple(unknown)

    def _one(self, text: str, vectors: Vectors | None) -> tuple[str, ...]:
        exact = self._named(text)
        if exact is not None:
            return exact
        within = self._within(text)
        if within:
            return within
        if len(plain(text).split()) >= _SENTENCE:
            return ()
        labels = list(self._labels)
        near = (self._labels[labels[place]] for place in nearest(text, labels, vectors))
        return tuple(dict.fromkeys(name for members in near for name in members))

    def _named(self, text: str) -> tuple[str, ...] | None:
        """The objects that a text is the name of; None if it is no name."""
        keys = _keys(text.strip())
        return next((table[key] for table in self._tables for key in keys if key in table), None)

    def _within(self, text: str) -> tuple[str, ...]:
        """The objects whose names a phrase contains; of overlapping names, the longest."""
        words = re.findall(r"[\w-]+", text)[:_MOST_WORDS]
        found: dict[str, None] = {}
        place = 0
        while place < len(words):
            for length in range(min(_LONGEST, len(words) - place), 0, -1):
                meant = self._named(" ".join(words[place : place + length]))
                # A name of one letter may be an article; a class within a sentence is too weak a sign.
                if meant is not None and len(meant) == 1 and len("".join(words[place : place + length])) > 1:
                    found.update(dict.fromkeys(meant))
                    place += length
                    break
            else:
                place += 1
        return tuple(found)


def _keys(name: str) -> tuple[str, str, str]:
    """A name for comparison, the strictest form first: unchanged, as words, and without spaces."""
    words = plain(name)
    return name.casefold(), words or name.casefold(), words.replace(" ", "") or name.casefold()
