"""The table of the symbolic baselines: the coverage table with the paper's numbers (Table 2), and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout
from pddl2nl.policies.paper import PaperLine
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered, gathered
from pddl2nl.reports.paper import domain_lines, paper_table, same_column, summed
from pddl2nl.reports.records import Record
from pddl2nl.reports.summaries import RunSummary, summarize
from pddl2nl.reports.tables.coverage import coverage_table
from pddl2nl.reports.tables.model import Table, TableCell, TableLine, TableSection

_PAPER = "table-2"
_COLUMNS = (
    LayoutColumn("rnd", kind="walk", policy="random"),
    LayoutColumn("BrFS", kind="planner", policy="brfs"),
    LayoutColumn("LM-cut", kind="planner", policy="lmcut"),
    LayoutColumn("FF", kind="planner", policy="ff"),
)


@dataclass(frozen=True)
class BaselineTable:
    """The baselines over a set, a row for each shipped domain."""

    chosen_set: str
    gathered: Gathered

    @property
    def broken(self) -> tuple[RunSummary, ...]:
        """The runs with infrastructure errors, which count in no cell."""
        return self.gathered.broken

    def table(self) -> Table:
        """Solved tasks by domain; a task counts with the share of its random walks that reached the goal."""
        table = coverage_table(self.gathered, LayoutTable("coverage", paper=_PAPER))
        means = [self._seconds(range(len(self.gathered.layout.rows)), column) for column in range(len(_COLUMNS))]
        # The time of a walk that reached the goal by chance says nothing.
        ours = [TableCell() if mean is None else TableCell(f"{mean:.1f}", mean) for mean in [None, *means[1:]]]
        paper = [TableCell("")] * (len(table.headings) - len(ours))
        seconds = TableSection((TableLine("seconds a plan", (*ours, *paper)),))
        return replace(table, title="", sections=(*table.sections, seconds))

    def unsolved(self) -> list[tuple[str, str, Counter[str]]]:
        """For each domain and planner that left tasks unsolved, the number of its outcomes."""
        found = []
        for row, domain in enumerate(self.gathered.layout.rows):
            for column, baseline in enumerate(_COLUMNS):
                outcomes = self._outcomes([row], column)
                if baseline.kind == "planner" and outcomes:
                    found.append((domain.label, baseline.name, outcomes))
        return found

    def as_json(self) -> dict[str, object]:
        """The table as ``pddl2nl baselines --json`` prints it."""
        rows = self.gathered.layout.rows
        papers = domain_lines(paper_table(_PAPER), rows)
        return {
            "set": self.chosen_set,
            "domains": {row.label: self._json([at], papers[at]) for at, row in enumerate(rows)},
            "sum": self._json(range(len(rows)), summed(papers)),
            "infrastructure_errors": [{"run": run.name, "message": run.message} for run in self.broken],
        }

    def _json(self, rows: Sequence[int], paper: PaperLine | None) -> dict[str, object]:
        found: dict[str, object] = {}
        for column, baseline in enumerate(_COLUMNS):
            coverage, seconds = coverage_of(self.gathered.runs_in(rows, column)), self._seconds(rows, column)
            theirs = next(at for at, each in enumerate(paper_table(_PAPER).columns) if same_column(each, baseline))
            found[baseline.policy] = {
                "solved": round(coverage.solved, 6),
                "tasks": coverage.tasks,
                "unsolved": dict(sorted(self._outcomes(rows, column).items())),
                "broken": coverage.broken,
                "mean_seconds": None if seconds is None else round(seconds, 3),
                "paper": None if paper is None else paper.value(theirs),
            }
        return found

    def _outcomes(self, rows: Sequence[int], column: int) -> Counter[str]:
        runs = self.gathered.runs_in(rows, column)
        return Counter(run.outcome for run in runs if not run.solved and not run.infrastructure)

    def _seconds(self, rows: Sequence[int], column: int) -> float | None:
        """Mean wall time of a run that found a plan; None without any."""
        seconds = [run.values["seconds"] for run in self.gathered.runs_in(rows, column) if run.solved]
        return fmean(seconds) if seconds else None


def baseline_table(records: Iterable[Record], chosen_set: str) -> BaselineTable:
    """The table of some runs over a set, ``primary`` or ``scaled``; those of other policies and planners are left out.

    Rows are the suites of the records, which are the names of shipped domains.
    """
    column_at = {column.policy: place for place, column in enumerate(_COLUMNS)}
    runs = [summarize(record) for record in records if record.policy in column_at]
    tasks: dict[str, set[str]] = {}
    for run in runs:
        tasks.setdefault(run.suite, set()).add(run.task_id)
    rows = tuple(LayoutRow(name, chosen_set, tasks=len(tasks[name])) for name in sorted(tasks))
    row_at = {row.label: place for place, row in enumerate(rows)}
    places = {run.name: (Place(row_at[run.suite], column_at[run.policy]),) for run in runs}
    return BaselineTable(chosen_set, gathered(runs, TableLayout("baselines", _COLUMNS, rows, places)))
