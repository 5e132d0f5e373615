"""The table of the symbolic baselines (Table 2 of the AutoPlanBench paper), ours beside the paper's.

Coverage of a domain is the number of its solved tasks; a task of the random walk counts with the share of its walks
that reached the goal. Runs with infrastructure errors count in no cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pddl2nl.reports.paper import paper_table
from pddl2nl.reports.records import Record
from pddl2nl.reports.tables.grid import number_text
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["BASELINE_COLUMNS", "BaselineCell", "BaselineRow", "BaselineTable", "baseline_table"]

BASELINE_COLUMNS = {"random": "rnd", "brfs": "BrFS", "lmcut": "LM-cut", "ff": "FF"}
"""The baselines by their names in records, with their names in tables."""


@dataclass(frozen=True)
class BaselineCell:
    """One baseline on the tasks of one domain, or of all.

    Attributes:
        solved: tasks; for the random walk the mean over its seeds.
        tasks: the number with a scored run.
        seconds: wall time of all runs that found a plan.
        plans: the number of these runs.
        unsolved: the number of the other runs, by outcome.
        broken: runs with infrastructure errors, which count in none of the above.
    """

    solved: float = 0.0
    tasks: int = 0
    seconds: float = 0.0
    plans: int = 0
    unsolved: Mapping[str, int] = field(default_factory=dict)
    broken: int = 0

    @property
    def mean_seconds(self) -> float | None:
        """Wall time of a run that found a plan; None without any."""
        return self.seconds / self.plans if self.plans else None

    def __str__(self) -> str:
        return f"{number_text(self.solved)} of {self.tasks}" if self.tasks else "–"


@dataclass(frozen=True)
class BaselineRow:
    """A domain, or the sum: a cell for each of the `BASELINE_COLUMNS`, and the paper's numbers if it has any."""

    label: str
    cells: tuple[BaselineCell, ...]
    paper: tuple[int, ...] | None = None

    def as_json(self) -> dict[str, object]:
        """The cells by baseline."""
        return {
            name: {
                "solved": round(cell.solved, 6),
                "tasks": cell.tasks,
                "unsolved": dict(cell.unsolved),
                "broken": cell.broken,
                "mean_seconds": None if cell.mean_seconds is None else round(cell.mean_seconds, 3),
                "paper": number,
            }
            for name, cell, number in zip(BASELINE_COLUMNS, self.cells, self.paper or (None,) * 4, strict=True)
        }

    def line(self, *, total: bool = False) -> Line:
        """The row as a line of a table."""
        ours = (TableCell(str(cell), cell.solved if cell.tasks else None, _detail(cell)) for cell in self.cells)
        paper = (TableCell(str(number), number) for number in self.paper) if self.paper else [TableCell()] * 4
        return Line(self.label, (*ours, *paper), total=total)


@dataclass(frozen=True)
class BaselineTable:
    """The baselines over a set; ``broken`` holds the runs with infrastructure errors.

    The paper's numbers in ``total`` are the sums over the rows that the paper has.
    """

    chosen_set: str
    rows: tuple[BaselineRow, ...]
    total: BaselineRow
    broken: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """The table as ``pddl2nl baselines --json`` prints it."""
        return {
            "set": self.chosen_set,
            "domains": {row.label: row.as_json() for row in self.rows},
            "sum": self.total.as_json(),
            "infrastructure_errors": [
                {"run": record.id, "message": "" if record.fault is None else record.fault.text}
                for record in self.broken
            ],
        }

    def table(self) -> Table:
        """The table as `pddl2nl.reports.tables.written` writes it."""
        names = BASELINE_COLUMNS.values()
        headings = (*map(Heading, names), *(Heading(name, paper=True) for name in names))
        # The time of a walk that reached the goal by chance says nothing.
        means = (None, *(cell.mean_seconds for cell in self.total.cells[1:]))
        seconds = [TableCell() if mean is None else TableCell(f"{mean:.1f}", mean) for mean in means]
        time = Line("seconds a plan", (*seconds, *[TableCell("")] * len(names)))
        lines = tuple(row.line() for row in self.rows)
        sections = (Section((*lines, self.total.line(total=True))), Section((time,)))
        return Table(f"baselines-{self.chosen_set}", "", "", headings, sections)


def _detail(cell: BaselineCell) -> str:
    seconds = "" if cell.mean_seconds is None else f"{cell.mean_seconds:.3f} s a plan"
    broken = f"{cell.broken} broken by infrastructure, not counted" if cell.broken else ""
    return "; ".join(filter(None, (*(f"{n} {outcome}" for outcome, n in cell.unsolved.items()), broken, seconds)))


def baseline_table(records: Iterable[Record], chosen_set: str) -> BaselineTable:
    """The table of some runs over a set, ``primary`` or ``scaled``; those of other policies and planners are left out.

    Rows are the suites of the records, which are the names of shipped domains.
    """
    runs: dict[str, dict[str, list[Record]]] = {}
    broken: list[Record] = []
    for record in records:
        if record.policy in BASELINE_COLUMNS:
            runs.setdefault(record.first.suite or record.first.domain, {}).setdefault(record.policy, []).append(record)
            if record.infrastructure:
                broken.append(record)
    paper = _paper(chosen_set)
    rows = tuple(
        BaselineRow(name, tuple(_cell(runs[name].get(column, ())) for column in BASELINE_COLUMNS), paper.get(name))
        for name in sorted(runs)
    )
    known = [row.paper for row in rows if row.paper is not None]
    cells = tuple(_summed([row.cells[place] for row in rows]) for place in range(len(BASELINE_COLUMNS)))
    total = BaselineRow("sum", cells, tuple(map(sum, zip(*known, strict=True))) if known else None)
    return BaselineTable(chosen_set, rows, total, tuple(broken))


def _paper(chosen_set: str) -> dict[str, tuple[int, ...]]:
    """The paper's coverage of each domain of a set, 20 tasks each; of ``rnd`` the mean of 10 seeds, rounded."""
    table = paper_table("table-2")
    places = [[column.policy for column in table.columns].index(policy) for policy in BASELINE_COLUMNS]
    lines = [line for line in table.rows if line.section == chosen_set and not line.variant]
    return {line.label: tuple(line.values[place] for place in places) for line in lines}


def _cell(records: Sequence[Record]) -> BaselineCell:
    tasks: dict[str, list[Record]] = {}
    for record in records:
        if not record.infrastructure:
            tasks.setdefault(record.first.problem_pddl, []).append(record)
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


def _summed(cells: Sequence[BaselineCell]) -> BaselineCell:
    unsolved = sum((Counter(cell.unsolved) for cell in cells), Counter[str]())
    return BaselineCell(
        sum(cell.solved for cell in cells),
        sum(cell.tasks for cell in cells),
        sum(cell.seconds for cell in cells),
        sum(cell.plans for cell in cells),
        dict(sorted(unsolved.items())),
        sum(cell.broken for cell in cells),
    )
