"""Two columns compared over the same instances: a paired test, an interval and an effect size; and their table.

An instance that only one column has a scored run of is left out and counted. With one run per instance and a yes-or-no
metric the test is McNemar's. Otherwise each instance has the mean over its seeds, and the test is a bootstrap over
instances, so that seeds of one instance are never taken for independent tasks. A metric of solved runs is compared over
the instances, and the seeds of these, that both columns solved.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from statistics import fmean

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.experiments.layout import Place
from pddl2nl.policies.reporting import RunMetric
from pddl2nl.reports.coverage import coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.statistics import RESAMPLES, PairedTest, holm, mcnemar, paired_bootstrap
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import show_runs
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection

_SHARES = frozenset({"coverage", "unsolvable-claimed", "unsolvable-claimed-falsely"})
"""The metrics that are yes or no for a run, so that their mean is a share."""


@dataclass(frozen=True)
class Side:
    """A column by its label (``NL Act``), on its own rows or on those of a ``variant``."""

    column: str
    variant: str = ""

    @property
    def label(self) -> str:
        """``NL Act (PlanBench)``."""
        return f"{self.column} ({self.variant})" if self.variant else self.column


@dataclass(frozen=True)
class Pair:
    """An instance: the values of both sides, the number of their runs, and whether one is an estimate."""

    a: float
    b: float
    runs: tuple[int, int] = (1, 1)
    estimated: bool = False

    @property
    def difference(self) -> float:
        """Of A and B; means of fractions that are equal may differ in their last bit."""
        return 0.0 if math.isclose(self.a, self.b, rel_tol=1e-12, abs_tol=1e-15) else self.a - self.b


@dataclass(frozen=True)
class ColumnComparison:
    """Column ``a`` against column ``b``.

    Attributes:
        metric: its name in `pddl2nl.reports.metrics.all_metrics`.
        section: of the layout's rows; None for all of them.
        pairs: the instances compared.
        left_out: the number of instances of the same rows that cannot be compared: one side has no scored run, or, for
            a metric of solved runs, they did not both solve it.
        columns, rows: for both sides, the layout's column and rows.
        p_holm: the p-value, corrected for the comparisons made together; None for a single one.
    """

    a: Side
    b: Side
    metric: str
    section: str | None
    pairs: tuple[Pair, ...] = ()
    left_out: int = 0
    columns: tuple[int, int] = (0, 0)
    rows: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    p_holm: float | None = None

    @property
    def instances(self) -> int:
        return len(self.pairs)

    @property
    def means(self) -> tuple[float, float] | None:
        """The means of both sides over the instances; None without any."""
        if not self.pairs:
            return None
        return fmean(pair.a for pair in self.pairs), fmean(pair.b for pair in self.pairs)

    @cached_property
    def differences(self) -> tuple[float, ...]:
        """A minus B for each instance."""
        return tuple(pair.difference for pair in self.pairs)

    @property
    def counts(self) -> tuple[int, int, int]:
        """The number of instances for which A is better, equal and worse, in the direction of the metric."""
        larger, equal = sum(value > 0 for value in self.differences), self.differences.count(0)
        smaller = self.instances - larger - equal
        return (larger, equal, smaller) if all_metrics()[self.metric].better == "higher" else (smaller, equal, larger)

    @cached_property
    def test(self) -> PairedTest | None:
        """The paired test; None without instances."""
        if not self.pairs:
            return None
        if self.metric in _SHARES and all(pair.runs == (1, 1) for pair in self.pairs):
            results = Counter((pair.a, pair.b) for pair in self.pairs)
            return mcnemar(results[1, 1], results[1, 0], results[0, 1], results[0, 0])
        return paired_bootstrap(self.differences)

    @property
    def p_value(self) -> float | None:
        """Two-sided, not corrected; None without a test."""
        return None if self.test is None else self.test.p_value

    @property
    def estimated(self) -> bool:
        return any(pair.estimated for pair in self.pairs)


def compare(
    gathered: Gathered, a: str | Side, b: str | Side, metric: str = "coverage", section: str | None = None
) -> ColumnComparison:
    """Compares two columns over the instances that both have; ``section`` restricts them to a section's rows.

    Raises:
        InputError: an unknown column, variant or metric, or a metric that is never compared.
    """
    layout = gathered.layout
    sides = _side(gathered, a), _side(gathered, b)
    measured = _metric(metric)
    labels = [each.label for each in layout.columns]
    left, right = (labels.index(side.column) for side in sides)
    planned = gathered.planned
    found = [
        {
            number: (row.label, row.section)
            for number, row in enumerate(layout.rows)
            if row.variant == side.variant and section in (None, row.section) and Place(number, column) in planned
        }
        for side, column in zip(sides, (left, right), strict=True)
    ]
    shared = {*found[0].values()} & {*found[1].values()}
    rows_a, rows_b = (tuple(number for number, key in each.items() if key in shared) for each in found)
    runs_a, runs_b = _instances(gathered, rows_a, left), _instances(gathered, rows_b, right)
    keys = list(dict.fromkeys((*runs_a, *runs_b)))
    pairs = tuple(pair for key in keys if (pair := _pair(measured, runs_a.get(key, ()), runs_b.get(key, ()))))
    return ColumnComparison(*sides, metric, section, pairs, len(keys) - len(pairs), (left, right), (rows_a, rows_b))


def comparisons(gathered: Gathered, metric: str = "coverage") -> tuple[ColumnComparison, ...]:
    """In each section the language-model column of the highest coverage against each other one, Holm-corrected.

    Then each column against itself on the rows of a variant, over the instances that both have. All p-values are
    corrected together.

    Raises:
        InputError: an unknown metric, or one that is never compared.
    """
    _metric(metric)
    return corrected([*_against_best(gathered, metric), *_against_variants(gathered, metric)])


def corrected(made: Sequence[ColumnComparison]) -> tuple[ColumnComparison, ...]:
    """Comparisons that are made together, with their p-values corrected by Holm's method."""
    values = iter(holm([one.p_value for one in made if one.p_value is not None]))
    return tuple(one if one.p_value is None else replace(one, p_holm=next(values)) for one in made)


