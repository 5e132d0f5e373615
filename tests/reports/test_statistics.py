"""The statistics against scipy, statsmodels where it is installed, published examples and enumeration."""

from __future__ import annotations

import importlib
import itertools
import math
from typing import Any

import pytest

from pddl2nl.reports.statistics import holm, mcnemar, mean_interval, paired_bootstrap, wilson_interval


@pytest.fixture(scope="module")
def stats() -> Any:
    """scipy.stats, which the extra ``test`` brings."""
    return importlib.import_module("scipy.stats")


def test_fewer_than_two_values_have_no_interval() -> None:
    assert mean_interval([7.0]) is None
    assert mean_interval([]) is None


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
