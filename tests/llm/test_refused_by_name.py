"""What an endpoint does not take: named with the remedy, and sent in another form where that says the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.runs import run
from pddl2nl.llm import EndpointRefusedError, Message, OpenAIModel, Request
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.llm.types import NO_SYSTEM_ROLE
from pddl2nl.tasks import shipped_task
from tests.answering import Answering
from tests.llm.chat_server import Call, ChatServer, Trouble

REQUEST = Request((Message("system", "Be brief."), Message("user", "Go.")), max_tokens=9)


LOOKING = Answering("Action: look around")


def refusing(status: int, error: object, when: Callable[[Any], object]) -> Callable[[Call], Trouble | None]:
    """A fault for calls whose body the endpoint does not take."""
    trouble = Trouble(status, json.dumps(error))
    return lambda call: trouble if when(call.body) else None


def has_system(body: Any) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


NO_SYSTEM = {
    "gemma by vllm": (400, {"object": "error", "message": "System role not supported", "code": 400}),
    "gemma by llama.cpp": (
        500,
        {"error": {"code": 500, "message": "Value is not callable: System role not supported", "type": "server_error"}},
    ),
    "mistral": (400, {"message": "Conversation roles must alternate user/assistant/user/assistant/...", "code": 400}),
    "mistral, newer": (400, {"error": {"message": "Only user and assistant roles are supported!"}}),
    "o1-mini": (
        400,
        {
            "error": {
                "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                "param": "messages[0].role",
                "code": "unsupported_value",
            }
        },
    ),
    "google": (400, {"error": {"message": "Developer instruction is not enabled for models/gemma-3-1b-it"}}),
}


@pytest.mark.parametrize("said", NO_SYSTEM.values(), ids=[*NO_SYSTEM])
def test_a_system_prompt_that_is_refused_begins_the_first_user_message(said: tuple[int, Any]) -> None:
    with ChatServer(LOOKING, fault=refusing(*said, has_system)) as server:
        model = OpenAIModel("m", server.base_url)
        first, second = model.complete(REQUEST), model.complete(REQUEST)
        sent = [call.body["messages"] for call in server.calls]
    folded = [{"role": "user", "content": "Be brief.\n\nGo."}]
    assert sent[1:] == [folded, folded], "it is refused once"
    assert first.remark == second.remark == NO_SYSTEM_ROLE
    assert model.identity(REQUEST)["body"]["messages"][0]["role"] == "system", "what the cache finds replies by"


def test_the_record_says_once_that_there_is_no_system_role(tmp_path: Path) -> None:
    task = shipped_task("blocksworld", "p01")
    options: dict[str, Any] = {"example": "none", "steps": 3, "cache": tmp_path / "cache.sqlite"}
    with ChatServer(LOOKING, fault=refusing(*NO_SYSTEM["gemma by vllm"], has_system)) as server:
        for number in range(2):
            run(task, "act", "m", base_url=server.base_url, record=tmp_path / f"{number}.jsonl", **options)
        assert len(server.calls) == 4, "one is refused, and the second run has all replies from the cache"
    for number in range(2):
        replies = [event for event in read_record(tmp_path / f"{number}.jsonl").events if event.event == "replied"]
        assert [event.remark for event in replies] == [NO_SYSTEM_ROLE, "", ""]


def test_no_system_is_forced_before_it_is_refused(tmp_path: Path) -> None:
    task = shipped_task("blocksworld", "p01")
    with ChatServer(LOOKING) as server:
        options: dict[str, Any] = {"base_url": server.base_url, "example": "none", "steps": 2, "cache": "none"}
        played = run(task, "act", "m", no_system=True, **options)
        assert not any(has_system(call.body) for call in server.calls)
        assert server.calls[0].body["messages"][0]["content"].count("My goal is") == 1
    assert played.started.spec["no_system"] is True
    assert played.started.model_settings["takes_system"] is False
    with pytest.raises(InputError, match="--no-system is for models behind an endpoint"):
        run(task, "act", "oracle", no_system=True)


def test_folding_that_does_not_help_is_given_up() -> None:
    said = NO_SYSTEM["mistral"]
    with ChatServer(LOOKING, fault=refusing(*said, lambda body: True)) as server:
        model = OpenAIModel("m", server.base_url)
        for _ in range(2):
            with pytest.raises(EndpointRefusedError, match="roles must alternate"):
                model.complete(REQUEST)
        assert [has_system(call.body) for call in server.calls] == [True, False, True, False]


@pytest.mark.parametrize(
    ("name", "other"), [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")]
)
def test_the_limit_on_replies_goes_under_its_other_name(name: Any, other: str) -> None:
    message = f"Unsupported parameter: '{name}' is not supported with this model. Use '{other}' instead."
    error = {"error": {"message": message, "param": name, "code": "unsupported_parameter"}}
    with ChatServer(LOOKING, fault=refusing(400, error, lambda body: name in body)) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(max_tokens_name=name))
        assert [model.complete(REQUEST).remark for _ in range(2)] == ["", ""]
        assert [other in call.body for call in server.calls] == [False, True, True]
        assert server.calls[1].body[other] == 9


REFUSED = {
    "tools, ollama": ("tools", "registry.ollama.ai/library/gemma:2b does not support tools"),
    "tools, vllm": ("tools", '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    "tools, llama.cpp": ("tools", "tools param requires --jinja flag"),
    "response_format": ("response_format", "'response_format' of type 'json_schema' is not supported with this model."),
    "temperature": ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model."),
    "seed": ("seed", '[{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]'),
    "stream_options": ("stream_options", "Unknown parameter: 'stream_options'."),
}
REMEDIES = {
    "tools": "react",
    "response_format": "--constrain off",
    "temperature": "takes_temperature = false",
    "seed": "takes_seed = false",
    "stream_options": "--stream",
}


@pytest.mark.parametrize(("field", "message"), REFUSED.values(), ids=[*REFUSED])
@pytest.mark.parametrize("status", [400, 422])
def test_what_changes_what_is_measured_ends_in_a_sentence_with_the_remedy(
    field: str, message: str, status: int
) -> None:
    with ChatServer(LOOKING, lambda number: Trouble(status, json.dumps({"error": {"message": message}}))) as server:
        with pytest.raises(EndpointRefusedError) as raised:
            OpenAIModel("m", server.base_url).complete(REQUEST)
        assert len(server.calls) == 1
    assert raised.value.refused == field
    said = str(raised.value)
    assert f"the endpoint does not take '{field}'; " in said
    assert REMEDIES[field] in said
    assert said.endswith(message), "the endpoint's own words come last"


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        "temperature must be between 0 and 2",
        "Invalid value for 'tools': an array was expected",
        "Invalid 'messages[0].name': string too long.",
        "unknown",
    ],
)
def test_a_value_that_is_wrong_is_no_field_that_is_refused(message: str) -> None:
    with ChatServer(LOOKING, lambda number: Trouble(400, json.dumps({"error": {"message": message}}))) as server:
        with pytest.raises(EndpointRefusedError, match="refused the request as malformed") as raised:
            OpenAIModel("m", server.base_url).complete(REQUEST)
        assert len(server.calls) == 1
    assert raised.value.refused == ""
