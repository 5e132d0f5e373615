"""What a specification may choose, and with which policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.preparing import checked_policy
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import Task
from pddl2nl.policies.events import Started
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain


@pytest.fixture(scope="module")
def task() -> Task:
    return shipped_domain("blocksworld").task("p01")


@pytest.mark.parametrize(
    ("policy", "chosen", "words"),
    [
        ("act", {"samples": 3}, "policy act has no option 'samples'"),
        ("random", {"samples": 2}, "policy random has no option 'samples'"),
        ("random", {"history": "compact"}, "--history compact: the policy does not use it"),
        ("basic", {"history": "compact"}, "--history compact: the policy does not use it"),
        ("act", {"stop_after": 0}, "option stop_after is 0; expected a whole number >= 1"),
        ("basic", {"rounds": -1}, "option rounds is -1; expected a whole number >= 0"),
        ("act", {"steps": 0}, "--steps 0: at least 1 is needed"),
        ("act", {"history": "short"}, "--history short: no such choice; there are full, compact"),
        ("act", {"feedback": "none"}, "option feedback is 'none'; expected one of applicable, minimal, reason"),
        ("act", {"models": {"thoughts": "m"}}, "--model-for thoughts: act has no such role"),
        ("act", {"models": {"translator": "m"}}, "--model-for translator: --translator reader asks no model"),
    ],
)
def test_what_a_policy_has_no_use_for_is_refused(task: Task, policy: str, chosen: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        checked_policy(RunSpec.of(task, policy, **chosen))


def test_a_run_is_made_as_chosen_and_its_record_says_so(task: Task) -> None:
    model = ScriptedModel(["I do not know."] * 4)
    spec = RunSpec.of(task, "basic", model=model, example="none", samples=2, rounds=2)
    result = run_spec(spec)
    assert result.calls == 4
    started = result.events[0]
    assert isinstance(started, Started)
    assert (started.options["samples"], started.options["rounds"]) == (2, 2)
    assert {"basic.txt", "problem.txt", "correction.txt"} <= set(started.prompts)
    plain = run_spec(RunSpec.of(task, "basic", model=ScriptedModel(["I do not know."]), example="none")).events[0]
    assert isinstance(plain, Started)
    assert "correction.txt" not in plain.prompts


def test_an_interactive_run_is_told_as_chosen(task: Task) -> None:
    model = ScriptedModel(["Action: dance", "Action: look around"])
    spec = RunSpec.of(task, "act", model=model, example="none", steps=2, history="compact", feedback="minimal")
    rejected = [event for event in run_spec(spec).events if event.event == "rejected"]
    assert [event.observation for event in rejected] == ["Nothing was done."]


def test_a_run_stops_after_successive_failures_and_is_replayed_so(task: Task, tmp_path: Path) -> None:
    record = tmp_path / "act.jsonl"
    model = ScriptedModel(["Action: dance"] * 5)
    spec = RunSpec.of(task, "act", model=model, example="none", steps=20, stop_after=3, record=record)
    result = run_spec(spec)
    assert (result.outcome, result.steps) == ("budget", 3)
    assert replay_record(record).identical
