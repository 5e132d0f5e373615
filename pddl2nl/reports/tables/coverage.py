"""Coverage tables: solved tasks by domain, and solved runs.

Several seeds are averaged, and the rows of a section are
summed without variants of a row (the same domain in another wording). Runs with infrastructure errors are not scored; a
cell that lacks runs is labelled and never marked as the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.policies.paper import PaperLine, PaperTable
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.tables.grid import Grid, domain_lines, lacking, show_runs, summed, with_best
from pddl2nl.reports.tables.model import INTERVAL_NOTE, Table, TableCell, TableLine, TableSection, number_text


@dataclass(frozen=True)
class CoverageEntry:
    """A line to make: its label, the rows of the layout that it covers, and its style."""

    label: str
    rows: tuple[int, ...]
    indent: bool = False
    total: bool = False


CoverageSections = Sequence[tuple[str, Sequence[CoverageEntry]]]
PaperLines = Callable[[PaperTable, Sequence[LayoutRow]], tuple[PaperLine | None, ...]]


def coverage_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by domain and column, as means over seeds, with the best language-model column of a line marked.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    lines = coverage_lines(grid, _by_section(grid, numbered=True), domain_lines)
    title = wanted.title or "Coverage: solved tasks by domain"
    return Table("coverage", title, "domain", grid.part_headings, lines, coverage_notes(grid))


def runs_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved runs of the scored runs, ``67 of 100``: for small experiments, without a paper's numbers."""
    grid = Grid.of(gathered, wanted, paper=False)
    sections = tuple(
        TableSection(
            tuple(TableLine(entry.label, _run_cells(grid, entry.rows), entry.indent, entry.total) for entry in entries),
            title,
        )
        for title, entries in _by_section(grid, numbered=False)
    )
    return Table("runs", wanted.title or "Coverage (solved of runs)", "", grid.headings, sections, grid.notes())


# ── lines and cells ──────────────────────────────────────────────────────────────────────────────


def coverage_lines(grid: Grid, sections: CoverageSections, papers: PaperLines) -> tuple[TableSection, ...]:
    """Our cells, then the paper's numbers summed over the same rows."""
    lines: dict[int, PaperLine | None] = dict.fromkeys(grid.rows)
    if grid.paper is not None:
        lines.update(zip(grid.rows, papers(grid.paper, [grid.row(row) for row in grid.rows]), strict=True))

    def line(entry: CoverageEntry) -> TableLine:
        theirs = paper_cells(grid, summed([lines[row] for row in entry.rows]), grid.tasks(entry.rows))
        return TableLine(entry.label, (*_cells(grid, entry.rows), *theirs), entry.indent, entry.total)

    return tuple(TableSection(tuple(map(line, entries)), title) for title, entries in sections)


def _by_section(grid: Grid, *, numbered: bool) -> CoverageSections:
    """Every row, variants indented, and the sum of each section without variants."""
    sections = []
    for name, rows in grid.sections.items():
        bases = tuple(row for row in rows if row in grid.bases)
        labels = {grid.row(base).label for base in bases}
        entries = []
        for row in rows:
            layout = grid.row(row)
            label = f"{layout.label} {layout.variant}".strip()
            if layout.variant and layout.label in labels:
                entries.append(CoverageEntry(layout.variant, (row,), indent=True))
            else:
                entries.append(CoverageEntry(f"{label} ({grid.tasks([row])})" if numbered else label, (row,)))
        if bases:
            entries.append(sum_entry(grid, bases) if numbered else CoverageEntry("sum", bases, total=True))
        sections.append((name if len(grid.sections) > 1 else "", entries))
    return sections


def sum_entry(grid: Grid, rows: tuple[int, ...]) -> CoverageEntry:
    return CoverageEntry(f"sum ({grid.tasks(rows)})", rows, total=True)


