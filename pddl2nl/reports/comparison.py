"""Two columns compared over the same instances: a paired test, an interval and an effect size.

An instance that only one column has a scored run of says nothing about both, and is left out and counted. With one run
an instance and a yes-or-no metric the test is McNemar's; otherwise each instance has the mean over its seeds, and the
test is a bootstrap over instances, so that seeds of one instance are never taken for independent tasks. A metric that
means something for solved runs alone is compared over the instances, and of those the seeds, that both columns solved.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import METRICS, Metric
from pddl2nl.reports.statistics import McNemar, PairedBootstrap, cohens_d_z, dominance, holm, mcnemar, paired_bootstrap
from pddl2nl.reports.summaries import RunSummary

__all__ = ["SHARES", "Comparison", "Side", "compare", "comparisons", "corrected", "shared_rows"]

SHARES = frozenset({"coverage", "unsolvable-claimed", "unsolvable-claimed-falsely"})
"""The metrics that are yes or no for a run, so that their mean is a share."""


@dataclass(frozen=True)
class Side:
    """What is compared: a column by its label (``NL Act``), on its own rows or on those of a ``variant``."""

    column: str
    variant: str = ""

    @property
    def label(self) -> str:
        """On one line: ``NL Act (PlanBench)``."""
        return f"{self.column} ({self.variant})" if self.variant else self.column


@dataclass(frozen=True)
class Comparison:
    """Column ``a`` against column ``b``.

    Attributes:
        metric: by its name in `pddl2nl.reports.metrics.METRICS`.
        section: of the layout's rows; None for all of them.
        instances: those compared.
        left_out: those of the same rows that cannot be compared: one side has no scored run, or, of a metric of
            solved runs, they did not both solve it.
        a_value, b_value: the means over the instances; None without any.
        better, equal, worse: instances by how ``a`` does, in the direction of the metric.
        seeds: the most runs of one instance, of either side.
        test: McNemar's or a bootstrap; None without instances.
        d_z: Cohen's d for pairs; None where all instances differ by the same.
        dominance: the share of instances in which ``a``'s value is larger less that in which it is smaller.
        p_holm: the p-value, corrected for the comparisons made together; None for one made alone.
        estimated: whether estimates are among the values.
    """

    a: Side
    b: Side
    metric: str
    section: str | None
    instances: int
    left_out: int
    a_value: float | None = None
    b_value: float | None = None
    better: int = 0
    equal: int = 0
    worse: int = 0
    seeds: tuple[int, int] = (0, 0)
    test: McNemar | PairedBootstrap | None = None
    d_z: float | None = None
    dominance: float | None = None
    p_holm: float | None = None
    estimated: bool = False

    @property
    def difference(self) -> float | None:
        """The mean of ``a`` less that of ``b``."""
        return None if self.test is None else self.test.difference

    @property
    def p_value(self) -> float | None:
        """Two-sided, not corrected; None without a test."""
        return None if self.test is None else self.test.p_value


@dataclass(frozen=True)
class _Pair:
    """An instance: the values of either side, how many runs they are of, and whether one is an estimate."""

    a: float
    b: float
    runs: tuple[int, int]
    estimated: bool

    @property
    def difference(self) -> float:
        # Means of fractions of the same number that are equal can differ in their last bit.
        return 0.0 if math.isclose(self.a, self.b, rel_tol=1e-12, abs_tol=1e-15) else self.a - self.b


# What makes two runs runs of the same instance: row label, section, task, its PDDL.
_Instance = tuple[str, str, str, str]


def compare(
    gathered: Gathered, a: str | Side, b: str | Side, metric: str = "coverage", section: str | None = None
) -> Comparison:
    """Compares two columns over the instances that both have; ``section`` restricts them to a section's rows.

    Raises:
        InputError: no such column, variant, section or metric (the message lists those that there are), or a metric
            that says more of the circumstances than of the column.
    """
    side_a, side_b = _side(gathered, a), _side(gathered, b)
    measured = _metric(metric)
    sections = {row.section for row in gathered.layout.rows}
    if section is not None and section not in sections:
        raise InputError(f"no section '{section}' in this experiment; there are {_listed(sorted(sections))}")
    rows = shared_rows(gathered, side_a, side_b, section)
    runs_a, runs_b = _instances(gathered, side_a, rows), _instances(gathered, side_b, rows)
    keys = list(dict.fromkeys((*runs_a, *runs_b)))
    pairs = [pair for key in keys if (pair := _pair(measured, runs_a.get(key, ()), runs_b.get(key, ()))) is not None]
    result = Comparison(side_a, side_b, metric, section, len(pairs), len(keys) - len(pairs))
    return _judged(result, measured, pairs) if pairs else result


def comparisons(gathered: Gathered, metric: str = "coverage") -> tuple[Comparison, ...]:
    """In each section the language-model column of the highest coverage against each other one, Holm-corrected.

    After these, each column against itself on the rows of a variant, over the instances that both have. Empty where
    there is one such column and no variant. All p-values are corrected together.

    Raises:
        InputError: no such metric, or one that is never compared.
    """
    return corrected([*_against_best(gathered, metric), *_against_variants(gathered, metric)])


def corrected(made: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Comparisons that are made together, their p-values corrected for that (Holm)."""
    values = iter(holm([one.p_value for one in made if one.p_value is not None]))
    return tuple(one if one.p_value is None else replace(one, p_holm=next(values)) for one in made)


