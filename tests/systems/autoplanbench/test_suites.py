"""The paper's tables of solved tasks: by domain, and of IPC suites, one by one and by families."""

from __future__ import annotations

import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable
from pddl2nl.reports.tables.coverage import coverage_table
from pddl2nl.reports.tables.grid import paper_table
from pddl2nl.systems.autoplanbench.tables import families_table, suites_table

_SUITES = LayoutTable("suites", paper="table-4")
_FAMILIES = LayoutTable("families", paper="table-3")
_NO_YEAR = ("blocks00", "depot02", "gripper98", "movie98", "mprime98", "zenotravel02", "rovers06", "tpp06")


@pytest.fixture(scope="module")
def heads():
    """The paper's columns."""
    return [
        LayoutColumn(
            one.name, one.group, one.kind, one.policy, "m" if one.kind == "model" else "", one.style, one.wording
        )
        for one in paper_table("table-4").columns
    ]


def _folder(label):
    """The suite as people's folders call it."""
    if label in _NO_YEAR:
        return label[:-2]
    return label if label.startswith("logistics") else f"{label[:-2]}-opt{label[-2:]}-strips"


@pytest.fixture
def papers(build, heads):
    """An experiment over the paper's suites that solves what the paper did."""
    lines = paper_table("table-4").rows
    rows = [
        LayoutRow(_folder(line.label), "" if line.section == "ff" else "solved by brfs", "", line.tasks)
        for line in lines
    ]
    counts = {(row, column): value for row, line in enumerate(lines) for column, value in enumerate(line.values)}
    return build(rows, heads, counts)


def _texts(line):
    return [cell.text for cell in line.cells]


def test_suites_are_called_as_the_paper_calls_them_with_their_number_of_tasks(papers):
    table = suites_table(papers, _SUITES)
    lines = [line for section in table.sections for line in section.lines]
    expected = [f"{line.label} ({line.tasks})" for line in paper_table("table-4").rows]
    assert [line.label for line in lines] == [*expected, "sum (675)"]
    assert [section.title for section in table.sections] == ["", "solved by brfs", ""]
    assert any("transport08 is transport-opt08-strips" in note for note in table.notes)
    assert any("optimal track" in note for note in table.notes)


def test_suites_solved_as_the_paper_did_give_table_4(papers):
    table = suites_table(papers, _SUITES)
    for section in table.sections:
        for line in section.lines:
            assert _texts(line)[:6] == _texts(line)[6:]
    assert _texts(table.sections[-1].lines[0])[:6] == ["66", "179", "1", "412", "441", "675"]


def test_families_of_the_papers_suites_are_table_3(papers):
    table = families_table(papers, _FAMILIES)
    (section,) = table.sections
    expected = [f"{row.label} ({row.tasks})" for row in paper_table("table-3").rows[:-1]]
    assert [line.label for line in section.lines] == [*expected, "others (482 in 27 domains)", "sum (675)"]
    for line, row in zip(section.lines, paper_table("table-3").rows, strict=False):
        assert [int(text) for text in _texts(line)[:6]] == list(row.values)
        assert _texts(line)[:6] == _texts(line)[6:]
    assert any("transport14" in note and "less than 25%" in note for note in table.notes)


def _families(build, heads, counts, **options):
    """A table over suites, given by folder with their tasks and the number that the first column solves."""
    rows = [LayoutRow(label, tasks=tasks) for label, (tasks, _) in counts.items()]
    solved = {(row, 0): number for row, (_, number) in enumerate(counts.values())}
    return families_table(build(rows, heads, solved, **options), LayoutTable("families"))


def _labels(table):
    return [line.label for line in table.sections[0].lines]


def test_tracks_are_not_mixed_and_suites_without_one_go_with_the_optimal_ones(build, heads):
    table = _families(
        build,
        heads,
        {"pegsol-opt11-strips": (4, 2), "pegsol-08-strips": (4, 4), "pegsol-sat11-strips": (4, 4), "pegsol": (2, 2)},
    )
    # Two suites come to pegsol11, which therefore are called in full.
    assert _labels(table) == ["pegsol (2)", "pegsol08 + pegsol-opt11-strips (8)", "pegsol-sat11-strips (4)", "sum (14)"]


def test_an_experiment_that_solves_what_the_paper_did_gives_the_papers_table(build):
    paper = paper_table("table-2")
    heads = [
        LayoutColumn(
            one.name, one.group, one.kind, one.policy, "m" if one.kind == "model" else "", one.style, one.wording
        )
        for one in paper.columns
    ]
    rows = [LayoutRow(line.label, line.section, line.variant, line.tasks) for line in paper.rows]
    counts = {(row, column): value for row, line in enumerate(paper.rows) for column, value in enumerate(line.values)}
    table = coverage_table(build(rows, heads, counts), LayoutTable("coverage", paper="table-2"))
    for section in table.sections:
        for line in section.lines:
            assert _texts(line)[:12] == _texts(line)[12:], line.label
    sums = [line for section in table.sections for line in section.lines if line.total]
    assert [[int(cell.text) for cell in line.cells[:12]] for line in sums] == [list(line.values) for line in paper.sums]
    assert [line.label for line in sums] == ["sum (260)", "sum (80)"]
    # Bold as a reader of the paper would expect it: ReAct in Grid, everything in Movie, nothing in Floortile.
    best = {line.label: [cell.best for cell in line.cells[:8]] for line in table.sections[0].lines}
    assert best["grid (20)"] == [False, False, False, True, False, False, False, False]
    assert best["movie (20)"] == [True] * 8
    assert best["floortile (20)"] == [False] * 8
