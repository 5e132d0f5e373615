"""The cache's file: what is kept stays, whoever writes at once, whoever is killed, whatever is damaged."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import (
    Completion,
    EndpointError,
    Message,
    OpenAIModel,
    Request,
    ScriptedModel,
    Usage,
)
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.keys import canonical_json, identity_key
from pddl2nl.llm.replies import completion_from_json, completion_to_json
from tests.answering import Answering
from tests.llm.chat_server import ChatServer

URL = "https://example.org/v1"
REPLY = completion_to_json(Completion("stack a on b", usage=Usage(7, 3, 2, 1), model="gpt-4o-x", seconds=0.5))


def identity(number: int = 0, model: str = "gpt-4o", endpoint: str = URL) -> dict[str, Any]:
    body = {"model": model, "messages": [{"role": "user", "content": f"Go — {number}."}], "temperature": 0.0}
    return {"kind": "chat", "endpoint": endpoint, "body": body, "sample": 0}


def put(cache: Cache, said: dict[str, Any], reply: dict[str, Any] = REPLY) -> str:
    key = identity_key(said)
    cache.put(said, reply)
    return key


def sound(cache: Cache) -> bool:
    """Whether SQLite finds no damage, and every reply can be read."""
    keys = [key for (key,) in cache.read("SELECT key FROM replies")]
    return cache.read("PRAGMA integrity_check") == [("ok",)] and all(cache.get(key) is not None for key in keys)


def spoil(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(sql, values)
    connection.commit()
    connection.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "deep" / "replies.sqlite") as opened:
        yield opened


def script(code: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_what_is_put_is_there_and_the_first_writer_wins(cache: Cache) -> None:
    key = identity_key(identity())
    assert cache.get(key) is None
    assert cache.put(identity(), REPLY) is True
    assert cache.put(identity(), {**REPLY, "text": "another"}) is False
    assert cache.get(key) == REPLY
    assert len(cache) == 1
    with Cache(cache.path) as again:
        assert again.get(key) == REPLY


def test_any_sqlite_tool_reads_it(cache: Cache) -> None:
    key = put(cache, identity(3))
    connection = sqlite3.connect(cache.path)
    connection.row_factory = sqlite3.Row
    (row,) = connection.execute("SELECT * FROM replies").fetchall()
    connection.close()
    assert row["identity"] == (
        '{"body":{"messages":[{"content":"Go — 3.","role":"user"}],"model":"gpt-4o","temperature":0.0},'
        '"endpoint":"https://example.org/v1","kind":"chat","sample":0}'
    )
    assert row["key"] == key == hashlib.sha256(row["identity"].encode("utf-8")).hexdigest()
    assert json.loads(row["reply"]) == REPLY
    assert (row["model"], row["endpoint"]) == ("gpt-4o", URL)
    assert row["created"].endswith("Z")


def test_a_completion_comes_back_as_it_was() -> None:
    completion = Completion("ü\ud800\n", "text", Usage(1, 2, 3, 4), "m", "fp", 0.1 + 0.2, tariff="batch")
    assert completion_from_json(json.loads(canonical_json(completion_to_json(completion)))) == completion


def test_halves_of_characters_are_kept_too(cache: Cache) -> None:
    said = identity()
    said["body"]["messages"][0]["content"] = "half \ud83d, whole \ud83d\ude00"
    key = put(cache, said, {**REPLY, "text": "\udfff."})
    assert cache.get(key) == {**REPLY, "text": "\udfff."}
    assert sound(cache)
    said["body"]["messages"][0]["content"] = "half \ud83d, whole 😀"
    assert identity_key(said) == key


def test_a_path_that_is_no_cache_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        Cache(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("no database, but a text of some length\n" * 99)
    with pytest.raises(InputError, match="not an SQLite file"):
        Cache(text)
    assert text.read_text().startswith("no database")
    other = tmp_path / "other.sqlite"
    spoil(other, "CREATE TABLE birds (name TEXT)")
    with pytest.raises(InputError, match="another SQLite file"):
        Cache(other)
    with pytest.raises(InfrastructureError, match="cannot be used"):
        Cache(text / "below" / "replies.sqlite")


def test_another_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    Cache(path).close()
    spoil(path, "PRAGMA user_version = 1")
    with pytest.raises(InputError, match="one of another version of pddl2nl"):
        Cache(path)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER mine AFTER INSERT ON replies BEGIN DELETE FROM replies; END",
        "CREATE VIEW mine AS SELECT writefile('/tmp/x', reply) FROM replies",
    ],
)
def test_a_strangers_schema_runs_nothing(sql: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with Cache(path) as cache:
        put(cache, identity())
        assert cache.read("PRAGMA trusted_schema") == [(0,)]
    spoil(path, sql)
    with pytest.raises(InputError, match=r"has the (trigger|view) 'mine', which no cache of ours has"):
        Cache(path)


def test_a_locked_cache_says_that_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pddl2nl.llm.cache._IN_SILENCE", 0)
    path = tmp_path / "replies.sqlite"
    Cache(path).close()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.3, other.rollback).start()
    with Cache(path) as cache:
        put(cache, identity())
    assert f"another process has locked the cache {path}; waiting for up to 60 s" in caplog.text


def test_an_empty_file_becomes_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "it's 100% #1?.sqlite"
    path.touch()
    with Cache(path) as cache:
        key = put(cache, identity())
        assert cache.get(key) == REPLY
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_file_that_may_only_be_read_is_named_before_anything_is_paid_for() -> None:
    # By another user where this one is root, whom permissions do not bind.
    code = """
        import os, sys
        from pathlib import Path
        from pddl2nl.llm.cache import Cache
        from pddl2nl.errors import Pddl2nlError
        if os.geteuid() == 0:
            os.setuid(65534)
        folder = Path(sys.argv[1])
        for path in (folder / "replies.sqlite", folder / "new" / "replies.sqlite", folder / "new.sqlite"):
            try:
                Cache(path)
            except Pddl2nlError as error:
                print(type(error).__name__, error)
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Cache(folder / "replies.sqlite") as cache:
            put(cache, identity())
        (folder / "replies.sqlite").chmod(0o444)
        folder.chmod(0o555)
        try:
            process = script(code, folder)
            said, errors = process.communicate(timeout=30)
        finally:
            folder.chmod(0o755)
    assert errors == ""
    refusals = said.splitlines()
    assert len(refusals) == 3
    assert all(line.startswith("InfrastructureError the cache ") for line in refusals)
    assert all("cannot be" in line and "--cache" in line for line in refusals)