def _against_best(gathered: Gathered, metric: str) -> Iterator[Comparison]:
    models = [column.label for column in gathered.layout.columns if column.kind == "model"]
    for section in dict.fromkeys(row.section for row in gathered.layout.rows):
        shares = {label: _share(gathered, label, section) for label in models}
        present = [label for label in models if shares[label] is not None]
        # The first of several equals: max keeps the order of the layout.
        best = max(present, key=lambda label: shares[label] or 0.0, default="")
        for label in present:
            if label != best:
                yield compare(gathered, best, label, metric, section)


def _against_variants(gathered: Gathered, metric: str) -> Iterator[Comparison]:
    variants = dict.fromkeys(row.variant for row in gathered.layout.rows if row.variant)
    for variant in variants:
        for column in gathered.layout.columns:
            if column.kind == "model":
                made = compare(gathered, column.label, Side(column.label, variant), metric)
                if made.instances:
                    yield made


def _share(gathered: Gathered, label: str, section: str) -> float | None:
    column = [each.label for each in gathered.layout.columns].index(label)
    return coverage_of(
        run
        for number, row in enumerate(gathered.layout.rows)
        if row.section == section and not row.variant
        for run in gathered.cell(number, column)
    ).share


def _side(gathered: Gathered, given: str | Side) -> Side:
    side = Side(given) if isinstance(given, str) else given
    labels = [column.label for column in gathered.layout.columns]
    if side.column not in labels:
        hint = did_you_mean(side.column, labels, ".")
        raise InputError(f"no column '{side.column}' in this experiment{hint} There are {_listed(labels)}")
    variants = sorted({row.variant for row in gathered.layout.rows})
    if side.variant not in variants and side.variant:
        raise InputError(f"no rows of a variant '{side.variant}' in this experiment; there are {_listed(variants)}")
    return side


def _metric(name: str) -> Metric:
    if name not in METRICS:
        hint = did_you_mean(name, METRICS, ".")
        raise InputError(f"no metric '{name}'{hint} There are {_listed(list(METRICS))}")
    if METRICS[name].comparable == "never":
        raise InputError(f"'{name}' ({METRICS[name].summary}) depends on more than the column, and is not compared")
    return METRICS[name]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names if name) or "none"


