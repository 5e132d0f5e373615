"""``--model litellm:NAME``: a stand-in for the package shows what it is asked; the heavy tests ask litellm itself."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import openai
import pytest
from pytest_httpserver import HTTPServer

from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments import run
from pddl2nl.llm import EndpointError, EndpointRefusedError, Message, Request, ScriptedModel, Usage
from pddl2nl.llm.providers.litellm import LiteLLMModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import ChatServer, Trouble

ASKED = Request((Message("system", "Be short."), Message("user", "Go.")), max_tokens=9, seed=3)
ANSWER = {
    "model": "claude-x",
    "choices": [{"finish_reason": "stop", "message": {"content": "key-1234567890 gone"}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": None},
}


class Answer(dict[str, Any]):
    def model_dump(self) -> dict[str, Any]:
        return dict(self)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Puts a stand-in in place of litellm; the arguments of its calls."""
    calls: list[dict[str, Any]] = []
    package = ModuleType("litellm")

    def completion(**arguments: Any) -> Answer:
        calls.append(arguments)
        return Answer(ANSWER)

    package.completion = completion
    monkeypatch.setitem(sys.modules, "litellm", package)
    monkeypatch.setattr("pddl2nl.llm.providers.litellm.find_spec", lambda name: object())
    return calls


def test_the_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.llm.providers.litellm.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"litellm:NAME needs .* pip install 'pddl2nl\[litellm\]'"):
        LiteLLMModel("anthropic/x")


