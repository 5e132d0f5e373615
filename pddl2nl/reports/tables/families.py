"""Tables of a family, laid out by its ``paper.toml`` (`pddl2nl.policies.paper`), with the paper's lines below ours.

Several runs of a task, which differ in their seeds, are shown as their mean. Sums are over tasks, without variants of
other tasks. Planners' columns are left out, because their records have none of the measured events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.policies.families import FAMILIES
from pddl2nl.policies.family import Family
from pddl2nl.policies.ground_truth import Reference
from pddl2nl.policies.paper import PaperColumn, PaperResult, PaperSection, PaperTable
from pddl2nl.reports.coverage import task_means
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import Grid, best_of, lacking, show_runs
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection
from pddl2nl.tasks.pddl_files import natural

_BLANK = TableCell("")
_MEANS: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "min": min, "max": max}


def _table(family: Family, laid: PaperTable, gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """A table of a family; raises `InputError` if it names numbers of another table."""
    if wanted.paper not in ("", laid.paper):
        raise InputError(
            f"a table of the kind '{laid.kind}' cannot show the numbers of '{wanted.paper}', only those of "
            f"'{laid.paper}'"
        )
    grid = Grid.of(gathered, replace(wanted, paper=""), paper=False)
    grid = replace(grid, columns=tuple(column for column in grid.columns if grid.column(column).kind != "planner"))
    make = _by_configuration if laid.lines == "configurations" else _by_task
    table = make(family, laid, grid, shows_paper=paper and bool(wanted.paper))
    return replace(table, title=wanted.title or laid.title)


# ── a line for each configuration ────────────────────────────────────────────────────────────────


def _by_configuration(family: Family, laid: PaperTable, grid: Grid, *, shows_paper: bool) -> Table:
    groups: dict[str, list[TableLine]] = {}
    for column in grid.columns:
        groups.setdefault(grid.column(column).group, []).append(_line(family, laid, grid, column))
    sections = [
        TableSection(_marked(lines, laid.columns), name if len(groups) > 1 else "") for name, lines in groups.items()
    ]
    notes = list(_notes(family, laid, grid))
    if shows_paper:
        sections += _paper_sections(family, laid)
        notes += [_paper_note(family), family.paper.notes["elsewhere"]]
    headings = (Heading("tasks"), *(Heading(column.name, column.group) for column in laid.columns))
    return Table(laid.kind, laid.title, "", headings, tuple(sections), tuple(notes))


def _line(family: Family, laid: PaperTable, grid: Grid, column: int) -> TableLine:
    rows = grid.rows
    runs = [run for run in grid.runs(rows, column) if run.reference is None or run.reference.averaged]
    show = show_runs(rows, column)
    cells = []
    for each in laid.columns:
        cell = _sum(each, each.metric, runs)
        cell = _both(_sum(each, each.before, runs), cell) if each.before else cell
        cells.append(replace(cell, show=show) if cell.value is not None else cell)
    scored = len({run.task_key for run in runs if not run.infrastructure})
    lacks = lacking(sum(run.infrastructure for run in runs), grid.lacks(rows, column))
    tasks = TableCell(f"{scored}{lacks}", float(scored), f"{len(runs)} runs{lacks}", show=show)
    if len(rows) == 1 and grid.gathered.cell(rows[0], column):
        tasks = replace(tasks, link=(rows[0], column), show=())
    layout = grid.column(column)
    return TableLine(layout.name or family.titles.get(layout.policy, layout.policy), (tasks, *cells))


def _sum(column: PaperColumn, metric: str, runs: Iterable[RunSummary]) -> TableCell:
    """The means of the tasks put together."""
    wanted = column.complexity
    kept = [run for run in runs if not wanted or (run.reference and run.reference.complexity == wanted)]
    means = [*task_means(metric, kept).values()]
    if not means:
        return TableCell()
    detail = f"over {len(means)} {'task' if len(means) == 1 else 'tasks'}"
    return replace(_percent(_MEANS[column.over](means)), detail=detail)


def _percent(value: float | None) -> TableCell:
    return TableCell() if value is None else TableCell(f"{value:.2f}", value)


def _both(before: TableCell, after: TableCell) -> TableCell:
    """``(47.03) 74.20``: before correction and after; the cell's value is that after."""
    if before.value is None:
        return after
    detail = "; ".join(filter(None, (f"before correction {before.text}", after.detail or before.detail)))
    return replace(after, text=f"({before.text}) {after.text}", detail=detail)


def _marked(lines: Sequence[TableLine], columns: Sequence[PaperColumn]) -> tuple[TableLine, ...]:
    """The lines with the best of each column marked, unless all are equal or a line lacks runs."""
    tasks = {line.cells[0].text for line in lines}
    if len(tasks) > 1 or any("(" in text for text in tasks):
        return tuple(lines)
    best: set[tuple[int, int]] = set()
    for place, column in enumerate(columns, 1):
        values = [line.cells[place].value for line in lines]
        found = best_of(values, column.better) if column.better else frozenset()
        if len(found) < sum(value is not None for value in values):
            best |= {(at, place) for at in found}
    return tuple(
        replace(line, cells=tuple(replace(cell, best=(at, place) in best) for place, cell in enumerate(line.cells)))
        for at, line in enumerate(lines)
    )


