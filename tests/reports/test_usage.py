"""What replies took, by role: as an endpoint counted it, and estimated where it did not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import structs

from pddl2nl.experiments.records.stored import RoleUsage, read_record, usage_by_role
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Message, Request
from pddl2nl.llm.tokens import CHARACTERS_A_TOKEN, estimate_tokens
from pddl2nl.policies.events import Failed, Prompted, Replied
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.metrics import measure
from pddl2nl.tasks import shipped_task
from tests.records import begun


def _asked(call: int, kept: int, *texts: str, purpose: str = "planner") -> Prompted:
    return Prompted(call, purpose, kept, tuple(Message("user", text) for text in texts), f"sha{call}")


def test_a_prompt_that_nobody_counted_is_estimated_with_all_that_it_kept():
    events = [_asked(1, 0, "x" * 40, "y" * 40), Replied(1, "z" * 9), _asked(2, 1, "w" * 20), Replied(2, "")]
    usage = usage_by_role(events)["planner"]
    assert usage.prompt_tokens == estimate_tokens(80) + estimate_tokens(60)
    assert usage.completion_tokens == 3, "nine characters are no two tokens, and nothing is none"
    assert (usage.calls, usage.prompt_estimated, usage.completion_estimated) == (2, True, True)


def test_what_an_endpoint_counted_is_never_replaced():
    events = [_asked(1, 0, "x" * 40), Replied(1, "z" * 40, prompt_tokens=3, completion_tokens=4)]
    assert usage_by_role(events)["planner"] == RoleUsage(1, 3, 4, usd=None, new_tokens=3)


def test_each_role_keeps_its_own_prompts():
    translates = _asked(2, 0, "t" * 400, purpose="translator")
    events = [
        _asked(1, 0, "x" * 40),
        Replied(1, "a"),
        translates,
        Replied(2, "b"),
        _asked(3, 1, "y" * 4),
        Replied(3, "c"),
    ]
    usage = usage_by_role(events)
    assert [*usage] == ["planner", "translator"]
    assert (usage["planner"].prompt_tokens, usage["translator"].prompt_tokens) == (13 + 14, 122)
    assert sum(usage.values(), RoleUsage()).prompt_tokens == 13 + 14 + 122


def test_a_call_that_failed_is_none_and_nothing_is_kept_of_its_prompt():
    events = [
        *(_asked(1, 0, "x" * 40), Replied(1, "a")),
        *(_asked(2, 0, "y" * 4000), Failed(2, "503")),
        *(_asked(2, 1, "z" * 4), Replied(2, "b")),
    ]
    usage = usage_by_role(events)["planner"]
    assert (usage.calls, usage.prompt_tokens) == (2, 13 + 14)


@pytest.mark.parametrize(("usd", "known"), [(0.0, None), (0.25, 0.25), (None, None)])
def test_what_uncounted_tokens_of_an_endpoint_cost_is_not_nothing(usd, known):
    started = begun("act", base_url="http://localhost/v1")
    events = [started, _asked(1, 0, "x" * 40), Replied(1, "a", usd=usd)]
    assert usage_by_role(events)["planner"].usd == known
    free = [structs.replace(started, base_url=None), *events[1:]]
    assert usage_by_role(free)["planner"].usd == usd


class _Counting:
    """Counts, as an endpoint would, the characters of everything that it is sent."""

    name = "counting"

    def __init__(self, replies: list[str]) -> None:
        self._replies = replies
        self.characters = 0
        self.tokens = 0

    def complete(self, request: Request) -> Completion:
        characters = sum(len(message.content) for message in request.messages)
        self.characters += characters
        self.tokens += estimate_tokens(characters)
        return Completion(self._replies.pop(0), model=self.name)


@pytest.mark.parametrize("history", ["all", "last:2", "none"])
def test_a_records_estimate_is_that_of_what_was_sent(tmp_path: Path, history: str) -> None:
    model = _Counting(["look around", "dance", "look around", "stack b on a", "no", "look around"])
    record = tmp_path / "one.jsonl"
    task = shipped_task("blocksworld", "p01")
    run_spec(RunSpec(task, "act", model=model, example="none", steps=6, history=history, record=record))
    assert len(json.loads(record.read_text(encoding="utf-8").splitlines()[-1])["proposed"]) == 0
    values, estimated = measure(read_record(record))
    assert values["planner-prompt-tokens"] == model.tokens > 0
    assert {"planner-prompt-tokens", "tokens"} <= estimated


@pytest.mark.parametrize("history", ["all", "last:1", "none"])
def test_new_tokens_are_those_behind_what_the_last_prompt_began_with(tmp_path: Path, history: str) -> None:
    model = _Counting(["look around", "unstack b from a", "dance", "look around"])
    record = tmp_path / "one.jsonl"
    task = shipped_task("blocksworld", "p01")
    run_spec(RunSpec(task, "act", model=model, example="none", steps=4, history=history, record=record))
    values, estimated = measure(read_record(record))
    prompts = [event for event in read_record(record).events if event.event == "prompted"]
    new = sum(len(message.content) for event in prompts for message in event.messages)
    assert values["new-tokens"] == pytest.approx(new / CHARACTERS_A_TOKEN, abs=4)
    assert "new-tokens" in estimated
