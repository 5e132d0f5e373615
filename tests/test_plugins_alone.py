"""Plug-ins fail alone: a distribution of broken ones is installed, and what does not ask for them works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

IMPORTS = {
    "missing": None,
    "exits": "raise SystemExit(0)",
    "ends": "class End(BaseException): pass\nraise End('of all')",
    "syntax": "def (:",
    "silent": "class Silent(Exception):\n    def __str__(self): raise RuntimeError\nraise Silent",
    "full_disk": "raise OSError(28, 'No space left on device')",
    "reader_gone": "raise BrokenPipeError",
    "wrong": "THING = 3",
    "nameless": "",
}
"""Modules that cannot be imported or do not hold what was registered."""
SYSTEM = "from pddl2nl.plugins import System\n"
SYSTEMS = {
    "no_files": SYSTEM + "THING = System('x', presets='presets.toml', paper='paper.toml')",
    "no_parts": SYSTEM
    + "THING = System('x', policies={'no-part': 'gone:Gone'}, events='gone:EVENTS', records='gone:R', "
    "metrics='gone:M', tables={'gone': 'gone:T'}, plots='gone:P', generators={'gone': 'gone:G'}, training='gone:T', "
    "asks='gone:A', commands={'gone': 'gone:C', 'macro': 'gone:M'})",
    "no_tuples": SYSTEM + "EVENTS = METRICS = PLOTS = 3\nTHING = System('x', events='__init__:EVENTS', "
    "metrics='__init__:METRICS', plots='__init__:PLOTS')",
    "no_mapping": SYSTEM + "THING = System('x', policies=['basic'], tables=None)",
}
POLICIES = {
    "no_class": "THING = lambda episode: None",
    "no_run": "from pddl2nl.policies import Policy\nclass THING(Policy):\n    def runn(self, episode): pass",
}
FAILING = """
import sys
from pddl2nl.experiments import MadeModel
from pddl2nl.policies import Policy
from pddl2nl.policies.events import RunEvent
from pddl2nl.policies.notes import Note
from pddl2nl.policies.reporting import RunMetric
from pddl2nl.plugins import System
from pddl2nl.reports.plots import Plot

class Snored(RunEvent, frozen=True):
    def note(self):
        return {}["title"]

class Acted(RunEvent, frozen=True, tag="acted"):
    mine: int

class Snores(Policy):
    summary = "writes an event and gives up"
    def run(self, episode):
        episode.note(Snored())
        episode.give_up("gave-up", "snored")

class Divides(Policy):
    def run(self, episode):
        return 1 / 0

def fails(*given, **named):
    return [][0]

