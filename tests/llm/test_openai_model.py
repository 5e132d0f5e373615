"""The openai client itself against a real HTTP server on loopback, faults included."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pddl2nl.llm import (
    EndpointError,
    Message,
    ModelConfigurationError,
    OpenAIModel,
    Request,
    ScriptedModel,
    ScriptedReply,
    Usage,
)
from pddl2nl.llm.types import Completion
from tests.llm.chat_server import ChatServer, Trouble

KEY = "sk-known-key-1234567890"
REQUEST = Request((Message("system", "You plan."), Message("user", "Go — ü.")), seed=3)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Counting:
    """Answers with given usage."""

    name = "counting"

    def complete(self, request: Request) -> Completion:
        return Completion("done", usage=Usage(100, 20, 60, 5), fingerprint="fp")


def test_a_reply_and_its_accounts_arrive() -> None:
    with ChatServer(Counting()) as server:
        completion = OpenAIModel("m", server.base_url).complete(REQUEST)
    assert completion.text == "done"
    assert completion.finish == "text"
    assert completion.usage == Usage(100, 20, 60, 5)
    assert completion.fingerprint == "fp"
    assert completion.model == "m"
    assert completion.seconds > 0


def test_the_request_is_sent_as_it_is_and_nothing_else() -> None:
    with ChatServer(ScriptedModel(["a"])) as server:
        OpenAIModel("m", server.base_url).complete(REQUEST)
    call = server.calls[0]
    assert call.path == "/v1/chat/completions"
    assert call.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "You plan."}, {"role": "user", "content": "Go — ü."}],
        "temperature": 0.0,
        "seed": 3,
    }
    assert {name.lower(): value for name, value in call.headers.items()}["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("finish", ["length", "refused", "filtered", "text"])
def test_how_a_reply_fell_short_is_named(finish: str) -> None:
    with ChatServer(ScriptedModel([ScriptedReply("some words", finish=finish)])) as server:  # type: ignore[arg-type]
        completion = OpenAIModel("m", server.base_url).complete(REQUEST)
    assert completion.finish == finish
    assert completion.text == "some words"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_reply_is_named(text: str) -> None:
    with ChatServer(ScriptedModel([text])) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).finish == "empty"


def test_a_time_out_and_a_closed_port_are_endpoint_errors() -> None:
    with ChatServer(ScriptedModel(["late"]), [Trouble(delay=0.5)]) as server:
        with pytest.raises(EndpointError, match=r"no answer within 0\.1 s"):
            OpenAIModel("m", server.base_url, max_retries=0, timeout=0.1).complete(REQUEST)
        url = server.base_url
    with pytest.raises(EndpointError, match="no connection"):
        OpenAIModel("m", url, max_retries=0).complete(REQUEST)


@pytest.mark.parametrize(
    "body",
    [
        *("", "<html>hello</html>", "{", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', '{"choices": [null]}'),
        *('"x"', '{"choices": "x"}', '{"choices": [{"message": "x"}]}', '{"choices": [{"message": {"content": 1}}]}'),
        '{"choices": [{"message": {"content": {"type": "text", "text": "x"}}}]}',
    ],
)
def test_nonsense_is_an_endpoint_error_and_never_a_reply(body: str) -> None:
    with (
        ChatServer(ScriptedModel([]), lambda number: Trouble(200, body)) as server,
        pytest.raises(EndpointError),
    ):
        OpenAIModel("m", server.base_url, max_retries=0).complete(REQUEST)


def test_no_key_is_needed_nearby_and_one_is_needed_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer(ScriptedModel(["a"])) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).text == "a"
    OpenAIModel("m", "http://node17:8000/v1")
    OpenAIModel("m", "http://192.168.0.7:8000/v1")
    for url in (None, "https://api.example.com/v1"):
        with pytest.raises(ModelConfigurationError, match="OPENAI_API_KEY"):
            OpenAIModel("m", url)


@pytest.mark.parametrize("url", ["nonsense", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1"])
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelConfigurationError, match="not a base URL"):
        OpenAIModel("m", url)


def test_embeddings_come_in_the_order_of_the_texts() -> None:
    items = [
        {"object": "embedding", "index": 1, "embedding": [0.0, 1.0]},
        {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]},
    ]
    body = json.dumps({"object": "list", "model": "e", "data": items, "usage": {"prompt_tokens": 2}})
    with ChatServer(ScriptedModel([]), [Trouble(200, body), Trouble(200, "{}")]) as server:
        model = OpenAIModel("e", server.base_url, max_retries=0)
        assert model.embed(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]
        assert server.calls[0].path == "/v1/embeddings"
        with pytest.raises(EndpointError):
            model.embed(["a"])


def test_importing_the_room_imports_no_openai() -> None:
    code = "import sys, pddl2nl.llm; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
