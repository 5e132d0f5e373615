"""The training recipe of docs/guides/training.md, from the tasks to a model that runs, with a tiny model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.records.stored import RunRecord, read_record

pytestmark = pytest.mark.heavy

PAGE = Path(__file__).parents[3] / "docs" / "guides" / "training.md"
TEMPLATE = "{% for each in messages %}{{ each['role'] }}: {{ each['content'] }}\n{% endfor %}assistant: "


def script(name: str) -> str:
    found = re.search(rf'```python title="{name}"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def tiny_model(folder: Path, texts: list[str]) -> None:
    """A model of one layer that knows the words of some texts."""
    tokenizers: Any = pytest.importorskip("tokenizers")
    transformers: Any = pytest.importorskip("transformers")
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=600, special_tokens=["<pad>", "<end>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, pad_token="<pad>", eos_token="<end>"
    )
    tokenizer.chat_template = TEMPLATE
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=8192,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def test_the_page_leads_from_tasks_to_a_trained_model_that_runs(tmp_path: Path) -> None:
    pytest.importorskip("trl")

    def call(*words: str, codes: tuple[int, ...] = (0,)) -> str:
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in codes, done.stderr[-3000:]
        return done.stdout + done.stderr

    lines = [line[2:].split() for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("$ pddl2nl")]
    steps = [words[1:] for words in lines if "sets" in words]
    assert len(steps) == 2
    for words in steps:
        call("-m", "pddl2nl", *words)
    tiny_model(tmp_path / "tiny", [(tmp_path / "planner" / "pairs-train.jsonl").read_text(encoding="utf-8")])
    for name in ("sft.py", "grpo.py"):
        # The settings are the page's, but for the length of replies and the machine.
        text = script(name).replace("max_completion_length=1024", "max_completion_length=8")
        text = text.replace('report_to="none"', 'report_to="none", use_cpu=True, bf16=False')
        (tmp_path / name).write_text(text, encoding="utf-8")
    call("sft.py", "tiny", "tuned")
    said = call("grpo.py", "tuned", "trained")
    assert "paper_node" in said, "TRL logs each reward by its name"
    assert (tmp_path / "trained" / "config.json").is_file()
    run = ["run", "alfred", "s01", "--policy", "taskgraph", "--model", "transformers:trained", "--max-tokens", "8"]
    call("-m", "pddl2nl", *run, codes=(1,))
    [path] = (tmp_path / "runs").glob("*.jsonl")
    record = read_record(path)
    assert isinstance(record, RunRecord)
    # It says nothing that can be read, but it was asked.
    assert record.finished.calls > 0
    assert record.finished.outcome == "unreadable"
