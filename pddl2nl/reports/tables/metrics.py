"""Every column by every metric, those of a policy family included, and what broke the runs that were not solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.policies.families import FAMILIES
from pddl2nl.reports.broken_links import LINKS
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import METRICS, Aggregate, aggregate
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import ESTIMATE_NOTE, Grid, lacking, number_text, show_runs
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["PREDICATES_SHOWN", "SHOWN_METRICS", "links_table", "metrics_tables"]

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
    "translator-tokens": "translator tokens",
    "thoughts-tokens": "thoughts tokens",
    "wording-tokens": "wording tokens",
    "tokens": "all tokens",
    "usd": "USD",
    "seconds": "seconds",
}
"""The metrics of the general table with their headings.

A metric that no run has is omitted; so are claims of unsolvability if no run claimed it and every task has a plan.
"""

Filters = tuple[tuple[str, str], ...]

PREDICATES_SHOWN = 12
"""How many violated predicates get a line of their own, the most frequent first."""

_DECIMALS = {
    "unsolvable-claimed": 2,
    "unsolvable-claimed-falsely": 2,
    "plan-length-over-optimal": 2,
    "planner-prompt-tokens": 0,
    "planner-completion-tokens": 0,
    "translator-tokens": 0,
    "thoughts-tokens": 0,
    "wording-tokens": 0,
    "tokens": 0,
    "usd": 4,
}


def metrics_tables(gathered: Gathered) -> tuple[Table, ...]:
    """The metrics by column: one table of the general metrics, and one for each family whose runs have its metrics."""
    tables = [_metrics_table(gathered, "metrics", "Metrics by column", SHOWN_METRICS)]
    measured = {name for run in gathered.runs.values() for name in run.values}
    for family in FAMILIES.values():
        names = {metric.name: metric.name.replace("-", " ") for metric in family.metrics if metric.name in measured}
        if names:
            tables.append(_metrics_table(gathered, f"metrics-{family.name}", f"Metrics of {family.title}", names))
    return tuple(tables)


def _metrics_table(gathered: Gathered, key: str, title: str, headings: Mapping[str, str]) -> Table:
    """Columns down, metrics across. The runs of a row's variants have lines of their own, below their column's.

    Means are over the runs that have a value, so two columns may cover different tasks. A column without any value is
    omitted.
    """
    grid = Grid.of(gathered, LayoutTable("metrics"), paper=False)
    bases = [row for row in grid.rows if not grid.row(row).variant]
    variants = list(dict.fromkeys(grid.row(row).variant for row in grid.rows if grid.row(row).variant))
    parts = [("", bases), *((name, [row for row in grid.rows if grid.row(row).variant == name]) for name in variants)]
    found: list[tuple[str, bool, list[int], int, dict[str, Aggregate | None]]] = []
    for column in grid.columns:
        for name, rows in parts:
            values = {metric: aggregate(METRICS[metric], grid.runs(rows, column)) for metric in headings}
            if grid.stands(rows, column) and ("coverage" in headings or any(values.values())):
                found.append((name or grid.column(column).label, bool(name), rows, column, values))
    shown = _shown([values for *_, values in found], list(headings))
    lines = tuple(
        Line(label, tuple(_metric_cell(grid, rows, column, name, values[name]) for name in shown), indent)
        for label, indent, rows, column, values in found
    )
    estimated = any(value is not None and value.estimated for *_, values in found for value in values.values())
    notes = _metric_notes({name: headings[name] for name in shown}, estimated)
    return Table(key, title, "column", tuple(Heading(headings[name]) for name in shown), (Section(lines),), notes)


def _shown(found: Sequence[Mapping[str, Aggregate | None]], names: Sequence[str]) -> list[str]:
    """The metrics that some column has; false claims of unsolvability only if there are any, or unsolvable tasks."""
    shown = [name for name in names if any(each[name] is not None for each in found)] or ["coverage"]
    falsely = "unsolvable-claimed-falsely"
    if "unsolvable-claimed" not in shown and not any((value := each.get(falsely)) and value.value for each in found):
        shown = [name for name in shown if name != falsely]
    return shown


def _metric_cell(grid: Grid, rows: Sequence[int], column: int, name: str, found: Aggregate | None) -> TableCell:
    if name == "coverage":
        runs = grid.runs(rows, column)
        cell = _solved_cell(coverage_of(runs), grid.lacks(rows, column), grid.tasks(rows))
        return replace(cell, show=show_runs(rows, column))
    if found is None:
        return TableCell()
    text = f"{found.value:,.{_DECIMALS.get(name, 1)}f}"
    said = f"over {found.runs} runs on {found.tasks} tasks{'; estimated' if found.estimated else ''}"
    show = show_runs(rows, column)
    return TableCell(f"~{text}" if found.estimated else text, found.value, said, estimated=found.estimated, show=show)


def _solved_cell(found: Coverage, missing: int, tasks: int) -> TableCell:
    lacks = lacking(found.broken, missing)
    detail = f"{found.solved_runs} of {found.runs} runs{lacks}"
    if not found.tasks:
        return TableCell(f"–{lacks}", None, detail)
    text = f"{number_text(found.solved)} of {found.tasks}"
    if found.interval is not None and not found.agreed:
        text += f" [{found.interval.low:.1f}, {found.interval.high:.1f}]"
    if found.tasks < tasks:
        detail += f"; {tasks - found.tasks} of {tasks} tasks have no run that is scored"
    return TableCell(text + lacks, found.solved, detail)


def _metric_notes(headings: Mapping[str, str], estimated: bool) -> tuple[str, ...]:
    told = [(heading, METRICS[name]) for name, heading in headings.items()]
    notes = [
        f"{heading}{' in %' if metric.unit == '%' else ''}: {metric.summary}; {metric.better} is better."
        for heading, metric in told
    ]
    if "coverage" in headings:
        notes.append(
            "A task counts with the mean of its runs. The column solved is a sum over tasks, the others are means. "
            "Brackets hold the 95 % interval over the seeds, if the seeds differ."
        )
    notes.append(
        "A mean covers only runs that have a value, and these may be runs of other tasks in each column. For a fair "
        "difference of two columns see the comparisons, which pair them by task."
    )
    if estimated:
        notes.append(ESTIMATE_NOTE)
    return tuple(notes)


def links_table(gathered: Gathered) -> Table:
    """The first failure of each unsolved run, by column; for inapplicable actions also the violated predicates.

    The first line counts infrastructure errors, which are not among the scored runs below it.
    """
    grid = Grid.of(gathered, LayoutTable("links"), paper=False)
    runs = [list({run.name: run for run in grid.runs(grid.rows, column)}.values()) for column in grid.columns]
    scored = [[run for run in each if not run.infrastructure] for each in runs]

    def counts(label: str, found: Sequence[Sequence[RunSummary]], *, total: bool = False, **filters: str) -> Line:
        shown = [(("column", str(column)), *filters.items()) for column in grid.columns]
        return _counts(label, found, shown, total=total)

    errors = [[run for run in each if run.infrastructure] for each in runs]
    broken = counts("infrastructure errors, not scored", errors, outcome="infrastructure-error")
    lines = []
    names = dict.fromkeys(name for name in LINKS.values() if name != "infrastructure")
    for name in dict.fromkeys([*names, *sorted({_link(run) for each in scored for run in each if not run.solved})]):
        failed = [[run for run in each if not run.solved and _link(run) == name] for each in scored]
        if any(failed):
            lines.append(counts(name, failed, link=name))
            if name == "inapplicable":
                lines += _predicate_lines(failed, grid.columns)
    done = (
        counts("solved", [[run for run in each if run.solved] for each in scored], outcome="solved"),
        counts("scored runs", scored, total=True, outcome="!broken"),
    )
    sections = (Section((broken,)), *((Section(tuple(lines)),) if lines else ()), Section(done))
    notes = [
        "Each unsolved run counts once, under its first failure: a reply that could not be read or names an unknown "
        "object, an inapplicable action, a plan that misses the goal, a limit that ran out, or a policy that gave up.",
    ]
    if any(run.values.get("unsolvable-claimed") or run.outcome == "unsolvable" for each in scored for run in each):
        notes.append("gave up includes runs that correctly found that a task has no plan.")
    if any(line.indent for line in lines):
        notes.append("Below inapplicable: runs by predicate of the unmet precondition; a run may count under several.")
    return Table("links", "First broken links", "first broken link", grid.headings, sections, tuple(notes))


def _link(run: RunSummary) -> str:
    kind = run.outcome if run.link is None else run.link.kind
    return LINKS.get(kind, kind)


def _counts(
    label: str,
    runs: Sequence[Sequence[RunSummary]],
    shown: Sequence[Filters],
    *,
    indent: bool = False,
    total: bool = False,
) -> Line:
    """The number of runs in each column; ``shown`` holds the filters by which a page lists them."""
    cells = tuple(
        TableCell(str(len(each)), float(len(each)), show=show) if each else TableCell("–", 0.0)
        for each, show in zip(runs, shown, strict=True)
    )
    return Line(label, cells, indent, total)


def _predicate_lines(failed: Sequence[Sequence[RunSummary]], columns: Sequence[int]) -> list[Line]:
    def violated(run: RunSummary) -> Iterable[str]:
        return () if run.link is None else run.link.predicates

    counts = Counter(predicate for each in failed for run in each for predicate in violated(run))
    frequent = [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    shown, rest = frequent[:PREDICATES_SHOWN], set(frequent[PREDICATES_SHOWN:])
    inapplicable = [(("column", str(column)), ("link", "inapplicable")) for column in columns]
    lines = [
        _counts(
            name,
            [[run for run in each if name in violated(run)] for each in failed],
            [(*show, ("predicate", name)) for show in inapplicable],
            indent=True,
        )
        for name in shown
    ]
    if rest:
        others = [[run for run in each if not rest.isdisjoint(violated(run))] for each in failed]
        lines.append(_counts(f"{len(rest)} other predicates", others, [()] * len(others), indent=True))
    return lines
