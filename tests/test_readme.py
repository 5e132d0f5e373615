"""The README is the front door: its commands run, its output is real, its Python session works."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Shown:
    """A command in the README and the output that stands below it; a line ``…`` stands for any lines."""

    command: str
    output: str
    exit_code: int


def shown_commands() -> list[Shown]:
    """Every ``$ pddl2nl …`` of the README's console blocks; ``# exit code N`` behind it names its exit code."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            command, _, remark = command.partition("  # ")
            code = re.search(r"exit code (\d+)", remark)
            found.append(Shown(command.strip(), output, int(code[1]) if code else 0))
    return found


def pattern_of(output: str) -> re.Pattern[str]:
    """The shown output as a pattern: ``…`` alone on a line stands for any lines, within a line for any text."""
    pattern = ""
    for line in output.rstrip("\n").split("\n"):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ ]*\n"
    return re.compile(pattern + r"\s*\Z")


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("shown", shown_commands(), ids=lambda shown: shown.command[:60])
def test_a_shown_command_prints_what_is_shown(shown: Shown, tmp_path: Path) -> None:
    for folder in ("domains", "instances"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    done = subprocess.run(
        ["bash", "-c", shown.command.replace("pddl2nl ", f"{shlex.quote(sys.executable)} -m pddl2nl ")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
    )
    assert done.returncode == shown.exit_code, done.stdout + done.stderr
    printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).split("\n"))
    assert pattern_of(shown.output).match(printed), printed


@pytest.mark.usefixtures("needs_planner")
def test_the_python_session_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for folder in ("domains", "instances"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(README.replace("```", ""), {}, "README.md", "README.md", 0)
    assert len(examples.examples) >= 10
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=failures.append)
    assert not failures, "".join(failures)


def test_the_two_commands_and_the_licence_of_the_planner_are_named() -> None:
    assert re.search(r"(?m)^pip install -e '\.\[planners\]' && pddl2nl quickstart$", README)
    assert re.search(r"(?m)^pip install .*pytest", README)
    assert "GPL" in README
    assert "separate process" in README


def test_the_pictures_exist() -> None:
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).is_file(), picture
