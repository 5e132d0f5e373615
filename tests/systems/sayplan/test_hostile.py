"""Hostile input: names of nodes, replies and graphs that make no sense; each run still ends with a verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from pddl2nl.errors import InputError
from pddl2nl.llm import Completion, Finish, Request
from pddl2nl.pddl import And, GroundAtom, Problem, Task, TypedName
from pddl2nl.policies import Episode
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems.sayplan.plans import read_calls, read_reply
from pddl2nl.systems.sayplan.sayplan import SayPlan
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, read_roles, scene_graph
from pddlval import Simulator
from tests.policies.staged_model import Staged
from tests.systems.sayplan.conftest import BUILDING, LAYOUT, PLAN, ROLES, SEARCH, command, plan, play, setting_of

TERSE = SayPlan(signal="terse")

# ── names ────────────────────────────────────────────────────────────────────────────────────────

NAMES = ["expand(kitchen)", '"]}', "x" * 10_000, "\u202emoor", "goto(a) > done()", "↔", "\\", "\n", "agent", "pose1"]


def building(rooms: Sequence[str], *facts: tuple[str, ...], assets: Sequence[str] = ()) -> SceneGraph:
    """The graph of a building with these rooms, made without a parser, which would refuse most names."""
    objects = (*(TypedName(room, ("room",)) for room in rooms), *(TypedName(asset, ("asset",)) for asset in assets))
    problem = Problem("made", "building", objects=objects, init=tuple(map(GroundAtom, facts)), goal=And())
    return scene_graph(Task(BUILDING.domain, problem), ROLES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_data_in_the_json_whatever_it_is(name: str) -> None:
    graph = building([name, "hall"], ("linked", "hall", name), ("in-room", "desk", name), assets=["desk"])
    view = graph.collapsed().expand(name)
    data = json.loads(view.text)
    assert [node["id"] for node in data["nodes"]["room"]] == [name, "hall"]
    assert data["nodes"]["asset"][0]["room"] == name
    assert graph.way("hall", name) == ("hall", name)
    assert view.contract(name) == graph.collapsed()


# ── replies ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "reply",
    [
        "{" * 1_000_000,
        "x" * 1_000_000,
        '{"command": "expand(' + "x" * 50_000 + ')"}',
        '{"command": {"expand": "kitchen"}}',
        '{"command": "expand(expand(kitchen))"}',
        '{"command": "expand(kitchen); terminate"}',
        '{"command": null, "plan": null}',
    ],
)
def test_any_reply_ends_the_search_with_a_verdict(reply: str) -> None:
    run = play("example", {SEARCH: reply, PLAN: plan()})
    assert run.end.by in ("unreadable", "stuck")
    assert all(len(step.command) < 200 for step in run.steps)
    assert run.finished.outcome == "unreadable"


@pytest.mark.parametrize(
    ("said", "unread"),
    [
        ("goto(kitchen) ⇉ access(fridge)", 1),
        (["goto(kitchen)", "done()", "access(fridge)"], 0),
        (["goto(kitchen, fridge)"], 0),
        ({"plan": ["goto(kitchen)"]}, 0),
        (["goto(kitchen)", "fly", "access(fridge)", 3], 2),
    ],
)
def test_what_cannot_be_read_of_a_plan_is_counted(said: object, unread: int) -> None:
    assert sum(bool(call.unread) for call in read_calls(said)) == unread


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────

TRAYS = read_roles(
    '{"format":1,"top":"place","links":"","agent":"","held":"holding","levels":[{"kind":"place","type":"fixture",'
    '"opens":true},{"kind":"thing","type":"item","within":["on","inside"]}]}'
)


def kitchen(*facts: tuple[str, ...]) -> SceneGraph:
    """A plate, a bowl and an apple in a kitchen with a shelf."""
    from pddl2nl.tasks import shipped_domain

    objects = [("shelf-1", "shelf"), ("plate-1", "plate"), ("bowl-1", "bowl"), ("apple-1", "apple")]
    things = tuple(TypedName(name, (kind,)) for name, kind in objects)
    problem = Problem("made", "kitchen", objects=things, init=tuple(map(GroundAtom, facts)), goal=And())
    return scene_graph(Task(shipped_domain("kitchen").domain, problem), TRAYS)


def test_things_on_things_are_shown_with_what_holds_them_and_go_along_with_it() -> None:
    graph = kitchen(("on", "plate-1", "shelf-1"), ("on", "bowl-1", "plate-1"), ("inside", "apple-1", "bowl-1"))
    assert [*graph.above("apple-1")] == ["bowl-1", "plate-1", "shelf-1"]
    assert [node.name for node in graph.collapsed().nodes] == ["shelf-1"]
    assert len(graph.collapsed().expand("shelf-1").nodes) == 4
    carried = kitchen(("holding", "plate-1"), ("on", "bowl-1", "plate-1"), ("inside", "apple-1", "bowl-1"))
    assert [node.name for node in carried.collapsed().nodes] == ["shelf-1", "plate-1", "bowl-1", "apple-1"]


def test_what_lies_in_nothing_that_the_graph_has_is_refused() -> None:
    with pytest.raises(InputError, match="bowl-1 is below moon, which the scene graph does not have"):
        kitchen(("holding", "plate-1"), ("on", "bowl-1", "moon"), ("inside", "apple-1", "bowl-1"))


def test_an_agent_in_no_place_goes_nowhere_and_is_told_so() -> None:
    setting = setting_of("example")
    task = setting.simulator.task
    init = tuple(fact for fact in task.problem.init if fact[0] != "at")
    lost = Task(task.domain, replace(task.problem, init=init))
    model = Staged({SEARCH: command("terminate"), PLAN: plan("goto(kitchen)")}, LAYOUT)
    finished = Episode(replace(setting, simulator=Simulator(lost)), model).play(TERSE)
    assert (finished.outcome, finished.message) == ("inapplicable", "cannot go to kitchen")


# ── replies as models write them ──────────────────────────────────────────────────────────────────


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
