"""``pddl2nl quickstart``: the whole of it, once, as a newcomer runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from pddl2nl.baselines import fast_downward
from pddl2nl.cli import quickstart as command
from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments.layout import TableLayout
from pddl2nl.experiments.ready import quickstart
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import RunSummary

ROOT = Path(__file__).resolve().parent.parent.parent


def _call(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-m", "pddl2nl", "quickstart", *options],
        cwd=folder,
        env=environment | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory, needs_planner):
    """One quickstart in an empty folder, with the folder that it leaves."""
    folder = tmp_path_factory.mktemp("quickstart")
    return _call(folder), folder / "pddl2nl-quickstart"


@pytest.mark.heavy
def test_it_succeeds_and_says_nothing_on_standard_error(finished):
    process, _ = finished
    assert process.stderr == ""
    assert process.returncode == 0


@pytest.mark.heavy
def test_the_oracle_solves_ten_of_ten_with_every_mechanism(finished):
    process, _ = finished
    (total,) = (line for line in process.stdout.splitlines() if line.split()[:1] == ["sum"])
    cells = re.findall(r"\d+ of \d+", total)
    assert cells[:4] == ["10 of 10"] * 4
    assert cells[5:] == ["10 of 10"] * 4
    assert int(cells[4].split()[0]) < 10
    header = re.search(r"(.*)\n *basic +cot +act +react +random ", process.stdout)
    assert header[1].split() == ["oracle"]
    assert "oracle: no language model was asked" in process.stdout
    page = (finished[1] / "report.html").read_text(encoding="utf-8")
    assert page.count("oracle: no language model was asked") == 1


@pytest.mark.heavy
def test_a_domain_is_shown_converted(finished):
    process, _ = finished
    assert "move the robot from a place A to a place B" in process.stdout
    assert "Currently, the robot is at" in process.stdout


@pytest.mark.heavy
def test_the_page_holds_every_run_and_fetches_nothing(finished):
    process, folder = finished
    assert "pddl2nl-quickstart/report.html" in process.stdout
    html = (folder / "report.html").read_text(encoding="utf-8")
    for name in quickstart().jobs:
        assert f'id="run-{name}"' in html
    assert len(re.findall(r'<article class="run ', html)) == 90
    assert not re.search(r"https?:|<link|<img (?!src=\"data:)|@import|url\(", html)


@pytest.mark.heavy
def test_json_is_a_summary_alone(tmp_path, monkeypatch, capsys, finished):
    _, folder = finished
    monkeypatch.setattr(command, "_run", lambda *args, **options: sorted((folder / "records").glob("*.jsonl")))
    with pytest.raises(typer.Exit) as stop:
        command._quickstart(tmp_path, as_json=True)
    assert stop.value.exit_code == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["runs"], summary["judged_as_recorded"]) == (90, 90)
    assert summary["coverage"]["sections"][0]["lines"][-1]["cells"][3]["text"] == "10 of 10"
    assert Path(summary["report"]).is_file()


def test_without_planners_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fast_downward.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[planners\]'"):
        command._quickstart(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not capsys.readouterr().out


def _run(name, model, outcome):
    return RunSummary(name, Path(name), "s", "t", "", "d", "p", 2, "act", model, outcome=outcome)


@pytest.mark.parametrize(
    ("oracle", "walk", "agreed", "code"),
    [
        ("solved", "budget", True, 0),
        ("goal-missed", "solved", True, 1),
        ("solved", "budget", False, 1),
        ("solved", "infrastructure-error", True, 3),
    ],
)
def test_exit_codes(oracle, walk, agreed, code):
    runs = {"a": _run("a", "oracle", oracle), "b": _run("b", "oracle", "solved"), "c": _run("c", "", walk)}
    assert command._exit_code(Gathered(None, TableLayout("", (), (), {}), runs), agreed) == code
