"""A table as data, and its headings and texts as all formats show them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby

Show = tuple[tuple[str, str], ...]
"""Filters of a page's list of runs: pairs of a name and a value; see `TableCell.show`."""


@dataclass(frozen=True)
class Heading:
    """A column's heading: its ``name``, and ``group`` above it; ``paper`` marks a column of a paper's numbers."""

    name: str
    group: str = ""
    paper: bool = False


@dataclass(frozen=True)
class TableCell:
    """One cell.

    Attributes:
        text: what is shown: ``13.4``, ``–``.
        value: the number behind it, if any.
        detail: shown on demand on a page and in further columns of CSV: ``67 of 100 runs``, the interval.
        best: whether it is the best language-model column of its line; shown in bold.
        estimated: whether the value contains an estimate; marked with ``~``.
        link: the layout's (row, column) of the runs behind it; None for sums and a paper's numbers.
        show: filters for runs that are not one cell's. Names are ``outcome``, ``link``, ``predicate``, ``column`` and
            ``row`` (several, separated by commas); if ``against`` is set, ``a``, ``b``, ``row`` and ``which``.
        against: whether ``show`` selects two columns side by side.
    """

    text: str = "–"
    value: float | None = None
    detail: str = ""
    best: bool = False
    estimated: bool = False
    link: tuple[int, int] | None = None
    show: Show = ()
    against: bool = False


@dataclass(frozen=True)
class TableLine:
    """A line: its ``label``, ``indent`` for extra rows below another's, ``total`` for sums, ``paper`` for a paper's."""

    label: str
    cells: tuple[TableCell, ...]
    indent: bool = False
    total: bool = False
    paper: bool = False


@dataclass(frozen=True)
class TableSection:
    """Lines that belong together below an optional ``title``; their sum is the last line."""

    lines: tuple[TableLine, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    ``key`` names files and anchors (``table-2``), ``stub`` is the heading of the first column, ``notes`` explain the
    numbers, the marks and the source of a paper's numbers, one sentence each.
    """

    key: str
    title: str
    stub: str
    headings: tuple[Heading, ...]
    sections: tuple[TableSection, ...]
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[TableLine, ...]:
        """The lines of all sections."""
        return tuple(line for section in self.sections for line in section.lines)


def one_line(text: str) -> str:
    """The text on one line, with control characters replaced."""
    # Cc: terminal escapes; Cf: marks that reorder text, as in "Trojan source"; Cs: lone surrogates.
    kept = ("�" if unicodedata.category(each) in ("Cc", "Cf", "Cs") else each for each in " ".join(text.split()))
    return "".join(kept)


def full_heading(heading: Heading) -> str:
    """A column's heading on one line: ``NL Act``, ``paper: NL Act``."""
    name = one_line(f"{heading.group} {heading.name}".strip())
    return f"paper: {name}" if heading.paper else name


def groups_of(table: Table) -> list[tuple[str, range]]:
    """The group headings, each with the columns that it spans; the name of a group may be empty."""

    def name_of(heading: Heading) -> str:
        return one_line(": ".join(filter(None, ("paper" if heading.paper else "", heading.group))))

    found, first = [], 0
    for name, headings in groupby(map(name_of, table.headings)):
        end = first + len(list(headings))
        found.append((name, range(first, end)))
        first = end
    return found
