"""Memory while many runs go by: ``pytest -m heavy``; ten thousand of them with ``pytest -m benchmark``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import gc, sys, tempfile, time
from pathlib import Path
from pddl2nl.experiments.runs import run_job
from pddl2nl.policies.spec import RunSpec
from pddl2nl.experiments.sweep import run_all
from pddl2nl.tasks import shipped_task

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

# As the command line does.
gc.set_threshold(100_000)
runs, folder, first = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
script = folder / "script.txt"
script.write_text("\\n---\\n".join(["Action: look around"] * 12))
tasks = [shipped_task(name, "p01") for name in ("blocksworld", "logistics")]
jobs = [
    run_job(RunSpec(tasks[k % 2], ("act", "react", "basic", "cot")[k // 2 % 4], model=f"script:{script}",
                   example="none", steps=8, seed=k))
    for k in range(runs)
]
seen = {}
def show(progress):
    if progress.ended in (first, runs):
        seen.setdefault(progress.ended, resident())
summary = run_all(jobs, folder / "runs", workers=8, on_progress=show)
assert sum(summary.outcomes.values()) == runs, summary
print(seen[first], seen[runs], round(summary.seconds, 1))
"""
_KB = 1024


def _measured(runs: int, first: int, folder: Path) -> tuple[int, int, float]:
    """Resident memory in kB after the first runs and after all, and the seconds that all took."""
    if not Path("/proc/self/status").exists():
        pytest.skip("how much memory a process has is read in /proc, which this platform has not")
    command = [sys.executable, "-c", PROGRAM, str(runs), str(folder), str(first)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(said[0]), int(said[1]), float(said[2])


@pytest.mark.heavy
def test_fifteen_hundred_further_runs_take_no_more_memory_than_five_hundred(tmp_path):
    early, late, _ = _measured(2000, 500, tmp_path)
    assert late - early < 6 * _KB, f"{early} kB after 500 runs, {late} kB after 2000"
