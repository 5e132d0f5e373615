"""Writers of tables: plain text, CSV, Markdown, LaTeX and JSON, all of the same `Table`."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.reports.tables.model import Line, Table, TableCell, full_heading, groups_of, one_line

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "FORMATS",
    "csv_text",
    "latex_escaped",
    "latex_text",
    "markdown_text",
    "plain_text",
    "print_tables",
    "table_json",
    "written",
]


def written(tables: Sequence[Table], form: str, alarms: Sequence[str] = ()) -> str:
    """The tables in one of the `FORMATS`, separated by empty lines, with the alarms above the first.

    Raises:
        InputError: an unknown format.
    """
    if form not in FORMATS:
        raise InputError(f"{form}: tables are not written in this format; there are {', '.join(FORMATS)}")
    return "\n".join(FORMATS[form](table, () if number else alarms) for number, table in enumerate(tables))


def print_tables(tables: Sequence[Table], console: Console, alarms: Sequence[str] = ()) -> None:
    """Prints alarms and tables in the width of the console."""
    from rich.text import Text

    for alarm in alarms:
        listed = alarm.startswith(" ")
        console.print(Text(f"{'  ' if listed else ''}{one_line(alarm)}", "" if listed else "bold red"), soft_wrap=True)
    if alarms:
        console.print()
    for number, table in enumerate(tables):
        if number:
            console.print()
        _print_table(table, console)


# ── plain text ─────────────────────────────────────────────────────────────────────────────────────


def _text(table: Table, alarms: Sequence[str] = ()) -> str:
    return (
        "".join(f"{one_line(alarm) if not alarm.startswith(' ') else '  ' + one_line(alarm)}\n" for alarm in alarms)
        + ("\n" if alarms else "")
        + plain_text(table)
    )


_GAP = 2


def _print_table(table: Table, console: Console) -> None:
    """Prints a table no wider than the console; the best cells are bold in a terminal, else they have a star."""
    from rich.text import Text

    coloured = console.is_terminal and console.color_system is not None
    for line in _TextLayout(table, console.width, starred=not coloured).lines():
        text = Text()
        for part, bold in line:
            text.append(part, style="bold" if bold and coloured else "")
        text.rstrip()
        console.print(text, soft_wrap=True, crop=False)
    for note in _notes(table, console.width, starred=not coloured):
        console.print(Text(note), soft_wrap=True)


def plain_text(table: Table, width: int = 160) -> str:
    """The table as plain text with its notes, in parts of at most ``width`` characters; a star marks the best."""
    lines = ["".join(part for part, _ in line).rstrip() for line in _TextLayout(table, width, starred=True).lines()]
    return "\n".join([*lines, *_notes(table, width, starred=True)]) + "\n"


def _notes(table: Table, width: int, *, starred: bool) -> Iterator[str]:
    for number, note in enumerate(table.notes):
        if not number:
            yield ""
        said = one_line(note)
        said = said.replace("Bold:", "*:", 1) if starred and said.startswith("Bold:") else said
        yield textwrap.fill(
            said, max(width, 40), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )


Styled = list[tuple[str, bool]]


class _TextLayout:
    """The layout of a plain-text table: column widths, and the columns of each part."""

    def __init__(self, table: Table, width: int, *, starred: bool):
        self._table = table
        self._starred = starred
        self._lines = [line for section in table.sections for line in section.lines]
        titles = [f"[{one_line(section.title)}]" for section in table.sections if section.title]
        self._stub = max(map(_size, [one_line(table.stub), *titles, *map(self._label, self._lines)]), default=0)
        self._texts = {
            id(line): [self._shown(line, place) for place in range(len(table.headings))] for line in self._lines
        }
        self._short = self._total_width(self._widths()) > width
        if self._short:
            self._texts = {key: [text.replace(" of ", "/") for text in texts] for key, texts in self._texts.items()}
        self._sizes = self._widths()
        self._parts = list(self._in_parts(width))

    def lines(self) -> Iterator[Styled]:
        """All lines of all parts; a line is pieces of text, each with a flag for bold."""
        if self._table.title:
            yield [(one_line(self._table.title), True)]
        for columns in self._parts:
            yield []
            yield from self._part(columns)

    def _part(self, columns: Sequence[int]) -> Iterator[Styled]:
        groups = self._group_line(columns)
        if groups.strip():
            yield [(groups, False)]
        yield [
            (
                self._row(
                    one_line(self._table.stub), [one_line(self._table.headings[c].name) for c in columns], columns
                ),
                False,
            )
        ]
        rule = "-" * (self._stub + sum(self._sizes[column] + _GAP for column in columns))
        yield [(rule, False)]
        for number, section in enumerate(self._table.sections):
            if number:
                yield [(rule, False)] if not section.title else []
            if section.title:
                yield [(f"[{one_line(section.title)}]", False)]
            for line in section.lines:
                if line.total and len(section.lines) > 1:
                    yield [(rule, False)]
                yield self._line(line, columns)

    def _line(self, line: Line, columns: Sequence[int]) -> Styled:
        label = self._label(line)
        parts: Styled = [(label + " " * (self._stub - _size(label)), line.total)]
        for column in columns:
            text = self._texts[id(line)][column]
            parts.append((" " * (_GAP + self._sizes[column] - _size(text)), False))
            parts.append((text, line.cells[column].best))
        return parts

    def _row(self, label: str, texts: Sequence[str], columns: Sequence[int]) -> str:
        cells = (" " * (_GAP + self._sizes[c] - _size(text)) + text for text, c in zip(texts, columns, strict=True))
        return label + " " * (self._stub - _size(label)) + "".join(cells)

    def _group_line(self, columns: Sequence[int]) -> str:
        line = " " * self._stub
        for name, members in self._groups():
            here = [column for column in members if column in columns]
            if here:
                room = sum(self._sizes[column] + _GAP for column in here) - _GAP - _size(name)
                line += " " * (_GAP + (room + 1) // 2) + name + " " * (room // 2)
        return line

    def _groups(self) -> Iterator[tuple[str, range]]:
        first = 0
        for name, count in groups_of(self._table):
            yield name, range(first, first + count)
            first += count

    def _widths(self) -> list[int]:
        names = [_size(one_line(heading.name)) for heading in self._table.headings]
        sizes = [
            max([name, *(_size(texts[place]) for texts in self._texts.values())]) for place, name in enumerate(names)
        ]
        for name, members in self._groups():
            # A group heading wider than its columns widens the last of them.
            lacking = _size(name) - sum(sizes[column] + _GAP for column in members) + _GAP
            sizes[members[-1]] += max(0, lacking)
        return sizes

    def _total_width(self, sizes: Sequence[int]) -> int:
        return self._stub + sum(size + _GAP for size in sizes)

    def _in_parts(self, width: int) -> Iterator[list[int]]:
        """The columns in parts that fit the width; a group stays whole if it fits into one part."""
        part: list[int] = []
        room = width - self._stub
        for _, members in self._groups():
            whole = sum(self._sizes[column] + _GAP for column in members)
            if part and whole > room - sum(self._sizes[column] + _GAP for column in part):
                yield part
                part = []
            for column in members:
                if part and sum(self._sizes[each] + _GAP for each in [*part, column]) > room:
                    yield part
                    part = []
                part.append(column)
        if part:
            yield part

    def _label(self, line: Line) -> str:
        return ("  " if line.indent else "") + one_line(line.label)

    def _shown(self, line: Line, place: int) -> str:
        cell = line.cells[place]
        marked = self._starred and any(other.cells[place].best for other in self._lines)
        return one_line(cell.text) + (("*" if cell.best else " ") if marked else "")


def _size(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


# ── CSV ────────────────────────────────────────────────────────────────────────────────────────────


def csv_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table as CSV with a header (RFC 4180, but lines end with a line feed).

    Numbers are not rounded. A column of ours with details (k of n, the interval) is followed by a column of these; the
    last column names the best columns of the line. ``alarms`` come first, one line each, in the section ``alarm``. An
    apostrophe precedes text that a spreadsheet would take for a formula.
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
    writer.writerow([_csv_safe(cell) for cell in header])
    for alarm in alarms:
        writer.writerow([_csv_safe(cell) for cell in (table.key, "alarm", alarm, *[""] * len(names), "")])
    for section in table.sections:
        above = ""
        for line in section.lines:
            label = f"{above}: {line.label}" if line.indent and above else line.label
            above = above if line.indent else line.label
            start = [_csv_safe(table.key), _csv_safe(section.title), _csv_safe(label)]
            writer.writerow([*start, *_csv_row(line, detailed), _csv_safe(_csv_best(table, line))])
    return out.getvalue()


def _csv_row(line: Line, detailed: Sequence[bool]) -> list[str]:
    row = []
    for cell, detail in zip(line.cells, detailed, strict=True):
        row.append(_csv_number(cell))
        if detail:
            row.append(_csv_safe(cell.detail))
    return row


def _csv_number(cell: TableCell) -> str:
    if cell.value is not None:
        return f"{cell.value:.10g}"
    # The details say which runs such a cell lacks.
    return "" if cell.text.startswith("–") or cell.text.endswith("–") else _csv_safe(cell.text)


def _csv_best(table: Table, line: Line) -> str:
    return "; ".join(
        full_heading(heading) for heading, cell in zip(table.headings, line.cells, strict=True) if cell.best
    )


def _csv_safe(text: str) -> str:
    said = one_line(text)
    return f"'{said}" if said.startswith(("=", "+", "-", "@")) else said


# ── Markdown ───────────────────────────────────────────────────────────────────────────────────────


# Characters with a meaning in Markdown: anywhere, at the start of a link, or at the start of a list item.
_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|~#$&]|:(?=//)|^[-+=]|(?<=^\d)[.)](?=\s))")


def markdown_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table in GitHub's Markdown with its title and notes, below the quoted ``alarms``."""
    lines = []
    if alarms:
        lines += [*"\n".join(map(_markdown_alarm, alarms)).removeprefix(">\n").splitlines(), ""]
    if table.title:
        lines += [f"### {_md(table.title)}", ""]
    lines.append(_markdown_row([_md(table.stub), *(_md(full_heading(heading)) for heading in table.headings)]))
    lines.append(f"|---|{'---:|' * len(table.headings)}")
    for section in table.sections:
        if section.title:
            lines.append(_markdown_row([f"**{_md(section.title)}**", *[""] * len(table.headings)]))
        lines += [_markdown_row([_markdown_label(line), *map(_markdown_cell, line.cells)]) for line in section.lines]
    if table.notes:
        lines += ["", *(f"- {_md(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _markdown_alarm(alarm: str) -> str:
    return f"> - {_md(alarm)}" if alarm.startswith(" ") else f">\n> **{_md(alarm)}**\n>"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_label(line: Line) -> str:
    label = _md(line.label)
    if line.indent:
        return f"↳ {label}"
    return f"*{label}*" if line.total else label


def _markdown_cell(cell: TableCell) -> str:
    text = _md(cell.text)
    return f"**{text}**" if cell.best and text else text


def _md(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", one_line(text))


# ── LaTeX ──────────────────────────────────────────────────────────────────────────────────────────


_WIDE_LATEX = 10
"""A table with at least so many columns is set smaller."""

_LATEX_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After the end of a line LaTeX takes these for options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    '"': r"\char34{}",
    "`": r"\char96{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "→": r"$\to$",
    "…": r"\ldots{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
}

_LATEX_LIGATURES = re.compile(r"([-',])(?=\1)")
"""Pairs that LaTeX would join to one character: two dashes, two quotes."""

_LATEX_ACCENTS = {
    "\N{COMBINING GRAVE ACCENT}": "`",
    "\N{COMBINING ACUTE ACCENT}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING DIAERESIS}": '"',
    "\N{COMBINING CARON}": "v",
}


def latex_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table as a LaTeX float with its notes, below the ``alarms`` as comments; needs ``\\usepackage{booktabs}``.

    Characters that LaTeX may not know are set as code points, ``[U+4E2D]``, so that any engine compiles the float.
    """
    width = len(table.headings)
    # `one_line` keeps an alarm inside its comment.
    lines = [f"% {one_line(alarm)}" for alarm in alarms]
    lines += [r"% needs \usepackage{booktabs}", r"\begin{table}[tbp]", r"  \centering"]
    if table.title:
        lines.append(rf"  \caption{{{latex_escaped(table.title)}}}")
    lines.append(rf"  \label{{tab:{re.sub('[^a-z0-9]+', '-', table.key.lower()).strip('-') or 'table'}}}")
    if width >= _WIDE_LATEX:
        lines.append(r"  \footnotesize\setlength{\tabcolsep}{3pt}")
    lines += [rf"  \begin{{tabular}}{{l{'r' * width}}}", r"    \toprule"]
    lines += [f"    {line}" for line in (*_latex_head(table), *_latex_body(table))]
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    if table.notes:
        notes = r"\\".join(latex_escaped(note) for note in table.notes)
        lines.append(rf"  \par\smallskip\parbox{{\linewidth}}{{\footnotesize {notes}}}")
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def latex_escaped(text: str) -> str:
    """Text of any origin escaped for LaTeX, on one line."""
    return _LATEX_LIGATURES.sub(r"\1{}", "".join(map(_latex_character, one_line(text))))


def _latex_character(character: str) -> str:
    if character in _LATEX_SIGNS:
        return _LATEX_SIGNS[character]
    if character.isascii():
        return character
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[1] in _LATEX_ACCENTS and parts[0].isascii() and parts[0].isalpha():
        return rf"\{_LATEX_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return f"{{[}}U+{ord(character):04X}{{]}}"


def _latex_head(table: Table) -> Iterator[str]:
    groups = groups_of(table)
    if any(name for name, _ in groups):
        cells, rules, first = [], [], 2
        for name, count in groups:
            cells.append(rf"\multicolumn{{{count}}}{{c}}{{{latex_escaped(name)}}}" if name else " & " * (count - 1))
            if name:
                rules.append(rf"\cmidrule(lr){{{first}-{first + count - 1}}}")
            first += count
        yield f" & {' & '.join(cells)} \\\\"
        yield " ".join(rules)
    names = [latex_escaped(heading.name) for heading in table.headings]
    yield f"{' & '.join([latex_escaped(table.stub), *names])} \\\\"
    yield r"\midrule"


def _latex_body(table: Table) -> Iterator[str]:
    for number, section in enumerate(table.sections):
        if number:
            yield r"\midrule"
        if section.title:
            yield rf"\multicolumn{{{len(table.headings) + 1}}}{{l}}{{\emph{{{latex_escaped(section.title)}}}}} \\"
        for line in section.lines:
            if line.total and len(section.lines) > 1:
                yield r"\midrule"
            yield f"{' & '.join([_latex_label(line), *map(_latex_cell, line.cells)])} \\\\"


def _latex_label(line: Line) -> str:
    return (r"\quad " if line.indent else "") + latex_escaped(line.label)


def _latex_cell(cell: TableCell) -> str:
    text = latex_escaped(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text


# ── JSON ───────────────────────────────────────────────────────────────────────────────────────────


def table_json(table: Table) -> dict[str, object]:
    """A table as JSON: its headings, and the label and cells of every line, with values and shown texts."""
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
                        # Tables with a paper's columns have no lines of the paper.
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
        # JSON has no infinity, which the numbers of a foreign record may add up to.
        "value": cell.value if cell.value is None or math.isfinite(cell.value) else None,
        "detail": cell.detail,
        "best": cell.best,
        "estimated": cell.estimated,
    }


# ── all of them ────────────────────────────────────────────────────────────────────────────────────


FORMATS: Mapping[str, Callable[[Table, Sequence[str]], str]] = MappingProxyType(
    {"text": _text, "csv": csv_text, "markdown": markdown_text, "latex": latex_text}
)
"""The writers of one table and the alarms above it, by format."""
