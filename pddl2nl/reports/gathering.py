"""A folder of records, gathered for a report: every run in the cells of the experiment's layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pddl2nl.experiments.layout import Layout, Place, read_layout
from pddl2nl.reports.layouts import joined_layout, made_layout
from pddl2nl.reports.optima import ratio
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, record_paths
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.summarizing import read_summaries, summarize

__all__ = ["Gathered", "gather", "gathered", "summarize"]

_ALARMS_LISTED = 20
"""How many runs an alarm names; the rest is counted."""

_LENGTH, _OVER = "plan-length", "plan-length-over-optimal"


@dataclass(frozen=True)
class Gathered:
    """All that tables, comparisons, plots and pages are made of.

    Attributes:
        folder: where the records stand; None where they were given.
        layout: of ``experiment.json``; where there is none, one made of the records.
        runs: finished ones by name, those that infrastructure broke included.
        missing: runs of the layout that have no record yet.
        strangers: records of no run of the layout: listed, and counted nowhere.
        unfinished: files of runs that have not ended.
        cells: the runs of each cell that has any.
        notes: what a reader has to know of how this was put together, a sentence each.
    """

    folder: Path | None
    layout: Layout
    runs: Mapping[str, RunSummary]
    missing: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    unfinished: tuple[Path, ...] = ()
    cells: Mapping[Place, tuple[RunSummary, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[RunSummary, ...]:
        """The runs that infrastructure broke, by name: listed first, scored nowhere."""
        return tuple(run for _, run in sorted(self.runs.items()) if run.infrastructure)

    @property
    def alarms(self) -> tuple[str, ...]:
        """What to know before reading the numbers, one line each: failed tools, missing runs, unknown records."""
        lines = []
        if self.broken:
            lines.append(f"Infrastructure errors: {_runs(len(self.broken))} in no cell of the tables")
            lines += _listed([f"{run.name}: {run.message}" if run.message else run.name for run in self.broken])
        if self.missing:
            lines.append(f"Not run yet: {len(self.missing)} of {len(self.layout.runs)} runs; no cell counts them")
            lines += _listed(self.missing)
        if self.unfinished:
            lines.append(f"Not ended, or cut off: {_runs(len(self.unfinished))} in no cell of the tables")
            lines += _listed([path.name for path in self.unfinished])
        if self.strangers:
            number = len(self.strangers)
            said = "record is no run" if number == 1 else "records are no runs"
            lines.append(f"Strangers: {number} {said} of this experiment, and in no cell of the tables")
            lines += _listed(self.strangers)
        return (*lines, *self.notes)

    def cell(self, row: int, column: int) -> tuple[RunSummary, ...]:
        """The finished runs of one cell, by task and seed, broken ones included."""
        return self.cells.get(Place(row, column), ())


def _runs(number: int) -> str:
    return f"{number} run is" if number == 1 else f"{number} runs are"


def _listed(names: Sequence[str]) -> list[str]:
    rest = len(names) - _ALARMS_LISTED
    return [*(f"  {name}" for name in names[:_ALARMS_LISTED]), *([f"  … and {rest} more"] if rest > 0 else [])]


def gather(folder: Path, *, workers: int | None = None) -> Gathered:
    """All records in a folder and below it, in the cells of the layouts that stand beside them.

    Where several folders hold an experiment each, their layouts become one (`pddl2nl.reports.layouts.joined_layout`);
    records beside which no layout stands get one made of themselves. A name that occurs in several folders has its
    folder before it; where such runs come to stand in one cell they are one run, and the first that is scored counts.

    Args:
        folder: of an experiment, of several, or of single runs.
        workers: processes that read, see `pddl2nl.reports.summarizing.read_summaries`.

    Raises:
        RecordError: no such folder, or a finished record with a torn or foreign line; with file and line.
        InputError: an ``experiment.json`` that is none; with its place.
    """
    folder = Path(folder)
    paths, unfinished = record_paths(folder)
    layouts = {place: layout for place in _folders(folder, paths) if (layout := read_layout(place)) is not None}
    names = _names(folder, paths, layouts)
    found = _known_optima(read_summaries(paths, workers))
    summaries = [replace(run, name=names[run.path]) if names[run.path] != run.name else run for run in found]
    if not layouts:
        return _placed(folder, made_layout(summaries, folder.resolve().name), summaries, unfinished)
    parts = []
    for place, layout in layouts.items():
        runs = {names[place / f"{name}.jsonl"]: places for name, places in layout.runs.items()}
        parts.append(replace(layout, runs=runs))
    if orphans := [run for run in summaries if run.path.parent not in layouts]:
        parts.append(made_layout(orphans, folder.resolve().name))
    layout, notes = joined_layout(parts)
    # Not those of single runs, whose files are called as somebody liked.
    specified = frozenset(run for part in parts[: len(layouts)] for run in part.runs)
    return _placed(folder, layout, summaries, unfinished, notes, specified)


def gathered(runs: Iterable[Record | RunSummary], layout: Layout | None = None, name: str = "") -> Gathered:
    """Records at hand, as `gather` gives those of a folder; of two runs of one name the later one counts.

    Args:
        runs: finished records, or their summaries.
        layout: which cells they stand in; by default one made of them.
        name: of the layout that is made.
    """
    found = [summarize(run) if isinstance(run, RunRecord | PlannerRecord) else run for run in runs]
    summaries = _known_optima(list({run.name: run for run in found}.values()))
    return _placed(None, made_layout(summaries, name) if layout is None else layout, summaries)


def _placed(
    folder: Path | None,
    layout: Layout,
    summaries: Sequence[RunSummary],
    unfinished: tuple[Path, ...] = (),
    notes: tuple[str, ...] = (),
    specified: Container[str] = (),
) -> Gathered:
    """The runs in the cells of their layout.

    Of those that a specification gave their names, which are the same for the same run and no other, two in one cell
    are one run.
    """
    runs = {run.name: run for run in summaries if run.name in layout.runs}
    cells: dict[Place, dict[str, RunSummary]] = {}
    # Of copies one that is scored stands before one that infrastructure broke.
    for name, run in sorted(runs.items(), key=lambda item: item[1].infrastructure):
        for place in layout.runs[name]:
            cells.setdefault(place, {}).setdefault(run.path.name if name in specified else name, run)
    kept = {run.name for some in cells.values() for run in some.values()}
    if copies := [name for name in runs if name not in kept]:
        named = f"{len(copies)} {'run is' if len(copies) == 1 else 'runs are'}"
        notes = (*notes, f"{named} there once more in another folder, and each counts once; {copies[0]} is left out.")
    return Gathered(
        folder,
        layout,
        {name: run for name, run in runs.items() if name in kept},
        missing=tuple(name for name in layout.runs if name not in runs),
        strangers=tuple(sorted(run.name for run in summaries if run.name not in layout.runs)),
        unfinished=unfinished,
        cells={place: tuple(sorted(some.values(), key=_by_task)) for place, some in cells.items()},
        notes=notes,
    )


def _by_task(run: RunSummary) -> tuple[str, str, int, str]:
    return run.suite, run.task, run.seed or 0, run.name


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def _folders(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Where layouts may stand: beside records, and in the folder itself, which may have none yet."""
    return sorted({folder, *(path.parent for path in paths)})


def _names(folder: Path, paths: Sequence[Path], layouts: Mapping[Path, Layout]) -> dict[Path, str]:
    """What each record is called: its file's name, with its folder before it where another folder has it as well."""
    expected = {place / f"{name}.jsonl" for place, layout in layouts.items() for name in layout.runs}
    among = Counter(path.name for path in {*paths, *expected})
    return {
        path: (path.name if among[path.name] == 1 else path.relative_to(folder).as_posix()).removesuffix(".jsonl")
        for path in sorted({*paths, *expected})
    }


# ── optimal lengths ──────────────────────────────────────────────────────────────────────────────


def _known_optima(summaries: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs with what is known of their plans' lengths from other runs of the same task.

    A plan that is known to be a shortest one, an optimal planner's among them, says it for all runs of its task.
    """
    optimal = {run.task_id: run.values[_LENGTH] for run in summaries if run.values.get(_OVER) == 1.0}
    found = []
    for run in summaries:
        if run.task_id in optimal and _LENGTH in run.values and _OVER not in run.values:
            over = ratio(run.values[_LENGTH], optimal[run.task_id])
            run = run if over is None else replace(run, values={**run.values, _OVER: over})
        found.append(run)
    return found
