"""What of a record differs between two runs of one specification, and what does not."""

from __future__ import annotations

import pytest

from pddl2nl.experiments.records.reader import event_kinds
from pddl2nl.experiments.records.writer import VOLATILE
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.pddl import load_task
from pddl2nl.policies.spec import RunSpec
from tests.experiments.conftest import planner_job


def test_every_volatile_field_exists():
    for place in VOLATILE:
        kind, _, field = place.partition(".")
        assert field in event_kinds()[kind].__struct_fields__


@pytest.mark.usefixtures("needs_planner")
def test_two_runs_of_one_specification_differ_in_nothing_else(lamps, tmp_path, settled):
    task = load_task(*lamps)
    jobs = [planner_job(*lamps), run_job(RunSpec.of(task, "act", model="oracle", example="none"))]
    for folder in ("one", "two"):
        assert run_all(jobs, tmp_path / folder).solved == 2
    for job in jobs:
        one, two = (tmp_path / folder / f"{job.name}.jsonl" for folder in ("one", "two"))
        assert one.read_bytes() != two.read_bytes()
        assert settled(one) == settled(two)
