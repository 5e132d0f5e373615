"""Replies as models write them: 240 ways to say a command or a plan, and none loses a step.

A step of a plan is executed, or the model is told that it cannot be read; what comes before it is executed then.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from pddl2nl.llm import Completion, Finish, Request
from pddl2nl.policies import Episode
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems.sayplan.plans import read_calls, read_reply
from pddl2nl.systems.sayplan.sayplan import SayPlan
from tests.policies.staged_model import Staged
from tests.systems.sayplan.conftest import LAYOUT, PLAN, SEARCH, command, plan, play, setting_of

# How the object stands in the reply.
FRAMES = [
    "{}",
    "```json\n{}\n```",
    "Sure! Here is the next step:\n\n```\n{}\n```\nLet me know if you need anything else.",
    "<think>\nThe mug may be {somewhere} in a wardrobe.\n</think>\n\n{}",
    "**Reasoning:** the kitchen comes first.\n**Answer:** {}",
    "Assistant: {}<|eot_id|>",
    "[{}]",
    'Thought: I look around.\nOutput:\n{}\n\nObservation: …\nOutput: {"command": "expand(moon)"}',
]
# How a command is written in it.
COMMANDS = [
    '{"mode": "exploring", "command": "expand(kitchen)"}',
    '{"chain_of_thought": "a\nb", "reasoning": "c", "mode": "exploring", "command": "expand_node(kitchen)"}',
    '{"command": "expand", "node_name": "kitchen"}',
    '{"command": "expand", "node": "Kitchen",}',
    "{'mode': 'exploring', 'command': 'expand(kitchen)', 'reasoning': 'it\\'s near'}",
    '{"command": "Expand(kitchen)."}',
    '{"command": "expand kitchen"}',
    '{"command": "expand: kitchen"}',
    '{"command": {"name": "expand", "arguments": {"node": "kitchen"}}}',
    '{"command": {"expand": "kitchen"}}',
    '{"response": {"mode": "exploring", "command": "expand(\'kitchen\')"}}',
    '{"function": "ignored", "output": {"mode": "exploring", "command": "expand( kitchen )"}}',
    "{“command”: “expand(kitchen)”}",
    '{"command": "expand(`kitchen`)", "done": False}',
    '{"command": "expand(<kitchen>)"}',
]
# How a plan of three steps is written in it.
PLANS = [
    '{"mode": "planning", "plan": ["goto(kitchen)", "access(fridge)", "open(fridge)", "done()"]}',
    '{"plan": ["1. goto(kitchen)", "2. access(fridge)", "3. open(fridge)"]}',
    '{"plan": ["1) goto(kitchen)", "2) access(fridge)", "3) open(fridge)",]}',
    '{"plan": "1. goto(kitchen)\n2. access(fridge)\n3. open(fridge)\n4. done()"}',
    '{"plan": "goto(kitchen) -> access(fridge) -> open(fridge)"}',
    '{"plan": "goto(kitchen), access(fridge), open(fridge), done()"}',
    '{"plan": "- goto(kitchen)\n- access(fridge)\n- open(fridge)"}',
    '{"plan": {"1": "goto(kitchen)", "2": "access(fridge)", "3": "open(fridge)"}}',
    '{"plan": [{"action": "goto", "node": "kitchen"}, {"action": "access", "node": "fridge"},'
    ' {"action": "open", "target": "fridge"}, {"action": "done"}]}',
    '{"plan": [{"goto": "kitchen"}, {"access": ["fridge"]}, {"open": "fridge"}]}',
    '{"plan": {"steps": ["goto(kitchen)", "access(fridge)", "open(fridge)"]}}',
    "{'plan': ['goto(\"kitchen\")', 'access(fridge)', 'open(fridge)']}",
    '{"plan": ["Step 1: goto(kitchen)", "Step 2: access(fridge)", "Step 3: open(fridge)."]}',
    '{"plan": ["goto kitchen", "access fridge", "open: fridge"]}',
    '{"result": {"mode": "planning", "plan": ["GoTo(Kitchen)", "Access(Fridge)", "Open(Fridge)"]}}',
]


@pytest.mark.parametrize(("frame", "text"), [*product(FRAMES, COMMANDS)])
def test_a_command_is_obeyed_however_it_is_written(frame: str, text: str) -> None:
    run = play("example", {SEARCH: [frame.replace("{}", text), command("terminate")], PLAN: plan()})
    assert (run.steps[0].command, run.steps[0].done) == ("expand(kitchen)", True)


@pytest.mark.parametrize(("frame", "text"), [*product(FRAMES, PLANS)])
def test_a_plan_is_read_however_it_is_written(frame: str, text: str) -> None:
    data = read_reply(frame.replace("{}", text))
    calls = read_calls(data["plan"], {"kitchen": "kitchen", "fridge": "fridge"}, ("goto", "access", "open"))
    assert [*map(str, calls)] == ["goto(kitchen)", "access(fridge)", "open(fridge)"]


FOUND = [command("expand(bobs_room)"), command("terminate")]
ODD = ("access(wardrobe1)", "unlock the door", "pickup(coffee_mug)")


def test_an_unreadable_step_is_told_and_what_comes_after_it_is_not_executed() -> None:
    run = play("example", {SEARCH: FOUND, PLAN: plan(*ODD)}, policy="sayplan-open")
    [checked] = run.plans
    assert (checked.calls, checked.unread, checked.verified) == (ODD, ("unlock the door",), 1)
    assert (checked.executable, checked.cause) == (False, "wrong-action")
    assert run.finished.plan == ("(access wardrobe1 bobs_room)",)
    assert (run.finished.outcome, run.finished.message) == ("unreadable", "cannot read unlock the door")


@pytest.mark.parametrize("reply", ["I would go to the kitchen.", '{"mode": "planning"}', "[]"])
def test_a_reply_without_a_plan_is_told_so(reply: str) -> None:
    run = play("example", {SEARCH: FOUND, PLAN: [reply, plan("access(wardrobe1)")]})
    assert [each.feedback for each in run.plans] == ["the reply is no JSON object with a plan", ""]


def test_what_is_cut_off_is_not_taken_for_a_whole_plan() -> None:
    class Cut(Staged):
        def complete(self, request: Request) -> Completion:
            finish: Finish = "length" if stage_of(request.messages) == PLAN else "text"
            return replace(super().complete(request), finish=finish)

    model = Cut({SEARCH: FOUND, PLAN: '{"plan": ["access(wardrobe1)", "open(ward'}, LAYOUT)
    finished = Episode(setting_of("example"), model).play(SayPlan(corrections=0))
    assert (finished.outcome, finished.plan) == ("unreadable", ())
