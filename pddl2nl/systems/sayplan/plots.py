"""A plot of SayPlan: how the graph in the prompt grows and shrinks during a search."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Any

from pddl2nl.experiments.records.stored import read_record
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots import (
    LEFT_OUT,
    PERCENT,
    WIDE,
    NoDataError,
    Plot,
    bases,
    column_labels,
    legend_rows,
    line_legend,
    looks,
    new_figure,
    scored,
)
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


def solved_by_rooms(gathered: Gathered) -> Any:
    """The runs that reach the goal by the rooms of the scene graph, one line for each column."""
    found: dict[int, dict[float, float]] = {}
    columns = scored(gathered, bases(gathered))
    # A run that ends during its search does not say how many rooms there are; another one of its task does.
    said = (run for runs in columns.values() for run in runs if "scene-rooms" in run.values)
    rooms = {run.task_id: run.values["scene-rooms"] for run in said}
    for column, runs in columns.items():
        by_rooms: dict[float, list[bool]] = defaultdict(list)
        for run in runs:
            if run.task_id in rooms:
                by_rooms[rooms[run.task_id]].append(run.solved)
        if len(by_rooms) > 1:
            found[column] = {number: fmean(solved) for number, solved in sorted(by_rooms.items())}
    if not found:
        raise NoDataError("no column has runs in scene graphs of different numbers of rooms")
    labels, style = column_labels(gathered, list(found)), looks(gathered.layout.columns)
    figure = new_figure(2.6 + 0.17 * legend_rows(labels, WIDE), WIDE)
    axis = figure.subplots()
    for column, shares in found.items():
        axis.plot([*shares], [*shares.values()], **style[column].line())
    axis.set_ylim(-0.03, 1.05)
    axis.set_yticks(*PERCENT)
    axis.set_xlabel("rooms")
    axis.set_ylabel("solved, %")
    line_legend(figure, [style[column] for column in found], labels)
    return figure


PLOTS = (
    Plot(
        "rooms",
        "SayPlan: solved tasks by rooms",
        "Tasks whose goal was reached, by the rooms of the building (Figures 7 and 8 of the SayPlan paper, whose "
        f"failures are prompts that were longer than the context window). {LEFT_OUT}",
        solved_by_rooms,
    ),
    Plot(
        "view-tokens",
        "SayPlan: the scene graph in the prompt during a search",
        "Mean tokens of the graph that is shown, by the step of the search, over the runs that still search then "
        f"(Figure 3 of the SayPlan paper). Tokens are estimated from the text. {LEFT_OUT}",
        view_tokens,
    ),
)
"""The plots of SayPlan."""
