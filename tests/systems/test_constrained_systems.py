"""``--constrain`` for BrainBody: what is sent with which prompt, and that replies to it are read."""

from __future__ import annotations

import json

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.llm.constraint import Constraint
from pddl2nl.tasks import shipped_task
from tests.policies.constrained import asked


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")


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
