"""Rows for plans of subtasks: the shipped ground truths earn everything, and the simulator judges other plans."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.systems.taskgraph.prompting import subtask_reply
from pddl2nl.systems.taskgraph.replies import PlannedSubtask, read_plan_reply
from pddl2nl.systems.taskgraph.rewards import PAPER_REWARDS, SOUND_REWARDS, GraphRow
from pddl2nl.tasks import shipped_task
from pddl2nl.training import pair_rows, prompt_rows
from pddl2nl.training.trl import rewards_of_row


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
