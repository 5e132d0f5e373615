"""``pddl2nl experiment`` on suites: filters that need a planner are decided first, shown, and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.baselines import PlannerResult
from pddl2nl.cli.app import main
from pddl2nl.cli.progress import TenthLines

DOMAIN = """(define (domain lamps) (:predicates (lit ?x) (dark ?x))
 (:action on :parameters (?x) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))
"""
PROBLEM = "(define (problem {0}) (:domain lamps) (:objects {0}) (:init (dark {0})) (:goal (lit {0})))\n"
SPEC = """domains = [{suite = "bench", solved-by = "ff", within = "30m"}]
policies = ["random"]
seeds = [1]
[options]
steps = 3
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "domain.pddl").write_text(DOMAIN)
    for name in ("easy", "hard"):
        (tmp_path / "bench" / f"{name}.pddl").write_text(PROBLEM.format(name))
    (tmp_path / "spec.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)

    def solve(texts: Any, planner: str, *, time_limit: int, memory_limit_mb: int | None) -> PlannerResult:
        found = "hard" not in texts.problem
        return PlannerResult(planner, "solved" if found else "timeout", () if found else None, None, 1.0, 1, "s")

    monkeypatch.setattr("pddl2nl.experiments.specification.filters.solve", solve)
    monkeypatch.setattr("pddl2nl.experiments.planner_cache.version", lambda: "Fast Downward 0")
    monkeypatch.setattr("pddl2nl.experiments.checks.find_driver", lambda: Path("driver"))
    return "spec.toml"


def test_a_dry_run_says_what_is_not_decided_and_then_what_is_left_out(
    spec: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", spec, "--dry-run", "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert (before["runs"], before["left_out"]) == (2, [])
    assert "2 tasks of bench may be left out" in before["notes"][0]
    assert main(["experiment", spec, "--out", "records"]) == 0
    out, err = capsys.readouterr()
    assert "1 run: 1 solved" in out
    assert "tasks decided by filters: 2 of 2" in err
    assert "left out: 1 of 2 tasks of bench: solved-by ff within 30m: timeout" in err
    [record] = Path("records").glob("*.jsonl")
    assert record.name.startswith("bench-easy-random-1-")
    assert main(["experiment", spec, "--dry-run", "--json"]) == 0
    out, err = capsys.readouterr()
    after = json.loads(out)
    assert (after["runs"], after["notes"]) == (1, [])
    assert after["left_out"] == ["1 of 2 tasks of bench: solved-by ff within 30m: timeout"]


def test_results_lie_beside_the_cache_that_is_named_or_nowhere(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", spec, "--out", "one", "--cache", "none"]) == 0
    assert not [*Path().rglob("*plans")]
    assert main(["experiment", spec, "--out", "two", "--cache", "mine.sqlite"]) == 0
    assert Path("mine-plans").is_dir()


def test_an_experiment_stopped_while_filters_are_decided_goes_on_later(
    spec: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(lines: TenthLines, done: int, of: int, line: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TenthLines, "show", stop)
        assert main(["experiment", spec, "--out", "records"]) == 130
    assert not Path("records").exists()
    assert main(["experiment", spec, "--out", "records"]) == 0
