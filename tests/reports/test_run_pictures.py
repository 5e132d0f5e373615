"""The pictures of states on a run's page."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pddl2nl import run
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.reports.html.picture import run_figure
from pddl2nl.reports.html.run import turns_of
from pddl2nl.tasks.shipped import shipped_domain


def figure_of(tmp_path: Path, reply: str, **options: Any) -> str:
    script = tmp_path / "replies.txt"
    script.write_text(reply, encoding="utf-8")
    path = tmp_path / "run.jsonl"
    run(shipped_domain("blocksworld").task("p01"), policy="basic", model=f"script:{script}", record=path, **options)
    record = read_record(path)
    return run_figure(record, [step for turn in turns_of(record) if turn.counts for step in turn.steps])


def data_of(figure: str) -> dict[str, Any]:
    found = re.search("data-trace='(.*?)'", figure)
    assert found is not None
    data: dict[str, Any] = json.loads(unescape(found[1]))
    return data


def test_each_step_has_its_state_and_the_failed_one_what_it_lacked(tmp_path: Path) -> None:
    figure = figure_of(tmp_path, "(unstack c b)\n(put-down c)\n(stack a c)\n(pick-up a)")
    data = data_of(figure)
    assert data["steps"] == {"1": 1, "2": 2, "3": 3}
    assert [frame["is"].split(";")[0] for frame in data["frames"]] == [
        "initial state",
        "(unstack c b)",
        "(put-down c)",
        "(stack a c): inapplicable",
    ]
    assert data["frames"][3]["is"].endswith("missing: (holding a)")
    assert "data-shown='3'" in figure
    assert sum("missing" in markup for markup in data["markups"]) == 1


def test_a_world_with_faults_is_drawn_as_it_was(tmp_path: Path) -> None:
    pytest.importorskip("rdflib", reason="rdflib is absent: pip install 'pddl2nl[macros]'")
    path = tmp_path / "run.jsonl"
    options = {"faults": "fail (toggle-on *) at 9"}
    run(shipped_domain("kitchen").task("t03"), policy="hvr", model="oracle", record=path, **options)
    record = read_record(path)
    steps = [step for turn in turns_of(record) if turn.counts for step in turn.steps]
    data = data_of(run_figure(record, steps))
    assert any(frame["is"].endswith("changed nothing") for frame in data["frames"])
    assert len(data["frames"]) == len(steps) + 1


def test_a_run_without_actions_has_no_picture(tmp_path: Path) -> None:
    assert figure_of(tmp_path, "I do not know.") == ""
