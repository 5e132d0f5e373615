"""What runs take: tokens against steps, and cost against coverage."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from pddl2nl.reports.coverage import Coverage, coverage_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import METRICS, aggregate
from pddl2nl.reports.plots.style import WIDTH, Look, NoDataError, legend_rows, line_legend, looks, new_figure
from pddl2nl.reports.summaries import RunSummary

__all__ = ["cost_by_coverage", "tokens_by_steps"]

_WIDE = WIDTH * 0.72
_POINTS = 80  # of each column, or ten thousand runs would hide one another and fill a page


def tokens_by_steps(gathered: Gathered) -> Any:
    """Of each column the median of what the planner's model read and wrote in a run, by the run's steps.

    Both axes grow by factors, so that a whole prompt sent again at every step shows as a steeper line. Faint points
    are single runs, of each column at most 80, taken evenly.
    """
    layout = gathered.layout
    found = {
        column: pairs for column in range(len(layout.columns)) if (pairs := sorted(_pairs(_scored(gathered, column))))
    }
    if not found:
        raise NoDataError("no run has both steps and tokens; runs of planners and walks have none")
    labels = [layout.columns[column].label for column in found]
    figure = new_figure(3.3 + 0.17 * legend_rows(labels, _WIDE), _WIDE)
    axis = figure.subplots()
    style = looks(layout.columns)
    for column, pairs in found.items():
        _cloud(axis, pairs, style[column])
    for column, pairs in found.items():
        _medians(axis, pairs, style[column])
    axis.set_xscale("log")
    axis.set_yscale("log")
    everything = [pair for pairs in found.values() for pair in pairs]
    _plain_ticks(axis.xaxis, [steps for steps, _ in everything], whole=True)
    _plain_ticks(axis.yaxis, [tokens for _, tokens in everything])
    axis.set_xlabel("steps of a run")
    axis.set_ylabel("tokens of the planner's model in a run")
    line_legend(figure, [style[column] for column in found], labels)
    return figure


def _scored(gathered: Gathered, column: int) -> list[RunSummary]:
    """A column's scored runs on its own rows, those of variants left out."""
    return [
        run
        for row, each in enumerate(gathered.layout.rows)
        if not each.variant
        for run in gathered.cell(row, column)
        if not run.infrastructure
    ]


def _pairs(runs: Iterable[RunSummary]) -> Iterable[tuple[float, float]]:
    for run in runs:
        steps = run.values.get("steps", 0.0)
        tokens = run.values.get("planner-prompt-tokens", 0.0) + run.values.get("planner-completion-tokens", 0.0)
        if steps >= 1 and tokens > 0:
            yield steps, tokens