def _paper_sections(family: Family, laid: PaperTable) -> Iterator[TableSection]:
    tasks = TableCell(str(laid.tasks), float(laid.tasks))
    for model in family.paper.source.models:
        lines = [
            TableLine(
                family.titles[row["policy"]], (tasks, *(_printed(row, column) for column in laid.columns)), paper=True
            )
            for row in family.paper.summary
            if row["model"] == model
        ]
        yield TableSection(tuple(lines), f"paper: {model}")


def _printed(row: Mapping[str, object], column: PaperColumn) -> TableCell:
    if not column.paper:
        return _BLANK

    def number(key: str) -> TableCell:
        found = row.get(key)
        if isinstance(found, list) and column.place is not None:
            found = found[column.place]
        return _percent(float(found) if isinstance(found, int | float) else None)

    after = number(column.paper)
    return _both(number(column.paper_before), after) if column.paper_before else after


# ── a column for each task ───────────────────────────────────────────────────────────────────────


def _by_task(family: Family, laid: PaperTable, grid: Grid, *, shows_paper: bool) -> Table:
    tasks = _tasks(grid)
    sums = (*laid.means, *laid.ranges)
    sections = []
    for section in laid.sections:
        ours = (_task_line(grid, column, section, laid, tasks) for column in grid.columns)
        lines = [line for line in ours if any(cell.value is not None for cell in line.cells)]
        if shows_paper:
            results = (row for row in family.paper.results if section.paper and row.metric == section.paper)
            lines += [_paper_line(family, row, section, tasks, sums) for row in results]
        if lines or section is laid.sections[0]:
            sections.append(TableSection(tuple(lines), section.title))
    headings = (*(Heading(each.task) for each in tasks), *(Heading(column.name, column.group) for column in sums))
    titles = " ".join(f"{each.task}: {each.title}." for each in tasks if each.title)
    notes = [*filter(None, [titles]), *_notes(family, laid, grid)]
    if shows_paper:
        notes += [_paper_note(family), *family.paper.source.disagreements]
    return Table(laid.kind, laid.title, "", headings, tuple(sections), tuple(notes))


def _tasks(grid: Grid) -> tuple[Reference, ...]:
    """The tasks with a reference in natural order, T2 before T10; of two of the same name the first."""
    found: dict[str, Reference] = {}
    for run in _runs(grid):
        if run.reference is not None:
            found.setdefault(run.reference.task, run.reference)
    return tuple(found[task] for task in sorted(found, key=natural))


def _runs(grid: Grid) -> list[RunSummary]:
    return [run for column in grid.columns for run in grid.runs(grid.rows, column)]


def _task_line(
    grid: Grid, column: int, section: PaperSection, laid: PaperTable, tasks: Sequence[Reference]
) -> TableLine:
    cells = [_task_cell(grid, column, section.metric, task.task) for task in tasks]
    kept = [run for run in grid.runs(grid.rows, column) if run.reference and run.reference.averaged]
    cells += [_sum(each, each.metric or section.metric, kept) for each in laid.means]
    ranged = section.range and bool(task_means(section.metric, kept))
    for each in laid.ranges:
        cell = _sum(each, each.metric or section.metric, kept) if ranged else _BLANK
        cells.append(cell if each.metric or not ranged else replace(cell, detail=""))
    return TableLine(grid.column(column).label, tuple(cells))


def _task_cell(grid: Grid, column: int, metric: str, task: str) -> TableCell:
    """The mean of the runs of one task."""
    found = [
        (row, run)
        for row in grid.rows
        for run in grid.gathered.cell(row, column)
        if run.reference and run.reference.task == task
    ]
    means = task_means(metric, [run for _, run in found])
    if not means:
        return TableCell()
    number = sum(metric in run.values for _, run in found)
    detail = f"mean of {number} runs" if number > 1 else ""
    return replace(_percent(fmean(means.values())), detail=detail, link=(found[0][0], column))


def _paper_line(
    family: Family, row: PaperResult, section: PaperSection, tasks: Sequence[Reference], sums: Sequence[PaperColumn]
) -> TableLine:
    values = dict(row.values)
    for other in family.paper.more:
        if (other.model, other.policy, other.metric) == (row.model, row.policy, row.metric):
            values = {**other.values, **values}
    printed = dict(zip(section.sums, row.sums, strict=False))
    cells = [_percent(values[each.task]) if each.task in values else _BLANK for each in tasks]
    cells += [_percent(printed[column.name]) if column.name in printed else _BLANK for column in sums]
    return TableLine(f"paper, {row.model}: {family.titles[row.policy]} (Table {row.table})", tuple(cells), paper=True)


# ── notes ────────────────────────────────────────────────────────────────────────────────────────


def _notes(family: Family, laid: PaperTable, grid: Grid) -> Iterator[str]:
    """What the metrics are and how they are summed."""
    notes = family.paper.notes
    yield from (f"{name}: {notes[name]}." for name in laid.notes)
    yield notes["together"]
    runs = _runs(grid)
    if runs and not any(run.reference for run in runs):
        yield notes["unmeasured"]
    if any(grid.column(column).model.startswith("oracle") for column in grid.columns):
        yield notes["oracle"]
    yield from grid.notes()


def _paper_note(family: Family) -> str:
    source = family.paper.source
    models = " and ".join(f"{model} ({name})" for model, name in source.models.items())
    return f"paper: {source.short}, “{source.title}”, with {models}; {family.paper.notes['paper']}"


FAMILY_TABLES = {
    laid.kind: partial(_table, family, laid) for family in FAMILIES.values() for laid in family.paper.tables
}
"""The tables of all families, by their kind."""
