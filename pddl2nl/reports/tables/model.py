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
        detail: what a page shows on demand and CSV in further columns: ``67 of 100 runs``, the interval.
        best: whether it is the best among the language-model columns of its line: bold.
        estimated: whether an estimate is in it: marked with ``~``.
        link: of a page: which runs are behind it, as ``(row, column)`` of the layout; None for sums and papers.
        show: of a page: the same by filters of its list of runs, where one cell does not say it: pairs of ``outcome``,
            ``link`` (its name for readers), ``predicate``, ``column``, ``row`` (several with commas) and a value; or,
            where it is ``against``, of ``a``, ``b``, ``row`` and ``which``.
        against: whether ``show`` is about two columns side by side.
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
    """Lines that stand together, above them ``title`` where there is one; their sum is the last line."""

    lines: tuple[Line, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    ``key`` is a name for files and anchors (``table-2``), ``stub`` the heading of the first column, ``notes`` what a
    reader has to know, a sentence each: what numbers are, what is marked, what is a paper's.
    """

    key: str
    title: str
    stub: str
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()


def one_line(text: str) -> str:
    """The text on one line, without control characters: what models and files say may hold any."""
    kept = "".join("�" if _controls(character) else character for character in " ".join(text.split()))
    return kept.encode("utf-8", "replace").decode("utf-8")


def _controls(character: str) -> bool:
    # Cc: escapes that a terminal obeys; Cf: marks that reorder what is read, as in "Trojan source"; Cs: lone halves.
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def full_heading(heading: Heading) -> str:
    """A column's heading on one line: ``NL Act``, ``paper: NL Act``."""
    said = one_line(f"{heading.group} {heading.name}".strip())
    return f"paper: {said}" if heading.paper else said


def groups_of(table: Table) -> tuple[tuple[str, int], ...]:
    """The headings above columns that stand together, each with how many columns it is over; empty ones too."""

    def above(heading: Heading) -> str:
        group = one_line(heading.group)
        return (f"paper: {group}" if group else "paper") if heading.paper else group

    return tuple((name, len(tuple(each))) for name, each in groupby(map(above, table.headings)))
