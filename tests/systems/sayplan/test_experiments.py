"""An experiment of the paper by one command, its table and its plot."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.plots import NoDataError, all_plots
from tests.systems.sayplan.conftest import BUILDING


@pytest.mark.usefixtures("needs_planner")
def test_a_search_is_one_command_with_its_table_and_the_plot_of_its_views(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    out = tmp_path / "searched"
    assert main(["experiment", "sayplan-table-1", "--model", "oracle", "--instances", "os04", "--out", str(out)]) == 0
    ours = [line.split() for line in capfd.readouterr().out.splitlines() if line.startswith("SayPlan  ")]
    assert ours[0][1:3] == ["1", "100.00*"]
    (axis,) = all_plots()["view-tokens"].figure(gather(out)).axes
    plain, growing, circling = ([*line.get_ydata()] for line in axis.get_lines())
    assert max(growing) > max(plain)
    assert growing == sorted(growing)
    assert len(circling) > len(plain)


def test_a_plot_of_views_needs_searches(tmp_path: Path) -> None:
    run_spec(RunSpec(BUILDING.task("example"), "random", steps=1, record=tmp_path / "walk.jsonl"))
    with pytest.raises(NoDataError, match="no run searched a scene graph step by step"):
        all_plots()["view-tokens"].figure(gather(tmp_path))