def test_it_is_asked_with_the_settings_and_its_keys_are_struck_out(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-1234567890")
    model = LiteLLMModel("anthropic/x", settings=ModelSettings(takes_system=False, timeout=30))
    reply = model.complete(ASKED)
    assert reply.usage == Usage(7, 2)
    assert "key-1234567890" not in reply.text
    assert "gone" in reply.text
    (sent,) = asked
    assert sent["messages"] == [{"role": "user", "content": "Be short.\n\nGo."}]
    names = ("model", "max_tokens", "seed", "timeout", "max_retries", "drop_params")
    assert [sent[name] for name in names] == ["anthropic/x", 9, 3, 30, 0, True]
    assert "api_base" not in sent
    assert model.identity(ASKED)["endpoint"] == "litellm"


def test_its_exceptions_are_those_of_the_openai_client(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(**arguments: Any) -> Answer:
        raise openai.APITimeoutError(request=None)

    monkeypatch.setattr(sys.modules["litellm"], "completion", unreachable)
    with pytest.raises(EndpointError, match="litellm, model 'litellm:x': no answer within 5 s; tried 2 times"):
        LiteLLMModel("x", timeout=5, max_retries=1).complete(ASKED)


@pytest.mark.heavy
@pytest.mark.parametrize("stream", [False, True])
def test_litellm_itself_plays_a_run_over_http_with_a_fault_on_the_way(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("litellm", reason="needs the extra litellm")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    script = ScriptedModel(["Action: unstack block_2 from block_1"])
    # The server knows no streams: litellm must cope with a whole reply.
    with ChatServer(script, [Trouble(503)]) as server:
        options: dict[str, Any] = {"steps": 1, "example": "none", "cache": "none"}
        result = run(
            shipped_task("blocksworld", "p01"), "act", "litellm:openai/any", base_url=server.base_url, **options
        )
        assert [call.path for call in server.calls] == ["/v1/chat/completions"] * 2
    assert (result.steps, result.spent.calls, len(result.plan)) == (1, 1, 1)
    assert result.spent.prompt_tokens > 0


@pytest.mark.heavy
def test_a_key_that_is_missing_is_an_error_of_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm", reason="needs the extra litellm")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(EndpointError, match="ANTHROPIC_API_KEY"):
        LiteLLMModel("anthropic/claude-3-haiku-20240307", max_retries=0).complete(ASKED)


KEY = "sk-never-mind-1234567"


@dataclass(frozen=True)
class Protocol:
    """How a provider is asked and answers."""

    model: str
    variable: str
    path: str
    header: str
    answer: dict[str, Any]
    error: dict[str, Any]


ANTHROPIC = Protocol(
    "anthropic/claude-3-haiku-20240307",
    "ANTHROPIC_API_KEY",
    "/v1/messages",
    "X-Api-Key",
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": f"Action: go left {KEY}"}],
        "stop_reason": "max_tokens",
        # Anthropic counts what its cache had apart.
        "usage": {"input_tokens": 11, "output_tokens": 9, "cache_read_input_tokens": 5},
    },
    {"type": "error", "error": {"type": "invalid_request_error", "message": f"no good: {KEY}"}},
)
OPENAI = Protocol(
    "openai/gpt-x",
    "OPENAI_API_KEY",
    "/v1/chat/completions",
    "Authorization",
    {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-x",
        "choices": [
            {
                "index": 0,
                "finish_reason": "length",
                "message": {"role": "assistant", "content": f"Action: go left {KEY}"},
            }
        ],
        "usage": {
            "prompt_tokens": 16,
            "completion_tokens": 9,
            "total_tokens": 25,
            "prompt_tokens_details": {"cached_tokens": 5},
        },
    },
    {"error": {"type": "invalid_request_error", "message": f"no good: {KEY}"}},
)


@pytest.fixture(params=[ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
def protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Protocol:
    pytest.importorskip("litellm", reason="needs the extra litellm")
    chosen: Protocol = request.param
    monkeypatch.setenv(chosen.variable, KEY)
    return chosen


def model_at(server: HTTPServer, protocol: Protocol, retries: int = 0) -> LiteLLMModel:
    # As a models file gives it; OpenAI's address ends with /v1, Anthropic's does not.
    base_url = server.url_for("/v1" if protocol is OPENAI else "").rstrip("/")
    return LiteLLMModel(protocol.model, settings=ModelSettings(base_url=base_url), max_retries=retries)


@pytest.mark.heavy
def test_a_providers_own_protocol_is_spoken_and_counted(
    protocol: Protocol, httpserver: HTTPServer, capsys: pytest.CaptureFixture[str]
) -> None:
    httpserver.expect_request(protocol.path, method="POST").respond_with_json(protocol.answer)
    reply = model_at(httpserver, protocol).complete(ASKED)
    assert reply.text.startswith("Action: go left")
    assert (reply.finish, reply.usage) == ("length", Usage(16, 9, 5))
    ((sent, _),) = httpserver.log
    body = sent.get_json()
    assert body["max_tokens"] == 9
    assert body["model"] == protocol.model.partition("/")[2]
    assert "Be short." in str(body.get("system", body["messages"]))
    # The key is in its header, and nowhere else; not in a reply that repeats it either.
    assert [name for name, value in sent.headers if KEY in value] == [protocol.header]
    assert KEY not in sent.get_data(as_text=True) + sent.url + repr(reply)
    assert capsys.readouterr().out == ""


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("status", "error"), [(401, EndpointRefusedError), (400, EndpointRefusedError), (500, EndpointError)]
)
def test_a_providers_error_is_one_of_the_endpoint_without_the_key(
    protocol: Protocol, httpserver: HTTPServer, status: int, error: type[EndpointError]
) -> None:
    httpserver.expect_request(protocol.path).respond_with_json(protocol.error, status=status)
    with pytest.raises(error, match="no good") as raised:
        model_at(httpserver, protocol).complete(ASKED)
    assert str(status) in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.heavy
def test_a_provider_that_is_busy_is_asked_again(protocol: Protocol, httpserver: HTTPServer) -> None:
    headers = {"Retry-After": "0"}
    httpserver.expect_ordered_request(protocol.path).respond_with_json(protocol.error, status=429, headers=headers)
    httpserver.expect_ordered_request(protocol.path).respond_with_json(protocol.answer)
    assert model_at(httpserver, protocol, retries=1).complete(ASKED).usage.prompt_tokens == 16
    assert len(httpserver.log) == 2
