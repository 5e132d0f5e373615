"""Tables as Markdown (GitHub's): one heading line, numbers to the right, the best in bold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pddl2nl.reports.tables.lines import full_heading, one_line
from pddl2nl.reports.tables.model import Line, Table, TableCell

__all__ = ["markdown_text"]

# Signs that mean something anywhere, the start of a link, and at the start of a text what would make a list of it.
_MARKUP = re.compile(r"([\\`*_\[\]<>|~#$&]|:(?=//)|^[-+=]|(?<=^\d)[.)](?=\s))")


def markdown_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table in Markdown with its title and notes; the ``alarms`` stand first, quoted."""
    lines = []
    if alarms:
        lines += [*"\n".join(map(_quoted, alarms)).removeprefix(">\n").splitlines(), ""]
    if table.title:
        lines += [f"### {_escaped(table.title)}", ""]
    lines.append(_row([_escaped(table.stub), *(_escaped(full_heading(heading)) for heading in table.headings)]))
    lines.append(f"|---|{'---:|' * len(table.headings)}")
    for section in table.sections:
        if section.title:
            lines.append(_row([f"**{_escaped(section.title)}**", *[""] * len(table.headings)]))
        lines += [_row([_label(line), *map(_cell, line.cells)]) for line in section.lines]
    if table.notes:
        lines += ["", *(f"- {_escaped(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _quoted(alarm: str) -> str:
    return f"> - {_escaped(alarm)}" if alarm.startswith(" ") else f">\n> **{_escaped(alarm)}**\n>"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _label(line: Line) -> str:
    label = _escaped(line.label)
    if line.indent:
        return f"↳ {label}"
    return f"*{label}*" if line.total else label


def _cell(cell: TableCell) -> str:
    text = _escaped(cell.text)
    return f"**{text}**" if cell.best and text else text


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", one_line(text))
