"""``--constrain`` over the registry: replies drawn from what is sent are read, and with ``applicable`` are possible."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pddl2nl.experiments import RunResult, run
from pddl2nl.llm import OpenAIModel, ScriptedModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.policies import make_policy, policies, system_of
from pddl2nl.policies.events import Finished, Prompted, Read, RunEvent
from pddl2nl.systems.brainbody.events import BodyActed
from pddl2nl.systems.hvr.events import BlockExpanded
from pddl2nl.systems.hybrids.events import StatesAsked
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import Call, ChatServer, Trouble
from tests.llm.grammar import drawn

NAMES = [entry.name for entry in policies()]
# They send what the whole system sends.
ABLATIONS = [
    *("hv", "hr", "vr", "r", "llm"),
    *(name for name in NAMES if name.startswith(("sayplan-", "taskgraph-")) and name != "sayplan-queries"),
]
CHOICES = [(name, level) for name in NAMES for level in make_policy(name).levels]
# Guided asks only where it is stuck.
TASKS = {"sayplan": ("building", "p01"), "taskgraph": ("alfred", "u01"), "hybrids": ("goldminer", "p05")}
STATEWISE = [name for name, level in CHOICES if level == "applicable"]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")


def played(policy: str, level: str, seed: int = 1) -> RunResult:
    """A run with a server that obeys every grammar, and gives a plan of one step where none is sent."""
    rng = random.Random(f"{policy} {level} {seed}")

    def fault(call: Call) -> Trouble:
        grammar = call.body.get("grammar")
        message = {"role": "assistant", "content": "1. Go on" if grammar is None else drawn(grammar, rng)}
        return Trouble(200, json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}))

    system = system_of(policy)
    task = shipped_task(*TASKS.get("" if system is None else system.name, ("blocksworld", "p01")))
    with ChatServer(ScriptedModel([]), fault=fault) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(constrain="grammar"))
        options: dict[str, Any] = {"cache": "none", "constrain": level, "budget_calls": 8, "steps": 8}
        return run(task, policy, model, **options)


def test_every_interactive_policy_takes_applicable() -> None:
    interactive = [name for name in NAMES if make_policy(name).needs_model and not make_policy(name).one_shot]
    # Score has no replies: it rates the applicable actions and nothing else.
    assert {*STATEWISE} == {*interactive} - {"score"} | {"tree", "guided"}


def test_a_repaired_policy_takes_what_it_takes_by_itself() -> None:
    assert make_policy("repair:llm+p").levels == ("format",)
    assert make_policy("repair:cot").levels == ("format", "actions")


@pytest.mark.parametrize("policy", STATEWISE)
def test_with_applicable_no_turn_can_be_inapplicable(policy: str) -> None:
    result = played(policy, "applicable")
    finished = result.events[-1]
    assert isinstance(finished, Finished)
    assert {*finished.turns} <= {"executed", "look-around"}
    asked = [event for event in result.events if isinstance(event, StatesAsked)]
    # Tree names up to three actions for a state, guided one for each of three.
    assert all(sum(event.possible) == sum(map(len, event.named)) > 0 for event in asked)
    assert asked or finished.turns["executed"] > 0


def unread(event: RunEvent) -> bool:
    """Whether a reply, or a part of it, was not read."""
    match event:
        case Read():
            return event.status not in ("read", "look-around")
        case BlockExpanded():
            return bool(event.unread)
        case BodyActed():
            return event.result == "unreadable"
        case SceneSearched():
            return not event.command
        case PlanChecked():
            return bool(event.unread)
        case GraphChecked():
            return bool(event.form)
        case KeysChosen():
            return bool(event.unknown)
    return False


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(name, marks=[pytest.mark.heavy] if name in ABLATIONS else [])
        for name, level in CHOICES
        if level == "actions"
    ],
)
def test_replies_that_the_constraint_allows_are_read(policy: str) -> None:
    if policy == "hvr":
        pytest.importorskip("rdflib", reason="rdflib is absent: pip install 'pddl2nl[macros]'")
    result = played(policy, "actions")
    assert result.outcome != "infrastructure-error", result.message
    asked = [event.constraint for event in result.events if isinstance(event, Prompted)]
    assert any(asked)
    assert [event for event in result.events if unread(event)] == []
