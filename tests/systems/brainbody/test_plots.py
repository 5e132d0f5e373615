"""The plot of rounds of feedback."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots import NoDataError, all_plots, plots_of

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")


def test_feedback_is_drawn_by_the_most_rounds_and_for_its_own_policies_alone(
    experiment_of: Callable[..., Gathered],
) -> None:
    experiment_of: Callable[..., Gathered],
) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> dict[str, float]:
        share = 25.0 * column.options["feedback_loops"]
        return {"success-rate": share, "goal-conditions-recall": 50 + share / 2, "executability": 100}

    columns = [
        LayoutColumn(f"K = {k}", policy="brainbody", options={"feedback_loops": k, "signal": "raw"}) for k in (0, 1, 3)
    ]
    gathered = experiment_of(columns, [LayoutRow("household")], result, 4)
    (axis,) = all_plots()["feedback-loops"].figure(gathered).axes
    # Of each line of marks there is one whisker a mark before it.
    drawn = [list(line.get_ydata()) for line in axis.lines if len(line.get_ydata()) == 3]
    assert drawn == [[0, 0.25, 0.75], [0.5, 0.625, 0.875], [1, 1, 1]]
    assert list(axis.get_xticks()) == [0, 1, 3]
    assert "feedback-loops" in plots_of(gathered)
    alike = experiment_of(columns[:1], [LayoutRow("household")], result, 4)
    with pytest.raises(NoDataError, match="no two columns differ in their feedback_loops"):
        all_plots()["feedback-loops"].figure(alike)
