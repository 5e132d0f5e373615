"""Every column by every metric, and what broke the runs that were not solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.reports.broken_links import LINKS
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import METRICS, Aggregate, aggregate
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import Grid, lacking, number_text, show_runs
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["PREDICATES_SHOWN", "SHOWN_METRICS", "links_table", "metrics_table"]

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
"""The metrics that stand in the table, with their headings; those that no run has are left out, and those of claims
that there is no plan where nobody claimed it and no task is without one."""

Filters = tuple[tuple[str, str], ...]

PREDICATES_SHOWN = 12
"""How many of the predicates that actions violated have a line of their own: the most frequent."""

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


def metrics_table(gathered: Gathered) -> Table:
    """Columns down, metrics across, each put together as the metric says; extra rows' runs stand below, apart.

    Means are over the runs that have a value, which are those of other tasks in every column.
    """
    grid = Grid.of(gathered, LayoutTable("metrics"), paper=False)
    bases = [row for row in grid.rows if not grid.row(row).variant]
    variants = list(dict.fromkeys(grid.row(row).variant for row in grid.rows if grid.row(row).variant))
    parts = [("", bases), *((name, [row for row in grid.rows if grid.row(row).variant == name]) for name in variants)]
    lines: list[tuple[str, bool, list[int], int]] = [
        (name or grid.column(column).label, bool(name), rows, column)
        for column in grid.columns
        for name, rows in parts
        if grid.stands(rows, column)
    ]
    found = [
        {name: aggregate(METRICS[name], grid.runs(rows, column)) for name in SHOWN_METRICS}
        for _, _, rows, column in lines
    ]
    shown = _shown(found)
    section = Section(
        tuple(
            Line(label, tuple(_metric_cell(grid, rows, column, name, each[name]) for name in shown), indent)
            for (label, indent, rows, column), each in zip(lines, found, strict=True)
        )
    )
    headings = tuple(Heading(SHOWN_METRICS[name]) for name in shown)
    estimated = any(value is not None and value.estimated for each in found for value in each.values())
    return Table("metrics", "Metrics by column", "column", headings, (section,), _metric_notes(shown, estimated))


def _shown(found: Sequence[Mapping[str, Aggregate | None]]) -> list[str]:
    """The metrics that some column has; whether solvable tasks were called unsolvable only where that may matter."""
    shown = [name for name in SHOWN_METRICS if any(each[name] is not None for each in found)] or ["coverage"]
    falsely = "unsolvable-claimed-falsely"
    denied = [each[falsely] for each in found]
    if "unsolvable-claimed" not in shown and not any(value and value.value for value in denied):
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


def _metric_notes(shown: Sequence[str], estimated: bool) -> tuple[str, ...]:
    told = [(SHOWN_METRICS[name], METRICS[name]) for name in shown]
    notes = [
        *(f"{heading}: {metric.summary}; {metric.better} is better." for heading, metric in told),
        "First the runs of a task are put together by their mean, then the tasks: solved by the sum, all else by the "
        "mean; in brackets the 95 % interval over the seeds, where they do not all agree.",
        "Means are over the runs that have a value: those of other tasks in every column, so that a difference of two "
        "columns says little here; a comparison pairs them by task.",
    ]
    if estimated:
        notes.append("~: an estimate from the number of characters is in it, where an endpoint counted no tokens.")
    return tuple(notes)


def links_table(gathered: Gathered) -> Table:
    """What broke first in runs that were not solved, by column; of inapplicable actions the violated predicates.

    Infrastructure errors are the first line: they are no verdict, and none of the scored runs below it.
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
        "Runs by what went wrong first: a reply that could not be read or names nothing that is there, an action that "
        "was not applicable, a plan that ends short of the goal, a limit that was reached, or a run that was given up.",
    ]
    if any(run.values.get("unsolvable-claimed") or run.outcome == "unsolvable" for each in scored for run in each):
        notes.append("Given up are also runs that found, rightly, that a task has no plan: no goal was reached there.")
    if any(line.indent for line in lines):
        notes.append("Below inapplicable: runs by the predicate that was not as it had to be; one may violate several.")
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
    """How many runs of each column; ``shown`` says by which filters a page finds them."""
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
