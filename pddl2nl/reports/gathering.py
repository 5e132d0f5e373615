"""A folder of records, gathered for a report: every run in the cells of the experiment's layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from pddl2nl.experiments.layout import ColumnKind, LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout, read_layout
from pddl2nl.experiments.records.stored import Record, record_files
from pddl2nl.policies import policy_names, system_of
from pddl2nl.policies.paper import papers
from pddl2nl.reports.metrics import length_ratio
from pddl2nl.reports.summaries import PackedNumbers, RunSummary, kept_alike, kept_once, read_summaries, summarize

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
        doubted: runs whose records are not as they were written or contradict themselves; listed first, not counted.
        unfinished: files of runs that have not ended.
        cells: the runs of each cell that has any, by task and seed.
        notes: sentences on how several experiments were put together.
    """

    folder: Path | None
    layout: TableLayout
    runs: dict[str, RunSummary]
    missing: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    doubted: tuple[RunSummary, ...] = ()
    unfinished: tuple[Path, ...] = ()
    cells: dict[Place, tuple[RunSummary, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def planned(self) -> frozenset[Place]:
        """The cells for which the specification plans runs, and those that have some."""
        return frozenset((*chain.from_iterable(self.layout.runs.values()), *self.cells))

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
        doubted = [f"{run.name}: {run.doubt}" for run in self.doubted]
        lines = []
        for heading, names in (
            (f"Not as recorded: {_are(doubted)} in no cell of the tables", doubted),
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

    The layouts of several experiments become one (`joined_layout`). Records without a layout beside them get one made
    from them. A run is called by its file; a file name that occurs in several folders is preceded by its folder. Copies
    of a run, in several folders of experiments, count once: the first that has no infrastructure error. ``workers`` are
    as in `pddl2nl.reports.summaries.read_summaries`.

    Raises:
        RecordError: no such folder, or a damaged record; with file and line.
        InputError: an ``experiment.json`` that is not a layout; with the place.
    """
    folder = Path(folder)
    files, unfinished = record_files(folder)
    names, parts = _named(folder, files)
    summaries = _with_optima(
        [kept_alike(run, name=name) for name, run in zip(names, read_summaries(files, workers, folder), strict=True)]
    )
    del files, names
    others = [run for run in summaries if run.folder not in parts]
    made = [made_layout(others, folder.resolve().name)] if others or not parts else []
    layout, notes = joined_layout([*parts.values(), *made])
    # The files of single runs are called as their users like, so that equal names do not mean equal runs.
    return _placed(folder, layout, summaries, tuple(folder / file for file in unfinished), notes, parts)


def _named(folder: Path, files: Sequence[str]) -> tuple[list[str], dict[Path, TableLayout]]:
    """The names of the runs in these files, and the layouts beside them, with these names, by their folders."""
    tops = sorted({"", *map(_top, files)}, key=lambda top: Path(top).parts)
    layouts = {top: layout for top in tops if (layout := read_layout(folder / top)) is not None}
    expected = (f"{top}{run}.jsonl" for top, layout in layouts.items() for run in layout.runs)
    names = _names({*files, *expected})
    return [names[file] for file in files], {
        folder / top: replace(
            layout, runs={names[f"{top}{run}.jsonl"]: kept_once(cells) for run, cells in layout.runs.items()}
        )
        for top, layout in layouts.items()
    }


def _top(file: str) -> str:
    """The folder of a file, empty or with a slash at its end."""
    return file[: file.rfind("/") + 1]


def _names(files: Collection[str]) -> dict[str, str]:
    occurring = Counter(file.rpartition("/")[2] for file in files)
    return {
        file: (name if occurring[name := file.rpartition("/")[2]] == 1 else file).removesuffix(".jsonl")
        for file in files
    }


def gathered(runs: Iterable[Record | RunSummary], layout: TableLayout | None = None, name: str = "") -> Gathered:
    """Given records or summaries, as `gather` returns those of a folder; of two of one name the later one counts.

    The layout is by default made from them, with this ``name``.
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
    experiments: Collection[Path] = (),
) -> Gathered:
    """The runs in their cells; of the runs in folders of ``experiments`` those of one cell and file name are copies."""
    summaries = _misplaced(layout, summaries, experiments)
    doubted = tuple(run for run in summaries if run.doubt)
    summaries = [run for run in summaries if not run.doubt]
    runs = {run.name: run for run in summaries if run.name in layout.runs}
    cells: dict[Place, dict[str, RunSummary]] = {}
    uncounted = set()
    for run in sorted(runs.values(), key=lambda run: run.infrastructure):
        name = run.name.rpartition("/")[2] if run.folder in experiments else run.name
        counts = [cells.setdefault(place, {}).setdefault(name, run) is run for place in layout.runs[run.name]]
        if not any(counts):
            uncounted.add(run.name)
    if copies := [name for name in runs if name in uncounted]:
        notes = (
            *notes,
            f"{_are(copies, 'run is a copy', 'runs are copies')} and not counted: {copies[0]}, for example.",
        )
    recorded = uncounted | {run.name for run in doubted}
    runs = {name: run for name, run in runs.items() if name not in uncounted}
    return Gathered(
        folder,
        layout,
        runs,
        missing=tuple(name for name in layout.runs if name not in runs and name not in recorded),
        strangers=tuple(sorted(run.name for run in summaries if run.name not in layout.runs)),
        doubted=doubted,
        unfinished=unfinished,
        cells={
            place: tuple(
                sorted_by(
                    some.values(),
                    lambda run: run.suite,
                    lambda run: run.task,
                    lambda run: run.seed or 0,
                    lambda run: run.name,
                )
            )
            for place, some in cells.items()
        },
        notes=notes,
    )


def sorted_by(runs: Iterable[RunSummary], *keys: Callable[[RunSummary], Any]) -> list[RunSummary]:
    """The runs by the first key, those of equal ones by the second, and so on, without a tuple of keys for each run."""
    found = [*runs]
    for key in reversed(keys):
        found.sort(key=key)
    return found


def _misplaced(
    layout: TableLayout, summaries: Sequence[RunSummary], experiments: Collection[Path]
) -> Sequence[RunSummary]:
    """The runs, with a doubt about those of experiments whose file has the name of another run.

    A record does not hold its file's name, so that a copy under the name of a failed run would count twice.
    """
    cells: dict[tuple[Place, Path], list[RunSummary]] = {}
    doubts: dict[str, str] = {}
    for run in summaries:
        if run.folder not in experiments or run.doubt:
            continue
        for place in layout.runs.get(run.name, ()):
            column = layout.columns[place.column]
            if (run.policy, run.model) != (column.policy or run.policy, column.model or run.model):
                doubts[run.name] = f"its record is of {run.policy} with {run.model or 'no model'}, not of this column"
            cells.setdefault((place, run.folder), []).append(run)
    for runs in cells.values():
        twins: dict[tuple[object, ...], list[str]] = {}
        for run in runs:
            key = (run.policy, run.model, run.task_key, run.seed, run.wording_id, run.variant)
            twins.setdefault(key, []).append(run.name)
        for names in twins.values():
            for name in names if len(names) > 1 else ():
                doubts[name] = (
                    f"several files of its cell hold this task and seed, {' and '.join(names)}: one is misnamed"
                )
    return [replace(run, doubt=doubts[run.name]) if run.name in doubts else run for run in summaries]


def _with_optima(summaries: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs with the optimal lengths that other runs of the same task prove."""
    length, over = "plan-length", "plan-length-over-optimal"
    optimal = {run.task_id: run.values[length] for run in summaries if run.values.get(over) == 1.0}
    found = []
    for run in summaries:
        if run.task_id in optimal and length in run.values and over not in run.values:
            ratio = length_ratio(run.values[length], optimal[run.task_id])
            run = run if ratio is None else replace(run, values=PackedNumbers({**run.values, over: ratio}))
        found.append(run)
    return found


# ── the layout of records that have none ──────────────────────────────────────────────────────────

_PLANNERS = ("brfs", "lmcut", "ff", "lama")
_KINDS: tuple[ColumnKind, ...] = ("model", "walk", "planner")
_STYLES = ("nl", "", "pddl")


class _LayoutSettings(NamedTuple):
    kind: ColumnKind
    policy: str
    model: str
    style: str
    wording: str
    variant: str

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts the mechanisms of one model side by side, then walks, then planners."""
        known = (*policy_names(), *_PLANNERS)
        place = known.index(self.policy) if self.policy in known else len(known)
        style = _STYLES.index(self.style) if self.style in _STYLES else 1
        return (_KINDS.index(self.kind), self.model, style, self.style, self.wording, place, self.policy, self.variant)

    @property
    def options(self) -> list[str]:
        return self.variant.split(", ") if self.variant else []


def made_layout(runs: Iterable[RunSummary], name: str = "") -> TableLayout:
    """A layout made from records: a row for each suite, and a column for each configuration.

    A column's name is its policy with the style, wording and other settings that differ between columns; several models
    become groups of columns. Policies of a system also get the system's first table.
    """
    runs = list(runs)
    settings = _settings(runs)
    columns = _columns(sorted(set(settings.values()), key=lambda each: each.order))
    column_at = {each: number for number, each in enumerate(columns)}
    tasks: dict[str, set[str]] = {}
    for run in runs:
        tasks.setdefault(run.suite, set()).add(run.task)
    row_at = {suite: number for number, suite in enumerate(sorted(tasks))}
    policies = {run.policy for run in runs}
    here = {system.name for system in map(system_of, policies) if system is not None}
    own = [paper.tables[0].kind for name, paper in papers().items() if name in here and paper.tables]
    return TableLayout(
        name=name,
        columns=tuple(columns.values()),
        rows=tuple(LayoutRow(suite, tasks=len(tasks[suite])) for suite in row_at),
        runs={run.name: kept_once((Place(row_at[run.suite], column_at[settings[run.name]]),)) for run in runs},
        tables=tuple(map(LayoutTable, own_tables(runs) or (("coverage", *own) if own else ()))),
        models=tuple(sorted({run.model for run in runs if run.model})),
    )


def own_tables(runs: Collection[RunSummary]) -> tuple[str, ...]:
    """The kinds of tables of an experiment if all its runs are of a kind that has its own; none for all others."""
    return next(iter(runs)).tables if runs and all(run.tables for run in runs) else ()


def _settings(runs: Sequence[RunSummary]) -> dict[str, _LayoutSettings]:
    """The settings of each run by its name; runs whose models read different texts never share a column.

    A wording belongs to one domain, so wordings from one source share a column unless a domain has several of them.
    Then the start of its hash is added to the name of a wording; the same holds for prompt files.
    """
    settings = {
        run.name: kept_once(_LayoutSettings(run.kind, run.policy, run.model, run.style, run.wording, run.variant))
        for run in runs
    }
    wordings: dict[tuple[_LayoutSettings, str], set[str]] = {}
    prompts: dict[_LayoutSettings, set[str]] = {}
    for run in runs:
        wordings.setdefault((settings[run.name], run.domain), set()).add(run.wording_id)
        prompts.setdefault(settings[run.name], set()).add(run.prompts_id)
    for run in runs:
        found = own = settings[run.name]
        if len(wordings[own, run.domain]) > 1:
            found = found._replace(wording=f"{own.wording} {run.wording_id}")
        if len(prompts[own]) > 1:
            found = found._replace(variant=", ".join([*own.options, f"prompts={run.prompts_id}"]))
        settings[run.name] = kept_once(found)
    return settings


def _columns(settings: Sequence[_LayoutSettings]) -> dict[_LayoutSettings, LayoutColumn]:
    """The columns in their order, each with its own label."""
    models = [each for each in settings if each.kind == "model"]
    several = [
        what for what in ("model", "style", "wording") if len({getattr(each, what) for each in models} - {""}) > 1
    ]
    usual = set.intersection(*(set(each.options) for each in models)) if models else set[str]()
    found: dict[_LayoutSettings, LayoutColumn] = {}
    labels: set[str] = set()
    for each in settings:
        model = each.kind == "model"
        options = [option for option in each.options if option not in usual]
        named = [getattr(each, what) for what in several if what != "model"] if model else []
        column = LayoutColumn(
            name=" ".join(dict.fromkeys(filter(None, (each.policy, *named, *options)))),
            group=each.model if model and "model" in several else "",
            kind=each.kind,
            policy=each.policy,
            model=each.model,
            style=each.style,
            wording=each.wording,
            options=dict(option.partition("=")[::2] for option in options),
        )
        names = (f"{column.name} {number}" for number in count(2))
        while column.label in labels:
            column = replace(column, name=next(names))
        labels.add(column.label)
        found[each] = column
    return found


# ── several layouts ──────────────────────────────────────────────────────────────────────────────


def joined_layout(layouts: Sequence[TableLayout]) -> tuple[TableLayout, tuple[str, ...]]:
    """The layouts of several experiments as one, and notes for the reader of the report.

    Equal columns become one. If two experiments give different columns one label, the name of the later experiment is
    added to its column. Rows of one label, section and variant become one, with the larger number of tasks. No run may
    belong to two of the layouts.
    """
    if len(layouts) == 1:
        return layouts[0], ()
    notes = [f"{len(layouts)} experiments are shown as one: {', '.join(each.name or '(no name)' for each in layouts)}."]
    columns: dict[str, LayoutColumn] = {}
    rows: dict[tuple[str, str, str], LayoutRow] = {}
    runs: dict[str, tuple[Place, ...]] = {}
    tables: dict[LayoutTable, None] = {}
    for layout in layouts:
        label_of = {column.label: _joined_column(column, layout.name, columns) for column in layout.columns}
        notes += [
            f"Two experiments call different columns '{old}'; that of {layout.name or 'the later one'} is '{new}' here."
            for old, new in label_of.items()
            if old != new
        ]
        keys = [(row.label, row.section, row.variant) for row in layout.rows]
        for key, row in zip(keys, layout.rows, strict=True):
            rows[key] = max(rows.get(key, row), row, key=lambda each: each.tasks)
        row_at = [list(rows).index(key) for key in keys]
        column_at = [list(columns).index(label_of[column.label]) for column in layout.columns]
        for run, places in layout.runs.items():
            runs[run] = tuple(Place(row_at[place.row], column_at[place.column]) for place in places)
        for table in layout.tables:
            columns_here = tuple(label_of.get(label, label) for label in table.columns)
            tables.setdefault(structs.replace(table, columns=columns_here))
    name = " + ".join(dict.fromkeys(each.name for each in layouts if each.name))
    models = tuple(dict.fromkeys(model for each in layouts for model in each.models))
    return TableLayout(name, tuple(columns.values()), tuple(rows.values()), runs, tuple(tables), models), tuple(notes)


def _joined_column(column: LayoutColumn, experiment: str, columns: dict[str, LayoutColumn]) -> str:
    """The label of the column among those of earlier experiments, to which it is added if it is not there."""
    joined, names = column, _names_of(column, experiment)
    while columns.setdefault(joined.label, joined) != joined:
        joined = replace(joined, name=next(names))
    return joined.label


def _names_of(column: LayoutColumn, experiment: str) -> Iterator[str]:
    name = f"{column.name} {experiment}".strip()
    if experiment:
        yield name
    yield from (f"{name} {number}" for number in count(2))
