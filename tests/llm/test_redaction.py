"""No key, header value or credential of a URL comes back out, whatever a server echoes and whoever logs."""

from __future__ import annotations

import base64
import html
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from pddl2nl.llm import Completion, EndpointError, Message, ModelConfigurationError, OpenAIModel, Request, ScriptedModel
from pddl2nl.llm.endpoint.connection import Address
from pddl2nl.llm.endpoint.redaction import Redactor, secrets_of_url
from pddl2nl.llm.settings import ModelSettings
from tests.answering import Answering
from tests.llm.chat_server import ChatServer, Trouble

KEY = "known-key-WITHOUT-a-form-42"
TOKEN = "header-token-0815"
TITLE = "a title of mine"
ORGANIZATION = "org-4711"
SECRETS = (KEY, TOKEN, TITLE, ORGANIZATION, "pass-word-9", "query-value-7")
REQUEST = Request((Message("user", "Go."),))
SETTINGS = ModelSettings(
    organization=ORGANIZATION, headers={"X-Token": "Bearer $MY_TOKEN", "X-Title": TITLE}, max_retries=0
)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MY_TOKEN", TOKEN)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    caplog.set_level(logging.DEBUG)
    yield caplog
    assert_clean(caplog.text)
    for record in caplog.records:
        assert_clean(str(vars(record)))


def assert_clean(text: str) -> None:
    assert [secret for secret in SECRETS if secret in text] == []


def everything_echoed() -> str:
    return f"Authorization: Bearer {KEY}; x-token: Bearer {TOKEN}; {TITLE}; {ORGANIZATION}; pass-word-9 query-value-7"


def with_credentials(server: ChatServer) -> str:
    return server.base_url.replace("http://", "http://me:pass-word-9@") + "?sig=query-value-7"


ECHOES = [
    Trouble(401, json.dumps({"error": {"message": everything_echoed(), "code": everything_echoed()}})),
    Trouble(500, everything_echoed()),
    Trouble(503, f"<html>{everything_echoed()}</html>", headers=(("x-echo", everything_echoed()),)),
    Trouble(429, "{}", headers=(("retry-after", "9999"), ("x-echo", everything_echoed()))),
    Trouble(200, f"<html>{everything_echoed()}</html>"),
    Trouble(200, json.dumps({"choices": everything_echoed()})),
    Trouble(200, json.dumps({"error": {"message": everything_echoed()}})),
    Trouble(200, everything_echoed()),
]


@pytest.mark.parametrize("trouble", ECHOES)
def test_errors_and_logs_repeat_nothing(trouble: Trouble, logged: pytest.LogCaptureFixture) -> None:
    with ChatServer(ScriptedModel([]), lambda number: trouble) as server:
        model = OpenAIModel("m", with_credentials(server), settings=SETTINGS)
        for ask in (lambda: model.complete(REQUEST), lambda: model.embed(["a"])):
            with pytest.raises(EndpointError) as caught:
                ask()
            error: Any = caught.value
            assert (error.__cause__, error.__context__) == (None, None)
            assert_clean(repr(error) + str(error) + repr(vars(error)))
        assert "x-token" in {name.lower() for name in server.calls[0].headers}
        assert server.calls[0].path == "/v1/chat/completions?sig=query-value-7"
        assert_clean(repr(model) + repr(vars(model)) + repr(model.settings) + json.dumps(model.settings.to_json()))
        assert_clean(json.dumps([model.identity(REQUEST), model.embedding_identity("a"), model.body(REQUEST)]))


