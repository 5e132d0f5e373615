"""``pddl2nl plan``: its JSON, its exit codes, its files."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.baselines import fast_downward
from tests.cli.one_command import run_command

DOMAIN = """
(define (domain switches)
  (:predicates (on ?s) (off ?s) (broken ?s))
  (:action flip :parameters (?s) :precondition (off ?s) :effect (and (on ?s) (not (off ?s))))
  (:action back :parameters (?s) :precondition (on ?s) :effect (and (off ?s) (not (on ?s)))))
"""
PROBLEM = "(define (problem two) (:domain switches) (:objects s1 s2) (:init (off s1) (off s2)) (:goal (and (on s1))))"
HOPELESS = "(define (problem no) (:domain switches) (:objects s1) (:init (off s1)) (:goal (broken s1)))"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """Paths of a domain, a solvable and an unsolvable problem."""
    paths = [tmp_path / name for name in ("domain.pddl", "problem.pddl", "hopeless.pddl")]
    for path, text in zip(paths, (DOMAIN, PROBLEM, HOPELESS), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(paths[0]), str(paths[1]), str(paths[2])


run = partial(run_command, "plan")


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("planner", ["brfs", "lmcut", "ff", "lama"])
def test_json_of_a_solved_task(files: tuple[str, str, str], planner: str) -> None:
    code, out, _ = run(files[0], files[1], "--planner", planner, "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data) == ["planner", "status", "plan", "cost", "seconds", "expanded", "search"]
    assert (data["planner"], data["status"], data["plan"], data["cost"]) == (planner, "solved", ["(flip s1)"], 1)


@pytest.mark.usefixtures("needs_planner")
def test_text_and_file_are_a_plan_that_we_read(files: tuple[str, str, str], tmp_path: Path) -> None:
    from pddl2nl.pddl import load_task
    from pddlval import load_plan, validate

    out_file = tmp_path / "deep" / "plan.txt"
    code, out, _ = run(files[0], files[1], "--planner", "lmcut", "--out", str(out_file))
    assert code == 0
    assert out == out_file.read_text(encoding="utf-8") == "(flip s1)\n; cost = 1 (lmcut)\n"
    assert validate(load_task(files[0], files[1]), load_plan(out_file)).valid


def test_a_plan_is_printed_even_where_it_cannot_be_written(files: tuple[str, str, str], tmp_path: Path) -> None:
    call = (files[0], files[1], "--planner", "random", "--out")
    code, out, error = run(*call, str(tmp_path))
    assert (code, out) == (2, "")
    assert "--out" in error
    code, out, error = run(*call, str(Path(files[0]) / "plan.txt"))
    assert code == 3
    assert out.endswith("(random)\n")
    assert error.startswith("error: cannot write")


@pytest.mark.usefixtures("needs_planner")
def test_unsolvable_is_judged_and_found_wanting(files: tuple[str, str, str], tmp_path: Path) -> None:
    out_file = tmp_path / "plan.txt"
    code, out, error = run(files[0], files[2], "--planner", "ff", "--json", "--out", str(out_file))
    assert code == 1
    assert json.loads(out)["status"] == "unsolvable"
    assert json.loads(out)["plan"] is None
    assert "unsolvable" in error
    assert not out_file.exists()


def test_random_needs_no_planner_and_obeys_seed_and_steps(
    files: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, _ = run(files[0], files[1], "--planner", "random", "--seed", "3", "--json")
    assert code == 0
    assert json.loads(out)["plan"][-1] == "(flip s1)"
    code, out, error = run(files[0], files[2], "--planner", "random", "--steps", "4", "--json")
    assert code == 1
    assert json.loads(out)["expanded"] == 4
    assert "4 steps" in error


def test_bad_input_is_2(files: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bad.pddl").write_text("(define (problem x) (:domain switches) (:goal (unknown)))", encoding="utf-8")
    for arguments in (
        (files[0], files[1], "--planner", "fff"),
        (files[0], files[1]),
        (files[0], str(tmp_path / "absent.pddl"), "--planner", "random"),
        (files[0], str(tmp_path / "bad.pddl"), "--planner", "random"),
        (files[0], files[1], "--planner", "ff", "--time", "0"),
    ):
        assert run(*arguments)[0] == 2, arguments
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, error = run(files[0], files[1], "--planner", "ff")
    assert code == 2
    assert "pip install 'pddl2nl[planners]'" in error


@pytest.mark.parametrize(
    ("exit_code", "status", "expected"), [(32, "error", 3), (34, "unsupported", 2), (23, "timeout", 1)]
)
def test_exit_codes_of_what_the_planner_did(
    files: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exit_code: int,
    status: str,
    expected: int,
) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(f"import sys\nsys.exit({exit_code})\n", encoding="utf-8")
    monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)
    code, out, error = run(files[0], files[1], "--planner", "ff", "--json")
    assert (code, json.loads(out)["status"]) == (expected, status)
    assert status in error


def test_a_rejected_plan_is_3(files: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text(
        "import sys\nopen(sys.argv[sys.argv.index('--plan-file') + 1], 'w').write('(back s1)\\n')\n", encoding="utf-8"
    )
    monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)
    code, _, error = run(files[0], files[1], "--planner", "ff")
    assert code == 3
    assert "Fast Downward" in error
    assert "validator" in error


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("planner", ["ff", "random"])
def test_a_task_whose_plans_cannot_be_judged_is_unsupported_in_json_too(
    files: tuple[str, str, str], tmp_path: Path, planner: str
) -> None:
    problem = tmp_path / "timed.pddl"
    problem.write_text(PROBLEM.replace("(off s2)", "(off s2) (at 5 (on s2))"))
    code, out, said = run(files[0], str(problem), "--planner", planner, "--json")
    data = json.loads(out)
    assert code == 2
    assert (data["planner"], data["status"], data["plan"]) == (planner, "unsupported", None)
    expected = {
        "ff": "takes no time, preferences or trajectory constraints, and there is the timed initial literal (on s2)",
        "random": "the timed initial literal (on s2) is read and checked, but cannot be executed",
    }
    assert expected[planner] in said
