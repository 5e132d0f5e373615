"""Each metric of the HVR paper task by task, as its Tables 5 to 16 (appendices C and D)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pddl2nl.experiments.layout import HVR_TABLES, LayoutTable
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import task_means
from pddl2nl.reports.paper.hvr import PaperResult, generic_results, paper_results
from pddl2nl.reports.summaries import Measured, RunSummary
from pddl2nl.reports.tables.grid import Grid
from pddl2nl.reports.tables.hvr import POLICY_TITLES, hvr_grid, metric_notes, paper_notes, percent
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["hvr_tasks_table"]

_GENERIC, _SPECIFIC = "T5bis", "T5"


@dataclass(frozen=True)
class _Metric:
    """A section: its title, our metric, and the paper's name of it, empty for none."""

    title: str
    name: str
    paper: str = ""


_SECTIONS = (
    _Metric("PC, superfluous steps skipped", "plan-correctness", "pc"),
    _Metric("PC by prefix", "plan-correctness-prefix"),
    _Metric("ES", "execution-success", "es"),
    _Metric("LD", "length-discrepancy", "ld"),
    _Metric("EPV", "expanded-plan-verified", "epv"),
    _Metric("MPV before correction", "macro-plan-verified-before", "mpv_before"),
    _Metric("MPV after correction", "macro-plan-verified", "mpv_after"),
    _Metric("AABV before correction", "blocks-verified-before", "aabv_before"),
    _Metric("AABV after correction", "blocks-verified", "aabv_after"),
)
_MEANS = (("avg.", ""), ("moderate", "moderate"), ("high", "high"))
_RANGE = ("min", "max", "abs. avg.")
"""Further columns, of length discrepancy alone."""


def hvr_tasks_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Every metric task by task: a section for each, in it a line for each of our columns, then the paper's, marked.

    Tasks are those of which a ground-truth plan is known.

    Raises:
        InputError: it names numbers of a paper's table that do not stand in this one.
    """
    grid = hvr_grid(gathered, wanted, HVR_TABLES[1])
    tasks = _tasks(grid)
    papers = paper_results() if paper and wanted.paper else ()
    sections = []
    for metric in _SECTIONS:
        ours = (_line(grid, column, metric, tasks) for column in grid.columns)
        lines = [line for line in ours if any(cell.value is not None for cell in line.cells)]
        theirs = [line for said in papers if (line := _paper_line(said, metric, tasks))]
        if lines or theirs or metric is _SECTIONS[0]:
            sections.append(Section((*lines, *theirs), metric.title))
    headings = (
        *(Heading(each.task) for each in tasks),
        *(Heading(said, "mean") for said, _ in _MEANS),
        *(Heading(said, "of LD") for said in _RANGE),
    )
    title = wanted.title or "HVR and its ablations: each metric by task, in %"
    titles = " ".join(f"{each.task}: {each.title}." for each in tasks if each.title)
    notes = (
        *((titles,) if titles else ()),
        *metric_notes(grid, ("PC", "ES", "LD", "EPV", "MPV", "AABV")),
        *(paper_notes(whole=True) if papers else ()),
    )
    return Table("hvr-tasks", title, "", headings, tuple(sections), notes)


def _tasks(grid: Grid) -> tuple[Measured, ...]:
    """The tasks with a reference, T2 before T10 and T5 before T5bis; of two that are called alike the first."""
    found: dict[str, Measured] = {}
    for column in grid.columns:
        for run in grid.runs(grid.rows, column):
            if run.measured is not None:
                found.setdefault(run.measured.task, run.measured)
    return tuple(found[task] for task in sorted(found, key=_natural))


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name))


# ── our lines ────────────────────────────────────────────────────────────────────────────────────


def _line(grid: Grid, column: int, metric: _Metric, tasks: Sequence[Measured]) -> Line:
    said = grid.column(column)
    runs = [run for run in grid.runs(grid.rows, column) if run.measured is not None]
    cells = []
    for each in tasks:
        of = [run for run in runs if run.measured and run.measured.task == each.task]
        cells.append(_mean(metric.name, of, grid, column))
    kept = [run for run in runs if run.measured and run.measured.averaged]
    for _, complexity in _MEANS:
        of = [run for run in kept if not complexity or (run.measured and run.measured.complexity == complexity)]
        cells.append(_mean(metric.name, of))
    return Line(said.label, (*cells, *_range(metric, kept)))


def _mean(name: str, runs: Sequence[RunSummary], grid: Grid | None = None, column: int = 0) -> TableCell:
    means = [*task_means(name, runs).values()]
    if not means:
        return TableCell()
    cell = percent(sum(means) / len(means))
    if grid is None:
        return replace(cell, detail=f"over {len(means)} {'task' if len(means) == 1 else 'tasks'}")
    number = sum(name in run.values for run in runs)
    rows = [row for row in grid.rows if any(run in grid.gathered.cell(row, column) for run in runs)]
    return replace(cell, detail=f"mean of {number} runs" if number > 1 else "", link=(rows[0], column))


def _range(metric: _Metric, runs: Sequence[RunSummary]) -> Iterator[TableCell]:
    means = [*task_means(metric.name, runs).values()]
    if metric.paper != "ld" or not means:
        yield from (TableCell("") for _ in _RANGE)
    else:
        yield percent(min(means))
        yield percent(max(means))
        yield _mean("length-discrepancy-absolute", runs)


# ── the paper's ──────────────────────────────────────────────────────────────────────────────────


def _paper_line(said: PaperResult, metric: _Metric, tasks: Sequence[Measured]) -> Line | None:
    if not metric.paper or said.metric != metric.paper:
        return None
    values: dict[str, float | None] = {f"T{number}": value for number, value in enumerate(said.values, 1)}
    for generic in generic_results():
        if (generic.model, generic.policy) == (said.model, said.policy) and said.metric in ("pc", "ld", "epv"):
            values[_GENERIC] = getattr(generic, said.metric)[0]
    cells = [percent(values[each.task]) if each.task in values else TableCell("") for each in tasks]
    label = f"paper, {said.model}: {POLICY_TITLES[said.policy]} (Table {said.table})"
    return Line(label, (*cells, *_paper_sums(said)), paper=True)


def _paper_sums(said: PaperResult) -> Iterator[TableCell]:
    blank = TableCell("")
    if said.metric == "ld":
        least, greatest, mean, absolute = said.sums
        yield from (percent(mean), blank, blank, percent(least), percent(greatest), percent(absolute))
    else:
        known = [percent(value) for value in said.sums]
        yield from (*known, *[blank] * (len(_MEANS) - len(known)), *[blank] * len(_RANGE))
