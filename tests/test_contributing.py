"""What CONTRIBUTING.md promises: a policy and a model are one file and one line, a domain its files alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the toolkit to which the guide's policy, model and a domain were added as it says."""
    folder = tmp_path_factory.mktemp("grown")
    for name in ("pddl2nl", "validators", "domains", "instances"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    steps = re.findall(
        r"`(pddl2nl/[a-z/]+\.py)`:\n\n```python\n(.*?)```.*?\(`([^`]+)`\):\n\n```python\n(.*?)```", GUIDE, re.S
    )
    assert [step[0] for step in steps] == ["pddl2nl/policies/careful.py", "pddl2nl/llm/echo.py"]
    for new_file, code, registry_file, line in steps:
        (folder / new_file).write_text(code, encoding="utf-8")
        assert line.count("\n") == 1
        registry = folder / registry_file
        text = registry.read_text(encoding="utf-8")
        changed = re.sub(r"(?m)^((?:POLICIES|MODELS): [^\n]* = \{\n)", rf"\g<1>{line}", text)
        assert changed != text
        registry.write_text(changed, encoding="utf-8")
    shutil.copytree(folder / "domains/visitall", folder / "domains/strolls")
    shutil.copytree(folder / "instances/visitall", folder / "instances/strolls")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_new_policy_is_listed(grown: Path) -> None:
    done = run(grown, "-m", "pddl2nl", "policies")
    assert done.returncode == 0, done.stderr
    assert "looks around before every action" in done.stdout


@pytest.mark.usefixtures("needs_planner")
def test_the_new_policy_solves_with_the_oracle(grown: Path) -> None:
    files = ("domains/ferry/domain.pddl", "instances/ferry/p01.pddl")
    done = run(grown, "-m", "pddl2nl", "run", *files, "--policy", "careful", "--model", "oracle", "--steps", "40")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("solved")


@pytest.mark.usefixtures("needs_planner")
def test_the_new_model_answers_and_is_judged(grown: Path) -> None:
    files = ("domains/ferry/domain.pddl", "instances/ferry/p01.pddl")
    done = run(grown, "-m", "pddl2nl", "run", *files, "--policy", "basic", "--model", "echo:hello")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("unreadable")


def test_the_new_domain_is_found_by_its_folder(grown: Path) -> None:
    code = "import pddl2nl; print(*pddl2nl.shipped_domains())"
    assert "strolls" in run(grown, "-c", code).stdout.split()
