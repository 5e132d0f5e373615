"""The statistics of reports: 95 % intervals, paired tests, effect sizes, correction for many tests.

Functions take numbers and know nothing of runs. Paired tests are scipy.stats'; the intervals that every report has do
without, because importing scipy takes longer than the rest of a small report.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean, stdev

RESAMPLES = 10_000
"""The number of resamples of a bootstrap."""

_TAIL = 0.025  # on either side of a 95 % interval
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval, both ends included."""

    low: float
    high: float


@dataclass(frozen=True)
class PairedTest:
    """Two results of the same instances, A and B.

    Attributes:
        name: ``McNemar`` or ``bootstrap``.
        difference: the mean of A minus that of B; of shares this is the risk difference.
        p_value: two-sided, of no difference.
        interval: of the difference; None if there is no spread to resample.
        effect: the odds ratio of McNemar's test, infinite if B alone never succeeds; Cohen's d for pairs of a
            bootstrap. None if no instances differ, or if all differ by the same amount.
    """

    name: str
    difference: float
    p_value: float
    interval: Interval | None
    effect: float | None = None


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Student's t interval of a mean (1908): mean ± t(n − 1) · s / √n; None for fewer than two values."""
    if len(values) < 2:
        return None
    mean, half = fmean(values), _student(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half)


@lru_cache(maxsize=1024)
def _student(degrees: int) -> float:
    """The quantile of Student's t, from its distribution by bisection: to import scipy for it takes 0.7 s."""
    low, high = 0.0, math.pi / 2
    while low < (angle := (low + high) / 2) < high:
        if _within(angle, degrees) < 1 - 2 * _TAIL:
            low = angle
        else:
            high = angle
    return math.sqrt(degrees) * math.tan(angle)


def _within(angle: float, degrees: int) -> float:
    r"""P(|t| ≤ √n · tan(angle)) with n degrees of freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    odd, square = degrees % 2, math.cos(angle) ** 2
    term = total = (math.cos(angle) if degrees > 1 else 0.0) if odd else 1.0
    for factor in range(2 + odd, degrees - 1, 2):
        term *= (factor - 1) / factor * square
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def wilson_interval(successes: float, trials: float) -> Interval:
    """The score interval of a share (Wilson 1927); it stays within 0 and 1 and never has width 0."""
    z = _NORMAL.inv_cdf(1 - _TAIL)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # The ends are exact; floating point is not.
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)


def mcnemar(both: int, only_a: int, only_b: int, neither: int) -> PairedTest:
    """McNemar's test (1947) of two yes-or-no results of the same instances, in its exact form.

    If neither is better, each instance that differs falls to either with probability ½: the p-value is that of the
    two-sided binomial test. Effect sizes: the risk difference with Newcombe's interval (1998, method 10), and the
    conditional odds ratio.
    """
    n, differ = both + only_a + only_b + neither, only_a + only_b
    from scipy.stats import binomtest

    p_value = float(binomtest(only_a, differ).pvalue) if differ else 1.0
    ratio = None if not differ else only_a / only_b if only_b else math.inf
    return PairedTest("McNemar", (only_a - only_b) / n, p_value, _newcombe(both, only_a, only_b, neither), ratio)


def _newcombe(both: int, only_a: int, only_b: int, neither: int) -> Interval:
    """Newcombe's method 10: Wilson's intervals of both shares, combined by the correlation of the pairs.

    A positive correlation is corrected for continuity.
    """
    n = both + only_a + only_b + neither
    share_a, share_b = (both + only_a) / n, (both + only_b) / n
    a, b = wilson_interval(both + only_a, n), wilson_interval(both + only_b, n)
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    product = both * neither - only_a * only_b
    corrected = max(0.0, product - n / 2) if product > 0 else product
    correlation = corrected / math.sqrt(margins) if margins else 0.0

    def distance(first: float, second: float) -> float:
        return math.sqrt(max(0.0, first * first - 2 * correlation * first * second + second * second))

    difference = (only_a - only_b) / n
    low = difference - distance(share_a - a.low, b.high - share_b)
    high = difference + distance(a.high - share_a, share_b - b.low)
    return Interval(max(-1.0, low), min(1.0, high))


_TIE = 1e-9
"""Means of resamples that differ by less, relatively, are equal: they differ only by rounding."""


def paired_bootstrap(differences: Sequence[float], seed: int = 1) -> PairedTest:
    """A bootstrap over pairs (Efron 1979).

    The interval is the bias-corrected and accelerated one (Efron 1987; Efron and Tibshirani 1993, §14.3). The p-value
    is the share of resamples whose mean, shifted so that there is no true difference, is as far from zero as the
    observed one (ibid., §16.4), both counted once more for the observation itself (Davison and Hinkley 1997, eq. 4.11).
    A few equal differences have no spread to resample and would look certain, so the p-value is never below 2 / 2^m for
    m differences that are not zero, the least that exchanging their signs could give.
    """
    n, mean = len(differences), math.fsum(differences) / len(differences)
    least = min(1.0, 2.0 ** (1 - sum(value != 0 for value in differences)))
    if max(differences) == min(differences):
        return PairedTest("bootstrap", mean, least, None)
    import numpy as np
    from scipy.stats import DegenerateDataWarning, bootstrap

    values = np.array(differences)
    with warnings.catch_warnings():
        # With a handful of pairs BCa may have no ends.
        warnings.simplefilter("ignore", DegenerateDataWarning)
        drawn = bootstrap(
            (values,),
            np.mean,
            n_resamples=RESAMPLES,
            batch=max(1, 1_000_000 // n),
            method="BCa",
            random_state=np.random.default_rng(seed),
        )
    means, ends = drawn.bootstrap_distribution, drawn.confidence_interval
    as_far = int((abs(means - mean) >= abs(mean) * (1 - _TIE)).sum())
    p_value = min(1.0, max((as_far + 1) / (RESAMPLES + 1), least))
    low, high = ends.low, ends.high
    if math.isnan(low) or math.isnan(high):
        low, high = means.min(), means.max()
    interval = Interval(float(low), float(high))
    # Cohen's d for pairs (1988, §2.3.5): the mean difference over the standard deviation of the differences.
    return PairedTest("bootstrap", mean, p_value, interval, fmean(differences) / stdev(differences))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values corrected for their number by Holm's step-down method (1979), in the order given."""
    corrected = [1.0] * len(p_values)
    reached = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = reached
    return tuple(corrected)
