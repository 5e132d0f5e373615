"""Paired comparisons of columns as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from pddl2nl.reports.comparison import SHARES, Comparison
from pddl2nl.reports.metrics import METRICS
from pddl2nl.reports.statistics import RESAMPLES, Interval, McNemar, PairedBootstrap
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell

__all__ = ["comparison_table"]

_HEADINGS = (
    Heading("compared", "instances"),
    Heading("left out", "instances"),
    Heading("A", "mean"),
    Heading("B", "mean"),
    Heading("A − B", "mean"),
    Heading("95 % interval", "mean"),
    Heading("better", "instances: A is"),
    Heading("equal", "instances: A is"),
    Heading("worse", "instances: A is"),
    Heading("test"),
    Heading("p"),
    Heading("p (Holm)"),
    Heading("effect size"),
)
_MCNEMAR = (
    "McNemar: exact, two-sided, one run per instance. The interval is Newcombe's (method 10). OR is the odds ratio "
    "of the instances in which A and B differ, g is Cohen's g."
)
_BOOTSTRAP = (
    f"bootstrap: paired, over instances ({RESAMPLES:,} resamples, seeded); an instance has the mean over its seeds. "
    "The interval is BCa. d is Cohen's d for pairs; δ is the share of instances in which A's value is larger "
    "minus the share in which it is smaller."
)
_ALIKE = (
    "If all instances differ by the same amount (for example zero), there is no spread to resample: no interval, no d, "
    "and the p-value follows from the signs only."
)
_HOLM = "p (Holm): corrected for all comparisons of this table."
_CHOSEN = (
    "A is the language-model column of the highest coverage here; since it was chosen by the same runs, differences "
    "from close seconds look a little larger than they are."
)


def comparison_table(made: Sequence[Comparison], *, best: bool = True) -> Table | None:
    """One line per comparison, in sections by column A; None without comparisons.

    ``best`` says that A was chosen for its coverage, as `pddl2nl.reports.comparison.comparisons` does.
    """
    if not made:
        return None
    metrics = tuple(dict.fromkeys(one.metric for one in made))
    sections = tuple(Section(tuple(_line(one) for one in group), title) for title, group in groupby(made, key=_title))
    named = ", ".join(metrics)
    return Table(
        key="comparisons" if metrics == ("coverage",) else f"comparisons-{'-'.join(metrics)}",
        title=f"Paired comparisons: {named}",
        stub="B",
        headings=_HEADINGS,
        sections=sections,
        notes=tuple(_notes(made, best)),
    )


def _title(one: Comparison) -> str:
    where = f"{one.section}: " if one.section else ""
    return f"{where}A = {one.a.label}"


def _line(one: Comparison) -> Line:
    number = _percent if one.metric in SHARES else _number
    signed = _points if one.metric in SHARES else _signed
    interval = _interval_of(one)
    means = [
        TableCell(text=number(value), value=value, estimated=one.estimated) if value is not None else TableCell()
        for value in (one.a_value, one.b_value)
    ]
    difference = one.difference
    return Line(
        one.b.label,
        (
            *(TableCell(str(count), count) for count in (one.instances, one.left_out)),
            *means,
            TableCell() if difference is None else TableCell(signed(difference), difference, estimated=one.estimated),
            TableCell() if interval is None else TableCell(f"{signed(interval.low)} to {signed(interval.high)}"),
            *(TableCell(str(count), count) for count in (one.better, one.equal, one.worse)),
            TableCell(_test_name(one)),
            _p(one.p_value),
            _p(one.p_holm),
            _effect(one),
        ),
    )


def _interval_of(one: Comparison) -> Interval | None:
    if isinstance(one.test, McNemar):
        return one.test.difference_interval
    return None if one.test is None else one.test.interval


def _test_name(one: Comparison) -> str:
    if one.test is None:
        return "–"
    return "McNemar" if isinstance(one.test, McNemar) else "bootstrap"


def _p(value: float | None) -> TableCell:
    if value is None:
        return TableCell()
    return TableCell("< 0.001" if value < 0.001 else f"{value:.3f}", value)


def _effect(one: Comparison) -> TableCell:
    if isinstance(one.test, McNemar):
        ratio, within, g = one.test.odds_ratio, one.test.odds_ratio_interval, one.test.cohens_g
        if ratio is None or within is None or g is None:
            return TableCell("none differ")
        detail = f"odds ratio {_ratio(ratio)}, 95 % interval {_ratio(within.low)} to {_ratio(within.high)}"
        return TableCell(_minus(f"OR {_ratio(ratio)}, g {g:+.2f}"), g, detail)
    if one.test is None or one.dominance is None:
        return TableCell()
    if one.equal == one.instances:
        return TableCell("none differ", 0.0)
    by_deviation = "" if one.d_z is None else f"d {one.d_z:+.2f}, "
    return TableCell(_minus(f"{by_deviation}δ {one.dominance:+.2f}"), one.dominance if one.d_z is None else one.d_z)


def _notes(made: Sequence[Comparison], best: bool) -> Iterator[str]:
    for name in dict.fromkeys(one.metric for one in made):
        metric = METRICS[name]
        yield f"{name}: {metric.summary}; {metric.better} is better" + (
            "." if metric.comparable == "always" else "; compared over the instances and seeds that both solved."
        )
    if any(isinstance(one.test, McNemar) for one in made):
        yield _MCNEMAR
    if any(isinstance(one.test, PairedBootstrap) for one in made):
        yield _BOOTSTRAP
    if any(isinstance(one.test, PairedBootstrap) and one.test.interval is None for one in made):
        yield _ALIKE
    if any(one.p_holm is not None for one in made):
        yield _HOLM
    if best and any(one.p_holm is not None and one.a.column != one.b.column for one in made):
        yield _CHOSEN
    if any(one.left_out for one in made):
        yield (
            "left out: instances in which one side has no scored run, no value, or, for metrics of solved runs, no "
            "solved run."
        )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _points(difference: float) -> str:
    return _minus(f"{100 * difference:+.1f}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.3g}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "−" if value < 0 else "") + _number(abs(value))


def _ratio(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.2f}" if value < 10 else f"{value:.0f}"
