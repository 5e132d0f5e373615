"""Every column by every metric, those of systems included, and the first failures of unsolved runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.plugins import provided
from pddl2nl.policies import system_of
from pddl2nl.policies.reporting import RunMetric
from pddl2nl.reports.coverage import Aggregate, Coverage, aggregate, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import added_metrics, all_metrics, roles
from pddl2nl.reports.summaries import LINKS, RunSummary
from pddl2nl.reports.tables.costs import cost_table
from pddl2nl.reports.tables.grid import ESTIMATE_NOTE, Grid, lacking, show_runs
from pddl2nl.reports.tables.model import INTERVAL_NOTE, Heading, Table, TableCell, TableLine, TableSection, number_text

SHOWN_METRICS = {
    "coverage": "solved",
    "unsolvable-claimed": "unsolvable, said so",
    "unsolvable-claimed-falsely": "solvable, denied",
    "plan-length-over-optimal": "length over optimal",
    "mistakes": "mistakes",
    "steps": "steps",
    "look-arounds": "look-arounds",
    "calls": "calls",
    "planner-prompt-tokens": "planner tokens in",
    "planner-completion-tokens": "planner tokens out",
    "tokens": "all tokens",
    "usd": "USD",
    "seconds": "wall seconds",
}
"""The metrics of the general table with their headings.

