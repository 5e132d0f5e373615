"""Task graphs: the printed one of the GraphPlan paper, from plans, and how subtasks are read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import GroundAtom
from pddl2nl.systems.taskgraph.alfred.sets import suite_calls
from pddl2nl.systems.taskgraph.alfred.tasks import task_of_seed
from pddl2nl.systems.taskgraph.alfred.types import TASK_TYPES, plan_of
from pddl2nl.systems.taskgraph.automaton import TaskAutomaton
from pddl2nl.systems.taskgraph.graph import TaskGraph, build_graph, graph_named, graph_of_labels, graph_of_plans
from pddl2nl.systems.taskgraph.subtasks import Subtasks, load_subtasks, subtasks_of_actions
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator


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


# ── the automaton: what pairs of subtasks cannot see ──────────────────────────────────────────────


def steps(text: str) -> list[tuple[str, ...]]:
    """Steps separated by semicolons: ``PutObject Apple Fridge``, with short names as in the test."""
    short = {"Pick": "PickupObject", "Put": "PutObject", "Slice": "SliceObject", "Heat": "HeatObject"}
    parts = [part.split() for part in text.split(";")]
    return [(short.get(part[0], part[0]), *part[1:]) for part in parts]


# The paper's table 15, case 1 (GRPO with ground truth only, SFT) and case 2 (SFT).
TRAINED = steps(
    "Pick Knife; Pick Potato; Heat Potato Microwave; Put Potato Pan; Pick Knife; Pick Tomato; Slice Tomato; "
    "Put Knife SinkBasin; Pick TomatoSliced; CleanObject TomatoSliced SinkBasin; Put TomatoSliced Bowl; "
    "Put Bowl Shelf; Put Pan DiningTable"
)
TUNED = steps(
    "Pick Knife; Slice Tomato; Put TomatoSliced Bowl; Put Bowl Shelf; Pick Potato; Heat Potato Microwave; "
    "PutPickObject Potato Pan; Put Pan DiningTable"
)
TUNED_TWO = steps(
    "Pick Knife; Slice Potato; Put Knife CounterTop; Pick PotatoSliced; PutPickObject PotatoSliced Pan; "
    "Put Pan Microwave; CoolObject Pan Fridge; Put Pan CounterTop"
)
OURS = steps(
    "Pick Knife; Slice Tomato; Put Knife SinkBasin; Pick TomatoSliced; CleanObject TomatoSliced SinkBasin; "
    "PutPickObject TomatoSliced Bowl; Put Bowl Shelf; Pick Potato; Heat Potato Microwave; PutPickObject Potato Pan; "
    "Put Pan DiningTable"
)


def test_the_transitions_that_table_15_calls_invalid_are_refused(alfred: Subtasks) -> None:
    automaton = TaskAutomaton(alfred)
    assert automaton.faults(OURS) == ()
    # Two Pickup → Pickup with a knife in the hand, and Put → Put → Put.
    assert [fault.place for fault in automaton.faults(TRAINED)] == [1, 5, 11, 12]
    # Put → Put; and, which the paper calls a missing step, the slice was never picked up.
    assert [fault.place for fault in automaton.faults(TUNED)] == [2, 3]
    # Into the microwave, and then cooled.
    assert [fault.place for fault in automaton.faults(TUNED_TWO)] == [6]


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("Pick Fork; Slice Tomato", "needs that (holding knife), but (holding Fork)"),
        ("Put Apple Fridge", "needs that (holding Apple), but (hand-empty)"),
        ("Pick TomatoSliced", "needs TomatoSliced, which SliceObject(Tomato) makes"),
        ("OpenObject Fridge; OpenObject Fridge", "needs that (shut Fridge)"),
        ("CloseObject Fridge; CloseObject Fridge", "needs that (not (shut Fridge))"),
        ("Pick Apple; CleanObject Apple SinkBasin; Put Apple Bowl; Put Apple Fridge", "(holding Apple)"),
        ("Pick Appel", "there is no Appel; did you mean 'Apple'"),
        ("Slice Fork", "Fork cannot be the object of SliceObject"),
        ("Heat Egg Fridge", "Fridge cannot be the Microwave of HeatObject"),
        ("Pick", "names 1 targets, and 0 are given"),
        ("Pickup Apple", "there is no subtask Pickup; did you mean"),
    ],
)
def test_what_is_refused_has_a_reason(alfred: Subtasks, plan: str, reason: str) -> None:
    faults = TaskAutomaton(alfred).faults(steps(plan))
    assert len(faults) == 1
    assert reason in faults[0].text


def test_the_plan_of_every_type_is_accepted(alfred: Subtasks) -> None:
    automaton = TaskAutomaton(alfred)
    for name in ("seen", "long", "new"):
        for task in (task_of_seed(seed, values) for seed, values in suite_calls(name, 17)):
            assert automaton.faults(task.plan) == ()


@pytest.mark.parametrize(
    ("plan", "faults"),
    [
        # The hand never holds two things, and is not empty while it holds one.
        ("Pick Knife; Pick Apple; Put Apple Shelf; Put Knife Shelf", [1]),
        ("Pick Knife; Pick Apple; Slice Tomato; Put Knife Shelf", [1]),
        # A misspelt step does what its right spelling would.
        ("Pick Appel; Put Apple Fridge; Pick Egg", [0]),
        ("Pick Knife; Slice Tomatoe; Put Knife Shelf; Pick TomatoSliced; Put TomatoSliced Shelf", [1]),
        ("Wash Apple; Put Apple Shelf; Pick Egg; Pick Mug", [0, 3]),
        # Slices of nothing: everything else is right.
        ("Pick AppleSliced; Put AppleSliced Shelf; Pick Mug; Put Mug Shelf", [0]),
        ("Put Apple Shelf; Put Egg Shelf; Pick Mug; Put Mug Shelf", [0, 1]),
    ],
)
def test_one_mistake_is_one_fault(plan: str, faults: list[int], alfred: Subtasks) -> None:
    found = TaskAutomaton(alfred).faults(steps(plan))
    assert [fault.place for fault in found] == faults
    assert not any("(hand-empty) and" in fault.text for fault in found)


def test_a_plan_begins_in_the_state_that_is_given(alfred: Subtasks) -> None:
    task = shipped_domain("alfred").task("s10")
    simulator = Simulator(task)
    automaton, initial = TaskAutomaton(alfred, task=task), simulator.initial
    assert [fault.place for fault in automaton.faults(steps("Put Apple Shelf"), initial)] == [0]
    apple, slices = task.objects_of(("apple",))[0], task.objects_of(("applesliced",))
    held = initial.atoms - {GroundAtom(("hand-empty",))} | {GroundAtom(("holding", apple))}
    cut = held | {GroundAtom(("in", slices[0], "shelf-1"))}
    assert automaton.faults(steps("Put Apple Shelf"), simulator.state(held, {})) == ()
    # Slices lie there from the start.
    sliced = steps("Put Apple Shelf; Pick AppleSliced")
    assert [fault.place for fault in automaton.faults(sliced, simulator.state(held, {}))] == [1]
    assert automaton.faults(sliced, simulator.state(cut, {})) == ()
    # There is one fridge, and it is shut; of the cabinets it is known by their own names.
    doors = "CloseObject Fridge; OpenObject fridge-1; CloseObject Fridge; CloseObject cabinet-1; CloseObject Cabinet"
    assert [fault.place for fault in automaton.faults(steps(doors), initial)] == [0, 3]
