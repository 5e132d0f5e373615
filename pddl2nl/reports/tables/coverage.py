"""Coverage tables: solved tasks by domain, by suite and by family of suites; and solved runs.

They follow Tables 2, 4 and 3 of the AutoPlanBench paper: several seeds are averaged, and the rows of a section are
summed without variants of a row (the same domain in another wording). Runs with infrastructure errors are not scored; a
cell that lacks runs is labelled and never marked as the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.policies.paper import PaperLine, PaperTable
from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.paper import SuiteName, domain_lines, paper_table, suite_lines, suite_name, summed
from pddl2nl.reports.tables.grid import Grid, lacking, number_text, show_runs, with_best
from pddl2nl.reports.tables.model import Table, TableCell, TableLine, TableSection

_OTHERS_BELOW = 0.25
"""A suite is one of the others if every language-model column solves less than this share of its tasks."""


@dataclass(frozen=True)
class _Entry:
    """A line to make: its label, the rows of the layout that it covers, and its style."""

    label: str
    rows: tuple[int, ...]
    indent: bool = False
    total: bool = False


_Sections = Sequence[tuple[str, Sequence[_Entry]]]
_PaperLines = Callable[[PaperTable, Sequence[LayoutRow]], tuple[PaperLine | None, ...]]


def coverage_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by domain and column, as means over seeds, with the best language-model column of a line marked.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    lines = _lines(grid, _by_section(grid, numbered=True), domain_lines)
    title = wanted.title or "Coverage: solved tasks by domain"
    return Table("coverage", title, "domain", grid.headings, lines, _notes(grid))


def runs_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved runs of the scored runs, ``67 of 100``: for small experiments, without a paper's numbers."""
    grid = Grid.of(gathered, wanted, paper=False)
    sections = tuple(
        TableSection(
            tuple(TableLine(entry.label, _run_cells(grid, entry.rows), entry.indent, entry.total) for entry in entries),
            title,
        )
        for title, entries in _by_section(grid, numbered=False)
    )
    return Table("runs", wanted.title or "Coverage (solved of runs)", "", grid.headings, sections, grid.notes())


def suites_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by suite, with the number of its tasks in parentheses, and the sum; raises as `coverage_table`."""
    grid = Grid.of(gathered, wanted, paper=paper)
    names = _suite_names(grid)
    sections = [
        (
            section if len(grid.sections) > 1 else "",
            [_Entry(f"{names[row]} ({grid.tasks([row])})", (row,), bool(grid.row(row).variant)) for row in rows],
        )
        for section, rows in grid.sections.items()
    ]
    lines = _lines(grid, [*sections, ("", [_sum(grid, grid.bases)])], suite_lines)
    title = wanted.title or "Coverage: solved tasks by suite"
    return Table("suites", title, "suite", grid.headings, lines, (*_notes(grid), *_suite_notes(grid, names)))


def families_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by family of suites: the years of a domain, such as ``transport08`` and ``transport11``, are joined.

    All suites of which every language-model column solved less than a quarter are one line, the others. The paper's
    numbers come from its Table 4, summed over our suites, because our others may differ from the paper's. Raises as
    `coverage_table`.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    if grid.paper is not None and grid.paper.paper == "table-3":
        grid = replace(grid, paper=paper_table("table-4"))
    names = _suite_names(grid)
    others = tuple(row for row in grid.bases if _hardly_solved(grid, row))
    kept = sorted(set(grid.bases) - set(others), key=lambda row: (*_family(grid, row), _suite(grid, row).age, row))
    entries = []
    for _, group in groupby(kept, key=lambda row: _family(grid, row)):
        rows = tuple(group)
        entries.append(_Entry(f"{_joined_name(grid, rows, names)} ({grid.tasks(rows)})", rows))
    notes = [*_notes(grid)]
    if others:
        domains = f"{len(others)} {'domain' if len(others) == 1 else 'domains'}"
        entries.append(_Entry(f"others ({grid.tasks(others)} in {domains})", others))
        listed = ", ".join(sorted(names[row] for row in others))
        share = f"less than {_OTHERS_BELOW:.0%}"
        notes.append(f"others: the suites of which every language-model column solved {share}: {listed}.")
    lines = _lines(grid, [("", [*entries, _sum(grid, grid.bases)])], suite_lines)
    notes += _suite_notes(grid, names)
    title = wanted.title or "Coverage: solved tasks by family of suites"
    return Table("families", title, "suite", grid.headings, lines, tuple(notes))


# ── lines and cells ──────────────────────────────────────────────────────────────────────────────


def _lines(grid: Grid, sections: _Sections, papers: _PaperLines) -> tuple[TableSection, ...]:
    """Our cells, then the paper's numbers summed over the same rows."""
    lines: dict[int, PaperLine | None] = dict.fromkeys(grid.rows)
    if grid.paper is not None:
        lines.update(zip(grid.rows, papers(grid.paper, [grid.row(row) for row in grid.rows]), strict=True))

    def line(entry: _Entry) -> TableLine:
        theirs = paper_cells(grid, summed([lines[row] for row in entry.rows]), grid.tasks(entry.rows))
        return TableLine(entry.label, (*_cells(grid, entry.rows), *theirs), entry.indent, entry.total)

    return tuple(TableSection(tuple(map(line, entries)), title) for title, entries in sections)


