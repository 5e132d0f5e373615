"""The quickstart's subset, and what is left when it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments import run
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.ready import QUICKSTART, small_model
from pddl2nl.experiments.records.reader import event_from_json
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE
from pddl2nl.tasks import shipped_domain, shipped_domains


def test_the_subset_holds_a_short_and_a_middling_benchmark_of_five_shipped_domains():
    assert len(QUICKSTART) == 5
    assert set(QUICKSTART) <= set(shipped_domains())
    for name, instances in QUICKSTART.items():
        short, middling = (shipped_domain(name).instance(instance) for instance in instances)
        assert (short.role, middling.role) == ("benchmark", "benchmark")
        assert 4 <= short.optimal_length <= 8 < middling.optimal_length <= 12


@pytest.mark.usefixtures("needs_planner")
def test_a_planners_record_holds_all_that_judging_it_again_needs(tmp_path):
    shipped = shipped_domain("ferry")
    instance = shipped.instance("p01")
    record = tmp_path / "x.jsonl"
    planned = PlannerRun(shipped.domain_path, instance.path, "lmcut").play(record, Access(), lambda event: None)
    assert planned.status == "solved"
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


# ── experiments by name: shipped ones, files, and functions of Python ─────────────────────────────


def test_a_file_stands_before_a_shipped_one_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quickstart").mkdir()
    assert find_specification("quickstart").path != Path("quickstart"), "a folder of its records is not meant"
    Path("quickstart").rmdir()
    Path("quickstart").write_text("")
    assert find_specification("quickstart").path == Path("quickstart")


def test_a_small_model_plays_the_cores_policies_at_every_level_of_constraint() -> None:
    said = small_model()
    levels: dict[str, set[str]] = {}
    for column in said.columns:
        if column.kind == "model":
            levels.setdefault(column.policy, set()).add(column.options.get("constrain", "off"))
    asking = {name: made for name in CORE if (made := make_policy(name)).needs_model}
    assert levels == {name: {"off", *made.levels} for name, made in asking.items()}
    assert len(said.domains) == 5


# ── oracle sample ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("domain", shipped_domains())
def test_it_solves_a_short_benchmark(domain: str, needs_planner: None) -> None:
    shipped = shipped_domain(domain)
    # The step limit is FF's plan's, which the manifest knows; the oracle needs no example: one planner's run is enough.
    short = min(shipped.benchmarks, key=lambda each: (each.ff_length or 0, each.name))
    result = run(shipped.task(short.name), "react", "oracle", example="none", steps=2 * (short.ff_length or 1))
    assert (result.outcome, result.mistakes) == ("solved", 0), result.message
