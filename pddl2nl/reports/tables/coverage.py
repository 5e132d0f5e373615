"""The coverage table: one row per domain, one column per configuration, solved tasks in each cell, and sums.

It follows Table 2 of the AutoPlanBench paper: several seeds are averaged, and the rows of a section are summed without
variants of a row (the same domain in another wording). Runs with infrastructure errors are not scored; a cell that
lacks runs is labelled and never marked as the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.paper import PaperLine, PaperTable
from pddl2nl.reports.paper.matching import domain_lines, summed
from pddl2nl.reports.statistics import wilson_interval
from pddl2nl.reports.tables.grid import Grid, lacking, number_text, show_runs, with_best
from pddl2nl.reports.tables.model import Line, Section, Table, TableCell

__all__ = [
    "Entry",
    "coverage_cells",
    "coverage_json",
    "coverage_notes",
    "coverage_table",
    "lines_of",
    "paper_cells",
    "runs_table",
]


@dataclass(frozen=True)
class Entry:
    """A line to make: its label, the rows of the layout that it covers, and its style."""

    label: str
    rows: tuple[int, ...]
    indent: bool = False
    total: bool = False


Cells = Callable[[Grid, Sequence[int]], tuple[TableCell, ...]]
Papers = Callable[[PaperTable, Sequence[LayoutRow]], tuple[PaperLine | None, ...]]


def coverage_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by domain and column, as means over seeds, with the best language-model column of a line marked.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    sections = lines_of(grid, _by_section(grid, counted=True), coverage_cells, domain_lines)
    title = wanted.title or "Coverage: solved tasks by domain"
    return Table("coverage", title, "domain", grid.headings, sections, coverage_notes(grid))


def runs_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved runs of the scored runs, ``67 of 100``: for small experiments, without a paper's numbers."""
    grid = Grid.of(gathered, wanted, paper=False)
    sections = lines_of(grid, _by_section(grid, counted=False), _run_cells, domain_lines)
    return Table("runs", wanted.title or "Coverage (solved of runs)", "", grid.headings, sections, grid.notes())


def lines_of(
    grid: Grid, sections: Sequence[tuple[str, Sequence[Entry]]], cells: Cells, papers: Papers
) -> tuple[Section, ...]:
    """The lines of a coverage table: our cells, then the paper's numbers summed over the same rows."""
    lines: dict[int, PaperLine | None] = dict.fromkeys(grid.rows)
    if grid.paper is not None:
        lines.update(zip(grid.rows, papers(grid.paper, [grid.row(row) for row in grid.rows]), strict=True))
    return tuple(
        Section(
            tuple(
                Line(
                    entry.label,
                    (
                        *cells(grid, entry.rows),
                        *paper_cells(grid, summed([lines[row] for row in entry.rows]), grid.tasks(entry.rows)),
                    ),
                    entry.indent,
                    entry.total,
                )
                for entry in entries
            ),
            title,
        )
        for title, entries in sections
    )


def _by_section(grid: Grid, *, counted: bool) -> list[tuple[str, list[Entry]]]:
    """Every row, variants indented, and the sum of each section without variants."""
    several = len(grid.sections) > 1
    sections = []
    for name, rows in grid.sections:
        bases = tuple(row for row in rows if not grid.row(row).variant)
        entries = [_entry(grid, row, bases, counted=counted) for row in rows]
        if bases:
            entries.append(Entry(f"sum ({grid.tasks(bases)})" if counted else "sum", bases, total=True))
        sections.append((name if several else "", entries))
    return sections


def _entry(grid: Grid, row: int, bases: Sequence[int], *, counted: bool) -> Entry:
    said = grid.row(row)
    if said.variant and said.label in {grid.row(base).label for base in bases}:
        return Entry(said.variant, (row,), indent=True)
    label = f"{said.label} {said.variant}".strip()
    return Entry(f"{label} ({grid.tasks([row])})" if counted else label, (row,))


def coverage_cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    """Solved tasks of these rows in each of our columns, with the best language-model column marked."""
    tasks = grid.tasks(rows)
    cells = []
    comparable = []
    reach = 0.0
    for column, model in zip(grid.columns, grid.models, strict=True):
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        whole = found.tasks == tasks and not found.broken and not missing
        cells.append(_cell(grid, rows, column, found, missing, _number_of(found.solved, found.tasks, tasks)))
        comparable.append(model and whole)
        if model and (found.broken or missing):
            # Each missing run can solve at most one more task.
            reach = max(reach, min(tasks, found.solved + found.broken + missing))
    return with_best(cells, comparable, reach=reach)


