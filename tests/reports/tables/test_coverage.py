"""The coverage table: means over seeds, sums, what is best, what is missing, and the paper beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutRow, LayoutTable
from pddl2nl.reports.tables import tables_of
from pddl2nl.reports.tables.coverage import coverage_table
from pddl2nl.reports.tables.grid import ORACLE_NOTE, show_runs

_PAPERS = LayoutTable("coverage", paper="table-2")


def _lines(table):
    return {(section.title, line.label): line for section in table.sections for line in section.lines}


def _texts(line):
    return [cell.text for cell in line.cells]


def test_cells_are_means_over_seeds_with_k_of_n_and_the_interval(experiment):
    line = _lines(coverage_table(experiment, LayoutTable("coverage")))["primary", "blocksworld (4)"]
    assert _texts(line) == ["2.4", "3.2", "3.2", "0.1", "4"]
    assert line.cells[0].value == pytest.approx(2.4)
    # Two seeds solve three tasks and three solve two: 2.4 ± 2.776 · 0.5477 / √5.
    assert line.cells[0].detail == (
        "12 of 20 runs; mean of 5 seeds 2.40; 95 % interval over the seeds 1.72 to 3.08; "
        "95 % interval over the tasks 20 % to 90 %"
    )
    assert line.cells[0].between == "[0.8, 3.6]", "Wilson's, of 2.4 of 4 tasks"
    assert line.cells[4].between == "", "a planner's coverage is no sample"
    assert line.cells[4].detail == "4 of 4 runs"
    assert (line.cells[0].show, line.cells[4].show) == (show_runs([0], 0), show_runs([0], 4))


def test_a_cell_that_lacks_runs_says_so_and_is_not_compared(build, heads):
    rows = (LayoutRow("ferry", tasks=4),)
    found = build(
        rows, heads, {(0, 0): 2, (0, 1): 4, (0, 2): 1}, broken=["r0c1t03s1"], missing=["r0c2t00s1", "r0c2t01s1"]
    )
    (line, total) = coverage_table(found, LayoutTable("coverage")).sections[0].lines
    assert _texts(line) == ["2", "3 of 3 (1 broken)", "0 of 2 (2 missing)", "", ""]
    assert [cell.best for cell in line.cells] == [False] * 5
    assert "1 broken by infrastructure, not counted" in line.cells[1].detail
    assert "2 not run yet" in line.cells[2].detail
    assert _texts(total) == _texts(line)
    notes = coverage_table(found, LayoutTable("coverage")).notes
    assert any("never marked as the best" in note for note in notes)


def test_none_is_best_that_another_may_still_pass(build, heads):
    rows = (LayoutRow("ferry", tasks=4),)
    for missing, best in ((["r0c1t03s1"], True), (["r0c1t02s1", "r0c1t03s1"], False)):
        found = build(rows, heads, {(0, 0): 3, (0, 1): 2, (0, 2): 1}, missing=missing)
        line = coverage_table(found, LayoutTable("coverage")).sections[0].lines[0]
        assert [cell.best for cell in line.cells[:3]] == [best, False, False]


def test_a_cell_with_nothing_scored_is_a_dash(build, heads):
    found = build(
        (LayoutRow("ferry", tasks=1),), heads, {(0, 0): 1, (0, 1): 1}, broken=["r0c0t00s1"], missing=["r0c1t00s1"]
    )
    line = coverage_table(found, LayoutTable("coverage")).sections[0].lines[0]
    assert [(cell.text, cell.value) for cell in line.cells[:2]] == [("– (1 broken)", None), ("– (1 missing)", None)]


def test_one_seed_of_a_model_has_the_interval_of_a_share(build, heads):
    found = build((LayoutRow("ferry", tasks=10),), heads, {(0, 0): 8, (0, 4): 10})
    line = coverage_table(found, LayoutTable("coverage")).sections[0].lines[0]
    assert line.cells[0].detail == "8 of 10 runs; 95 % interval over the tasks 49 % to 94 %"
    assert line.cells[4].detail == "10 of 10 runs"


def test_columns_may_be_chosen(experiment):
    table = coverage_table(experiment, LayoutTable("coverage", columns=("Symb. FF", "NL Act")))
    assert [heading.name for heading in table.headings] == ["FF", "Act"]
    assert _texts(table.sections[0].lines[0]) == ["4", "3.2"]


def test_the_oracle_is_said_to_be_no_language_model(build, heads):
    oracle = [replace(head, model="oracle") for head in heads]
    rows = (LayoutRow("ferry", tasks=1),)
    assert ORACLE_NOTE in coverage_table(build(rows, oracle, {(0, 0): 1}), LayoutTable("coverage")).notes
    assert ORACLE_NOTE not in coverage_table(build(rows, heads, {(0, 0): 1}), LayoutTable("coverage")).notes


def test_alarms_name_what_is_in_no_cell(experiment):
    alarms = replace(experiment, strangers=("other",)).alarms
    assert alarms == (
        "Infrastructure errors: 1 run is in no cell of the tables",
        "  r1c2t03s2: why r1c2t03s2",
        "Not run yet: 1 of 300 runs; no cell counts them",
        "  r3c1t01s5",
        "Other records: 1 record is not a run of this experiment, and in no cell of the tables",
        "  other",
    )


def test_the_experiment_says_which_tables_it_is_there_for(experiment):
    assert [table.key for table in tables_of(experiment)] == ["table-2", "runs"]
    plain = replace(experiment, layout=replace(experiment.layout, tables=()))
    assert [table.key for table in tables_of(plain)] == ["coverage"]
    twice = replace(
        experiment, layout=replace(experiment.layout, tables=(LayoutTable("runs", "A"), LayoutTable("runs", "B")))
    )
    assert [(table.key, table.title) for table in tables_of(twice)] == [("runs", "A"), ("runs-2", "B")]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (LayoutTable("histogram"), "unknown kind of table 'histogram'; the kinds are coverage, runs"),
        (LayoutTable("coverage", paper="table-9"), "'table-9'; there are those of table-2"),
    ],
)
def test_tables_that_there_are_none_of_are_refused(experiment, wanted, message):
    asked = replace(experiment, layout=replace(experiment.layout, tables=(wanted,)))
    with pytest.raises(InputError, match=message):
        tables_of(asked)
