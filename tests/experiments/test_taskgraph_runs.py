"""Runs of taskgraph are recorded whole, and replay identically, with faults of the world too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.tasks import shipped_task


@pytest.mark.parametrize(
    ("instance", "options"),
    [
        ("h02", {}),
        ("s05", {"model": "oracle:illegal-transition", "faults": "fail (pick-up *) once"}),
        ("a02", {"policy": "taskgraph-nomemory"}),
    ],
)
def test_a_run_replays_identically(instance: str, options: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    settings = {"policy": "taskgraph", "model": "oracle", "names": "original", **options}
    run_spec(RunSpec(shipped_task("alfred", instance), record=path, steps=300, **settings))
    again = replay_record(path)
    assert again.identical, again.difference
    assert again.complete
