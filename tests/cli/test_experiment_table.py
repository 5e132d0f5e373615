"""An experiment shows the first of the tables that its specification asks for, once it is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main

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
    assert main(["experiment", "walk.toml", *options]) == 0
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
