"""Plots of a report, as SVG and PDF: coverage, its fall with size, what runs take, and what breaks.

matplotlib (extra ``plots``) is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots.coverage import coverage_by_domain, coverage_by_size
from pddl2nl.reports.plots.failures import failure_composition
from pddl2nl.reports.plots.spending import cost_by_coverage, tokens_by_steps
from pddl2nl.reports.plots.style import NoDataError, embedded, saved

__all__ = ["FORMATS", "PLOTS", "NoDataError", "Plot", "draw", "not_drawn", "plot_svg", "write_plots"]

FORMATS = ("svg", "pdf")
"""What `write_plots` writes of every plot."""


@dataclass(frozen=True)
class Plot:
    """A plot: its ``key`` for files and anchors, ``title``, what its ``caption`` says of the marks, how it is drawn.

    ``figure`` gives a matplotlib figure, or raises `NoDataError` where the records have nothing for it.
    """

    key: str
    title: str
    caption: str
    figure: Callable[[Gathered], Any]


_VARIANTS = "Runs that infrastructure broke are left out, extra rows of a variant (as PlanBench's text) too."

PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        plot.key: plot
        for plot in (
            Plot(
                "coverage-by-domain",
                "Coverage by domain",
                "Solved tasks of each domain (their number in brackets) by column, each task counted with the share of "
                "its runs that solved it; the numbers at the bars are tasks. Thin whiskers: 95 % interval over the "
                "tasks (Wilson). Thick whiskers: 95 % interval over the seeds (Student's t), if there are several. "
                f"{_VARIANTS}",
                coverage_by_domain,
            ),
            Plot(
                "coverage-by-size",
                "Coverage against size",
                "Share of the tasks that are solved, by their number of objects, in the scaled sets where there are "
                "some, else in all tasks together; n is the number of tasks of a size. More than eight sizes are "
                "grouped with their neighbours. Marks stand a little apart, so that equal shares are both seen. "
                f"{_VARIANTS}",
                coverage_by_size,
            ),
            Plot(
                "tokens-by-steps",
                "Tokens against steps",
                "What the planner's model read and wrote in a run, by the run's steps: medians by column, three groups "
                "of steps a doubling. Faint points are single runs, at most 80 of each column, taken evenly. Both axes "
                "grow by factors. Where an endpoint counted no tokens, they are estimated from the text. "
                f"{_VARIANTS}",
                tokens_by_steps,
            ),
            Plot(
                "failures",
                "What runs ended with",
                "Share of the scored runs that solved their task, and of the others by the first link that broke; on "
                f"the right how many failed. {_VARIANTS}",
                failure_composition,
            ),
            Plot(
                "cost-by-coverage",
                "Cost against coverage",
                "What a run costs on average, all roles together, in USD or, where a column's price is unknown, in "
                "tokens, and the share of the tasks that are solved. Whiskers: 95 % interval over the tasks "
                "(Wilson). The thin steps join the columns that none surpasses at less cost; lines across are columns "
                f"that ask no model. {_VARIANTS}",
                cost_by_coverage,
            ),
        )
    }
)
"""Every plot by its key."""


def draw(gathered: Gathered, key: str, form: str, *, text: bool = False) -> bytes:
    """A plot as ``svg``, ``pdf`` or ``png``: the same bytes for the same records.

    ``text`` keeps the words of an SVG as text instead of as outlines.

    Raises:
        InputError: no such plot.
        NoDataError: the records have nothing for it; the message says what is missing.
        MissingExtraError: matplotlib is not installed.
    """
    if key not in PLOTS:
        raise InputError(f"no plot '{key}'; there are {', '.join(PLOTS)}")
    return saved(lambda: PLOTS[key].figure(gathered), form, text=text)


def plot_svg(gathered: Gathered, key: str) -> str:
    """A plot as an ``<svg>`` element to stand in an HTML page, whose ids begin with its key.

    It holds no script and no style sheet, and names and numbers in it are text that can be searched. Raises as `draw`.
    """
    return embedded(draw(gathered, key, "svg", text=True), key, PLOTS[key].title)


def write_plots(gathered: Gathered, folder: Path) -> tuple[Path, ...]:
    """Writes every plot that there is data for, ``KEY.svg`` and ``KEY.pdf``, and returns the files.

    `not_drawn` says of the others why not.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InfrastructureError: the folder cannot be written.
    """
    written = []
    for key in PLOTS:
        for form in FORMATS:
            try:
                content = draw(gathered, key, form)
            except NoDataError:
                break
            path = folder / f"{key}.{form}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError as error:
                raise InfrastructureError(f"{path}: the plot cannot be written: {error.strerror}") from error
            written.append(path)
    return tuple(written)


def not_drawn(gathered: Gathered) -> Mapping[str, str]:
    """The plots that the records have nothing for, by key, each with what is missing.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    reasons = {}
    for key, plot in PLOTS.items():
        try:
            plot.figure(gathered)
        except NoDataError as error:
            reasons[key] = str(error)
    return MappingProxyType(reasons)
