"""Tables laid out by a system's ``paper.toml`` (`pddl2nl.policies.paper`), with the paper's lines below ours.

Several runs of a task, which differ in their seeds, are shown as their mean. Sums are over tasks, without variants of
other tasks. Planners have lines only where a table asks for them, because most measured
events are not in their records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean, stdev

from msgspec import structs

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.files import natural
from pddl2nl.policies.paper import Paper, PaperCell, PaperColumn, PaperSection, PaperTable, papers
from pddl2nl.policies.policy import entry_of, is_core, system_of
from pddl2nl.policies.reporting import Reference
from pddl2nl.reports.coverage import task_means
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.statistics import wilson_interval
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import Grid, best_of, lacking, show_runs
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection

BLANK = TableCell("")
_MEANS: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "min": min, "max": max}


@dataclass(frozen=True)
class LaidOut:
    """A table of a paper, and our runs for it; ``shows_paper`` says whether the paper's lines stand below ours."""

    paper: Paper
    laid: PaperTable
    grid: Grid
    shows_paper: bool

    @classmethod
    def of(cls, kind: str, gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> LaidOut:
        """The table of this kind.

        Raises:
            InputError: the numbers of another table are asked for.
        """
        book, laid = next((book, table) for book in papers().values() for table in book.tables if table.kind == kind)
        if wanted.paper not in ("", laid.paper):
            raise InputError(
                f"a table of the kind '{kind}' cannot show the numbers of '{wanted.paper}', only those of "
                f"'{laid.paper}'"
            )
        grid = Grid.of(gathered, structs.replace(wanted, paper=""), paper=False)
        if not laid.planners:
            columns = tuple(column for column in grid.columns if grid.column(column).kind != "planner")
            grid = replace(grid, columns=columns)
        return cls(book, laid, grid, paper and bool(wanted.paper))

    def table(
        self,
        headings: Sequence[Heading],
        sections: Sequence[TableSection],
        before: Iterable[str] = (),
        after: Iterable[str] = (),
        corner: str = "",
    ) -> Table:
        """The table of these lines; notes stand ``before`` and ``after`` those on metrics and on the paper."""
        title = self.grid.wanted.title or self.laid.title
        source = [self._source] if self.shows_paper else []
        notes = (*before, *self._notes(), *source, *after)
        return Table(self.laid.kind, title, corner, tuple(headings), tuple(sections), notes)

    def _notes(self) -> Iterator[str]:
        notes, grid = self.paper.notes, self.grid
        yield from (f"{name}: {notes[name]}." for name in self.laid.notes)
        if self.laid.lines != "other":
            yield notes["together"]
        runs = [run for column in grid.columns for run in grid.runs(grid.rows, column)]
        if runs and "unmeasured" in notes and not any(run.reference for run in runs):
            yield notes["unmeasured"]
        if any(model.startswith("oracle") for model in grid.models):
            yield notes["oracle"]
        yield from grid.notes()

    @property
    def _source(self) -> str:
        source = self.paper.source
        named = [model if model == name else f"{model} ({name})" for model, name in source.models.items()]
        models = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
        return f"paper: {source.short}, “{source.title}”, with {models}; {self.paper.notes['paper']}"


def laid_out_table(kind: str, gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """A table of a kind that a paper lays out; raises as `LaidOut.of`."""
    view = LaidOut.of(kind, gathered, wanted, paper=paper)
    return _by_configuration(view) if view.laid.lines == "configurations" else _by_task(view)


def _title(policy: str) -> str:
    """What tables call a policy; a planner by its name."""
    return entry_of(policy).title if is_core(policy) or system_of(policy) is not None else policy


# ── a line for each configuration ────────────────────────────────────────────────────────────────


def _by_configuration(view: LaidOut) -> Table:
    laid, grid = view.laid, view.grid
    groups: dict[str, list[TableLine]] = {}
    for column in grid.columns:
        groups.setdefault(grid.column(column).group, []).append(_line(laid, grid, column))
    sections = [
        TableSection(_marked(lines, laid.columns), name if len(groups) > 1 else "") for name, lines in groups.items()
    ]
    headings = (Heading("tasks"), *(Heading(column.name, column.group) for column in laid.columns))
    if not view.shows_paper:
        return view.table(headings, sections)
    return view.table(headings, [*sections, *_paper_sections(laid)], after=[view.paper.notes["elsewhere"]])


def _line(laid: PaperTable, grid: Grid, column: int) -> TableLine:
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
    layout = grid.column(column)
    return TableLine(layout.name or _title(layout.policy), (tasks, *cells))


def _sum(column: PaperColumn, metric: str, runs: Iterable[RunSummary]) -> TableCell:
    kept = [run for run in runs if _belongs(column, run.reference)]
    means = [*task_means(metric, kept).values()]
    if not means:
        return TableCell()
    cell = _percent(_MEANS[column.over](means))
    if column.spread:
        cell = _spread(cell, _deviation(metric, kept), len(means))
    return replace(cell, detail=f"over {len(means)} {'task' if len(means) == 1 else 'tasks'}")


def _belongs(column: PaperColumn, reference: Reference | None) -> bool:
    if not (column.complexity or column.category or column.tasks or column.blocks):
        return True
    return reference is not None and (
        column.complexity in ("", reference.complexity)
        and column.category in ("", reference.category)
        and (not column.tasks or reference.task in column.tasks)
        and column.blocks in (0, reference.blocks)
    )


def _deviation(metric: str, runs: Iterable[RunSummary]) -> float | None:
    """The standard deviation of the runs' means, a run being all tasks with one seed; None with one seed."""
    seeds: dict[int | None, list[float]] = {}
    for run in runs:
        if metric in run.values:
            seeds.setdefault(run.seed, []).append(run.values[metric])
    return stdev(map(fmean, seeds.values())) if len(seeds) > 1 else None


def _spread(cell: TableCell, deviation: float | None, tasks: int) -> TableCell:
    """``54.00 ± 8.94 [26, 79]``: with the standard deviation and the interval over the tasks."""
    if cell.value is None or not tasks:
        return cell
    within = wilson_interval(min(cell.value, 100) / 100 * tasks, tasks)
    after = "" if deviation is None else f" ± {deviation:.2f}"
    return replace(cell, text=f"{cell.text}{after} [{100 * within.low:.0f}, {100 * within.high:.0f}]")


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
        winners = best_of(values, column.better) if column.better else frozenset()
        if len(winners) < sum(value is not None for value in values):
            best |= {(at, place) for at in winners}
    return tuple(
        replace(line, cells=tuple(replace(cell, best=(at, place) in best) for place, cell in enumerate(line.cells)))
        for at, line in enumerate(lines)
    )


def _paper_sections(laid: PaperTable) -> Iterator[TableSection]:
    tasks = TableCell(str(laid.tasks), float(laid.tasks))
    for model in dict.fromkeys(row.model for row in laid.rows):
        lines = [
            TableLine(
                row.label or _title(row.policy),
                (tasks, *(printed(row.cell(at), laid.tasks * each.spread) for at, each in enumerate(laid.columns))),
                paper=True,
            )
            for row in laid.rows
            if row.model == model
        ]
        yield TableSection(tuple(lines), f"paper: {model}")


def printed(cell: PaperCell, spread: int = 0) -> TableCell:
    """What the paper prints; if ``spread`` says over how many tasks, two numbers are mean and standard deviation."""
    match cell:
        case "":
            return BLANK
        case "-":
            return TableCell()
        case str():
            return TableCell(cell)
        case (float(mean), float(deviation)) if spread:
            return _spread(_percent(mean), deviation, spread)
        case (before, after):
            return _both(printed(before), printed(after))
        case _:
            return _percent(float(cell))


# ── a column for each task ───────────────────────────────────────────────────────────────────────


def _by_task(view: LaidOut) -> Table:
    laid, grid = view.laid, view.grid
    runs = {column: _shown_runs(laid, grid, column) for column in grid.columns}
    tasks = _tasks(runs.values())
    sections = []
    for section in laid.sections:
        ours = (_task_line(grid, column, section, laid, tasks, runs[column]) for column in grid.columns)
        lines = [line for line in ours if any(cell.value is not None for cell in line.cells)]
        if view.shows_paper:
            lines += _paper_lines(view, section, tasks)
        if lines or section is laid.sections[0]:
            sections.append(TableSection(tuple(lines), section.title))
    headings = (*(Heading(each.task) for each in tasks), *(Heading(each.name, each.group) for each in laid.columns))
    titles = " ".join(f"{each.task}: {each.title}." for each in tasks if each.title)
    disagreements = view.paper.source.disagreements if view.shows_paper else ()
    return view.table(headings, sections, [titles] if titles else [], disagreements)


def _shown_runs(laid: PaperTable, grid: Grid, column: int) -> list[RunSummary]:
    """The runs of a column; of several seeds only those of the best one, if the table shows that.

    A seed that lacks runs is worse than a complete one.
    """
    runs = grid.runs(grid.rows, column)
    if not laid.best_run:
        return runs

    def results(seed: int | None) -> list[float]:
        own = [run for run in runs if run.seed == seed]
        means = [[*task_means(section.metric, own).values()] for section in laid.sections]
        return [float(max(map(len, means))), *(fmean(each) if each else 0.0 for each in means)]

    best = max(dict.fromkeys(run.seed for run in runs), key=results, default=None)
    return [run for run in runs if run.seed == best]


def _tasks(runs: Iterable[Sequence[RunSummary]]) -> tuple[Reference, ...]:
    """The tasks with a reference in natural order, T2 before T10; of two of the same name the first."""
    tasks: dict[str, Reference] = {}
    for run in chain.from_iterable(runs):
        if run.reference is not None:
            tasks.setdefault(run.reference.task, run.reference)
    return tuple(tasks[task] for task in sorted(tasks, key=natural))


def _task_line(
    grid: Grid,
    column: int,
    section: PaperSection,
    laid: PaperTable,
    tasks: Sequence[Reference],
    runs: Sequence[RunSummary],
) -> TableLine:
    cells = [_task_cell(grid, column, section.metric, task.task, runs) for task in tasks]
    kept = [run for run in runs if run.reference and run.reference.averaged]
    measured = bool(task_means(section.metric, kept))
    for each in laid.columns:
        if each.only and (each.only != section.title or not measured):
            cells.append(BLANK)
        else:
            cell = _sum(each, each.metric or section.metric, kept)
            cells.append(replace(cell, detail="") if each.only and not each.metric else cell)
    return TableLine(grid.column(column).label, tuple(cells))


def _task_cell(grid: Grid, column: int, metric: str, task: str, runs: Iterable[RunSummary]) -> TableCell:
    own = [run for run in runs if run.reference and run.reference.task == task]
    means = task_means(metric, own)
    if not means:
        return TableCell()
    row = next(row for row in grid.rows if own[0] in grid.gathered.cell(row, column))
    number = sum(metric in run.values for run in own)
    detail = f"mean of {number} runs" if number > 1 else ""
    return replace(_percent(fmean(means.values())), detail=detail, show=show_runs([row], column))


def _paper_lines(view: LaidOut, section: PaperSection, tasks: Sequence[Reference]) -> Iterator[TableLine]:
    """The paper's lines of a section; further lines of the same configuration fill blanks of the first."""
    laid = view.laid
    known = laid.order or tuple(task.id for task in view.paper.tasks)
    places = [known.index(each.task) if each.task in known else None for each in tasks]
    places += range(len(known), len(known) + len(laid.columns))
    rows = [row for row in laid.rows if row.section == section.title]
    for configuration in dict.fromkeys((row.model, row.policy) for row in rows):
        first, *more = [row for row in rows if (row.model, row.policy) == configuration]
        cells: list[TableCell] = []
        for place in places:
            theirs = [] if place is None else [row.cell(place) for row in (first, *more)]
            cells.append(printed(next((cell for cell in theirs if cell != ""), "")))
        number = f" (Table {first.table})" if first.table else ""
        label = first.label or f"paper, {first.model}: {_title(first.policy)}{number}"
        yield TableLine(label, tuple(cells), paper=True)
