"""The effort in large buildings, in calls of functions: linear in what is shown and in the rooms that are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pddl2nl.pddl import Task, parse_problem
from pddl2nl.policies import Episode
from pddl2nl.policies.sayplan.events import SearchEnded
from pddl2nl.policies.sayplan.prompts import MECHANISMS, ScenePrompter
from pddl2nl.policies.sayplan.searching import search
from pddl2nl.tasks.generators import generate
from pddl2nl.worlds.scene_graph import SceneView, scene_graph
from tests.policies.sayplan.conftest import BUILDING, ROLES, WORDING, Planner, graph_of, setting_of

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
    def searched(count: int) -> SearchEnded:
        # The task does not say where the thing is, so the rooms before its own are opened one after the other.
        thing = FLOOR.children[FLOOR.children[ROOMS[count - 1]][0]][0]
        setting = setting_of("rooms200", task_text=f"My goal is that in the end the robot is holding {thing}.")
        events: list[Any] = []
        episode = Episode(setting, Planner(None), emit=events.append)
        prompter = ScenePrompter(
            setting.task_text, BUILDING.domain, ROLES, MECHANISMS["sayplan"], wording=WORDING, style="terse"
        )
        view, _ = search(episode, FLOOR.collapsed(), prompter, memory=[])
        assert view.shows(thing)
        [end] = [event for event in events if isinstance(event, SearchEnded)]
        return end

    assert len(searched(10).memory) == 10
    linear(searched, lambda count: count, 8)
