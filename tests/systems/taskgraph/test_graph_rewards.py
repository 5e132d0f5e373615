"""The GraphPlan paper's rewards: values computed by hand for both variants, and properties."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.systems.taskgraph.prompting import subtask_reply
from pddl2nl.systems.taskgraph.replies import PlannedSubtask, read_plan_reply
from pddl2nl.systems.taskgraph.rewards import (
    PAPER_REWARDS,
    SOUND_REWARDS,
    GraphColumns,
    GraphRow,
    Variant,
    graph_rewards,
)
from pddl2nl.tasks import shipped_task
from pddl2nl.training import pair_rows, prompt_rows
from pddl2nl.training.trl import rewards_of_row

PICK, PUT, COOL, TOGGLE = "PickupObject", "PutObject", "CoolObject", "ToggleObject"
COLUMNS = GraphColumns(
    objects={"obj": ("Apple", "Egg"), "rec": ("Table", "Fridge"), "spec": ("Fridge", "Lamp")},
    edges=frozenset({(PICK, PUT), (PICK, COOL), (COOL, PUT), (PUT, PICK)}),
    roles={PICK: ("obj",), PUT: ("obj", "rec"), COOL: ("obj", "spec"), TOGGLE: ("spec",)},
    ground_truth=((PICK, "Apple"), (COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
    key=((COOL, "Apple", "Fridge"), (PUT, "Apple", "Table")),
)
A, C, P = COLUMNS.ground_truth


def reply(*steps: tuple[str, ...], tag: str = "reasoning") -> str:
    plan = [[name, targets[0] if len(targets) == 1 else list(targets)] for name, *targets in steps]
    return f"<{tag}>So.</{tag}><answer>{json.dumps({'high_level': plan})}</answer>"


# format, node, edge and instruction; the paper's first. In the node reward of the paper, three objects are Apple, Table
# and Fridge: obj 1/3, rec 2/3, spec 1/3, of which the mean is 4/9.
TABLE: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = [
    (reply(A, C, P), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, C, P, tag="think"), (1, 4 / 9, 1, 1), (1, 1, 1, 1)),
    (reply(A, P), (1, 1 / 2, 1, 0), (1, 1, 1, 1 / 3)),
    (reply(C, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 1 / 3)),
    (reply(P, C), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 1 / 6)),
    (reply(A, C, P, A, P), (1, 4 / 9, 1, 1 / 2), (1, 1, 1, 3 / 10)),
    (reply(A, A, C, P), (1, 4 / 9, 0, 1 / 2), (1, 1, 0, 3 / 8)),
    (reply(A), (1, 1, 1, 0), (1, 1, 1, 1 / 6)),
    (reply((PICK, "Table")), (1, 1, 1, 0), (1, 0, 1, 0)),
    (reply((PICK, "Unicorn")), (1, 0, 1, 0), (1, 0, 1, 0)),
    (reply(("Fly", "Apple")), (1, 1, 1, 0), (1, 0, 0, 0)),
    (reply(A, ("Fly", "Apple")), (1, 1, 0, 0), (1, 1 / 2, 0, 1 / 6)),
    (reply((TOGGLE, "Lamp")), (1, 1, 1, 0), (1, 1, 1, 0)),
    (reply(A, (TOGGLE, "Lamp")), (1, 1 / 2, 0, 0), (1, 1, 0, 1 / 6)),
    (reply(A, (PUT, "Apple")), (1, 1, 1, 0), (1, 2 / 3, 1, 1 / 6)),
    (reply(), (1, 0, 1, 0), (1, 0, 0, 0)),
    (reply(A, C, P)[: -len("</answer>")], (0, 4 / 9, 1, 1), (0, 1, 1, 1)),
    ("<reasoning>So.</reasoning><answer>Pick it up.</answer>", (1 / 2, 0, 1, 0), (1 / 2, 0, 0, 0)),
    ("Pick it up.", (0, 0, 1, 0), (0, 0, 0, 0)),
    ("", (0, 0, 1, 0), (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("text", "paper", "sound"), TABLE)
def test_values_computed_by_hand(text: str, paper: tuple[float, ...], sound: tuple[float, ...]) -> None:
    assert astuple(graph_rewards(text, COLUMNS, "paper")) == pytest.approx(paper)
    assert astuple(graph_rewards(text, COLUMNS, "sound")) == pytest.approx(sound)


def test_another_plan_that_reaches_the_goal_is_right_by_the_sound_reward_alone() -> None:
    other = reply(A, C, P, A, P)
    assert graph_rewards(other, COLUMNS, "sound", lambda steps: True).instruction == 1
    assert graph_rewards(other, COLUMNS, "paper", lambda steps: True).instruction == 0.5


def test_without_key_subtasks_the_paper_gives_no_half() -> None:
    without = msgspec.structs.replace(COLUMNS, key=())
    assert graph_rewards(reply(A), without, "paper").instruction == 0


steps = st.lists(st.sampled_from([A, C, P, (TOGGLE, "Lamp"), (PICK, "Egg"), ("Fly", "Apple")]), max_size=6)
VARIANTS: tuple[Variant, ...] = ("paper", "sound")


@settings(max_examples=30)
@given(steps)
def test_rewards_are_from_0_to_4_and_the_layout_of_json_changes_none(plan: list[tuple[str, ...]]) -> None:
    text = reply(*plan)
    data: dict[str, Any] = json.loads(text.split("<answer>")[1].removesuffix("</answer>"))
    loose = f"<reasoning>\n\n</reasoning>\n<answer>\n{json.dumps({'a': 1} | data, indent=4)}\n</answer>\n"
    for variant in VARIANTS:
        rewards = graph_rewards(text, COLUMNS, variant)
        assert 0 <= rewards.total <= 4
        assert rewards == graph_rewards(loose, COLUMNS, variant)


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


def row(instance: str) -> GraphRow:
    (made,) = prompt_rows(run(shipped_task("alfred", instance), "taskgraph", ScriptedModel([""] * 4)).events)
    return made


def rewards(of: GraphRow, plan: list[PlannedSubtask], **changes: Any) -> dict[str, float]:
    return rewards_of_row(subtask_reply("So.", plan), {**msgspec.to_builtins(of), **changes})


@pytest.mark.parametrize("instance", ["s01", "l01", "a01"])
def test_the_ground_truth_earns_everything(instance: str) -> None:
    of = row(instance)
    truth = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    assert rewards(of, truth) == {"format": 1, "node": 1, "edge": 1, "instruction": 1, "total": 4}


def test_the_row_has_the_edges_of_the_graph_of_its_run() -> None:
    task, model = shipped_task("alfred", "s01"), ScriptedModel([""] * 4)
    [made] = prompt_rows(run(task, "taskgraph", model=model, options={"graph": "printed"}).events)
    assert ["PickupObject", "SliceObject"] not in json.loads(made.graph)["edges"]
    assert ["PickupObject", "SliceObject"] in json.loads(row("s01").graph)["edges"]


def test_a_search_whose_first_reply_is_no_plan_makes_no_rows() -> None:
    events = run(shipped_task("alfred", "s01"), "taskgraph-greedy", ScriptedModel([""] * 4)).events
    assert [*prompt_rows(events)] == []


def test_another_plan_earns_the_instruction_reward_if_it_reaches_the_goal_in_the_simulator() -> None:
    of = row("s01")
    *before, last = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    put_down_and_taken_again = [*before, last, (before[0][0], before[0][1]), last]
    assert rewards(of, put_down_and_taken_again)["instruction"] == 1
    assert rewards(of, before)["instruction"] < 0.5
    assert rewards(of, put_down_and_taken_again, domain="", problem=None)["instruction"] < 1, "without the task"


def test_the_papers_node_reward_asks_for_the_papers_classes() -> None:
    of = row("s01")
    meta = json.loads(of.graph)["meta"]
    assert {name: len(names) for name, names in meta.items()} == {"obj": 55, "rec": 24, "mov": 7, "spec": 8}
    assert "Apple" in meta["obj"]
    assert "Bowl" not in meta["obj"]
    # One thing and the receptacle that it is put on: each class has one of the two names.
    plan = [("PickupObject", "Apple"), ("PutObject", "Apple", "DiningTable")]
    values = rewards_of_row(subtask_reply("So.", plan), msgspec.to_builtins(of), "paper")
    assert values["node"] == 0.5
    # A fridge is a receptacle and what cooling needs: (1/2 + 1/2 + 1/2) / 3.
    plan = [("PickupObject", "Apple"), ("CoolObject", "Apple", "Fridge")]
    assert rewards_of_row(subtask_reply("So.", plan), msgspec.to_builtins(of), "paper")["node"] == 0.5


def test_both_variants_are_functions_of_a_trainer() -> None:
    of = row("s01")
    truth = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    columns = {name: [value] for name, value in msgspec.to_builtins(of).items()}
    for rewards, variant in ((PAPER_REWARDS, "paper"), (SOUND_REWARDS, "sound")):
        given = {each.__name__: each(completions=[subtask_reply("So.", truth)], **columns)[0] for each in rewards}
        right = rewards_of_row(subtask_reply("So.", truth), msgspec.to_builtins(of), variant)
        prefix = "paper" if variant == "paper" else "graph"
        assert given == {f"{prefix}_{name}": right[name] for name in ("format", "node", "edge", "instruction")}


def test_a_pair_for_fine_tuning_has_the_ground_truth() -> None:
    task, model = shipped_task("alfred", "s01"), ScriptedModel([""] * 4)
    [pair] = pair_rows(run(task, "taskgraph", model).events)
    assert read_plan_reply(pair.completion[0].content).steps == tuple(
        tuple(step) for step in json.loads(row("s01").graph)["ground_truth"]
    )
