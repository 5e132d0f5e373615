"""Speed as ratios against a peer in the same run: ``pytest -m benchmark -s``, by hand, on a quiet machine."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from validators import Simulator, load_plan, validate

pytestmark = pytest.mark.benchmark

PARSED = ("logistics98-28", "rovers-40", "airport-p36", "nomystery-sat11-p09", "psr-small-p25", "visitall-gen150")


def seconds(action: Callable[[], object], runs: int = 3) -> float:
    """The median wall time of an action."""
    times = []
    for _ in range(runs):
        gc.collect()
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def report(capsys: pytest.CaptureFixture[str], what: str, ours: float, theirs: float, peer: str) -> float:
    """Prints one row and gives the ratio, ours over theirs."""
    ratio = ours / theirs
    with capsys.disabled():
        sys.stdout.write(f"\n{what}: {ours:.4f} s; {peer} {theirs:.4f} s; ratio {ratio:.2f}")
    return ratio


@pytest.mark.parametrize("name", PARSED)
def test_parsing_with_all_checks_against_fast_downwards_parser(
    name: str, shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fast_downward")
    # Its options module reads the command line when it is imported.
    monkeypatch.setattr(sys, "argv", ["translate", "domain.pddl", "problem.pddl"])
    parser = importlib.import_module("fast_downward.translate.pddl_parser")
    domain, problem = (str(shared / "speed" / name / file) for file in ("domain.pddl", "problem.pddl"))

    def theirs() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            parser.open(domain, problem)

    load_task(domain, problem)
    ratio = report(capsys, name, seconds(lambda: load_task(domain, problem)), seconds(theirs), "Fast Downward's parser")
    assert ratio < 1.1


def test_judging_a_plan_against_unified_plannings_validator(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("unified_planning")
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import PlanValidator, get_environment

    get_environment().credits_stream = None
    home = shared / "speed" / "gripper-20"
    task = load_task(home / "domain.pddl", home / "problem.pddl")
    plan = load_plan(home / "plan.txt")
    reader = PDDLReader()
    problem = reader.parse_problem(str(home / "domain.pddl"), str(home / "problem.pddl"))
    their_plan = reader.parse_plan(problem, str(home / "plan.txt"))

    def theirs() -> None:
        with PlanValidator(problem_kind=problem.kind) as validator:
            assert validator.validate(problem, their_plan)

    assert validate(task, plan).valid
    ratio = report(
        capsys, "a plan of gripper-20", seconds(lambda: validate(task, plan)), seconds(theirs), "unified-planning"
    )
    assert ratio < 0.1


def test_applicable_actions_of_large_initial_states(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, expected in (("logistics98-28", 1524), ("satellite-33", 3860)):
        home = shared / "speed" / name
        simulator = Simulator(load_task(home / "domain.pddl", home / "problem.pddl"))
        assert len(list(simulator.applicable(simulator.initial))) == expected
        all_of_them = seconds(lambda simulator=simulator: list(simulator.applicable(simulator.initial)))
        parsing = seconds(lambda home=home: load_task(home / "domain.pddl", home / "problem.pddl"))
        assert report(capsys, f"{expected} applicable actions of {name}", all_of_them, parsing, "reading the task") < 10


def test_starting_the_command_against_starting_python(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(unstack c b)\n(stack c a)\n(pick-up b)\n(stack b c)\n", encoding="utf-8")
    files = (str(root / "domains/blocksworld/domain.pddl"), str(root / "instances/blocksworld/p01.pddl"), str(plan))

    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, cwd=root, stdout=subprocess.DEVNULL)

    bare = seconds(lambda: run("-c", "pass"), 7)
    assert report(capsys, "import validators", seconds(lambda: run("-c", "import validators"), 7), bare, "bare") < 12
    command = seconds(lambda: run("-m", "pddl2nl", "validate", *files), 7)
    assert report(capsys, "pddl2nl validate", command, bare, "python -c pass") < 30