EVENTS = (Snored, Acted)
METRICS = (
    RunMetric("snores", "raises", "lower", "mean", fails),
    RunMetric("words", "is no number", "lower", "mean", lambda record: "many"),
    RunMetric("nan", "is no number", "lower", "mean", lambda record: float("nan")),
    RunMetric("coverage", "has the name of ours", "lower", "mean", lambda record: 7.0),
)
PLOTS = (Plot("snores", "Snores", "raises", fails), Plot("failures", "Mine", "has the name of ours", fails))
ALONE = RunMetric("alone", "ends the process", "lower", "mean", lambda record: sys.exit(0))
THING = System(
    "Failing",
    policies={"snores": "__init__:Snores", "divides": "__init__:Divides", "act": "__init__:Divides"},
    events="__init__:EVENTS", metrics="__init__:METRICS", plots="__init__:PLOTS", tables={"snoring": "__init__:fails"},
    commands={"snore": "__init__:fails", "validate": "__init__:fails"}, generators={"snoring": "__init__:METRICS"},
)
"""
KINDS = ("metrics", "policies", "models", "systems", "domains")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution of broken plug-ins of every kind."""
    folder = tmp_path_factory.mktemp("site")
    modules = {**IMPORTS, **SYSTEMS, **POLICIES, "failing": FAILING}
    for name, text in modules.items():
        if text is not None:
            (folder / f"bad_{name}").mkdir()
            (folder / f"bad_{name}" / "__init__.py").write_text(text, encoding="utf-8")
    entries = {kind: {name: f"bad_{name}:THING" for name in IMPORTS} for kind in KINDS}
    entries["domains"] = {name: f"bad_{name}" for name in IMPORTS}
    entries["systems"] |= {name: f"bad_{name}:THING" for name in SYSTEMS}
    entries["policies"] |= {name: f"bad_{name}:THING" for name in POLICIES}
    entries["systems"]["failing"] = "bad_failing:THING"
    entries["metrics"]["alone"] = "bad_failing:ALONE"
    entries["models"]["failing"] = "bad_failing:fails"
    info = folder / "bad_tools-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-tools\nVersion: 1.2\n", encoding="utf-8")
    lines = [f"[pddl2nl.{kind}]\n" + "".join(f"{a} = {b}\n" for a, b in of.items()) for kind, of in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


ORDERS = (
    "policies",
    "--help",
    "experiment --list",
    "macro --help",
    "tasks generate",
    "tasks generate ferry",
    "convert ferry p01",
    "run ferry p01 --policy act --model oracle --out runs",
    "run ferry p01 --policy snores --model oracle --out snored",
    "report snored",
    "report snored --format html --out page.html",
    "run ferry p01 --policy missing --model oracle",
    "run ferry p01 --policy no-part --model oracle",
    "run ferry p01 --policy no_run --model oracle",
    "run ferry p01 --policy bad_exits:Mine --model oracle",
    "run ferry p01 --policy act --model failing:x",
    "run ferry p01 --policy act --model wrong:x",
    "run ferry p01 --policy divides --model oracle --out own",
    "convert missing p01",
    "convert ends p01",
    "snore",
    "report snored --metric missing",
    "report snored --metric bad_ends:THING",
)
RUN = """
import contextlib, io, json, sys
from pddl2nl.cli.app import main
done = {}
for order in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(order.split())
    done[order] = (code, out.getvalue(), err.getvalue())
json.dump(done, sys.stdout)
"""


@pytest.fixture(scope="module")
def done(site: Path) -> dict[str, tuple[int, str, str]]:
    """The exit code, output and errors of each command, all in one process; a warning is told once in it."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), *sys.path]), "COLUMNS": "200"}
    command = [sys.executable, "-c", RUN]
    told = subprocess.run(
        command, input=json.dumps(ORDERS), env=environment, cwd=site, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr[-3000:]
    found: dict[str, tuple[int, str, str]] = json.loads(told.stdout)
    return found


def test_what_asks_for_none_of_them_works(done: dict[str, tuple[int, str, str]]) -> None:
    assert not [order for order, (_, _, said) in done.items() if "Traceback" in said]
    codes = {order: code for order, (code, _, _) in done.items()}
    assert [codes[order] for order in ORDERS[:11]] == [0] * 8 + [1, 0, 0]


def test_lists_leave_out_what_cannot_be_loaded(done: dict[str, tuple[int, str, str]]) -> None:
    _, shown, warned = done["policies"]
    assert all(f"pddl2nl.policies: '{name}' is left out: " in warned for name in (*IMPORTS, *POLICIES))
    assert all(f"pddl2nl.systems: '{name}' is left out: " in warned for name in (*IMPORTS, "no_files", "no_mapping"))
    assert "no_run: the policy has no method run(episode)" in warned
    assert "policy 'no-part' of system 'no_parts' is left out" in warned
    assert "sayplan" in shown
    assert "snores" in shown
    assert "pddl2nl.domains: 'exits' is left out" in done["tasks generate"][2]
    assert "the part 'generators' of system 'failing' is left out: expected" in done["tasks generate"][2]


def test_a_report_leaves_out_what_fails_while_it_is_made(done: dict[str, tuple[int, str, str]]) -> None:
    _, shown, warned = done["report snored"]
    assert "snores" in shown
    assert "0 of 1" in shown
    assert "the metric 'snores' is left out: bad_failing/__init__.py:29: IndexError: list index out of range" in warned
    assert "the metric 'alone' is left out: bad_failing/__init__.py:39: SystemExit: 0" in warned
    assert "the metric 'words' is left out: TypeError" in warned
    assert "the metric 'nan' is left out: expected a number" in warned
    assert "the metric 'coverage' of a plug-in is left out: there is another one of this name" in warned
    warned = done["report snored --format html --out page.html"][2]
    assert "the note of the event 'Snored' is left out: bad_failing/__init__.py:13: KeyError: 'title'" in warned


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("run ferry p01 --policy missing --model oracle", "cannot import bad_missing: ModuleNotFoundError"),
        ("run ferry p01 --policy no-part --model oracle", "cannot import bad_no_parts.gone"),
        ("run ferry p01 --policy no_run --model oracle", "no_run: the policy has no method run(episode)"),
        ("run ferry p01 --policy bad_exits:Mine --model oracle", "bad_exits/__init__.py:1: SystemExit: 0"),
        ("run ferry p01 --policy act --model failing:x", "--model failing:x: bad_failing/__init__.py:29: IndexError"),
        ("run ferry p01 --policy act --model wrong:x", "--model wrong:x: TypeError"),
        ("convert missing p01", "cannot import bad_missing"),
        ("convert ends p01", "cannot import bad_ends: bad_ends/__init__.py:2: End: of all"),
        ("snore", "the command 'snore' of system 'failing': bad_failing/__init__.py:29: IndexError"),
        ("report snored --metric missing", "no metric 'missing'"),
        ("report snored --metric bad_ends:THING", "cannot import bad_ends: bad_ends/__init__.py:2: End"),
    ],
)
def test_what_asks_for_one_of_them_names_its_fault(
    done: dict[str, tuple[int, str, str]], order: str, message: str
) -> None:
    code, _, said = done[order]
    assert code == 2
    assert message in said


def test_a_policy_that_raises_is_told_as_its_own_fault(done: dict[str, tuple[int, str, str]]) -> None:
    code, _, said = done["run ferry p01 --policy divides --model oracle --out own"]
    assert code == 3
    assert "error: bad_failing/__init__.py:26: ZeroDivisionError: division by zero" in said
