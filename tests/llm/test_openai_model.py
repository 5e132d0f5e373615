"""The openai client itself against a real HTTP server on loopback, faults included."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from pddl2nl.llm import (
    EndpointError,
    EndpointModel,
    Message,
    ModelConfigurationError,
    OpenAIModel,
    Request,
    ScriptedModel,
    ScriptedReply,
    Usage,
)
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.llm.types import Completion
from tests.answering import Answering
from tests.llm.chat_server import ChatServer, Trouble

KEY = "sk-known-key-1234567890"
ASKED = Request((Message("user", "Go."),), seed=3, stop=("X",))
REPLY = json.dumps({"choices": [{"message": {"content": "done"}, "finish_reason": "stop"}]})
NEAR = "http://localhost:9/v1"
REQUEST = Request((Message("system", "You plan."), Message("user", "Go — ü.")), seed=3)


COUNTED = Completion("done", usage=Usage(100, 20, 60, 5), fingerprint="fp")


def test_a_reply_and_its_accounts_arrive() -> None:
    with ChatServer(Answering(COUNTED)) as server:
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


@pytest.mark.parametrize(
    ("text", "finish"),
    [*product(["some words"], ["length", "refused", "filtered", "text"]), ("", "empty"), ("  \n", "empty")],
)
def test_how_a_reply_fell_short_is_named(text: str, finish: str) -> None:
    with ChatServer(ScriptedModel([ScriptedReply(text, finish="text" if finish == "empty" else finish)])) as server:
        completion = OpenAIModel("m", server.base_url).complete(REQUEST)
    assert (completion.finish, completion.text.strip()) == (finish, text.strip())


@pytest.mark.parametrize(
    "body",
    [
        *("", "<html>hello</html>", "{", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', '{"choices": [null]}'),
        *('"x"', '{"choices": "x"}', '{"choices": [{"message": "x"}]}', '{"choices": [{"message": {"content": 1}}]}'),
        '{"choices": [{"message": {"content": {"type": "text", "text": "x"}}}]}',
    ],
)
def test_nonsense_is_an_endpoint_error_and_never_a_reply(body: str) -> None:
    with ChatServer(ScriptedModel([]), lambda number: Trouble(200, body)) as server, pytest.raises(EndpointError):
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


# ── settings ─────────────────────────────────────────────────────────────────────────────────────


def body(settings: ModelSettings, request: Request = ASKED) -> dict[str, Any]:
    sent = OpenAIModel("m", NEAR, settings=settings).body(request)
    assert sent.pop("model") == "m"
    assert sent.pop("messages") == [{"role": "user", "content": "Go."}]
    return sent


def test_settings_say_what_is_sent() -> None:
    assert body(ModelSettings()) == {"temperature": 0.0, "seed": 3, "stop": ["X"]}
    assert body(ModelSettings(takes_temperature=False, takes_seed=False, takes_stop=False)) == {}
    assert body(ModelSettings(temperature=0.7))["temperature"] == 0.7
    assert body(ModelSettings(stop=("Y", "X")))["stop"] == ["X", "Y"]
    assert body(ModelSettings(reasoning_effort="low"))["reasoning_effort"] == "low"
    assert body(ModelSettings(extra_body={"top_k": 1, "seed": 9})) == {
        "temperature": 0.0,
        "seed": 9,
        "stop": ["X"],
        "top_k": 1,
    }


def test_the_limit_of_the_settings_is_for_requests_without_one() -> None:
    settings = ModelSettings(max_tokens=4000, max_tokens_name="max_completion_tokens")
    assert body(settings)["max_completion_tokens"] == 4000
    assert body(settings, replace(ASKED, max_tokens=200))["max_completion_tokens"] == 200
    assert "max_tokens" not in body(settings)


def test_the_identity_is_the_endpoint_the_body_and_the_sample() -> None:
    model: EndpointModel = OpenAIModel("m", "http://me:secret@localhost:9/v1?x=secret", settings=ModelSettings())
    assert model.identity(replace(ASKED, sample=2, purpose="translator")) == {
        "kind": "chat",
        "endpoint": "http://localhost:9/v1",
        "body": {
            "model": "m",
            "messages": [{"role": "user", "content": "Go."}],
            "temperature": 0.0,
            "seed": 3,
            "stop": ["X"],
        },
        "sample": 2,
    }
    assert model.embedding_identity("a text") == {
        "kind": "embedding",
        "endpoint": "http://localhost:9/v1",
        "body": {"model": "m", "input": "a text"},
        "sample": 0,
    }


@pytest.mark.parametrize("url", [f"{NEAR}/", NEAR.replace("http", "HTTP"), NEAR.replace("//", "//me:pass@") + "?k=v"])
def test_one_endpoint_is_one_however_its_address_is_written(url: str) -> None:
    assert OpenAIModel("m", url).identity(ASKED) == OpenAIModel("m", NEAR).identity(ASKED)


def test_seeds_tell_samples_apart_even_where_the_model_takes_none() -> None:
    model = OpenAIModel("m", NEAR, settings=ModelSettings(takes_seed=False))
    one, two = (model.identity(replace(ASKED, seed=seed)) for seed in (1, 2))
    assert one["body"] == two["body"]
    assert one != two
    assert "seed" not in model.identity(replace(ASKED, seed=None))


def test_an_address_is_taken_from_the_call_the_settings_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:3/v1")
    settings = ModelSettings(base_url="http://localhost:2/v1")
    assert OpenAIModel("m", "http://localhost:1/v1", settings=settings).base_url == "http://localhost:1/v1"
    assert OpenAIModel("m", settings=settings).base_url == "http://localhost:2/v1"
    assert OpenAIModel("m").base_url == "http://localhost:3/v1"


def test_the_key_is_in_the_variable_that_the_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ModelSettings(base_url="https://host.example/v1", key_variable="OTHER_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    with pytest.raises(ModelConfigurationError, match="OTHER_KEY"):
        OpenAIModel("m", settings=settings)
    monkeypatch.setenv("OTHER_KEY", "for-the-other")
    with ChatServer(ScriptedModel(["a"])) as server:
        OpenAIModel("m", server.base_url, settings=settings).complete(ASKED)
        assert headers_of(server)["authorization"] == "Bearer for-the-other"


def test_headers_and_organisation_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0ken-0815")
    settings = ModelSettings(organization="org-1", project="proj-1", headers={"X-Token": "${MY_TOKEN}", "X-Title": "t"})
    with ChatServer(ScriptedModel(["a"])) as server:
        OpenAIModel("m", server.base_url, settings=settings).complete(ASKED)
        headers = headers_of(server)
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "proj-1")
    assert (headers["x-token"], headers["x-title"]) == ("t0ken-0815", "t")
    monkeypatch.delenv("MY_TOKEN")
    with pytest.raises(ModelConfigurationError, match="MY_TOKEN, which is not set"):
        OpenAIModel("m", NEAR, settings=settings)


def headers_of(server: ChatServer) -> dict[str, str]:
    return {name.lower(): value for name, value in server.calls[-1].headers.items()}


@pytest.mark.parametrize("suffix", ["", "/", "/openai", "/openai/"])
def test_azure(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_KEY", "azure-key-1234")
    settings = ModelSettings(api_version="2024-10-21", key_variable="AZURE_KEY")
    with ChatServer(ScriptedModel([]), lambda number: Trouble(200, REPLY)) as server:
        resource = server.base_url.removesuffix("/v1")
        model = OpenAIModel("my-gpt", resource + suffix, settings=settings)
        assert model.complete(ASKED).text == "done"
        assert server.calls[0].path == "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
        assert headers_of(server)["api-key"] == "azure-key-1234"
        assert model.identity(ASKED)["endpoint"] == f"{resource}?api-version=2024-10-21"


def test_azure_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", NEAR)
    with pytest.raises(ModelConfigurationError, match="base_url is missing"):
        OpenAIModel("m", settings=ModelSettings(api_version="2024-10-21"))


def test_retries_and_time_outs_of_the_settings_hold_unless_the_call_has_its_own() -> None:
    settings = ModelSettings(max_retries=1, timeout=5)
    with ChatServer(ScriptedModel([]), lambda number: Trouble(500)) as server:
        with pytest.raises(EndpointError, match="tried 2 times"):
            OpenAIModel("m", server.base_url, settings=settings).complete(ASKED)
        with pytest.raises(EndpointError, match="tried 3 times"):
            OpenAIModel("m", server.base_url, settings=settings, max_retries=2).complete(ASKED)


def test_proxies_of_the_environment_are_used_but_for_the_hosts_it_excepts(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(Answering(COUNTED)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url.removesuffix("/v1"))
        assert OpenAIModel("m", "http://proxied/v1", max_retries=0).complete(ASKED).text == "done"
        assert proxy.calls[0].path == "http://proxied/v1/chat/completions"
        monkeypatch.setenv("NO_PROXY", "direct,elsewhere.example")
        with pytest.raises(EndpointError, match="no connection"):
            OpenAIModel("m", "http://direct/v1", max_retries=0).complete(ASKED)
        assert len(proxy.calls) == 1


def vectors(items: list[dict[str, Any]], tokens: int = 2) -> Trouble:
    return Trouble(200, json.dumps({"object": "list", "data": items, "usage": {"prompt_tokens": tokens}}))


class Vectors:
    """An endpoint that knows embeddings alone."""

    name = "vectors"

    def complete(self, request: Request) -> Completion:
        raise AssertionError("not asked for")

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]


def test_many_texts_are_embedded_in_several_calls_that_are_retried() -> None:
    texts = ["x" * (number % 7 + 1) for number in range(600)]
    with ChatServer(Vectors(), [None, Trouble(503)]) as server:
        model = OpenAIModel("e", server.base_url)
        assert model.embed(texts) == [[float(len(text)), 1.0] for text in texts]
        assert [len(call.body["input"]) for call in server.calls] == [256, 256, 256, 88]
        assert model.embed([]) == []
        assert len(server.calls) == 4


def test_long_texts_are_embedded_in_smaller_calls() -> None:
    with ChatServer(Vectors()) as server:
        OpenAIModel("e", server.base_url).embed(["x" * 150_000, "y" * 40_000, "z" * 150_000])
        assert [len(call.body["input"]) for call in server.calls] == [2, 1]


@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": []}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["1"]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": "AAAA"}],
        [{"index": 0, "embedding": [1.0]}, {"index": [], "embedding": [1.0]}],
        [None, None],
    ],
)
def test_vectors_that_are_not_one_for_each_text_are_an_error(items: list[dict[str, Any]]) -> None:
    with (
        ChatServer(ScriptedModel([]), lambda number: vectors(items)) as server,
        pytest.raises(EndpointError, match="no embeddings"),
    ):
        OpenAIModel("e", server.base_url, max_retries=0).embed(["a", "b"])


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}, Usage(9, 2, 4)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 12}}, Usage(9, 0, 9)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
    ],
)
def test_accounts_are_read_with_care(usage: dict[str, Any], counted: Usage) -> None:
    data = {"choices": [{"message": {"content": "a"}}], "usage": usage}
    assert OpenAIModel("m", NEAR).read(data, 1.0).usage == counted
