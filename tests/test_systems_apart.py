"""A system is a plug-in: without its folder the core imports, runs and passes its own tests, and it names none."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SYSTEMS = sorted(path.name for path in (ROOT / "pddl2nl/systems").iterdir() if (path / "__init__.py").is_file())
CORE = [
    path
    for top in ("pddl2nl", "validators/pddlval")
    for path in sorted((ROOT / top).rglob("*.py"))
    if "systems" not in path.relative_to(ROOT).parts
]
COPIED = ("pddl2nl", "validators", "domains", "instances", "tests", "docs", "pyproject.toml")

PLAN = "(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)\n"
COMMANDS = (
    ("run", "blocksworld", "p01", "--policy", "react", "--model", "oracle", "--cache", "none", "--out", "runs"),
    ("convert", "blocksworld", "p01"),
    ("validate", "blocksworld", "p01", "plan.txt"),
    ("policies",),
    ("report", "runs"),
    ("report", "runs", "--format", "html"),
    ("--help",),
)
USED = f"""
import pkgutil, importlib, pddl2nl, pddlval
for package in (pddl2nl, pddlval):
    for module in pkgutil.walk_packages(package.__path__, f"{{package.__name__}}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
for command in {COMMANDS}:
    assert pddl2nl.cli.app.main(command) == 0, command
"""
"""Imports every module, and then uses the commands."""
TESTS = ("tests/policies", "tests/experiments/test_runs.py", "tests/experiments/test_sweep.py")
"""The core's tests of policies and experiments that take seconds."""
OF_ALL_SYSTEMS = ("tests/systems/test_systems.py",)


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_core_names_no_system(path: Path) -> None:
    """No import of a system and no text with its name, but for the package that holds them all."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = re.compile(rf"\b({'|'.join(name for name in SYSTEMS if name != 'autoplanbench')})\b")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            assert not any(module.startswith("pddl2nl.systems") for module in modules), f"{path}:{node.lineno}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not names.search(node.value), f"{path}:{node.lineno}: {node.value[:80]!r}"


@pytest.mark.heavy
@pytest.mark.parametrize("absent", [*([system] for system in SYSTEMS), SYSTEMS], ids=[*SYSTEMS, "all"])
def test_everything_else_works_without_a_system(absent: list[str], tmp_path: Path) -> None:
    """What needs a system fails without all of them; those that are left are held to what all have in common."""
    for name in COPIED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    for system in absent:
        shutil.rmtree(tmp_path / "pddl2nl/systems" / system)
        shutil.rmtree(tmp_path / "tests/systems" / system, ignore_errors=True)
    (tmp_path / "plan.txt").write_text(PLAN, encoding="utf-8")
    tests = TESTS if absent == SYSTEMS else OF_ALL_SYSTEMS
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{tmp_path / 'validators'}"}
    for arguments in (
        ["-c", USED],
        ["-m", "pytest", "-qx", "-p", "no:cacheprovider", "--hypothesis-profile=few", *tests],
    ):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