def test_a_full_disk_is_an_error_that_names_the_file_and_damages_nothing(tmp_path: Path) -> None:
    # The limit on a file's size is a disk that is full for this process alone.
    code = """
        import resource, signal, sys
        from pddl2nl.errors import InfrastructureError
        from pddl2nl.llm.cache import Cache
        from pddl2nl.llm.keys import identity_key
        from pddl2nl.llm.replies import completion_to_json
        from pddl2nl.llm import Completion
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        cache = Cache(sys.argv[1])
        said = [{"kind": "chat", "endpoint": "e", "body": {"model": "m", "n": n}, "sample": 0} for n in range(40)]
        reply = completion_to_json(Completion("x" * 9000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
        stored = []
        for one in said:
            try:
                cache.put(one, reply)
                stored.append(identity_key(one))
            except InfrastructureError as error:
                assert str(cache.path) in str(error), error
        assert 0 < len(stored) < 40, stored
        assert all(cache.get(key) == reply for key in stored)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(sum(cache.put(one, reply) for one in said) + len(stored))
    """
    process = script(code, tmp_path / "replies.sqlite")
    said, errors = process.communicate(timeout=30)
    assert errors == ""
    assert said == "40\n"
    with Cache(tmp_path / "replies.sqlite") as cache:
        assert len(cache) == 40
        assert sound(cache)


WRITER = """
    import sys
    from pddl2nl.llm.cache import Cache
    from pddl2nl.llm.keys import identity_key
    from pddl2nl.llm.replies import completion_to_json
    from pddl2nl.llm import Completion
    import threading
    path, first, last, threads = sys.argv[1], *map(int, sys.argv[2:])
    cache = Cache(path)
    said = threading.Lock()
    def work(start):
        for number in range(first + start, last, threads):
            one = {"kind": "chat", "endpoint": "e", "body": {"model": "m", "n": number}, "sample": 0}
            cache.put(one, completion_to_json(Completion("x" * 3000 + str(number))))
            with said:
                sys.stdout.write(identity_key(one) + chr(10))
                sys.stdout.flush()
    workers = [threading.Thread(target=work, args=(start,)) for start in range(threads)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
"""