A metric that no run has is omitted; so are claims of unsolvability if no run claimed it and every task has a plan.
"""

PREDICATES_SHOWN = 12
"""The number of violated predicates with their own line, the most frequent first."""


def metrics_tables(gathered: Gathered) -> tuple[Table, ...]:
    """The metrics by column: the general ones, what a solved task costs, and those of each system whose runs have some.

    Metrics of a system that only runs of other systems have make no table.
    """
    tables = [_metrics_table(gathered, "metrics", "Metrics by column", _headings())]
    if (costs := cost_table(gathered)) is not None:
        tables.append(costs)
    measured: defaultdict[str, set[str]] = defaultdict(set)
    for run in gathered.runs.values():
        of = system_of(run.policy)
        measured["" if of is None else of.name].update(run.values)
    for system, own in provided("metrics", RunMetric):
        here = measured[system.name] | measured[""]
        names = {metric.name: metric.name.replace("-", " ") for metric in own if metric.name in here}
        if names:
            tables.append(_metrics_table(gathered, f"metrics-{system.name}", f"Metrics of {system.title}", names))
    return tuple(tables)


def _headings() -> Mapping[str, str]:
    """The general metrics: the tokens of other roles stand before those of all, and metrics that were added last."""
    headings: dict[str, str] = {}
    for name, heading in SHOWN_METRICS.items():
        if name == "tokens":
            headings |= {f"{role}-tokens": f"{role} tokens" for role in roles() if role != "planner"}
        headings[name] = heading
    return headings | {name: name.replace("-", " ") for name in added_metrics()}


class _MetricCell(NamedTuple):
    """A line of a metrics table: a column on its own rows or, ``indent``, on those of a variant."""

    label: str
    indent: bool
    rows: Sequence[int]
    column: int
    values: Mapping[str, Aggregate | None]


def _metrics_table(gathered: Gathered, key: str, title: str, headings: Mapping[str, str]) -> Table:
    """Columns down, metrics across; a column without any value is omitted.

    Means are over the runs that have a value, so two columns may cover different tasks.
    """
    grid = Grid.of(gathered, LayoutTable("metrics"), paper=False)
    variants = dict.fromkeys(grid.row(row).variant for row in grid.rows if grid.row(row).variant)
    found = []
    for column in grid.columns:
        for variant in ("", *variants):
            rows = [row for row in grid.rows if grid.row(row).variant == variant]
            values = {metric: aggregate(all_metrics()[metric], grid.runs(rows, column)) for metric in headings}
            if grid.has_runs(rows, column) and ("coverage" in headings or any(values.values())):
                label = variant or grid.column(column).label
                found.append(_MetricCell(label, bool(variant), rows, column, values))
    shown = _shown(found, headings)
    lines = tuple(
        TableLine(each.label, tuple(_metric_cell(grid, each, name) for name in shown), each.indent) for each in found
    )
    estimated = any(value is not None and value.estimated for each in found for value in each.values.values())
    return Table(
        key,
        title,
        "column",
        tuple(Heading(headings[name]) for name in shown),
        (TableSection(tuple(lines)),),
        _metric_notes({name: headings[name] for name in shown}, estimated),
    )


def _shown(found: Sequence[_MetricCell], names: Mapping[str, str]) -> list[str]:
    """The metrics that some column has; false claims of unsolvability only if there are any, or unsolvable tasks."""
    shown = [name for name in names if any(each.values[name] for each in found)] or ["coverage"]
    falsely = "unsolvable-claimed-falsely"
    claimed = [value.value for each in found if (value := each.values.get(falsely))]
    if "unsolvable-claimed" not in shown and not any(claimed):
        shown = [name for name in shown if name != falsely]
    return shown


def _metric_cell(grid: Grid, line: _MetricCell, name: str) -> TableCell:
    show = show_runs(line.rows, line.column)
    if name == "coverage":
        coverage = coverage_of(grid.runs(line.rows, line.column))
        cell = _solved_cell(coverage, grid.lacks(line.rows, line.column), grid.tasks(line.rows))
        return replace(
            cell, show=show, interval=None if grid.column(line.column).kind == "planner" else coverage.bounds
        )
    found = line.values[name]
    if found is None:
        return TableCell()
    ratio = name.startswith("unsolvable") or name == "plan-length-over-optimal"
    decimals = 4 if name == "usd" else 2 if ratio else 0 if "tokens" in name else 1
    text = f"{'~' if found.estimated else ''}{found.value:,.{decimals}f}"
    detail = f"over {found.runs} runs on {found.tasks} tasks{'; estimated' if found.estimated else ''}"
    return TableCell(text, found.value, detail, estimated=found.estimated, show=show)


def _solved_cell(found: Coverage, missing: int, tasks: int) -> TableCell:
    lacks = lacking(found.broken, missing)
    detail = f"{found.solved_runs} of {found.runs} runs{lacks}"
    if not found.tasks:
        return TableCell(f"–{lacks}", None, detail)
    text = f"{number_text(found.solved)} of {found.tasks}"
    if found.tasks < tasks:
        detail += f"; {tasks - found.tasks} of {tasks} tasks have no run that is scored"
    return TableCell(text + lacks, found.solved, detail)


def _metric_notes(headings: Mapping[str, str], estimated: bool) -> tuple[str, ...]:
    notes = [ESTIMATE_NOTE] if estimated else []
    notes.append(
        "Means are over the runs that have a value, in each column perhaps of other tasks; the comparisons pair the "
        "columns by task."
    )
    if "coverage" in headings:
        notes.append(f"A task counts with the mean of its runs. {INTERVAL_NOTE}")
    for name, heading in headings.items():
        metric = all_metrics()[name]
        percent = " in %" if metric.unit == "%" else ""
        notes.append(f"{heading}{percent}: {metric.summary}; {metric.better} is better.")
    return tuple(notes)


# ── first failures ───────────────────────────────────────────────────────────────────────────────


def links_table(gathered: Gathered) -> Table:
    """The first failure of each unsolved run, by column; for inapplicable actions also the violated predicates.

    The first line counts infrastructure errors, which are not among the scored runs below it.
    """
    grid = Grid.of(gathered, LayoutTable("links"), paper=False)
    runs = [list({run.name: run for run in grid.runs(grid.rows, column)}.values()) for column in grid.columns]
    scored = [[run for run in each if not run.infrastructure] for each in runs]
    errors = [[run for run in each if run.infrastructure] for each in runs]
    solved = [[run for run in each if run.solved] for each in scored]
    failures = {run.failure for each in scored for run in each if not run.solved}
    known = [name for name in dict.fromkeys(LINKS.values()) if name in failures]
    lines: list[TableLine] = []
    for name in [*known, *sorted(failures.difference(known))]:
        failed = [[run for run in each if run.failure == name] for each in scored]
        lines.append(_counts(grid, name, failed, link=name))
        if name == "inapplicable":
            lines += _predicate_lines(grid, failed)
    sections = [
        TableSection((_counts(grid, "infrastructure errors, not scored", errors, outcome="infrastructure-error"),))
    ]
    if lines:
        sections.append(TableSection(tuple(lines)))
    total = replace(_counts(grid, "scored runs", scored, outcome="!broken"), total=True)
    sections.append(TableSection((_counts(grid, "solved", solved, outcome="solved"), total)))
    notes = [
        "Each unsolved run counts once, under its first failure.",
    ]
    if any(run.values.get("unsolvable-claimed") or run.outcome == "unsolvable" for each in scored for run in each):
        notes.append("gave up includes runs that correctly found that a task has no plan.")
    if any(line.indent for line in lines):
        notes.append("Below inapplicable: runs by predicate of the unmet precondition; a run may count under several.")
    return Table("links", "First broken links", "first broken link", grid.headings, tuple(sections), tuple(notes))


def _counts(grid: Grid, label: str, runs: Sequence[Sequence[RunSummary]], **filters: str) -> TableLine:
    """The number of runs in each column; ``filters`` select them on a page, without any they are not linked."""
    cells = []
    for column, each in zip(grid.columns, runs, strict=True):
        show = (("column", str(column)), *filters.items()) if filters else ()
        cells.append(TableCell(str(len(each)), len(each), show=show) if each else TableCell("–", 0))
    return TableLine(label, tuple(cells))


def _predicate_lines(grid: Grid, failed: Sequence[Sequence[RunSummary]]) -> list[TableLine]:
    violated = {run.name: set(run.link.predicates) for each in failed for run in each if run.link}
    counts = Counter(predicate for run in failed for each in run for predicate in violated[each.name])
    frequent = sorted(counts, key=lambda name: (-counts[name], name))
    shown, rest = frequent[:PREDICATES_SHOWN], set(frequent[PREDICATES_SHOWN:])
    lines = []
    for name in shown:
        found = [[run for run in each if name in violated[run.name]] for each in failed]
        lines.append(_counts(grid, name, found, link="inapplicable", predicate=name))
    if rest:
        others = [[run for run in each if rest & violated[run.name]] for each in failed]
        lines.append(_counts(grid, f"{len(rest)} other predicates", others))
    return [replace(line, indent=True) for line in lines]
