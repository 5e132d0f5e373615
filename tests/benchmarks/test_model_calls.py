"""The CPU time of a model call beside the openai client's: ``pytest -m benchmark`` of this file.

A server in another process answers at once. The CPU time is that of all threads of this process.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from pddl2nl.llm import Message, OpenAIModel, Request

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

CALLS = 256
LEAST = 2

SERVER = """
import json, socket, threading
body = json.dumps({
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Action: go"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1500, "completion_tokens": 5, "total_tokens": 1505},
})
head = "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
answer = (head % len(body) + body).encode()
def serve(connection):
    with connection, connection.makefile("rb") as lines:
        for line in lines:
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            elif not line.strip():
                lines.read(length)
                connection.sendall(answer)
server = socket.create_server(("127.0.0.1", 0), backlog=512)
print(server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()
"""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server in a process of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.kill()


def cpu_seconds(call: Callable[[], object], threads: int) -> float:
    """Of one call, the least of three series; each thread has its connection before."""
    with ThreadPoolExecutor(threads) as pool:

        def series(calls: int) -> float:
            began = time.process_time()
            list(pool.map(lambda _: call(), range(calls)))
            return (time.process_time() - began) / calls

        series(2 * threads)
        return min(series(CALLS) for _ in range(3))


@pytest.mark.parametrize("threads", [1, 16, 64, 256])
def test_a_call_takes_less_than_the_openai_client(endpoint: str, threads: int, bench: Bench) -> None:
    import openai

    text = "word " * 150
    said = [Message("user", text) if number % 2 else Message("assistant", text) for number in range(10)]
    request = Request(tuple(said), seed=1)
    model = OpenAIModel("m", endpoint)
    client = openai.OpenAI(base_url=endpoint, max_retries=0)
    body = model.body(request)
    ours = cpu_seconds(lambda: model.complete(request), threads)
    theirs = cpu_seconds(lambda: client.chat.completions.create(**body), threads)
    what = f"the CPU time of a model call, {threads} thread{'' if threads == 1 else 's'}"
    assert bench.ratio(what, ours, "the openai client", theirs) >= LEAST
