"""What comes over the wire in odd forms, from a server that writes its answers byte by byte."""

from __future__ import annotations

import gzip
import json
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
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
from tests.llm.test_replay import prompted_line, replied_line

REQUEST = Request((Message("user", "Go."),))
Answer = Callable[[socket.socket], None]


class WireServer:
    """Gives each connection the next answer, and closes it then; the last answer is given again and again."""

    def __init__(self, *answers: bytes | Answer):
        self._answers = answers
        self.asked = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> WireServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # A thread that waits in accept is woken by nothing else everywhere.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with closing(connection):
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            headers = list(iter(stream.readline, b"\r\n"))
            length = next(int(line[15:]) for line in headers if line.lower().startswith(b"content-length:"))
            stream.read(length)
            answer = self._answers[min(self.asked, len(self._answers) - 1)]
            self.asked += 1
            try:
                if callable(answer):
                    answer(connection)
                else:
                    connection.sendall(answer)
            except OSError:
                pass  # the client has had enough


def body(text: str = "unstack ü", **message: Any) -> bytes:
    reply = {"choices": [{"message": {"content": text, **message}, "finish_reason": "stop"}]}
    return json.dumps(reply, ensure_ascii=False).encode()


def http(data: bytes, *headers: str, version: str = "1.1", length: bool = True) -> bytes:
    lines = [f"HTTP/{version} 200 OK", *headers, *([f"Content-Length: {len(data)}"] if length else [])]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + data


def chunked(data: bytes) -> bytes:
    parts = [data[start : start + 9] for start in range(0, len(data), 9)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        http(body(), "Content-Type: text/html; charset=iso-8859-1"),
        http(body(), "Content-Type: application/json; charset=utf-16"),
        http(b"\xef\xbb\xbf" + body(), "Content-Type: application/json"),
        http(b"\n\n  " + body() + b"\n"),
        http(body(), version="1.0", length=False),
        http(chunked(body()), "Transfer-Encoding: chunked", length=False),
        http(gzip.compress(body()), "Content-Encoding: gzip"),
    ],
    ids=["latin-1", "utf-16", "byte order mark", "blanks", "HTTP 1.0", "chunks", "gzip"],
)
def test_a_reply_is_heard_in_whatever_form_it_comes(answer: bytes) -> None:
    with WireServer(answer) as server:
        assert OpenAIModel("m", server.url, max_retries=0).complete(REQUEST).text == "unstack ü"
        assert server.asked == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Ty",
        http(body())[:-9],
        http(body(), length=False)[:-9],
        http(body(), length=False)[:-2],
        http(b"", length=False),
        http(chunked(body())[:-30], "Transfer-Encoding: chunked", length=False),
        http(gzip.compress(body() * 9)[:40], "Content-Encoding: gzip"),
        b"HTTP/1.1 500 Oh\r\nContent-Length: 99\r\n\r\n{",
    ],
    ids=["headers", "length", "no length", "last brackets", "nothing", "chunks", "gzip", "an error"],
)
def test_a_reply_that_broke_off_is_asked_for_again(answer: bytes) -> None:
    with WireServer(answer, http(body())) as server:
        model = OpenAIModel("m", server.url, max_retries=1)
        model._sleep = lambda seconds: None
        assert model.complete(REQUEST).text == "unstack ü"
        assert server.asked == 2


@pytest.mark.parametrize("more", [b'{"choices": []}{"choices": []}', b"data: {}\n\n", b"[" * 90_000])
def test_what_came_as_a_whole_and_is_no_reply_is_not_asked_for_again(more: bytes) -> None:
    with WireServer(http(more)) as server:
        with pytest.raises(EndpointError, match="not JSON"):
            OpenAIModel("m", server.url).complete(REQUEST)
        assert server.asked == 1


