"""How near 64 episodes at once come to what an endpoint could answer, with the cache and without.

``pytest -m benchmark tests/benchmarks/test_throughput.py``, on a quiet machine. A server in another process answers
every call after half a second; the ideal is 64 calls every half second. Half a second goes into the start (64 runs
are prepared, the client is made), so episodes are long enough to tell how it goes on. The peer is the openai client
alone: 64 threads that ask the same number of times and do nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

AT_ONCE, DELAY, EPISODES, STEPS = 64, 0.5, 64, 40
IDEAL = AT_ONCE / DELAY
LEAST = 0.9

SERVER = """
import sys
from pddl2nl.llm import Completion
from tests.llm.chat_server import ChatServer
class Looking:
    name = "looking"
    def complete(self, request):
        return Completion("Action: look around")
with ChatServer(Looking(), delay=float(sys.argv[1])) as server:
    print(server.base_url, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server in a process of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SERVER, str(DELAY)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate("\n")


def calls_a_second(work: Callable[[], int]) -> float:
    began = time.perf_counter()
    calls = work()
    return calls / (time.perf_counter() - began)


def episodes(url: str, folder: Path, cache: Path | None) -> int:
    """Runs 64 episodes of forty turns; how many calls were made."""
    task = shipped_task("logistics", "p01")
    jobs = [
        run_job(RunSpec.of(task, "act", model="looking", example="none", steps=STEPS, seed=seed, base_url=url))
        for seed in range(EPISODES)
    ]
    summary = run_all(jobs, folder, workers=AT_ONCE, access=Access(cache=cache))
    assert summary.outcomes == {"budget": EPISODES}, summary
    return summary.spent.calls


def client_alone(url: str) -> int:
    """As many calls by the openai client, with prompts as long as an episode's in its middle."""
    import openai

    client = openai.OpenAI(base_url=url, max_retries=0)
    messages = json.loads(json.dumps([{"role": "user", "content": "word " * 1500}]))

    def ask(seed: int) -> None:
        for _ in range(EPISODES * STEPS // AT_ONCE):
            client.chat.completions.create(model="looking", messages=messages, temperature=0.0, seed=seed)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(ask, range(AT_ONCE)))
    return EPISODES * STEPS


def test_sixty_four_episodes_at_once_wait_for_the_endpoint_alone(bench: Bench, endpoint: str, tmp_path: Path) -> None:
    alone = calls_a_second(lambda: client_alone(endpoint))
    plain = calls_a_second(lambda: episodes(endpoint, tmp_path / "plain", None))
    cached = calls_a_second(lambda: episodes(endpoint, tmp_path / "cached", tmp_path / "cache.sqlite"))
    for what, rate in (("a call of 64 at once, no cache", plain), ("a call of 64 at once, cached", cached)):
        bench.ratio(what, 1 / rate, "openai client alone", 1 / alone)
        bench.ratio(what, 1 / rate, "ideal", 1 / IDEAL)
    again = time.perf_counter()
    assert episodes(endpoint, tmp_path / "again", tmp_path / "cache.sqlite") == 0
    bench.ratio("a call that the cache has", (time.perf_counter() - again) / (EPISODES * STEPS), "ideal", 1 / IDEAL)
    assert min(plain, cached) >= LEAST * IDEAL, (alone, plain, cached)
