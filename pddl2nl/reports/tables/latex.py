"""Tables as LaTeX with booktabs: a float of its own, to be taken into a paper by ``\\input``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from pddl2nl.reports.tables.lines import groups_of, one_line
from pddl2nl.reports.tables.model import Line, Table, TableCell

__all__ = ["latex_escaped", "latex_text"]

_WIDE = 10
"""From this number of columns on a table is set smaller."""

_SPECIAL = {
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
    # Behind the end of a line LaTeX takes these for its options.
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

_LIGATURES = re.compile(r"([-',])(?=\1)")
"""What LaTeX would make one sign of: two dashes, two quotes."""

_MARKS = {
    "\N{COMBINING GRAVE ACCENT}": "`",
    "\N{COMBINING ACUTE ACCENT}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING DIAERESIS}": '"',
    "\N{COMBINING CARON}": "v",
}


def latex_text(table: Table, alarms: Sequence[str] = ()) -> str:
    """The table as a LaTeX float, for which a document needs ``\\usepackage{booktabs}``; notes stand below it.

    The ``alarms`` stand first, as comments; what a cell lacks stands in the cell. Text that LaTeX may have no sign for
    is set as its code point, ``[U+4E2D]``, so that the fragment compiles with any engine.
    """
    width = len(table.headings)
    # A comment ends with its line, and `one_line` leaves but one.
    lines = [f"% {one_line(alarm)}" for alarm in alarms]
    lines += [r"% needs \usepackage{booktabs}", r"\begin{table}[tbp]", r"  \centering"]
    if table.title:
        lines.append(rf"  \caption{{{latex_escaped(table.title)}}}")
    lines.append(rf"  \label{{tab:{re.sub('[^a-z0-9]+', '-', table.key.lower()).strip('-') or 'table'}}}")
    if width >= _WIDE:
        lines.append(r"  \footnotesize\setlength{\tabcolsep}{3pt}")
    lines += [rf"  \begin{{tabular}}{{l{'r' * width}}}", r"    \toprule"]
    lines += [f"    {line}" for line in (*_head(table), *_body(table))]
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    if table.notes:
        notes = r"\\".join(latex_escaped(note) for note in table.notes)
        lines.append(rf"  \par\smallskip\parbox{{\linewidth}}{{\footnotesize {notes}}}")
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def latex_escaped(text: str) -> str:
    """Text of any origin as LaTeX shows it, on one line; nothing in it is a command."""
    return _LIGATURES.sub(r"\1{}", "".join(map(_character, one_line(text))))


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[1] in _MARKS and parts[0].isascii() and parts[0].isalpha():
        return rf"\{_MARKS[parts[1]]}{{{parts[0]}}}"
    return f"{{[}}U+{ord(character):04X}{{]}}"


def _head(table: Table) -> Iterator[str]:
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


def _body(table: Table) -> Iterator[str]:
    for number, section in enumerate(table.sections):
        if number:
            yield r"\midrule"
        if section.title:
            yield rf"\multicolumn{{{len(table.headings) + 1}}}{{l}}{{\emph{{{latex_escaped(section.title)}}}}} \\"
        for line in section.lines:
            if line.total and len(section.lines) > 1:
                yield r"\midrule"
            yield f"{' & '.join([_label(line), *map(_cell, line.cells)])} \\\\"


def _label(line: Line) -> str:
    return (r"\quad " if line.indent else "") + latex_escaped(line.label)


def _cell(cell: TableCell) -> str:
    text = latex_escaped(cell.text)
    return rf"\textbf{{{text}}}" if cell.best and text else text
