"""A table as data, and its writers: plain text, CSV, Markdown, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


Show = tuple[tuple[str, str], ...]
"""Filters of a page's list of runs: pairs of a name and a value; see `TableCell.show`."""


@dataclass(frozen=True)
class Heading:
    """A column's heading: its ``name``, and ``group`` above it; ``paper`` marks a column of a paper's numbers."""

    name: str
    group: str = ""
    paper: bool = False


@dataclass(frozen=True)
class TableCell:
    """One cell.

    Attributes:
        text: what is shown: ``13.4``, ``–``.
        value: the number behind it, if any.
        detail: shown on demand on a page and in further columns of CSV: ``67 of 100 runs``, the interval.
        best: whether it is the best language-model column of its line; shown in bold.
        estimated: whether the value contains an estimate; marked with ``~``.
        interval: the ends of the value's 95 % interval, shown behind it: ``13.4 [9.1, 16.6]``.
        show: filters for the runs behind it. Names are ``outcome``, ``link``, ``predicate``, ``column`` and ``row``
            (several, separated by commas); if ``against`` is set, ``a``, ``b``, ``row`` and ``which``.
        against: whether ``show`` selects two columns side by side.
    """

    text: str = "–"
    value: float | None = None
    detail: str = ""
    best: bool = False
    estimated: bool = False
    interval: tuple[float, float] | None = None
    show: Show = ()
    against: bool = False

    @property
    def between(self) -> str:
        """The interval as it is shown: ``[9.1, 16.6]``; empty without one."""
        ends = (f"{end:.1f}".removesuffix(".0") for end in self.interval or ())
        return f"[{', '.join(ends)}]" if self.interval else ""


@dataclass(frozen=True)
class TableLine:
    """A line: its ``label``, ``indent`` for extra rows below another's, ``total`` for sums, ``paper`` for a paper's."""

    label: str
    cells: tuple[TableCell, ...]
    indent: bool = False
    total: bool = False
    paper: bool = False


