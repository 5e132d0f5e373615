"""A model whose replies are cached: threads share a call, no reply that arrived is asked for again, none is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import (
    Completion,
    EndpointError,
    EndpointModel,
    Message,
    OpenAIModel,
    ReplyPendingError,
    Request,
    ScriptedModel,
    Usage,
)
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.replies import completion_to_json
from tests.llm.chat_server import ChatServer

KEY = "sk-known-key-1234567890"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def request(text: str = "Go — ü.", **settings: Any) -> Request:
    return Request((Message("system", "You plan."), Message("user", text)), **settings)


class Fake:
    """Answers every request with its own text, after a moment, and counts."""

    name = "fake"
    base_url = "https://example.org/v1"

    def __init__(self, answer: Callable[[Request], Completion] | None = None, delay: float = 0.0):
        self.asked: list[Request] = []
        self.embedded: list[list[str]] = []
        self.delay = delay
        self._answer = answer or (lambda asked: Completion(f"to {asked.messages[-1].content}", usage=Usage(5, 2)))

    def identity(self, request: Request) -> dict[str, Any]:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body = {"model": self.name, "messages": messages, "seed": request.seed}
        return {"kind": "chat", "endpoint": self.base_url, "body": body, "sample": request.sample}

    def embedding_identity(self, text: str) -> dict[str, Any]:
        body = {"model": self.name, "input": text}
        return {"kind": "embedding", "endpoint": self.base_url, "body": body, "sample": 0}

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        time.sleep(self.delay)
        return self._answer(request)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded.append(list(texts))
        time.sleep(self.delay)
        return [[float(len(text)), 0.1] for text in texts]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "replies.sqlite") as opened:
        yield opened


def at_once(actions: Sequence[Callable[[], object]]) -> list[object]:
    results: list[object] = [None] * len(actions)

    def work(number: int) -> None:
        try:
            results[number] = actions[number]()
        except Exception as error:  # noqa: BLE001 — a result like any other
            results[number] = error

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_the_second_time_the_reply_comes_from_the_cache(cache: Cache) -> None:
    inner = Fake()
    model = CachedModel(inner, cache)
    first = model.complete(request())
    assert (first.text, first.from_cache) == ("to Go — ü.", False)
    again = CachedModel(Fake(), cache).complete(request(purpose="translator"))
    assert again == replace(first, from_cache=True, seconds=again.seconds)
    assert again.usage == Usage(5, 2)
    assert len(inner.asked) == 1
    assert (model.name, model.base_url) == ("fake", "https://example.org/v1")


@pytest.mark.parametrize("finish", ["refused", "filtered", "empty"])
def test_a_reply_that_fell_short_is_handed_on_and_not_kept(cache: Cache, finish: Any) -> None:
    inner = Fake(lambda asked: Completion("half", finish))
    model = CachedModel(inner, cache)
    assert [model.complete(request()).finish for _ in range(2)] == [finish] * 2
    assert (len(inner.asked), len(cache)) == (2, 0)


def test_one_request_of_many_threads_is_one_call(cache: Cache) -> None:
    inner = Fake(delay=0.1)
    models = [CachedModel(inner, cache) for _ in range(8)]
    found = at_once([lambda model=model: model.complete(request()) for model in models])  # type: ignore[misc]
    completions = [one for one in found if isinstance(one, Completion)]
    assert len(completions) == 8
    assert len(inner.asked) == 1
    assert sorted(one.from_cache for one in completions) == [False] + [True] * 7


def test_where_the_first_failed_the_next_asks_itself(cache: Cache) -> None:
    turns = iter([EndpointError("no"), Completion("no", "refused"), Completion("whole")])

    def answer(asked: Request) -> Completion:
        turn = next(turns)
        if isinstance(turn, Exception):
            raise turn
        return turn

    inner = Fake(answer, delay=0.05)
    found = at_once([lambda: CachedModel(inner, cache).complete(request())] * 4)
    assert len(inner.asked) == 3
    assert sum(isinstance(one, EndpointError) for one in found) == 1
    texts = sorted((one.text, one.from_cache) for one in found if isinstance(one, Completion))
    assert texts == [("no", False), ("whole", False), ("whole", True)]


ASKER = """
    import sys, time
    from pddl2nl.llm import Message, OpenAIModel, Request
    from pddl2nl.llm.cache import Cache, CachedModel
    path, url, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    model = CachedModel(OpenAIModel("m", url), Cache(path))
    print("ready", flush=True)
    for number in range(count):
        found = model.complete(Request((Message("user", f"request {number}"),)))
        print(found.text, found.from_cache, flush=True)
