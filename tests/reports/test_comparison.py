"""Columns compared over the instances that both have: which runs are paired, which test, and what the table says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.comparison import Side, compare, comparison_table, comparisons
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.statistics import holm, mcnemar

ACT, REACT, BASIC = (LayoutColumn(name, "NL") for name in ("Act", "ReA", "Bas"))
FF = LayoutColumn("FF", "Symb.", "planner")
BLOCKS, FERRY = LayoutRow("blocksworld"), LayoutRow("ferry")

Make = Callable[..., Gathered]


def test_one_seed_of_coverage_is_mcnemars_test(experiment_of: Make) -> None:
    solved = {"ReA": {0, 1, 2, 3, 4, 5, 6}, "Act": {0, 1, 9}}
    gathered = experiment_of([ACT, REACT], [BLOCKS], lambda row, column, task, seed: task in solved[column.name], 10)
    found = compare(gathered, "NL ReA", "NL Act")
    assert found.test == mcnemar(both=2, only_a=5, only_b=1, neither=2)
    assert (found.instances, found.left_out) == (10, 0)
    assert found.counts == (5, 4, 1)
    assert found.means == (0.7, 0.3)
    assert found.test.difference == pytest.approx(0.4)


def test_several_seeds_are_means_of_their_instance_and_never_instances(experiment_of: Make) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> bool:
        return seed <= (4 if column.name == "ReA" else 2) + task % 2

    gathered = experiment_of([ACT, REACT], [BLOCKS], result, 6, range(1, 6))
    found = compare(gathered, "NL ReA", "NL Act")
    assert found.test.name == "bootstrap"
    assert (found.instances, found.pairs[0].runs) == (6, (5, 5))
    assert found.means == pytest.approx((0.9, 0.5))
    assert found.test.difference == pytest.approx(0.4)
    # All six differ alike: signs alone can say 2 in 64, not 1 in 10,000.
    assert found.p_value == pytest.approx(2 / 64)


def test_what_broke_or_is_missing_on_one_side_is_left_out_and_counted(experiment_of: Make) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        if column.name == "Act" and task < 2:
            return "broken" if task else "missing"
        return column.name == "ReA" or task == 5

    found = compare(experiment_of([ACT, REACT], [BLOCKS], result, 6), "NL Act", "NL ReA")
    assert (found.instances, found.left_out) == (4, 2)
    assert (found.means, found.counts) == ((0.25, 1.0), (0, 1, 3))


def test_lengths_are_compared_where_both_solved_the_same_seed(experiment_of: Make) -> None:
    lengths = {
        ("Act", 0, 1): 6.0,
        ("Act", 0, 2): 100.0,  # ReA did not solve seed 2
        ("ReA", 0, 1): 4.0,
        ("Act", 1, 1): 9.0,
        ("Act", 1, 2): 11.0,
        ("ReA", 1, 1): 8.0,
        ("ReA", 1, 2): 8.0,
        ("ReA", 2, 1): 50.0,  # Act never solved task 2
    }

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        length = lengths.get((column.name, task, seed))
        return False if length is None else {"coverage": 1.0, "plan-length": length}

    found = compare(experiment_of([ACT, REACT], [BLOCKS], result, 3, (1, 2)), "NL Act", "NL ReA", "plan-length")
    assert (found.instances, found.left_out) == (2, 1)
    assert found.means == (8.0, 6.0)
    # Shorter is better.
    assert found.counts == (0, 0, 2)
    assert found.test.name == "bootstrap"


def test_a_planner_without_seeds_goes_with_every_seed(experiment_of: Make) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> Any:
        return {"coverage": 1.0, "plan-length": 5.0 if seed is None else 6.0 + seed}

    found = compare(experiment_of([ACT, FF], [BLOCKS], result, 3, (1, 2, 3)), "NL Act", "Symb. FF", "plan-length")
    assert (found.means, [pair.runs for pair in found.pairs]) == ((8.0, 5.0), [(3, 1)] * 3)


def test_the_best_column_stands_against_each_other_one_in_each_section(experiment_of: Make) -> None:
    level = {"Bas": 3, "Act": 12, "ReA": 15, "FF": 20}
    rows = [LayoutRow("blocksworld", "primary"), LayoutRow("ferry", "primary"), LayoutRow("ferry", "scaled")]

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> bool:
        # Among the scaled ones Act is the best.
        return task < level[column.name] + (6 if row.section == "scaled" and column.name == "Act" else 0)

    made = comparisons(experiment_of([BASIC, ACT, REACT, FF], rows, result, 20))
    assert [(one.section, one.a.label, one.b.label, one.instances) for one in made] == [
        ("primary", "NL ReA", "NL Bas", 40),
        ("primary", "NL ReA", "NL Act", 40),
        ("scaled", "NL Act", "NL Bas", 20),
        ("scaled", "NL Act", "NL ReA", 20),
    ]
    assert [one.p_holm for one in made] == list(holm([one.p_value or 0.0 for one in made]))


def test_a_variants_rows_are_compared_with_the_columns_own(experiment_of: Make) -> None:
    rows = [BLOCKS, LayoutRow("blocksworld", variant="PlanBench"), FERRY]

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        return "absent" if row.variant and column.name == "Bas" else task < (8 if row.variant else 5)

    made = comparisons(experiment_of([ACT, BASIC], rows, result, 10))[1:]
    assert len(made) == 1
    # Ferry has no such row: it is neither compared nor missed.
    assert (made[0].a, made[0].b) == (Side("NL Act"), Side("NL Act", "PlanBench"))
    assert (made[0].instances, made[0].left_out, made[0].counts[2]) == (10, 0, 3)


def test_what_there_is_not_is_said_with_what_there_is(experiment_of: Make) -> None:
    gathered = experiment_of([ACT, REACT], [BLOCKS], lambda *run: True)
    with pytest.raises(InputError, match=r"no column 'NL ReAct'.*did you mean 'NL ReA'\?.*'NL Act'"):
        compare(gathered, "NL Act", "NL ReAct")
    with pytest.raises(InputError, match=r"no metric 'token'.*did you mean 'tokens'"):
        compare(gathered, "NL Act", "NL ReA", "token")
    with pytest.raises(InputError, match=r"cache-hits.*is not compared"):
        compare(gathered, "NL Act", "NL ReA", "cache-hits")
    with pytest.raises(InputError, match="no rows of a variant 'PlanBench'"):
        compare(gathered, "NL Act", Side("NL Act", "PlanBench"))


def test_the_table_of_one_seed(experiment_of: Make) -> None:
    solved = {"ReA": {0, 1, 2, 3, 4, 5, 6}, "Act": {0, 1, 9}}
    gathered = experiment_of([ACT, REACT], [BLOCKS], lambda row, column, task, seed: task in solved[column.name], 10)
    table = comparison_table(comparisons(gathered))
    assert table is not None
    assert (table.key, table.sections[0].title) == ("comparisons", "A = NL ReA")
    line = table.sections[0].lines[0]
    assert line.label == "NL Act"
    assert {heading.name: cell.text for heading, cell in zip(table.headings, line.cells, strict=True)} == {
        "compared": "10",
        "left out": "0",
        "A": "70.0 %",
        "B": "30.0 %",
        "A − B": "+40.0",
        "95 % interval": "−3.9 to +67.8",
        "better": "5",
        "equal": "4",
        "worse": "1",
        "test": "McNemar",
        "p": "0.219",
        "p (Holm)": "0.219",
        "effect size": "OR 5.00",
    }
    notes = " ".join(table.notes)
    assert "McNemar: exact" in notes
    assert "bootstrap" not in notes
    assert "chosen by the same runs" in notes


def test_the_table_of_a_comparison_asked_for_claims_no_choice_and_no_correction(experiment_of: Make) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        return {"coverage": 1.0, "usd": (0.01 + task / 1000) * (2 if column.name == "ReA" else 1)}

    gathered = experiment_of([ACT, REACT], [BLOCKS], result, 12, (1, 2))
    table = comparison_table([compare(gathered, "NL ReA", "NL Act", "usd")])
    assert table is not None
    cells = {h.name: c.text for h, c in zip(table.headings, table.sections[0].lines[0].cells, strict=True)}
    assert (cells["A"], cells["B"], cells["A − B"]) == ("0.031", "0.0155", "+0.0155")
    assert (cells["better"], cells["worse"], cells["test"], cells["p (Holm)"]) == ("0", "12", "bootstrap", "–")
    assert cells["p"] == "< 0.001"
    notes = " ".join(table.notes)
    assert "Holm" not in notes
    assert "chosen" not in notes
    assert "both solved" in notes


def test_coverage_is_the_mean_over_seeds_also_where_one_broke(experiment_of: Make) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        return "broken" if (task, seed) == (3, 3) else task + seed <= 4

    gathered = experiment_of([ACT], [BLOCKS], result, 4, (1, 2, 3))
    found = coverage_of(gathered.cell(0, 0))
    # Tasks are solved with 3, 3, 2 of 3 seeds, and 1 of the 2 that were scored.
    assert found.solved == pytest.approx(1 + 1 + 2 / 3 + 1 / 2)
    assert (found.tasks, found.runs, found.solved_runs, found.broken, found.seeds) == (4, 11, 9, 1, 3)
    assert found.interval is not None
    assert found.interval.low < found.solved < found.interval.high <= 4
    assert found.share == pytest.approx(found.solved / 4)
    empty = coverage_of(())
    assert (empty.share, empty.interval, empty.tasks) == (None, None, 0)


def test_the_interval_of_coverage_is_students_over_the_seeds(experiment_of: Make) -> None:
    gathered = experiment_of([ACT], [BLOCKS], lambda row, column, task, seed: task < 10 + seed, 20, (1, 2, 3, 4, 5))
    found = coverage_of(gathered.cell(0, 0))
    assert found.solved == pytest.approx(13)
    # Seeds solve 11, 12, 13, 14, 15: t(4) · s / √5.
    assert found.interval is not None
    assert found.interval.high - 13 == pytest.approx(2.7764451 * 2.5**0.5 / 5**0.5)