def _against_best(gathered: Gathered, metric: str) -> Iterator[ColumnComparison]:
    rows = gathered.layout.rows
    models = [(number, each.label) for number, each in enumerate(gathered.layout.columns) if each.kind == "model"]
    for section in dict.fromkeys(row.section for row in rows):
        own = [number for number, row in enumerate(rows) if row.section == section and not row.variant]
        shares = {
            label: share
            for column, label in models
            if (share := coverage_of(gathered.runs_in(own, column)).share) is not None
        }
        best = max(shares, key=shares.__getitem__, default="")
        for label in shares:
            if label != best:
                yield compare(gathered, best, label, metric, section)


def _against_variants(gathered: Gathered, metric: str) -> Iterator[ColumnComparison]:
    for variant in dict.fromkeys(row.variant for row in gathered.layout.rows if row.variant):
        for column in gathered.layout.columns:
            if column.kind == "model":
                made = compare(gathered, column.label, Side(column.label, variant), metric)
                if made.instances:
                    yield made


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


def _metric(name: str) -> RunMetric:
    known = all_metrics()
    if name not in known:
        hint = did_you_mean(name, known, ".")
        raise InputError(f"no metric '{name}'{hint} There are {_listed(list(known))}")
    if known[name].comparable == "never":
        raise InputError(f"'{name}' ({known[name].summary}) depends on more than the column, and is not compared")
    return known[name]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names if name) or "none"


def _instances(gathered: Gathered, rows: Sequence[int], column: int) -> Mapping[tuple[str, ...], list[RunSummary]]:
    """The finished runs by instance: the row's label and section, the task and its PDDL."""
    found: dict[tuple[str, ...], list[RunSummary]] = defaultdict(list)
    for number in rows:
        row = gathered.layout.rows[number]
        for run in gathered.cell(number, column):
            found[row.label, row.section, run.task, run.task_id].append(run)
    return found


def _pair(metric: RunMetric, a: Sequence[RunSummary], b: Sequence[RunSummary]) -> Pair | None:
    """The values of an instance; None if they cannot be compared."""
    if metric.comparable != "always":
        # Of the seeds that both solved; a planner's run, without a seed, goes with every seed.
        seeds_a, seeds_b = ({run.seed for run in runs if run.solved} for runs in (a, b))
        both = seeds_a | seeds_b if None in seeds_a | seeds_b else seeds_a & seeds_b
        a, b = ([run for run in runs if run.solved and run.seed in both] for runs in (a, b))
    a, b = ([run for run in runs if metric.name in run.values] for runs in (a, b))
    if not a or not b:
        return None
    estimated = any(metric.name in run.estimated for run in (*a, *b))
    return Pair(_mean(metric, a), _mean(metric, b), (len(a), len(b)), estimated)


def _mean(metric: RunMetric, runs: Sequence[RunSummary]) -> float:
    """Each seed counts once, however often it was run."""
    by_seed: dict[int | None, list[float]] = defaultdict(list)
    for run in runs:
        by_seed[run.seed].append(run.values[metric.name])
    return fmean(map(fmean, by_seed.values()))


# ── the table ────────────────────────────────────────────────────────────────────────────────────

_HEADINGS = tuple(
    Heading(name, group)
    for group, names in (
        ("instances", ("compared", "left out")),
        ("mean", ("A", "B", "A − B", "95 % interval")),
        ("instances: A is", ("better", "equal", "worse")),
        ("", ("test", "p", "p (Holm)", "effect size")),
    )
    for name in names
)
_MCNEMAR = (
    "McNemar: exact, two-sided, one run per instance; interval: Newcombe's (method 10); OR: the odds ratio of the "
    "instances that differ."
)
_BOOTSTRAP = (
    f"bootstrap: paired, over instances (means of their seeds), {RESAMPLES:,} resamples; interval: BCa; d: Cohen's d "
    "for pairs."
)
_NO_SPREAD = (
    "If all instances differ by the same amount (for example zero), there is no spread to resample: no interval, no d, "
    "and the p-value follows from the signs only."
)
_HOLM = "p (Holm): corrected for all comparisons of this table."
_CHOSEN = (
    "A is the column of the highest coverage, chosen by the same runs: differences from close seconds look larger than "
    "they are."
)
_LEFT_OUT = (
    "left out: instances in which one side has no scored run, no value, or, for metrics of solved runs, no solved run."
)


