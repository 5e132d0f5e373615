"""An experiment of the paper by one command, its table and its plot."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.events import Acted
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.plots import NoDataError, all_plots
from pddl2nl.reports.tables import metrics_tables
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


@pytest.mark.usefixtures("needs_planner")
def test_a_prompt_that_is_longer_than_the_context_ends_the_run_and_the_plot_shows_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    arguments = ["--model", "oracle", "--instances", "rooms37,rooms75", "--out", str(tmp_path)]
    assert main(["experiment", "sayplan-scaling", *arguments]) == 0
    runs = [read_record(path) for path in sorted(tmp_path.glob("**/*.jsonl"))]
    ended = [run.finished for run in runs if run.finished is not None and run.finished.outcome == "context"]
    assert [end.fault.status for end in ended if end.fault is not None] == ["context-window"]
    assert "tokens, more than 8,192" in ended[0].message
    (axis,) = all_plots()["rooms"].figure(gather(tmp_path)).axes
    assert [[*line.get_ydata()] for line in axis.get_lines()] == [[1.0, 1.0], [1.0, 0.0]]
    assert all(replay_record(run.path).identical for run in runs if run.finished in ended)


@pytest.mark.parametrize(
    ("plot", "reason"), [("view-tokens", "no run searched a scene graph step by step"), ("rooms", "no column has runs")]
)
def test_a_plot_needs_searches(tmp_path: Path, plot: str, reason: str) -> None:
    run_spec(RunSpec(BUILDING.task("example"), "random", steps=1, record=tmp_path / "walk.jsonl"))
    with pytest.raises(NoDataError, match=reason):
        all_plots()[plot].figure(gather(tmp_path))


@pytest.mark.usefixtures("needs_planner")
def test_traces_name_things_as_prompts_do_and_reports_have_no_metrics_of_other_systems(tmp_path: Path) -> None:
    result = run_spec(RunSpec(BUILDING.task("p02"), "sayplan", model="oracle", record=tmp_path / "p02.jsonl"))
    first = next(event for event in result.events if isinstance(event, Acted))
    assert (first.action, first.text) == ("(goto pose8 pose13)", "go from pose8 to pose13")
    assert replay_record(tmp_path / "p02.jsonl").identical
    assert [table.key for table in metrics_tables(gather(tmp_path))] == ["metrics", "cost", "metrics-sayplan"]
