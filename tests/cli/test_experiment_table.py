"""An experiment shows the first of the tables that its specification asks for, once it is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.reports.plots import NoDataError, all_plots

pytestmark = pytest.mark.usefixtures("home_of_its_own")

WALK = """
name = "walk"
domains = ["blocksworld"]
instances = ["p01"]
policies = ["random"]
seeds = [1, 2]
[options]
steps = 2
"""
TABLES = """
[[tables]]
kind = "runs"
title = "What the walk solved"

[[tables]]
kind = "coverage"
title = "The same by domain"
"""


def shown(text: str, capfd: pytest.CaptureFixture[str], *options: str) -> str:
    Path("walk.toml").write_text(text, encoding="utf-8")
    assert main(["experiment", "walk.toml", *options]) == 1
    return capfd.readouterr().out


def test_the_first_table_follows_the_accounts(capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(WALK + TABLES, capfd)
    assert said.index("records: ") < said.index("all tables: pddl2nl report ") < said.index("What the walk solved")
    assert "0 of 2" in said
    assert "The same by domain" not in said


def test_without_tables_in_the_file_it_is_the_coverage(capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(WALK, capfd)
    assert "all tables: pddl2nl report runs/walk\n\nCoverage: solved tasks by domain" in said


def test_json_has_no_table(capfd: pytest.CaptureFixture[str]) -> None:
    said = shown(WALK + TABLES, capfd, "--json")
    assert json.loads(said)["name"] == "walk"


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_hvr_papers_table_comes_out_of_one_command(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdflib", reason="rdflib is not installed: pip install 'pddl2nl[macros]'")
    assert main(["experiment", "hvr-table-2", "--model", "oracle", "--instances", "t03", "--out", "there"]) == 0
    said = capfd.readouterr().out
    assert "HVR and its ablations: all metrics, in %" in said
    ours = [line.split() for line in said.splitlines() if line.startswith("HVR  ")]
    assert ours[0][1:4] == ["1", "100.00", "100.00"]
    assert "[paper: Gemini]" in said


@pytest.mark.usefixtures("needs_planner")
def test_sayplans_search_is_one_command_with_its_table_and_the_plot_of_its_views(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    out = Path("searched")
    assert main(["experiment", "sayplan-table-1", "--model", "oracle", "--instances", "os04", "--out", str(out)]) == 0
    ours = [line.split() for line in capfd.readouterr().out.splitlines() if line.startswith("SayPlan  ")]
    assert ours[0][1:3] == ["1", "100.00*"]
    (axis,) = all_plots()["view-tokens"].figure(gather(out)).axes
    plain, growing, circling = ([*line.get_ydata()] for line in axis.get_lines())
    assert max(growing) > max(plain)
    assert growing == sorted(growing)
    assert len(circling) > len(plain)
    page = write_html(gather(out), Path("page.html"), plots=False).read_text(encoding="utf-8")
    assert page.count('<svg class="scene"') == page.count("<summary>Prompt <")


def test_a_plot_of_views_needs_searches(capfd: pytest.CaptureFixture[str]) -> None:
    shown(WALK + TABLES, capfd)
    with pytest.raises(NoDataError, match="no run searched a scene graph step by step"):
        all_plots()["view-tokens"].figure(gather(Path("runs/walk")))
