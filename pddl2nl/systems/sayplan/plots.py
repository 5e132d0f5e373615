"""A plot of SayPlan: how the graph in the prompt grows and shrinks during a search."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Any

from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots import LEFT_OUT, WIDE, NoDataError, Plot, bases, column_labels, scored
from pddl2nl.reports.plots.style import legend_rows, line_legend, looks, new_figure
from pddl2nl.reports.records import read_record
from pddl2nl.systems.sayplan.events import SceneSearched


def view_tokens(gathered: Gathered) -> Any:
    """The mean tokens of the view of a scene graph after each step of a search, one line for each column."""
    found: dict[int, dict[int, float]] = {}
    for column, runs in scored(gathered, bases(gathered)).items():
        by_step: dict[int, list[int]] = defaultdict(list)
        for run in (run for run in runs if "expansions" in run.values):
            for event in read_record(run.path).events:
                if isinstance(event, SceneSearched):
                    by_step[event.step].append(event.tokens)
        if by_step:
            found[column] = {step: fmean(tokens) for step, tokens in sorted(by_step.items())}
    if not found:
        raise NoDataError("no run searched a scene graph step by step")
    labels = column_labels(gathered, list(found))
    figure = new_figure(2.6 + 0.17 * legend_rows(labels, WIDE), WIDE)
    axis = figure.subplots()
    style = looks(gathered.layout.columns)
    for column, means in found.items():
        axis.plot([*means], [*means.values()], **style[column].line() | {"markersize": 2.2})
    axis.set_ylim(bottom=0)
    axis.set_xlabel("step of the search")
    axis.set_ylabel("tokens (estimated)")
    line_legend(figure, [style[column] for column in found], labels)
    return figure


PLOTS = (
    Plot(
        "view-tokens",
        "SayPlan: the scene graph in the prompt during a search",
        "Mean tokens of the graph that is shown, by the step of the search, over the runs that still search then "
        f"(Figure 3 of the SayPlan paper). Tokens are estimated from the text. {LEFT_OUT}",
        view_tokens,
    ),
)
"""The plots of SayPlan."""