def _by_section(grid: Grid, *, numbered: bool) -> _Sections:
    """Every row, variants indented, and the sum of each section without variants."""
    sections = []
    for name, rows in grid.sections.items():
        bases = tuple(row for row in rows if row in grid.bases)
        labels = {grid.row(base).label for base in bases}
        entries = []
        for row in rows:
            layout = grid.row(row)
            label = f"{layout.label} {layout.variant}".strip()
            if layout.variant and layout.label in labels:
                entries.append(_Entry(layout.variant, (row,), indent=True))
            else:
                entries.append(_Entry(f"{label} ({grid.tasks([row])})" if numbered else label, (row,)))
        if bases:
            entries.append(_sum(grid, bases) if numbered else _Entry("sum", bases, total=True))
        sections.append((name if len(grid.sections) > 1 else "", entries))
    return sections


def _sum(grid: Grid, rows: tuple[int, ...]) -> _Entry:
    return _Entry(f"sum ({grid.tasks(rows)})", rows, total=True)


def _cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    """Solved tasks of these rows in each of our columns, with the best language-model column marked."""
    tasks = grid.tasks(rows)
    cells, comparable = [], []
    reach = 0.0
    for column in grid.columns:
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        lacks = found.broken + missing
        cells.append(_cell(grid, rows, column, found, missing, _of_tasks(found.solved, found.tasks, tasks)))
        comparable.append(grid.is_model(column) and found.tasks == tasks and not lacks)
        if grid.is_model(column) and lacks:
            # Each missing run can solve at most one more task.
            reach = max(reach, min(tasks, found.solved + lacks))
    return with_best(cells, comparable, reach=reach)


def _run_cells(grid: Grid, rows: Sequence[int]) -> tuple[TableCell, ...]:
    cells = []
    for column in grid.columns:
        found, missing = coverage_of(grid.runs(rows, column)), grid.lacks(rows, column)
        cells.append(_cell(grid, rows, column, found, missing, f"{found.solved_runs} of {found.runs}"))
    return tuple(cells)


def _cell(grid: Grid, rows: Sequence[int], column: int, found: Coverage, missing: int, text: str) -> TableCell:
    if not grid.has_runs(rows, column):
        return TableCell("")
    link = (rows[0], column) if len(rows) == 1 else None
    lacks = lacking(found.broken, missing)
    detail = _detail(found, missing, sampled=grid.is_model(column))
    if not found.tasks:
        return TableCell(f"–{lacks}", detail=detail, link=link)
    return TableCell(text + lacks, found.solved, detail, link=link, show=() if link else show_runs(rows, column))


def _detail(found: Coverage, missing: int, *, sampled: bool) -> str:
    """K of n with a confidence interval: over the seeds, or over the tasks if a model has one seed."""
    parts = [f"{found.solved_runs} of {found.runs} runs"]
    if found.seeds > 1:
        parts.append(f"mean of {found.seeds} seeds {found.solved:.2f}")
    if found.agreed:
        parts.append("all seeds agree")
    elif found.interval is not None:
        parts.append(f"95 % interval {found.interval.low:.2f} to {found.interval.high:.2f}")
    elif sampled and found.seeds <= 1 and found.over_tasks is not None:
        parts.append(f"95 % interval {100 * found.over_tasks.low:.0f} % to {100 * found.over_tasks.high:.0f} %")
    if found.broken:
        parts.append(f"{found.broken} broken by infrastructure, not counted")
    if missing:
        parts.append(f"{missing} not run yet")
    return "; ".join(parts)


def _of_tasks(solved: float, tasks: int, all_tasks: int) -> str:
    return number_text(solved) if tasks == all_tasks else f"{number_text(solved)} of {tasks}"


def paper_cells(grid: Grid, line: PaperLine | None, tasks: int) -> tuple[TableCell, ...]:
    """The paper's cells of a line; they name the number of tasks if it differs from ours."""
    cells = []
    for place in grid.paper_columns:
        value = None if line is None else line.value(place)
        if line is None or value is None:
            cells.append(TableCell(""))
        else:
            text = _of_tasks(value, line.tasks, tasks) if line.tasks else f"{value:,}"
            cells.append(TableCell(text, float(value), f"of {line.tasks} tasks" if line.tasks else ""))
    return tuple(cells)


