"""The table of the symbolic baselines (Table 2 of the AutoPlanBench paper), ours beside the paper's.

Coverage of a domain is the number of its tasks that were solved; of the random walk, whose runs differ in their seeds,
each task counts with the share of its walks that reached the goal, which over all tasks is the mean over the seeds.
Runs that infrastructure broke count in no cell and are listed apart.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pddl2nl.reports.paper import paper_table
from pddl2nl.reports.records import Record

__all__ = ["BASELINE_COLUMNS", "PAPER", "BaselineCell", "BaselineRow", "BaselineTable", "PaperRow", "baseline_table"]

BASELINE_COLUMNS: Mapping[str, str] = MappingProxyType({"random": "rnd", "brfs": "BrFS", "lmcut": "LM-cut", "ff": "FF"})
"""The baselines by their names in records, with what tables call them."""


@dataclass(frozen=True)
class PaperRow:
    """The paper's coverage of a domain of 20 tasks, as it prints it: whole tasks, of ``rnd`` the mean of 10 seeds."""

    random: int
    brfs: int
    lmcut: int
    ff: int


def _paper() -> Mapping[str, Mapping[str, PaperRow]]:
    table = paper_table("table-2")
    places = [[column.policy for column in table.columns].index(policy) for policy in BASELINE_COLUMNS]
    found: dict[str, dict[str, PaperRow]] = {}
    for line in table.rows:
        if not line.variant:
            found.setdefault(line.section, {})[line.label] = PaperRow(*(line.values[place] for place in places))
    return MappingProxyType({section: MappingProxyType(dict(sorted(rows.items()))) for section, rows in found.items()})


PAPER = _paper()
"""Table 2 of the paper, the columns of the symbolic baselines, by set and domain."""


@dataclass(frozen=True)
class BaselineCell:
    """One baseline on the tasks of one domain, or of all.

    Attributes:
        solved: tasks; of the random walk the mean over its seeds.
        tasks: how many have a run that is scored.
        seconds: wall time of all runs that found a plan.
        plans: how many those are.
        unsolved: why the others found none, by outcome.
        broken: runs that infrastructure broke, which are in none of the above.
    """

    solved: float = 0.0
    tasks: int = 0
    seconds: float = 0.0
    plans: int = 0
    unsolved: Mapping[str, int] = field(default_factory=dict)
    broken: int = 0

    def __add__(self, other: BaselineCell) -> BaselineCell:
        return BaselineCell(
            self.solved + other.solved,
            self.tasks + other.tasks,
            self.seconds + other.seconds,
            self.plans + other.plans,
            dict(sorted((Counter(self.unsolved) + Counter(other.unsolved)).items())),
            self.broken + other.broken,
        )

    @property
    def mean_seconds(self) -> float | None:
        """Wall time of a run that found a plan; None where none did."""
        return self.seconds / self.plans if self.plans else None

    def __str__(self) -> str:
        return f"{_number(self.solved)} of {self.tasks}" if self.tasks else "–"


@dataclass(frozen=True)
class BaselineRow:
    """A domain, or the sum: a cell for each of the `BASELINE_COLUMNS`, and the paper's numbers where there are some."""

    label: str
    cells: tuple[BaselineCell, ...]
    paper: tuple[int, ...] | None = None


