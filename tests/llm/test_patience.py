"""Endpoints that waste time or memory: an attempt, a stream and a call with all its retries end within their limits."""

from __future__ import annotations

import gzip
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from pddl2nl import limits
from pddl2nl.llm import EndpointError, OpenAIModel, ScriptedModel
from pddl2nl.llm.endpoint import client, connection, faults
from pddl2nl.llm.endpoint import streaming as streaming_module
from pddl2nl.llm.endpoint.streaming import ReplyStream
from pddl2nl.llm.replies import split_reasoning
from tests.llm.chat_server import ChatServer, Trouble
from tests.llm.test_streaming import ASKED, UNTIL, event, model_at, streaming
from tests.llm.test_wire import REQUEST, WireServer


@contextmanager
def limited(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> Iterator[None]:
    small = replace(limits.LIMITS, **changed)
    for module in (limits, client, connection, faults):
        monkeypatch.setattr(module, "LIMITS", small)
    yield


def slow_headers(connection: socket.socket) -> None:
    with suppress(OSError):
        for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)


def interim_answers(connection: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")


@pytest.mark.parametrize("behave", [slow_headers, interim_answers])
def test_the_time_out_covers_the_headers(behave: Any) -> None:
    began = time.monotonic()
    with WireServer(behave) as server, pytest.raises(EndpointError, match=r"no answer within 0\.4 s"):
        OpenAIModel("m", server.url, max_retries=0, timeout=0.4).complete(REQUEST)
    assert time.monotonic() - began < 5


def test_pings_are_a_silence() -> None:
    pieces: list[Any] = ["a"]
    for _ in range(20):
        pieces += [0.05, {"choices": []}]
    with streaming(pieces) as (url, _, _), pytest.raises(EndpointError, match=r"no answer within 0\.3 s"):
        model_at(url, timeout=0.3, max_retries=0).complete(ASKED)


def test_a_stream_has_a_limit_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [part for _ in range(40) for part in ("a", 0.05)]
    with (
        limited(monkeypatch, stream_seconds=0.5),
        streaming(pieces) as (url, _, _),
        pytest.raises(EndpointError, match="no answer within"),
    ):
        model_at(url, timeout=0.4, max_retries=0).complete(ASKED)


def test_a_call_with_all_its_retries_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with limited(monkeypatch, call_seconds=0.5), ChatServer(ScriptedModel([]), lambda _: Trouble(503)) as server:
        model = OpenAIModel("m", server.base_url, max_retries=1000, timeout=0.1)
        model._sleep = lambda seconds: time.sleep(min(seconds, 0.05))
        with pytest.raises(EndpointError, match=r"tried \d+ times .*; a call with all its retries has 0\.5 s at most"):
            model.complete(REQUEST)


def hanging() -> ChatServer:
    return ChatServer(ScriptedModel([]), lambda _: Trouble(delay=30.0))


def test_a_time_out_doubles_and_ends_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    with limited(monkeypatch, reply_seconds=0.1, call_seconds=1.0), hanging() as server:
        with pytest.raises(EndpointError, match="at most"):
            OpenAIModel("m", server.base_url).complete(REQUEST)
        assert 2 <= len(server.calls) <= 6
    assert time.monotonic() - began < 4


def encoded(data: bytes, encoding: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip\r\nContent-Encoding: gzip", "br", "zstd, gzip"])
def test_other_and_further_encodings_are_refused(encoding: str) -> None:
    bomb = gzip.compress(gzip.compress(bytes(100_000_000), 1), 9)
    tracemalloc.start()
    with WireServer(encoded(bomb, encoding)) as server, pytest.raises(EndpointError, match="is encoded as"):
        OpenAIModel("m", server.url).complete(REQUEST)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("line", ["just words", "Action: go", "Action: <|channel|>analysis"])
def test_a_streamed_reply_takes_linear_time(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In thoughts full of actions too, where only the whole text tells that the thought goes on."""
    looked_at = 0

    def counted(text: str) -> tuple[str, str]:
        nonlocal looked_at
        looked_at += len(text)
        return split_reasoning(text)

    monkeypatch.setattr(streaming_module, "split_reasoning", counted)
    stream = ReplyStream(UNTIL)
    stream.feed(event("<think>\n"))
    for _ in range(4000):
        stream.feed(event(line + "\n"))
    assert not stream.ended
    assert looked_at < 15 * 4000 * (len(line) + 1)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<think>\n", ["</th", "ink>\n"]),
        ("<think>", ["</thinking>"]),
        ("", ["</think>\n\n"]),
        ("<|channel|>analysis<|message|>", ["<|end|>\n", "<|start|>assistant<|channel|>final", "<|message|>"]),
    ],
)
def test_the_first_action_behind_a_thought_full_of_actions_ends_the_reply(begin: str, end: list[str]) -> None:
    stream = ReplyStream(UNTIL)
    thoughts = ["  So: go\n"] if not begin else ["Action: go\n"]
    for piece in (begin, *thoughts * 1000, *end, "Action: st", "ay\n", "more\n"):
        stream.feed(event(piece))
    assert stream.ended
    assert stream.completion()["choices"][0]["message"]["content"].endswith(f"{end[-1]}Action: stay\n")


def test_a_slow_machine_is_heard_at_a_later_attempt_unless_the_user_set_the_time_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with limited(monkeypatch, reply_seconds=0.2), ChatServer(ScriptedModel(["yes"] * 9), delay=0.7) as server:
        assert OpenAIModel("m", server.base_url, max_retries=3).complete(REQUEST).text == "yes"
        with pytest.raises(EndpointError, match=r"no answer within 0\.2 s"):
            OpenAIModel("m", server.base_url, max_retries=1, timeout=0.2).complete(REQUEST)
