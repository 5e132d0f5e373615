"""A folder of records, gathered for a report: every run in the cells of the experiment's layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pddl2nl.experiments.layout import Place, TableLayout, read_layout
from pddl2nl.reports.layouts import joined_layout, made_layout
from pddl2nl.reports.metrics import length_ratio
from pddl2nl.reports.records import Record, record_paths
from pddl2nl.reports.summaries import RunSummary, read_summaries, summarize

_LISTED = 20
"""The most runs that one alarm names."""


@dataclass(frozen=True)
class Gathered:
    """The input of tables, comparisons, plots and pages.

    Attributes:
        folder: of the records; None for given records.
        layout: from ``experiment.json``, or made from the records.
        runs: the finished runs by name, those with infrastructure errors included.
        missing: runs of the layout without a record.
        strangers: records of no run of the layout; listed, not counted.
        unfinished: files of runs that have not ended.
        cells: the runs of each cell that has any, by task and seed.
        notes: sentences on how several experiments were put together.
    """

    folder: Path | None
    layout: TableLayout
    runs: dict[str, RunSummary]
    missing: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    unfinished: tuple[Path, ...] = ()
    cells: dict[Place, tuple[RunSummary, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[RunSummary, ...]:
        """The runs with infrastructure errors, by name."""
        return tuple(run for _, run in sorted(self.runs.items()) if run.infrastructure)

    @property
    def alarms(self) -> tuple[str, ...]:
        """What to read before the numbers, one line each: infrastructure errors, missing runs, other records, notes."""
        broken = [f"{run.name}: {run.message}" if run.message else run.name for run in self.broken]
        missing = f"{len(self.missing)} of {len(self.layout.runs)} runs; no cell counts them"
        unfinished = [path.name for path in self.unfinished]
        strangers = _are(self.strangers, "record is not a run", "records are not runs")
        unthought = [f"{run.name}: {run.thoughts_note}" for _, run in sorted(self.runs.items()) if run.thoughts_note]
        lines = []
        for heading, names in (
            (f"Infrastructure errors: {_are(broken)} in no cell of the tables", broken),
            (f"Not run yet: {missing}", self.missing),
            (f"Not ended, or cut off: {_are(unfinished)} in no cell of the tables", unfinished),
            (f"Other records: {strangers} of this experiment, and in no cell of the tables", self.strangers),
            (f"Thoughts of the template instead of a model's: {_are(unthought)} in the tables", unthought),
        ):
            if names:
                lines += [heading, *(f"  {name}" for name in names[:_LISTED])]
            if len(names) > _LISTED:
                lines.append(f"  … and {len(names) - _LISTED} more")
        return (*lines, *self.notes)

    def cell(self, row: int, column: int) -> tuple[RunSummary, ...]:
        """The finished runs of one cell, by task and seed, those with infrastructure errors included."""
        return self.cells.get(Place(row, column), ())

    def runs_in(self, rows: Iterable[int], column: int) -> list[RunSummary]:
        """The finished runs of these rows in one column."""
        return [run for row in rows for run in self.cell(row, column)]


def _are(names: Sequence[str], one: str = "run is", many: str = "runs are") -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def gather(folder: Path, *, workers: int | None = None) -> Gathered:
    """All records in a folder and below it, in the cells of the layouts beside them.

    The layouts of several experiments become one (`pddl2nl.reports.layouts.joined_layout`). Records without a layout
    beside them get one made from them. A run is called by its file; a file name that occurs in several folders is
    preceded by its folder. Copies of a run, in several folders of experiments, count once: the first that has no
    infrastructure error.

    Args:
        folder: of an experiment, of several, or of single runs.
        workers: processes that read (`pddl2nl.reports.summaries.read_summaries`).

    Raises:
        RecordError: no such folder, or a damaged record; with file and line.
        InputError: an ``experiment.json`` that is not a layout; with the place.
    """
    folder = Path(folder)
    paths, unfinished = record_paths(folder)
    places = sorted({folder, *(path.parent for path in paths)})
    layouts = {place: layout for place in places if (layout := read_layout(place)) is not None}
    expected = {place / f"{run}.jsonl" for place, layout in layouts.items() for run in layout.runs}
    names = _names(folder, {*paths, *expected})
    summaries = [replace(run, name=names[run.path]) for run in _with_optima(read_summaries(paths, workers))]
    parts = [
        replace(layout, runs={names[place / f"{run}.jsonl"]: cells for run, cells in layout.runs.items()})
        for place, layout in layouts.items()
    ]
    others = [run for run in summaries if run.path.parent not in layouts]
    if others or not parts:
        parts.append(made_layout(others, folder.resolve().name))
    layout, notes = joined_layout(parts)
    # The files of single runs are called as their users like, so that equal names do not mean equal runs.
    copied = {name for path, name in names.items() if path in expected}
    return _placed(folder, layout, summaries, unfinished, notes, copied)


def _names(folder: Path, paths: Collection[Path]) -> dict[Path, str]:
    occurring = Counter(path.name for path in paths)
    return {
        path: (path.name if occurring[path.name] == 1 else path.relative_to(folder).as_posix()).removesuffix(".jsonl")
        for path in paths
    }


def gathered(runs: Iterable[Record | RunSummary], layout: TableLayout | None = None, name: str = "") -> Gathered:
    """Given records, as `gather` returns those of a folder; of two runs of one name the later one counts.

    Args:
        runs: finished records, or their summaries.
        layout: their cells; by default one made from them.
        name: of the layout that is made.
    """
    found = [run if isinstance(run, RunSummary) else summarize(run) for run in runs]
    summaries = _with_optima(list({run.name: run for run in found}.values()))
    return _placed(None, made_layout(summaries, name) if layout is None else layout, summaries)


def _placed(
    folder: Path | None,
    layout: TableLayout,
    summaries: Sequence[RunSummary],
    unfinished: tuple[Path, ...] = (),
    notes: tuple[str, ...] = (),
    experiments: Collection[str] = (),
) -> Gathered:
    """The runs in their cells; of the runs in ``experiments`` those of one cell and file name are copies."""
    runs = {run.name: run for run in summaries if run.name in layout.runs}
    cells: dict[Place, dict[str, RunSummary]] = {}
    for name, run in sorted(runs.items(), key=lambda item: item[1].infrastructure):
        for place in layout.runs[name]:
            cells.setdefault(place, {}).setdefault(run.path.name if name in experiments else name, run)
    counted = {run.name for some in cells.values() for run in some.values()}
    if copies := [name for name in runs if name not in counted]:
        notes = (
            *notes,
            f"{_are(copies, 'run is a copy', 'runs are copies')} and not counted: {copies[0]}, for example.",
        )
    return Gathered(
        folder,
        layout,
        {name: run for name, run in runs.items() if name in counted},
        missing=tuple(name for name in layout.runs if name not in runs),
        strangers=tuple(sorted(run.name for run in summaries if run.name not in layout.runs)),
        unfinished=unfinished,
        cells={place: tuple(sorted(some.values(), key=_by_task)) for place, some in cells.items()},
        notes=notes,
    )


def _by_task(run: RunSummary) -> tuple[str, str, int, str]:
    return run.suite, run.task, run.seed or 0, run.name


def _with_optima(summaries: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs with the optimal lengths that other runs of the same task prove."""
    length, over = "plan-length", "plan-length-over-optimal"
    optimal = {run.task_id: run.values[length] for run in summaries if run.values.get(over) == 1.0}
    found = []
    for run in summaries:
        if run.task_id in optimal and length in run.values and over not in run.values:
            ratio = length_ratio(run.values[length], optimal[run.task_id])
            run = run if ratio is None else replace(run, values={**run.values, over: ratio})
        found.append(run)
    return found
