"""Tables in their formats: as golden files have them, whole in structure, and safe whatever a text says."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path

import pytest
from rich.console import Console

from pddl2nl.reports.tables import links_table, metrics_tables, tables_of
from pddl2nl.reports.tables.model import (
    Heading,
    Table,
    TableCell,
    TableLine,
    TableSection,
    csv_text,
    latex_escaped,
    latex_text,
    markdown_text,
    one_line,
    print_tables,
    table_json,
    written,
)

GOLDEN = Path(__file__).parent / "golden"

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1",
    "-2",
    "@SUM(A1)",
    "a | b",
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/)",
    "`code` *bold* _it_ ~~no~~ $x$ # & 100%",
    r"\input{/etc/passwd}",
    r"\end{tabular}} \\ & & ^^M %",
    "two\nlines\r\nand\ttabs",
    "\x1b[31mred\x1b[0m \x07 \u202egnirts",
    "[5mm] * after a line's end",
    "naïve Ünïcode 中文 –—“”‘’… ≥",
    "",
)


@pytest.fixture
def hostile():
    """A table of which every text tries to be markup, and no cell is empty of it."""
    headings = tuple(Heading(text, text, paper=bool(place % 2)) for place, text in enumerate(HOSTILE))
    lines = tuple(
        TableLine(
            text,
            tuple(TableCell(text, None, text, best=place == number) for place in range(len(HOSTILE))),
            number % 2 == 1,
        )
        for number, text in enumerate(HOSTILE)
    )
    return Table(
        "a key / with {odd} signs", HOSTILE[10], HOSTILE[4], headings, (TableSection(lines, HOSTILE[9]),), HOSTILE
    )


@pytest.fixture
def tables(experiment):
    """All kinds of tables of the small experiment."""
    return (*tables_of(experiment), *metrics_tables(experiment), links_table(experiment))


@pytest.mark.parametrize(("form", "ending"), [("text", "txt"), ("csv", "csv"), ("markdown", "md"), ("latex", "tex")])
def test_as_the_golden_file_has_it(experiment, tables, form, ending):
    found = written(tables, form, experiment.alarms)
    golden = GOLDEN / f"experiment.{ending}"
    if os.environ.get("PDDL2NL_WRITE_GOLDEN"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


# ── LaTeX ────────────────────────────────────────────────────────────────────────────────────────

_COMMANDS = {
    *("begin", "end", "centering", "caption", "label", "footnotesize", "setlength", "tabcolsep", "toprule", "midrule"),
    *("bottomrule", "cmidrule", "multicolumn", "emph", "textbf", "quad", "par", "smallskip", "parbox", "linewidth"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "textendash"),
    *("textemdash", "textquoteleft", "textquoteright", "textquotedblleft", "textquotedblright", "ldots", "char"),
    *("geq", "leq", "pm", "times", "to", "v", "usepackage"),
}


def _check_latex(text, columns):
    """Raises where LaTeX would: environments, braces and cells that don't match, signs that mean something bare."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert body.isascii()
    # A sign behind a backslash is a character, or an accent; the ends of lines are taken out first.
    bare = re.sub(r"\\[{}$&%#_]", "x", re.sub(r"\\\\", "\0", body))
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    assert set(re.findall(r"\\([A-Za-z]+)", bare)) <= _COMMANDS
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[%#_]", bare)
    assert bare.count("$") % 2 == 0
    (inside,) = re.findall(r"\\begin\{tabular\}\{(l+r*)\}(.*?)\\end\{tabular\}", bare, re.DOTALL)
    assert len(inside[0]) == columns + 1
    *rows, rest = inside[1].split("\0")
    assert re.sub(r"\\(midrule|bottomrule)", "", rest).strip() == ""
    for row in rows:
        spans = [int(number) for number in re.findall(r"\\multicolumn\{(\d+)\}", row)]
        cells = row.count("&") + 1 + sum(spans) - len(spans)
        assert cells == columns + 1, row
        assert not re.match(r"\s*[\[*]", re.sub(r"\\\w+(\{[^}]*\})*(\([lr]+\)\{[\d-]+\})?", "", row))


def test_latex_shows_any_text_as_it_is(hostile):
    _check_latex(latex_text(hostile, HOSTILE), len(hostile.headings))
    assert r"\label{tab:a-key-with-odd-signs}" in latex_text(hostile)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("50% & $3_a^b#{}~", r"50\% \& \$3\_a\textasciicircum{}b\#\{\}\textasciitilde{}"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a--b ''", "a-{}-b '{}'"),
        ("Fišer, Müller", r"Fi\v{s}er, M\"{u}ller"),
        ("中", "{[}U+4E2D{]}"),
        ("<a> | b", r"\textless{}a\textgreater{} \textbar{} b"),
    ],
)
def test_what_latex_would_read_is_escaped(text, shown):
    assert latex_escaped(text) == shown


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────


# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────


def test_csv_is_of_one_width_and_starts_no_formula(hostile):
    rows = list(csv.reader(io.StringIO(csv_text(hostile, HOSTILE))))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == 1 + len(HOSTILE) + len(HOSTILE)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert not [cell for row in rows for cell in row if "\n" in cell or "\x1b" in cell]


def test_markdown_shows_any_text_as_it_is(hostile):
    text = markdown_text(hostile, HOSTILE)
    bare = re.sub(r"\\.", "", text)
    assert not re.search(r"<|\[|`|\$|://", bare)
    assert "<" not in text
    # What is bold and what is slanted is ours.
    assert re.sub(r"\*\*[^*]*\*\*", "", bare).count("*") == 0


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def _printed(tables, width=160, alarms=(), **options):
    stream = io.StringIO()
    print_tables(tables, Console(file=stream, width=width, highlight=False, **options), alarms)
    return stream.getvalue()


def test_a_terminal_has_the_best_in_bold_and_no_stars(tables):
    text = _printed(tables[:1], force_terminal=True, color_system="standard", no_color=False)
    assert "3.2 [1.3, 3.9]\x1b[0m" in text
    assert "3.2*" not in text
    assert "Bold: the best language-model column" in text


@pytest.mark.parametrize("width", [160, 80, 60, 40])
def test_no_line_is_wider_than_the_console_and_no_number_is_cut_off(tables, width):
    text = _printed(tables[:1], width)
    assert max(map(len, text.splitlines())) <= width
    for number in ("2.4", "3.2*", "5.2 (1 broken)", "0.1"):
        assert number in text
    assert "…" not in text
    # All parts have all lines.
    assert text.count("sum (8)") == text.count("PlanBench")


def test_text_of_others_cannot_reach_the_terminal(hostile):
    text = _printed([hostile], 200, HOSTILE)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert one_line("a\x1b[2J\nb\u202e") == "a�[2J b�"


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def test_json_has_what_is_shown_and_the_numbers_behind_it(tables):
    said = table_json(tables[0])
    assert said["columns"][5] == {"name": "Bas", "group": "NL", "label": "paper: NL Bas", "paper": True}
    line = said["sections"][0]["lines"][0]
    assert (line["label"], line["indent"], line["total"]) == ("blocksworld (4)", False, False)
    assert line["cells"][1] | {"detail": ""} == {
        "text": "3.2",
        "value": pytest.approx(3.2),
        "detail": "",
        "best": True,
        "estimated": False,
        "interval": [pytest.approx(1.35, abs=0.01), pytest.approx(3.88, abs=0.01)],
    }
