"""Layouts for a report: made of records that have none, and several of them joined to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pddl2nl.experiments.layout import Kind, Layout, LayoutColumn, LayoutRow, LayoutTable, Place
from pddl2nl.policies.families import FAMILIES, FAMILY_POLICIES
from pddl2nl.reports.summaries import RunSummary

__all__ = ["joined_layout", "made_layout"]

_ORDER = ("basic", "cot", "act", "react", *FAMILY_POLICIES, "random", "brfs", "lmcut", "ff", "lama")
_KINDS: tuple[Kind, ...] = ("model", "walk", "planner")


@dataclass(frozen=True)
class _Facts:
    """What a record says of the column that its run belongs to."""

    kind: Kind
    policy: str
    model: str
    style: str
    wording: str
    variant: str

    @property
    def order(self) -> tuple[object, ...]:
        """All mechanisms of one model side by side, the walk and the planners behind them."""
        place = _ORDER.index(self.policy) if self.policy in _ORDER else len(_ORDER)
        styles = ("nl", "", "pddl").index(self.style) if self.style in ("nl", "pddl") else 1
        return (_KINDS.index(self.kind), self.model, styles, self.style, self.wording, place, self.policy, self.variant)


def made_layout(runs: Iterable[RunSummary], name: str = "") -> Layout:
    """A layout of records alone: a row for each suite, by its name, and a column for each configuration.

    A column is named by its policy and by all that differs between columns: model, style, wording and other settings;
    of several models each heads the group of its columns. Where there are runs of HVR or its ablations, their
    metrics are a table of their own.
    """
    runs = list(runs)
    facts = _told_apart(runs)
    columns = _columns(sorted(set(facts.values()), key=lambda each: each.order))
    places = {each: number for number, each in enumerate(columns)}
    tasks: dict[str, set[str]] = {}
    for run in runs:
        tasks.setdefault(run.suite, set()).add(run.task)
    rows = {suite: number for number, suite in enumerate(sorted(tasks))}
    return Layout(
        name=name,
        columns=tuple(columns.values()),
        rows=tuple(LayoutRow(suite, tasks=len(tasks[suite])) for suite in rows),
        runs={run.name: (Place(rows[run.suite], places[facts[run.name]]),) for run in runs},
        tables=_tables(runs),
        models=tuple(sorted({run.model for run in runs if run.model})),
    )


def _tables(runs: Iterable[RunSummary]) -> tuple[LayoutTable, ...]:
    """What hierarchical policies are measured by stands in a table of its own; without them there is the usual one."""
    policies = {run.policy for run in runs}
    own = [family.paper.tables[0].kind for family in FAMILIES.values() if policies.intersection(family.policies)]
    return tuple(LayoutTable(kind) for kind in ("coverage", *own)) if own else ()


def _told_apart(runs: Sequence[RunSummary]) -> dict[str, _Facts]:
    """The facts of each run by its name; runs whose models read different texts never share a column.

    A wording belongs to one domain. So wordings from one source are one column, unless a domain has several of them:
    then each has a column of its own, named by the start of its hash. Prompt files likewise, whatever the domain.
    """
    facts = {run.name: _facts(run) for run in runs}
    wordings: dict[tuple[_Facts, str], set[str]] = {}
    prompts: dict[_Facts, set[str]] = {}
    for run in runs:
        wordings.setdefault((facts[run.name], run.domain), set()).add(run.wording_id)
        prompts.setdefault(facts[run.name], set()).add(run.prompts_id)
    apart = {}
    for run in runs:
        own = facts[run.name]
        several_wordings = len(wordings[own, run.domain]) > 1
        several_prompts = len(prompts[own]) > 1
        settings = [own.variant] if own.variant else []
        apart[run.name] = replace(
            own,
            wording=f"{own.wording} {run.wording_id}" if several_wordings else own.wording,
            variant=", ".join([*settings, f"prompts={run.prompts_id}"]) if several_prompts else own.variant,
        )
    return apart


def _facts(run: RunSummary) -> _Facts:
    return _Facts(run.kind, run.policy, run.model, run.style, run.wording, run.variant)


def _columns(facts: Sequence[_Facts]) -> dict[_Facts, LayoutColumn]:
    """The columns in their order, each under a heading of its own."""
    asking = [each for each in facts if each.kind == "model"]
    several = [
        what for what in ("model", "style", "wording") if len({getattr(each, what) for each in asking} - {""}) > 1
    ]
    usual = set.intersection(*(_settings(each) for each in asking)) if asking else set[str]()
    found: dict[_Facts, LayoutColumn] = {}
    labels: set[str] = set()
    for each in facts:
        others = [setting for setting in each.variant.split(", ") if setting and setting not in usual]
        said = [getattr(each, what) for what in several if what != "model"] if each.kind == "model" else []
        column = LayoutColumn(
            name=" ".join(dict.fromkeys(filter(None, (each.policy, *said, *others)))),
            group=each.model if each.kind == "model" and "model" in several else "",
            kind=each.kind,
            policy=each.policy,
            model=each.model,
            style=each.style,
            wording=each.wording,
            options=dict(setting.partition("=")[::2] for setting in others),
        )
        names = _other_names(column.name, "")
        while column.label in labels:
            column = replace(column, name=next(names))
        labels.add(column.label)
        found[each] = column
    return found


def _settings(facts: _Facts) -> set[str]:
    return {setting for setting in facts.variant.split(", ") if setting}


# ── several layouts ──────────────────────────────────────────────────────────────────────────────


def joined_layout(layouts: Sequence[Layout]) -> tuple[Layout, tuple[str, ...]]:
    """Several experiments' layouts as one, and what is to be said about that.

    Columns of one label, and of one meaning, are one; where two experiments call different things alike, the later
    one's column gets its experiment's name. Rows of one label, section and variant are one, of as many tasks as the
    experiment with most of them has. No run may stand in two of the layouts.
    """
    if len(layouts) == 1:
        return layouts[0], ()
    joining = _Joining()
    joining.notes.append(
        f"{len(layouts)} experiments are shown as one: {', '.join(each.name or '(no name)' for each in layouts)}."
    )
    for layout in layouts:
        joining.add(layout)
    return joining.layout(layouts), tuple(joining.notes)


class _Joining:
    """Layouts while they become one."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._columns: dict[str, LayoutColumn] = {}
        self._rows: dict[tuple[str, str, str], LayoutRow] = {}
        self._runs: dict[str, tuple[Place, ...]] = {}
        self._tables: dict[LayoutTable, None] = {}

    def add(self, layout: Layout) -> None:
        """Adds a layout behind those before."""
        columns = [self._column(column, layout.name) for column in layout.columns]
        rows = [self._row(row) for row in layout.rows]
        row_at = {key: number for number, key in enumerate(self._rows)}
        column_at = {label: number for number, label in enumerate(self._columns)}
        for run, places in layout.runs.items():
            self._runs[run] = tuple(Place(row_at[rows[at.row]], column_at[columns[at.column]]) for at in places)
        called = {column.label: label for column, label in zip(layout.columns, columns, strict=True)}
        for table in layout.tables:
            shown = tuple(called.get(label, label) for label in table.columns)
            self._tables.setdefault(replace(table, columns=shown))

    def layout(self, layouts: Sequence[Layout]) -> Layout:
        """All of them."""
        return Layout(
            " + ".join(dict.fromkeys(each.name for each in layouts if each.name)),
            tuple(self._columns.values()),
            tuple(self._rows.values()),
            self._runs,
            tuple(self._tables),
            tuple(dict.fromkeys(model for each in layouts for model in each.models)),
        )

    def _column(self, column: LayoutColumn, experiment: str) -> str:
        """The label of a column, which is new or says the same as the one that has it."""
        found, names = column, _other_names(column.name, experiment)
        while self._columns.setdefault(found.label, found) != found:
            found = replace(column, name=next(names))
        if found is not column:
            self.notes.append(
                f"Two experiments call different things '{column.label}'; that of {experiment or 'the later one'} is "
                f"'{found.label}' here."
            )
        return found.label

    def _row(self, row: LayoutRow) -> tuple[str, str, str]:
        key = (row.label, row.section, row.variant)
        known = self._rows.setdefault(key, row)
        if row.tasks > known.tasks:
            self._rows[key] = row
        return key


def _other_names(name: str, experiment: str) -> Iterator[str]:
    """Other names of a column: first with its experiment's, then with numbers."""
    whole = f"{name} {experiment}".strip()
    if experiment:
        yield whole
    yield from (f"{whole} {number}" for number in count(2))
