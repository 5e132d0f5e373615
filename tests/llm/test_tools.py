"""Tools on the wire: what is sent, what is read of a reply, whole or streamed, and what a key covers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Message, OpenAIModel, Request, ScriptedModel, Tool, ToolCall, request_key
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.endpoint.streaming import ReplyStream
from pddl2nl.llm.replies import read_completion
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.llm.types import Completion
from tests.llm.chat_server import ChatServer

STACK = Tool("stack", "stack X on Y", {"type": "object", "properties": {"x": {"type": "string"}}}, strict=True)
ASKED = Request((Message("user", "Go on."),), tools=(STACK,), tool_choice="required")
CALL = ToolCall("call_0", "stack", '{"x": "a"}')
LATER = replace(
    ASKED,
    messages=(
        *ASKED.messages,
        Message("assistant", "", (CALL,), returned='{"reasoning_content": "hm"}'),
        Message("tool", "You stacked a on b.", answers="call_0"),
    ),
)


def read(message: dict[str, Any], reason: str = "tool_calls") -> Completion:
    data = {"choices": [{"message": message, "finish_reason": reason}]}
    completion = read_completion(data, "m", lambda text: text.replace("sk-secret", "***"), 0.0, "standard")
    assert completion is not None
    return completion


def test_tools_calls_and_their_answers_are_sent_as_the_protocol_has_them() -> None:
    body = ModelSettings().body("m", LATER)
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "stack",
                "description": "stack X on Y",
                "parameters": STACK.parameters,
                "strict": True,
            },
        }
    ]
    assert body["tool_choice"] == "required"
    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "call_0", "type": "function", "function": {"name": "stack", "arguments": '{"x": "a"}'}}
            ],
        },
        {"role": "tool", "content": "You stacked a on b.", "tool_call_id": "call_0"},
    ]
    assert "reasoning_content" not in ModelSettings(takes_reasoning=False).body("m", LATER)["messages"][1]


def test_tools_are_told_in_the_prompt_of_a_model_that_knows_none_and_called_under_a_schema() -> None:
    body = ModelSettings(tools="written").body("m", LATER)
    assert "tools" not in body
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert '"name": "stack"' in body["messages"][0]["content"]
    assert body["messages"][2]["content"] == '{"name": "stack", "arguments": {"x": "a"}}'
    assert "Call one in each reply" in body["messages"][0]["content"]
    other = ModelSettings(tools="written", tools_prompt="Tools:")
    assert other.body("m", LATER)["messages"][0]["content"].startswith("Tools:\n")
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"name": {"const": "stack"}, "arguments": STACK.parameters}


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ('{"name": "stack", "arguments": {"x": "a"}}', (ToolCall("", "stack", '{"x": "a"}'),)),
        ('{"name": "stack", "arguments": {"x"', ()),
        ("[1, 2]", ()),
        ("I stack a.", ()),
    ],
)
def test_a_written_call_is_a_call_and_other_words_are_none(said: str, calls: tuple[ToolCall, ...]) -> None:
    with ChatServer(ScriptedModel([said])) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(tools="written"))
        reply = model.complete(ASKED)
    assert reply.tool_calls == calls
    assert (reply.text == "") is bool(calls)
    assert ("were told in the prompt" in reply.remark) is bool(calls)


def test_a_request_without_tools_keeps_its_key() -> None:
    plain = Request((Message("user", "hello"),))
    assert request_key(plain) == "2310801cd8833a97ef0038ac640babb88b0361dd36674495f3bc46e3f144cad2"


def test_everything_about_tools_is_part_of_the_key() -> None:
    others = [
        replace(ASKED, tool_choice="auto"),
        replace(ASKED, tools=()),
        replace(ASKED, tools=(Tool("stack", "stack X on Y", STACK.parameters),)),
        LATER,
        replace(LATER, messages=(*LATER.messages[:2], Message("tool", "You stacked a on b.", answers="call_1"))),
    ]
    assert len({request_key(each) for each in (ASKED, *others)}) == len(others) + 1


def test_a_call_comes_back_from_server_cache_and_script(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(
        json.dumps(
            [
                {"reply": "First this.", "calls": [{"name": "stack", "arguments": {"x": "a"}}]},
                {"calls": [{"name": "stack", "arguments": "{broken", "id": "x"}], "when": "You stacked"},
            ]
        )
    )
    with ChatServer(ScriptedModel.from_file(script)) as server, Cache(tmp_path / "cache.sqlite") as cache:
        model = CachedModel(OpenAIModel("m", server.base_url), cache)
        first, second = model.complete(ASKED), model.complete(LATER)
        again = model.complete(ASKED)
    assert (first.text, first.tool_calls, first.finish) == ("First this.", (CALL,), "text")
    assert (second.text, second.tool_calls, second.finish) == ("", (ToolCall("x", "stack", "{broken"),), "text")
    assert (again.from_cache, again.tool_calls, again.text) == (True, first.tool_calls, first.text)


@pytest.mark.parametrize(
    ("sent", "calls"),
    [
        ([{"id": "1"}], (ToolCall("", "", '{"id": "1"}'),)),
        ("stack", (ToolCall("", "", '"stack"'),)),
        ([None, 7], (ToolCall("", "", "null"), ToolCall("", "", "7"))),
        ([{"id": None, "function": {"name": "stack"}}], (ToolCall("", "stack"),)),
        ([{"id": 5, "function": {"name": "stack", "arguments": {"x": "a"}}}], (ToolCall("5", "stack", '{"x": "a"}'),)),
        ([{"function": {"name": ["x"]}}], (ToolCall("", "", '{"function": {"name": ["x"]}}'),)),
        (
            [{"id": "1", "function": {"name": "a\ud800", "arguments": "sk-secret"}, "extra_content": {"google": 1}}],
            (ToolCall("1", "a\ufffd\ufffd\ufffd", "***", '{"extra_content": {"google": 1}}'),),
        ),
        ([], ()),
    ],
)  # fmt: skip
def test_calls_are_read_whatever_their_form(sent: Any, calls: tuple[ToolCall, ...]) -> None:
    reply = read({"content": None, "tool_calls": sent})
    assert reply.tool_calls == calls
    assert reply.finish == ("text" if calls else "empty")


def test_the_older_form_of_a_call_is_read_as_well() -> None:
    reply = read({"content": None, "function_call": {"name": "stack", "arguments": "{}"}}, "function_call")
    assert reply.tool_calls == (ToolCall("", "stack", "{}"),)


def test_thoughts_go_back_with_the_calls_that_followed_them_and_only_then() -> None:
    thought = {"reasoning_content": "hm", "thinking_blocks": [{"signature": "xyz"}], "other": 1}
    called = {"tool_calls": [{"id": "1", "function": {"name": "stack", "arguments": "{}"}}]}
    assert read({"content": "Action: go", **thought}).returned == ""
    assert json.loads(read({"content": "", **thought, **called}).returned) == {
        "reasoning_content": "hm",
        "thinking_blocks": [{"signature": "xyz"}],
    }


def test_a_streamed_call_is_put_together_from_its_pieces() -> None:
    pieces = [
        {"tool_calls": [{"index": 0, "id": "call_0", "function": {"name": "stack", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"x"'}}]},
        {"tool_calls": [{"index": 1, "id": "call_1", "function": {"name": "stack"}}, None]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ': "a"}'}}]},
        {"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]},
        {"tool_calls": "nonsense"},
    ]  # fmt: skip
    stream = ReplyStream("")
    for piece in pieces:
        stream.feed(f"data: {json.dumps({'choices': [{'delta': piece}]})}\n".encode())
    stream.feed(b'data: {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}\n')
    reply = read(stream.completion()["choices"][0]["message"])
    assert reply.tool_calls == (CALL, ToolCall("call_1", "stack", "{}"), ToolCall("", "", "null"))
