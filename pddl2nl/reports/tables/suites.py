"""Tables of IPC suites: each suite (Table 4 of the AutoPlanBench paper), and families of suites (its Table 3).

The family table puts all suites of which every language-model column solved less than a quarter into one line, the
others. It joins the remaining years of a domain, such as ``transport08`` and ``transport11``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from pddl2nl.experiments.layout import LayoutTable, Place
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.paper import paper_table
from pddl2nl.reports.paper.matching import SuiteName, suite_lines, suite_name
from pddl2nl.reports.tables.coverage import Entry, coverage_cells, coverage_notes, lines_of
from pddl2nl.reports.tables.grid import Grid
from pddl2nl.reports.tables.model import Table

__all__ = ["OTHERS_BELOW", "families_table", "suites_table"]

OTHERS_BELOW = 0.25
"""A suite is one of the others if every language-model column solves less than this share of its tasks."""

_BY_SUITE = "table-4"


def suites_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by suite, with the number of its tasks in parentheses, and the sum.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    names = _names(grid)
    several = len(grid.sections) > 1
    sections: list[tuple[str, list[Entry]]] = [
        (
            name if several else "",
            [Entry(f"{names[row]} ({grid.tasks([row])})", (row,), bool(grid.row(row).variant)) for row in rows],
        )
        for name, rows in grid.sections
    ]
    sections.append(("", [_sum(grid)]))
    title = wanted.title or "Coverage: solved tasks by suite"
    notes = (*coverage_notes(grid), *_name_notes(grid, names))
    return Table("suites", title, "suite", grid.headings, lines_of(grid, sections, coverage_cells, suite_lines), notes)


def families_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by family of suites; suites that the language models hardly solve are joined as others.

    The paper's numbers come from its Table 4, summed over our suites, because our others may differ from the paper's.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    if grid.paper is not None and grid.paper.key == "table-3":
        grid = replace(grid, paper=paper_table(_BY_SUITE))
    names = _names(grid)
    others = tuple(row for row in _bases(grid) if _hardly_solved(grid, row))
    kept = sorted((row for row in _bases(grid) if row not in others), key=lambda row: _order(grid, row))
    entries = []
    for _, group in groupby(kept, key=lambda row: _family(grid, row)):
        rows = tuple(group)
        entries.append(Entry(f"{_joined(grid, rows, names)} ({grid.tasks(rows)})", rows))
    if others:
        domains = f"{len(others)} {'domain' if len(others) == 1 else 'domains'}"
        entries.append(Entry(f"others ({grid.tasks(others)} in {domains})", others))
    sections = lines_of(grid, [("", [*entries, _sum(grid)])], coverage_cells, suite_lines)
    notes = [*coverage_notes(grid)]
    if others:
        told = ", ".join(sorted(names[row] for row in others))
        notes.append(
            f"others: the suites of which every language-model column solved less than {OTHERS_BELOW:.0%}: {told}."
        )
    notes += _name_notes(grid, names)
    title = wanted.title or "Coverage: solved tasks by family of suites"
    return Table("families", title, "suite", grid.headings, sections, tuple(notes))


def _bases(grid: Grid) -> tuple[int, ...]:
    return tuple(row for row in grid.rows if not grid.row(row).variant)


def _sum(grid: Grid) -> Entry:
    rows = _bases(grid)
    return Entry(f"sum ({grid.tasks(rows)})", rows, total=True)


def _hardly_solved(grid: Grid, row: int) -> bool:
    """Whether every language-model column of the row solved less than a quarter; false while one has no runs."""
    shares = [
        coverage_of(grid.runs([row], column)).share
        for column, model in zip(grid.columns, grid.models, strict=True)
        if model and Place(row, column) in grid.placed
    ]
    return bool(shares) and all(share is not None and share < OTHERS_BELOW for share in shares)


def _names(grid: Grid) -> dict[int, str]:
    """The name of each row: as the paper writes it if that is unique, else in full."""
    short = {row: suite_name(grid.row(row).label).short for row in grid.rows}
    bases = Counter(short[row] for row in _bases(grid))
    names = {}
    for row in grid.rows:
        said = grid.row(row)
        name = short[row] if bases[short[row]] <= 1 else said.label
        names[row] = f"{name} {said.variant}".strip()
    return names


def _name_notes(grid: Grid, names: dict[int, str]) -> tuple[str, ...]:
    """Notes: the folders behind the short names, and the track of the paper's numbers."""
    told = [f"{names[row]} is {grid.row(row).label}" for row in _bases(grid) if names[row] != grid.row(row).label]
    notes = [f"{'; '.join(sorted(told))}."] if told else []
    if grid.paper is not None:
        notes.append(
            "The paper does not name the track of a year's suites; its numbers stand beside the optimal track if both "
            "tracks are shown."
        )
    return tuple(notes)


def _named(grid: Grid, row: int) -> SuiteName:
    return suite_name(grid.row(row).label)


def _family(grid: Grid, row: int) -> tuple[str, str]:
    """Suites of one domain and track; a name without a year is a family of its own.

    If a year had one track, its folder does not name it (``pegsol-08-strips``): it joins the optimal track, or the only
    track.
    """
    name = _named(grid, row)
    if not name.year:
        return (name.family, f"#{row}")
    tracks = {other.track for each in _bases(grid) if (other := _named(grid, each)).family == name.family} - {""}
    return (name.family, name.track or ("opt" if "opt" in tracks else min(tracks, default="")))


def _order(grid: Grid, row: int) -> tuple[object, ...]:
    return (*_family(grid, row), _named(grid, row).age, row)


def _joined(grid: Grid, rows: Sequence[int], names: dict[int, str]) -> str:
    """``barman11/14`` of ``barman11`` and ``barman14``; in full if the rows have no short names."""
    if len(rows) == 1:
        return names[rows[0]]
    years = [_named(grid, row).year for row in rows]
    if all(names[row] == _named(grid, row).short for row in rows) and len(set(years)) == len(years):
        return _named(grid, rows[0]).family + "/".join(years)
    return " + ".join(names[row] for row in rows)
