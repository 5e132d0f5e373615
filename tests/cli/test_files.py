"""Domains and problems by name, files in the wrong order, and suggestions for misspelt names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pddl2nl
from pddl2nl.cli.app import main
from pddl2nl.errors import MissingExtraError
from tests.cli.one_command import refused

DURATIVE = """(define (domain ovens)
  (:requirements :durative-actions :typing :timed-initial-literals)
  (:predicates (hot) (baked))
  (:durative-action bake :parameters () :duration (= ?duration 5)
    :condition (at start (hot)) :effect (at end (baked)))
  (:durative-action heat :parameters () :duration (= ?duration 1)
    :condition (and) :effect (at end (hot))))
"""
TIMED = """(define (problem bread) (:domain ovens) (:init (at 3 (hot))) (:goal (baked)))"""


@pytest.fixture
def paths(root: Path) -> tuple[str, str]:
    """The files of a shipped task."""
    return str(root / "domains/blocksworld/domain.pddl"), str(root / "instances/blocksworld/p01.pddl")


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """A plan of that task."""
    file = tmp_path / "plan"
    file.write_text("(unstack c b)\n(put-down c)\n(unstack b a)\n(put-down b)\n(stack b c)\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "command",
    [
        ["convert"],
        ["tasks", "obfuscate"],
        ["tasks", "strip-costs"],
        ["check"],
        ["tell", "PLAN"],
        ["validate", "PLAN"],
        ["run", "--policy", "random"],
        ["plan", "--planner", "random", "--steps", "3"],
    ],
    ids=lambda command: command[0],
)
def test_shipped_names_are_their_files(
    command: list[str],
    paths: tuple[str, str],
    plan: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # A folder of the same name is no file.
    (tmp_path / "blocksworld").mkdir()
    monkeypatch.chdir(tmp_path)
    words = 2 if command[0] == "tasks" else 1
    name, rest = command[:words], [plan if word == "PLAN" else word for word in command[words:]]
    said = []
    for task in (("blocksworld", "p01"), (paths[0], "p01"), paths):
        code = main([*name, *task, *rest])
        # A run also prints its time and its record.
        lines = capsys.readouterr().out.splitlines()
        said.append((code, [line for line in lines if not line.endswith((" s", ".jsonl"))]))
    assert said[0] == said[1] == said[2]
    assert said[0][0] in (0, 1)


def test_a_file_comes_before_a_shipped_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ferry").write_text("(define (domain mine) (:predicates (p)))", encoding="utf-8")
    assert main(["check", "ferry"]) == 0
    assert capsys.readouterr().out.startswith("ferry: domain mine: ok")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["convert", "blocksword"], "blocksword: no such file, and no shipped domain of this name; did you mean"),
        (["convert", "ferry", "p1"], "p1: no such file, and no instance of ferry has this name; did you mean 'p01'?"),
        (["validate", "gripers", "p01", "-"], "did you mean 'grippers'?"),
        (["convert", "none.pddl", "p01"], "none.pddl: no such file"),
    ],
)
def test_unknown_names(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["convert"], ["plan", "--planner", "ff"], ["validate", "-"], ["tell", "-"], ["run", "--policy", "random"]],
    ids=lambda command: command[0],
)
def test_files_in_the_wrong_order(command: list[str], paths: tuple[str, str]) -> None:
    name, *rest = command
    assert f"{paths[1]} is a problem file and {paths[0]} is a domain file; swap them?" in refused(
        name, paths[1], paths[0], *rest
    )


@pytest.mark.parametrize(
    ("option", "value", "near"),
    [("--policy", "akt", "act"), ("--model", "orcale", "oracle"), ("--model", "skript", "script")],
)
def test_misspelt_policies_and_models(option: str, value: str, near: str, paths: tuple[str, str]) -> None:
    given = {"--policy": "act", "--model": "oracle", option: value}
    assert f"did you mean '{near}'?" in refused("run", *paths, *(word for pair in given.items() for word in pair))


@pytest.mark.usefixtures("needs_planner")
def test_an_example_by_its_name(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["run", "blocksworld", "p01", "--policy", "basic", "--model", "oracle", "--example"]
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "p.pddl").write_bytes((root / "instances/blocksworld/p02.pddl").read_bytes())
    for example in ("p02", "none", "mine"):
        assert main([*command, example]) == 0
    assert "p99: no such file, and no instance of blocksworld has this name" in refused(*command, "p99")


def test_a_missing_extra_names_the_install_in_a_checkout() -> None:
    said = str(MissingExtraError("rdflib", "macros", "the knowledge graph"))
    assert "needs the package 'rdflib': pip install 'pddl2nl[macros]'" in said
    # These tests run in a checkout, or beside an installed package.
    beside = Path(pddl2nl.__file__).resolve().parents[1]
    assert (f"in {beside}: pip install -e '.[macros]'" in said) == (beside / "pyproject.toml").is_file()


def test_check_names_all_that_is_not_executed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    events = "(:event burn :parameters () :precondition (hot) :effect (not (hot)))"
    domain.write_text(
        DURATIVE.rstrip().removesuffix(")").replace(":typing", ":time") + "\n" + events + ")", encoding="utf-8"
    )
    problem.write_text(TIMED, encoding="utf-8")
    assert main(["check", str(domain), str(problem), "--json"]) == 0
    ours = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [(item["line"], item["severity"], item["message"]) for file in ours for item in file["diagnostics"]]
    refused = "is read and checked, but cannot be executed"
    # Plans with durative actions and timed literals are judged.
    assert found == [(8, "warning", f"the event 'burn' {refused}")]
    assert [file["ok"] for file in ours] == [True, True]
