"""Pictures of the graph in a prompt: they grow and shrink while places stay where they are, and names are only text."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from pddl2nl.systems.sayplan.picture import MOST_NODES, picture
from pddl2nl.systems.sayplan.sayplan import LAYOUT
from pddl2nl.systems.sayplan.scene_graph import SceneView
from tests.systems.sayplan.conftest import PLAN, SEARCH, command, graph_of, plan, play

EXAMPLE = graph_of("example")


def drawn(view: SceneView) -> ElementTree.Element:
    return ElementTree.fromstring(picture(LAYOUT.question({"Task": "coffee", "Scene graph": view.text})))


def titles(svg: ElementTree.Element) -> dict[str, str]:
    """Where each node is drawn, by its title."""
    return {
        str(node.findtext("title")): node.get("d", "") for node in svg.iter("path") if node.find("title") is not None
    }


def test_each_prompt_of_a_search_has_a_picture_of_what_it_shows() -> None:
    commands = map(command, ("expand(bobs_room)", "contract(bobs_room)", "expand(kitchen)", "terminate"))
    run = play("example", {SEARCH: [*commands], PLAN: plan("goto(kitchen)")})
    pictures = [picture(messages[-1].content) for messages in run.model.conversations(SEARCH)]
    shown = [titles(ElementTree.fromstring(each)).keys() for each in pictures]
    rooms = {"bobs_room", "toms_room", "jacks_room", "kitchen", "livingroom"}
    assert [names - rooms for names in shown[:3]] == [set(), {"bed1", "wardrobe1", "coffee_mug"}, set()]
    assert all(names >= rooms for names in shown)


def test_places_stay_where_they_are_and_all_is_inside_the_picture() -> None:
    before, after = (titles(drawn(view)) for view in (EXAMPLE.collapsed(), EXAMPLE.full()))
    assert before.items() <= after.items()
    spots = [[float(each) for each in spot.lstrip("M").removesuffix("h.1").split()] for spot in after.values()]
    assert all(0 <= x <= 960 and 0 <= y <= 560 for x, y in spots)
    assert len({*after.values()}) == len(after)


def test_the_agent_is_marked_and_told() -> None:
    svg = drawn(EXAMPLE.collapsed())
    [agent] = svg.iter("circle")
    assert titles(svg)["bobs_room"] == f"M{agent.get('cx')} {agent.get('cy')}h.1"
    assert svg.findtext("title") == "The graph shown: 10 nodes, the agent in bobs_room"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"]}</svg>', "x" * 10_000, "\x00\x1b[2J", "a↔b"])
def test_names_are_text(name: str) -> None:
    nodes = {"room": [{"id": name}, {"id": "hall"}], "agent": [{"location": name, "id": "agent"}]}
    svg = picture(
        LAYOUT.question({"Scene graph": json.dumps({"nodes": nodes, "links": [f"{name.split('↔')[0]}↔hall"]})})
    )
    assert "<script" not in svg
    assert len(svg) < 15_000
    assert ElementTree.fromstring(svg).tag == "svg"


@pytest.mark.parametrize(
    "graph",
    ["", "{", "[]", "3", '{"nodes":{}}', '{"nodes":{"room":[3]},"links":[]}', '{"nodes":[],"links":["a"]}', "[" * 9999],
)
def test_what_is_no_graph_has_no_picture(graph: str) -> None:
    assert picture(LAYOUT.question({"Scene graph": graph})) == ""


def test_graphs_that_are_too_large_have_none() -> None:
    rooms = [{"id": f"room{number}"} for number in range(MOST_NODES + 1)]
    assert picture(LAYOUT.question({"Scene graph": json.dumps({"nodes": {"room": rooms}, "links": []})})) == ""
