"""What of a record differs between two runs of one specification, and what does not."""

from __future__ import annotations

import json

import pytest

from pddl2nl.experiments.jobs import PlannerSpec, make_job
from pddl2nl.experiments.records.reader import EVENT_KINDS
from pddl2nl.experiments.records.writer import VOLATILE, stable
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.experiments.sweep import run_all
from pddl2nl.pddl import load_task
from pddl2nl.policies.events import RecordError


def test_every_volatile_field_exists():
    for place, what in VOLATILE.items():
        kind, _, field = place.partition(".")
        assert field in EVENT_KINDS[kind].__struct_fields__
        assert what


@pytest.mark.usefixtures("needs_planner")
def test_two_runs_of_one_specification_differ_in_nothing_else(lamps, tmp_path):
    task = load_task(*lamps)
    jobs = [make_job(PlannerSpec(*lamps, "ff", 60)), make_job(RunSpec(task, "act", "oracle", example="none"))]
    for folder in ("one", "two"):
        assert run_all(jobs, tmp_path / folder).solved == 2
    for job in jobs:
        one, two = ((tmp_path / folder / f"{job.name}.jsonl").read_text(encoding="utf-8") for folder in ("one", "two"))
        assert one != two
        assert stable(one) == stable(two)
        assert len(stable(one).splitlines()) == len(one.splitlines())


def test_what_is_stable_is_left_as_it_is_and_a_line_that_is_no_event_is_named():
    line = {"event": "replied", "call": 1, "text": "é\u2028\ud83d", "seconds": 2.5, "from_cache": True}
    assert json.loads(stable(json.dumps(line))) == {"event": "replied", "call": 1, "text": "é\u2028\ud83d"}
    for bad in ("{]", "[1]", '{"call": 1}', "7", ""):
        with pytest.raises(RecordError, match="line 2 is no event of a record"):
            stable(f'{json.dumps(line)}\n{bad}\n{{"event": "x"}}')