def comparison_table(made: Sequence[ColumnComparison], *, best: bool = True) -> Table | None:
    """One line per comparison, in sections by column A; None without comparisons.

    ``best`` says that A was chosen for its coverage, as `comparisons` does.
    """
    if not made:
        return None
    metrics = tuple(dict.fromkeys(one.metric for one in made))
    grouped = groupby(made, key=lambda one: f"{f'{one.section}: ' if one.section else ''}A = {one.a.label}")
    return Table(
        key="comparisons" if metrics == ("coverage",) else f"comparisons-{'-'.join(metrics)}",
        title=f"Paired comparisons: {', '.join(metrics)}",
        stub="B",
        headings=_HEADINGS,
        sections=tuple(TableSection(tuple(map(_line, group)), title) for title, group in grouped),
        notes=tuple(_notes(made, best)),
    )


def _line(one: ColumnComparison) -> TableLine:
    share, test = one.metric in _SHARES, one.test
    shown = [show_runs(rows, column) for rows, column in zip(one.rows, one.columns, strict=True)]
    means = [TableCell(show=show) for show in shown]
    if one.means is not None:
        texts = [f"{100 * value:.1f} %" if share else _number(value) for value in one.means]
        each = zip(texts, one.means, shown, strict=True)
        means = [TableCell(text, value, estimated=one.estimated, show=show) for text, value, show in each]
    interval = None if test is None else test.interval
    between = "–" if interval is None else f"{_signed(interval.low, share)} to {_signed(interval.high, share)}"
    difference = TableCell()
    if test is not None:
        difference = TableCell(_signed(test.difference, share), test.difference, estimated=one.estimated)
    cells = (
        _count(one, one.instances, ""),
        TableCell(str(one.left_out), one.left_out),
        *means,
        difference,
        TableCell(between),
        *(_count(one, number, which) for number, which in zip(one.counts, ("better", "equal", "worse"), strict=True)),
        TableCell("–" if test is None else test.name),
        _p(one.p_value),
        _p(one.p_holm),
        _effect(one),
    )
    return TableLine(one.b.label, cells)


def _count(one: ColumnComparison, number: int, which: str) -> TableCell:
    """A number of instances; on a page it opens them, the two columns side by side."""
    if not number or one.a.variant != one.b.variant:
        return TableCell(str(number), number)
    a, b = map(str, one.columns)
    show = (("a", a), ("b", b), ("row", ",".join(map(str, one.rows[0]))), ("which", which))
    return TableCell(str(number), number, show=show, against=True)


def _p(value: float | None) -> TableCell:
    if value is None:
        return TableCell()
    return TableCell("< 0.001" if value < 0.001 else f"{value:.3f}", value)


def _effect(one: ColumnComparison) -> TableCell:
    if one.pairs and one.counts[1] == one.instances:
        return TableCell("none differ")
    effect = None if one.test is None else one.test.effect
    if one.test is None or effect is None:
        return TableCell()
    if one.test.name == "bootstrap":
        return TableCell(_minus(f"d {effect:+.2f}"), effect)
    if math.isinf(effect):
        return TableCell("OR ∞")
    return TableCell(f"OR {effect:.2f}" if effect < 10 else f"OR {effect:.0f}", effect)


def _notes(made: Sequence[ColumnComparison], best: bool) -> Iterator[str]:
    for name in dict.fromkeys(one.metric for one in made):
        metric = all_metrics()[name]
        yield f"{name}: {metric.summary}; {metric.better} is better" + (
            "." if metric.comparable == "always" else "; compared over the instances and seeds that both solved."
        )
    tests = [one.test for one in made]
    bootstraps = [test for test in tests if test is not None and test.name == "bootstrap"]
    holm_corrected = [one for one in made if one.p_holm is not None]
    for applies, note in (
        (best and any(one.a.column != one.b.column for one in holm_corrected), _CHOSEN),
        (len(bootstraps) < sum(test is not None for test in tests), _MCNEMAR),
        (bootstraps, _BOOTSTRAP),
        (holm_corrected, _HOLM),
        (any(test.interval is None for test in bootstraps), _NO_SPREAD),
        (any(one.left_out for one in made), _LEFT_OUT),
    ):
        if applies:
            yield note


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"


def _signed(value: float, share: bool) -> str:
    if share:
        return _minus(f"{100 * value:+.1f}")
    return ("+" if value > 0 else "−" if value < 0 else "") + _number(abs(value))
