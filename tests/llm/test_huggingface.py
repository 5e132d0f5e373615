"""``--model transformers:PATH``: with a tiny randomly initialised model that the test saves."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments import run
from pddl2nl.llm import (
    Completion,
    ContextWindowError,
    Message,
    ModelConfigurationError,
    Request,
    Tool,
    ToolCall,
)
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.providers.huggingface import TransformersModel
from pddl2nl.policies.events import Acted, Replied
from pddl2nl.tasks import shipped_task

TEMPLATE = "{% for m in messages %}<{{ m['role'] }}> {{ m['content'] }}\n{% endfor %}<assistant> "


def test_the_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.llm.providers.huggingface.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"transformers:PATH needs .* pip install 'pddl2nl\[transformers\]'"):
        TransformersModel("any")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with bytes as tokens, and random weights."""
    pytest.importorskip("torch", reason="needs the extra transformers")
    transformers = pytest.importorskip("transformers", reason="needs the extra transformers")
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("tiny")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = Tokenizer(models.BPE({letter: place for place, letter in enumerate(["<end>", *alphabet])}, []))
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(alphabet) + 1,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=4096,
        eos_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def asked(text: str = "Go on.", **more: Any) -> Request:
    return Request((Message("user", text),), **{"max_tokens": 12, **more})


@pytest.mark.heavy
def test_a_reply_is_counted_cut_off_and_repeatable(tiny: Path) -> None:
    model = TransformersModel(str(tiny))
    reply = model.complete(asked())
    # A token is a byte.
    prompt = len("<user> Go on.\n<assistant> ")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.finish) == (prompt, 12, "length")
    assert model.complete(asked()).text == reply.text
    warm = [model.complete(asked(temperature=1.0, seed=seed)).text for seed in (1, 1, 2)]
    assert warm[0] == warm[1] != warm[2]
    with pytest.raises(ContextWindowError, match="a prompt of 5020 tokens, and 4096 fit"):
        model.complete(asked("x" * 5000))
    with pytest.raises(ModelConfigurationError, match="under no constraint"):
        model.complete(asked(constraint=Constraint((("go",),))))


@pytest.mark.heavy
def test_the_reply_ends_where_it_was_asked_to(tiny: Path) -> None:
    model = TransformersModel(str(tiny))
    whole = model.complete(asked(max_tokens=40))
    # After any character that is no blank, as it is not known what it says.
    ended = model.complete(asked(max_tokens=40, until=r"\S"))
    assert whole.text.startswith(ended.text)
    assert ended.usage.completion_tokens < 40
    assert ended.finish == "text"


@pytest.mark.heavy
def test_likelihoods_are_those_of_the_models_own_loss(tiny: Path) -> None:
    import torch

    model = TransformersModel(str(tiny))
    rated = model.complete(asked(likelihood=True, constraint=Constraint((("go left",),), action="Action: ")))
    tokenizer, network = model.load()
    prompt = "<user> Go on.\n<assistant> "
    tokens = tokenizer(f"{prompt}Action: go left", return_tensors="pt").input_ids
    before = len(tokenizer(f"{prompt}Action:").input_ids)
    labels = tokens.clone()
    labels[:, :before] = -100
    with torch.no_grad():
        loss = network(tokens, labels=labels).loss
    assert rated.text == "Action: go left"
    # The loss is the mean over the 8 bytes of " go left".
    assert rated.logprob == pytest.approx(-8 * float(loss), rel=1e-4)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("policy", ["act", "score"])
def test_a_run_is_recorded_with_file_and_versions(policy: str, tiny: Path) -> None:
    options: dict[str, Any] = {"steps": 1, "example": "none"} | ({"max_tokens": 20} if policy == "act" else {})
    result = run(shipped_task("ferry", "p01"), policy, f"transformers:{tiny}", **options)
    started, finished = result.events[0], result.events[-1]
    assert finished.outcome == "budget"
    assert started.model == f"transformers:{tiny.name}"
    assert {"torch", "transformers"} <= started.versions.keys()
    assert finished.prompt_tokens == sum(event.prompt_tokens for event in result.events if isinstance(event, Replied))
    assert any(isinstance(event, Acted) for event in result.events) == (policy == "score")


def test_tools_are_told_in_words_and_a_reply_in_json_is_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "pddl2nl.llm.providers.huggingface."
    monkeypatch.setattr(f"{place}find_spec", lambda name: name)
    told: list[tuple[Message, ...]] = []
    monkeypatch.setattr(f"{place}_prompt", lambda tokenizer, messages: told.append(messages) or [1])
    monkeypatch.setattr(f"{place}_written", lambda *_: Completion('{"name": "go", "arguments": {"to": "left"}}'))
    model = TransformersModel("any")
    monkeypatch.setattr(model, "load", lambda: (None, SimpleNamespace(config=None)))
    reply = model.complete(asked(tools=(Tool("go", "go somewhere", {"type": "object"}),)))
    assert (reply.text, reply.tool_calls) == ("", (ToolCall("", "go", '{"to": "left"}'),))
    assert '"go somewhere"' in told[0][0].content
    assert "read from the text" in reply.remark


@pytest.mark.heavy
def test_a_folder_without_a_model_is_refused_in_words(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the extra transformers")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such"}), encoding="utf-8")
    with pytest.raises(ModelConfigurationError, match="transformers:"):
        TransformersModel(str(tmp_path)).load()
