"""One's own scene graph: from JSON to a problem of PDDL that a policy solves."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.pddl import Task, load_task, parse_domain, parse_problem, write_domain
from pddl2nl.policies.events import Prompted
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.sayplan.scene_graph import load_roles, scene_graph, scene_problem
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.shipped import find_task
from tests.cli.one_command import run_command
from tests.systems.sayplan.conftest import BUILDING, ROLES

# As the paper prints it in appendix L, in fewer rooms.
PAPER = {
    "nodes": {
        "room": [{"id": "Bob's room"}, {"id": "kitchen"}],
        "pose": [{"id": "pose1"}],
        "agent": [{"location": "Bob's room", "id": "agent"}],
        "asset": [
            {"room": "kitchen", "affordances": ["turn_on", "turn_off", "release_on"], "state": "off", "id": "machine"},
            {"room": "Bob's room", "state": "free", "affordances": ["release"], "id": "bed1"},
            {"room": "Bob's room", "state": "closed", "affordances": ["open", "close", "release"], "id": "wardrobe1"},
        ],
        "object": [{"affordances": ["pickup"], "state": "inside_of(wardrobe1)", "attributes": "blue", "id": "mug"}],
        "links": ["Bob's room+pose1", ["pose1", "kitchen"], "Bob's room+bed1", "wardrobe1↔mug", "kitchen+agent"],
    }
}
GOAL = "(on-top-of mug machine)"


@pytest.mark.parametrize(
    ("domain", "instance", "top"),
    [
        *(("building", name, "room") for name in ("example", "p01", "p15", "hs01")),
        ("building", "hs01", "floor"),
        ("household", "v01", "room"),
        ("kitchen", "t01", "fixture"),
        ("logistics", "p01", "city"),
    ],
)
def test_a_graph_that_is_printed_is_read_again(domain: str, instance: str, top: str) -> None:
    shipped = shipped_domain(domain)
    roles = load_roles(shipped.folder / "scene.json").shown_from(top)
    text = scene_graph(shipped.task(instance), roles).full().text
    problem = parse_problem(scene_problem(text, shipped.domain, roles, "(and)"), shipped.domain)
    again = scene_graph(Task(shipped.domain, problem), roles).full().text
    assert json.loads(again) == json.loads(text)


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("policy", ["sayplan", "sayplan-exact"])
def test_the_papers_json_becomes_a_task_that_is_solved(policy: str) -> None:
    text = scene_problem(json.dumps(PAPER), BUILDING.domain, ROLES, GOAL)
    task = Task(BUILDING.domain, parse_problem(text, BUILDING.domain))
    result = run_spec(RunSpec(task, policy, example="none" if policy == "sayplan" else None, names="original"))
    assert result.outcome == "solved"
    assert "(open-asset wardrobe1)" in result.plan
    assert "(goto bob_s_room pose1)" in result.plan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda nodes: nodes.pop("agent"), 'expected "agent"'),
        (lambda nodes: nodes["agent"][0].update(location="attic"), "the agent is at attic, which is no node"),
        (lambda nodes: nodes["asset"][1].pop("room"), None),
        (lambda nodes: nodes["asset"][0].pop("room"), "machine is nowhere"),
        (lambda nodes: nodes["object"][0].update(state="under(bed1)"), r"mug is 'under\(bed1\)'; expected on_top_of"),
        (
            lambda nodes: nodes["object"][0].update(state="ontop_of(bed)"),
            "mug is at bed, which is no node; did you mean",
        ),
        (lambda nodes: nodes["object"][0].update(state="ontop_of(bed1)"), None),
        (lambda nodes: nodes["asset"][0].update(affordances=["cook"]), "unknown affordance 'cook'"),
        (lambda nodes: nodes.update(chair=[]), "unknown kind of nodes 'chair'"),
        (lambda nodes: nodes["room"].append({"id": "kitchen "}), "two nodes are called kitchen"),
        (lambda nodes: nodes["room"].append({"name": "hall"}), "a node of 'room' has no id"),
        (lambda nodes: nodes.update(room={"id": "kitchen"}), "'room' is no list of nodes"),
        (lambda nodes: nodes["links"].append("kitchen"), "is no link"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change: Any, message: str | None) -> None:
    scene = json.loads(json.dumps(PAPER))
    change(scene["nodes"])
    if message is None:
        parse_problem(scene_problem(json.dumps(scene), BUILDING.domain, ROLES, GOAL), BUILDING.domain)
        return
    with pytest.raises(InputError, match=message):
        scene_problem(json.dumps(scene), BUILDING.domain, ROLES, GOAL)


@pytest.mark.parametrize("text", ["[]", "{}", '{"nodes": []}', "{"])
def test_json_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="mine"):
        scene_problem(text, BUILDING.domain, ROLES, GOAL, "mine")


def test_the_command_prints_the_problem(tmp_path: Path) -> None:
    scene = tmp_path / "my flat.json"
    scene.write_text(json.dumps(PAPER), encoding="utf-8")
    code, out, _ = run_command("scene", "problem", scene, GOAL)
    assert code == 0
    assert out.startswith("(define (problem my_flat)\n  (:domain building)")
    code, _, error = run_command("scene", "problem", scene, "(in-hand cup)")
    assert (code, "cup" in error) == (2, True)


@pytest.mark.usefixtures("needs_planner")
def test_in_a_domain_of_ones_own_the_example_is_made_from_the_domain() -> None:
    domain = parse_domain(write_domain(BUILDING.domain).replace("(domain building)", "(domain mine)"))
    problem = scene_problem(json.dumps(PAPER), BUILDING.domain, ROLES, GOAL).replace(":domain building", ":domain mine")
    task = Task(domain, parse_problem(problem, domain))
    shown = {}
    for example in (None, "none"):
        result = run_spec(RunSpec(task, "sayplan", example=example, names="original", files={"scene.json": ROLES}))
        assert result.outcome == "solved"
        first = next(event for event in result.events if isinstance(event, Prompted))
        shown[example] = [message.content for message in first.messages[1:-1]]
    assert shown["none"] == []
    commands = [json.loads(reply)["command"] for reply in shown[None][1::2]]
    assert commands[-1] == "terminate"
    assert not any(text in question for question in shown[None][::2] for text in ("coffee_mug", "jacks_room"))


@pytest.mark.usefixtures("needs_planner")
def test_a_search_may_begin_at_floors() -> None:
    roles = ROLES.shown_from("floor")
    result = run_spec(
        RunSpec(BUILDING.task("hs02"), "sayplan", model="oracle", names="original", files={"scene.json": roles})
    )
    assert result.outcome == "solved"


@pytest.mark.usefixtures("needs_planner")
def test_a_scene_graph_with_a_goal_is_a_problem_of_run_and_of_scene(tmp_path: Path) -> None:
    file = tmp_path / "flat.json"
    file.write_text(json.dumps(PAPER), encoding="utf-8")
    code, out, _ = run_command("scene", "expand", "building", file, "bob_s_room", "--json")
    assert (code, [each["id"] for each in json.loads(out)["nodes"]["object"]]) == (0, ["mug"])
    with pytest.raises(InputError, match=r'flat.json: expected a "goal" in PDDL beside "nodes"'):
        find_task("building", file)
    file.write_text(json.dumps(PAPER | {"goal": GOAL}), encoding="utf-8")
    task = find_task("building", file)
    assert run_spec(RunSpec(task, "sayplan", names="original")).outcome == "solved"
    with pytest.raises(InputError, match=r"domain\.pddl: there is no scene\.json beside it"):
        find_task("blocksworld", file)


# ── graphs of other programs ─────────────────────────────────────────────────────────────────────


def _hydra() -> dict[str, Any]:
    """Two rooms with a place each, a table and a fridge, and a cup near the table, as spark_dsg writes them."""

    def node(number: int, layer: int, position: list[float], **attributes: Any) -> dict[str, Any]:
        about = {"position": position, **attributes}
        return {"id": number, "layer": layer, "partition": 0, "attributes": about}

    def thing(number: int, label: int, x: float, extent: float) -> dict[str, Any]:
        box = {"type": 1, "dimensions": [extent, extent, extent]}
        return node(number, 2, [x, 0, 1], name=f"O({number})", semantic_label=label, bounding_box=box)

    return {
        "SPARK_DSG_header": {"project_name": "main"},
        "layer_ids": [2, 3, 4, 5],
        "layer_names": {
            "OBJECTS": {"layer": 2, "partition": 0},
            "AGENTS": {"layer": 2, "partition": 97},
            "PLACES": {"layer": 3, "partition": 0},
            "MESH_PLACES": {"layer": 3, "partition": 1},
            "ROOMS": {"layer": 4, "partition": 0},
            "BUILDINGS": {"layer": 5, "partition": 0},
        },
        "metadata": {"labelspaces": {"_l2p0": [[3, "table"], [4, "fridge"], [5, "cup"]], "_l4p0": [[7, "kitchen"]]}},
        "nodes": [
            node(50, 5, [0, 0, 0], name="B(0)"),
            node(40, 4, [0, 0, 0], name="R(0)", semantic_label=7),
            node(41, 4, [9, 0, 0], name="Living Room", semantic_label=0),
            *(node(30 + each, 3, [each, 0, 0], name=f"p({each})") for each in range(3)),
            thing(20, 3, 1.0, 1.2),
            thing(21, 4, 4.0, 1.8),
            thing(22, 5, 1.1, 0.1),
            node(39, 3, [0, 0, 0], name="P(0)") | {"partition": 1},
            node(60, 2, [0, 0, 0], type="AgentNodeAttributes") | {"partition": 97},
            node(61, 2, [2, 0, 0], type="AgentNodeAttributes") | {"partition": 97},
        ],
        "edges": [
            {"source": one, "target": other, "info": {"weight": 1.0}}
            for one, other in [(50, 40), (50, 41), (40, 30), (40, 31), (41, 32), (30, 31), (31, 32), (30, 20)]
        ]
        + [{"source": 31, "target": each} for each in (21, 22)]
        + [{"source": 30, "target": 60}, {"source": 32, "target": 61}, {"source": 60, "target": 61}],
    }


def _older_hydra() -> dict[str, Any]:
    """The same as before version 1.1.0: no names of layers, boxes by their corners, and where the agent was."""
    data = _hydra()
    del data["SPARK_DSG_header"], data["layer_names"]
    for node in data["nodes"]:
        del node["partition"]
        if box := node["attributes"].get("bounding_box"):
            extent = box.pop("dimensions")
            box |= {"min": [0.0, 0.0, 0.0], "max": extent, "type": "AABB"}
    data["nodes"] = [node for node in data["nodes"] if node["attributes"].get("type") != "AgentNodeAttributes"]
    for time, (number, place) in enumerate([(60, 30), (61, 32)]):
        agent = {"type": "AgentNodeAttributes", "position": [place, 0, 0]}
        data["nodes"].append({"id": number, "layer": 2, "prefix": 97, "timestamp": time, "attributes": agent})
    return data


ARMENI = {
    "building": {"name": "Allensville"},
    "room": {
        "1": {"scene_category": "kitchen", "floor_number": "A"},
        "2": {"scene_category": "bedroom", "floor_number": "A"},
    },
    "object": [
        {"id": 1, "class_": "table", "parent_room": 1, "location": [1, 0, 1], "size": [1.2, 1, 1]},
        {"id": 2, "class_": "cabinet", "parent_room": 2, "location": [4, 0, 1], "size": [1, 1, 2]},
        {"id": 3, "class_": "cup", "parent_room": 1, "location": [1, 0, 1.6], "size": [0.1, 0.1, 0.1]},
    ],
}


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("data", "goal", "rooms", "poses"),
    [
        (_hydra(), "(inside-of cup1 fridge1)", ["kitchen1", "living_room1"], ["place2", "place3"]),
        (_older_hydra(), "(inside-of cup1 fridge1)", ["kitchen1", "living_room1"], ["place2", "place3"]),
        (ARMENI, "(inside-of cup1 cabinet1)", ["kitchen1", "bedroom1"], ["hall_of_floor_a"]),
    ],
)
def test_a_graph_of_another_program_is_a_task_that_is_solved(
    data: dict[str, Any], goal: str, rooms: list[str], poses: list[str]
) -> None:
    text = scene_problem(json.dumps(data), BUILDING.domain, ROLES, goal)
    task = Task(BUILDING.domain, parse_problem(text, BUILDING.domain))
    graph = scene_graph(task, ROLES)
    kinds = {kind: [node.name for node in graph.nodes.values() if node.kind == kind] for kind in ("room", "pose")}
    assert kinds == {"room": rooms, "pose": poses}
    assert [*graph.above("cup1")] == ["table1", "kitchen1"]
    assert graph.way(*rooms) == (rooms[0], *poses, rooms[1])
    # The agent is where it was seen last, and its places are no things.
    assert f"(at {rooms[0] if data is ARMENI else 'living_room1'})" in map(str, task.problem.init)
    assert sum(node.kind in ("asset", "object") for node in graph.nodes.values()) == 3
    assert run_spec(RunSpec(task, "sayplan", names="original")).outcome == "solved"
    assert scene_graph(task, ROLES.shown_from("floor")).roots[0].startswith(("building1", "floor_a"))


def test_a_graph_of_another_program_that_lacks_something_is_refused() -> None:
    broken = _hydra()
    del next(node for node in broken["nodes"] if node["id"] == 22)["attributes"]["position"]
    with pytest.raises(InputError, match="mine: a 3D scene graph of another form than expected: KeyError"):
        scene_problem(json.dumps(broken), BUILDING.domain, ROLES, GOAL, "mine")


# ── the command ───────────────────────────────────────────────────────────────────────────────────


run = partial(run_command, "scene")


def test_a_tree_has_a_node_a_line_and_ends_with_the_counts() -> None:
    code, out, _ = run("expand", "building", "example", "bobs_room")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "agent in bobs_room"
    assert "  asset wardrobe1  bobs_room  open close release_in  closed" in lines
    assert "    object coffee_mug  pickup  inside_of(wardrobe1)  blue vessel" in lines
    counts = "1 agent, 5 rooms, 5 poses, 2 assets, 1 object; 13 links; "
    assert re.fullmatch(counts + r"\d+ tokens \((cl100k_base|estimated)\)", lines[-1])


def test_json_is_what_models_read(root: Path) -> None:
    domain, problem = root / "domains/building/domain.pddl", root / "instances/building/example.pddl"
    graph = scene_graph(load_task(domain, problem), load_roles(domain.parent / "scene.json"))
    assert run("show", domain, problem, "--json") == (0, graph.full().text + "\n", "")
    assert run("collapse", domain, problem, "--json") == (0, graph.collapsed().text + "\n", "")


def test_the_top_level_can_be_chosen() -> None:
    _, out, _ = run("collapse", "building", "hs01", "--top", "floor")
    assert out.splitlines()[1:4] == ["floor floor_a", "floor floor_b", "floor floor_c"]


def test_a_way_is_printed_place_by_place() -> None:
    code, out, _ = run("path", "building", "p01", "kitchen", "cafeteria", "--json")
    assert (code, json.loads(out)) == (0, {"way": ["kitchen", "pose25", "cafeteria"]})


def test_no_way_is_exit_code_1(tmp_path: Path, root: Path) -> None:
    problem = tmp_path / "two.pddl"
    text = "(define (problem two) (:domain building) (:objects r s - room) (:init (at r)) (:goal (at s)))"
    problem.write_text(text, encoding="utf-8")
    code, out, _ = run("path", root / "domains/building/domain.pddl", problem, "r", "s")
    assert (code, out) == (1, "no way\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("path", "building", "example", "kitchen", "livngroom"), "did you mean 'livingroom'?"),
        (("expand", "building", "example", "pose1"), "pose1 has nothing to expand"),
        (("show", "building", "example", "--top", "attic"), "the levels are floor, room, asset, object"),
        (("show", "ferry", "p01"), "docs/guides/scene-graphs.md says how to write one"),
    ],
)
def test_bad_input_is_exit_code_2_with_the_reason(arguments: tuple[str, ...], message: str) -> None:
    code, _, error = run(*arguments)
    assert code == 2
    assert message in error
