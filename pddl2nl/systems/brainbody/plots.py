"""A plot of BrainBody-LLM: what rounds of feedback are worth."""

from __future__ import annotations

from typing import Any

from pddl2nl.experiments.layout import LayoutColumn
from pddl2nl.reports.coverage import aggregate
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.reports.plots import (
    LEFT_OUT,
    PERCENT,
    WIDE,
    NoDataError,
    Plot,
    bases,
    line_legend,
    looks,
    new_figure,
    scored,
)
from pddl2nl.reports.statistics import wilson_interval

_BY_FEEDBACK = {"success-rate": "SR", "goal-conditions-recall": "GCR", "executability": "EXEC"}


def feedback_loops(gathered: Gathered) -> Any:
    """SR, GCR and EXEC of BrainBody by the most rounds of feedback, one line each, with intervals over the tasks."""
    runs = scored(gathered, bases(gathered))
    options = {column: gathered.layout.columns[column].options.get("feedback_loops") for column in runs}
    rounds = sorted({each for each in options.values() if isinstance(each, int)})
    if len(rounds) < 2:
        raise NoDataError("no two columns differ in their feedback_loops")
    by_rounds = {each: [run for column in runs if options[column] == each for run in runs[column]] for each in rounds}
    figure = new_figure(2.6, WIDE)
    axis = figure.subplots()
    style = looks([LayoutColumn(name) for name in _BY_FEEDBACK.values()])
    for number, (metric, look) in enumerate(zip(_BY_FEEDBACK, style, strict=True)):
        found = {each: aggregate(all_metrics()[metric], by_rounds[each]) for each in rounds}
        means = {each: mean for each, mean in found.items() if mean is not None}
        # Shifted a little, because equal values would hide each other's marks.
        places = [each + 0.08 * (number - 1) for each in means]
        for place, mean in zip(places, means.values(), strict=True):
            within = wilson_interval(mean.value / 100 * mean.tasks, mean.tasks)
            axis.plot([place] * 2, [within.low, within.high], color=look.color, linewidth=0.7)
        axis.plot(places, [mean.value / 100 for mean in means.values()], **look.line())
    axis.set_xticks(rounds)
    axis.set_ylim(-0.03, 1.05)
    axis.set_yticks(*PERCENT)
    axis.set_xlabel("most rounds of feedback, K")
    axis.set_ylabel("%")
    line_legend(figure, style, list(_BY_FEEDBACK.values()))
    return figure


PLOTS = (
    Plot(
        "feedback-loops",
        "BrainBody-LLM by rounds of feedback",
        "SR, GCR and EXEC, by the most rounds of feedback (Figure 6 of the BrainBody-LLM paper). Whiskers: 95 % "
        f"interval over the tasks (Wilson). Marks are shifted a little. {LEFT_OUT}",
        feedback_loops,
    ),
)
"""The plots of BrainBody-LLM."""
