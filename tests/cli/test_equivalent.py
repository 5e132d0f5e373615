"""``pddl2nl tasks equivalent``: files and shipped instances, text and JSON, exit codes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.one_command import run_command

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
