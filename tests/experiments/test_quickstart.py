"""The quickstart's subset, and what is left when it runs."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.planners import Planned, PlannerRun
from pddl2nl.experiments.ready import QUICKSTART, quickstart
from pddl2nl.experiments.records.reader import event_from_json
from pddl2nl.policies.events import RecordError, event_to_json
from pddl2nl.tasks import shipped_domain, shipped_domains


def test_the_subset_holds_a_short_and_a_middling_benchmark_of_five_shipped_domains():
    assert len(QUICKSTART) == 5
    assert set(QUICKSTART) <= set(shipped_domains())
    for name, instances in QUICKSTART.items():
        short, middling = (shipped_domain(name).instance(instance) for instance in instances)
        assert (short.role, middling.role) == ("benchmark", "benchmark")
        assert 4 <= short.optimal_length <= 8 < middling.optimal_length <= 12


def test_every_column_is_run_on_every_task_under_a_name_of_its_own():
    experiment = quickstart()
    assert len(experiment.jobs) == 90
    assert [column.policy for column in experiment.columns] == [
        *("basic", "cot", "act", "react", "random"),
        *("brfs", "lmcut", "ff", "lama"),
    ]


@pytest.mark.usefixtures("needs_planner")
def test_a_planners_record_holds_all_that_judging_it_again_needs(tmp_path):
    shipped = shipped_domain("ferry")
    instance = shipped.instance("p01")
    record = tmp_path / "x.jsonl"
    planned = PlannerRun(shipped.domain_path, instance.path, "lmcut").play(record, Access(), lambda event: None)
    assert planned.status == "solved"
    assert planned.plan is not None
    assert len(planned.plan) == planned.cost == instance.optimal_length
    assert planned.problem_pddl == instance.path.read_text(encoding="utf-8")
    kept = event_from_json(json.loads(record.read_text(encoding="utf-8")))
    assert replace(kept, digest="") == planned
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_a_planner_that_breaks_is_recorded_and_not_raised(tmp_path, monkeypatch):
    from pddl2nl import baselines

    def fail(*args, **kwargs):
        raise InfrastructureError("segmentation fault")

    monkeypatch.setattr(baselines, "solve", fail)
    shipped = shipped_domain("ferry")
    job = PlannerRun(shipped.domain_path, shipped.instance("p01").path, "ff")
    planned = job.play(tmp_path / "x.jsonl", Access(), lambda event: None)
    assert (planned.status, planned.plan, planned.message) == ("error", None, "segmentation fault")


def test_a_planners_record_survives_json():
    planned = Planned("ff", "d", "p", "(define", "(define", "timeout", message="no plan within 1 s")
    assert event_from_json(event_to_json(planned)) == planned
    with pytest.raises(RecordError, match="wrong fields"):
        event_from_json({"event": "planned", "plan": None, "colour": "red"})
