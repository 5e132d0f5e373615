"""The quickstart's subset, and what is left when it runs."""

from __future__ import annotations

import json
import re

import pytest
from pddl2nl.experiments.quickstart import COLUMNS, SUBSET, quickstart, quickstart_jobs

from pddl2nl.baselines import fast_downward
from pddl2nl.errors import InfrastructureError, MissingExtraError
from pddl2nl.experiments import quickstart as module
from pddl2nl.experiments import run_one
from pddl2nl.experiments.planned import Planned, plan_and_record
from pddl2nl.experiments.records.reader import event_from_json
from pddl2nl.policies.events import RecordError, event_to_json
from pddl2nl.tasks import shipped_domain, shipped_domains


def test_the_subset_holds_a_short_and_a_middling_benchmark_of_five_shipped_domains():
    assert len(SUBSET) == 5
    assert set(SUBSET) <= set(shipped_domains())
    for name, instances in SUBSET.items():
        short, middling = (shipped_domain(name).instance(instance) for instance in instances)
        assert (short.role, middling.role) == ("benchmark", "benchmark")
        assert 4 <= short.optimal_length <= 8 < middling.optimal_length <= 12


def test_every_column_is_run_on_every_task_under_a_name_of_its_own():
    jobs = quickstart_jobs()
    assert len(jobs) == 90
    assert len({job.name for job in jobs}) == 90
    assert [job.name.split("-")[:3] for job in jobs[:9]] == [["blocksworld", "p03", column] for column in COLUMNS]


def test_without_planners_nothing_is_begun_and_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(fast_downward.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[planners\]'"):
        quickstart(tmp_path / "records")
    assert not (tmp_path / "records").exists()


@pytest.mark.usefixtures("needs_planner")
def test_a_folder_that_cannot_be_made_is_an_infrastructure_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InfrastructureError, match="cannot make the folder"):
        quickstart(tmp_path / "file" / "records")


@pytest.mark.usefixtures("needs_planner")
def test_a_second_start_runs_nothing_again_and_another_seed_does(tmp_path, monkeypatch):
    def some(seed):
        return [job for job in quickstart_jobs(seed) if re.match("visitall-p[0-9]+-(random|ff)-", job.name)]

    monkeypatch.setattr(module, "quickstart_jobs", some)
    states = []
    first = quickstart(tmp_path, on_progress=states.append)
    assert (states[0].ended, states[-1].ended) == (0, 4)
    held = {path: path.read_bytes() for path in first}
    assert quickstart(tmp_path) == first
    assert held == {path: path.read_bytes() for path in sorted(tmp_path.iterdir())} | held
    other = quickstart(tmp_path, seed=2)
    assert len({*first, *other}) == 6


@pytest.mark.usefixtures("needs_planner")
def test_a_run_without_a_record_is_an_infrastructure_error(tmp_path, monkeypatch):
    def fail(*args):
        raise InfrastructureError("the disk is full")

    monkeypatch.setattr(run_one, "play", fail)
    with pytest.raises(InfrastructureError, match="the disk is full"):
        quickstart(tmp_path)


@pytest.mark.usefixtures("needs_planner")
def test_a_planners_record_holds_all_that_judging_it_again_needs(tmp_path):
    shipped = shipped_domain("ferry")
    instance = shipped.instance("p01")
    record = tmp_path / "x.jsonl"
    planned = plan_and_record(shipped.domain_path, instance.path, "lmcut", record)
    assert planned.status == "solved"
    assert planned.plan is not None
    assert len(planned.plan) == planned.cost == instance.optimal_length
    assert planned.problem_pddl == instance.path.read_text(encoding="utf-8")
    assert event_from_json(json.loads(record.read_text(encoding="utf-8"))) == planned
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_a_planner_that_breaks_is_recorded_and_not_raised(tmp_path, monkeypatch):
    from pddl2nl import baselines

    def fail(*args, **kwargs):
        raise InfrastructureError("segmentation fault")

    monkeypatch.setattr(baselines, "solve", fail)
    shipped = shipped_domain("ferry")
    planned = plan_and_record(shipped.domain_path, shipped.instance("p01").path, "ff", tmp_path / "x.jsonl")
    assert (planned.status, planned.plan, planned.message) == ("error", None, "segmentation fault")


def test_a_planners_record_survives_json():
    planned = Planned("ff", "d", "p", "(define", "(define", "timeout", message="no plan within 1 s")
    assert event_from_json(event_to_json(planned)) == planned
    with pytest.raises(RecordError, match="wrong fields"):
        event_from_json({"event": "planned", "plan": None, "colour": "red"})
