"""Coverage tables: solved tasks by domain, and solved runs.

Several seeds are averaged, and the rows of a section are
summed without variants of a row (the same domain in another wording). Runs with infrastructure errors are not scored; a
cell that lacks runs is labelled and never marked as the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.policies.paper import PaperLine, PaperTable
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.tables.grid import Grid, domain_lines, lacking, number_text, show_runs, summed, with_best
from pddl2nl.reports.tables.model import Table, TableCell, TableLine, TableSection


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
    return Table("coverage", title, "domain", grid.headings, lines, coverage_notes(grid))


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
    for column in grid.columns:
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        lacks = found.broken + missing
        cells.append(_cell(grid, rows, column, found, missing, _of_tasks(found.solved, found.tasks, tasks)))
        comparable.append(grid.is_model(column) and found.tasks == tasks and not lacks)
        if grid.is_model(column) and lacks:
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
    """K of n with a confidence interval: over the seeds, or over the tasks if a model has one seed."""
    parts = [f"{found.solved_runs} of {found.runs} runs"]
    if found.seeds > 1:
        parts.append(f"mean of {found.seeds} seeds {found.solved:.2f}")
    if found.agreed:
        parts.append("all seeds agree")
    elif found.interval is not None:
        parts.append(f"95 % interval {found.interval.low:.2f} to {found.interval.high:.2f}")
    elif sampled and found.seeds <= 1 and found.over_tasks is not None:
        parts.append(f"95 % interval {100 * found.over_tasks.low:.0f} % to {100 * found.over_tasks.high:.0f} %")
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
    counts: dict[int, list[str]] = {}
    lacks = False
    for column in grid.columns:
        found = coverage_of(grid.runs(grid.rows, column))
        counts.setdefault(found.seeds, []).append(grid.column(column).label)
        lacks = lacks or bool(found.broken or grid.lacks(grid.rows, column))
    notes = ["Solved tasks, of the number in parentheses."]
    several = [f"of {seeds} seeds: {', '.join(labels)}" for seeds, labels in sorted(counts.items()) if seeds > 1]
    if several:
        notes[0] += (
            " With several seeds the mean: a task counts with the share of its runs that solved it "
            f"({'; '.join(several)})."
        )
    if lacks:
        notes.append(
            "Runs with infrastructure errors are not scored. A cell that lacks runs says so; it shows the mean of the "
            "others and is never marked as the best, nor is a cell that it could still exceed."
        )
    if sum(map(grid.is_model, grid.columns)) > 1:
        notes.append("Bold: the best language-model column of a line.")
    return (*notes, *grid.notes())
