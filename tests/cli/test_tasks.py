"""``pddl2nl tasks``: JSON of the tasks in a folder, a table for people, and its errors."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from tests.cli.one_command import run_command

DOMAIN = "(define (domain lamps) (:predicates (lit ?x)) (:action on :parameters (?x) :effect (lit ?x)))"
PROBLEM = "(define (problem some) (:domain lamps) (:objects a) (:init) (:goal (lit a)))"
FILES = {
    "grid/domain.pddl": DOMAIN,
    "grid/p01.pddl": PROBLEM,
    "grid/p02.pddl": PROBLEM,
    "ferry-opt11/domain.pddl": DOMAIN,
    "ferry-opt11/p1.pddl": PROBLEM,
    "odd/domain.pddl": DOMAIN,
    "odd/p1.pddl": PROBLEM.replace("lamps", "even"),
    "README.md": "no task",
}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, text in FILES.items():
        path = tmp_path / "bench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path / "bench")


def test_the_tasks_are_printed_as_json(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder]) == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert err == ""
    assert [*said] == ["root", "suites", "tasks", "left_over"]
    assert said["suites"] == [
        {"suite": "ferry-opt11", "tasks": 1, "domains": 1, "guesses": 0},
        {"suite": "grid", "tasks": 2, "domains": 1, "guesses": 0},
        {"suite": "odd", "tasks": 1, "domains": 1, "guesses": 1},
    ]
    first, *_, last = said["tasks"]
    assert first == {
        "suite": "ferry-opt11",
        "name": "p1",
        "domain": f"{folder}/ferry-opt11/domain.pddl",
        "problem": f"{folder}/ferry-opt11/p1.pddl",
        "guess": False,
        "rule": "only",
        "why": "no other domain is there",
    }
    assert last["guess"] is True
    assert "(:domain even)" in last["why"]
    assert said["left_over"][0]["file"] == f"{folder}/README.md"
    assert main(["tasks", "pairs", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == said


def test_suites_can_be_chosen(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder, "--only", "FERRY*", "--only", "odd"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [suite["suite"] for suite in said["suites"]] == ["ferry-opt11", "odd"]
    assert main(["tasks", "pairs", folder, "--only", "grit"]) == 2
    assert "no suite in" in (message := capsys.readouterr().err)
    assert "did you mean 'grid'?" in message


def test_a_table_for_people(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", "pairs", folder, "--table"]) == 0
    out = capsys.readouterr().out
    assert "4 tasks in" in out
    assert "a guess: odd, p1" in out
    assert "1 file is part of no task" in out


def test_all_tasks_are_read_where_that_is_wished(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    (Path(folder) / "grid" / "p02.pddl").write_text("(define (problem x) (:domain lamps) (:goal (burns a)))")
    assert main(["tasks", "pairs", folder, "--check", "--only", "grid"]) == 1
    good, bad = json.loads(capsys.readouterr().out)["tasks"]
    assert (good["name"], good["error"]) == ("p01", None)
    assert "burns" in bad["error"]
    assert main(["tasks", "pairs", folder, "--check", "--only", "grid", "--table"]) == 1
    assert "cannot be read: grid, p02" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_a_folder_without_tasks_is_bad_input(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["tasks", "pairs", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")


# ── pddl2nl tasks equivalent: files and shipped instances, text and JSON, exit codes ──────────────


pytest.importorskip("networkx", reason="networkx is absent: pip install 'pddl2nl[planners]'")


run = partial(run_command, "tasks", "equivalent")


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """p01 with other names of objects: c on b on a becomes z on y on x."""
    text = (root / "instances/blocksworld/p01.pddl").read_text(encoding="utf-8")
    for old, new in (("a", "x"), ("b", "y"), ("c", "z")):
        text = text.replace(f" {old})", f" {new})").replace(f" {old} ", f" {new} ").replace(f" {old}\n", f" {new}\n")
    path = tmp_path / "copy.pddl"
    path.write_text(text, encoding="utf-8")
    return path


def test_other_names_make_no_other_problem(copy: Path) -> None:
    assert run("blocksworld", "p01", copy) == (0, "equivalent\n", "")


def test_what_differs_is_listed(copy: Path) -> None:
    copy.write_text(copy.read_text(encoding="utf-8").replace("(handempty)", ""), encoding="utf-8")
    code, out, _ = run("blocksworld", "p01", copy)
    assert (code, out) == (1, "not equivalent\n  missing: init (handempty)\n")
    code, out, _ = run("blocksworld", "p01", copy, "--json")
    assert json.loads(out) == {"equivalent": False, "missing": ["init (handempty)"], "invented": []}


def test_a_problem_of_another_domain_is_refused(root: Path) -> None:
    code, out, error = run("blocksworld", "p01", root / "instances/ferry/p01.pddl")
    assert (code, out) == (2, "")
    assert "p01.pddl" in error
