"""``--constrain`` over the registry: replies drawn from what is sent are read, and with ``applicable`` are possible."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunRecord, run
from pddl2nl.llm import OpenAIModel, ScriptedModel
from pddl2nl.llm.constraint import Constraint
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
from tests.policies.constrained import asked

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


def played(policy: str, level: str, seed: int = 1) -> RunRecord:
    """A run with a server that obeys every grammar and schema, and gives a plan of one step where none is sent."""
    rng = random.Random(f"{policy} {level} {seed}")

    def fault(call: Call) -> Trouble:
        grammar = call.body.get("grammar")
        message = {"role": "assistant", "content": "1. Go on" if grammar is None else drawn(grammar, rng)}
        acting = [tool["function"] for tool in call.body.get("tools", ()) if tool["function"]["name"] == "act"]
        if acting:
            action = rng.choice(acting[0]["parameters"]["properties"]["action"]["enum"])
            function = {"name": "act", "arguments": json.dumps({"action": action})}
            message |= {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
        return Trouble(200, json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}))

    system = system_of(policy)
    task = shipped_task(*TASKS.get("" if system is None else system.name, ("blocksworld", "p01")))
    with ChatServer(ScriptedModel([]), fault=fault) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(constrain="grammar"))
        options: dict[str, Any] = {"cache": "none", "constrain": level, "budget_calls": 8, "steps": 8}
        return run(task, policy, model, **options)


def test_every_interactive_policy_takes_applicable() -> None:
    interactive = [name for name in NAMES if make_policy(name).needs_model and not make_policy(name).one_shot]
    # Score has no replies: it rates the applicable actions and nothing else. Two submit whole plans by their calls.
    assert {*STATEWISE} == {*interactive} - {"score", "tools-plan", "tools-copilot"} | {"tree", "guided"}


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
    if policy.startswith("hvr"):
        pytest.importorskip("rdflib", reason="rdflib is absent: pip install 'pddl2nl[macros]'")
    result = played(policy, "actions")
    assert result.outcome != "infrastructure-error", result.message
    asked = [event.constraint for event in result.events if isinstance(event, Prompted)]
    assert any(asked)
    assert [event for event in result.events if unread(event)] == []


# ── --constrain for BrainBody: what is sent with which prompt, and that replies to it are read ────


def test_of_brainbody_the_body_writes_commands_of_the_robot() -> None:
    replies = {"brainbody/plan": "0: Lift block_2\n1: Done", "brainbody/act": "<pass>"}
    sent, _ = asked("blocksworld", "brainbody", "actions", lambda stage: replies.get(stage, ""))
    assert sent[0] == ("brainbody/plan", "")
    stage, grammar = sent[1]
    assert stage == "brainbody/act"
    assert grammar.splitlines()[0] == 'root ::= action | "<pass>"'
    assert '"<char0> [unstack] <" slot0 "> <" slot0 ">"' in grammar
    _, form = asked("blocksworld", "brainbody", "format", lambda stage: replies.get(stage, ""))[0][1]
    assert form.splitlines() == ['root ::= action | "<pass>"', r'action ::= "<char0> [" [^"\\\n]+']


def test_a_constrained_program_is_a_plan_that_is_read() -> None:
    plan = "New plan:\n- <char0> [unstack] <block_2> <block_1>\n- <char0> [put-down] <block_2>\n"
    sent, result = asked("blocksworld", "base", "actions", lambda stage: plan)
    assert sent[0][1].splitlines()[0] == r'root ::= "New plan:\n" ("- " action "\n")*'
    assert [action.partition(" ")[0] for action in result.plan] == ["(unstack", "(put-down"]


def test_progprompt_asserts_facts_that_the_robot_can_check() -> None:
    plan = "New plan:\n- assert my hand is not empty else <char0> [unstack] <block_2> <block_1>\n"
    sent, result = asked("blocksworld", "progprompt", "actions", lambda stage: plan)
    grammar = sent[0][1]
    assert '"assert " slot' in grammar
    assert 'slot0 " is on " slot0' in grammar
    assert '"my hand is " ("empty" | "not empty")' in grammar
    # The hand is empty, so the assertion fails and the command is carried out.
    assert result.plan == ("(unstack c b)",)


def test_only_a_policy_that_asks_for_actions_can_be_held_to_them() -> None:
    task = shipped_task("blocksworld", "p01")
    with pytest.raises(InputError, match="--policy llm\\+p asks for no actions; see format"):
        run(task, "llm+p", constrain="actions")


def test_a_body_that_is_no_model_refuses_it() -> None:
    with pytest.raises(InputError, match="the policy does not use it"):
        run(shipped_task("blocksworld", "p01"), "brainbody", constrain="format", body="reader")


def test_a_schema_holds_words_and_what_stands_behind_an_action() -> None:
    block = Constraint((("go",),), begin="Actions:\n", words=True)
    assert [*block.schema()["properties"]] == ["words", "steps"]
    assert block.text('{"words": "Walk.", "steps": [{"action": "go"}]}') == "Walk.\nActions:\ngo\n"
    call = Constraint((("goto(a)",),), action='"', after='",', begin="[\n", end='"done()"]')
    assert json.loads(call.text('{"steps": [{"action": "goto(a)"}]}')) == ["goto(a)", "done()"]


# ── SayPlan ───────────────────────────────────────────────────────────────────────────────────────


def test_sayplan_searches_and_plans_with_nodes_that_are_shown() -> None:
    replies = {
        "sayplan/search": '{"mode": "exploring", "command": "terminate"}',
        "sayplan/plan": '{"mode": "planning", "plan": [\n"goto(kitchen)",\n"done()"]}',
    }
    sent, result = asked("building", "sayplan", "actions", lambda stage: replies[stage])
    search, plan = sent[0][1], sent[1][1]
    head = r'root ::= "{\"mode\": \"exploring\", \"command\": \"" action "\"}"'
    assert search.splitlines()[0] == head
    assert '"terminate(" slot1 ")"' in search
    assert '("terminate" | "terminate(none)")' in search
    assert '"expand(" slot0 ")"' in search
    assert plan.splitlines()[0].endswith(r'("\"" action "\"," "\n")* "\"done()\"]}"')
    assert '"goto(" slot0 ")"' in plan
    assert any("goto(kitchen)" in str(event) for event in result.events[2:])
    _, form = asked("building", "sayplan", "format", lambda stage: replies[stage])[0][0]
    assert form.splitlines()[-1] == r'action ::= [^"\\\n]+'


def test_a_search_with_queries_names_what_the_view_shows() -> None:
    command = '{"mode": "exploring", "command": "count(desk)"}'
    sent, _ = asked("building", "sayplan-queries", "actions", lambda stage: command)
    rules = dict(line.split(" ::= ", 1) for line in sent[0][1].splitlines())
    assert '"distance(" slot2 ", " slot2 ")"' in rules["action"]
    assert '"count(" slot1 ")" | "without(" slot1 ")"' in rules["action"]
    assert '"room"' in rules["slot1"]


def test_an_exact_search_has_nothing_to_constrain() -> None:
    with pytest.raises(InputError, match="--constrain format: the policy does not use it"):
        run(shipped_task("building", "p01"), "sayplan-exact", constrain="format")
