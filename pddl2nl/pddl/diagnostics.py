"""What the reader has to say about a file: sources, places in them, and diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Literal, NamedTuple

from pddl2nl.errors import InputError

__all__ = [
    "Diagnostic",
    "NOWHERE",
    "PDDLError",
    "Position",
    "Severity",
    "Source",
    "Span",
]

Severity = Literal["error", "warning"]


class Span(NamedTuple):
    """A half-open range of character offsets into a `Source`; `NOWHERE` where a node has no text."""

    start: int
    end: int


NOWHERE = Span(-1, -1)
_EXCERPT = 200
"""So many characters on either side of a place are kept to be shown."""


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
    """One thing wrong, or doubtful, at one place; line 0 where it is the whole file.

    ``path`` is the breadcrumb from the outside in ("in action 'stack', in its precondition");
    ``found`` and ``expected`` say what stood there and what would be right; ``suggestion`` is set
    where a near name exists; ``excerpt`` is the source line, which `render` shows with a caret. Of a very long
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
        # A generated file can be one line of megabytes: a hundred diagnostics must not hold it a hundred times.
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
