"""The paper's own kinds of tables: solved tasks by IPC suite and family of suites, and tokens (Tables 3, 4, 6 and 7).

IPC suites have longer names in collections (``transport-opt08-strips``) than in the paper (``transport08``), which does
not name the track of a year: the optimal one is taken if an experiment has both. The token tables cover the tasks that
all columns solve, because an unsolved run uses tokens until its budget ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.policies.paper import PaperLine, PaperTable
from pddl2nl.reports.coverage import Aggregate, aggregate, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.coverage import CoverageEntry, coverage_lines, coverage_notes, paper_cells, sum_entry
from pddl2nl.reports.tables.grid import (
    ESTIMATE_NOTE,
    Grid,
    domain_lines,
    lacking,
    paper_table,
    show_runs,
    summed,
    with_best,
)
from pddl2nl.reports.tables.model import Table, TableCell, TableLine, TableSection

_OTHERS_BELOW = 0.25
"""A suite is one of the others if every language-model column solves less than this share of its tasks."""


# ── suites ───────────────────────────────────────────────────────────────────────────────────────


def suites_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by suite, with the number of its tasks in parentheses, and the sum; raises as `coverage_table`."""
    grid = Grid.of(gathered, wanted, paper=paper)
    names = _suite_names(grid)
    sections = [
        (
            section if len(grid.sections) > 1 else "",
            [CoverageEntry(f"{names[row]} ({grid.tasks([row])})", (row,), bool(grid.row(row).variant)) for row in rows],
        )
        for section, rows in grid.sections.items()
    ]
    lines = coverage_lines(grid, [*sections, ("", [sum_entry(grid, grid.bases)])], suite_lines)
    title = wanted.title or "Coverage: solved tasks by suite"
    return Table(
        "suites", title, "suite", grid.part_headings, lines, (*coverage_notes(grid), *_suite_notes(grid, names))
    )


def families_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Solved tasks by family of suites: the years of a domain, such as ``transport08`` and ``transport11``, are joined.

    All suites in which every language-model column solved less than a quarter are one line, "others". The paper's
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
        entries.append(CoverageEntry(f"{_joined_name(grid, rows, names)} ({grid.tasks(rows)})", rows))
    notes = [*coverage_notes(grid)]
    if others:
        domains = f"{len(others)} {'domain' if len(others) == 1 else 'domains'}"
        entries.append(CoverageEntry(f"others ({grid.tasks(others)} in {domains})", others))
        listed = ", ".join(sorted(names[row] for row in others))
        share = f"less than {_OTHERS_BELOW:.0%}"
        notes.append(f"others: the suites in which every language-model column solved {share}: {listed}.")
    lines = coverage_lines(grid, [("", [*entries, sum_entry(grid, grid.bases)])], suite_lines)
    notes += _suite_notes(grid, names)
    title = wanted.title or "Coverage: solved tasks by family of suites"
    return Table("families", title, "suite", grid.part_headings, lines, tuple(notes))


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


def suite_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each suite of ours the paper's; of two suites with the same short name, the optimal track has it."""
    known = {line.label: line for line in table.rows}
    chosen: dict[str, int] = {}
    names = [suite_name(row.label) for row in rows]
    for place in sorted(range(len(rows)), key=lambda place: _TRACKS.index(names[place].track)):
        if not rows[place].variant:
            chosen.setdefault(names[place].short, place)
    return tuple(known.get(name.short) if chosen.get(name.short) == place else None for place, name in enumerate(names))


# ── names of suites ──────────────────────────────────────────────────────────────────────────────

_FOLDER = re.compile(
    r"(?P<family>[a-z][a-z0-9-]*?)(?:-(?P<track>opt|sat|agl|mco|seq-opt|seq-sat))?-?(?P<year>\d\d)?"
    r"(?:-(?:strips|adl|typed|untyped))*",
    re.IGNORECASE,
)

_TRACKS = ("opt", "seq-opt", "", "sat", "seq-sat", "agl", "mco")

_YEARS = {
    family: year
    for year, families in {
        "98": "gripper movie mprime mystery",
        "00": "blocks freecell",
        "02": "depot driverlog satellite zenotravel",
        "04": "pipesworld-notankage pipesworld-tankage",
        "06": "rovers tpp",
        "14": "childsnack ged hiking",
        "18": "data-network snake termes",
        "23": "labyrinth",
    }.items()
    for family in families.split()
}
"""The years of suites of a single competition, whose folders in collections of benchmarks may have no year."""


@dataclass(frozen=True)
class SuiteName:
    """The parts of a suite's name: ``transport``, ``08``, ``opt``; year and track may be empty."""

    family: str
    year: str = ""
    track: str = ""

    @property
    def short(self) -> str:
        """As the paper writes it: ``transport08``."""
        return self.family + self.year

    @property
    def age(self) -> tuple[int, str]:
        """Sorts by the year, which is written with two digits: 98 is before 00."""
        return (int(self.year) + (100 if self.year < "90" else 0) if self.year else 0, self.year)


def suite_name(label: str) -> SuiteName:
    """The parts of a suite's or its folder's name; any other name is a family of its own."""
    parts = _FOLDER.fullmatch(label)
    if parts is None:
        return SuiteName(label)
    family = parts["family"].lower()
    return SuiteName(family, parts["year"] or _YEARS.get(family, ""), (parts["track"] or "").lower())


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────

TOKENS = "planner-prompt-tokens"
"""The metric of the table: tokens sent to the model that chooses the actions."""

