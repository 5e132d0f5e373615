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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import Completion, Usage
from pddl2nl.llm.cache import Cache, default_cache_path
from pddl2nl.llm.keys import canonical_json, identity_key
from pddl2nl.llm.replies import completion_from_json, completion_to_json

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


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
@settings(max_examples=60)
def test_canonical_json_is_the_same_for_every_order_and_reads_back(data: dict[str, Any]) -> None:
    text = canonical_json(data)
    assert canonical_json(dict(reversed(data.items()))) == text
    assert json.loads(text) == data
    assert canonical_json(json.loads(text)) == text
    assert identity_key(data) == hashlib.sha256(text.encode("utf-8")).hexdigest()


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


@pytest.mark.parametrize("after", [1, 7, 40, 90])
def test_kill_9_loses_nothing_that_was_put(tmp_path: Path, after: int) -> None:
    path = tmp_path / "replies.sqlite"
    process = script(WRITER, path, 0, 1_000_000, 4)
    assert process.stdout is not None
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


def test_the_default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDDL2NL_CACHE", "mine.sqlite")
    assert default_cache_path() == Path("mine.sqlite")
    monkeypatch.setenv("PDDL2NL_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_cache_path() == Path("/xdg/pddl2nl/replies.sqlite")
    monkeypatch.setenv("HOME", "/home/her")
    for relative in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert default_cache_path() == Path("/home/her/.cache/pddl2nl/replies.sqlite")