def _cloud(axis: Any, pairs: Sequence[tuple[float, float]], look: Look) -> None:
    every = max(1, math.ceil(len(pairs) / _POINTS))
    points = pairs[every // 2 :: every]
    axis.plot(
        [steps for steps, _ in points],
        [tokens for _, tokens in points],
        linestyle="",
        marker=look.marker,
        markersize=2.2,
        color=look.color,
        markeredgewidth=0,
        alpha=0.28,
        zorder=2,
    )


def _medians(axis: Any, pairs: Sequence[tuple[float, float]], look: Look) -> None:
    bins: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for steps, tokens in pairs:
        # Three bins a doubling; single steps stand alone up to four.
        bins[round(3 * math.log2(steps))].append((steps, tokens))
    places = [
        (median(steps for steps, _ in each), median(tokens for _, tokens in each)) for _, each in sorted(bins.items())
    ]
    axis.plot(
        [steps for steps, _ in places],
        [tokens for _, tokens in places],
        color=look.color,
        linestyle=look.dashes,
        marker=look.marker,
        markersize=look.size,
        markeredgecolor="white",
        markeredgewidth=0.4,
        zorder=3,
    )


def _plain_ticks(axis: Any, values: Sequence[float], *, whole: bool = False) -> None:
    """Ticks of a logarithmic axis as people write them: 500, 1k, 2M; ``whole`` for what is counted, as steps are."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    low, high = min(values), max(values)
    if high / low < 5:
        axis.set_major_locator(MaxNLocator(6, integer=whole))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(10, subs=(1,) if high / low > 1000 else (1, 2, 5), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axis.set_minor_formatter(NullFormatter())


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class _Spent:
    """A column's cost a run, in USD or tokens, and its coverage."""

    column: int
    cost: float
    coverage: Coverage

    @property
    def share(self) -> float:
        return self.coverage.share or 0.0


def cost_by_coverage(gathered: Gathered) -> Any:
    """A point a column: what a run costs on average, in USD or, where a price is unknown, in tokens, and its coverage.

    Whiskers are Wilson's intervals over the tasks; the thin line joins the columns that no cheaper one surpasses;
    lines across are the coverage of planners and walks, which ask no model.
    """
    layout = gathered.layout
    runs = {column: _scored(gathered, column) for column in range(len(layout.columns))}
    unit, spent = _spent(runs)
    if not spent:
        raise NoDataError("no run has a cost: neither USD, where prices are known, nor tokens")
    free = [column for column, each in runs.items() if each and layout.columns[column].kind != "model"]
    labels = [layout.columns[column].label for column in (*(one.column for one in spent), *free)]
    figure = new_figure(3.1 + 0.17 * legend_rows(labels, _WIDE), _WIDE)
    axis = figure.subplots()
    style = looks(layout.columns)
    for column in free:
        share = coverage_of(runs[column]).share or 0.0
        axis.axhline(share, color=style[column].color, linewidth=1.0, linestyle=style[column].dashes, zorder=1)
    _frontier(axis, spent)
    for one in spent:
        _spent_point(axis, one, style[one.column])
    axis.set_xscale("log")
    costs = [one.cost for one in spent]
    axis.set_xlim(min(costs) / 1.5, max(costs) * 1.5)
    _plain_ticks(axis.xaxis, [min(costs) / 1.5, max(costs) * 1.5])
    axis.set_ylim(-0.03, 1.05)
    axis.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    axis.set_xlabel(unit)
    axis.set_ylabel("solved tasks (%)")
    drawn = [style[one.column] for one in spent] + [style[column] for column in free]
    line_legend(figure, drawn, labels, points=len(spent), rules=len(free))
    return figure


def _spent(runs: Mapping[int, Sequence[RunSummary]]) -> tuple[str, Sequence[_Spent]]:
    """In USD where every column that has tokens has a price too, else in tokens, so that no column is lost."""
    usd, tokens = _spent_in("usd", runs), _spent_in("tokens", runs)
    if usd and len(usd) >= len(tokens):
        return "USD a run, mean", usd
    return "tokens a run in all roles, mean", tokens


def _spent_in(name: str, runs: Mapping[int, Sequence[RunSummary]]) -> Sequence[_Spent]:
    found = []
    for column, each in runs.items():
        cost = aggregate(METRICS[name], each)
        if cost is not None and cost.value > 0:
            found.append(_Spent(column, cost.value, coverage_of(each)))
    return found


def _frontier(axis: Any, spent: Sequence[_Spent]) -> None:
    best: list[_Spent] = []
    for one in sorted(spent, key=lambda one: (one.cost, -one.share)):
        if not best or one.share > best[-1].share:
            best.append(one)
    if len(best) > 1:
        axis.plot(
            [one.cost for one in best],
            [one.share for one in best],
            color="#999999",
            linewidth=0.7,
            drawstyle="steps-post",
            zorder=2,
        )


def _spent_point(axis: Any, one: _Spent, look: Look) -> None:
    interval = one.coverage.over_tasks
    if interval is not None:
        ends = [interval.low, interval.high]
        axis.plot([one.cost, one.cost], ends, color=look.color, linewidth=0.9, zorder=3)
    axis.plot(
        [one.cost],
        [one.share],
        linestyle="",
        marker=look.marker,
        markersize=look.size * 1.25,
        color=look.color,
        markeredgecolor="white",
        markeredgewidth=0.4,
        zorder=4,
    )
