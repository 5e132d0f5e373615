"""Task graphs: the printed one of the GraphPlan paper, from plans, and how subtasks are read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.systems.taskgraph.alfred.types import TASK_TYPES, plan_of
from pddl2nl.systems.taskgraph.graph import TaskGraph, build_graph, graph_named, graph_of_labels, graph_of_plans
from pddl2nl.systems.taskgraph.subtasks import Subtasks, load_subtasks, subtasks_of_actions
from pddl2nl.tasks import shipped_domain


def templates() -> list[list[str]]:
    """The subtasks of every type of task."""
    return [[step[0] for errand in kind.errands for step in plan_of(errand)] for kind in TASK_TYPES.values()]


def test_the_nodes_are_the_twelve_of_table_6_and_nine_more(alfred: Subtasks) -> None:
    assert [str(node) for node in alfred.nodes[:12]] == [
        "PickupObject(object)",
        "ToggleObject(lamp)",
        "SliceObject(object)",
        "PutObject(object, receptacle)",
        "FindSecond(object)",
        "PickSecond(object)",
        "PutPickObject(object, movable_receptacle)",
        "CoolObject(object, Fridge)",
        "HeatObject(object, Microwave)",
        "CleanObject(object, SinkBasin)",
        "OpenObject(receptacle)",
        "CloseObject(receptacle)",
    ]
    assert len(alfred.nodes) == 21


def test_the_printed_graph_has_67_edges_and_no_way_to_slicing(alfred: Subtasks) -> None:
    printed = graph_of_labels("printed", alfred, alfred.graphs["printed"])
    assert (len(printed.nodes), len(printed.edges)) == (12, 67)
    # Appendix E lists A --> B and A --> D, and no A --> C, which its own rules for slicing need.
    assert printed.lines(printed.nodes)[:2] == (
        "[A] PickupObject(object): all but A C F may follow",
        "[B] ToggleObject(lamp): all may follow",
    )
    assert "SliceObject" not in printed.after("PickupObject")


def test_the_repaired_graph_has_the_missing_edge_and_allows_all_base_and_long_plans(alfred: Subtasks) -> None:
    printed, repaired = graph_named("printed", alfred), graph_named("repaired", alfred)
    assert repaired.edges - printed.edges == {("PickupObject", "SliceObject")}
    assert repaired.edges > printed.edges
    plans = [plan for plan, kind in zip(templates(), TASK_TYPES.values(), strict=True) if kind.group != "new"]
    assert all({*pairwise(plan)} <= repaired.edges for plan in plans)


def test_a_graph_of_plans_has_an_edge_for_each_pair_that_occurs(alfred: Subtasks) -> None:
    graph = graph_of_plans("traversal", alfred, [["PickupObject", "HeatObject", "PutObject"], ["PickupObject"]])
    assert graph.edges == {("PickupObject", "HeatObject"), ("HeatObject", "PutObject")}
    assert graph.after("PickupObject") == ("HeatObject",)
    assert graph.after("OpenObject") == ()


def test_a_sample_of_plans_depends_on_its_seed_alone() -> None:
    blocks = subtasks_of_actions(shipped_domain("blocksworld").domain)
    # 98 of 1,000 plans: the rare one is drawn with some seeds, and then its pair is an edge.
    plans = [["pick-up", "stack"]] * 999 + [["unstack", "put-down"]]
    sizes = {seed: len(build_graph("fewshot", blocks, plans, seed).edges) for seed in range(30)}
    assert {*sizes.values()} == {1, 2}
    assert sizes == {seed: len(build_graph("fewshot", blocks, plans, seed).edges) for seed in range(30)}


def test_graphs_are_united_and_decided_if_the_file_does_not_hold_them(alfred: Subtasks) -> None:
    both = graph_named("fewshot+compatible", alfred)
    assert both.edges == graph_named("fewshot", alfred).edges | graph_named("compatible", alfred).edges
    assert len(both.nodes) == 21
    pytest.importorskip("z3")
    blocks = subtasks_of_actions(shipped_domain("blocksworld").domain)
    united = build_graph("fewshot+proved", blocks, [["pick-up", "unstack"]])
    assert united.after("pick-up") == ("put-down", "stack", "unstack")


@pytest.mark.parametrize(
    ("name", "message"),
    [("prove", "no graph 'prove'; did you mean 'proved'"), ("fewshot+", "no graph ''; there are printed, repaired")],
)
def test_an_unknown_graph_is_refused_with_those_that_there_are(alfred: Subtasks, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        graph_named(name, alfred)


def test_graphs_that_cannot_be_built_are_refused(alfred: Subtasks) -> None:
    with pytest.raises(InputError, match="'traversal' is built from plans"):
        build_graph("traversal", alfred)
    with pytest.raises(InputError, match="no kind of graph 'printed'"):
        build_graph("printed", alfred)
    with pytest.raises(InputError, match="has a node that the graph does not have"):
        build_graph("traversal", alfred, [["PickupObject", "Fly"]])


def test_the_shipped_graphs_allow_all_ground_truths(alfred: Subtasks) -> None:
    for name in ("compatible", "proved"):
        graph = graph_of_labels(name, alfred, alfred.graphs[name])
        assert all({*pairwise(plan)} <= graph.edges for plan in templates())


def test_actions_are_subtasks_of_any_domain() -> None:
    nodes = subtasks_of_actions(shipped_domain("blocksworld").domain).nodes
    assert [str(node) for node in nodes] == [
        "pick-up(ob)",
        "put-down(ob)",
        "stack(ob, underob)",
        "unstack(ob, underob)",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format"),
        ({"closed": ["holdng"]}, r"no predicate 'holdng'; did you mean 'holding'"),
        ({"closed": ["hot"]}, r"'close' changes 'hot' under a condition"),
        ({"classes": {"Apple": "aple"}}, r"no type 'aple'; did you mean 'apple'"),
        (
            {"nodes": [{"label": "A", "name": "Go", "targets": [], "ways": [["(navigat ?p ?q)"]]}]},
            "is no step of alfred",
        ),
        (
            {"nodes": [{"label": "A", "name": "Go", "targets": [], "ways": [["(start ?p)", "(pick-up ?p ?p)"]]}]},
            "is no step",
        ),
        (
            {"nodes": [{"label": "A", "name": "Go", "targets": [], "ways": [["(navigate ?p ?q)"]]}] * 2},
            "two nodes have the name 'Go'",
        ),
        ({"surplus": 1}, "surplus"),
        ({"invariants": ["(forall (?x - thing) (holdin ?x))"]}, "in the invariant .*holdin"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(change: dict[str, object], message: str, tmp_path: Path) -> None:
    shipped = shipped_domain("alfred")
    data = json.loads((shipped.folder / "subtasks.json").read_text(encoding="utf-8")) | change
    path = tmp_path / "subtasks.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_subtasks(path, shipped.domain)


def test_an_edge_to_an_unknown_node_is_refused(alfred: Subtasks) -> None:
    with pytest.raises(InputError, match="has a node that the graph does not have"):
        TaskGraph("wrong", alfred.nodes[:1], frozenset((("PickupObject", "PutObject"),)))
    with pytest.raises(InputError, match="there is no subtask 'Z'"):
        graph_of_labels("wrong", alfred, {"A": "Z"})
