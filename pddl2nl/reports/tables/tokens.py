"""The token tables: tokens sent to the planning model per task, counting the whole prompt of every step.

They follow Tables 6 and 7 of the AutoPlanBench paper and cover the tasks that all columns solve, because an unsolved
run uses tokens until its budget ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.policies.paper import PaperLine
from pddl2nl.reports.coverage import Aggregate, aggregate
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.paper import domain_lines, summed
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.coverage import paper_cells
from pddl2nl.reports.tables.grid import ESTIMATE_NOTE, Grid, lacking, show_runs, with_best
from pddl2nl.reports.tables.model import Table, TableCell, TableLine, TableSection

TOKENS = "planner-prompt-tokens"
"""The metric of the table: tokens sent to the model that chooses the actions."""

_NOTES = (
    "Mean tokens sent to the planning model per task, averaged over the seeds of a task, then over tasks. The whole "
    "prompt of every step counts, paid or from a cache.",
    "Only pairs of task and seed that every column solved count; – if there are none.",
    "The last line sums the means above it.",
)

_Means = Mapping[int, tuple[Aggregate | None, ...]]
"""The mean of each column, by row."""


def tokens_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Mean tokens sent to the planning model by domain and column, over the runs that all columns solved.

    Columns without a language model are omitted, and rows that some column does not run.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    grid = replace(grid, columns=tuple(filter(grid.is_model, grid.columns)))
    # If a column is absent, no run is solved by all columns.
    shared = () if grid.absent else grid.rows
    rows = [row for row in shared if all(grid.has_runs([row], column) for column in grid.columns)]
    papers: Mapping[int, PaperLine | None] = dict.fromkeys(rows)
    if grid.paper is not None:
        papers = dict(zip(rows, domain_lines(grid.paper, [grid.row(row) for row in rows]), strict=True))
    means = {row: _means(grid, row) for row in rows}
    several = len({grid.row(row).section for row in rows}) > 1
    sections = []
    for name, each in grid.sections.items():
        if lines := tuple(_line(grid, row, means[row], papers[row]) for row in each if row in means):
            sections.append(TableSection(lines, name if several else ""))
    if rows:
        sections.append(TableSection((_sum(grid, means, papers),)))
    title = wanted.title or "Mean input tokens of the planning model for a task"
    return Table("tokens", title, "domain", grid.headings, tuple(sections), _notes(grid, means))


def _means(grid: Grid, row: int) -> tuple[Aggregate | None, ...]:
    """The mean of each column over the pairs of task and seed that every column solved and counted tokens for."""
    solved: list[dict[tuple[str, str, int | None], RunSummary]] = [
        {
            (run.task, run.task_id, run.seed): run
            for run in grid.gathered.cell(row, column)
            if run.solved and TOKENS in run.values
        }
        for column in grid.columns
    ]
    common = [pair for pair in solved[0] if all(pair in runs for runs in solved)] if solved else []
    return tuple(aggregate(all_metrics()[TOKENS], [runs[pair] for pair in common]) for runs in solved)


def _line(grid: Grid, row: int, means: Sequence[Aggregate | None], paper: PaperLine | None) -> TableLine:
    cells = []
    for column, mean in zip(grid.columns, means, strict=True):
        lacks = lacking(_broken(grid, row, column), grid.lacks([row], column))
        cell = TableCell(f"–{lacks}", None, f"no task that every column solved{lacks}")
        if mean is not None:
            detail = f"mean of {mean.tasks} tasks, {mean.runs} pairs of task and seed{lacks}"
            cell = _number(mean.value, mean.estimated, lacks, detail)
        cells.append(replace(cell, link=(row, column)))
    label = f"{grid.row(row).label} {grid.row(row).variant}".strip()
    return TableLine(label, (*with_best(cells, [True] * len(cells), "lower"), *_paper_cells(grid, paper)))


def _sum(grid: Grid, means: _Means, papers: Mapping[int, PaperLine | None]) -> TableLine:
    cells = []
    for place, column in enumerate(grid.columns):
        known = {row: mean for row, each in means.items() if (mean := each[place]) is not None}
        if not known:
            cells.append(TableCell())
            continue
        total, estimated = sum(mean.value for mean in known.values()), any(mean.estimated for mean in known.values())
        cell = _number(total, estimated, "", f"over {len(known)} rows")
        cells.append(replace(cell, show=show_runs(known, column, outcome="solved")))
    here = [line for line in papers.values() if line is not None]
    if grid.paper is not None and set(here) == set(grid.paper.rows):
        paper: PaperLine | None = grid.paper.sums[0]  # printed, so it is rounded only once
    else:
        paper = summed([line for line in here if line.values])
    return TableLine("sum", (*with_best(cells, [True] * len(cells), "lower"), *_paper_cells(grid, paper)), total=True)


def _broken(grid: Grid, row: int, column: int) -> int:
    return sum(run.infrastructure for run in grid.gathered.cell(row, column))


def _number(value: float, estimated: bool, lacks: str, detail: str) -> TableCell:
    text = f"{'~' if estimated else ''}{value:,.0f}{lacks}"
    return TableCell(text, value, f"{detail}{'; estimated' if estimated else ''}", estimated=estimated)


def _paper_cells(grid: Grid, line: PaperLine | None) -> tuple[TableCell, ...]:
    """The paper's numbers; a dash if its line is blank."""
    if line is not None and not line.values:
        return (TableCell(),) * len(grid.paper_columns)
    return paper_cells(grid, line, 0)


def _notes(grid: Grid, means: _Means) -> tuple[str, ...]:
    if not means:
        nothing = () if grid.absent else ("No domain is run by all columns.",)
        return (*nothing, *grid.notes())
    notes = [*_NOTES]
    if any(mean.estimated for each in means.values() for mean in each if mean is not None):
        notes.append(ESTIMATE_NOTE)
    places = [(row, column) for row in means for column in grid.columns]
    if any(grid.lacks([row], column) or _broken(grid, row, column) for row, column in places):
        notes.append("A cell that lacks runs says so; pairs with a missing run are not counted.")
    if len(grid.columns) > 1:
        notes.append("Bold: the fewest tokens of a line.")
    return (*notes, *grid.notes())
