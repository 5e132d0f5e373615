"""What a stretch of text says, as the reader's parts tell each other."""

from __future__ import annotations

from typing import NamedTuple

from pddl2nl.nl.reading.readings import Status
from pddlval import GroundAction

__all__ = ["TRAILING", "Verdict", "verdict_of"]

TRAILING = " \t.,;:!*_`\"'”’»~\\]|"
"""Marks behind an action that are no part of it."""


class Verdict(NamedTuple):
    """What a stretch of text says; offsets count from the beginning of the text that was given."""

    start: int
    end: int
    status: Status
    candidates: tuple[GroundAction, ...] = ()
    rules: tuple[str, ...] = ()
    reason: str = ""
    unknown: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    names_object: bool = False
    excess: int = 0
    stance: str = ""

    def moved(self, by: int, *rules: str) -> Verdict:
        """The same, said of a text that begins so many characters earlier; ``rules`` come before its own."""
        return self._replace(start=self.start + by, end=self.end + by, rules=(*rules, *self.rules))


def verdict_of(start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]) -> Verdict:
    """An action that was read, or several that fit equally well."""
    if len(actions) == 1:
        return Verdict(start, end, "read", actions, rules, names_object=True)
    return Verdict(start, end, "ambiguous", actions, rules, "fits more than one action", names_object=True)
