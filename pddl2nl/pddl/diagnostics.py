"""What the reader reports about a file: sources, places in them, diagnostics, and the log that collects them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, field
from itertools import islice
from typing import Literal, NamedTuple

from pddl2nl.errors import InputError
from pddl2nl.lean import dataclass

Severity = Literal["error", "warning"]


class Span(NamedTuple):
    """A half-open range of character offsets into a `Source`; `NOWHERE` where a node has no text."""

    start: int
    end: int


NOWHERE = Span(-1, -1)
_EXCERPT = 200
"""How many characters on either side of a place are kept for display."""


class Position(NamedTuple):
    """A place in a text as people count it: line and column both start at 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """A text and the name it is reported under (a path as the user gave it, or ``<text>``)."""

    name: str
    text: str = field(repr=False)

    def position(self, offset: int) -> Position:
        """Line and column of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        line = self.text.count("\n", 0, offset) + 1
        start = self.text.rfind("\n", 0, offset) + 1
        return Position(line, offset - start + 1)

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its line ending; empty beyond the last."""
        start = 0
        for _ in range(number - 1):
            newline = self.text.find("\n", start)
            if newline < 0:
                return ""
            start = newline + 1
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")


@dataclass(frozen=True)
class Diagnostic:
    """An error or a warning at one place; line 0 if it is about the whole file.

    ``path`` is the breadcrumb from the outside in ("in action 'stack', in its precondition");
    ``found`` and ``expected`` say what is there and what would be right; ``suggestion`` is a similar
    name, if there is one; ``excerpt`` is the source line, which `render` shows with a caret. Of a very long
    line it is a part, which begins ``excerpt_start`` characters into the line.
    """

    severity: Severity
    file: str
    line: int
    column: int
    message: str
    path: str = ""
    expected: str = ""
    found: str = ""
    suggestion: str = ""
    excerpt: str = ""
    excerpt_start: int = 0

    @classmethod
    def at(
        cls,
        source: Source,
        offset: int,
        message: str,
        *,
        severity: Severity = "error",
        path: str = "",
        expected: str = "",
        found: str = "",
        suggestion: str = "",
    ) -> Diagnostic:
        """A diagnostic at a character offset of a source."""
        offset = max(0, min(offset, len(source.text)))
        line, column = source.position(offset)
        # A generated file can be one line of megabytes, which a hundred diagnostics must not repeat.
        begin = max(offset - column + 1, offset - _EXCERPT)
        end = source.text.find("\n", offset, offset + _EXCERPT)
        excerpt = source.text[begin : offset + _EXCERPT if end < 0 else end].rstrip("\r")
        start = begin - (offset - column + 1)
        return cls(severity, source.name, line, column, message, path, expected, found, suggestion, excerpt, start)

    def render(self) -> str:
        """The diagnostic as text: place, message, breadcrumb, the line with a caret, what was expected."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        lines = [f"{place}: {self.severity}: {self.message}"]
        if self.path:
            lines[0] += f" ({self.path})"
        if self.excerpt.strip():
            # Of a long line, a window around the place.
            caret = self.column - 1 - self.excerpt_start
            first = max(0, caret - 60)
            window = "".join(c if c.isprintable() else " " for c in self.excerpt[first : first + 120])
            lines += [f"    {window}", "    " + " " * (caret - first) + "^"]
        if self.found:
            lines.append(f"    found: {self.found}")
        if self.expected:
            lines.append(f"    expected: {self.expected}")
        if self.suggestion:
            lines.append(f"    did you mean: {self.suggestion}?")
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """The diagnostic as the command line prints it: the fields of INTERFACE, in its order."""
        fields = asdict(self)
        order = ("severity", "file", "line", "column", "path", "message", "expected", "found", "suggestion")
        return {key: fields[key] for key in order}


class PDDLError(InputError):
    """A PDDL text that could not be read; ``diagnostics`` holds all that was found, errors and warnings."""

    def __init__(self, diagnostics: Iterable[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render() for d in self.diagnostics if d.severity == "error"))


LIMIT = 100
"""How many errors, and how many warnings, are listed for one file; further ones are counted."""


Offset = int | Callable[[], int]
"""A character offset, or a function that finds it, called only if the diagnostic is listed."""


class NeedsPlaces(Exception):
    """A text that is read without places has something to report: it must be read again with places."""


class Near(NamedTuple):
    """A wrong name and the right ones; as a string the right name that is most like the wrong one, or empty."""

    name: str
    names: Iterable[str]

    def __str__(self) -> str:
        # Imported here, since most texts have nothing wrong with them.
        import difflib

        # It compares with every name in turn, which takes noticeable time for more than some thousand names.
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
    """The diagnostics of one source, with the breadcrumb of the current place.

    Without places (``placed=False``) nothing is collected: the first error raises `NeedsPlaces`, and so does the first
    warning if ``warnings`` are wanted.
    """

    def __init__(self, source: Source, *, placed: bool = True, warnings: bool = True):
        self.source = source
        self.placed = placed
        self._warnings = warnings
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
    def full(self) -> bool:
        """Whether the list of errors is full."""
        return len(self._listed["error"]) >= LIMIT

    def inside(self, place: str) -> AbstractContextManager[None]:
        """Adds a part to the breadcrumb while the block of its ``with`` runs."""
        # A generator would be slower, and a domain may have ten thousand actions.
        self._path.append(place)
        return self._leave

    def mute(self, start: int, end: int) -> None:
        """Drops later errors in a garbled stretch of text, since they only follow from it."""
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
        if self.placed or self._warnings:
            self._add("warning", offset, message, expected, found, suggestion)

    def _add(
        self, severity: Severity, offset: Offset, message: str, expected: str, found: str, suggestion: str | Near
    ) -> None:
        if not self.placed:
            raise NeedsPlaces
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
            path=", ".join(self._path),
            expected=expected,
            found=found,
            suggestion=str(suggestion),
        )
        if diagnostic in listed[-3:]:
            self._counts[severity] -= 1
        else:
            listed.append(diagnostic)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All listed diagnostics in the order of the text, and how many more there are."""
        both = [*self._listed["error"], *self._listed["warning"]]
        both.sort(key=lambda item: (item.line, item.column))
        for severity, listed in self._listed.items():
            rest = self._counts[severity] - len(listed)
            if rest:
                last = listed[-1]
                message = f"{rest} more {severity}{'s' if rest > 1 else ''} in this file, not listed"
                both.append(Diagnostic(severity, self.source.name, last.line, last.column, message))
        return tuple(both)
