"""Tables as text: aligned columns, headings above groups of them, parts where a line has no room for all."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pddl2nl.reports.tables.lines import groups_of, one_line
from pddl2nl.reports.tables.model import Line, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["plain_text", "write_text"]

_GAP = 2


def write_text(table: Table, console: Console) -> None:
    """Prints a table for people: bold where the terminal can, a star where it cannot; never wider than the console."""
    from rich.text import Text

    coloured = console.is_terminal and console.color_system is not None
    for line in _Layout(table, console.width, starred=not coloured).lines():
        text = Text()
        for part, bold in line:
            text.append(part, style="bold" if bold and coloured else "")
        _print(console, text)
    for note in _notes(table, console.width, starred=not coloured):
        console.print(Text(note), soft_wrap=True)


def plain_text(table: Table, width: int = 160) -> str:
    """The table as plain text, in parts of at most ``width`` columns, with its notes; a star marks the best."""
    lines = ["".join(part for part, _ in line).rstrip() for line in _Layout(table, width, starred=True).lines()]
    return "\n".join([*lines, *_notes(table, width, starred=True)]) + "\n"


def _print(console: Console, text: Text) -> None:
    text.rstrip()
    console.print(text, soft_wrap=True, crop=False)


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


class _Layout:
    """Where everything stands: widths of columns, and which columns go into one part."""

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
        """All lines, parts below one another, each part of a line with whether it is bold."""
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
            # A heading wider than what it is over widens the last of its columns.
            lacking = _size(name) - sum(sizes[column] + _GAP for column in members) + _GAP
            sizes[members[-1]] += max(0, lacking)
        return sizes

    def _total_width(self, sizes: Sequence[int]) -> int:
        return self._stub + sum(size + _GAP for size in sizes)

    def _in_parts(self, width: int) -> Iterator[list[int]]:
        """Columns in parts that fit; groups are kept whole where they fit into a part of their own."""
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
