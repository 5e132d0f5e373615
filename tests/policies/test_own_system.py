"""The documentation's example of a system in a package of one's own: listed, run, recorded, replayed and reported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guides/plugins.md").read_text(encoding="utf-8")
FILE = re.compile(r"(?m)^```\w+ title=\"(tea/[^\"]+)\"\n(.*?)^```$", re.DOTALL)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package of the page, installed as pip would do it."""
    for name, text in FILE.findall(PAGE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    info = tmp_path / "tea-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tea\nVersion: 1.0\n", encoding="utf-8")
    (entry,) = re.findall(r"(?m)^tea = \"(.*)\"$", PAGE)
    (info / "entry_points.txt").write_text(f"[pddl2nl.systems]\ntea = {entry}\n", encoding="utf-8")
    (tmp_path / "replies.txt").write_text("Action: nonsense\n", encoding="utf-8")
    return tmp_path


def called(folder: Path, *arguments: str, code: int = 0) -> str:
    paths = [str(folder), str(ROOT), str(ROOT / "validators")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}
    command = [sys.executable, "-m", "pddl2nl", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_the_system_of_the_page_works(installed: Path) -> None:
    assert len(FILE.findall(PAGE)) == 4
    assert "dry-tea" in called(installed, "policies")
    assert "Cups before each action." in called(installed, "policies", "tea")
    command = re.search(r"(?m)^pddl2nl (run ferry p01 --policy dry-tea .*)$", PAGE)
    called(installed, *command[1].split(), "--out", "runs", code=1)
    (record,) = (installed / "runs").glob("*.jsonl")
    events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    assert events[0]["spec"]["policy"] == "dry-tea"
    assert events[0]["spec"]["options"] == {"cups": 0, "thinks": False}
    assert events[0]["versions"]["tea"] == "1.0"
    assert {"event": "tea-drunk", "cups": 0} in events
    assert "identical" in called(installed, "replay", str(record))
    assert "cups" in called(installed, "report", "runs", "--metric", "cups")


def test_wrong_options_are_explained(installed: Path) -> None:
    run = ("run", "ferry", "p01", "--policy", "tea", "--model", "oracle", "--steps", "1")
    assert "did you mean 'cups'" in called(installed, *run, "-P", "cup=1", code=2)
    assert "whole number >= 0" in called(installed, *run, "-P", "cups=-1", code=2)


BROKEN = {
    "pddl2nl.systems": {"rusty": "rusty:SYSTEM", "gone": "no_such_module:SYSTEM", "number": "plain:NUMBER"},
    "pddl2nl.policies": {"quits": "quits:Policy", "lazy": "plain:Lazy"},
    "pddl2nl.metrics": {"lost": "plain:LOST", "bad": "plain:NUMBER"},
}


def test_a_plug_in_that_cannot_be_loaded_fails_alone(installed: Path) -> None:
    """With a system, policies and metrics of all kinds of defects beside it everything else is as before."""
    modules = {
        "rusty.py": "import os\nSYSTEM = os.nothing\n",
        "quits.py": "raise SystemExit('not today')\n",
        "plain.py": "from pddl2nl.policies import Policy\nNUMBER = 3\n\nclass Lazy(Policy):\n    pass\n",
    }
    for name, text in modules.items():
        (installed / name).write_text(text, encoding="utf-8")
    groups = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items()) for group, each in BROKEN.items()
    )
    with (installed / "tea-1.0.dist-info/entry_points.txt").open("a", encoding="utf-8") as file:
        file.write("".join(groups).replace("[pddl2nl.systems]\n", ""))
    listed = called(installed, "policies")
    assert "dry-tea" in listed
    assert "'quits' is left out: quits:Policy: cannot import quits: quits.py:1: SystemExit: not today" in listed
    assert "'lazy' is left out: lazy: the policy has no method run(episode)" in listed
    assert "'gone' is left out" in listed
    assert "'number' is left out: plain:NUMBER: expected a pddl2nl.plugins.System, found a int" in listed
    run = ("run", "ferry", "p01", "--model", "oracle")
    called(installed, *run, "--policy", "act", "--out", "runs")
    reported = called(installed, "report", "runs")
    assert "act" in reported
    assert "'lost' is left out" in reported
    assert "'bad' is left out: plain:NUMBER: expected a pddl2nl.policies.reporting.RunMetric" in reported
    assert "cannot import quits" in called(installed, *run, "--policy", "quits", code=2)
