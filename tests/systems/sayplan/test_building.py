"""The shipped buildings: all tasks of one building are in the same building, and their answers and plans are right."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from pddl2nl.systems.sayplan.plans import SceneActions, fill_ways, read_calls
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneRoles, load_roles, scene_graph
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.proving import made_by
from pddlval import GroundAction, Simulator

BUILDING = shipped_domain("building")
ROLES = load_roles(BUILDING.folder / "scene.json")
TASKS = {reference.instance: reference for reference in BUILDING.references}
HOME = [name for name in TASKS if name.startswith("h")]
SCALED = [name for name in TASKS if name.startswith("rooms")]
OFFICE = [name for name in TASKS if name not in ("example", *HOME, *SCALED)]


def test_there_are_ninety_tasks_in_four_categories_and_two_buildings() -> None:
    # Table 6 of the SayPlan paper.
    assert Counter(TASKS[name].category for name in (*OFFICE, *HOME)) == {
        "office simple search": 15,
        "office complex search": 15,
        "home simple search": 15,
        "home complex search": 15,
        "simple planning": 15,
        "long-horizon planning": 15,
    }
    assert (len(OFFICE), len(HOME)) == (60, 30)


@pytest.mark.parametrize(
    ("names", "changed"),
    # In two tasks coffee drips, and the robot holds something.
    [(OFFICE, {"p08": 1, "p15": 3}), (HOME, {})],
    ids=["office", "home"],
)
def test_all_tasks_of_a_building_begin_in_the_same_state(names: list[str], changed: dict[str, int]) -> None:
    first = BUILDING.task(names[0]).problem
    for name in names:
        problem = BUILDING.task(name).problem
        assert problem.objects == first.objects
        assert len({*problem.init} ^ {*first.init}) == changed.get(name, 0)


def test_scaled_buildings_are_made_by_the_calls_in_their_first_lines() -> None:
    # Appendix H of the paper.
    assert [f"rooms{count}" for count in (37, 50, 75, 100, 150, 200)] == SCALED
    for name in SCALED:
        text = BUILDING.instance(name).path.read_text(encoding="utf-8")
        call, _, rest = text.partition("\n")
        made = made_by(call.removeprefix("; Made by "))[1].text
        assert rest == made.replace(f"(problem {name})", f"(problem building-{name})")


@pytest.mark.parametrize("names", [OFFICE, HOME], ids=["office", "home"])
def test_answers_are_nodes_and_what_must_be_searched_are_rooms(names: list[str]) -> None:
    graph = scene_graph(BUILDING.task(names[0]), ROLES)
    for name in names:
        task = TASKS[name]
        assert bool(task.answers or task.searched) == task.category.endswith("search")
        assert all(graph.nodes[node].kind in ("asset", "object") for answer in task.answers for node in answer)
        assert all(graph.nodes[node].kind == "room" for node in task.searched)


@pytest.mark.parametrize("names", [OFFICE, HOME], ids=["office", "home"])
def test_every_search_asks_for_nodes_that_are_shown_with_what_it_needs(names: list[str]) -> None:
    graph = scene_graph(BUILDING.task(names[0]), ROLES)
    for name in names:
        task = TASKS[name]
        assert bool(task.asked) == task.category.endswith("search")
        assert all(graph.nodes.keys() >= {*answer} for answer in task.asked)
        if () in task.asked:
            assert task.asked == ((),)
            assert task.searched
        for shown in task.answers:
            near = {each for node in shown for each in (node, *graph.above(node))} | {*task.searched}
            assert any(near >= {*answer} for answer in task.asked), name


# ── domains ───────────────────────────────────────────────────────────────────────────────────────


DOMAINS = ("household", "kitchen", "logistics")


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
