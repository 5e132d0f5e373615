"""Rewards of replies with plans, against values computed by hand and against the validator."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedCall, ScriptedModel, ScriptedReply
from pddl2nl.nl import choose_wording, make_names
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.tasks import shipped_domain, shipped_task
from pddl2nl.training import REWARDS, PlanRewards, PromptRow, RewardColumns, pair_rows, plan_rewards, prompt_rows
from pddl2nl.training.trl import PLAN_REWARDS, plan_format, plan_goals, plan_validity
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
@pytest.mark.parametrize("policy", ["tools", "tools-search", "tools-plan"])
def test_calls_are_answered_by_the_planners_calls_as_chat_templates_take_them(policy: str) -> None:
    wrong = ScriptedCall("put-down", {"ob": "block_0"})
    events = run(TASK, policy, ScriptedModel([ScriptedReply("Hm.", calls=(wrong,))] * 2), steps=2).events
    first, second = map(asdict, pair_rows(events))
    assert second["prompt"][-2]["tool_calls"][0]["function"] == {"name": "put-down", "arguments": {"ob": "block_0"}}
    assert second["prompt"][-1]["tool_call_id"] == second["prompt"][-2]["tool_calls"][0]["id"]
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in json.loads(first["tools"])}
    for row in (first, second):
        (call,) = row["completion"][0]["tool_calls"]
        function = call["function"]
        assert [*function["arguments"]] == offered[function["name"]]["required"]
        assert function["name"] == ("submit_plan" if policy == "tools-plan" else "unstack")


@pytest.mark.usefixtures("needs_planner")
def test_what_has_no_plan_has_no_pair() -> None:
    events = run(shipped_task("blocksworld", "u01"), "act", ScriptedModel([""]), steps=1).events
    assert [*pair_rows(events)] == []


@pytest.mark.usefixtures("needs_planner")
def test_runs_by_other_policies_give_no_rows() -> None:
    events = run(TASK, "random").events
    assert [*prompt_rows(events), *pair_rows(events)] == []


# ── TRL's calling form and trainer ────────────────────────────────────────────────────────────────


PLAN = "[PLAN]\n(unstack a d)\n(put-down a)\n(unstack d c)\n(put-down d)\n(pick-up c)\n(stack c d)\n[PLAN END]"


@pytest.fixture(scope="module")
def row(needs_planner: None) -> PromptRow:
    (made,) = prompt_rows(run(shipped_task("blocksworld", "p03"), "basic", ScriptedModel([""]), style="pddl").events)
    return made


def columns(row: PromptRow, count: int) -> dict[str, list[Any]]:
    names = ("domain", "problem", "wording", "names", "optimum", "task")
    return {name: [getattr(row, name)] * count for name in names}


def test_texts_and_messages_are_completions(row: PromptRow) -> None:
    completions = [PLAN, [{"role": "assistant", "content": PLAN}], "I do not know."]
    rewards = plan_validity(prompts=["?"] * 3, completions=completions, trainer_state=None, **columns(row, 3))
    assert rewards == [1.0, 1.0, 0.0]


def test_every_reward_is_a_function_that_a_trainer_can_name() -> None:
    assert {name: function.__name__ for name, function in PLAN_REWARDS.items()} == {
        name: f"plan_{name}" for name in REWARDS
    }


def test_columns_of_unequal_length_are_an_error(row: PromptRow) -> None:
    with pytest.raises(InputError, match="column domain: expected 3 values, one for each completion"):
        plan_format(completions=[PLAN] * 3, **columns(row, 2))
    with pytest.raises(InputError, match="no column domain"):
        plan_format(completions=[PLAN])
    with pytest.raises(InputError, match="a completion is a text"):
        plan_format(completions=[[]], **columns(row, 1))
    with pytest.raises(InputError, match="optimum"):
        plan_format(completions=[PLAN], **columns(row, 1) | {"optimum": ["many"]})


@pytest.mark.heavy
def test_grpo_trains_a_tiny_model_with_them(row: PromptRow, tmp_path: Path) -> None:
    """A randomly initialised model, so nothing is fetched; it learns nothing in two steps, and every step is taken."""
    trl = pytest.importorskip("trl", reason="TRL is not installed: pip install 'pddl2nl[training]'")
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(["<pad>", "<eos>", "?", "a", "b"])}, "?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="?")
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=5, **shape))
    rows = [{"prompt": "a b"} | {name: values[0] for name, values in columns(row, 1).items()}] * 4
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=[plan_format, plan_goals],
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=2,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            report_to=[],
            use_cpu=True,
            bf16=False,
            logging_steps=1,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "rewards/plan_format/mean" in entry]
    assert trainer.state.global_step == len(logged) == 2
    assert all(entry["rewards/plan_goals/mean"] == 0.0 for entry in logged), json.dumps(logged, default=str)
