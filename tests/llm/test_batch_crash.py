"""A process that is killed at a call: what it submitted is found again, and nothing is submitted twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Completion, Message, OpenAIModel, Request, Usage
from pddl2nl.llm.batch import BatchRunner, BatchStore
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.keys import identity_key
from tests.llm.batch_desk import BatchPlan, LineFault
from tests.llm.chat_server import Call, ChatServer, Trouble

SAID = [f"line {number}" for number in range(10)] + ["refused:half"]
# A process that has everything imported and forks one for each job that it is given.
JOBS = """
import json, os, sys
import openai
from pddl2nl.llm import Message, OpenAIModel, Request
from pddl2nl.llm.batch import BatchRunner
from pddl2nl.llm.cache import Cache

for line in sys.stdin:
    job = json.loads(line)
    pid = os.fork()
    if pid == 0:
        runner = BatchRunner(Cache(job["cache"]), poll_seconds=0.005, max_lines=4)
        model = OpenAIModel("m", job["url"])
        for said in job["said"]:
            runner.collect(Request((Message("user", said),), seed=1), model)
        runner.run()
        os._exit(0)
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Echo:
    """Says what it was told last, refusing where that begins with "refused:"."""

    name = "echo"

    def complete(self, request: Request) -> Completion:
        """The echo."""
        said = request.messages[-1].content
        return Completion(f"echo {said}", "refused" if said.startswith("refused:") else "text", Usage(10, 2))


class Jobs:
    """Runs the batches of a cache in processes of their own."""

    def __init__(self, process: subprocess.Popen[str]):
        self._process = process

    def start(self, cache: Path, url: str) -> int:
        """The number of a new process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"cache": str(cache), "url": url, "said": SAID}) + "\n")
        self._process.stdin.flush()
        return self._line()

    def end(self) -> int:
        """How the process has ended."""
        return self._line()

    def _line(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def jobs(root: Path) -> Iterator[Jobs]:
    environment = {**os.environ, "OPENAI_API_KEY": "sk-known-key-1234567890", "PYTHONPATH": str(root)}
    with subprocess.Popen(
        [sys.executable, "-c", JOBS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Jobs(process)
        assert process.stdin is not None
        process.stdin.close()


def finished(cache: Cache, url: str) -> BatchRunner:
    """The same in this process, undisturbed."""
    runner = BatchRunner(cache, poll_seconds=0.005, max_lines=4)
    model = OpenAIModel("m", url)
    for said in SAID:
        key = identity_key(model.identity(asked(said)))
        if cache.get(key) is None:
            runner.collect(asked(said), model)
    runner.run()
    return runner


def asked(said: str) -> Request:
    return Request((Message("user", said),), seed=1)


def check(server: ChatServer, cache: Cache, failing: set[str]) -> None:
    """Every line was paid for once, and every reply is there."""
    model = OpenAIModel("m", server.base_url)
    keys = {said: identity_key(model.identity(asked(said))) for said in SAID}
    expected = {key: 2 if key in failing else 1 for key in keys.values()}
    assert Counter(server.desk.submitted) == expected
    for said in SAID[:-1]:
        reply = cache.get(keys[said])
        assert reply is not None
        assert reply["text"] == f"echo {said}"
    short = BatchStore(cache).short(keys[SAID[-1]])
    assert short is not None
    assert (short.text, short.finish, short.usage) == ("echo refused:half", "refused", Usage(10, 2))
    assert not BatchStore(cache).open()


def first_line_fails(server: ChatServer) -> set[str]:
    """Lets one line of the first batch fail once, so that there is an error file, and a second round."""
    bad = identity_key(OpenAIModel("m", server.base_url).identity(asked(SAID[0])))
    server.desk.plan = BatchPlan(line=lambda name, tried: LineFault(500) if name == bad and not tried else None)
    return {bad}


@pytest.mark.parametrize(
    ("method", "path", "number", "handled"),
    [
        ("POST", "/v1/files", 0, True),
        ("POST", "/v1/files", 1, False),
        ("POST", "/v1/batches", 0, False),
        ("GET", "/v1/batches/batch", 0, True),
        ("GET", "/v1/batches/batch", 7, True),
        ("GET", "/content", 0, False),
        ("GET", "/content", 1, False),
        ("GET", "/content", 3, True),
    ],
)
def test_killed_at_a_call_nothing_is_submitted_twice(
    jobs: Jobs, tmp_path: Path, method: str, path: str, number: int, handled: bool
) -> None:
    reached = threading.Event()
    seen = Counter[str]()

    def fault(call: Call) -> Trouble | None:
        if call.method != method or path not in call.path or reached.is_set():
            return None
        seen[path] += 1
        if seen[path] <= number:
            return None
        reached.set()
        return Trouble(drop=True, delay=30.0, handled=handled)

    with ChatServer(Echo(), fault=fault) as server:
        failing = first_line_fails(server)
        pid = jobs.start(tmp_path / "replies.sqlite", server.base_url)
        assert reached.wait(20)
        time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        assert jobs.end() == -signal.SIGKILL
        with Cache(tmp_path / "replies.sqlite") as cache:
            runner = finished(cache, server.base_url)
            assert runner.pending == 0
            check(server, cache, failing)


def test_lines_of_others_stay_until_they_are_asked_for(tmp_path: Path) -> None:
    """A batch holds the lines of two experiments; the one that comes first takes its own."""
    with ChatServer(Echo()) as server, Cache(tmp_path / "replies.sqlite") as cache:
        model = OpenAIModel("m", server.base_url)
        options: dict[str, Any] = {"poll_seconds": 0.005}
        first = BatchRunner(cache, **options)
        for said in ("a", "b"):
            first.collect(asked(said), model)
        server.fault = lambda call: Trouble(401) if call.path.startswith("/v1/batches/batch") else None
        with pytest.raises(Exception, match="HTTP 401"):
            first.run()
        server.fault = None
        for number, said in enumerate(("a", "b"), 1):
            later = BatchRunner(cache, **options)
            later.collect(asked(said), model)
            later.run()
            assert (len(server.desk.batches), len(cache)) == (1, number)
        assert len(server.desk.submitted) == 2
        assert not BatchStore(cache).open()
