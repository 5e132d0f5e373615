"""A run that goes on where it was cut off: what it had is served, once and as it was recorded."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.writer import Recollection, RecordWriter, claimed, leftovers, partial_path, recollect
from pddl2nl.llm import Completion, Message, Request, ScriptedReply, Usage
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.replay import Exchange, RecordedCompletion
from pddl2nl.pddl import Task, load_task
from pddl2nl.policies.budget import BudgetSpentError, Limits, SharedBudget
from pddl2nl.tasks import shipped_task
from tests.answering import Answering
from tests.llm.chat_server import ChatServer


class Counting:
    """The replies of a script by the number of turns, with everything that a paid reply has."""

    name = "counting"
    base_url = "http://localhost/v1"

    def __init__(self, replies, broken_from=None):
        self.replies, self.broken_from, self.asked = replies, broken_from, []

    def complete(self, request):
        turn = sum(message.role == "assistant" for message in request.messages)
        if self.broken_from is not None and len(self.asked) >= self.broken_from:
            raise KeyboardInterrupt
        self.asked.append(turn)
        reply = self.replies[turn]
        finish = reply.finish if isinstance(reply, ScriptedReply) else "text"
        text = reply.reply if isinstance(reply, ScriptedReply) else reply
        return Completion(text, finish, Usage(100 + turn, 7, 5, 3), "counting-1", "fp", 0.25, False, "batch")


def on(lamp: int) -> str:
    return f"Action: apply the action 'switch-on' to lamp lamp_{lamp}"


REPLIES = [on(0), ScriptedReply(f"{on(1)}\n{on(2)}", finish="length"), ScriptedReply("", finish="empty"), on(1), on(2)]


def interrupted(model, spec, record):
    with pytest.raises(KeyboardInterrupt):
        run_spec(spec(model, record), Access(before=recollect(record).before))


@pytest.fixture
def spec(lamps):
    task = load_task(*lamps)
    return lambda model, record: RunSpec.of(task, "act", model=model, example="none", steps=9, record=record)


@pytest.mark.parametrize("calls", range(5))
def test_a_run_cut_off_after_any_call_asks_only_for_the_rest_and_ends_in_the_same_record(
    calls, spec, tmp_path, settled
):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    run_spec(spec(Counting(REPLIES), whole))
    interrupted(Counting(REPLIES, calls), spec, cut)
    assert not cut.exists()
    model = Counting(REPLIES)
    result = run_spec(spec(model, cut), Access(before=recollect(cut).before))
    assert model.asked == [*range(calls, 5)]
    assert result.solved
    # What was paid before counts in the run's own account.
    assert (result.spent.calls, result.spent.cache_hits) == (5, 0)
    assert settled(cut) == settled(whole)
    assert [path.name for path in tmp_path.glob("cut*")] == ["cut.jsonl"]


class Slow(Counting):
    """Says that each reply took two minutes."""

    def complete(self, request):
        return dataclasses.replace(super().complete(request), seconds=120.0)


class Quick(Counting):
    """Says that no reply took any time."""

    def complete(self, request):
        return dataclasses.replace(super().complete(request), seconds=0.0)


def test_the_seconds_of_a_resumed_run_include_those_of_earlier_processes(spec, tmp_path):
    """Once a run of 395 s that was resumed at its end said 16 s."""
    cut = tmp_path / "cut.jsonl"
    interrupted(Slow(REPLIES, 3), spec, cut)
    result = run_spec(spec(Quick(REPLIES), cut), Access(before=recollect(cut).before))
    assert 360 <= result.seconds < 480


class Talkative:
    """Answers in every role by what it is asked, and breaks off at a call."""

    name, base_url = "talkative", "http://localhost/v1"

    def __init__(self, broken_from=None):
        self.asked, self.broken_from = [], broken_from

    def complete(self, request):
        if len(self.asked) == self.broken_from:
            raise KeyboardInterrupt
        self.asked.append(request.purpose)
        if request.purpose == "planner":
            turn = sum(message.role == "assistant" for message in request.messages)
            return Completion(f"Thought: dark\n{on(turn % 3)}", usage=Usage(50, 5))
        return Completion(f"nothing about {len(request.messages)}", "length", Usage(9, 9))


@pytest.mark.parametrize("calls", [3, 5, 8])
def test_every_role_goes_on_where_it_was(calls, lamps, tmp_path, settled):
    example, plan = tmp_path / "example.pddl", tmp_path / "plan"
    example.write_text(lamps[1].read_text(encoding="utf-8").replace("(lit c)", ""), encoding="utf-8")
    plan.write_text("(switch-on a)\n(switch-on b)\n", encoding="utf-8")

    def spec(model, record):
        options = {"example": example, "example_plan": plan, "thoughts": "llm", "translator": "lines", "steps": 4}
        return RunSpec.of(load_task(*lamps), "react", model=model, record=record, **options)

    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    once = Talkative()
    run_spec(spec(once, whole))
    assert set(once.asked) == {"thoughts", "planner", "translator"}
    assert len(once.asked) > 8
    interrupted(Talkative(calls), spec, cut)
    again = Talkative()
    run_spec(spec(again, cut), Access(before=recollect(cut).before))
    assert again.asked == once.asked[calls:]
    assert settled(cut) == settled(whole)


def test_replies_come_back_as_they_were_recorded_seconds_and_all(spec, tmp_path):
    record = tmp_path / "cut.jsonl"
    interrupted(Counting(REPLIES, 3), spec, record)
    before = [json.loads(line) for line in partial_path(record).read_text(encoding="utf-8").splitlines()]
    run_spec(spec(Counting(REPLIES), record), Access(before=recollect(record).before))
    after = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    replied = [[event for event in events if event["event"] == "replied"] for events in (before, after)]
    assert len(replied[0]) == 3
    assert replied[1][:3] == replied[0]
    assert {event["tariff"] for event in replied[1]} == {"batch"}
    assert replied[0][0]["seconds"] == 0.25


def test_kills_before_anything_new_lose_nothing(spec, tmp_path):
    record = tmp_path / "cut.jsonl"
    interrupted(Counting(REPLIES, 3), spec, record)
    partial, earlier = leftovers(record)
    held = partial.read_bytes()
    # Killed at once, and while what it had is played again.
    RecordWriter(record)
    assert (partial.read_bytes(), earlier.read_bytes()) == (b"", held)
    interrupted(Counting(REPLIES, 0), spec, record)
    assert len(recollect(record)) == 3
    partial.write_bytes(b"".join(partial.read_bytes().splitlines(keepends=True)[:5]))
    RecordWriter(record)
    assert len(recollect(record)) == 3
    # One new reply, and the new record takes the old one's place.
    interrupted(Counting(REPLIES, 1), spec, record)
    RecordWriter(record)
    assert partial.read_bytes() == b""
    assert len(recollect(record)) == 4


def test_a_prompt_that_changed_is_asked_anew(spec, tmp_path, lamps):
    record = tmp_path / "cut.jsonl"
    interrupted(Counting(REPLIES, 3), spec, record)
    model = Counting(REPLIES)
    other = RunSpec.of(load_task(*lamps), "act", model=model, example="none", steps=9, record=record, temperature=0.5)
    run_spec(other, Access(before=recollect(record).before))
    assert model.asked == [0, 1, 2, 3, 4]


def test_the_same_request_is_answered_in_turn_and_then_by_the_model():
    request = Request((Message("user", "again"),))
    other = Request((Message("user", "again"),), "translator")
    said = [Exchange(request, RecordedCompletion(text, usage=Usage(10, 1), usd=0.5), "") for text in ("a", "b")]
    model = Counting(["live"] * 9)
    recollection = Recollection([said])
    assert recollection.spent().usd == 1.0
    asked = recollection.before(model)
    assert asked.name == "counting"
    assert [asked.complete(each).text for each in (request, other, request, request)] == ["a", "live", "b", "live"]
    assert (len(recollection), recollection.spent().calls) == (0, 0)


def test_of_two_records_of_one_run_that_with_more_replies_to_a_request_counts():
    request = Request((Message("user", "again"),))
    old = [Exchange(request, Completion("a"), "")]
    new = [Exchange(request, Completion(text), "") for text in ("a", "b")]
    for records in ([old, new], [new, old]):
        asked = Recollection(records).before(Counting([]))
        assert [asked.complete(request).text for _ in range(2)] == ["a", "b"]


def test_a_filters_verdict_is_tried_again_in_the_next_start_and_not_within_a_run(spec, tmp_path):
    record = tmp_path / "filtered.jsonl"
    replies = [on(0), ScriptedReply("", finish="filtered")]
    assert run_spec(spec(Counting(replies), record)).outcome == "infrastructure-error"
    assert len(recollect(record)) == 1
    record.rename(partial_path(record))
    assert len(recollect(record)) == 2


def test_a_torn_last_line_is_left_out_and_a_broken_one_before_it_is_said(spec, tmp_path):
    record = tmp_path / "cut.jsonl"
    interrupted(Counting(REPLIES, 3), spec, record)
    partial = partial_path(record)
    data = partial.read_bytes()
    partial.write_bytes(data[:-20])
    assert len(recollect(record)) in (2, 3)
    partial.write_bytes(data + '{"event": "replied", "text": "schö'.encode()[:-1])
    assert len(recollect(record)) == 3
    partial.write_bytes(b"{]\n" + data)
    with pytest.raises(InputError, match=r"cut\.jsonl\.partial:1: .*mend or remove that file"):
        recollect(record)


def test_a_record_is_claimed_by_one_at_a_time_and_no_file_is_left(tmp_path):
    record = tmp_path / "r.jsonl"
    with claimed(record) as mine:
        assert mine
        with claimed(record) as also:
            assert not also

    with claimed(record) as mine:
        assert mine
    assert [*tmp_path.iterdir()] == []


# ── limits are about what is paid ────────────────────────────────────────────────────────────────


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
