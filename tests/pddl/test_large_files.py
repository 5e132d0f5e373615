"""Files of megabytes: what memory they take, and, by hand (``pytest -m benchmark``), one of a hundred megabytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DOMAIN = """(define (domain grid) (:predicates (connected ?x ?y) (at ?x) (visited ?x))
  (:action move :parameters (?x ?y) :precondition (and (at ?x) (connected ?x ?y))
    :effect (and (at ?y) (visited ?y) (not (at ?x)))))
"""
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


def grid(side: int) -> str:
    """A problem on a square grid."""
    cells = {(x, y) for x in range(side) for y in range(side)}
    objects = "\n".join(" ".join(f"loc-x{x}-y{y}" for y in range(side)) for x in range(side))
    edges = [
        f"(connected loc-x{x}-y{y} loc-x{x + right}-y{y + up})"
        for x, y in sorted(cells)
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1))
        if (x + right, y + up) in cells
    ]
    init = "\n".join(("(at loc-x0-y0)", *edges))
    return (
        f"(define (problem large) (:domain grid)\n(:objects {objects})\n(:init {init})\n(:goal (visited loc-x1-y1)))\n"
    )


def test_a_problem_of_a_megabyte_and_a_half_takes_less_than_200_megabytes(shared: Path) -> None:
    home = shared / "speed" / "nomystery-sat11-p09"
    right, atoms, megabytes, _ = load(home / "domain.pddl", home / "problem.pddl")
    assert (right, atoms) == (True, 47_378)
    assert megabytes < 200


@pytest.mark.benchmark
def test_a_hundred_megabytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(DOMAIN, encoding="utf-8")
    problem.write_text(grid(760), encoding="utf-8")
    size = problem.stat().st_size / 1e6
    right, atoms, megabytes, seconds = load(domain, problem)
    with capsys.disabled():
        sys.stdout.write(f"\n{size:.0f} MB: {seconds:.1f} s, {megabytes:.0f} MB of memory")
    assert (right, atoms) == (True, 4 * 760 * 759 + 1)
    assert megabytes < 15 * size
