"""What a specification may choose, and with which policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.choices import beyond_paper, checked_policy
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
        ("act", {"samples": 3}, "--samples 3: --policy act takes its actions one at a time"),
        ("react", {"rounds": 1}, "--rounds 1: --policy react"),
        ("act", {"samples": 2, "rounds": 1}, "--samples 2 and --rounds 1: --policy act"),
        ("random", {"samples": 2}, "--samples 2: --policy random"),
        ("random", {"history": "compact"}, "--history compact: --policy random asks no model"),
        ("basic", {"history": "compact"}, "--history compact: --policy basic gives its whole plan in one turn"),
        ("cot", {"feedback": "minimal"}, "--feedback minimal: --policy cot gives its whole plan in one turn"),
        ("basic", {"stop_after": 3}, "--stop-after 3: --policy basic gives its whole plan in one turn"),
        ("random", {"stop_after": 3}, "--stop-after 3: --policy random asks no model"),
        ("act", {"stop_after": 0}, "--stop-after 0: at least 1 is needed"),
        ("basic", {"samples": 0}, "--samples 0: at least 1 is needed"),
        ("basic", {"rounds": -1}, "--rounds -1: at least 0 is needed"),
        ("act", {"samples": -2}, "--samples -2: at least 1 is needed"),
        ("act", {"history": "short"}, "--history short: no such choice; there are full, compact"),
        ("act", {"feedback": "none"}, "--feedback none: no such choice; there are reason, applicable, minimal"),
    ],
)
def test_what_a_policy_has_no_use_for_is_refused(task: Task, policy: str, chosen: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        checked_policy(RunSpec.of(task, policy, **chosen))


@pytest.mark.parametrize(
    ("policy", "chosen"),
    [
        ("basic", {"samples": 2, "rounds": 1}),
        ("cot", {"samples": 5}),
        ("act", {"history": "compact", "feedback": "applicable"}),
        ("react", {"history": "compact", "feedback": "minimal"}),
        ("random", {"history": "full", "feedback": "reason", "samples": 1, "rounds": 0}),
    ],
)
def test_what_a_policy_can_do_is_taken_and_named_as_beyond_the_paper(
    task: Task, policy: str, chosen: dict[str, Any]
) -> None:
    spec = RunSpec.of(task, policy, **chosen)
    checked_policy(spec)
    assert beyond_paper(spec) == {key: value for key, value in chosen.items() if policy != "random"}


def test_a_run_is_made_as_chosen_and_its_record_says_so(task: Task) -> None:
    model = ScriptedModel(["I do not know."] * 4)
    spec = RunSpec.of(task, "basic", model=model, example="none", samples=2, rounds=2)
    result = run_spec(spec)
    assert result.calls == 4
    started = result.events[0]
    assert isinstance(started, Started)
    assert started.beyond_paper == {"samples": 2, "rounds": 2}
    assert set(started.prompts) == {"basic.txt", "problem.txt", "correction.txt"}
    plain = run_spec(RunSpec.of(task, "basic", model=ScriptedModel(["I do not know."]), example="none")).events[0]
    assert isinstance(plain, Started)
    assert plain.beyond_paper == {}
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
    assert isinstance(result.events[0], Started)
    assert result.events[0].limits["failures"] == 3
    assert replay_record(record).identical
