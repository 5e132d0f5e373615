"""Collects what is wrong with one text while it is read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from itertools import islice
from typing import NamedTuple

from pddl2nl.pddl.diagnostics import Diagnostic, Severity, Source

__all__ = ["LIMIT", "Log", "Near", "Offset"]

LIMIT = 100
"""So many errors, and so many warnings, are listed for one file; beyond it they are counted."""


Offset = int | Callable[[], int]
"""A character offset, or how to find it: asked only where it is listed."""


class Near(NamedTuple):
    """A wrong name and the right ones, the nearest of which is worth telling; sought only where it is told."""

    name: str
    names: Iterable[str]

    def __str__(self) -> str:
        # Imported here, since most texts have nothing wrong with them.
        import difflib

        # It compares with every name in turn; beyond some thousand names that would be felt.
        alike = (other for other in self.names if abs(len(other) - len(self.name)) <= 3)
        found = difflib.get_close_matches(self.name, islice(alike, 1000), n=1, cutoff=0.7)
        return found[0] if found else ""


class _Leave(AbstractContextManager[None]):
    """Drops the last part of a breadcrumb where a block ends."""

    def __init__(self, path: list[str]):
        self._path = path

    def __exit__(self, *_: object) -> None:
        self._path.pop()


class Log:
    """The diagnostics of one source, with the breadcrumb of the place that is being worked on."""

    def __init__(self, source: Source):
        self.source = source
        self._path: list[str] = []
        self._leave = _Leave(self._path)
        self._listed: dict[Severity, list[Diagnostic]] = {"error": [], "warning": []}
        self._counts: dict[Severity, int] = {"error": 0, "warning": 0}
        self._muted: list[tuple[int, int]] = []

    @property
    def failed(self) -> bool:
        """Whether there is any error."""
        return self._counts["error"] > 0

    @property
    def path(self) -> str:
        """The breadcrumb from the outside in."""
        return ", ".join(self._path)

    def inside(self, place: str) -> AbstractContextManager[None]:
        """Adds a part to the breadcrumb for as long as the block of its ``with`` runs."""
        # Several for every action of a domain that has ten thousand: a generator would be felt.
        self._path.append(place)
        return self._leave

    @property
    def full(self) -> bool:
        """Whether so many errors are listed that no more will be."""
        return len(self._listed["error"]) >= LIMIT

    def mute(self, start: int, end: int) -> None:
        """Drops later errors in a stretch of text that is known to be garbled, since they only follow from it."""
        self._muted.append((start, end))

    def error(
        self, offset: Offset, message: str, *, expected: str = "", found: str = "", suggestion: str | Near = ""
    ) -> None:
        """Notes an error at a character offset."""
        self._add("error", offset, message, expected, found, suggestion)

    def warning(
        self, offset: Offset, message: str, *, expected: str = "", found: str = "", suggestion: str | Near = ""
    ) -> None:
        """Notes a warning at a character offset."""
        self._add("warning", offset, message, expected, found, suggestion)

    def _add(
        self, severity: Severity, offset: Offset, message: str, expected: str, found: str, suggestion: str | Near
    ) -> None:
        listed = self._listed[severity]
        if len(listed) >= LIMIT and not self._muted:
            self._counts[severity] += 1
            return
        place = offset if isinstance(offset, int) else offset()
        if any(start <= place < end for start, end in self._muted):
            return
        self._counts[severity] += 1
        if len(listed) >= LIMIT:
            return
        diagnostic = Diagnostic.at(
            self.source,
            place,
            message,
            severity=severity,
            path=self.path,
            expected=expected,
            found=found,
            suggestion=str(suggestion),
        )
        if diagnostic in listed[-3:]:
            self._counts[severity] -= 1
        else:
            listed.append(diagnostic)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was listed, in the order of the text, and how much was not."""
        both = [*self._listed["error"], *self._listed["warning"]]
        both.sort(key=lambda item: (item.line, item.column))
        for severity, listed in self._listed.items():
            rest = self._counts[severity] - len(listed)
            if rest:
                last = listed[-1]
                message = f"{rest} more {severity}{'s' if rest > 1 else ''} in this file, not listed"
                both.append(Diagnostic(severity, self.source.name, last.line, last.column, message))
        return tuple(both)
