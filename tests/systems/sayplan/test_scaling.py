"""The effort in large buildings, in calls of functions: linear in what is shown and in the rooms that are opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.pddl import Atom, Task, parse_problem
from pddl2nl.policies import Episode, Setting
from pddl2nl.systems.sayplan.events import SearchEnded
from pddl2nl.systems.sayplan.sayplan import SayPlan, SceneRun
from pddl2nl.systems.sayplan.scene_graph import SceneView, scene_graph
from pddl2nl.tasks.generators import generate
from tests.systems.sayplan.conftest import BUILDING, ROLES, WORDING, graph_of

Linear = Callable[[Callable[[Any], object], Callable[[int], Any], int], None]

FLOOR = graph_of("rooms200")
ROOMS = [name for name, node in FLOOR.nodes.items() if node.opens]


def test_the_text_of_a_view_is_linear_in_what_it_shows(linear: Linear) -> None:
    assert len(SceneView(FLOOR, frozenset(ROOMS)).text) > 50_000
    linear(lambda rooms: SceneView(FLOOR, rooms).text, lambda count: frozenset(ROOMS[:count]), 40)


def test_a_graph_is_linear_in_its_rooms(linear: Linear) -> None:
    def task(rooms: int) -> Task:
        return Task(BUILDING.domain, parse_problem(generate("building", 1, rooms=rooms).text, BUILDING.domain))

    linear(lambda made: scene_graph(made, ROLES).full().text, task, 40)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_oracles_search_is_linear_in_the_rooms_that_it_opens(linear: Linear) -> None:
    def searched(count: int) -> int:
        # The task does not say where the thing is, so the rooms before its own are opened one after the other.
        thing = FLOOR.children[FLOOR.children[ROOMS[count - 1]][0]][0]
        task = BUILDING.task("rooms200")
        goal = Task(task.domain, replace(task.problem, goal=Atom("in-hand", (thing,))))
        episode = Episode(Setting.of(goal, WORDING), PlanOracle(BUILDING.domain, WORDING))
        run = SceneRun(SayPlan(), episode, ROLES)
        view, _ = run.search(run.graph.collapsed())
        assert view.shows(thing)
        return len(run.memory)

    assert searched(10) == 10
    linear(searched, lambda count: count, 8)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_a_thing_is_found_and_taken_among_two_thousand_rooms() -> None:
    # Ours, a stress test; that the goal is in the first rooms keeps it short.
    made = parse_problem(generate("building", 6, rooms=2000).text, BUILDING.domain)
    graph = scene_graph(Task(BUILDING.domain, made), ROLES)
    room = [name for name, node in graph.nodes.items() if node.opens][11]
    thing = graph.children[graph.children[room][0]][0]
    task = Task(BUILDING.domain, replace(made, goal=Atom("in-hand", (thing,))))
    events: list[Any] = []
    setting = Setting.of(task, WORDING, files={"scene.json": ROLES})
    episode = Episode(setting, PlanOracle(BUILDING.domain, WORDING), emit=events.append)
    assert episode.play(SayPlan()).outcome == "solved"
    [end] = [event for event in events if isinstance(event, SearchEnded)]
    assert (len(end.memory), dict(end.top)["room"]) == (12, 2000)
    assert end.tokens < 0.25 * end.full
