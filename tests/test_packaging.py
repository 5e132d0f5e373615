"""What is installed under which name, what an import costs, and which way imports go."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import pddl2nl


def run_python(code: str) -> str:
    """The output of a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_validator_installs_no_module_called_validators() -> None:
    """PyPI's package `validators` must find its name free."""
    ours = importlib.metadata.files("pddl2nl") or []
    assert not [str(file) for file in ours if file.parts[0] == "validators"]


def test_core_dependencies_stay_few(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=\[ ]", line)[0] for line in project["dependencies"]}
    assert names <= {
        "filelock",
        "jinja2",
        "json-repair",
        "msgspec",
        "openai",
        "pyyaml",
        "rapidfuzz",
        "rich",
        "scipy",
        "typer",
    }
    assert {"planners", "stanza", "tarski", "cluster", "test", "all"} <= set(project["optional-dependencies"])


@pytest.mark.parametrize("package", ["pddl2nl", "pddlval", "pddl2nl.pddl", "pddl2nl.llm", "pddl2nl.cli.app"])
def test_heavy_packages_are_imported_only_where_they_are_used(package: str) -> None:
    loaded = run_python(f"import sys, {package}; print(*sorted(m for m in sys.modules if '.' not in m))").split()
    heavy = {"openai", "unified_planning", "stanza", "tarski", "torch", "jinja2", "lark", "pydantic", "distributed"}
    heavy |= {"yaml", "rapidfuzz"}
    assert not heavy & set(loaded)


@pytest.mark.parametrize("package", ["mcp", "gymnasium"])
def test_packages_of_young_protocols_are_those_that_the_tests_run_with(package: str, root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    [requirement] = extras[package]
    bounds = re.fullmatch(rf"{package}>=(\d+)\.(\d+),<(\d+)", requirement)
    major, minor, most = map(int, bounds.groups())
    pytest.importorskip(package, reason=f"{package} is absent: pip install 'pddl2nl[{package}]'")
    installed = tuple(map(int, importlib.metadata.version(package).split(".")[:2]))
    assert (major, minor) <= installed < (most, 0)


@pytest.mark.parametrize(
    ("package", "use"),
    {
        "openai": r"import openai\b|from openai ",
        "up-fast-downward": r'"up_fast_downward"|up-fast-downward',
        "unified-planning": r"from unified_planning",
        "tarski": r"from tarski",
        "stanza": r"import stanza",
        "lark": r"from lark ",
        "pytest": r"import pytest",
    }.items(),
)
def test_a_package_that_is_named_as_used_is_used_and_required(package: str, use: str, root: Path) -> None:
    page = (root / "docs" / "guides" / "install.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"(?m)^\| `{package}` \| \w", page.partition("## What the packages do here")[2])) == 1
    assert re.search(rf'"{package}\b', (root / "pyproject.toml").read_text(encoding="utf-8"))
    folder = root / ("tests" if package in ("lark", "pytest") else "pddl2nl")
    assert any(re.search(use, path.read_text(encoding="utf-8")) for path in folder.rglob("*.py"))


def test_every_public_name_is_there() -> None:
    assert set(dir(pddl2nl)) == set(pddl2nl.__all__)
    optional = set() if find_spec("unified_planning") else {"from_up", "to_up"}
    for name in set(pddl2nl.__all__) - optional:
        assert getattr(pddl2nl, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pddl2nl.nothing  # noqa: B018


def test_the_floors_hold(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_the_named_folders_stand_at_the_top(root: Path) -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    top = {line.split("/")[0] for line in tracked.stdout.split("\n") if line}
    allowed = {"pddl2nl", "domains", "instances", "validators", "tests", "pyproject.toml", "README.md"}
    beside = {"LICENSE", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CITATION.cff", "docs", "mkdocs.yml"}
    assert {name for name in top if not name.startswith(".")} <= allowed | beside