def shared_rows(gathered: Gathered, a: Side, b: Side, section: str | None) -> frozenset[tuple[str, str]]:
    """Label and section of the rows in which both sides have runs, or are to have them."""
    layout = gathered.layout
    labels = [each.label for each in layout.columns]
    filled = {(place.row, place.column) for places in layout.runs.values() for place in places}
    filled |= {(place.row, place.column) for place in gathered.cells}
    of_a, of_b = (
        {
            (row.label, row.section)
            for number, row in enumerate(layout.rows)
            if row.variant == side.variant
            and section in (None, row.section)
            and (number, labels.index(side.column)) in filled
        }
        for side in (a, b)
    )
    return frozenset(of_a & of_b)


def _instances(
    gathered: Gathered, side: Side, rows: Container[tuple[str, str]]
) -> Mapping[_Instance, list[RunSummary]]:
    """The finished runs of a side by instance, in the layout's order; those that broke have no values."""
    found: dict[_Instance, list[RunSummary]] = defaultdict(list)
    layout = gathered.layout
    column = [each.label for each in layout.columns].index(side.column)
    for number, row in enumerate(layout.rows):
        if row.variant == side.variant and (row.label, row.section) in rows:
            for run in gathered.cell(number, column):
                found[row.label, row.section, run.task, run.task_id].append(run)
    return found


def _pair(metric: Metric, a: Sequence[RunSummary], b: Sequence[RunSummary]) -> _Pair | None:
    """An instance's values on both sides; None where they cannot be compared."""
    if metric.comparable != "always":
        a, b = _solved_by_both(a, b)
    valued_a = [run for run in a if metric.name in run.values]
    valued_b = [run for run in b if metric.name in run.values]
    if not valued_a or not valued_b:
        return None
    return _Pair(
        _mean(metric, valued_a),
        _mean(metric, valued_b),
        (len(valued_a), len(valued_b)),
        any(metric.name in run.estimated for run in (*valued_a, *valued_b)),
    )


def _solved_by_both(
    a: Sequence[RunSummary], b: Sequence[RunSummary]
) -> tuple[Sequence[RunSummary], Sequence[RunSummary]]:
    """The solved runs of the seeds that both sides solved; what has no seed, as a planner, goes with every one."""
    solved_a, solved_b = [run for run in a if run.solved], [run for run in b if run.solved]
    seeds_a, seeds_b = {run.seed for run in solved_a}, {run.seed for run in solved_b}
    if None in seeds_a or None in seeds_b:
        return solved_a, solved_b
    both = seeds_a & seeds_b
    return [run for run in solved_a if run.seed in both], [run for run in solved_b if run.seed in both]


def _mean(metric: Metric, runs: Sequence[RunSummary]) -> float:
    """Each seed counts once, however often it was run."""
    by_seed: dict[int | None, list[float]] = defaultdict(list)
    for run in runs:
        by_seed[run.seed].append(run.values[metric.name])
    return math.fsum(math.fsum(each) / len(each) for each in by_seed.values()) / len(by_seed)


def _judged(result: Comparison, metric: Metric, pairs: Sequence[_Pair]) -> Comparison:
    differences = [pair.difference for pair in pairs]
    sign = 1 if metric.better == "higher" else -1
    return replace(
        result,
        a_value=math.fsum(pair.a for pair in pairs) / len(pairs),
        b_value=math.fsum(pair.b for pair in pairs) / len(pairs),
        better=sum(sign * value > 0 for value in differences),
        equal=sum(value == 0 for value in differences),
        worse=sum(sign * value < 0 for value in differences),
        seeds=(max(pair.runs[0] for pair in pairs), max(pair.runs[1] for pair in pairs)),
        test=_test(metric, pairs, differences),
        d_z=cohens_d_z(differences),
        dominance=dominance(differences),
        estimated=any(pair.estimated for pair in pairs),
    )


def _test(metric: Metric, pairs: Sequence[_Pair], differences: Sequence[float]) -> McNemar | PairedBootstrap:
    if metric.name in SHARES and all(pair.runs == (1, 1) for pair in pairs):
        counts = [sum((pair.a, pair.b) == kind for pair in pairs) for kind in ((1, 1), (1, 0), (0, 1), (0, 0))]
        return mcnemar(*counts)
    return paired_bootstrap(differences)
