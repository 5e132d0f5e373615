"""Plots of a report, as SVG and PDF: coverage, its fall with size, costs, failures, and feedback.

matplotlib (extra ``plots``) is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.plugins import provided
from pddl2nl.policies import system_of
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots import figures
from pddl2nl.reports.plots.style import NoDataError, embedded, saved

__all__ = ["LEFT_OUT", "NoDataError", "Plot", "all_plots", "draw", "plot_svg", "plots_of", "write_plots"]


@dataclass(frozen=True)
class Plot:
    """A plot: its ``key`` for files and anchors, its ``title``, and a ``caption`` that explains its marks.

    ``figure`` returns a matplotlib figure, or raises `NoDataError` if the records have no data for it. ``system`` is
    the name of the system whose policies it is about; empty for all policies.
    """

    key: str
    title: str
    caption: str
    figure: Callable[[Gathered], Any]
    system: str = ""


LEFT_OUT = "Runs with infrastructure errors and rows of a variant (such as PlanBench's text) are left out."

_PLOTS = (
    Plot(
        "coverage-by-domain",
        "Coverage by domain",
        "Solved tasks of each domain (their number in brackets) by column; a task counts with the share of its "
        "runs that solved it. The numbers at the bars are tasks. Thin whiskers: 95 % interval over the tasks "
        f"(Wilson). Thick whiskers: 95 % interval over the seeds (Student's t), if there are several. {LEFT_OUT}",
        figures.coverage_by_domain,
    ),
    Plot(
        "coverage-by-size",
        "Coverage against size",
        "Share of the tasks that are solved, by their number of objects: for each scaled domain, or for all tasks "
        "if no set is scaled. n is the number of tasks of a size. More than eight sizes are grouped. Marks are "
        f"shifted a little, so that equal shares are both visible. {LEFT_OUT}",
        figures.coverage_by_size,
    ),
    Plot(
        "tokens-by-steps",
        "Tokens against steps",
        "Tokens that the planner's model read and wrote in a run, by the steps of the run, on logarithmic axes. "
        "Lines join medians of groups of steps, three groups for each doubling. Faint points are single runs, at "
        "most 80 per column. Tokens that an endpoint did not count are estimated from the text. "
        f"{LEFT_OUT}",
        figures.tokens_by_steps,
    ),
    Plot(
        "failures",
        "Outcomes of runs",
        "Share of the scored runs that solved their task, and of the others by their first failure; the number of "
        f"failed runs is on the right. {LEFT_OUT}",
        figures.failure_composition,
    ),
    Plot(
        "cost-by-coverage",
        "Cost against coverage",
        "Mean cost of a run over all roles, in USD, or in tokens if a column's price is unknown, and the share of "
        "the tasks that are solved. Whiskers: 95 % interval over the tasks (Wilson). The stepped line joins the "
        "columns that no cheaper column surpasses; horizontal lines are columns without a model. "
        f"{LEFT_OUT}",
        figures.cost_by_coverage,
    ),
)


@lru_cache(maxsize=1)
def all_plots() -> Mapping[str, Plot]:
    """Every plot by its key, those of systems included."""
    own = (replace(plot, system=system.name) for system, plots in provided("plots") for plot in plots)
    return {plot.key: plot for plot in (*_PLOTS, *own)}


def plots_of(gathered: Gathered) -> Mapping[str, Plot]:
    """The plots that are about the policies of an experiment."""
    here = {system.name for column in gathered.layout.columns if (system := system_of(column.policy)) is not None}
    return {key: plot for key, plot in all_plots().items() if plot.system in ("", *here)}


def draw(gathered: Gathered, key: str, form: str, *, text: bool = False) -> bytes:
    """A plot as ``svg`` or ``pdf``: the same bytes for the same records.

    ``text`` keeps the words of an SVG as text instead of as outlines.

    Raises:
        InputError: an unknown plot.
        NoDataError: the records have no data for it; the message says what is missing.
        MissingExtraError: matplotlib is not installed.
    """
    plots = all_plots()
    if key not in plots:
        raise InputError(f"no plot '{key}'; there are {', '.join(plots)}")
    return saved(lambda: plots[key].figure(gathered), form, text=text)


def plot_svg(gathered: Gathered, key: str) -> str:
    """A plot as an SVG image for a page, in light and dark mode, with searchable text; raises as `draw`."""
    return embedded(draw(gathered, key, "svg", text=True), all_plots()[key].title)


def write_plots(gathered: Gathered, folder: Path) -> tuple[tuple[Path, ...], Mapping[str, str]]:
    """Writes every plot that there is data for, as ``KEY.svg`` and ``KEY.pdf``.

    Returns:
        the files, and for each plot without data the reason, by key.

    Raises:
        MissingExtraError: matplotlib is not installed.
        InfrastructureError: the folder cannot be written.
    """
    written, missing = [], {}
    for key in plots_of(gathered):
        try:
            contents = {form: draw(gathered, key, form) for form in ("svg", "pdf")}
        except NoDataError as error:
            missing[key] = str(error)
            continue
        for form, content in contents.items():
            path = folder / f"{key}.{form}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError as error:
                raise InfrastructureError(f"{path}: the plot cannot be written: {error.strerror}") from error
            written.append(path)
    return tuple(written), missing