def _notes(grid: Grid) -> tuple[str, ...]:
    counts: dict[int, list[str]] = {}
    lacks = False
    for column in grid.columns:
        found = coverage_of(grid.runs(grid.rows, column))
        counts.setdefault(found.seeds, []).append(grid.column(column).label)
        lacks = lacks or bool(found.broken or grid.lacks(grid.rows, column))
    notes = ["Solved tasks, of the number in parentheses."]
    several = [f"of {seeds} seeds: {', '.join(labels)}" for seeds, labels in sorted(counts.items()) if seeds > 1]
    if several:
        notes[0] += (
            " With several seeds the mean: a task counts with the share of its runs that solved it "
            f"({'; '.join(several)})."
        )
    if lacks:
        notes.append(
            "Runs with infrastructure errors are not scored. A cell that lacks runs says so; it shows the mean of the "
            "others and is never marked as the best, nor is a cell that it could still exceed."
        )
    if sum(map(grid.is_model, grid.columns)) > 1:
        notes.append("Bold: the best language-model column of a line.")
    return (*notes, *grid.notes())


# ── suites ───────────────────────────────────────────────────────────────────────────────────────


def _suite(grid: Grid, row: int) -> SuiteName:
    return suite_name(grid.row(row).label)


def _suite_names(grid: Grid) -> dict[int, str]:
    """The name of each row: as the paper writes it if that is unique, else in full."""
    bases = Counter(_suite(grid, row).short for row in grid.bases)
    names = {}
    for row in grid.rows:
        layout, short = grid.row(row), _suite(grid, row).short
        names[row] = f"{short if bases[short] <= 1 else layout.label} {layout.variant}".strip()
    return names


def _suite_notes(grid: Grid, names: dict[int, str]) -> tuple[str, ...]:
    """The folders behind the short names, and the track of the paper's numbers."""
    renamed = [f"{names[row]} is {grid.row(row).label}" for row in grid.bases if names[row] != grid.row(row).label]
    notes = [f"{'; '.join(sorted(renamed))}."] if renamed else []
    if grid.paper is not None:
        notes.append(
            "The paper does not name the track of a year's suites; its numbers stand beside the optimal track if both "
            "tracks are shown."
        )
    return tuple(notes)


def _hardly_solved(grid: Grid, row: int) -> bool:
    """Whether every language-model column of the row solved less than a quarter; false while one has no runs."""
    columns = [column for column in grid.columns if grid.is_model(column) and grid.has_runs([row], column)]
    shares = [coverage_of(grid.runs([row], column)).share for column in columns]
    return bool(shares) and all(share is not None and share < _OTHERS_BELOW for share in shares)


def _family(grid: Grid, row: int) -> tuple[str, str]:
    """Suites of one domain and track; a name without a year is a family of its own.

    If a year had one track, its folder does not name it (``pegsol-08-strips``): it joins the optimal track, or the only
    track.
    """
    name = _suite(grid, row)
    if not name.year:
        return (name.family, f"#{row}")
    suites = [_suite(grid, each) for each in grid.bases]
    tracks = {suite.track for suite in suites if suite.family == name.family} - {""}
    return (name.family, name.track or ("opt" if "opt" in tracks else min(tracks, default="")))


def _joined_name(grid: Grid, rows: Sequence[int], names: dict[int, str]) -> str:
    """``barman11/14`` of ``barman11`` and ``barman14``; in full if the rows have no short names."""
    suites = [_suite(grid, row) for row in rows]
    short = [suite.short for suite in suites]
    if len(rows) > 1 and short == [names[row] for row in rows] and len(set(short)) == len(rows):
        return suites[0].family + "/".join(suite.year for suite in suites)
    return " + ".join(names[row] for row in rows)


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def coverage_json(gathered: Gathered) -> dict[str, object]:
    """Coverage as JSON: solved runs by column and domain, their sums, and the infrastructure errors."""
    grid = Grid.of(gathered, LayoutTable("runs"), paper=False)

    def counts(rows: Sequence[int], place: int) -> dict[str, int]:
        found = coverage_of(grid.runs(rows, place))
        return {"solved": found.solved_runs, "runs": found.runs}

    columns = [
        {
            "policy": grid.column(place).policy,
            "model": grid.column(place).model or None,
            **counts(grid.rows, place),
            "domains": {grid.row(row).label: counts([row], place) for row in grid.rows},
        }
        for place in grid.columns
    ]
    broken = [{"run": run.name, "message": run.message} for run in gathered.broken]
    return {"columns": columns, "infrastructure_errors": broken}
