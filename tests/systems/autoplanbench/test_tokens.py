"""The tables of tokens: over which pairs they are, the sums, estimates, and the paper beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.systems.autoplanbench.tables import TOKENS, tokens_table

_COMPARED = LayoutTable("tokens", paper="table-6", columns=("NL Act", "PDDL Act"))


def _texts(line):
    return [cell.text for cell in line.cells]


def _with_tokens(found, tokens, estimated=()):
    """The experiment with other numbers of tokens, by the names of runs."""
    runs = {
        name: replace(
            run,
            values=run.values | {TOKENS: tokens[name]} if name in tokens else run.values,
            estimated=frozenset({TOKENS} if name in estimated else ()),
        )
        for name, run in found.runs.items()
    }
    cells = {place: tuple(runs[run.name] for run in here) for place, here in found.cells.items()}
    return replace(found, runs=runs, cells=cells)


@pytest.fixture
def two(build, heads):
    """Two tasks, two seeds: one column solves all, the other the second task with one seed alone."""
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 1): 2, (0, 2): 1.5}, seeds={"NL Act": 2, "PDDL Act": 2})
    tokens = {
        "r0c1t00s1": 100.0,
        "r0c1t00s2": 300.0,
        "r0c1t01s1": 1000.0,
        "r0c1t01s2": 9999.0,
        "r0c2t00s1": 10.0,
        "r0c2t00s2": 20.0,
        "r0c2t01s1": 45.0,
    }
    return found, tokens


def test_only_pairs_count_that_every_column_solved_seeds_first_then_tasks(two):
    found, tokens = two
    assert [run.solved for run in found.cell(0, 2)] == [True, True, True, False]
    line = tokens_table(_with_tokens(found, tokens), _COMPARED).sections[0].lines[0]
    # ((100 + 300) / 2 + 1000) / 2, and ((10 + 20) / 2 + 45) / 2: the 9,999 stand against no run that was solved.
    assert [cell.value for cell in line.cells[:2]] == [600.0, 30.0]
    assert tokens_table(_with_tokens(found, tokens), _COMPARED).sections[-1].lines[0].cells[1].show == (
        ("row", "0"),
        ("column", "2"),
        ("outcome", "solved"),
    )
    assert line.cells[0].detail == "mean of 2 tasks, 3 pairs of task and seed"
    assert [cell.best for cell in line.cells[:2]] == [False, True]


def test_an_estimate_is_marked_where_it_counts(two):
    found, tokens = two
    table = tokens_table(_with_tokens(found, tokens, {"r0c1t00s1"}), _COMPARED)
    assert _texts(table.sections[0].lines[0])[:2] == ["~600", "30"]
    assert _texts(table.sections[-1].lines[0])[:2] == ["~600", "30"]
    assert any(note.startswith("~") for note in table.notes)
    # Of a run that is in no pair an estimate changes nothing.
    table = tokens_table(_with_tokens(found, tokens, {"r0c1t01s2"}), _COMPARED)
    assert _texts(table.sections[0].lines[0])[:2] == ["600", "30"]


def test_the_sum_is_over_all_sections_and_the_papers_over_the_same_rows(experiment):
    table = tokens_table(experiment, _COMPARED)
    assert [section.title for section in table.sections] == ["primary", "scaled", ""]
    (total,) = table.sections[-1].lines
    assert (total.label, _texts(total)) == ("sum", ["1,200", "1,600", "207,883", "166,274"])
    lines = {line.label: _texts(line) for line in table.sections[0].lines}
    assert lines == {
        "blocksworld": ["600", "800", "7,948", "6,354"],
        "ferry": ["600", "800 (1 broken)", "18,027", "14,210"],
    }
    assert _texts(table.sections[1].lines[0]) == ["– (1 missing)", "–", "181,908", "145,710"]


def test_columns_that_ask_no_model_and_rows_that_one_column_lacks_are_left_out(experiment):
    table = tokens_table(experiment, LayoutTable("tokens"))
    assert [heading.name for heading in table.headings] == ["Bas", "Act", "Act"]
    # The hand-written text is told to two of the three.
    assert [line.label for section in table.sections for line in section.lines] == [
        "blocksworld",
        "ferry",
        "ferry",
        "sum",
    ]
