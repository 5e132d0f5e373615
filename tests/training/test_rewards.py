"""Rewards of replies with plans, against values computed by hand and against the validator."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import choose_wording, make_names
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.tasks import shipped_domain, shipped_task
from pddl2nl.training import PlanRewards, RewardColumns, pair_rows, plan_rewards, prompt_rows
from pddlval import validate
from pddlval.simulator import simulator_of

SWITCHES = RewardColumns(
    domain="""(define (domain switches) (:requirements :strips) (:predicates (on ?x) (off ?x))
      (:action press :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x))))
      (:action release :parameters (?x) :precondition (on ?x) :effect (and (off ?x) (not (on ?x)))))""",
    problem="""(define (problem three) (:domain switches) (:objects a b c)
      (:init (off a) (off b) (on c)) (:goal (and (on a) (on b) (on c))))""",
    optimum=2,
)
"""Two of three conditions of the goal are missing at first."""


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        # format, prefix, goals, validity, length
        ("[PLAN]\n(press a)\n(press b)\n[PLAN END]", (1, 1, 1, 1, 1)),
        ("(press a)\n(press b)", (0.5, 1, 1, 1, 1)),
        ("[PLAN]\n(press a)\n(press b)", (0.5, 1, 1, 1, 1)),
        ("[PLAN]\n(press a)\n(press b)\n(release b)\n(press b)\n[PLAN END]", (1, 1, 1, 1, 0.5)),
        ("[PLAN]\n(press a)\n[PLAN END]", (1, 1, 0.5, 0, 0)),
        ("[PLAN]\n(press a)\n(press a)\n(press b)\n[PLAN END]", (1, 1 / 3, 0.5, 0, 0)),
        ("[PLAN]\n(press a)\n(press d)\n(press b)\n[PLAN END]", (0, 1 / 3, 0.5, 0, 0)),
        ("[PLAN]\n(release a)\n[PLAN END]", (1, 0, 0, 0, 0)),
        ("[PLAN]\n(release c)\n[PLAN END]", (1, 1, 0, 0, 0)),  # worse than at first is no negative reward
        ("[PLAN]\n(press a)\n(release c)\n[PLAN END]", (1, 1, 0, 0, 0)),  # one gained, one lost
        ("[PLAN]\n[PLAN END]", (1, 0, 0, 0, 0)),
        ("I cannot do that.", (0, 0, 0, 0, 0)),
        ("", (0, 0, 0, 0, 0)),
    ],
)
def test_values_computed_by_hand(reply: str, expected: tuple[float, ...]) -> None:
    assert plan_rewards(reply, SWITCHES) == PlanRewards(*map(float, expected))


def test_an_unknown_optimum_gives_no_reward_for_length() -> None:
    reply = "[PLAN]\n(press a)\n(press b)\n[PLAN END]"
    unknown = RewardColumns(SWITCHES.domain, SWITCHES.problem)
    assert plan_rewards(reply, unknown) == replace(plan_rewards(reply, SWITCHES), length=0.0)


def test_a_solved_task_wants_the_empty_plan() -> None:
    solved = RewardColumns(SWITCHES.domain, SWITCHES.problem.replace("(off a) (off b)", "(on a) (on b)"), optimum=0)
    assert plan_rewards("[PLAN]\n[PLAN END]", solved) == PlanRewards(1.0, 0.0, 1.0, 1.0, 1.0)
    assert plan_rewards("", solved) == PlanRewards(0.0, 0.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (RewardColumns("(define (domain", SWITCHES.problem), "not closed"),
        (
            RewardColumns(SWITCHES.domain, SWITCHES.problem, optimum=float("nan")),
            "expected a cost from 0 on, found nan",
        ),
        (RewardColumns(SWITCHES.domain, SWITCHES.problem, optimum=-1), "found -1"),
        (RewardColumns(SWITCHES.domain, SWITCHES.problem, wording="[" * 100_000), "expected JSON"),
        (RewardColumns(SWITCHES.domain, SWITCHES.problem, wording="{}", names='{"a": 1}'), "expected JSON"),
        (RewardColumns(SWITCHES.domain, SWITCHES.problem, wording="{}", names='{"a": "a"}'), "object b"),
    ],
)
def test_columns_that_cannot_be_used_are_an_error(columns: RewardColumns, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_rewards("(press a)", columns)


BLOCKS = shipped_task("blocksworld", "p03")
WORDING = choose_wording(str(shipped_domain("blocksworld").wording_path), BLOCKS.domain)
TOLD = RewardColumns(
    write_domain(BLOCKS.domain),
    write_problem(BLOCKS.problem),
    json.dumps(WORDING.to_json()),
    json.dumps(dict(make_names(BLOCKS, "typed", WORDING).to_nl)),
)


def test_a_reply_in_words_is_worth_what_its_plan_is_worth() -> None:
    rewards = plan_rewards("[PLAN]\nunstack block_0 from block_3\nput down block_0 on the table\n[PLAN END]", TOLD)
    assert rewards == PlanRewards(format=1.0, prefix=1.0, goals=0.0, validity=0.0, length=0.0)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 12), st.booleans())
def test_rewards_are_those_of_the_validator(seed: int, length: int, broken: bool) -> None:
    dice, simulator = random.Random(seed), simulator_of(BLOCKS)
    plan = [action for action, _ in islice(simulator.walk(simulator.initial, dice), length)]
    if broken and plan:
        plan.append(plan[0])
    report = validate(BLOCKS, plan)
    columns = RewardColumns(TOLD.domain, TOLD.problem, optimum=6)
    rewards = plan_rewards("\n".join(["[PLAN]", *map(str, plan), "[PLAN END]"]), columns)
    assert rewards.validity == float(report.valid)
    assert rewards.prefix == (((report.failed_step or len(plan) + 1) - 1) / len(plan) if plan else 0.0)
    assert all(0 <= value <= 1 for value in rewards.as_json().values())
    assert (rewards.length > 0) <= report.valid <= (rewards.goals == 1)


# ── rows for training: from recorded runs, and judged again by their own columns ──────────────────


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
