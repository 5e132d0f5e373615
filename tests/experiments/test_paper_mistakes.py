"""What the paper's own code gets wrong around the mechanisms; its mistakes within them stand under ``tests/policies``.

The key in every log, runs in parallel that overwrite each other's files, cached calls counted as spent tokens.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from msgspec.structs import replace

from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import RunResult, run_spec
from pddl2nl.llm import Completion, Request, ScriptedModel
from pddl2nl.pddl import Task
from pddl2nl.policies.events import Finished, Started
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports import read_record, recheck
from pddl2nl.reports.records import RunRecord
from pddl2nl.tasks import shipped_domain
from tests.llm.chat_server import ChatServer, Trouble

KEY = "sk-known-key-5550123"
RUNS = 8
AT_ONCE = 8


@pytest.fixture(scope="module")
def task() -> Task:
    return shipped_domain("blocksworld").task("p02")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Fixed(ScriptedModel):
    """Says the same over and over."""

    def __init__(self) -> None:
        super().__init__(["Action: look around"] * 500)


def _spec(task: Task, server: ChatServer, out: Path, **chosen: object) -> RunSpec:
    options = {"steps": 3, "example": "none", "base_url": server.base_url, "out": out} | chosen
    return RunSpec.of(task, "act", model="gpt-4o-2024-08-06", **options)  # type: ignore[arg-type]


# ── the key in every log ─────────────────────────────────────────────────────────────────────────


def test_the_key_is_in_no_file_no_log_and_no_message(
    task: Task, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    faults = [Trouble(429), None, Trouble(500), Trouble(drop=True), None, Trouble(401, f"Incorrect API key: {KEY}")]
    with ChatServer(Fixed(), lambda number: faults[(number - 1) % len(faults)]) as server:
        spec = _spec(task, server, tmp_path / "records")
        result = run_spec(spec, Access(cache=tmp_path / "cache.sqlite"))
        assert any(KEY in str(call.headers) for call in server.calls), "the server must have been sent the key"
    assert result.outcome == "infrastructure-error"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert written
    assert KEY.encode() not in written
    shown = capfd.readouterr()
    assert KEY not in shown.out + shown.err + caplog.text + repr(result) + result.message


# ── runs in parallel ─────────────────────────────────────────────────────────────────────────────


class Meeting:
    """Answers when as many runs have asked as there are at once, so that all of their records are open."""

    name = "meeting"
    everybody = Barrier(AT_ONCE, timeout=10)

    def complete(self, request: Request) -> Completion:
        self.everybody.wait()
        return Completion(f"Action: dance number {request.seed}", model=self.name)


@pytest.mark.heavy
def test_runs_in_parallel_write_over_nothing_of_each_other(task: Task, tmp_path: Path) -> None:
    def play(seed: int) -> RunResult:
        return run_spec(RunSpec.of(task, "act", model=Meeting(), seed=seed, steps=2, example="none", out=tmp_path))

    # Twice the same seeds, so that every record would like a name that another one has.
    seeds = [seed for seed in range(1, RUNS + 1) for _ in range(2)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(play, seeds))
    paths = [result.record for result in results]
    assert len(set(paths)) == len(seeds)
    assert sorted(path for path in paths if path) == sorted(tmp_path.rglob("*.jsonl"))
    assert not list(tmp_path.rglob("*.partial"))
    for seed, result in zip(seeds, results, strict=True):
        assert result.record is not None
        record = read_record(result.record)
        assert isinstance(record, RunRecord)
        # The digest is of the lines as they were written, which the result has not.
        *before, last = record.events
        assert (*before, replace(last, digest="")) == result.events
        assert record.started.seed == seed
        assert recheck(record).agrees


# ── cached calls ─────────────────────────────────────────────────────────────────────────────────


def test_what_the_cache_had_is_used_and_not_spent(task: Task, tmp_path: Path) -> None:
    access = Access(cache=tmp_path / "cache.sqlite")
    with ChatServer(Fixed()) as server:
        first = run_spec(_spec(task, server, tmp_path / "one"), access)
        asked = len(server.calls)
        again = run_spec(_spec(task, server, tmp_path / "two"), Access(cache=tmp_path / "cache.sqlite"))
        assert len(server.calls) == asked == first.calls
        # A budget that would not pay for one of the calls is enough where nothing is to be paid.
        bounded = run_spec(_spec(task, server, tmp_path / "three", budget_tokens=1, budget_usd=1e-9), access)
    assert (first.calls, first.cache_hits) == (3, 0)
    assert first.usd is not None
    assert first.usd > 0
    assert (again.calls, again.cache_hits, again.prompt_tokens, again.completion_tokens) == (0, 3, 0, 0)
    assert again.usd == 0
    assert (bounded.steps, bounded.calls, bounded.message) == (3, 0, first.message)
    ends = [result.events[-1] for result in (first, again)]
    assert all(isinstance(end, Finished) for end in ends)
    assert ends[0].used == ends[1].used  # type: ignore[union-attr]
    assert ends[0].prompt_tokens == ends[1].prompt_tokens > 0  # type: ignore[union-attr]
    assert isinstance(first.events[0], Started)
