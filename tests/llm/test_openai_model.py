"""The openai client itself against a real HTTP server on loopback, faults included."""

from __future__ import annotations

import json
import logging
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
    public_url,
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


def test_limits_and_stops_are_sent_under_the_name_that_the_model_knows() -> None:
    request = Request(REQUEST.messages, max_tokens=7, stop=("X",))
    with ChatServer(ScriptedModel(["a", "b"])) as server:
        OpenAIModel("gpt-4o", server.base_url).complete(request)
        OpenAIModel("o3-mini", server.base_url).complete(request)
    plain, reasoning = (call.body for call in server.calls)
    assert plain["max_tokens"] == 7
    assert plain["stop"] == ["X"]
    assert "max_tokens" not in reasoning
    assert reasoning["max_completion_tokens"] == 7
    assert "temperature" not in reasoning


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


def test_a_prompt_that_azure_filters_counts_as_filtered() -> None:
    body = json.dumps({"error": {"message": "filtered", "code": "content_filter"}})
    with ChatServer(ScriptedModel([]), [Trouble(400, body)]) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).finish == "filtered"


@pytest.mark.parametrize(
    "troubles",
    [
        [Trouble(429)],
        [Trouble(500), Trouble(502), Trouble(503), Trouble(529)],
        [Trouble(408), Trouble(409)],
        [Trouble(drop=True)],
        [Trouble(200, '{"choices": [{"message": {"content": "at la', cut=True)],
    ],
    ids=["429", "5xx", "408-409", "dropped", "cut"],
)
def test_faults_that_pass_are_outlived(troubles: list[Trouble]) -> None:
    with ChatServer(ScriptedModel(["at last"]), troubles) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).text == "at last"
    assert len(server.calls) == len(troubles) + 1


@pytest.mark.parametrize(
    ("status", "words"),
    [(400, "malformed"), (401, "OPENAI_API_KEY"), (403, "may not use"), (404, "--model")],
)
def test_faults_for_good_fail_at_once_and_are_named(status: int, words: str) -> None:
    body = json.dumps({"error": {"message": f"what the server says about {KEY}", "code": None}})
    with ChatServer(ScriptedModel([]), lambda number: Trouble(status, body)) as server:
        with pytest.raises(EndpointError) as caught:
            OpenAIModel("m", server.base_url).complete(REQUEST)
        assert len(server.calls) == 1
    message = str(caught.value)
    assert f"HTTP {status}" in message
    assert words in message
    assert "what the server says about [key]" in message
    assert KEY not in message


def test_faults_that_do_not_pass_are_an_endpoint_error_after_all_retries() -> None:
    with ChatServer(ScriptedModel([]), lambda number: Trouble(503)) as server:
        with pytest.raises(EndpointError, match="HTTP 503"):
            OpenAIModel("m", server.base_url, max_retries=2).complete(REQUEST)
        assert len(server.calls) == 3


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


@pytest.mark.parametrize("usage", ["null", '"none"', '{"prompt_tokens": "many"}', '{"prompt_tokens_details": []}'])
def test_odd_accounts_do_not_spoil_a_reply(usage: str) -> None:
    body = f'{{"model": 7, "choices": [{{"message": {{"content": "done"}}}}], "usage": {usage}}}'
    with ChatServer(ScriptedModel([]), [Trouble(200, body)]) as server:
        completion = OpenAIModel("m", server.base_url, max_retries=0).complete(REQUEST)
    assert (completion.text, completion.finish, completion.usage, completion.model) == ("done", "text", Usage(), "7")


def test_the_key_is_in_no_error_log_repr_or_attribute(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    body = json.dumps({"error": {"message": f"bad key {KEY}", "code": None}})
    troubles = [Trouble(401, body), Trouble(200, f"<p>{KEY}</p>"), Trouble(500, KEY, headers=())]
    with ChatServer(ScriptedModel([]), troubles) as server:
        model = OpenAIModel("m", server.base_url, max_retries=0)
        for _ in troubles:
            with pytest.raises(EndpointError) as caught:
                model.complete(REQUEST)
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None
            assert KEY not in repr(caught.value) + str(caught.value)
        assert KEY not in repr(model)
        assert not any(value == KEY for value in vars(model).values())
    assert KEY not in caplog.text


def test_no_key_is_needed_nearby_and_one_is_needed_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer(ScriptedModel(["a"])) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).text == "a"
    OpenAIModel("m", "http://node17:8000/v1")
    OpenAIModel("m", "http://192.168.0.7:8000/v1")
    for url in (None, "https://api.example.com/v1"):
        with pytest.raises(ModelConfigurationError, match="OPENAI_API_KEY"):
            OpenAIModel("m", url)


def test_the_base_url_comes_from_the_environment_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(ScriptedModel(["a"])) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert OpenAIModel("m").complete(REQUEST).text == "a"
        assert OpenAIModel("m").base_url == server.base_url


@pytest.mark.parametrize("url", ["nonsense", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1"])
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelConfigurationError, match="not a base URL"):
        OpenAIModel("m", url)


def test_credentials_in_a_base_url_are_never_shown() -> None:
    assert public_url("https://me:secret@host.example:8443/v1?key=k#f") == "https://host.example:8443/v1"
    assert public_url("http://[::1]:80/v1") == "http://[::1]:80/v1"
    assert "secret" not in repr(OpenAIModel("m", "https://me:secret@host.example/v1"))


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
