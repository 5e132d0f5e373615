"""The coverage table: domains down, configurations across, k of n in every cell, and the sum.

Runs that infrastructure broke stand above the table and count in no cell, so that a missing tool never looks
like a wrong plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pddl2nl.reports.records import Column, Record

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ORACLE_NOTE", "Cell", "CoverageTable", "Row", "coverage_table", "print_coverage", "record_order"]

ORACLE_NOTE = (
    "oracle: no language model was asked. It reads the task back out of the prompt's text, plans on what it read "
    "with Fast Downward, and answers in the wording; less than full coverage would mean that the text lost something."
)

_COLUMN_ORDER = ("basic", "cot", "act", "react", "random", "brfs", "lmcut", "ff", "lama")


@dataclass(frozen=True)
class Cell:
    """Solved runs of the scored ones; ``broken`` counts those that infrastructure broke, which are not scored."""

    solved: int = 0
    scored: int = 0
    broken: int = 0

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.solved + other.solved, self.scored + other.scored, self.broken + other.broken)

    def __str__(self) -> str:
        text = f"{self.solved} of {self.scored}" if self.scored else "–"
        return f"{text} ({self.broken} broken)" if self.broken else text


@dataclass(frozen=True)
class Row:
    """A domain and its cells, one a column."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class CoverageTable:
    """Coverage by domain and configuration; ``broken`` holds the runs that are scored nowhere."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    total: Row
    broken: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """The table as JSON: for every column its coverage by domain and in sum."""
        return {
            "columns": [
                {
                    "policy": column.policy,
                    "model": column.model or None,
                    "solved": self.total.cells[index].solved,
                    "runs": self.total.cells[index].scored,
                    "domains": {
                        row.label: {"solved": row.cells[index].solved, "runs": row.cells[index].scored}
                        for row in self.rows
                    },
                }
                for index, column in enumerate(self.columns)
            ],
            "infrastructure_errors": [
                {"run": record.id, "message": "" if record.fault is None else record.fault.text}
                for record in self.broken
            ],
        }


def record_order(record: Record) -> tuple[object, ...]:
    """Sorts records as tables show them: by configuration (mechanisms, random, planners, others), then task."""
    return (*_column_order(record.column), record.domain, record.problem, record.id)


def coverage_table(
    records: Iterable[Record], label: Callable[[Record], str] = lambda record: record.suite
) -> CoverageTable:
    """The coverage table of the records; ``label`` names the row that a record belongs to, by default its suite's."""
    cells: dict[tuple[str, Column], Cell] = {}
    broken = []
    for record in records:
        key = (label(record), record.column)
        one = Cell(broken=1) if record.infrastructure else Cell(int(record.solved), 1)
        cells[key] = cells.get(key, Cell()) + one
        if record.infrastructure:
            broken.append(record)
    columns = tuple(sorted({column for _, column in cells}, key=_column_order))
    rows = tuple(
        Row(name, tuple(cells.get((name, column), Cell()) for column in columns))
        for name in sorted({name for name, _ in cells})
    )
    total = tuple(sum((row.cells[index] for row in rows), Cell()) for index in range(len(columns)))
    return CoverageTable(columns, rows, Row("sum", total), tuple(broken))


def print_coverage(table: CoverageTable, console: Console) -> None:
    """Prints the table for people: what infrastructure broke first, then coverage."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if table.broken:
        console.print(Text(f"Infrastructure errors: {len(table.broken)} runs are in no cell of the table", "bold red"))
        for record in table.broken:
            reason = "" if record.fault is None else f": {record.fault.text}"
            console.print(Text(f"  {record.id}{reason}"))
    # On a narrow terminal rich would cut numbers off: shorter cells instead.
    narrow = console.width < 16 + 11 * len(table.columns)
    shown = Table(
        title=Text("Coverage (solved of runs)"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 0) if narrow else (0, 1),
        pad_edge=not narrow,
    )
    shown.add_column("")
    for column in table.columns:
        shown.add_column(Text(f"{column.policy}\n{column.model}".rstrip()), justify="right", no_wrap=True)
    for row in table.rows:
        shown.add_row(Text(row.label), *_cells(row, narrow))
    shown.add_section()
    shown.add_row(Text(table.total.label), *_cells(table.total, narrow), style="bold")
    console.print(shown)
    if any(column.model == "oracle" for column in table.columns):
        console.print(Text(ORACLE_NOTE))


def _cells(row: Row, narrow: bool) -> list[str]:
    return [str(cell).replace(" of ", "/") if narrow else str(cell) for cell in row.cells]


def _column_order(column: Column) -> tuple[bool, str, int, str]:
    known = column.policy in _COLUMN_ORDER
    place = _COLUMN_ORDER.index(column.policy) if known else len(_COLUMN_ORDER)
    # All mechanisms of one model side by side; what asks no model behind them.
    return (not column.model, column.model, place, column.policy)
