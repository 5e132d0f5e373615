"""Rows for training: from recorded runs, and judged again by their own columns."""

from __future__ import annotations

import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.tasks import shipped_task
from pddl2nl.training import RewardColumns, pair_rows, plan_rewards, prompt_rows

TASK = shipped_task("blocksworld", "p03")


@pytest.mark.parametrize("style", ["nl", "pddl"])
@pytest.mark.usefixtures("needs_planner")
def test_the_columns_of_a_prompt_judge_the_planners_reply(style: str) -> None:
    events = run(TASK, "basic", ScriptedModel([""]), style=style).events
    (row,) = prompt_rows(events, optimum=6)
    (pair,) = pair_rows(events)
    assert pair.prompt == row.prompt
    columns = RewardColumns(row.domain, row.problem, row.wording, row.names, row.optimum)
    rewards = plan_rewards(pair.completion[0].content, columns)
    assert set(rewards.as_json().values()) == {1.0}
    assert (bool(row.wording), bool(row.names)) == (style == "nl", style == "nl")


@pytest.mark.usefixtures("needs_planner")
def test_every_state_that_a_model_visited_is_answered_by_the_planner() -> None:
    # After its first action the model does what no plan does; the prompts tell it so.
    said = ["Thought: So.\nAction: unstack block_0 from block_3", "Action: stack block_0 on block_3", "Action: dance"]
    events = run(TASK, "react", ScriptedModel(said), steps=3).events
    first, second, third = pair_rows(events)
    assert first.action == third.action == "unstack block_0 from block_3"
    assert second.action == "put down block_0 on the table"
    assert first.thought.startswith("It is still missing that")
    assert [len(row.prompt) - len(first.prompt) for row in (first, second, third)] == [0, 2, 4]
    assert third.prompt[-2].content == said[1], "what the model said stays in the conversation"
    assert [*prompt_rows(events)] == [], "a first action is no plan"


@pytest.mark.usefixtures("needs_planner")
def test_what_has_no_plan_has_no_pair() -> None:
    events = run(shipped_task("blocksworld", "u01"), "act", ScriptedModel([""]), steps=1).events
    assert [*pair_rows(events)] == []


@pytest.mark.usefixtures("needs_planner")
def test_runs_by_other_policies_give_no_rows() -> None:
    events = run(TASK, "random").events
    assert [*prompt_rows(events), *pair_rows(events)] == []
