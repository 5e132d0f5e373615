"""The shipped buildings: all tasks of one building are in the same building, and their answers and plans are right."""

from __future__ import annotations

from collections import Counter

import pytest

from pddl2nl.systems.sayplan.scene_graph import load_roles, scene_graph
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import Draw, generator_of
from pddl2nl.tasks.proving import made_by
from pddlval import Simulator

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


@pytest.mark.parametrize("name", TASKS)
def test_the_shipped_plan_of_a_task_reaches_its_goal(name: str) -> None:
    simulator = Simulator(BUILDING.task(name))
    followed = simulator.follow(simulator.initial, TASKS[name].ways[0].plan)
    assert followed.complete
    assert simulator.is_goal(followed.state)


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


def test_in_a_small_building_one_or_two_items_have_to_be_carried() -> None:
    drawn = [generator_of("building").small(Draw(seed)) for seed in range(30)]
    assert {values["moving"] for values in drawn} == {1, 2}
    assert {values["rooms"] for values in drawn} == {2, 3, 4, 5, 6}
