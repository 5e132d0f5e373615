"""Scene graphs: what is in them, what views show, and shortest ways."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.systems.sayplan.plans import SceneActions, fill_ways, read_calls
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneRoles, SceneView, load_roles, read_roles, scene_graph
from pddl2nl.systems.sayplan.tokens import count_tokens
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.proving import made_by
from pddlval import GroundAction, Simulator
from tests.systems.sayplan.conftest import BUILDING, ROLES, TASKS, graph_of

EXAMPLE, OFFICE, HOME = graph_of("example"), graph_of("p01"), graph_of("hs01")


def _read(view: SceneView) -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(view.text)
    return data


# ── the graph ────────────────────────────────────────────────────────────────────────────────────


def test_a_node_says_where_it_is_what_can_be_done_with_it_and_its_state() -> None:
    nodes = _read(EXAMPLE.full())["nodes"]
    assert list(nodes) == ["room", "pose", "agent", "asset", "object"]
    assert nodes["agent"] == [{"location": "bobs_room", "id": "agent"}]
    assert nodes["asset"][1] == {
        "room": "bobs_room",
        "affordances": ["open", "close", "release_in"],
        "state": "closed",
        "id": "wardrobe1",
    }
    assert nodes["object"][0] == {
        "affordances": ["pickup"],
        "state": "inside_of(wardrobe1)",
        "attributes": ["blue", "vessel"],
        "id": "coffee_mug",
    }


def test_what_the_agent_holds_is_shown_wherever_it_was() -> None:
    shown = _read(graph_of("p15").collapsed())["nodes"]["object"]
    assert shown == [
        {"affordances": ["pickup"], "state": "inside_hand", "attributes": ["plastic"], "id": "sweet_wrapper"}
    ]


def test_links_are_those_of_places_and_of_each_node_with_its_parent() -> None:
    links = _read(EXAMPLE.full())["links"]
    assert links[:2] == ["bobs_room↔pose1", "toms_room↔pose1"]
    assert links[-2:] == ["wardrobe1↔coffee_mug", "sofa↔cushion"]


def test_a_state_other_than_the_initial_one_has_its_own_graph() -> None:
    task = BUILDING.task("example")
    atoms = {*task.problem.init} - {("shut", "wardrobe1")}
    assert '"state":"open","id":"wardrobe1"' in scene_graph(task, ROLES, atoms).full().text


@pytest.mark.parametrize(
    ("graph", "full", "collapsed"),
    [(OFFICE, (37, 73, 78, 1, 218, 407), 105), (HOME, (28, 52, 60, 1, 323, 464), 240)],
    ids=["office", "home"],
)
def test_both_buildings_have_the_counts_of_the_papers_tables_4_and_5(
    graph: SceneGraph, full: tuple[int, ...], collapsed: int
) -> None:
    counts = graph.full().counts
    entities = [counts[kind] for kind in ("room", "asset", "object", "agent", "links")]
    assert (*entities, sum(entities)) == full
    top = graph.collapsed().counts
    assert top["room"] + top["agent"] + top["links"] == collapsed


def test_the_tokens_of_each_kind_are_those_of_its_nodes_alone() -> None:
    view = EXAMPLE.collapsed()
    assert view.kind_tokens.keys() == view.counts.keys()
    assert view.kind_tokens["room"] == sum(count_tokens(f'{{"id":"{node.name}"}}') for node in view.nodes if node.opens)


# ── views ────────────────────────────────────────────────────────────────────────────────────────


def test_expanding_a_room_shows_its_assets_and_their_objects() -> None:
    view = EXAMPLE.collapsed().expand("bobs_room")
    assert [node.name for node in view.nodes][-3:] == ["bed1", "wardrobe1", "coffee_mug"]
    assert view.links[-3:] == (("bobs_room", "bed1"), ("bobs_room", "wardrobe1"), ("wardrobe1", "coffee_mug"))


def test_contracting_a_floor_contracts_its_rooms() -> None:
    graph = scene_graph(BUILDING.task("hs01"), ROLES.shown_from("floor"))
    view = graph.collapsed().expand("floor_a").expand("kitchen0")
    assert view.shows("fridge0")
    assert view.contract("floor_a") == graph.collapsed()


@pytest.mark.parametrize(
    ("call", "name", "message"),
    [
        ("expand", "kichen", "there is no kichen in the graph; did you mean 'kitchen'?"),
        ("expand", "fridge", "there is no fridge in the graph"),
        ("expand", "bobs_room", "bobs_room is expanded already"),
        ("expand", "pose1", "pose1 has nothing to expand"),
        ("expand", "bed1", "bed1 has nothing to expand"),
        ("contract", "kitchen", "kitchen is not expanded"),
    ],
)
def test_impossible_calls_are_refused_with_the_reason(call: str, name: str, message: str) -> None:
    view = EXAMPLE.collapsed().expand("bobs_room")
    with pytest.raises(InputError) as caught:
        getattr(view, call)(name)
    assert str(caught.value) == message


ROOMS = [name for name, node in OFFICE.nodes.items() if node.opens]
views = st.sets(st.sampled_from(ROOMS)).map(lambda names: SceneView(OFFICE, frozenset(names)))


@given(views)
@settings(max_examples=40)
def test_a_view_is_a_part_of_the_graph_with_the_links_between_what_it_shows(view: SceneView) -> None:
    whole, shown = OFFICE.full(), {node.name for node in view.nodes}
    assert shown == {name for name in OFFICE.nodes if view.shows(name)}
    assert view.links == tuple(pair for pair in whole.links if shown.issuperset(pair))
    assert json.dumps(_read(view), ensure_ascii=False, separators=(",", ":")) == view.text
    assert [each["id"] for kind in _read(view)["nodes"].values() for each in kind if each["id"] != "agent"] == [
        node.name for node in view.nodes
    ]


# ── search and ways ──────────────────────────────────────────────────────────────────────────────


def test_exact_search_expands_the_rooms_of_the_cheapest_answer() -> None:
    assert OFFICE.cheapest([["scarf", "headphones"], ["bread", "fridge"]]) == {"kitchen"}
    assert OFFICE.cheapest([["kitchen"]]) == frozenset()


def test_of_equal_ways_the_first_by_name_is_taken() -> None:
    # By pose16, pose18 and pose15, or by pose8, pose13 and pose14: '1' comes before '8'.
    way = OFFICE.way("pose7", "kitchen")
    assert way is not None
    assert way[:6] == ("pose7", "pose16", "pose18", "pose15", "pose23", "pose24")
    assert OFFICE.way("kitchen", "kitchen") == ("kitchen",)


@given(st.sampled_from(sorted(ROOMS)), st.sampled_from(sorted(ROOMS)))
@settings(max_examples=40)  # networkx is imported in the first
def test_a_way_is_as_short_as_breadth_first_search_finds(start: str, end: str) -> None:
    links = {*OFFICE.links, *((other, one) for one, other in OFFICE.links)}
    way = OFFICE.way(start, end)
    assert way is not None
    assert links.issuperset(pairwise(way))
    reached, steps = {start}, 0
    while end not in reached:
        reached |= {other for one, other in links if one in reached}
        steps += 1
    assert len(way) == steps + 1


# ── what is refused ──────────────────────────────────────────────────────────────────────────────

PROBLEM = """(define (problem tiny) (:domain building)
  (:objects r s - room a - asset o - item) (:init {}) (:goal (at r)))"""


def _tiny(facts: str) -> SceneGraph:
    return scene_graph(Task(BUILDING.domain, parse_problem(PROBLEM.format(facts), BUILDING.domain)), ROLES)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("(on-top-of o a)", "the asset a is nowhere: in-room was expected of it"),
        ("(in-room a r)", "the object o is nowhere: on-top-of or inside-of was expected of it"),
    ],
)
def test_a_node_below_no_other_is_refused(facts: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _tiny(facts)
    assert str(caught.value) == message


def test_containment_in_a_circle_is_refused() -> None:
    kitchen = shipped_domain("kitchen")
    roles = read_roles(
        '{"format":1,"top":"a","links":"on","agent":"near","levels":[{"kind":"a","type":"liquid"},'
        '{"kind":"b","type":"item","within":["on"]}]}'
    )
    atoms = [("on", "cup-1", "plate-1"), ("on", "plate-1", "cup-1")]
    text = "(define (problem x) (:domain kitchen) (:objects cup-1 - cup plate-1 - plate) (:init) (:goal (and)))"
    with pytest.raises(InputError, match=r"the scene graph is no hierarchy: (cup|plate)-1 is below itself"):
        scene_graph(Task(kitchen.domain, parse_problem(text, kitchen.domain)), roles, atoms)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "roles.json:1:2: not JSON"),
        ('{"format":1,"levels":[],"top":"room","links":"l","agent":"at"}', "top is 'room'"),
        ('{"format":1,"levels":[],"top":"room","links":"l","agent":"at","colour":"red"}', "unknown key colour"),
        ("[" * 100_000, "roles.json"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_roles(text, name="roles.json")


def test_predicates_and_levels_that_do_not_exist_are_refused() -> None:
    roles = read_roles(
        '{"format":1,"top":"room","links":"linkd","agent":"at","levels":[{"kind":"room","type":"room"}]}'
    )
    with pytest.raises(InputError, match="building has no predicate 'linkd'; did you mean 'linked'"):
        scene_graph(BUILDING.task("example"), roles)
    with pytest.raises(InputError, match="there is no level 'attic'; the levels are floor, room, asset, object"):
        ROLES.shown_from("attic")


# ── effort in large buildings ─────────────────────────────────────────────────────────────────────


Linear = Callable[[Callable[[Any], object], Callable[[int], Any], int], None]

FLOOR = graph_of("rooms200")
FLOOR_ROOMS = [name for name, node in FLOOR.nodes.items() if node.opens]


def test_the_text_of_a_view_is_linear_in_what_it_shows(linear: Linear) -> None:
    assert len(SceneView(FLOOR, frozenset(FLOOR_ROOMS)).text) > 50_000
    linear(lambda rooms: SceneView(FLOOR, rooms).text, lambda count: frozenset(FLOOR_ROOMS[:count]), 40)


def test_a_graph_is_linear_in_its_rooms(linear: Linear) -> None:
    def task(rooms: int) -> Task:
        return Task(BUILDING.domain, parse_problem(generate("building", 1, rooms=rooms).text, BUILDING.domain))

    linear(lambda made: scene_graph(made, ROLES).full().text, task, 40)


# ── the shipped buildings, and other domains ──────────────────────────────────────────────────────


HOME_TASKS = [name for name in TASKS if name.startswith("h")]
SCALED = [name for name in TASKS if name.startswith("rooms")]
OFFICE_TASKS = [name for name in TASKS if name not in ("example", *HOME_TASKS, *SCALED)]


def test_there_are_ninety_tasks_in_four_categories_and_two_buildings() -> None:
    # Table 6 of the SayPlan paper.
    assert Counter(TASKS[name].category for name in (*OFFICE_TASKS, *HOME_TASKS)) == {
        "office simple search": 15,
        "office complex search": 15,
        "home simple search": 15,
        "home complex search": 15,
        "simple planning": 15,
        "long-horizon planning": 15,
    }
    assert (len(OFFICE_TASKS), len(HOME_TASKS)) == (60, 30)


@pytest.mark.parametrize(
    ("names", "changed"),
    # In two tasks coffee drips, and the robot holds something.
    [(OFFICE_TASKS, {"p08": 1, "p15": 3}), (HOME_TASKS, {})],
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


@pytest.mark.parametrize("names", [OFFICE_TASKS, HOME_TASKS], ids=["office", "home"])
def test_answers_are_nodes_and_what_must_be_searched_are_rooms(names: list[str]) -> None:
    graph = scene_graph(BUILDING.task(names[0]), ROLES)
    for name in names:
        task = TASKS[name]
        assert bool(task.answers or task.searched) == task.category.endswith("search")
        assert all(graph.nodes[node].kind in ("asset", "object") for answer in task.answers for node in answer)
        assert all(graph.nodes[node].kind == "room" for node in task.searched)


@pytest.mark.parametrize("names", [OFFICE_TASKS, HOME_TASKS], ids=["office", "home"])
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


def graph_in(domain: str, instance: str) -> SceneGraph:
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
    kitchen = json.loads(graph_in("kitchen", "t01").collapsed().text)["nodes"]
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
    graph = graph_in("household", "v01")
    assert graph.way("livingroom", "fridge") == ("livingroom", "fridge")
    assert graph.way("sofa", "fridge") == ("sofa", "fridge")
    assert graph.way("sofa", "milk") is None
    filled, inserted = fill_ways(read_calls(["walk(fridge)", "walk(kitchen)", "walk(kitchen)"]), graph, "walk")
    assert ([*map(str, filled)], inserted) == (["walk(fridge)", "walk(kitchen)"], ())


def test_without_one_agent_there_is_no_agent_and_a_call_may_name_two_nodes() -> None:
    graph = graph_in("logistics", "p01")
    assert "agent" not in json.loads(graph.full().text)["nodes"]
    assert [*map(str, read_calls(["load-truck(P0, T0)", "drive(t0, l0-1)"], {"l0_1": "l0-1"}))] == [
        "load_truck(p0, t0)",
        "drive(t0, l0-1)",
    ]
