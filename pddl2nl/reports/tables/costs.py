"""What a solved task costs, by column: tokens, money and time, those of failed runs included."""

from __future__ import annotations

import math
from typing import NamedTuple

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.reports.coverage import coverage_of, task_means
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import ESTIMATE_NOTE, Grid, show_runs
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection, number_text


class _Cost(NamedTuple):
    """A column of the table: a metric, and with how many decimals it is shown."""

    heading: str
    metric: str
    decimals: int


COSTS = (
    _Cost("prompt tokens", "prompt-tokens", 0),
    _Cost("of them cached", "cached-tokens", 0),
    _Cost("of them new", "new-tokens", 0),
    _Cost("reply tokens", "completion-tokens", 0),
    _Cost("USD", "usd", 4),
    _Cost("seconds", "seconds", 1),
)

_NOTES = (
    "What all scored runs took, over the number of solved tasks; a task counts with the mean of its runs. There is no "
    "number where nothing was solved or some run has no value.",
    "of them cached: prompt tokens that the provider says it had cached.",
    "of them new: those behind the messages with which the previous prompt of the run and role began, by their share "
    "of the characters: what a server that caches prefixes has to read.",
)


def cost_table(gathered: Gathered) -> Table | None:
    """The costs of a solved task, columns down; None where no run asked a model."""
    grid = Grid.of(gathered, LayoutTable("cost"), paper=False)
    lines = []
    estimated = False
    for column in grid.columns:
        runs = [run for run in grid.runs(grid.rows, column) if not run.infrastructure]
        if not any("tokens" in run.values for run in runs):
            continue
        solved = coverage_of(runs).solved
        costs = [_cell(cost, runs, solved) for cost in COSTS]
        estimated = estimated or any(cell.estimated for cell in costs)
        show = show_runs(grid.rows, column)
        cells = (TableCell(number_text(solved), solved, f"of {grid.tasks(grid.rows)} tasks", show=show), *costs)
        lines.append(TableLine(grid.column(column).label, cells))
    if not lines:
        return None
    headings = (Heading("solved"), *(Heading(cost.heading) for cost in COSTS))
    notes = (*_NOTES, ESTIMATE_NOTE) if estimated else _NOTES
    return Table("cost", "Cost of a solved task", "column", headings, (TableSection(tuple(lines)),), notes)


def _cell(cost: _Cost, runs: list[RunSummary], solved: float) -> TableCell:
    if not solved or not all(cost.metric in run.values for run in runs):
        return TableCell()
    value = math.fsum(task_means(cost.metric, runs).values()) / solved
    estimated = any(cost.metric in run.estimated for run in runs)
    text = f"{'~' if estimated else ''}{value:,.{cost.decimals}f}"
    return TableCell(text, value, f"over {len(runs)} runs", estimated=estimated)
