"""Limits are about what is paid: replies that are there already are free, and a replay stops where the run did."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.llm import Completion, Request, Usage
from pddl2nl.llm.cache import Cache
from pddl2nl.pddl import Task
from pddl2nl.policies.budget import BudgetSpentError, Limits, SharedBudget
from pddl2nl.tasks import shipped_task
from tests.answering import Answering
from tests.llm.chat_server import ChatServer

TURNS = ["unstack block_2 from block_1", "stack block_2 on block_0", "pick up block_1 from the table"]


def going() -> Answering:
    """A model that says the same things in the same turns."""
    return Answering(lambda request: Completion(f"Action: {TURNS[turn(request)]}", usage=Usage(10, 2)))


def turn(request: Request) -> int:
    return sum(message.role == "assistant" for message in request.messages)


@pytest.fixture
def task() -> Task:
    return shipped_task("blocksworld", "p01")


def test_a_limit_is_reached_by_what_is_paid_and_not_by_what_the_cache_has(task: Task, tmp_path: Path) -> None:
    access = Access(cache=Cache(tmp_path / "c.sqlite"))
    model = going()
    with ChatServer(model) as server:
        spec = RunSpec.of(
            task, "act", model="m", example="none", steps=3, base_url=server.base_url, out=tmp_path / "runs"
        )
        first = run_spec(RunSpec.of(**{**vars(spec), "budget_calls": 2}), access)
        assert (first.outcome, first.steps, first.spent.calls, first.spent.cache_hits) == ("budget", 2, 2, 0)
        # Nothing may be paid: what the cache has is used, and there it ends.
        free = run_spec(RunSpec.of(**{**vars(spec), "budget_calls": 0}), access)
        assert (free.outcome, free.steps, free.spent.calls, free.spent.cache_hits) == ("budget", 2, 0, 2)
        assert "the limit of 0 calls is reached" in free.message
        # With one call more it goes on where the money ended.
        further = run_spec(RunSpec.of(**{**vars(spec), "budget_calls": 1}), access)
        assert (further.steps, further.spent.calls, further.spent.cache_hits) == (3, 1, 2)
        assert further.message == "the limit of 3 steps is reached"
    assert [*map(turn, model.requests)] == [0, 1, 2]
    for result in (first, free, further):
        assert result.path is not None
        assert replay_record(result.path).identical


def test_a_spent_budget_forbids_calls_and_not_what_the_cache_has(task: Task, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c.sqlite")
    budget = SharedBudget(Limits(tokens=20))
    with ChatServer(going()) as server:
        spec = RunSpec.of(task, "act", model="m", example="none", steps=2, base_url=server.base_url)
        assert run_spec(spec, Access(cache=cache, budget=budget)).steps == 2
        again = run_spec(spec, Access(cache=cache, budget=budget))
        assert (again.steps, again.spent.calls, again.spent.cache_hits) == (2, 0, 2)
        with pytest.raises(BudgetSpentError, match="20 tokens"):
            run_spec(RunSpec.of(**{**vars(spec), "steps": 3}), Access(cache=cache, budget=budget))
