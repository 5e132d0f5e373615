"""The rewards in TRL's calling form, and TRL's own trainer with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.tasks import shipped_task
from pddl2nl.training import REWARDS, PromptRow, prompt_rows
from pddl2nl.training.trl import PLAN_REWARDS, plan_format, plan_goals, plan_validity

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
