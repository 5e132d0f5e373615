"""The room stands on the standard library and the reader alone, and it is ours."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("lark", "typer", "rich", "openai", "jinja2", "unified_planning", "pddl2nl.nl", "pddl2nl.cli", "pddl2nl.llm")


def loaded_by(code: str, root: Path) -> set[str]:
    program = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root / "validators", capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_importing_it_brings_nothing_heavy(root: Path) -> None:
    assert loaded_by("import pddlval", root).isdisjoint(HEAVY)


@pytest.mark.parametrize("plan", ["(a)", "0.1: (a)"])
def test_a_verdict_starts_no_process_and_needs_nothing_about_time(root: Path, plan: str) -> None:
    code = (
        "from pddl2nl.pddl import parse_task\nfrom pddlval import validate\n"
        "task = parse_task('(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))',"
        "'(define (problem x) (:domain d) (:init) (:goal (p)))')\n"
        f"assert validate(task, {plan!r}).valid"
    )
    loaded = loaded_by(code, root)
    assert "subprocess" not in loaded
    assert not any(name.startswith("pddlval.temporal") for name in loaded)