def _run_cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    cells = []
    for column in grid.columns:
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        cells.append(_cell(grid, rows, column, found, missing, f"{found.solved_runs} of {found.runs}"))
    return tuple(cells)


def _cell(grid: Grid, rows: Sequence[int], column: int, found: Coverage, missing: int, text: str) -> TableCell:
    if not grid.stands(rows, column):
        return TableCell("")
    link = (rows[0], column) if len(rows) == 1 else None
    lacks = lacking(found.broken, missing)
    if not found.tasks:
        return TableCell(f"–{lacks}", detail=_detail(found, missing), link=link)
    detail = _detail(found, missing, grid.column(column).kind == "model")
    show = () if link else show_runs(rows, column)
    return TableCell(text + lacks, found.solved, detail, link=link, show=show)


def _detail(found: Coverage, missing: int, sampled: bool = False) -> str:
    """K of n with a confidence interval: over the seeds, or over the tasks if a model has one seed."""
    said = [f"{found.solved_runs} of {found.runs} runs"]
    if found.seeds > 1:
        said.append(f"mean of {found.seeds} seeds {found.solved:.2f}")
    if found.agreed:
        said.append("all seeds agree")
    elif found.interval is not None:
        said.append(f"95 % interval {found.interval.low:.2f} to {found.interval.high:.2f}")
    elif sampled and found.seeds <= 1:
        interval = wilson_interval(found.solved, found.tasks)
        said.append(f"95 % interval {100 * interval.low:.0f} % to {100 * interval.high:.0f} %")
    if found.broken:
        said.append(f"{found.broken} broken by infrastructure, not counted")
    if missing:
        said.append(f"{missing} not run yet")
    return "; ".join(said)


def _number_of(solved: float, tasks: int, all_tasks: int) -> str:
    return number_text(solved) if tasks == all_tasks else f"{number_text(solved)} of {tasks}"


def coverage_notes(grid: Grid) -> tuple[str, ...]:
    """Notes that explain the numbers of a coverage table."""
    counts: dict[int, list[str]] = {}
    partly = False
    for column in grid.columns:
        found = coverage_of(grid.runs(grid.rows, column))
        counts.setdefault(found.seeds, []).append(grid.column(column).label)
        partly = partly or bool(found.broken or grid.lacks(grid.rows, column))
    notes = ["Solved tasks, of the number in parentheses."]
    several = {seeds: labels for seeds, labels in counts.items() if seeds > 1}
    if several:
        named = "; ".join(f"of {seeds} seeds: {', '.join(labels)}" for seeds, labels in sorted(several.items()))
        notes[0] = (
            "Solved tasks, of the number in parentheses. With several seeds the mean: a task counts with the share of "
            f"its runs that solved it ({named})."
        )
    if partly:
        notes.append(
            "Runs with infrastructure errors are not scored. A cell that lacks runs says so; it shows the mean of the "
            "others and is never marked as the best, nor is a cell that it could still exceed."
        )
    if sum(grid.models) > 1:
        notes.append("Bold: the best language-model column of a line.")
    return (*notes, *grid.notes())


def paper_cells(grid: Grid, line: PaperLine | None, tasks: int) -> tuple[TableCell, ...]:
    """The paper's cells of a line; they name the number of tasks if it differs from ours."""
    cells = []
    for place in grid.beside:
        value = None if line is None else line.value(place)
        if line is None or value is None:
            cells.append(TableCell(""))
        else:
            text = f"{value:,}" if not line.tasks else _number_of(value, line.tasks, tasks)
            cells.append(TableCell(text, float(value), f"of {line.tasks} tasks" if line.tasks else ""))
    return tuple(cells)


def coverage_json(gathered: Gathered) -> dict[str, object]:
    """Coverage as JSON: solved runs by column and domain, their sums, and the infrastructure errors."""
    grid = Grid.of(gathered, LayoutTable("runs"), paper=False)
    columns: list[dict[str, Any]] = []
    for place in grid.columns:
        domains: dict[str, dict[str, int]] = {}
        for row in grid.rows:
            found = coverage_of(grid.runs([row], place))
            domains[grid.row(row).label] = {"solved": found.solved_runs, "runs": found.runs}
        total = coverage_of(grid.runs(grid.rows, place))
        column = grid.column(place)
        columns.append(
            {
                "policy": column.policy,
                "model": column.model or None,
                "solved": total.solved_runs,
                "runs": total.runs,
                "domains": domains,
            }
        )
    broken = [{"run": run.name, "message": run.message} for run in gathered.broken]
    return {"columns": columns, "infrastructure_errors": broken}
