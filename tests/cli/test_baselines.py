"""``pddl2nl baselines``: what it runs, what it prints, and that it goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pddl2nl.experiments.baseline_runs import baseline_runs

from pddl2nl.cli.app import main
from pddl2nl.experiments import baseline_runs as module
from pddl2nl.experiments.jobs import PlannerSpec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import Instance, ShippedDomain, shipped_domain, shipped_domains


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks of each domain."""
    monkeypatch.setattr(module, "_instances", lambda domain, chosen: _two(domain))


def _two(domain: ShippedDomain) -> tuple[Instance, ...]:
    return domain.benchmarks[:2]


def _call(*options: str) -> int:
    return main(["baselines", *options])


# ── what is run ──────────────────────────────────────────────────────────────────────────────────


def test_every_benchmark_of_every_domain_is_run_by_all() -> None:
    everywhere = baseline_runs(seeds=[1])
    benchmarks = sum(len(shipped_domain(name).benchmarks) for name in shipped_domains())
    assert len({job.name for job in everywhere}) == len(everywhere) == benchmarks * (3 + 1)
    runs = baseline_runs(["visitall"])
    assert len({job.name for job in runs}) == len(runs) == len(shipped_domain("visitall").benchmarks) * (3 + 10)
    searches = [job.spec for job in runs if isinstance(job.spec, PlannerSpec)]
    assert {spec.planner for spec in searches} == {"brfs", "lmcut", "ff"}
    # The paper's limits.
    assert {(spec.seconds, spec.memory_mb) for spec in searches} == {(1800, 8192)}
    walks = [job.spec for job in runs if isinstance(job.spec, RunSpec)]
    assert {(spec.policy, spec.steps) for spec in walks} == {("random", None)}
    assert {spec.seed for spec in walks} == set(range(1, 11))


def test_the_names_of_its_runs_are_those_of_an_experiment(tmp_path: Path) -> None:
    from pddl2nl.experiments.specification.product import jobs_of

    from pddl2nl.experiments.specification.experiment import load_experiment

    path = tmp_path / "same.toml"
    path.write_text('domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["random"]\n', encoding="utf-8")
    ours = {job.name for job in baseline_runs(["visitall"])}
    assert {job.name for job in jobs_of(load_experiment(path))} <= ours


def test_other_limits_are_other_runs() -> None:
    usual, less = (
        {job.name for job in baseline_runs(["visitall"], memory_mb=memory, seeds=[1])} for memory in (8192, 4096)
    )
    benchmarks = len(shipped_domain("visitall").benchmarks)
    assert len(usual - less) == 3 * benchmarks
    assert len(usual & less) == benchmarks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere"], "no domain 'nowhere' is shipped"),
        (["--set", "small"], "'small' is not one of 'primary', 'scaled'"),
        (["logistics", "--set", "scaled"], "logistics: no scaled set is shipped"),
        (["visitall", "--format", "latex"], "'latex' is not one of 'text'"),
    ],
)
def test_what_cannot_be_is_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _call(*options, "--out", str(tmp_path)) == 2
    assert message in capsys.readouterr().err


# ── what comes of it ─────────────────────────────────────────────────────────────────────────────


def test_the_table_is_printed_and_a_second_start_runs_nothing(
    two: None, needs_planner: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("visitall", "--seeds", "1-2", "--time", "30", "--out", str(tmp_path / "records"))
    assert _call(*options) == 0
    out = capsys.readouterr().out
    lines = out.split("\n")
    assert lines[0] == "Coverage of the baselines, primary set (30 s and 8192 MB per search, 2 walks per task)"
    row = next(line.split() for line in lines if line.startswith("visitall"))
    assert row[:2] == ["visitall", "(2)"]
    assert row[3:6] == ["2", "2", "2"]
    assert row[-12:] == ["8", "of", "20", *["20", "of", "20"] * 3]
    assert "10 runs, of them finished before: 0" in out
    assert len(list((tmp_path / "records").glob("*.jsonl"))) == 10

    assert _call(*options, "--json") == 0
    data: Any = json.loads(capsys.readouterr().out)
    assert data["runs"]["earlier"] == data["runs"]["runs"] == 10
    assert data["sum"]["ff"]["solved"] == data["sum"]["brfs"]["solved"] == 2
    assert data["limits"] == {"seconds": 30, "memory_mb": 8192}
    assert data["infrastructure_errors"] == []
    for form, start in (("markdown", "| domain | rnd |"), ("csv", "table,section,domain,rnd")):
        assert _call(*options, "--format", form) == 0
        assert capsys.readouterr().out.startswith(start)


def test_a_planner_that_fails_is_apart_and_is_run_again(
    two: None, needs_planner: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pddl2nl import baselines
    from pddl2nl.errors import InfrastructureError

    whole = baselines.solve

    def solve(task: Any, planner: str = "ff", **limits: Any) -> Any:
        if planner == "lmcut":
            raise InfrastructureError("the planner crashed")
        return whole(task, planner, **limits)

    options = ("visitall", "--seeds", "1", "--out", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(baselines, "solve", solve)
        assert _call(*options) == 3
    captured = capsys.readouterr()
    row = next(line.split() for line in captured.out.split("\n") if line.startswith("visitall"))
    assert "– (2 broken)" in " ".join(row)
    assert "Infrastructure errors: 2 runs are in no cell of the table" in captured.out
    assert "the planner crashed" in captured.err
    assert _call(*options) == 0
    assert "infrastructure" not in capsys.readouterr().out.lower()
