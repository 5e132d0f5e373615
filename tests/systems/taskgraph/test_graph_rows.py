"""Rows for plans of subtasks: the shipped ground truths earn everything, and the simulator judges other plans."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.systems.taskgraph.prompting import subtask_reply
from pddl2nl.systems.taskgraph.replies import PlannedSubtask
from pddl2nl.systems.taskgraph.rewards import GraphRow, graph_edge, graph_instruction
from pddl2nl.tasks import shipped_task
from pddl2nl.training import prompt_rows
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


def test_rows_are_columns_of_a_trainer() -> None:
    of = row("s01")
    truth = [tuple(step) for step in json.loads(of.graph)["ground_truth"]]
    completions = [subtask_reply("So.", truth), subtask_reply("So.", [truth[0], truth[0]]), "Well."]
    columns = {name: [value] * 3 for name, value in msgspec.to_builtins(of).items()}
    assert graph_edge(completions=completions, **columns) == [1, 0, 0]
    assert graph_instruction(completions=completions, **columns)[0] == 1
