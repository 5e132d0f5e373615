"""What a run costs in an experiment, beside the same run alone, and what resuming finished runs costs.

``pytest -m benchmark tests/benchmarks/test_experiments.py``; all times are CPU time, that of planners included.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = [pytest.mark.benchmark, pytest.mark.usefixtures("needs_planner")]

DOMAINS = ("blocksworld", "ferry", "logistics", "grid", "rovers")
RUNS = 200
EXPERIMENT = f"""name = "cost"
domains = {[*DOMAINS]}
instances = ["p01", "p02", "p03", "p04", "p05"]
policies = ["act", "react", "basic", "cot"]
models = ["oracle"]
seeds = [1, 2]
"""
ALONE = f"""
from pddl2nl import run
from pddl2nl.tasks import shipped_task
for domain in {DOMAINS}:
    for number in range(1, 6):
        task = shipped_task(domain, f"p0{{number}}")
        for policy in ("act", "react", "basic", "cot"):
            for seed in (1, 2):
                run(task, policy, "oracle", seed=seed)
"""
FINISHED = 2_000
WALKS = f"""name = "walks"
domains = ["blocksworld"]
instances = ["p01"]
policies = ["random"]
seeds = {[*range(FINISHED)]}
[options]
steps = 12
"""
READ = """
import json, sys
from pathlib import Path
for path in Path(sys.argv[1]).glob("*.jsonl"):
    [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
"""


def _experiment(spec: Path, folder: Path, *more: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "pddl2nl", "experiment", str(spec), "--out", str(folder), "--json", *more)


def test_a_run_in_an_experiment_costs_what_it_costs_alone(bench: Bench, tmp_path: Path) -> None:
    spec = tmp_path / "cost.toml"
    spec.write_text(EXPERIMENT, encoding="utf-8")
    started = bench.cpu(sys.executable, "-m", "pddl2nl", "experiment", str(spec), "--dry-run", "--json")
    together = bench.cpu(*_experiment(spec, tmp_path / "runs")) - started
    alone = bench.cpu(sys.executable, "-c", ALONE)
    what = f"an oracle run, one of {RUNS} of an experiment over 25 tasks, CPU time"
    bench.ratio(what, together / RUNS, "`pddl2nl.run` in a loop", alone / RUNS)


def test_finished_runs_are_resumed(bench: Bench, tmp_path: Path) -> None:
    spec, folder = tmp_path / "walks.toml", tmp_path / "runs"
    spec.write_text(WALKS, encoding="utf-8")
    bench.cpu(*_experiment(spec, folder))
    resumed = bench.cpu(*_experiment(spec, folder), runs=3)
    read = bench.cpu(sys.executable, "-c", READ, str(folder), runs=3)
    bench.ratio(f"resuming {FINISHED:,} finished runs, CPU time", resumed, "reading their records by `json`", read)
    reported = bench.cpu(sys.executable, "-m", "pddl2nl", "report", str(folder), runs=3)
    bench.ratio("a report of them as text, CPU time, all judged again", reported, "reading them by `json`", read)
