"""SECURITY.md: every promise names a test that exists, and what no other file of tests holds is held here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pddl2nl
from pddl2nl.cli.app import main
from pddlval import queries

_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_EXECUTING = {
    "pddl2nl/lean.py": {"exec"},  # the constructors of our own classes
    "pddl2nl/experiments/cluster.py": {"pickle.loads"},  # a trusted network's jobs
    "pddl2nl/nl/wording/files.py": {"yaml.load"},  # with a loader that makes texts alone
    "validators/pddlval/queries.py": {"compile", "exec"},
    "validators/pddlval/successors.py": {"exec"},
}
"""Where our own code is generated, or data are read by what could execute them."""
_CALLS = {
    "eval",
    "exec",
    "compile",
    "pickle.load",
    "pickle.loads",
    "marshal.loads",
    "yaml.load",
    "os.system",
    "os.popen",
}


def test_every_promise_names_a_test_that_exists(root: Path) -> None:
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    tables = [section for section in re.split(r"(?m)^## ", text) if "test |" in section]
    rows = [row for table in tables for row in re.findall(r"(?m)^\|(?!---)(.*)\|$", table) if "| test" not in f"|{row}"]
    assert len(rows) > 30
    assert [row for row in rows if len(_NAMED.findall(row)) != 1] == []
    missing = [
        f"{file}::{name}"
        for file, name in _NAMED.findall(text)
        if not re.search(rf"(?m)^def {name}\(", (root / file).read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_every_file_and_page_that_it_names_exists(root: Path) -> None:
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    assert [link for link in re.findall(r"\]\(([^)]+)\)", text) if not (root / link).is_file()] == []


def test_no_text_is_executed(root: Path) -> None:
    found: dict[str, set[str]] = {}
    for folder in ("pddl2nl", "validators"):
        for path in (root / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    called = ast.unparse(node.func)
                    shell = any(word.arg == "shell" for word in node.keywords)
                    if called in _CALLS or shell:
                        found.setdefault(path.relative_to(root).as_posix(), set()).add(called)
    assert found == _EXECUTING


def test_no_name_of_a_task_stands_in_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    compiled = queries._compiled

    def spy(text: str) -> object:
        made.append(text)
        return compiled(text)

    monkeypatch.setattr(queries, "_compiled", spy)
    domain = """
        (define (domain evil-domain) (:requirements :adl)
          (:types evil-type) (:constants evil'constant - evil-type)
          (:predicates (evil"pred ?evil_x - evil-type) (evil_t] ?evil_x ?evil_y - evil-type))
          (:action evil'+act :parameters (?evil_x ?evil_y - evil-type)
            :precondition (and (evil"pred ?evil_x) (forall (?evil_z - evil-type) (or (evil_t] ?evil_x ?evil_z)
              (evil"pred evil'constant))))
            :effect (when (evil"pred ?evil_y) (evil_t] ?evil_x ?evil_y))))
    """
    problem = """
        (define (problem q) (:domain evil-domain) (:objects evil,object - evil-type)
          (:init (evil"pred evil,object) (evil"pred evil'constant)) (:goal (evil_t] evil,object evil'constant)))
    """
    simulator = pddl2nl.Simulator(pddl2nl.parse_task(domain, problem))
    assert [*simulator.applicable(simulator.initial)]
    assert made
    assert [text for text in made if "evil" in text] == []


@pytest.mark.parametrize("tear", ["empty", "half", "zeros", "no end"])
def test_a_record_torn_by_a_power_cut_is_named_and_run_again(
    tear: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.toml").write_text('domains = ["ferry"]\ninstances = ["p01"]\npolicies = ["random"]\nseeds = [1, 2]\n')
    assert main(["experiment", "walk.toml", "--out", "runs"]) == 0
    first, second = sorted(Path("runs").glob("*.jsonl"))
    whole, other = first.read_bytes(), second.read_bytes()
    torn = {
        "empty": b"",
        "half": whole[: len(whole) // 2],
        "zeros": bytes(len(whole)),
        "no end": b"".join(whole.splitlines(keepends=True)[:-1]),
    }
    first.write_bytes(torn[tear])
    capsys.readouterr()
    assert main(["report", "runs"]) == 2
    assert str(first) in capsys.readouterr().err
    assert main(["experiment", "walk.toml", "--out", "runs"]) == 0
    assert main(["report", "runs"]) == 0
    assert second.read_bytes() == other
    assert len(first.read_bytes().splitlines()) == len(whole.splitlines())