"""


def asker(path: Path, url: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(ASKER), str(path), url, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Slow:
    """Answers with what it was asked, after a while."""

    name = "slow"

    def __init__(self, delay: float):
        self.delay = delay

    def complete(self, request: Request) -> Completion:
        time.sleep(self.delay)
        return Completion("to " + request.messages[-1].content)


@pytest.mark.heavy
def test_a_reply_that_arrived_is_not_paid_again_after_kill_9_and_one_under_way_is_asked_for_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "replies.sqlite"
    with ChatServer(Slow(0.0)) as server:
        process = asker(path, server.base_url, 3)
        assert process.stdout is not None
        while "request 0" not in process.stdout.readline():
            server.model = Slow(3.0)
        while len(server.calls) < 2:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)
        server.model = Slow(0.0)
        before = len(server.calls)
        with Cache(path) as cache:
            model = CachedModel(OpenAIModel("m", server.base_url), cache)
            found = [model.complete(Request((Message("user", f"request {number}"),))) for number in range(before)]
        assert [one.from_cache for one in found] == [True] * (before - 1) + [False]
        assert len(server.calls) == before + 1


def test_a_reply_that_came_first_by_another_way_stays(cache: Cache) -> None:
    inner = Fake()
    identity = inner.identity(request())

    def answer(asked: Request) -> Completion:
        cache.put(identity, completion_to_json(Completion("first")))
        return Completion("second", usage=Usage(9, 9))

    found = CachedModel(Fake(answer), cache).complete(request())
    # What is kept is what a run that is repeated will see; what was paid now is what counts now.
    assert (found.text, found.usage, found.from_cache) == ("first", Usage(9, 9), False)


def test_a_reply_that_the_cache_cannot_take_is_an_infrastructure_error(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InfrastructureError("the disk is full")

    inner = Fake()
    model = CachedModel(inner, cache)
    with monkeypatch.context() as patch:
        patch.setattr(cache, "transaction", refuse)
        for text in ("one", "two"):
            with pytest.raises(InfrastructureError, match="the disk is full"):
                model.complete(request(text))
    # Nothing more was paid for, and the reply is stored once that is possible.
    assert len(inner.asked) == 1
    model.complete(request("two"))
    assert model.complete(request("one")).from_cache
    assert (len(inner.asked), len(cache)) == (2, 2)


def test_where_the_cache_fails_first_nothing_is_paid_for(cache: Cache) -> None:
    inner = Fake()
    CachedModel(inner, cache).complete(request())
    connection = sqlite3.connect(cache.path)
    connection.execute("UPDATE replies SET reply = replace(reply, 'to Go', 'to Stay')")
    connection.commit()
    with pytest.raises(InfrastructureError, match=r"replies\.sqlite.*damaged"):
        CachedModel(inner, cache).complete(request())
    connection.execute("DROP TABLE replies")
    connection.close()
    with pytest.raises(InfrastructureError, match=r"replies\.sqlite.*no such table"):
        CachedModel(inner, cache).complete(request("other"))
    assert len(inner.asked) == 1


def test_in_a_batch_what_is_not_kept_is_collected(cache: Cache) -> None:
    inner = Fake()
    CachedModel(inner, cache).complete(request("kept"))
    collected: list[tuple[Request, EndpointModel]] = []
    short = Completion("cut", "length")

    def collect(asked: Request, model: EndpointModel) -> Completion | None:
        collected.append((asked, model))
        return short if asked.seed else None

    model = CachedModel(inner, cache, collect=collect)
    assert model.complete(request("kept")).from_cache
    with pytest.raises(ReplyPendingError):
        model.complete(request("new"))
    assert model.complete(request("new", seed=1)) == short
    assert collected == [(request("new"), inner), (request("new", seed=1), inner)]
    assert len(inner.asked) == 1


def test_only_texts_without_a_vector_are_sent_once_and_together(cache: Cache) -> None:
    inner = Fake()
    model = CachedModel(inner, cache)
    assert model.embed([]) == []
    assert model.embed(["a", "bb", "a"]) == [[1.0, 0.1], [2.0, 0.1], [1.0, 0.1]]
    assert CachedModel(inner, cache).embed(["bb", "ccc", "a", "dddd"]) == [
        [2.0, 0.1],
        [3.0, 0.1],
        [1.0, 0.1],
        [4.0, 0.1],
    ]
    assert inner.embedded == [["a", "bb"], ["ccc", "dddd"]]


def test_too_few_vectors_are_an_error_of_the_endpoint(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Fake()
    monkeypatch.setattr(inner, "embed", lambda texts: [[1.0]])
    with pytest.raises(EndpointError, match="2 texts with 1 vectors"):
        CachedModel(inner, cache).embed(["a", "b"])
    assert len(cache) == 0


def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with ChatServer(ScriptedModel(["the reply"])) as server, Cache(path) as cache:
        url = server.base_url.replace("://", f"://user:{KEY}@")
        CachedModel(OpenAIModel("m", url), cache).complete(request())
        written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"the reply" in written
    assert KEY.encode() not in written
