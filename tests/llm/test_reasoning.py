"""Reasoning models, models without a system role, and replies whose cause of failure is named."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import run
from pddl2nl.llm import Completion, EndpointRefusedError, Message, OpenAIModel, Request, tokens
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.replies import split_reasoning
from pddl2nl.llm.scripted import ScriptedModel, ScriptedReply
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.policies.events import Replied
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import ChatServer, Trouble

REQUEST = Request((Message("system", "Be brief."), Message("user", "Go."), Message("assistant", "Where?")))


def answering(message: dict[str, Any], reason: str = "stop", prompt: int = 9, reply: int = 5) -> Trouble:
    choices = [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}]
    return Trouble(
        200, json.dumps({"choices": choices, "usage": {"prompt_tokens": prompt, "completion_tokens": reply}})
    )


@pytest.fixture(autouse=True)
def _nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates of tokens as at the start of a process, whatever other tests let an endpoint count."""
    monkeypatch.setattr("pddl2nl.llm.tokens._RATIOS", tokens._RATIOS.__class__(tokens._RATIOS.default_factory))


def asked(trouble: Trouble, request: Request = REQUEST, settings: ModelSettings | None = None) -> Completion:
    with ChatServer(ScriptedModel([]), [trouble]) as server:
        return OpenAIModel("m", server.base_url, settings=settings or ModelSettings()).complete(request)


@pytest.mark.parametrize(
    ("said", "thought", "answer"),
    [
        ("Action: go", "", "Action: go"),
        ("<think>left or right?</think>\n\nAction: go", "left or right?", "Action: go"),
        # Some chat templates write the opening tag into the prompt.
        ("left or right?\n</think>\nAction: go", "left or right?", "Action: go"),
        ("<think>left or", "left or", ""),
        (
            "<|channel|>analysis<|message|>left?<|end|><|start|>assistant"
            "<|channel|>final<|message|>Action: go<|return|>",
            "left?",
            "Action: go",
        ),
        # A tag in the middle is the reader's business.
        ("Action: go <think>or not</think>", "", "Action: go <think>or not</think>"),
    ],
)
def test_thoughts_are_split_from_the_answer(said: str, thought: str, answer: str) -> None:
    assert split_reasoning(said) == (thought, answer)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_sent_apart_is_kept_apart(field: str) -> None:
    reply = asked(answering({"content": "Action: go", field: "left or right?"}))
    assert (reply.text, reply.reasoning, reply.finish, reply.remark) == ("Action: go", "left or right?", "text", "")


@pytest.mark.parametrize(
    ("message", "remark"),
    [
        ({"content": "", "reasoning_content": "hm"}, "the reply holds only reasoning"),
        ({"content": "<think>hm</think>"}, "the reply holds only reasoning"),
    ],
)
def test_a_reply_without_an_answer_says_what_it_holds(message: dict[str, Any], remark: str) -> None:
    reply = asked(answering(message))
    assert (reply.finish, reply.remark) == ("empty", remark)


@pytest.mark.parametrize(
    ("limit", "cause"), [(5, "the limit on replies"), (80, "the context is full, with 9 tokens of the prompt")]
)
def test_a_reply_that_was_cut_off_says_after_how_many_tokens_and_why(limit: int, cause: str) -> None:
    reply = asked(answering({"content": "Action: g"}, "length"), settings=ModelSettings(max_tokens=limit))
    assert reply.remark == f"the reply was cut off after 5 tokens: {cause}"


def test_a_run_whose_replies_were_cut_off_says_so() -> None:
    script = ScriptedModel([ScriptedReply("1. Put the", finish="length")] * 60)
    result = run(shipped_task("blocksworld", "p01"), "act", script, cache="none", steps=2)
    assert not result.solved
    assert re.search(r"; (a reply was|\d+ replies were) cut off: the reply was cut off by length$", result.message)


def test_a_cut_reply_is_cached_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    cut = answering({"content": "Action: g", "reasoning_content": "hm"}, "length")
    with ChatServer(ScriptedModel([]), [cut]) as server:
        model = CachedModel(OpenAIModel("m", server.base_url), Cache(tmp_path / "cache.sqlite"))
        paid, cached = model.complete(REQUEST), model.complete(REQUEST)
        assert len(server.calls) == 1
    assert cached.from_cache
    assert (cached.text, cached.finish, cached.reasoning) == ("Action: g", "length", "hm")
    assert cached.remark == paid.remark != ""


def test_a_prompt_that_the_endpoint_seems_to_have_shortened_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    long = Request((Message("user", "pick up the block " * 500),))  # 9,000 characters, some 2,000 tokens
    short = answering({"content": "x"}, prompt=512)
    with ChatServer(ScriptedModel([]), [short, short]) as server, caplog.at_level(logging.WARNING, "pddl2nl.llm"):
        for _ in range(2):
            remark = OpenAIModel("m", server.base_url).complete(long).remark
            assert "it may have shortened the prompt" in remark
    assert caplog.text.count("counted 512 tokens") == 1
    assert asked(answering({"content": "x"}, prompt=2000), long).remark == ""


def test_a_chat_template_that_fails_is_asked_once() -> None:
    said = json.dumps({"error": {"message": "Jinja Exception: unknown filter", "type": "server_error"}})
    with ChatServer(ScriptedModel([]), lambda number: Trouble(500, said)) as server:
        with pytest.raises(EndpointRefusedError, match="--no-system"):
            OpenAIModel("m", server.base_url).complete(REQUEST)
        assert len(server.calls) == 1


def test_reasoning_is_recorded_and_never_sent_back() -> None:
    task = shipped_task("blocksworld", "p01")
    reply = answering({"content": "Action: look around", "reasoning_content": "secret plan"})
    with ChatServer(ScriptedModel([]), lambda number: reply) as server:
        options: dict[str, Any] = {"base_url": server.base_url, "steps": 3, "example": "none", "cache": "none"}
        result = run(task, "act", "m", **options)
        prompts = [json.dumps(call.body["messages"]) for call in server.calls]
    assert len(prompts) == 3
    assert not any("secret plan" in prompt for prompt in prompts)
    assert [event.reasoning for event in result.events if isinstance(event, Replied)] == ["secret plan"] * 3


@pytest.mark.parametrize("policy", ["basic", "act"])
def test_the_first_fault_names_a_reply_that_has_only_reasoning(policy: str) -> None:
    task = shipped_task("blocksworld", "p01")
    with ChatServer(
        ScriptedModel([]), lambda number: answering({"content": "", "reasoning_content": "hm"}, prompt=900)
    ) as server:
        options: dict[str, Any] = {"base_url": server.base_url, "steps": 1, "example": "none", "cache": "none"}
        fault = run(task, policy, "m", **options).fault
    assert fault.text == "the reply holds only reasoning"
