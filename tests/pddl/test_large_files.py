"""Files of megabytes: what memory they take, and, by hand (``pytest -m benchmark``), one of a hundred megabytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOAD = """
import pathlib, resource, sys, time
from pddl2nl.pddl import check_problem_file, load_domain
checked = check_problem_file(sys.argv[2], load_domain(sys.argv[1]))
status = pathlib.Path("/proc/self/status")
if status.exists():
    # What getrusage says may be the size of the process that started this one.
    peak = next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM")) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(checked.ok, len(checked.value.init), peak, time.process_time())
"""


def load(domain: Path, problem: Path) -> tuple[bool, int, float, float]:
    """Whether a task is right, how many atoms hold at first, and the megabytes and seconds of the whole process."""
    command = [sys.executable, "-c", LOAD, str(domain), str(problem)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    right, atoms, size, seconds = done.stdout.split()
    return right == "True", int(atoms), int(size) / 1e6, float(seconds)


def test_a_problem_of_a_megabyte_and_a_half_takes_less_than_200_megabytes(shared: Path) -> None:
    home = shared / "speed" / "nomystery-sat11-p09"
    right, atoms, megabytes, _ = load(home / "domain.pddl", home / "problem.pddl")
    assert (right, atoms) == (True, 47_378)
    assert megabytes < 200