@pytest.mark.parametrize("after", [1, 60])
def test_kill_9_loses_nothing_that_was_put(tmp_path: Path, after: int) -> None:
    path = tmp_path / "replies.sqlite"
    process = script(WRITER, path, 0, 1_000_000, 4)
    said = [process.stdout.readline().strip() for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    rest = process.communicate(timeout=30)[0]
    with Cache(path) as cache:
        assert sound(cache)
        # Each line says that a put had returned; the last one may be torn.
        said += [line for line in rest.split("\n") if len(line) == 64]
        assert len(cache) >= len(said) >= after
        assert all(cache.get(key) is not None for key in said)


def test_many_processes_write_at_once_from_the_first_moment_on(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    # Half of what each puts, its neighbour puts as well.
    processes = [script(WRITER, path, number * 20, number * 20 + 40, 3) for number in range(6)]
    for process in processes:
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0
    with Cache(path) as cache:
        assert len(cache) == 140
        assert sound(cache)


def test_it_can_be_used_after_closing(cache: Cache) -> None:
    key = put(cache, identity())
    cache.close()
    assert cache.get(key) == REPLY


# ── a model whose replies are cached ─────────────────────────────────────────────────────────────

KEY = "sk-known-key-1234567890"


def request(text: str = "Go — ü.", **settings: Any) -> Request:
    return Request((Message("system", "You plan."), Message("user", text)), **settings)


class Fake(Answering):
    """Answers every request with its own text, after a moment, and counts."""

    def __init__(self, answer: Callable[[Request], Any] | None = None, delay: float = 0.0):
        own = lambda asked: Completion(f"to {asked.messages[-1].content}", usage=Usage(5, 2))  # noqa: E731
        super().__init__(lambda asked: (time.sleep(delay), (answer or own)(asked))[1], "fake", base_url=URL)
        self.embedded: list[list[str]] = []

    def identity(self, request: Request) -> dict[str, Any]:
        body = {"model": "fake", "seed": request.seed, "messages": [message.as_json for message in request.messages]}
        return {"kind": "chat", "endpoint": URL, "body": body, "sample": request.sample}

    def embedding_identity(self, text: str) -> dict[str, Any]:
        return {"kind": "embedding", "endpoint": URL, "body": {"model": "fake", "input": text}, "sample": 0}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded.append(list(texts))
        return [[float(len(text)), 0.1] for text in texts]


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
    assert len(inner.requests) == 1
    assert (model.name, model.base_url) == ("fake", "https://example.org/v1")


@pytest.mark.parametrize("finish", ["refused", "filtered", "empty"])
def test_a_reply_that_fell_short_is_handed_on_and_not_kept(cache: Cache, finish: Any) -> None:
    inner = Fake(lambda asked: Completion("half", finish))
    model = CachedModel(inner, cache)
    assert [model.complete(request()).finish for _ in range(2)] == [finish] * 2
    assert (len(inner.requests), len(cache)) == (2, 0)


def test_one_request_of_many_threads_is_one_call(cache: Cache) -> None:
    inner = Fake(delay=0.1)
    models = [CachedModel(inner, cache) for _ in range(8)]
    found = at_once([lambda model=model: model.complete(request()) for model in models])
    completions = [one for one in found if isinstance(one, Completion)]
    assert len(completions) == 8
    assert len(inner.requests) == 1
    assert sorted(one.from_cache for one in completions) == [False] + [True] * 7


def test_where_the_first_failed_the_next_asks_itself(cache: Cache) -> None:
    turns = iter([EndpointError("no"), Completion("no", "refused"), Completion("whole")])

    inner = Fake(lambda asked: next(turns), delay=0.05)
    found = at_once([lambda: CachedModel(inner, cache).complete(request())] * 4)
    assert len(inner.requests) == 3
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


def slow(delay: float) -> Answering:
    """Answers with what it was asked, after a while."""

    def said(request: Request) -> str:
        time.sleep(delay)
        return "to " + request.messages[-1].content

    return Answering(said)


@pytest.mark.heavy
def test_a_reply_that_arrived_is_not_paid_again_after_kill_9_and_one_under_way_is_asked_for_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "replies.sqlite"
    with ChatServer(slow(0.0)) as server:
        process = script(ASKER, path, server.base_url, 3)
        while "request 0" not in process.stdout.readline():
            server.model = slow(3.0)
        while len(server.calls) < 2:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)
        server.model = slow(0.0)
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
    assert len(inner.requests) == 1
    model.complete(request("two"))
    assert model.complete(request("one")).from_cache
    assert (len(inner.requests), len(cache)) == (2, 2)


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
    assert len(inner.requests) == 1


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
