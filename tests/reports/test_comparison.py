"""Columns compared over the instances that both have, and the statistics against scipy and enumeration."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.comparison import Side, compare, comparison_table, comparisons
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.statistics import holm, mcnemar, mean_interval, paired_bootstrap, wilson_interval

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


# ── statistics ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def stats() -> Any:
    """scipy.stats, which the extra ``test`` brings."""
    return importlib.import_module("scipy.stats")


def test_fewer_than_two_values_have_no_interval() -> None:
    assert mean_interval([7.0]) is None
    assert mean_interval([]) is None


@pytest.mark.parametrize("number", [2, 3, 4, 5, 10, 31, 1000])
def test_intervals_of_means_are_scipys(stats: Any, number: int) -> None:
    values = [float(value * value % 7) for value in range(number)]
    found = mean_interval(values)
    assert found is not None
    ends = stats.t.interval(0.95, number - 1, loc=stats.tmean(values), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(0, 20), (1, 20), (3, 20), (20, 20), (67, 100), (1, 1), (0, 1)])
def test_intervals_of_shares_are_scipys(stats: Any, successes: int, trials: int) -> None:
    found = wilson_interval(successes, trials)
    expected = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= found.low <= successes / trials <= found.high <= 1


def test_mcnemars_p_value_is_that_of_all_assignments() -> None:
    # Every way in which nine instances that differ could have fallen, each as likely as the other.
    ways = [sum(signs) for signs in itertools.product((0, 1), repeat=9)]
    for only_a in range(10):
        as_far = sum(abs(way - 4.5) >= abs(only_a - 4.5) for way in ways)
        assert mcnemar(3, only_a, 9 - only_a, 4).p_value == pytest.approx(as_far / len(ways), rel=1e-12)


def test_newcombes_interval_is_the_published_one() -> None:
    # Newcombe 1998 (Statistics in Medicine 17, 2635–2650), the example 36, 12, 2, 0, method 10.
    found = mcnemar(36, 12, 2, 0).interval
    assert (found.low, found.high) == (pytest.approx(0.0569, abs=5e-5), pytest.approx(0.3404, abs=5e-5))


def test_newcombes_interval_corrects_a_positive_correlation_for_continuity() -> None:
    # Of 20, 12, 2, 16 the product is 20 · 16 - 12 · 2 = 296, from which 50 / 2 is taken away, and not added.
    found = mcnemar(20, 12, 2, 16).interval
    assert (found.low, found.high) == (pytest.approx(0.0562, abs=5e-5), pytest.approx(0.3292, abs=5e-5))


def test_the_bootstraps_p_value_is_that_of_all_resamples() -> None:
    noisy = [0.6, -0.8, 0.4, 0.2, -0.3, 0.8]
    mean = sum(noisy) / 6
    exact = sum(abs(sum(drawn) / 6 - mean) >= mean - 1e-12 for drawn in itertools.product(noisy, repeat=6)) / 6**6
    assert paired_bootstrap(noisy).p_value == pytest.approx(exact, abs=0.02)


def test_a_bootstrap_of_few_pairs_that_agree_is_not_sure() -> None:
    found = paired_bootstrap([1.0, 1.0, 1.0])
    assert found.p_value == 0.25
    assert found.interval is None
    assert (paired_bootstrap([0.0, 0.0, 0.0]).p_value, paired_bootstrap([0.0, 0.0, 0.0]).interval) == (1.0, None)
    # Resamples alone would say 0.039; the signs of five differences that are not zero allow no less than 2 of 32.
    assert paired_bootstrap([0.6, -0.2, 0.4, 0.2, 0.0, 0.8]).p_value == 2 / 32
    assert (paired_bootstrap([0.4]).p_value, paired_bootstrap([0.4]).interval) == (1.0, None)


def test_a_bootstrap_is_the_same_every_time_and_in_any_order_of_magnitude() -> None:
    values = [0.1 * number for number in range(-4, 12)]
    assert paired_bootstrap(values) == paired_bootstrap(values)
    assert paired_bootstrap(values, seed=2) != paired_bootstrap(values)
    large = paired_bootstrap([value * 1e6 for value in values])
    assert large.p_value == paired_bootstrap(values).p_value


def test_cohens_d_of_pairs(stats: Any) -> None:
    values = [0.2, 0.4, -0.2, 0.6, 0.0]
    expected = stats.ttest_1samp(values, 0).statistic / math.sqrt(len(values))
    assert paired_bootstrap(values).effect == pytest.approx(expected)
    assert paired_bootstrap([1.0]).effect is None
    assert paired_bootstrap([0.1, 0.1, 0.1]).effect is None


def test_holms_correction_by_hand() -> None:
    # Holm 1979: the smallest times 4, the next times 3, …, never falling.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.5, 0.6]) == (1.0, 1.0)
    assert holm([]) == ()
