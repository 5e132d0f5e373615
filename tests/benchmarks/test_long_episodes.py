"""Our own time per turn of an episode of 640 turns: ``pytest -m benchmark tests/benchmarks/test_long_episodes.py``.

The exponent is the slope of a straight line through the logarithms of turn number and time: 0 where a turn costs the
same however long the episode has become, 1 where it costs in proportion. The time is that of the run's own thread, so
a model that answers at once and a server in another process are not counted.
"""

from __future__ import annotations

import gc
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Request
from pddl2nl.policies import RunEvent
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

TURNS = 640
REPLIES = ("Action: unstack e from b", "Action: stack e on b")
AT = (10, 20, 40, 80, 160, 320, 630)
MOST = 0.1

SERVER = """
import sys
from pddl2nl.llm import Completion
from tests.llm.chat_server import ChatServer
class There:
    name = "there"
    def complete(self, request):
        replies = sys.argv[1:]
        return Completion(replies[len(request.messages) // 2 % 2])
with ChatServer(There()) as server:
    print(server.base_url, flush=True)
    sys.stdin.readline()
"""


class ThereAndBack:
    """A model that does and undoes the same action."""

    name = "there-and-back"

    def __init__(self) -> None:
        self._calls = 0

    def complete(self, request: Request) -> Completion:
        self._calls += 1
        return Completion(REPLIES[(self._calls - 1) % 2])


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server in a process of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", SERVER, *REPLIES]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate("\n")


def seconds_a_turn(spec: RunSpec, access: Access | None = None) -> dict[int, float]:
    """The time of this thread between two prompts, by the number of the turn; medians of 16 turns."""
    began: list[float] = []

    def observe(event: RunEvent) -> None:
        if event.event == "prompted":
            began.append(time.thread_time())

    gc.collect()
    assert run_spec(spec, access, observe).steps == TURNS
    took = [later - earlier for earlier, later in pairwise(began)]
    return {turn: statistics.median(took[max(0, turn - 8) : turn + 8]) for turn in AT}


def exponent(times: dict[int, float]) -> float:
    """The slope of the line through the logarithms."""
    return statistics.linear_regression([*map(math.log, times)], [*map(math.log, times.values())]).slope


def shown(times: dict[int, float]) -> str:
    return ", ".join(f"{1000 * seconds:.2f} ms at {turn}" for turn, seconds in times.items())


@pytest.mark.parametrize("history", ["all", "last:4", "none"])
@pytest.mark.parametrize("policy", ["act", "react"])
def test_a_turn_costs_the_same_however_long_the_episode(
    bench: Bench, tmp_path: Path, policy: str, history: str
) -> None:
    task = shipped_task("blocksworld", "p10")
    told = {"example": "none", "names": "original", "steps": TURNS, "history": history, "out": tmp_path}
    times = seconds_a_turn(RunSpec.of(task, policy, model=ThereAndBack(), **told))
    bench.notes.append(f"a turn of {policy}, history {history}: exponent {exponent(times):.2f} ({shown(times)})")
    assert exponent(times) <= MOST


@pytest.mark.parametrize("cached", [False, True])
def test_what_grows_over_an_endpoint_is_the_prompt_that_is_sent(
    bench: Bench, tmp_path: Path, endpoint: str, cached: bool
) -> None:
    """Sending a prompt takes time in proportion to it, 70 kB in the end; so does storing it in the cache."""
    task = shipped_task("blocksworld", "p10")
    told = {"example": "none", "names": "original", "steps": TURNS, "out": tmp_path, "base_url": endpoint}
    access = Access(cache=tmp_path / "cache.sqlite" if cached else None)
    times = seconds_a_turn(RunSpec.of(task, "act", model="there", **told), access)
    what = f"a turn of act over an endpoint{', cached' if cached else ''}"
    bench.notes.append(f"{what}: exponent {exponent(times):.2f} ({shown(times)})")
    assert exponent(times) <= (0.25 if cached else MOST)
