"""Hostile input: names of nodes, replies and graphs that make no sense; each run still ends with a verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import And, GroundAtom, Problem, Task, TypedName
from pddl2nl.policies import Episode
from pddl2nl.systems.sayplan.plans import read_calls
from pddl2nl.systems.sayplan.sayplan import SayPlan
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneView, read_roles, scene_graph
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


def test_a_thing_in_two_rooms_is_one_node_in_the_first() -> None:
    graph = building(["attic", "cellar"], ("in-room", "desk", "cellar"), ("in-room", "desk", "attic"), assets=["desk"])
    assert graph.children == {"attic": ("desk",)}
    assert [node.name for node in graph.full().nodes] == ["attic", "cellar", "desk"]


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


@pytest.mark.parametrize(
    ("calls", "read", "outcome"),
    [(2_000, 2_000, "goal-missed"), (3_000, 2_001, "unreadable"), (10_000, 0, "unreadable")],
)
def test_a_plan_of_thousands_of_movements_is_cut_and_ends(calls: int, read: int, outcome: str) -> None:
    there_and_back = ["goto(kitchen)", "goto(toms_room)"] * (calls // 2)
    run = play("example", {SEARCH: command("terminate"), PLAN: plan(*there_and_back)}, policy="sayplan-open")
    [checked] = run.plans
    assert len(checked.calls) - len(checked.inserted) == read
    assert run.finished.outcome == outcome


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


def test_a_building_of_one_room_needs_no_ways() -> None:
    graph = building(["hall"], ("at", "hall"))
    assert graph.collapsed().text == (
        '{"nodes":{"room":[{"id":"hall"}],"agent":[{"location":"hall","id":"agent"}]},"links":[]}'
    )
    assert (graph.way("hall", "hall"), graph.way("hall", "attic")) == (("hall",), None)
    assert SceneView(graph, frozenset(("hall",))) == graph.full()


def test_a_goal_that_holds_at_the_start_needs_no_model() -> None:
    setting = setting_of("example")
    task = setting.simulator.task
    done = Task(task.domain, replace(task.problem, goal=And()))
    model = Staged({}, LAYOUT)
    finished = Episode(replace(setting, simulator=Simulator(done)), model).play(TERSE)
    assert (finished.outcome, model.requests) == ("solved", [])


def test_an_agent_in_no_place_goes_nowhere_and_is_told_so() -> None:
    setting = setting_of("example")
    task = setting.simulator.task
    init = tuple(fact for fact in task.problem.init if fact[0] != "at")
    lost = Task(task.domain, replace(task.problem, init=init))
    model = Staged({SEARCH: command("terminate"), PLAN: plan("goto(kitchen)")}, LAYOUT)
    finished = Episode(replace(setting, simulator=Simulator(lost)), model).play(TERSE)
    assert (finished.outcome, finished.message) == ("unreadable", "cannot go to kitchen")