def test_an_answer_that_drips_has_no_more_time_than_others() -> None:
    def drip(connection: socket.socket) -> None:
        connection.sendall(http(b" " * 9999)[:-9999])
        for _ in range(100):
            connection.sendall(b" ")
            time.sleep(0.02)

    with WireServer(drip) as server:
        with pytest.raises(EndpointError, match=r"no answer within 0\.2 s"):
            OpenAIModel("m", server.url, max_retries=0, timeout=0.2).complete(REQUEST)
        assert server.asked == 1


@pytest.fixture
def closed_port() -> Iterator[int]:
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_an_endpoint_that_was_never_there_is_given_up_soon(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = OpenAIModel("m", f"http://127.0.0.1:{closed_port}/v1")
    waits: list[float] = []
    now = time.monotonic
    monkeypatch.setattr("pddl2nl.llm.endpoint.client.time.monotonic", lambda: now() + sum(waits))
    model._sleep = waits.append
    with pytest.raises(EndpointError, match="is a server running there"):
        model.complete(REQUEST)
    assert max(waits) <= 2
    assert 5 < sum(waits) < 12.5


def test_an_endpoint_that_is_gone_for_a_while_is_waited_for(closed_port: int) -> None:
    with WireServer(http(body())) as server:
        model = OpenAIModel("m", server.url, max_retries=2)
        model._sleep = lambda seconds: None
        model.complete(REQUEST)
    with pytest.raises(EndpointError, match=r"tried 3 times in \d+\.\d s$"):
        model.complete(REQUEST)


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": [{"type": "text", "text": "pick "}, {"type": "text", "text": "up"}]}, "pick up", "text"),
        ({"content": [{"type": "thinking", "thinking": "drop?"}, {"type": "text", "text": "pick"}]}, "pick", "text"),
        ({"content": []}, "", "empty"),
        ({"role": "assistant", "tool_calls": []}, "", "empty"),
        ({"content": None, "reasoning_content": "drop?"}, "", "empty"),
        ({"content": "pick", "refusal": False}, "pick", "text"),
        ({"content": None, "refusal": "no"}, "no", "refused"),
    ],
)
def test_what_a_message_says_is_read_from_all_its_forms(message: dict[str, Any], text: str, finish: str) -> None:
    data = {"choices": [{"message": message, "finish_reason": "stop"}]}
    completion = OpenAIModel("m", "http://127.0.0.1:9/v1").read(data, 0.0)
    assert (completion.text, completion.finish) == (text, finish)


@pytest.mark.parametrize(("reason", "finish"), [("content_filter", "filtered"), ("length", "length")])
def test_a_message_may_be_missing_where_nothing_is_left_of_it(reason: str, finish: str) -> None:
    completion = OpenAIModel("m", "http://127.0.0.1:9/v1").read({"choices": [{"finish_reason": reason}]}, 0.0)
    assert (completion.text, completion.finish) == ("", finish)


# ── hostile endpoints, records, scripts and models files ─────────────────────────────────────────


MANY_DIGITS = "9" * 6000
MANY_BRACKETS = "[" * 100_000 + "]" * 100_000


def endless(head: str, begin: bytes = b"", more: bytes = b"") -> Answer:
    """Sends bytes for ever, the last of them again and again."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(f"HTTP/1.1 {head}\r\nConnection: close\r\n\r\n".encode() + begin)
        while True:
            connection.sendall(more)

    return answer


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "503 Oh"])
def test_an_endless_answer_ends_with_an_error_that_names_it(status: str) -> None:
    before = memory_mb()
    began = time.monotonic()
    with WireServer(endless(status, b'{"choices": [', b'"x",' * 10_000)) as server:
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
        WireServer(http(packed, "Content-Encoding: gzip", length=False)) as server,
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


PROMPTED, REPLIED = prompted_line(1, 0, (Message("user", "Go."),)), replied_line(1, "a")


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


def test_threads_use_their_connections_again() -> None:
    with ChatServer(Answering("Done.")) as server:
        model = OpenAIModel("m", server.base_url)
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: model.complete(REQUEST), range(24)))
        assert 1 <= server.connections <= 3
