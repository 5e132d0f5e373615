"""The statistics of reports: intervals of means and shares, paired tests, effect sizes, correction for many tests.

Functions take numbers and return named results; they know nothing of runs. Everything random has a seed. Distributions
come from scipy; the tests check every quantity against scipy, statsmodels or enumeration.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "LEVEL",
    "RESAMPLES",
    "Interval",
    "McNemar",
    "Mean",
    "PairedBootstrap",
    "cohens_d_z",
    "dominance",
    "exact_interval",
    "holm",
    "mcnemar",
    "mean_interval",
    "paired_bootstrap",
    "student_quantile",
    "wilson_interval",
]

LEVEL = 0.95
"""The confidence level where none is asked for."""

RESAMPLES = 10_000
"""How often a bootstrap draws."""

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """A confidence interval, both ends included."""

    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True)
class Mean:
    """A mean of ``n`` values with their sample ``deviation`` (n − 1); that and ``interval`` need two of them."""

    mean: float
    n: int
    deviation: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True)
class McNemar:
    """Two yes-or-no results of the same instances.

    Attributes:
        both, only_a, only_b, neither: the instances, by who succeeded.
        p_value: two-sided and exact.
        difference: the share of A's successes less that of B's (the risk difference).
        difference_interval: of it, by Newcombe's square-and-add method for pairs.
        odds_ratio: ``only_a / only_b``, infinite where B alone never succeeds, None where they differ nowhere.
        odds_ratio_interval: of it, exact given the number of instances in which they differ; None with it.
        cohens_g: the share of ``only_a`` among these instances, less a half; None with the odds ratio.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    p_value: float
    difference: float
    difference_interval: Interval
    odds_ratio: float | None
    odds_ratio_interval: Interval | None
    cohens_g: float | None


@dataclass(frozen=True)
class PairedBootstrap:
    """The mean ``difference`` of ``n`` pairs, its BCa ``interval`` and the two-sided ``p_value`` of no difference.

    ``interval`` is None where all differ by the same, a single pair too: there is no spread to resample.
    """

    difference: float
    n: int
    p_value: float
    interval: Interval | None
    resamples: int = RESAMPLES


def mean_interval(values: Sequence[float], level: float = LEVEL) -> Mean:
    """The mean and Student's t interval around it (Student 1908): mean ± t(n − 1) · s / √n.

    Raises:
        InputError: there are no values.
    """
    _checked_level(level)
    n = len(values)
    if not n:
        raise InputError("a mean needs at least one value; found none")
    mean = math.fsum(values) / n
    if n == 1:
        return Mean(mean, 1)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = student_quantile(0.5 + level / 2, n - 1) * deviation / math.sqrt(n)
    return Mean(mean, n, deviation, Interval(mean - half, mean + half, level))


def wilson_interval(successes: float, trials: float, level: float = LEVEL) -> Interval:
    """The score interval of a share (Wilson 1927): it stays within 0 and 1, and has a width at 0 and at ``trials``.

    Raises:
        InputError: no trials, or successes that are negative or more than the trials.
    """
    _checked_level(level)
    if not 0 <= successes <= trials or not trials:
        raise InputError(f"a share needs 0 ≤ successes ≤ trials and a trial; found {successes} of {trials}")
    z = _NORMAL.inv_cdf(0.5 + level / 2)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends the formula gives 0 and 1 exactly; floating point does not.
    low = 0.0 if successes == 0 else centre - half
    return Interval(low, 1.0 if successes == trials else centre + half, level)


