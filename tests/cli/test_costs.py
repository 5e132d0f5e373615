"""``pddl2nl tasks strip-costs``: what it writes, what it says, and what it leaves alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.nl import save_wording, template_wording
from pddl2nl.pddl import load_domain, load_task
from tests.cli.one_command import run_command

DOMAIN = """; costs differ
(define (domain doors) (:requirements :strips :action-costs) (:predicates (open ?d)) (:functions (total-cost))
  (:action push :parameters (?d) :effect (and (open ?d) (increase (total-cost) 1)))
  (:action kick :parameters (?d) :effect (and (open ?d) (increase (total-cost) {kick}))))
"""
PROBLEM = """(define (problem p) (:domain doors) (:objects d) (:init (= (total-cost) 0)) (:goal (open d))
  (:metric minimize (total-cost)))
"""


run = partial(run_command, "tasks", "strip-costs")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A domain whose actions cost 1 and 5, and a problem."""
    domain, problem = tmp_path / "doors.pddl", tmp_path / "p01.pddl"
    domain.write_text(DOMAIN.replace("{kick}", "5"), encoding="utf-8")
    problem.write_text(PROBLEM, encoding="utf-8")
    return domain, problem


def test_files_keep_their_names_and_lose_their_costs(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = tmp_path / "words.json"
    save_wording(template_wording(load_domain(files[0])), words)
    code, text, err = run(*files, "--wording", words, "--out", out)
    assert (code, err) == (0, "")
    told, *written = text.splitlines()
    assert told == (
        "doors: action costs removed, and with them total-cost: actions do not all cost the same: 'push' 1 and "
        "'kick' 5; plans need no change: what was valid stays valid, and costs as much as it has steps"
    )
    assert written == [str(out / name) for name in ("doors.pddl", "p01.pddl", "wording.json")]
    task = load_task(out / "doors.pddl", out / "p01.pddl")
    assert (task.domain.functions, task.domain.requirements, task.problem.metric) == ((), (":strips",), None)
    assert json.loads((out / "wording.json").read_text(encoding="utf-8"))["functions"] == {}


def test_json_says_what_and_why(files: tuple[Path, Path], tmp_path: Path) -> None:
    code, text, _ = run(*files, "--json")
    data = json.loads(text)
    assert code == 0
    assert data["domain"] == {"file": str(files[0]), "out": None}
    assert data["problems"] == [{"file": str(files[1]), "out": None}]
    assert (data["status"], data["functions"], data["cost"]) == ("removed", ["total-cost"], None)
    assert data["plans"].startswith("plans need no change")
    data = json.loads(run(*files, "--json", "--out", tmp_path / "out")[1])
    assert data["problems"][0]["out"] == str(tmp_path / "out" / "p01.pddl")


def test_files_of_one_name_and_files_that_were_read_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    domain, problem = files
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "p01.pddl"
    other.write_text(PROBLEM, encoding="utf-8")
    code, _, err = run(domain, problem, other, "--out", tmp_path / "out")
    assert code == 2
    assert "two files are called 'p01.pddl'" in err
    code, _, err = run(domain, problem, "--out", tmp_path)
    assert code == 2
    assert f"would overwrite {domain}" in err
