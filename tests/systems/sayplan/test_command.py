"""``pddl2nl scene``: the graph as a tree and as JSON, ways, and exit codes."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from pddl2nl.systems.sayplan.scene_graph import load_roles, scene_graph
from tests.cli.one_command import run_command

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
