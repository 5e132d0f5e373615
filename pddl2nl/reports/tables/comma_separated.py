"""Tables as comma-separated values: numbers to compute with, in a line for each line of the table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from pddl2nl.reports.tables.lines import full_heading, one_line
from pddl2nl.reports.tables.model import Line, Table, TableCell

__all__ = ["csv_text"]


def csv_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table as CSV (RFC 4180, but with plain line ends), a header first.

    Numbers stand unrounded; beside every column of ours that has any, its details (k of n, the interval), and last the
    best columns of the line. Each of the ``alarms`` is a line of its own before the others, of the section ``alarm``.
    What a spreadsheet would take for a formula is quoted with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    detailed = [
        any(line.cells[place].detail for section in table.sections for line in section.lines) and not heading.paper
        for place, heading in enumerate(table.headings)
    ]
    names = []
    for heading, detail in zip(table.headings, detailed, strict=True):
        name = full_heading(heading)
        names += [name, f"{name}: details"] if detail else [name]
    header = ["table", "section", table.stub or "line", *names, "best"]
    writer.writerow([_safe(cell) for cell in header])
    for alarm in alarms:
        writer.writerow([_safe(cell) for cell in (table.key, "alarm", alarm, *[""] * len(names), "")])
    for section in table.sections:
        above = ""
        for line in section.lines:
            label = f"{above}: {line.label}" if line.indent and above else line.label
            above = above if line.indent else line.label
            start = [_safe(table.key), _safe(section.title), _safe(label)]
            writer.writerow([*start, *_cells(line, detailed), _safe(_best(table, line))])
    return out.getvalue()


def _cells(line: Line, detailed: Sequence[bool]) -> list[str]:
    row = []
    for cell, detail in zip(line.cells, detailed, strict=True):
        row.append(_number(cell))
        if detail:
            row.append(_safe(cell.detail))
    return row


def _number(cell: TableCell) -> str:
    if cell.value is not None:
        return f"{cell.value:.10g}"
    # What a cell without a number lacks is among its details.
    return "" if cell.text.startswith("–") or cell.text.endswith("–") else _safe(cell.text)


def _best(table: Table, line: Line) -> str:
    return "; ".join(
        full_heading(heading) for heading, cell in zip(table.headings, line.cells, strict=True) if cell.best
    )


def _safe(text: str) -> str:
    said = one_line(text)
    return f"'{said}" if said.startswith(("=", "+", "-", "@")) else said
