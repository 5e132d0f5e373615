"""The layout of a report, made from records that have none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from pddl2nl.experiments.layout import ColumnKind, LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout
from pddl2nl.policies import policy_names, system_of
from pddl2nl.policies.paper import papers
from pddl2nl.reports.summaries import RunSummary

_PLANNERS = ("brfs", "lmcut", "ff", "lama")
_KINDS: tuple[ColumnKind, ...] = ("model", "walk", "planner")
_STYLES = ("nl", "", "pddl")


class _LayoutSettings(NamedTuple):
    """The settings of a run that decide its column."""

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
        """The parts of the variant, ``history=compact``."""
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
        runs={run.name: (Place(row_at[run.suite], column_at[settings[run.name]]),) for run in runs},
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
        run.name: _LayoutSettings(run.kind, run.policy, run.model, run.style, run.wording, run.variant) for run in runs
    }
    wordings: dict[tuple[_LayoutSettings, str], set[str]] = {}
    prompts: dict[_LayoutSettings, set[str]] = {}
    for run in runs:
        wordings.setdefault((settings[run.name], run.domain), set()).add(run.wording_id)
        prompts.setdefault(settings[run.name], set()).add(run.prompts_id)
    found = {}
    for run in runs:
        own = found[run.name] = settings[run.name]
        if len(wordings[own, run.domain]) > 1:
            found[run.name] = found[run.name]._replace(wording=f"{own.wording} {run.wording_id}")
        if len(prompts[own]) > 1:
            variant = ", ".join([*own.options, f"prompts={run.prompts_id}"])
            found[run.name] = found[run.name]._replace(variant=variant)
    return found


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
            tables.setdefault(replace(table, columns=tuple(label_of.get(label, label) for label in table.columns)))
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
