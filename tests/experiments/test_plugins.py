"""Policies, models and metrics of other packages and of notebooks, in single runs, experiments and reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.cli.app import main
from pddl2nl.errors import InputError
from pddl2nl.experiments.records.replay import RecordError, replay_record
from pddl2nl.experiments.specification.experiment import load_experiment
from pddl2nl.llm import Completion, Message, Request
from pddl2nl.policies import Episode, Policy, make_policy
from pddl2nl.policies.events import Started
from pddl2nl.policies.reporting import RunMetric
from pddl2nl.reports import Record, add_metric, metrics


class Careful(Policy):
    """Looks around, then asks the model once for each action."""

    summary = "looks around first"

    def run(self, episode: Episode) -> None:
        episode.act("Action: look around")
        while not episode.done:
            episode.act(episode.ask([Message("user", episode.goal_text)]))


class Sailor:
    """A model that sails to and fro."""

    name = "sailor"

    def complete(self, request: Request) -> Completion:
        return Completion("Action: sail from location_0 to location_1", model=self.name)


class WithoutName:
    def complete(self, request: Request) -> Completion:
        return Completion("")


def _moves(record: Record) -> float:
    return float(len(record.plan))


MOVES = RunMetric("moves", "executed actions", "lower", "mean", _moves, "actions")
HERE = __name__


def started(result: pddl2nl.RunRecord) -> Started:
    first = result.events[0]
    assert isinstance(first, Started)
    return first


@pytest.fixture
def no_metric_stays() -> Iterator[None]:
    """Tests of this process that run later have the metrics that they had before."""
    yield
    metrics._ADDED.clear()
    metrics.all_metrics.cache_clear()


# ── of a notebook ────────────────────────────────────────────────────────────────────────────────


def test_a_policy_and_a_model_of_the_caller_run(tmp_path: Path) -> None:
    task = pddl2nl.shipped_task("ferry", "p01")
    result = pddl2nl.run(task, policy=Careful(), model=Sailor(), steps=3, record=tmp_path / "one.jsonl")
    assert (result.outcome, result.steps) == ("budget", 3)
    assert started(result).policy == f"{HERE}:Careful"
    assert started(result).versions["tests"] == "no distribution"


def test_a_module_and_a_class_name_the_same_policy_as_its_object() -> None:
    task = pddl2nl.shipped_task("ferry", "p01")
    by_path = pddl2nl.run(task, policy=f"{HERE}:Careful", model=f"python:{HERE}:Sailor", steps=3)
    by_object = pddl2nl.run(task, policy=Careful(), model=Sailor(), steps=3)
    assert started(by_path).policy == started(by_object).policy
    assert started(by_path).model == started(by_object).model == "sailor"
    assert by_path.plan == by_object.plan


def test_all_three_work_in_an_experiment_and_its_report(tmp_path: Path, no_metric_stays: None) -> None:
    tasks = [pddl2nl.shipped_task("ferry", name) for name in ("p01", "p02")]
    policies = [Careful(), "random"]
    first = pddl2nl.experiment(tasks, policies, [Sailor()], seeds=(1, 2), out=tmp_path, steps=4)
    assert (first.runs, first.failed) == (8, 0)
    again = pddl2nl.experiment(tasks, policies, [Sailor()], seeds=(1, 2), out=tmp_path, steps=4)
    assert again.earlier == 8
    assert add_metric(MOVES) == "moves"
    rows = pddl2nl.load_records(tmp_path).run_rows()
    assert {row["policy"] for row in rows} == {f"{HERE}:Careful", "random"}
    assert {row["moves"] for row in rows if row["policy"] == "random"} == {4.0}
    assert all(row["moves"] <= 3 for row in rows if row["policy"] != "random")


def test_an_experiment_file_names_them_by_module_and_class(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        f'domains = ["ferry"]\ninstances = ["p01"]\npolicies = ["{HERE}:Careful"]\nmodels = ["python:{HERE}:Sailor"]\n',
        encoding="utf-8",
    )
    spec = load_experiment(path)
    assert [(column.name, column.kind) for column in spec.columns] == [("Careful", "model")]
    path.write_text(path.read_text(encoding="utf-8").replace(":Careful", ":Careless"), encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.toml:3:13: policies: .*Careless: module .* no attribute 'Careless'"):
        load_experiment(path)


def test_two_objects_of_one_name_are_refused(tmp_path: Path) -> None:
    task = pddl2nl.shipped_task("ferry", "p01")
    with pytest.raises(InputError, match="two policies are called"):
        pddl2nl.experiment([task], [Careful(), Careful()], [Sailor()], out=tmp_path)
    with pytest.raises(InputError, match="two models are called 'sailor'"):
        pddl2nl.experiment([task], [Careful()], [Sailor(), Sailor()], out=tmp_path)


def test_a_record_never_chooses_the_code_of_its_policy(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    pddl2nl.run(pddl2nl.shipped_task("ferry", "p01"), policy=Careful(), model=Sailor(), steps=3, record=path)
    with pytest.raises(RecordError, match="is not registered"):
        replay_record(path)
    assert replay_record(path, policy=Careful()).identical


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("reakt", "did you mean 'react'.*no policy 'reakt'"),
        ("no_such_module:Careful", "cannot import no_such_module: ModuleNotFoundError"),
        (f"{HERE}:Careles", "has no attribute"),
        (f"{HERE}:Sailor", r"a policy is a class derived from .*Policy; found"),
        ("json:dumps", r"a policy is a class derived from .*Policy; found"),
    ],
)
def test_a_wrong_policy_is_refused(policy: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_policy(policy)


@pytest.mark.parametrize("model", ["python:", "python:json", f"python:{HERE}:WithoutName", "python:json:dumps"])
def test_a_wrong_model_is_refused(model: str) -> None:
    with pytest.raises(InputError, match=r"python:|failed"):
        pddl2nl.run(pddl2nl.shipped_task("ferry", "p01"), policy="act", model=model)


CANNOT_ACT = {
    "async def run(self, episode): pass": "would do nothing when it is called",
    "def run(self, episode): yield 1": "would do nothing when it is called",
    "def run(self): pass": r"run\(episode\) cannot be called: TypeError: too many positional arguments",
    "run = None": r"run\(episode\) cannot be called: TypeError: None",
    "def runn(self, episode): pass": r"the policy has no method run\(episode\)",
    "styles = 'nl'\n    def run(self, episode): pass": "styles: expected a tuple, found 'nl'",
    "n: 'Nope' = 1\n    def run(self, episode): pass": "its options cannot be read: NameError",
}


@pytest.mark.parametrize(("body", "message"), CANNOT_ACT.items())
def test_a_policy_that_cannot_act_is_refused_and_no_model_is_blamed(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "idle_policy.py").write_text(f"from pddl2nl.policies import Policy\nclass Idle(Policy):\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "idle_policy", raising=False)
    with pytest.raises(InputError, match=f"idle_policy:Idle: .*{message}|idle_policy:Idle: {message}"):
        make_policy("idle_policy:Idle")


class Leaves(Policy):
    """Ends the process with the exit code of a solved run."""

    def run(self, episode: Episode) -> None:
        raise SystemExit(0)


class Ends(BaseException):
    pass


class EndsAll(Policy):
    def run(self, episode: Episode) -> None:
        raise Ends


class Wordless:
    name = "wordless"

    def complete(self, request: Request) -> Any:
        return "no completion"


@pytest.mark.parametrize(
    ("policy", "model", "code", "said"),
    [
        (f"{HERE}:Leaves", "oracle", 3, "test_plugins.py:{line}: RuntimeError: SystemExit: 0"),
        (f"{HERE}:EndsAll", "oracle", 3, "RuntimeError: Ends: "),
        (
            "act",
            f"python:{HERE}:Wordless",
            2,
            "the model 'wordless' gave 'no completion'; expected a Completion of a text",
        ),
    ],
)
def test_what_ends_or_says_nothing_has_the_exit_code_of_no_verdict(
    policy: str, model: str, code: int, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    line = Leaves.run.__code__.co_firstlineno + 1
    assert main(["run", "ferry", "p01", "--policy", policy, "--model", model, "--out", str(tmp_path)]) == code
    assert said.format(line=line) in capfd.readouterr().err


def test_a_metric_may_not_take_the_name_of_ours() -> None:
    with pytest.raises(InputError, match="there is a metric 'steps' already"):
        add_metric(RunMetric("steps", "mine", "lower", "mean", _moves))
    with pytest.raises(InputError, match=r"expected a .*RunMetric, found a type"):
        add_metric(f"{HERE}:Sailor")


# ── of an installed package ──────────────────────────────────────────────────────────────────────

PACKAGE = """
from pddl2nl.experiments import MadeModel
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies import Policy
from pddl2nl.policies.reporting import RunMetric

