"""``pddl2nl check``: its JSON, its text, its exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.one_command import run_command

DOMAIN = """(define (domain switches)
  (:requirements :typing :derived-predicates :negative-preconditions :durative-actions :timed-initial-literals)
  (:types switch)
  (:constants main - switch)
  (:predicates (on ?s - switch) (dark))
  (:functions (cost))
  (:derived (dark) (not (on main)))
  (:action flip :parameters (?s - switch) :precondition (not (on ?s)) :effect (on ?s))
  (:durative-action wait :parameters () :duration (= ?duration 1) :condition (and) :effect (and)))
"""
PROBLEM = """(define (problem two) (:domain switches) (:objects s1 s2 - switch)
  (:init (on s1) (= (cost) 0) (not (on main)) (at 5 (not (on s1))))
  (:goal (and (on s1) (imply (on main) (not (on s2))))))
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Paths of a domain, a problem, and a problem with two errors."""
    paths = tuple(tmp_path / name for name in ("domain.pddl", "problem.pddl", "wrong.pddl"))
    wrong = PROBLEM.replace("(on s1) (=", "(onn s1) (=").replace("(on s2)", "(on s3)")
    for path, text in zip(paths, (DOMAIN, PROBLEM, wrong), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths[0], paths[1], paths[2]


run = partial(run_command, "check")


def test_one_json_object_a_file_in_order(files: tuple[Path, Path, Path]) -> None:
    domain, problem, wrong = files
    result = run(domain, problem, wrong, "--json")
    assert result.code == 2
    first, second, third = map(json.loads, result.out.splitlines())
    assert first == {
        "file": str(domain),
        "kind": "domain",
        "name": "switches",
        "ok": True,
        "requirements": [
            ":typing",
            ":derived-predicates",
            ":negative-preconditions",
            ":durative-actions",
            ":timed-initial-literals",
        ],
        "counts": {
            "types": 1,
            "predicates": 2,
            "functions": 1,
            "actions": 2,
            "derived": 1,
            "objects": 1,
            "init": 0,
            "goal_atoms": 0,
        },
        "diagnostics": [],
    }
    assert (second["kind"], second["name"], second["ok"]) == ("problem", "two", True)
    assert second["counts"] | {"objects": 2, "init": 4, "goal_atoms": 3} == second["counts"]
    # A number without :action-costs or :numeric-fluents, 'imply' without :disjunctive-preconditions.
    assert [item["severity"] for item in second["diagnostics"]] == ["warning", "warning"]
    assert not third["ok"]
    errors = [item for item in third["diagnostics"] if item["severity"] == "error"]
    assert [(item["line"], item["column"]) for item in errors] == [(2, 10), (3, 49)]
    assert errors[0] == {
        "severity": "error",
        "file": str(wrong),
        "line": 2,
        "column": 10,
        "path": "in the initial state",
        "message": "predicate 'onn' is not declared",
        "expected": "",
        "found": "(onn s1)",
        "suggestion": "on",
    }


def test_text_for_people(files: tuple[Path, Path, Path]) -> None:
    domain, problem, wrong = files
    result = run(domain, problem)
    assert result.code == 0
    assert result.out.splitlines() == [
        f"{domain}: domain switches: ok (1 types, 2 predicates, 1 functions, 2 actions, 1 derived, 1 objects)",
        f"{problem}: problem two: ok (2 objects, 4 init, 3 goal atoms, 2 warnings)",
    ]
    result = run(domain, wrong)
    assert result.code == 2
    assert f"{wrong}:2:10: error: predicate 'onn' is not declared (in the initial state)" in result.err
    assert "did you mean: on?" in result.err
    assert "not ok" in result.out


def test_a_file_that_is_missing_does_not_stop_the_others(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    domain, problem, _ = files
    result = run(domain, tmp_path / "missing.pddl", tmp_path, problem, "--json")
    assert result.code == 2
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False, False, True]
    assert answers[1]["name"] is None
    assert answers[1]["diagnostics"][0]["message"] == "no such file"
    assert answers[2]["diagnostics"][0]["message"].startswith(
        "a directory, where a PDDL file was expected; in it: domain.pddl"
    )


def test_files_in_the_wrong_order(files: tuple[Path, Path, Path]) -> None:
    domain, problem, _ = files
    result = run(problem, domain)
    assert result.code == 2
    assert "this is a problem, where a domain was expected" in result.err
    assert "this is a domain, where a problem was expected" in result.err


def test_warnings_do_not_change_the_exit_code(files: tuple[Path, Path, Path]) -> None:
    domain, _, _ = files
    domain.write_text(DOMAIN.replace(":typing", ":typnig"), encoding="utf-8")
    result = run(domain)
    assert result.code == 0
    assert "unknown requirement ':typnig'" in result.err
