"""Hostile and broken endpoints, records, scripts and models files: work is bounded, errors name them, no key leaves."""

from __future__ import annotations

import gzip
import json
import resource
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.llm import (
    EndpointError,
    EndpointRefusedError,
    Message,
    OpenAIModel,
    ReplayModel,
    Request,
    ScriptedModel,
)
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.settings import ModelSettings, load_catalogue
from tests.answering import Answering
from tests.llm.chat_server import ChatServer, Trouble

REQUEST = Request((Message("user", "Go."),))
MANY_DIGITS = "9" * 6000
MANY_BRACKETS = "[" * 100_000 + "]" * 100_000


class OneAnswer:
    """Sends bytes to whoever connects, the last of them again and again."""

    def __init__(self, head: str, *parts: bytes, forever: bool = False):
        self._head, self._parts, self._forever = head, parts, forever
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.asked = 0

    def __enter__(self) -> OneAnswer:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.asked += 1
            with closing(connection), suppress(OSError):
                connection.recv(1_000_000)
                connection.sendall(f"HTTP/1.1 {self._head}\r\nConnection: close\r\n\r\n".encode())
                for part in self._parts:
                    connection.sendall(part)
                while self._forever:
                    connection.sendall(self._parts[-1])


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "503 Oh"])
def test_an_endless_answer_ends_with_an_error_that_names_it(status: str) -> None:
    before = memory_mb()
    began = time.monotonic()
    with OneAnswer(status, b'{"choices": [', b'"x",' * 10_000, forever=True) as server:
        with pytest.raises(EndpointError, match="too large: more than 16 MB"):
            OpenAIModel("m", server.url).complete(REQUEST)
        assert server.asked == 1
    assert time.monotonic() - began < 20
    assert memory_mb() - before < 300


def test_a_gzip_bomb_is_an_answer_too_large() -> None:
    before = memory_mb()
    body = json.dumps({"choices": [{"message": {"content": "x" * 100_000_000}}]}).encode()
    packed = gzip.compress(body, 9)
    assert len(packed) < 500_000
    del body
    before = memory_mb()
    with (
        OneAnswer("200 OK\r\nContent-Encoding: gzip", packed) as server,
        pytest.raises(EndpointError, match="too large"),
    ):
        OpenAIModel("m", server.url).complete(REQUEST)
    assert memory_mb() - before < 90


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_origin_is_refused_and_nothing_follows_it(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "header-token-0815")
    settings = ModelSettings(headers={"X-Token": "$MY_TOKEN"})
    with ChatServer(Answering("stolen")) as thief, Cache(tmp_path / "replies.sqlite") as cache:
        headers = (("location", f"{thief.base_url}/chat/completions"),)
        with ChatServer(ScriptedModel([]), lambda number: Trouble(status, "", headers=headers)) as server:
            model = CachedModel(OpenAIModel("m", server.base_url, settings=settings), cache)
            with pytest.raises(EndpointRefusedError, match=f"redirects to another address, {thief.base_url}"):
                model.complete(REQUEST)
            assert len(server.calls) == 1
        assert thief.calls == []
        assert len(cache) == 0


def test_a_redirect_within_the_endpoint_is_followed() -> None:
    with ChatServer(Answering("stolen"), [Trouble(307, "", headers=(("location", "/v1/chat/completions"),))]) as server:
        assert OpenAIModel("m", server.base_url).complete(REQUEST).text == "stolen"
        assert len(server.calls) == 2


@pytest.mark.parametrize("depth", [900, 990, 5000, 100_000])
@pytest.mark.parametrize("head", ["", '{"choices": ', '{"error": ', '{"error": {"code": 1, "x": '])
def test_deeply_nested_answers_are_errors_of_the_endpoint(head: str, depth: int) -> None:
    body = head + "[" * depth + "]" * depth + "}" * head.count("{")
    with ChatServer(ScriptedModel([]), lambda number: Trouble(200 if number % 2 else 500, body)) as server:
        model = OpenAIModel("m", server.base_url, max_retries=0)
        for ask in (lambda: model.complete(REQUEST), lambda: model.embed(["a"])) * 2:
            with pytest.raises(EndpointError):
                ask()


@pytest.mark.parametrize("value", [MANY_DIGITS, "0x" + "f" * 6000, MANY_BRACKETS], ids=["digits", "hex", "brackets"])
@pytest.mark.parametrize("key", ["max_tokens", "timeout", "stop", "extra_body", "price", "headers", "base_url"])
def test_a_models_file_that_breaks_the_reader_is_bad_input(tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "models.toml").write_text(f"[models.m]\n{key} = {value}\n")
    with pytest.raises(InputError, match=r"models\.toml"):
        load_catalogue(tmp_path / "models.toml")


@pytest.mark.parametrize("value", [MANY_DIGITS, MANY_BRACKETS], ids=["digits", "brackets"])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_script_that_breaks_the_reader_is_bad_input(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / name).write_text(value)
    with pytest.raises(InputError, match="not JSON"):
        ScriptedModel.from_file(tmp_path / name)


PROMPTED: dict[str, Any] = {
    "event": "prompted",
    "call": 1,
    "purpose": "planner",
    "kept": 0,
    "messages": [{"role": "user", "content": "Go."}],
    "temperature": 0.0,
    "seed": 1,
    "max_tokens": None,
    "stop": [],
    "sample": 0,
}
REPLIED: dict[str, Any] = {
    "event": "replied",
    "call": 1,
    "text": "a",
    "finish": "text",
    "prompt_tokens": 1,
    "completion_tokens": 1,
    "cached_tokens": 0,
    "reasoning_tokens": 0,
    "usd": 0.5,
    "model": "m",
    "fingerprint": "f",
    "seconds": 0.25,
}


@pytest.mark.parametrize(
    "line",
    [
        MANY_BRACKETS,
        '{"event": "replied", "prompt_tokens": ' + MANY_DIGITS + "}",
        json.dumps({"event": "started"}),
        *(json.dumps({**REPLIED, name: -1}) for name in ("prompt_tokens", "completion_tokens", "seconds", "usd")),
        json.dumps({**REPLIED, "finish": "WON"}),
        json.dumps({**REPLIED, "usd": float("inf")}),
    ],
    ids=["brackets", "digits", "started twice", "prompt", "completion", "seconds", "usd", "finish", "infinite"],
)
def test_a_record_that_makes_no_sense_is_not_replayed(tmp_path: Path, line: str) -> None:
    lines = [json.dumps({"event": "started"}), json.dumps(PROMPTED), line]
    (tmp_path / "run.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"run\.jsonl:3: not"):
        ReplayModel(tmp_path)