@dataclass(frozen=True)
class BaselineTable:
    """The baselines over a set; ``broken`` holds the runs that are scored nowhere.

    The paper's numbers in ``total`` are the sums over those of the rows that the paper has.
    """

    chosen_set: str
    rows: tuple[BaselineRow, ...]
    total: BaselineRow
    broken: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """The table as ``pddl2nl baselines --json`` prints it."""
        return {
            "set": self.chosen_set,
            "domains": {row.label: _row_json(row) for row in self.rows},
            "sum": _row_json(self.total),
            "infrastructure_errors": [
                {"run": record.id, "message": "" if record.fault is None else record.fault.text}
                for record in self.broken
            ],
        }

    def text(self) -> str:
        """The table for people, in aligned columns; a star marks those of the paper."""
        lines = self._lines("{}*")
        widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
        shown = ["  ".join(_aligned(line, widths)).rstrip() for line in lines]
        rule = "-" * max(map(len, shown))
        return "\n".join([shown[0], rule, *shown[1:-2], rule, *shown[-2:]])

    def markdown(self) -> str:
        """The table in Markdown, numbers to the right."""
        lines = self._lines("paper: {}")
        shown = [f"| {' | '.join(line)} |" for line in lines]
        rule = f"|---|{'---:|' * (len(lines[0]) - 1)}"
        return "\n".join([shown[0], rule, *shown[1:]])

    def csv(self) -> str:
        """The table as comma-separated values, a line for each domain and baseline, the sum's last."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("domain", "baseline", "solved", "tasks", "broken", "mean_seconds", "paper_solved"))
        for row in (*self.rows, self.total):
            for index, (name, cell) in enumerate(zip(BASELINE_COLUMNS, row.cells, strict=True)):
                seconds = "" if cell.mean_seconds is None else f"{cell.mean_seconds:.3f}"
                paper = "" if row.paper is None else row.paper[index]
                writer.writerow((row.label, name, _number(cell.solved), cell.tasks, cell.broken, seconds, paper))
        return out.getvalue().rstrip("\n")

    def _lines(self, papers: str) -> list[list[str]]:
        """Head, rows, sum and mean seconds, as cells; ``papers`` is how a column of the paper is called."""
        names = [*BASELINE_COLUMNS.values()]
        times = ["–" if (mean := cell.mean_seconds) is None else f"{mean:.1f}" for cell in self.total.cells]
        # Of a walk nobody asks for the time.
        times[0] = "–"
        return [
            ["", *names, *map(papers.format, names)],
            *(_shown(row) for row in (*self.rows, self.total)),
            ["seconds a plan", *times, *[""] * len(names)],
        ]


def baseline_table(records: Iterable[Record], chosen_set: str, label: Callable[[Record], str]) -> BaselineTable:
    """The table of some records, of which those of other policies and planners are left out.

    Args:
        records: of runs over the set, all or some of them.
        chosen_set: ``primary`` or ``scaled``; says which of the paper's numbers stand beside.
        label: the name of the shipped domain that a record belongs to.
    """
    runs: dict[str, dict[str, list[Record]]] = {}
    broken: list[Record] = []
    for record in records:
        if record.column.policy not in BASELINE_COLUMNS:
            continue
        runs.setdefault(label(record), {}).setdefault(record.column.policy, []).append(record)
        if record.infrastructure:
            broken.append(record)
    paper = PAPER.get(chosen_set, {})
    rows = [
        BaselineRow(name, tuple(_cell(runs[name].get(column, ())) for column in BASELINE_COLUMNS), _of(paper.get(name)))
        for name in sorted(runs)
    ]
    known = [row.paper for row in rows if row.paper is not None]
    total = BaselineRow(
        "sum",
        tuple(sum((row.cells[index] for row in rows), BaselineCell()) for index in range(len(BASELINE_COLUMNS))),
        tuple(map(sum, zip(*known, strict=True))) if known else None,
    )
    return BaselineTable(chosen_set, tuple(rows), total, tuple(broken))


def _cell(records: Sequence[Record]) -> BaselineCell:
    tasks: dict[str, list[Record]] = {}
    for record in records:
        if not record.infrastructure:
            tasks.setdefault(record.problem_pddl, []).append(record)
    scored = [record for runs in tasks.values() for record in runs]
    plans = [record for record in scored if record.solved]
    return BaselineCell(
        sum(sum(run.solved for run in runs) / len(runs) for runs in tasks.values()),
        len(tasks),
        sum(record.seconds for record in plans),
        len(plans),
        dict(sorted(Counter(record.outcome for record in scored if not record.solved).items())),
        sum(record.infrastructure for record in records),
    )


def _of(row: PaperRow | None) -> tuple[int, ...] | None:
    return None if row is None else (row.random, row.brfs, row.lmcut, row.ff)


def _row_json(row: BaselineRow) -> dict[str, object]:
    paper = row.paper or (None,) * len(BASELINE_COLUMNS)
    return {
        name: {
            "solved": round(cell.solved, 6),
            "tasks": cell.tasks,
            "unsolved": dict(cell.unsolved),
            "broken": cell.broken,
            "mean_seconds": None if cell.mean_seconds is None else round(cell.mean_seconds, 3),
            "paper": number,
        }
        for name, cell, number in zip(BASELINE_COLUMNS, row.cells, paper, strict=True)
    }


def _shown(row: BaselineRow) -> list[str]:
    paper = ["–"] * len(row.cells) if row.paper is None else [str(number) for number in row.paper]
    return [row.label, *map(str, row.cells), *paper]


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    numbers = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
    return [line[0].ljust(widths[0]), *numbers]


def _number(solved: float) -> str:
    """A whole number as it is, any other with one decimal."""
    return str(round(solved)) if abs(solved - round(solved)) < 1e-9 else f"{solved:.1f}"