_TOKEN_NOTES = (
    "Mean tokens sent to the planning model per task, averaged over the seeds of a task, then over tasks. The whole "
    "prompt of every step counts, paid or from a cache.",
    "Only pairs of task and seed that every column solved count; – stands for no such pair.",
    "The last line sums the means above it.",
)

_Means = Mapping[int, tuple[Aggregate | None, ...]]
"""The mean of each column, by row."""


def tokens_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Mean tokens sent to the planning model by domain and column, over the runs that all columns solved.

    Columns without a language model are omitted, and rows that some column does not run.

    Raises:
        InputError: the table names an unknown table of the paper.
    """
    grid = Grid.of(gathered, wanted, paper=paper)
    grid = replace(grid, columns=tuple(filter(grid.is_model, grid.columns)))
    # If a column is absent, no run is solved by all columns.
    shared = () if grid.absent else grid.rows
    rows = [row for row in shared if all(grid.has_runs([row], column) for column in grid.columns)]
    papers: Mapping[int, PaperLine | None] = dict.fromkeys(rows)
    if grid.paper is not None:
        papers = dict(zip(rows, domain_lines(grid.paper, [grid.row(row) for row in rows]), strict=True))
    means = {row: _means(grid, row) for row in rows}
    several = len({grid.row(row).section for row in rows}) > 1
    sections = []
    for name, each in grid.sections.items():
        if lines := tuple(_token_line(grid, row, means[row], papers[row]) for row in each if row in means):
            sections.append(TableSection(lines, name if several else ""))
    if rows:
        sections.append(TableSection((_token_sum(grid, means, papers),)))
    title = wanted.title or "Mean input tokens of the planning model for a task"
    return Table("tokens", title, "domain", grid.headings, tuple(sections), _token_notes(grid, means))


def _means(grid: Grid, row: int) -> tuple[Aggregate | None, ...]:
    """The mean of each column over the pairs of task and seed that every column solved and counted tokens for."""
    solved: list[dict[tuple[str, str, int | None], RunSummary]] = [
        {
            (run.task, run.task_id, run.seed): run
            for run in grid.gathered.cell(row, column)
            if run.solved and TOKENS in run.values
        }
        for column in grid.columns
    ]
    common = [pair for pair in solved[0] if all(pair in runs for runs in solved)] if solved else []
    return tuple(aggregate(all_metrics()[TOKENS], [runs[pair] for pair in common]) for runs in solved)


def _token_line(grid: Grid, row: int, means: Sequence[Aggregate | None], paper: PaperLine | None) -> TableLine:
    cells = []
    for column, mean in zip(grid.columns, means, strict=True):
        lacks = lacking(_broken(grid, row, column), grid.lacks([row], column))
        cell = TableCell(f"–{lacks}", None, f"no task that every column solved{lacks}")
        if mean is not None:
            detail = f"mean of {mean.tasks} tasks, {mean.runs} pairs of task and seed{lacks}"
            cell = _number(mean.value, mean.estimated, lacks, detail)
        cells.append(replace(cell, show=show_runs([row], column)))
    label = f"{grid.row(row).label} {grid.row(row).variant}".strip()
    return TableLine(label, (*with_best(cells, [True] * len(cells), "lower"), *_paper_cells(grid, paper)))


def _token_sum(grid: Grid, means: _Means, papers: Mapping[int, PaperLine | None]) -> TableLine:
    cells = []
    for place, column in enumerate(grid.columns):
        known = {row: mean for row, each in means.items() if (mean := each[place]) is not None}
        if not known:
            cells.append(TableCell())
            continue
        total, estimated = sum(mean.value for mean in known.values()), any(mean.estimated for mean in known.values())
        cell = _number(total, estimated, "", f"over {len(known)} rows")
        cells.append(replace(cell, show=show_runs(known, column, outcome="solved")))
    here = [line for line in papers.values() if line is not None]
    if grid.paper is not None and set(here) == set(grid.paper.rows):
        paper: PaperLine | None = grid.paper.sums[0]  # printed, so it is rounded only once
    else:
        paper = summed([line for line in here if line.values])
    return TableLine("sum", (*with_best(cells, [True] * len(cells), "lower"), *_paper_cells(grid, paper)), total=True)


def _broken(grid: Grid, row: int, column: int) -> int:
    return sum(run.infrastructure for run in grid.gathered.cell(row, column))


def _number(value: float, estimated: bool, lacks: str, detail: str) -> TableCell:
    text = f"{'~' if estimated else ''}{value:,.0f}{lacks}"
    return TableCell(text, value, f"{detail}{'; estimated' if estimated else ''}", estimated=estimated)


def _paper_cells(grid: Grid, line: PaperLine | None) -> tuple[TableCell, ...]:
    if line is not None and not line.values:
        return (TableCell(),) * len(grid.paper_columns)
    return paper_cells(grid, line, 0)


def _token_notes(grid: Grid, means: _Means) -> tuple[str, ...]:
    if not means:
        nothing = () if grid.absent else ("No domain is run by all columns.",)
        return (*nothing, *grid.notes())
    notes = [*_TOKEN_NOTES]
    if any(mean.estimated for each in means.values() for mean in each if mean is not None):
        notes.append(ESTIMATE_NOTE)
    places = [(row, column) for row in means for column in grid.columns]
    if any(grid.lacks([row], column) or _broken(grid, row, column) for row, column in places):
        notes.append("A cell that lacks runs says so; pairs with a missing run are not counted.")
    if len(grid.columns) > 1:
        notes.append("Bold: the fewest tokens of a line.")
    return (*notes, *grid.notes())