def _cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    """Solved tasks of these rows in each of our columns, with the best language-model column marked."""
    tasks = grid.tasks(rows)
    cells, comparable = [], []
    reach = 0.0
    for column, seed in grid.parts:
        runs = grid.runs(rows, column)
        found = coverage_of(runs if seed is None else [run for run in runs if run.seed == seed])
        # A missing run has no record that could say its seed.
        missing = grid.lacks(rows, column) if seed is None else 0
        lacks = found.broken + missing
        cell = _cell(grid, rows, column, found, missing, _of_tasks(found.solved, found.tasks, tasks))
        if grid.column(column).kind != "planner":
            # What a planner solves is no sample of what it might.
            cell = replace(cell, interval=found.bounds)
        if seed is not None:
            cell = replace(cell, show=(*cell.show, ("text", f"seed {seed}")) if cell.show else ())
        cells.append(cell)
        comparable.append(grid.is_model(column) and found.tasks == tasks and not lacks and seed is None)
        if grid.is_model(column) and lacks and seed is None:
            # Each missing run can solve at most one more task.
            reach = max(reach, min(tasks, found.solved + lacks))
    return with_best(cells, comparable, reach=reach)


def _run_cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    cells = []
    for column in grid.columns:
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        cells.append(_cell(grid, rows, column, found, missing, f"{found.solved_runs} of {found.runs}"))
    return tuple(cells)


def _cell(grid: Grid, rows: Sequence[int], column: int, found: Coverage, missing: int, text: str) -> TableCell:
    if not grid.has_runs(rows, column):
        return TableCell("")
    lacks = lacking(found.broken, missing)
    detail, show = _detail(found, missing, sampled=grid.is_model(column)), show_runs(rows, column)
    if not found.tasks:
        return TableCell(f"–{lacks}", detail=detail, show=show)
    return TableCell(text + lacks, found.solved, detail, show=show)


def _detail(found: Coverage, missing: int, *, sampled: bool) -> str:
    """K of n with the confidence intervals: over the seeds, if there are several, and of a model over the tasks."""
    parts = [f"{found.solved_runs} of {found.runs} runs"]
    if found.seeds > 1:
        parts.append(f"mean of {found.seeds} seeds {found.solved:.2f}")
    if found.agreed:
        parts.append("all seeds agree")
    elif found.interval is not None:
        parts.append(f"95 % interval over the seeds {found.interval.low:.2f} to {found.interval.high:.2f}")
    if sampled and found.over_tasks is not None:
        low, high = (round(100 * end) for end in (found.over_tasks.low, found.over_tasks.high))
        parts.append(f"95 % interval over the tasks {low} % to {high} %")
    if found.broken:
        parts.append(f"{found.broken} broken by infrastructure, not counted")
    if missing:
        parts.append(f"{missing} not run yet")
    return "; ".join(parts)


def _of_tasks(solved: float, tasks: int, all_tasks: int) -> str:
    return number_text(solved) if tasks == all_tasks else f"{number_text(solved)} of {tasks}"


def paper_cells(grid: Grid, line: PaperLine | None, tasks: int) -> tuple[TableCell, ...]:
    """The paper's cells of a line; they name the number of tasks if it differs from ours."""
    cells = []
    for place in grid.paper_columns:
        value = None if line is None else line.value(place)
        if line is None or value is None:
            cells.append(TableCell(""))
        else:
            text = _of_tasks(value, line.tasks, tasks) if line.tasks else f"{value:,}"
            cells.append(TableCell(text, float(value), f"of {line.tasks} tasks" if line.tasks else ""))
    return tuple(cells)


def coverage_notes(grid: Grid) -> tuple[str, ...]:
    found = {column: coverage_of(grid.runs(grid.rows, column)) for column in grid.columns}
    seeds = sorted({coverage.seeds for coverage in found.values() if coverage.seeds > 1})
    means = f", as means of {' and '.join(map(str, seeds))} seeds" if seeds else ""
    notes = [f"Solved tasks, of the number in parentheses{means}. {INTERVAL_NOTE}"]
    if sum(map(grid.is_model, grid.columns)) > 1:
        notes.append("Bold: the best language-model column of a line.")
    notes += grid.notes()
    if any(coverage.broken or grid.lacks(grid.rows, column) for column, coverage in found.items()):
        notes.append(
            "A cell that lacks runs says so; the others count, and it is never marked as the best, nor is one that it "
            "could still exceed."
        )
    return tuple(notes)
