"""SayPlan in other domains with a ``scene.json``: a kitchen without ways, a robot with two hands, vehicles."""

from __future__ import annotations

import json

import pytest

from pddl2nl.systems.sayplan.plans import SceneActions, fill_ways, read_calls
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneRoles, load_roles, scene_graph
from pddl2nl.tasks import shipped_domain
from pddlval import GroundAction, Simulator

DOMAINS = ("household", "kitchen", "logistics")
MORE = [
    *(("sayplan", "household", f"v{number:02}") for number in range(2, 11)),
    *(("sayplan", "kitchen", f"t{number:02}") for number in range(2, 13)),
    *(("sayplan", "logistics", f"p{number:02}") for number in (2, 3)),
]


def roles_of(domain: str) -> SceneRoles:
    return load_roles(shipped_domain(domain).folder / "scene.json")


def graph_of(domain: str, instance: str) -> SceneGraph:
    return scene_graph(shipped_domain(domain).task(instance), roles_of(domain))


@pytest.mark.parametrize("name", DOMAINS)
def test_every_action_has_a_call_and_shipped_plans_are_calls_and_back(name: str) -> None:
    shipped, roles = shipped_domain(name), roles_of(name)
    assert sorted(each for call in roles.calls.values() for each in call.actions) == sorted(
        action.name for action in shipped.domain.actions
    )
    for reference in shipped.references[:8]:
        task = shipped.task(reference.instance)
        simulator, actions = Simulator(task), SceneActions(task, roles)
        state = simulator.initial
        for text in reference.ways[0].plan:
            after = simulator.step(state, text).successor
            assert after is not None
            [call] = actions.calls([GroundAction.parse(text)])
            assert GroundAction.parse(text) in actions.ground(call, state)
            state = after


def test_what_does_not_exist_yet_is_shown_as_absent_and_what_is_held_with_its_hand() -> None:
    kitchen = json.loads(graph_of("kitchen", "t01").collapsed().text)["nodes"]
    assert kitchen["item"][0] == {
        "type": "egg-cracked",
        "state": "absent",
        "attributes": ["comes-from(egg-1)"],
        "id": "egg-cracked-1",
    }
    shipped, roles = shipped_domain("household"), roles_of("household")
    task = shipped.task("v01")
    atoms = {*task.problem.init, ("holds", "left", "milk")} - {("free", "left"), ("inside", "milk", "fridge")}
    view = scene_graph(task, roles, atoms).collapsed()
    assert [node.fields["state"] for node in view.nodes if node.name in ("right", "left", "milk")] == [
        "free",
        "full",
        "inside_hand(left)",
    ]


def test_ways_end_at_things_that_can_be_reached_and_do_not_pass_their_room() -> None:
    graph = graph_of("household", "v01")
    assert graph.way("livingroom", "fridge") == ("livingroom", "fridge")
    assert graph.way("sofa", "fridge") == ("sofa", "fridge")
    assert graph.way("sofa", "milk") is None
    filled, inserted = fill_ways(read_calls(["walk(fridge)", "walk(kitchen)", "walk(kitchen)"]), graph, "walk")
    assert ([*map(str, filled)], inserted) == (["walk(fridge)", "walk(kitchen)"], ())


def test_without_one_agent_there_is_no_agent_and_a_call_may_name_two_nodes() -> None:
    graph = graph_of("logistics", "p01")
    assert "agent" not in json.loads(graph.full().text)["nodes"]
    assert [*map(str, read_calls(["load-truck(P0, T0)", "drive(t0, l0-1)"], {"l0_1": "l0-1"}))] == [
        "load_truck(p0, t0)",
        "drive(t0, l0-1)",
    ]
