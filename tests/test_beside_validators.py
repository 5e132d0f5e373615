"""PyPI's package `validators` and ours in one environment: `pytest -m heavy`, since it builds and installs packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

DOMAIN = """(define (domain lamps) (:predicates (lit ?x))
  (:action light :parameters (?x) :precondition (and) :effect (lit ?x)))"""
PROBLEM = "(define (problem one) (:domain lamps) (:objects a) (:init) (:goal (lit a)))"
THEIRS = "validators>=0.20"
NO_NETWORK = re.compile(
    r"NewConnectionError|Failed to establish a new connection|Temporary failure in name resolution"
    r"|Network is unreachable|No route to host"
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def run(*command: str | Path, at: Path) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        list(map(str, command)), cwd=at, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=600
    )
    output = done.stdout + done.stderr
    if done.returncode and NO_NETWORK.search(output):
        pytest.skip(f"pip has no network: {output.strip().splitlines()[-1]}")
    assert done.returncode == 0, output
    return done.stdout


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, root, at=folder)
    (found,) = folder.glob("pddl2nl-*.whl")
    return found


def fresh_environment(folder: Path) -> Path:
    """The interpreter of a new environment, which sees our dependencies but not our packages."""
    venv.create(folder, with_pip=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # A folder that is named in a .pth file comes last, and .pth files in it are not read: an editable install of ours
    # in this environment is not found there.
    dependencies = dict.fromkeys(path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in dependencies), encoding="utf-8")
    return folder / "bin" / "python"


def assert_both_work(python: Path, at: Path) -> None:
    """That each finds its own modules."""
    texts = {"domain.pddl": DOMAIN, "problem.pddl": PROBLEM, "plan.txt": "(light a)\n"}
    for name, text in texts.items():
        (at / name).write_text(text, encoding="utf-8")
    files = tuple(at / name for name in texts)
    for command in ((python, "-m", "pddlval"), (python.with_name("pddl2nl"), "validate")):
        assert "Plan valid" in run(*command, *files, at=at)
    program = "import validators; print(validators.__file__, validators.email('someone@example.org'))"
    path, valid = run(python, "-c", program, at=at).split()
    assert valid == "True"
    assert Path(path).is_relative_to(python.parent.parent)
    # Theirs, and not the folder of our checkout.
    assert run(python, "-c", "import validators, pddlval; print(hasattr(validators, 'pddlval'))", at=at) == "False\n"


@pytest.mark.parametrize("ours_first", [True, False])
def test_both_packages_work_in_one_environment(ours_first: bool, wheel: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path / "environment")
    packages = [str(wheel), THEIRS] if ours_first else [THEIRS, str(wheel)]
    for package in packages:
        run(python, "-m", "pip", "install", "--no-deps", package, at=tmp_path)
    assert_both_work(python, tmp_path)


def test_an_editable_install_leaves_the_name_free(root: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path / "environment")
    run(python, "-m", "pip", "install", "--no-deps", "--editable", root, at=tmp_path)
    run(python, "-m", "pip", "install", "--no-deps", THEIRS, at=tmp_path)
    assert_both_work(python, tmp_path)
