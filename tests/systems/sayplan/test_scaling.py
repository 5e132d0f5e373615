"""The effort in large buildings, in calls of functions: linear in what is shown and in the rooms that are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pddl2nl.pddl import Task, parse_problem
from pddl2nl.systems.sayplan.scene_graph import SceneView, scene_graph
from pddl2nl.tasks.generators import generate
from tests.systems.sayplan.conftest import BUILDING, ROLES, graph_of

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
