"""A table as data: what every format writes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Heading", "Line", "Section", "Table", "TableCell"]


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
