"""Tables in the formats of ``pddl2nl report``, what is broken first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.reports.tables.comma_separated import csv_text
from pddl2nl.reports.tables.latex import latex_text
from pddl2nl.reports.tables.lines import full_heading, one_line
from pddl2nl.reports.tables.markdown import markdown_text
from pddl2nl.reports.tables.model import Table, TableCell
from pddl2nl.reports.tables.plain_text import plain_text, write_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["FORMATS", "print_tables", "table_json", "written"]


def _text(table: Table, alarms: Sequence[str] = ()) -> str:
    return (
        "".join(f"{one_line(alarm) if not alarm.startswith(' ') else '  ' + one_line(alarm)}\n" for alarm in alarms)
        + ("\n" if alarms else "")
        + plain_text(table)
    )


FORMATS: Mapping[str, Callable[[Table, Sequence[str]], str]] = MappingProxyType(
    {"text": _text, "csv": csv_text, "markdown": markdown_text, "latex": latex_text}
)
"""The writers of one table and the alarms above it, by the names of their formats."""


def written(tables: Sequence[Table], form: str, alarms: Sequence[str] = ()) -> str:
    """Tables in one of the `FORMATS`, below one another, an empty line between them; the alarms stand once, first.

    Raises:
        InputError: there is no such format.
    """
    if form not in FORMATS:
        raise InputError(f"{form}: tables are not written in this format; there are {', '.join(FORMATS)}")
    return "\n".join(FORMATS[form](table, () if number else alarms) for number, table in enumerate(tables))


def print_tables(tables: Sequence[Table], console: Console, alarms: Sequence[str] = ()) -> None:
    """Prints alarms and tables for people, as wide as the console is."""
    from rich.text import Text

    for alarm in alarms:
        listed = alarm.startswith(" ")
        console.print(Text(f"{'  ' if listed else ''}{one_line(alarm)}", "" if listed else "bold red"), soft_wrap=True)
    if alarms:
        console.print()
    for number, table in enumerate(tables):
        if number:
            console.print()
        write_text(table, console)


def table_json(table: Table) -> dict[str, object]:
    """A table as JSON: headings, and of every line its label and cells with their numbers and what is shown."""
    return {
        "key": table.key,
        "title": table.title,
        "columns": [
            {"name": heading.name, "group": heading.group, "label": full_heading(heading), "paper": heading.paper}
            for heading in table.headings
        ],
        "sections": [
            {
                "title": section.title,
                "lines": [
                    {
                        "label": line.label,
                        "indent": line.indent,
                        "total": line.total,
                        "cells": [_cell_json(cell) for cell in line.cells],
                        # In tables whose columns are told apart by whose they are, no line says it.
                        **({"paper": True} if line.paper else {}),
                    }
                    for line in section.lines
                ],
            }
            for section in table.sections
        ],
        "notes": list(table.notes),
    }


def _cell_json(cell: TableCell) -> dict[str, object]:
    return {
        "text": cell.text,
        # JSON has no infinity, which a sum of a foreign record's numbers may come to.
        "value": cell.value if cell.value is None or math.isfinite(cell.value) else None,
        "detail": cell.detail,
        "best": cell.best,
        "estimated": cell.estimated,
    }