PECULIAR = 'sk-S%41x/"quoted"-42'
ESCAPES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": json.dumps,
    "json in json": lambda key: json.dumps(json.dumps(json.dumps(key))),
    "one character": lambda key: key.replace("-", "\\u002d"),
    "all characters": lambda key: "".join(f"\\u{ord(char):04X}" for char in key),
    "python": lambda key: "".join(f"\\x{ord(char):02x}" for char in key),
    "slashes": lambda key: json.dumps(key).replace("/", "\\/"),
    "address": quote,
    "address twice": lambda key: quote(quote(key, safe=""), safe=""),
    "address, all": lambda key: "".join(f"%{ord(char):02x}" for char in key),
    "html": html.escape,
    "html, decimal": lambda key: "".join(f"&#{ord(char):05d};" for char in key),
    "html, hexadecimal": lambda key: "".join(f"&#x{ord(char):X};" for char in key),
    "json in html": lambda key: html.escape(json.dumps(key)),
    "json in an address": lambda key: quote(json.dumps(key)),
    "base64": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "base64 among others": lambda key: base64.b64encode(f"user:{key}:more".encode()).decode(),
    "base64 in an address": lambda key: quote(base64.b64encode(key.encode()).decode(), safe=""),
    "hexadecimal": lambda key: key.encode().hex(),
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
@pytest.mark.parametrize("key", [KEY, PECULIAR])
def test_a_key_is_struck_however_it_is_escaped(key: str, escape: Callable[[str], str]) -> None:
    redactor = Redactor([key])
    echoed = escape(key)
    for struck in (redactor.strike(f"bad key {echoed}!"), redactor.strike_reply(f"bad key {echoed}!")):
        assert "[key]" in struck
        assert struck.startswith("bad key ")
        assert echoed[3:-3] not in struck


def test_a_text_without_a_secret_keeps_its_escapes() -> None:
    text = r"100 % &amp; \u0041 %41 \\ \" &#65;"
    assert Redactor([KEY]).strike(text) == text


ECHO = Completion(f"I saw Bearer {KEY} and {TOKEN}!", fingerprint=f"fp-{KEY}")
"""What the server has seen of the headers."""


def test_replies_repeat_no_secret(logged: pytest.LogCaptureFixture) -> None:
    with ChatServer(Answering(ECHO)) as server:
        completion = OpenAIModel(f"m-{KEY}", server.base_url, settings=SETTINGS).complete(REQUEST)
    assert completion.text == "I saw Bearer [key] and [key]!"
    assert completion.fingerprint == "fp-[key]"
    assert KEY not in completion.model


def test_retries_log_nothing_either(logged: pytest.LogCaptureFixture) -> None:
    trouble = Trouble(503, everything_echoed(), headers=(("retry-after-ms", "1"), ("x-echo", everything_echoed())))
    with ChatServer(ScriptedModel(["a"]), [trouble] * 2) as server:
        OpenAIModel("m", server.base_url, settings=SETTINGS, max_retries=2).complete(REQUEST)
    assert "trying again" in logged.text
    assert "receive_response_headers" in logged.text
    assert "[key]" in logged.text


def test_an_address_shows_nothing_private() -> None:
    address = Address("https://me:pass-word-9@host/v1?sig=query-value-7#x")
    assert (str(address), repr(address)) == ("https://host/v1", "Address('https://host/v1')")
    assert (address.base, address.query) == ("https://me:pass-word-9@host/v1", {"sig": "query-value-7"})


def test_what_was_sent_is_struck_even_when_the_environment_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(Answering(ECHO)) as server:
        model = OpenAIModel("m", server.base_url)
        model.client()
        monkeypatch.setenv("OPENAI_API_KEY", "another-key-123")
        assert KEY not in model.complete(REQUEST).text


@pytest.mark.parametrize("key", ["käse-schlüssel-1", "two words", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(ModelConfigurationError, match="MY_KEY holds no key") as caught:
        OpenAIModel("m", "http://localhost:1/v1", settings=ModelSettings(key_variable="MY_KEY"))
    assert key not in str(caught.value)


def test_secrets_of_an_address_in_every_form() -> None:
    found = secrets_of_url("https://me:p%40ssword@host/v1?sig=a%2Fbcd&empty=")
    assert {"p%40ssword", "p@ssword", "a%2Fbcd", "a/bcd"} <= set(found)
    assert base64.b64encode(b"me:p@ssword").decode() in found
    assert secrets_of_url("http://[") == []
    assert secrets_of_url("https://host/v1") == []