class Lazy(Policy):
    summary = "asks once and gives up"
    def run(self, episode):
        from pddl2nl.llm import Message
        episode.give_up("gave-up", episode.ask([Message("user", "?")]))

def shout(argument, context):
    return MadeModel(ScriptedModel([argument.upper()] * 9, name=f"shout:{argument}"), lambda completion: None)

CALLS = RunMetric("own-calls", "calls of the planner", "lower", "mean", lambda record: float(len(record.events)))
"""
ENTRIES = """
[pddl2nl.policies]
lazy = lazy_planning:Lazy
[pddl2nl.models]
shout = lazy_planning:shout
[pddl2nl.metrics]
own-calls = lazy_planning:CALLS
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which a distribution with three plug-ins is installed."""
    site = tmp_path / "site"
    info = site / "lazy_planning_tools-1.2.dist-info"
    info.mkdir(parents=True)
    (site / "lazy_planning.py").write_text(PACKAGE, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lazy-planning-tools\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(site), *sys.path])}


def pddl2nl_command(environment: dict[str, str], folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pddl2nl", *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_entry_points_add_a_policy_a_model_and_a_metric(environment: dict[str, str], tmp_path: Path) -> None:
    arguments = ("run", "ferry", "p01", "--policy", "lazy", "--model", "shout:no idea", "--steps", "5", "--json")
    result = json.loads(pddl2nl_command(environment, tmp_path, *arguments))
    assert (result["outcome"], result["fault"]["text"]) == ("gave-up", "NO IDEA")
    first = json.loads((tmp_path / result["record"]).read_text(encoding="utf-8").splitlines()[0])
    assert (first["spec"]["policy"], first["spec"]["model"]) == ("lazy", "shout:no idea")
    assert first["versions"]["lazy-planning-tools"] == "1.2"
    pddl2nl_command(environment, tmp_path, "report", "runs", "--format", "runs", "--out", "rows.jsonl")
    row = json.loads((tmp_path / "rows.jsonl").read_text(encoding="utf-8"))
    assert row["own-calls"] > 3