@dataclass(frozen=True)
class TableSection:
    """Lines that belong together below an optional ``title``; their sum is the last line."""

    lines: tuple[TableLine, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    ``key`` names files and anchors (``table-2``), ``stub`` is the heading of the first column, ``notes`` explain the
    numbers, the marks and the source of a paper's numbers, one sentence each, those that matter most first. ``prose``
    says that the cells of its one column are texts, which are set as paragraphs.
    """

    key: str
    title: str
    stub: str
    headings: tuple[Heading, ...]
    sections: tuple[TableSection, ...]
    notes: tuple[str, ...] = ()
    prose: bool = False

    @property
    def lines(self) -> tuple[TableLine, ...]:
        return tuple(line for section in self.sections for line in section.lines)


def number_text(value: float) -> str:
    """A whole number as it is, any other with one decimal."""
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.1f}"


def one_line(text: str) -> str:
    """The text on one line, with control characters replaced."""
    # Cc: terminal escapes; Cf: marks that reorder text, as in "Trojan source"; Cs: lone surrogates.
    kept = ("�" if unicodedata.category(each) in ("Cc", "Cf", "Cs") else each for each in " ".join(text.split()))
    return "".join(kept)


def full_heading(heading: Heading) -> str:
    """A column's heading on one line: ``NL Act``, ``paper: NL Act``."""
    name = one_line(f"{heading.group} {heading.name}".strip())
    return f"paper: {name}" if heading.paper else name


def groups_of(table: Table) -> list[tuple[str, range]]:
    """The group headings, each with the columns that it spans; the name of a group may be empty."""

    def name_of(heading: Heading) -> str:
        return one_line(": ".join(filter(None, ("paper" if heading.paper else "", heading.group))))

    found, first = [], 0
    for name, headings in groupby(map(name_of, table.headings)):
        end = first + len(list(headings))
        found.append((name, range(first, end)))
        first = end
    return found


# ── writers ───────────────────────────────────────────────────────────────────────────────────────


def written(tables: Sequence[Table], form: str, alarms: Sequence[str] = ()) -> str:
    """The tables in one of the `FORMATS`, separated by empty lines, with the alarms above the first."""
    return "\n".join(FORMATS[form](table, () if number else alarms) for number, table in enumerate(tables))


# ── plain text ─────────────────────────────────────────────────────────────────────────────────────

_GAP = 2
_Styled = list[tuple[str, bool]]
"""A line as pieces of text, each with a flag for bold."""


def print_tables(tables: Sequence[Table], console: Console, alarms: Sequence[str] = ()) -> None:
    """Prints alarms and tables in the width of the console; the best cells are bold, or without colours starred."""
    from rich.text import Text

    for alarm in alarms:
        style = "" if alarm.startswith(" ") else "bold red"
        console.print(Text(_alarm_line(alarm), style), soft_wrap=True)
    if alarms:
        console.print()
    coloured = console.is_terminal and console.color_system is not None
    for number, table in enumerate(_fitted(table, console.width) for table in tables):
        if number:
            console.print()
        for line in _text_lines(table, console.width, starred=not coloured):
            text = Text()
            for part, bold in line:
                text.append(part, style="bold" if bold and coloured else "")
            text.rstrip()
            console.print(text, soft_wrap=True, crop=False)
        for note in _text_notes(table, console.width, starred=not coloured):
            console.print(Text(note), soft_wrap=True)


def plain_text(table: Table, width: int = 160) -> str:
    """The table as plain text with its notes, in parts of at most ``width`` characters; a star marks the best."""
    table = _fitted(table, width)
    lines = ["".join(part for part, _ in line).rstrip() for line in _text_lines(table, width, starred=True)]
    return "\n".join([*lines, *_text_notes(table, width, starred=True)]) + "\n"


def _text(table: Table, alarms: Sequence[str] = ()) -> str:
    return "".join(f"{_alarm_line(alarm)}\n" for alarm in alarms) + ("\n" if alarms else "") + plain_text(table)


def _alarm_line(alarm: str) -> str:
    return ("  " if alarm.startswith(" ") else "") + one_line(alarm)


INTERVAL_NOTE = "In brackets: the 95 % interval over the tasks (Wilson)."
"""The note on `TableCell.interval`, by itself or at the end of another one."""

NOTE_LINES = 3
"""The lines of notes below a table on a terminal; ``-v`` prints all."""


def with_few_notes(tables: Sequence[Table], width: int = 160) -> tuple[list[Table], int]:
    """The tables with the first of their notes, as many as `NOTE_LINES` hold, and the number of those left out."""
    found = []
    for table in (_fitted(table, width) for table in tables):
        ends = accumulate(_wrapped(note, width).count("\n") + 1 for note in table.notes)
        fitting = sum(end <= NOTE_LINES for end in ends)
        found.append(replace(table, notes=table.notes[:fitting]))
    return found, sum(len(table.notes) for table in tables) - sum(len(table.notes) for table in found)


def _fitted(table: Table, width: int) -> Table:
    """The table, without its intervals if it fits the width in one part only so."""
    has_intervals = any(cell.interval for line in table.lines for cell in line.cells)
    sizes = _column_sizes(table, _cell_texts(table, starred=True)) if has_intervals else []
    if _stub(table) + sum(size + _GAP for size in sizes) <= width or not has_intervals:
        return table

    def bare(line: TableLine) -> TableLine:
        return replace(line, cells=tuple(replace(cell, interval=None) for cell in line.cells))

    sections = (replace(section, lines=tuple(map(bare, section.lines))) for section in table.sections)
    notes = (note.replace(INTERVAL_NOTE, "").strip() for note in table.notes)
    return replace(table, sections=tuple(sections), notes=tuple(filter(None, notes)))


def _stub(table: Table) -> int:
    """The columns that the labels of the lines take."""
    titles = [f"[{one_line(section.title)}]" for section in table.sections if section.title]
    return max(_size(text) for text in (one_line(table.stub), *titles, *map(_text_label, table.lines)))


def _text_notes(table: Table, width: int, *, starred: bool) -> Iterator[str]:
    if table.notes:
        yield ""
    for note in table.notes:
        yield _wrapped(f"*:{note.removeprefix('Bold:')}" if starred and note.startswith("Bold:") else note, width)


def _wrapped(note: str, width: int) -> str:
    return textwrap.fill(
        one_line(note), max(width, 40), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _text_lines(table: Table, width: int, *, starred: bool) -> Iterator[_Styled]:
    """The title and all lines of a table, in parts of columns that fit the width."""
    if table.prose:
        yield from _paragraphs(table, width)
        return
    stub = _stub(table)
    texts = _cell_texts(table, starred=starred)
    sizes = _column_sizes(table, texts)
    if stub + sum(size + _GAP for size in sizes) > width:
        texts = [[text.replace(" of ", "/") for text in line] for line in texts]
        sizes = _column_sizes(table, texts)
    if table.title:
        yield [(one_line(table.title), True)]
    for columns in _parts_of(table, sizes, width - stub):
        yield []
        yield from _part(table, columns, texts, stub, sizes)


def _cell_texts(table: Table, *, starred: bool) -> list[list[str]]:
    """The texts of the lines' cells; in a column with intervals these stand below each other."""
    columns = []
    for cells in zip(*(line.cells for line in table.lines), strict=True):
        marked = starred and any(cell.best for cell in cells)
        texts = [one_line(cell.text) + ("*" if cell.best else " ") * marked for cell in cells]
        room, behind = max(map(_size, texts)), max(len(cell.between) for cell in cells)
        if behind:
            texts = [
                f"{' ' * (room - _size(text))}{text} {cell.between:<{behind}}"
                for text, cell in zip(texts, cells, strict=True)
            ]
        columns.append(texts)
    return [[column[number] for column in columns] for number in range(len(table.lines))]


def _paragraphs(table: Table, width: int) -> Iterator[_Styled]:
    """The title and the lines of a table of texts, each wrapped beside its label."""
    stub = max((_size(_text_label(line)) for line in table.lines), default=0) + _GAP
    if table.title:
        yield [(one_line(table.title), True)]
    yield []
    for line in table.lines:
        label = _text_label(line)
        for row in textwrap.wrap(one_line(line.cells[0].text), max(40, width - stub), break_on_hyphens=False) or [""]:
            yield [(label + " " * (stub - _size(label)), False), (row, False)]
            label = ""


def _part(
    table: Table, columns: Sequence[int], texts: Sequence[Sequence[str]], stub: int, sizes: Sequence[int]
) -> Iterator[_Styled]:
    def row(label: str, cells: Sequence[str], *, total: bool = False, best: Sequence[bool] = ()) -> _Styled:
        pieces = [(label + " " * (stub - _size(label)), total)]
        for place, (column, text) in enumerate(zip(columns, cells, strict=True)):
            pieces += [(" " * (_GAP + sizes[column] - _size(text)), False), (text, bool(best) and best[place])]
        return pieces

    rule: _Styled = [("-" * (stub + sum(sizes[column] + _GAP for column in columns)), False)]
    groups = " " * stub
    for name, members in groups_of(table):
        if here := [column for column in members if column in columns]:
            room = sum(sizes[column] + _GAP for column in here) - _GAP - _size(name)
            groups += " " * (_GAP + (room + 1) // 2) + name + " " * (room // 2)
    if groups.strip():
        yield [(groups, False)]
    yield row(one_line(table.stub), [one_line(table.headings[column].name) for column in columns])
    yield rule
    number = 0
    for section in table.sections:
        if section is not table.sections[0]:
            yield [] if section.title else rule
        if section.title:
            yield [(f"[{one_line(section.title)}]", False)]
        for line in section.lines:
            if line.total and len(section.lines) > 1:
                yield rule
            cells = [texts[number][column] for column in columns]
            yield row(_text_label(line), cells, total=line.total, best=[line.cells[column].best for column in columns])
            number += 1


def _column_sizes(table: Table, texts: Sequence[Sequence[str]]) -> list[int]:
    names = [one_line(heading.name) for heading in table.headings]
    sizes = [max(map(_size, (name, *(line[place] for line in texts)))) for place, name in enumerate(names)]
    for name, members in groups_of(table):
        # A group heading wider than its columns widens the last of them.
        lacking = _size(name) - sum(sizes[column] + _GAP for column in members) + _GAP
        sizes[members[-1]] += max(0, lacking)
    return sizes


def _parts_of(table: Table, sizes: Sequence[int], room: int) -> Iterator[list[int]]:
    """The columns in parts that fit the room; a group stays whole if it fits into one part."""

    def width(columns: Iterable[int]) -> int:
        return sum(sizes[column] + _GAP for column in columns)

    part: list[int] = []
    for _, members in groups_of(table):
        if part and width([*part, *members]) > room:
            yield part
            part = []
        for column in members:
            if part and width([*part, column]) > room:
                yield part
                part = []
            part.append(column)
    if part:
        yield part


def _text_label(line: TableLine) -> str:
    return ("  " if line.indent else "") + one_line(line.label)


def _size(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


# ── CSV ────────────────────────────────────────────────────────────────────────────────────────────


def csv_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table as CSV with a header (RFC 4180, but lines end with a line feed).

    Numbers are not rounded. A column with details (k of n, the interval) is followed by a column of these; the last
    column names the best columns of the line. ``alarms`` come first, in the section ``alarm``. An apostrophe precedes
    text that a spreadsheet would take for a formula.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    detailed = [
        any(line.cells[place].detail for line in table.lines) and not heading.paper
        for place, heading in enumerate(table.headings)
    ]
    names = []
    for heading, detail in zip(table.headings, detailed, strict=True):
        name = full_heading(heading)
        names += [name, f"{name}: details"] if detail else [name]
    writer.writerow(map(_csv_safe, ["table", "section", table.stub or "line", *names, "best"]))
    for alarm in alarms:
        writer.writerow(map(_csv_safe, [table.key, "alarm", alarm, *[""] * len(names), ""]))
    for section in table.sections:
        above = ""
        for line in section.lines:
            label = f"{above}: {line.label}" if line.indent and above else line.label
            above = above if line.indent else line.label
            row = [_csv_safe(table.key), _csv_safe(section.title), _csv_safe(label)]
            for cell, detail in zip(line.cells, detailed, strict=True):
                row += [_csv_number(cell), _csv_safe(cell.detail)] if detail else [_csv_number(cell)]
            best = [full_heading(table.headings[place]) for place, cell in enumerate(line.cells) if cell.best]
            writer.writerow([*row, _csv_safe("; ".join(best))])
    return out.getvalue()


def _csv_number(cell: TableCell) -> str:
    if cell.value is not None:
        return f"{cell.value:.10g}"
    # The details say which runs such a cell lacks.
    return "" if cell.text.startswith("–") or cell.text.endswith("–") else _csv_safe(cell.text)


def _csv_safe(text: str) -> str:
    text = one_line(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


# ── Markdown ───────────────────────────────────────────────────────────────────────────────────────

# Characters with a meaning in Markdown: anywhere, at the start of a link, or at the start of a list item.
_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]>|~#$&]|:(?=//)|^[-+=]|(?<=^\d)[.)](?=\s))")


def markdown_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table in GitHub's Markdown with its title and notes, below the quoted ``alarms``."""
    lines = []
    for number, alarm in enumerate(alarms):
        if alarm.startswith(" "):
            lines.append(f"> - {_md(alarm)}")
        else:
            lines += [*([">"] if number else []), f"> **{_md(alarm)}**", ">"]
    if alarms:
        lines.append("")
    if table.title:
        lines += [f"### {_md(table.title)}", ""]
    lines.append(_markdown_row([_md(table.stub), *(_md(full_heading(heading)) for heading in table.headings)]))
    lines.append(f"|---|{('---|' if table.prose else '---:|') * len(table.headings)}")
    for section in table.sections:
        if section.title:
            lines.append(_markdown_row([f"**{_md(section.title)}**", *[""] * len(table.headings)]))
        for line in section.lines:
            label = _md(line.label)
            label = f"↳ {label}" if line.indent else f"*{label}*" if line.total else label
            lines.append(_markdown_row([label, *map(_markdown_cell, line.cells)]))
    if table.notes:
        lines += ["", *(f"- {_md(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _markdown_cell(cell: TableCell) -> str:
    text = f"**{_md(cell.text)}**" if cell.best and cell.text else _md(cell.text)
    return f"{text} {_md(cell.between)}".rstrip()


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    # An entity, because a page may show the file as HTML.
    return _MARKDOWN_SIGNS.sub(r"\\\1", one_line(text)).replace("<", "&lt;")


# ── LaTeX ──────────────────────────────────────────────────────────────────────────────────────────

_WIDE_LATEX = 10
"""A table with at least so many columns is set smaller."""

_LATEX_SIGNS = {
    **{sign: rf"\{sign}" for sign in "{}$&%#_"},
    # After the end of a line LaTeX takes these for options.
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
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

_LATEX_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v"}
"""The commands of combining accents."""


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
    # Texts get the room that a label leaves.
    columns = r"p{0.75\linewidth}" if table.prose else "r" * width
    lines += [rf"  \begin{{tabular}}{{l{columns}}}", r"    \toprule"]
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
    letter, accent = unicodedata.normalize("NFD", character)[:1], unicodedata.normalize("NFD", character)[1:]
    if accent in _LATEX_ACCENTS and letter.isascii() and letter.isalpha():
        return rf"\{_LATEX_ACCENTS[accent]}{{{letter}}}"
    return f"{{[}}U+{ord(character):04X}{{]}}"


def _latex_head(table: Table) -> Iterator[str]:
    groups = groups_of(table)
    if any(name for name, _ in groups):
        cells, rules = [], []
        for name, columns in groups:
            cells.append(
                rf"\multicolumn{{{len(columns)}}}{{c}}{{{latex_escaped(name)}}}" if name else " & " * (len(columns) - 1)
            )
            if name:
                rules.append(rf"\cmidrule(lr){{{columns[0] + 2}-{columns[-1] + 2}}}")
        yield f" & {' & '.join(cells)} \\\\"
        yield " ".join(rules)
    yield f"{' & '.join(map(latex_escaped, [table.stub, *(heading.name for heading in table.headings)]))} \\\\"
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
            label = (r"\quad " if line.indent else "") + latex_escaped(line.label)
            yield f"{' & '.join([label, *map(_latex_cell, line.cells)])} \\\\"


def _latex_cell(cell: TableCell) -> str:
    text = latex_escaped(cell.text)
    text = rf"\textbf{{{text}}}" if cell.best and text else text
    return rf"{text} {{\scriptsize {latex_escaped(cell.between)}}}" if cell.between else text


# ── JSON ───────────────────────────────────────────────────────────────────────────────────────────


def table_json(table: Table) -> dict[str, object]:
    """A table as JSON: its headings, and the label and cells of every line, with values and shown texts."""
    columns = [asdict(heading) | {"label": full_heading(heading)} for heading in table.headings]
    sections = [
        {"title": section.title, "lines": [_line_json(line) for line in section.lines]} for section in table.sections
    ]
    return {
        "key": table.key,
        "title": table.title,
        "columns": columns,
        "sections": sections,
        "notes": list(table.notes),
    }


def _line_json(line: TableLine) -> dict[str, object]:
    cells = [
        {
            "text": cell.text,
            # JSON has no infinity, which the numbers of a foreign record may add up to.
            "value": cell.value if cell.value is None or math.isfinite(cell.value) else None,
            "detail": cell.detail,
            "best": cell.best,
            "estimated": cell.estimated,
            **({"interval": list(cell.interval)} if cell.interval else {}),
        }
        for cell in line.cells
    ]
    found = {"label": line.label, "indent": line.indent, "total": line.total, "cells": cells}
    return found | {"paper": True} if line.paper else found


FORMATS: Mapping[str, Callable[[Table, Sequence[str]], str]] = {
    "text": _text,
    "csv": csv_text,
    "markdown": markdown_text,
    "latex": latex_text,
}
"""The writers of one table and the alarms above it, by format."""
