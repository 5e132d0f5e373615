"""Finding the told sections, objects, states and goals, inside a longer text such as a prompt."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pddl2nl.nl.telling.teller import (
    EMPTY_GOAL,
    EMPTY_STATE,
    GOAL_START,
    IMPOSSIBLE_GOAL,
    NO_OBJECTS,
    OBJECTS_START,
    STATE_START,
)

__all__ = ["Section", "find_sections"]

Kind = Literal["objects", "state", "goal"]


class Section(NamedTuple):
    """One told section: ``text[start:end]`` of the text in which it was found."""

    kind: Kind
    start: int
    end: int

    def text(self, whole: str) -> str:
        """The section itself."""
        return whole[self.start : self.end]

    def line(self, whole: str) -> int:
        """The line on which it begins, from 1."""
        return whole.count("\n", 0, self.start) + 1


_STARTS: dict[str, Kind] = {
    OBJECTS_START.strip(): "objects",
    NO_OBJECTS: "objects",
    STATE_START: "state",
    EMPTY_STATE: "state",
    GOAL_START: "goal",
    EMPTY_GOAL: "goal",
    IMPOSSIBLE_GOAL: "goal",
}
_START = re.compile("|".join(rf"(?<!\S){re.escape(start)}" for start in sorted(_STARTS, key=len, reverse=True)))
_OBJECT_LINE = re.compile(r"(?:Each of .+|\S+) is .+\.")


def find_sections(text: str) -> tuple[Section, ...]:
    """All told sections of a text, in order.

    A list of objects ends before the first line that is no sentence about objects; a state or a goal ends where
    a line does not begin with "and " (a goal's metric, a line of its own, belongs to it).
    """
    sections: list[Section] = []
    at = 0
    while match := _START.search(text, at):
        kind = _STARTS[match[0]]
        at = _end(text, match, kind)
        sections.append(Section(kind, match.start(), at))
    return tuple(sections)


def _end(text: str, start: re.Match[str], kind: Kind) -> int:
    if start[0] in (NO_OBJECTS, EMPTY_STATE):
        return start.end()
    end = _line_end(text, start.end())
    while end < len(text):
        following = _line_end(text, end + 1)
        line = text[end + 1 : following]
        metric = kind == "goal" and line.startswith("I want to m")
        listed = kind == "objects"
        goes_on = _OBJECT_LINE.fullmatch(line) is not None if listed else metric or line.startswith("and ")
        if not goes_on:
            break
        end = following
        if metric:
            break
    return end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