def exact_interval(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """The exact interval of a share (Clopper and Pearson 1934), by the quantiles of the beta distribution.

    Raises:
        InputError: as `wilson_interval`.
    """
    _checked_level(level)
    if not 0 <= successes <= trials or not trials:
        raise InputError(f"a share needs 0 ≤ successes ≤ trials and a trial; found {successes} of {trials}")
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures else 1.0
    return Interval(low, high, level)


def mcnemar(both: int, only_a: int, only_b: int, neither: int, level: float = LEVEL) -> McNemar:
    """McNemar's test (1947) of two yes-or-no results of the same instances, in its exact form.

    If neither is better, an instance in which they differ falls to either with probability ½: the p-value is that of
    the two-sided binomial test, with no approximation at small numbers. Effect sizes: the risk difference with
    Newcombe's interval (1998, method 10), the conditional odds ratio with its exact interval, Cohen's g (1988, ch. 5).

    Raises:
        InputError: a negative count, or no instances.
    """
    _checked_level(level)
    n = both + only_a + only_b + neither
    if min(both, only_a, only_b, neither) < 0 or not n:
        raise InputError(f"McNemar's test needs counts of instances; found {both}, {only_a}, {only_b}, {neither}")
    differ = only_a + only_b
    ratio = None if not differ else only_a / only_b if only_b else math.inf
    within = None
    if differ:
        share = exact_interval(only_a, differ, level)
        within = Interval(_odds(share.low), _odds(share.high), level)
    return McNemar(
        both,
        only_a,
        only_b,
        neither,
        _binomial_p(min(only_a, only_b), differ),
        (only_a - only_b) / n,
        _newcombe(both, only_a, only_b, neither, level),
        ratio,
        within,
        only_a / differ - 0.5 if differ else None,
    )


def paired_bootstrap(
    differences: Sequence[float], level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 1
) -> PairedBootstrap:
    """A bootstrap over pairs (Efron 1979): each resample draws as many of the differences, with replacement.

    The interval is the bias-corrected and accelerated one (Efron 1987; Efron and Tibshirani 1993, §14.3). The p-value
    is the share of resamples whose mean, moved so that no difference is true, lies as far from zero as the one
    observed (ibid., §16.4), both counted once more for the observation itself (Davison and Hinkley 1997, eq. 4.11).
    A handful of pairs that agree has no spread to resample, and would look certain; so the p-value is never below
    2 / 2^m for m differences that are not zero, the least that turning their signs could give.

    Raises:
        InputError: there are no differences.
    """
    _checked_level(level)
    n = len(differences)
    if not n:
        raise InputError("a paired bootstrap needs at least one pair; found none")
    total = math.fsum(differences)
    moved = sum(value != 0 for value in differences)
    if max(differences) == min(differences):
        # Only the signs carry information.
        return PairedBootstrap(total / n, n, min(1.0, 2.0 ** (1 - moved)), None, resamples)
    sums = _resampled_sums(differences, resamples, seed)
    as_far = int((abs(sums - total) >= abs(total) * (1 - _TIE)).sum())
    p_value = max((as_far + 1) / (resamples + 1), 2.0 ** (1 - moved))
    low, high = (value / n for value in _bca(differences, total, sums, level))
    return PairedBootstrap(total / n, n, min(1.0, p_value), Interval(low, high, level), resamples)


def cohens_d_z(differences: Sequence[float]) -> float | None:
    """Cohen's d for pairs (1988, §2.3.5): the mean difference over the differences' deviation.

    None for fewer than two pairs and where all differ by the same, so that there is no deviation.
    """
    if len(differences) < 2:
        return None
    result = mean_interval(differences)
    if max(differences) == min(differences) or not result.deviation:
        return None
    return result.mean / result.deviation


def dominance(differences: Sequence[float]) -> float | None:
    """The share of pairs in which the first is larger less that in which it is smaller (Cliff's d within pairs, 1993).

    −1 to 1; None without pairs.
    """
    if not differences:
        return None
    return sum((value > 0) - (value < 0) for value in differences) / len(differences)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values corrected for their number by Holm's step-down method (1979), in the order given.

    The chance of any false finding among them stays below the level at which they are read.
    """
    order = sorted(range(len(p_values)), key=lambda index: (p_values[index], index))
    corrected = [1.0] * len(p_values)
    reached = 0.0
    for rank, index in enumerate(order):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = reached
    return tuple(corrected)


@lru_cache(maxsize=1024)
def student_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's t distribution, as tables print it: 2.776 for 0.975 and 4 degrees of freedom.

    Raises:
        InputError: the probability is not between 0 and 1, or the degrees are not positive.
    """
    if not 0 < probability < 1 or degrees <= 0:
        raise InputError(f"no quantile of Student's t for probability {probability} and {degrees} degrees of freedom")
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def _checked_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"a confidence level lies between 0 and 1, as 0.95 does; found {level}")


def _odds(share: float) -> float:
    return math.inf if share == 1 else share / (1 - share)


def _binomial_p(fewer: int, trials: int) -> float:
    """Two-sided, for probability ½: twice the smaller tail; in whole numbers, so that it is exact at any size."""
    tail, term = 0, 1
    for successes in range(fewer + 1):
        tail += term
        term = term * (trials - successes) // (successes + 1)
    return min(1.0, 2 * tail / (1 << trials))


def _newcombe(both: int, only_a: int, only_b: int, neither: int, level: float) -> Interval:
    """Newcombe's method 10 for the difference of paired shares: Wilson's intervals, added as their correlation bids.

    The correlation is corrected for continuity where it is positive, or the interval would be too short.
    """
    n = both + only_a + only_b + neither
    share_a, share_b = (both + only_a) / n, (both + only_b) / n
    a, b = wilson_interval(both + only_a, n, level), wilson_interval(both + only_b, n, level)
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    together = both * neither - only_a * only_b
    moved = max(0.0, together - n / 2) if together > 0 else together
    correlation = moved / math.sqrt(margins) if margins else 0.0

    def apart(first: float, second: float) -> float:
        return math.sqrt(max(0.0, first * first - 2 * correlation * first * second + second * second))

    difference = (only_a - only_b) / n
    low = difference - apart(share_a - a.low, b.high - share_b)
    high = difference + apart(a.high - share_a, share_b - b.low)
    return Interval(max(-1.0, low), min(1.0, high), level)


_TIE = 1e-9
"""Sums of resamples that differ by less, relative to the largest, are equal: they differ only by rounding."""


def _resampled_sums(values: Sequence[float], resamples: int, seed: int) -> NDArray[np.float64]:
    """The sorted sums of the resamples. Equal values are drawn together, which costs less where there are many."""
    import numpy as np

    counts = Counter(values)
    shares = np.array(list(counts.values())) / len(values)
    drawn = np.random.default_rng(seed).multinomial(len(values), shares, size=resamples)
    sums: NDArray[np.float64] = np.sort(drawn @ np.array(list(counts), dtype=float))
    return sums


def _bca(values: Sequence[float], total: float, sums: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The ends of the BCa interval of a sum, from the sorted sums of the resamples."""
    import numpy as np

    tie = _TIE * max(abs(sums[0]), abs(sums[-1]))
    below = float((sums < total - tie).sum() + (sums <= total + tie).sum()) / (2 * len(sums))
    mean = total / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    cubes = math.fsum((value - mean) ** 3 for value in values)
    if not 0 < below < 1 or squares <= 1e-24 * mean * mean:
        return float(sums[0]), float(sums[-1])
    bias = _NORMAL.inv_cdf(below)
    acceleration = cubes / (6 * squares**1.5)

    def end(probability: float) -> float:
        moved = bias + _NORMAL.inv_cdf(probability)
        return float(np.quantile(sums, _NORMAL.cdf(bias + moved / (1 - acceleration * moved))))

    return end((1 - level) / 2), end((1 + level) / 2)
