"""``--model litellm:NAME``: a stand-in for the package shows what it is asked; the heavy tests ask litellm itself."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import openai
import pytest

from pddl2nl.errors import MissingExtraError
from pddl2nl.experiments import run
from pddl2nl.llm import EndpointError, Message, Request, ScriptedModel, Usage
from pddl2nl.llm.providers.litellm import LiteLLMModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import ChatServer, Trouble

ASKED = Request(
    (
        Message("system", "Be short."),
        Message("user", "Go."),
    ),
    max_tokens=9,
    seed=3,
)
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

    package.completion = completion  # type: ignore[attr-defined]
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
        raise openai.APITimeoutError(request=None)  # type: ignore[arg-type]

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
    assert (result.steps, result.calls, len(result.plan)) == (1, 1, 1)
    assert result.prompt_tokens > 0


@pytest.mark.heavy
def test_a_key_that_is_missing_is_an_error_of_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm", reason="needs the extra litellm")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(EndpointError, match="ANTHROPIC_API_KEY"):
        LiteLLMModel("anthropic/claude-3-haiku-20240307", max_retries=0).complete(ASKED)
