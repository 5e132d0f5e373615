"""Lines of one shape are read once.

The steps of a long plan are a few sentences with other objects in them. A line that differs from an earlier one only in
its own number and in objects of the same kinds says the same of its own objects.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache

from pddl2nl.nl.reading.clauses import ActionGrammar
from pddl2nl.nl.reading.readings import Reading
from pddl2nl.nl.reading.segments import Peeled, Piece
from pddl2nl.nl.reading.words import fold, words_of
from pddlval import GroundAction

_MOST = 5000
"""Shapes that are kept."""

# "truck_1", and the number of a list; "x1" may be said for "once".
_NAME = re.compile(r"\b([\w-]++)(?<=\d)")
_REGULAR = re.compile(r"[A-Za-z][A-Za-z_-][\w-]*")
_DIGIT = re.compile(r"\d")

Said = tuple[list[Reading], Peeled]
"""What a line says, with its marks and labels."""


class Shapes:
    """What was read of the lines of one task, by their shapes."""

    def __init__(self, grammar: ActionGrammar):
        self._grammar = grammar
        self._objects = grammar.lexicon.by_nl
        self._reading = threading.Lock()
        self._kinds: dict[object, int] = {}
        self._mark = lru_cache(_MOST)(self._mark_of)
        self._kept: dict[object, tuple[Peeled, list[tuple[Reading, list[int | str]]]]] = {}

    def _mark_of(self, name: str) -> int | str:
        """What stands for a name in a shape: its kind, which decides all that can be read of it, or the name itself."""
        item, lexicon = self._objects.get(name), self._grammar.lexicon
        own = lexicon.by_pddl.get(name.lower(), item)
        if item is None or own is not item or not _REGULAR.fullmatch(name) or len(lexicon.folded[fold(name)]) > 1:
            return name
        # Names of one kind are as long as one another, so that offsets are the same.
        kind = (_DIGIT.sub("0", name), item.types, self._grammar.statics.kind(item.pddl), name.lower() == item.pddl)
        return self._kinds.setdefault(kind, len(self._kinds))

    def read(self, text: str, piece: Piece, setting: tuple[bool, ...], read: Callable[[], Said]) -> Said:
        """What a line says: what an earlier one of its shape and setting said, or what ``read`` reads."""
        said = text[piece.start : piece.end]
        rest = _NAME.split(said)
        names = rest[1::2]
        del rest[1::2]
        marks = [*map(self._mark, names)]
        number = None
        if names and names[0].isdecimal() and len(rest[0].split()) < 2:
            number, marks[0] = int(names[0]), -len(names[0])
        again = () if len(set(names)) == len(names) else tuple(map(names.index, names))
        key = (setting, again, tuple(marks), tuple(rest))
        if known := self._kept.get(key):
            readings: list[Reading] = []
            for item, places in known[1]:
                args = [place if isinstance(place, str) else self._objects[names[place]].pddl for place in places]
                action = GroundAction(item.action.name, tuple(args)) if item.action else None
                start, end = piece.start + item.start, piece.start + item.end
                readings.append(Reading(piece.line, start, end, text[start:end], item.status, action, *item[6:]))
            return readings, known[0] if number is None else known[0]._replace(number=number)
        statics = self._grammar.statics
        # A reader may serve several threads.
        with self._reading:
            statics.particular = False
            readings, peeled = read()
            if number == peeled.number and "\n" not in said and not statics.particular:
                self._keep(key, said, piece.start, names, readings, peeled)
        return readings, peeled

    def _keep(self, key: object, said: str, at: int, names: list[str], readings: list[Reading], peeled: Peeled) -> None:
        """Keeps what was read of a line, unless it names an object otherwise, or says anything of a single one."""
        held = {name: place for place, name in enumerate(names) if isinstance(self._mark(name), int)}
        others = _NAME.sub(lambda name: ";" if name[0] in held else name[0], said)
        single = any(
            item.candidates or item.unknown or any(map(str.isdigit, item.stance + item.reason)) for item in readings
        )
        if not held or single or self._grammar.frames.mentions(words_of(others)):
            return
        places = {self._objects[name].pddl: place for name, place in held.items()}
        if len(self._kept) >= _MOST:
            self._kept.clear()
        kept: list[tuple[Reading, list[int | str]]] = []
        for item in readings:
            args = item.action.args if item.action else ()
            moved = item._replace(start=item.start - at, end=item.end - at)
            kept.append((moved, [places.get(arg, arg) for arg in args]))
        self._kept[key] = peeled, kept
