"""A table as data, and its headings and texts as all formats show them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Heading", "Line", "Section", "Table", "TableCell", "full_heading", "groups_of", "one_line"]


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
        value: the number behind it; None where there is none.
        detail: shown on demand on a page and in further columns of CSV: ``67 of 100 runs``, the interval.
        best: whether it is the best language-model column of its line; shown in bold.
        estimated: whether the value contains an estimate; marked with ``~``.
        link: the runs behind it on a page, as ``(row, column)`` of the layout; None for sums and a paper's numbers.
        show: the runs behind it on a page that one cell does not identify, as filters of the list of runs: pairs of
            a name (``outcome``, ``link``, ``predicate``, ``column``, or ``row``, several separated by commas) and a
            value. If ``against`` is set, the names are ``a``, ``b``, ``row`` and ``which``.
        against: whether ``show`` selects two columns side by side.
    """

    text: str = "–"
    value: float | None = None
    detail: str = ""
    best: bool = False
    estimated: bool = False
    link: tuple[int, int] | None = None
    show: tuple[tuple[str, str], ...] = ()
    against: bool = False


@dataclass(frozen=True)
class Line:
    """A line: its ``label``, ``indent`` for extra rows below another's, ``total`` for sums, ``paper`` for a paper's."""

    label: str
    cells: tuple[TableCell, ...]
    indent: bool = False
    total: bool = False
    paper: bool = False


@dataclass(frozen=True)
class Section:
    """Lines that belong together below an optional ``title``; their sum is the last line."""

    lines: tuple[Line, ...]
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
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()


def one_line(text: str) -> str:
    """The text on one line, with control characters replaced."""
    kept = "".join("�" if _controls(character) else character for character in " ".join(text.split()))
    return kept.encode("utf-8", "replace").decode("utf-8")


def _controls(character: str) -> bool:
    # Cc: terminal escapes; Cf: marks that reorder text, as in "Trojan source"; Cs: lone surrogates.
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def full_heading(heading: Heading) -> str:
    """A column's heading on one line: ``NL Act``, ``paper: NL Act``."""
    said = one_line(f"{heading.group} {heading.name}".strip())
    return f"paper: {said}" if heading.paper else said


def groups_of(table: Table) -> tuple[tuple[str, int], ...]:
    """The group headings, each with the number of columns that it spans; the name of a group may be empty."""

    def above(heading: Heading) -> str:
        group = one_line(heading.group)
        return (f"paper: {group}" if group else "paper") if heading.paper else group

    return tuple((name, len(tuple(each))) for name, each in groupby(map(above, table.headings)))
