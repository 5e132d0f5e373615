"""What stands behind the standard streams never shows in a verdict: locales, closed streams, readers that leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (("-m", "pddlval"), ("-m", "pddl2nl", "validate"))
TASK = ("domain.pddl", "problem.pddl")
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

pytestmark = [pytest.mark.usefixtures("here"), pytest.mark.parametrize("command", COMMANDS)]


@pytest.fixture
def environment(root: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(root)}


def run(command: tuple[str, ...], *arguments: str | bytes, **options: object) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own; standard error is captured."""
    return subprocess.run([sys.executable, *command, *arguments], stderr=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_utf8_whatever_the_locale(command: tuple[str, ...], environment: dict[str, str]) -> None:
    options = {"env": {**environment, **ASCII}, "stdout": subprocess.PIPE}
    done = run(command, *TASK, "-", "--json", input=b"(\xc3\xa9 \xff)", **options)
    assert (done.returncode, done.stderr) == (1, b"")
    assert "(é \N{REPLACEMENT CHARACTER})" in json.loads(done.stdout.decode("utf-8"))["diagnostics"][0]["message"]


def test_closed_streams(command: tuple[str, ...], environment: dict[str, str]) -> None:
    shell = '"$@" <&- >&-'
    for plan, code in (("good.plan", 0), ("-", 1)):
        arguments = ["sh", "-c", shell, "sh", sys.executable, *command, *TASK, plan]
        done = subprocess.run(arguments, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


def test_a_reader_that_leaves_is_no_verdict(command: tuple[str, ...], environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(command, *TASK, "good.plan", env=environment, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_no_verdict(command: tuple[str, ...], environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        done = run(command, *TASK, "good.plan", env=environment, stdout=full)
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
