"""Runs whose replies a T-LLM translates: from the specification to the record, its replay, its page and the wire."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import RunRecord, run
from pddl2nl.experiments.planners import ff_plan
from pddl2nl.llm import Completion, Request, ScriptedModel
from pddl2nl.nl import READING_POLICIES, Reader, Teller, choose_wording, make_names, wording_from_json
from pddl2nl.policies import Policy
from pddl2nl.policies.events import Read, Replied
from pddl2nl.reports import read_record, recheck
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.run import turns_of
from pddl2nl.tasks import shipped_domain, shipped_domains, shipped_task
from tests.answering import Answering
from tests.experiments.mechanisms import WRITING
from tests.llm.chat_server import ChatServer

BARE: dict[str, Any] = {"example": "none", "steps": 40}
TASK = ("blocksworld", "p01")


class Perfect:
    """A T-LLM that makes no mistake: it reads a line as our reader does, and answers with told names."""

    name = "perfect"

    def __init__(self, domain: str, instance: str):
        task = shipped_task(domain, instance)
        wording = choose_wording(str(shipped_domain(domain).wording_path), task.domain)
        self._names = make_names(task, "typed", wording)
        self._reader = Reader(task, wording, self._names)
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        reading = self._reader.read_turn(f"Action: {request.messages[-1].content}")
        if reading.action is None:
            return Completion("no action", model=self.name)
        told = (self._names.to_nl[name] for name in reading.action.args)
        return Completion(f"({' '.join((reading.action.name, *told))})", model=self.name)


@lru_cache(maxsize=16)
def _plan(domain: str, instance: str) -> tuple[str, ...]:
    """The steps of a plan as they are told."""
    task = shipped_task(domain, instance)
    wording = choose_wording(str(shipped_domain(domain).wording_path), task.domain)
    teller = Teller(task, wording, make_names(task, "typed", wording))
    return tuple(teller.action(action) for action in ff_plan(task, "a plan"))


def _replies(policy: str, plan: tuple[str, ...]) -> list[str]:
    """What a model might say that knows the plan, in the form of each mechanism."""
    if policy == "basic":
        lines = [f"{number}. **{step}**." for number, step in enumerate(plan, 1)]
        return ["\n".join(["This is my plan.", "[PLAN]", *lines, "[PLAN END]", "I hope that it serves."])]
    turns = [f"Thought: There is more to do.\nAction: {step}" for step in plan]
    if policy == "cot":
        return ["\n".join(["[PLAN]", *turns, "[PLAN END]"])]
    if policy == "act":
        turns = [f"Action: {step}" for step in plan]
    return [turns[0], "Action: look around", turns[0], "Action: dance", "Action: finished", *turns[1:]]


# ── the same as the reader's ─────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("domain", shipped_domains())
@pytest.mark.parametrize("policy", ["basic", "react"])
def test_a_perfect_translator_changes_no_outcome(domain: str, policy: str) -> None:
    task = shipped_task(domain, "p02")
    wording = str(shipped_domain(domain).wording_path)
    plan = _plan(domain, "p02")
    wrong = (*plan[:2], plan[0], *plan[2:])
    for steps in (plan, wrong, plan[:-1]):
        results = []
        for mode in ("reader", "lines", "reader+llm"):
            translator = Perfect(domain, "p02")
            replies = [*_replies(policy, steps), *["Action: look around"] * 40]
            result = run(
                task,
                policy,
                ScriptedModel(replies),
                wording=wording,
                translator=mode,
                models={"translator": translator} if mode != "reader" else {},
                example="none",
                steps=len(plan) + 8,
            )
            results.append((result.outcome, result.fault, result.plan, result.steps, result.mistakes))
            asked = len(translator.requests)
            if mode == "lines":
                assert asked >= len(result.plan)
                assert {event.rule for event in result.events if isinstance(event, Read) if event.action} == {"llm"}
            elif mode == "reader+llm":
                assert asked <= 1, "only the dance cannot be read"
        assert results[0] == results[1] == results[2]


# ── the record ───────────────────────────────────────────────────────────────────────────────────


def _recorded(folder: Path, policy: str, mode: str = "lines", **options: Any) -> RunRecord:
    plan = ("pick up block_0 from the table", "dance", "stack block_0 on block_1")
    return run(
        shipped_task(*TASK),
        policy,
        ScriptedModel([*_replies(policy, plan), *["Action: look around"] * 40]),
        translator=mode,
        models={"translator": Perfect(*TASK)},
        record=folder / f"{policy}.jsonl",
        **{**BARE, "steps": 6, **options},
    )


@pytest.mark.parametrize("policy", WRITING)
def test_a_record_with_translations_is_read_judged_and_shown(policy: str, tmp_path: Path) -> None:
    result = _recorded(tmp_path, policy)
    assert result.path is not None
    record = read_record(result.path)
    assert recheck(record).agrees
    turns = turns_of(record)
    spans = {piece.text for turn in turns for call in turn.calls for piece in call.reply if piece.status}
    said = {event.text for event in result.events if isinstance(event, Read)}
    assert spans == said, "what was read is marked in the reply where it stands, and in no translation"
    answers = [call.reply for turn in turns for call in turn.calls if call.prompt.purpose == "translator"]
    assert not any(piece.status for reply in answers for piece in reply)
    page = write_html(gathered([record]), tmp_path / "page.html", plots=False).read_text(encoding="utf-8")
    assert "Prompt for the translator" in page
    assert "version" in page


def test_everything_needed_to_run_it_again_is_recorded(tmp_path: Path) -> None:
    result = _recorded(tmp_path, "basic", names_seed=4, reading="all", on_ambiguous="state")
    started = result.started
    assert (started.spec["reading"], started.reading_version) == ("all", READING_POLICIES["all"].version)
    assert (started.spec["on_ambiguous"], started.spec["names_seed"]) == ("state", 4)
    assert started.prompts["translator.txt"] == Policy.prompts.hash("translator.txt")
    assert started.wording is not None
    wording = wording_from_json(started.wording, shipped_task(*TASK).domain, "the record")
    assert started.names == dict(make_names(shipped_task(*TASK), started.spec["names"], wording, 4).to_nl)
    plain = run(shipped_task(*TASK), "basic", ScriptedModel(["x"]), **BARE).started
    assert (plain.spec["translator"], plain.models) == ("reader", {"planner": "script"})
    assert "translator.txt" not in plain.prompts


# ── what is needed, and what is refused ──────────────────────────────────────────────────────────


# ── the wire ─────────────────────────────────────────────────────────────────────────────────────


def both() -> Answering:
    """Answers planner and T-LLM alike, as an endpoint does that knows both models."""
    translator = Perfect(*TASK)
    planner = ScriptedModel(["Action: pick up block_0 from the table", "Action: put down block_0 on the table"])
    translates = lambda request: "into PDDL" in request.messages[0].content  # noqa: E731
    return Answering(lambda request: (translator if translates(request) else planner).complete(request))


def test_over_http_the_translator_is_asked_by_its_own_name() -> None:
    with ChatServer(both()) as server:
        result = run(
            shipped_task(*TASK),
            "act",
            "gpt-4o-2024-08-06",
            translator="lines",
            models={"translator": "gpt-4o-mini"},
            base_url=server.base_url,
            example="none",
            steps=2,
            budget_usd=1.0,
        )
        bodies = [call.body for call in server.calls]
    assert (result.spent.calls, result.steps) == (4, 2), result
    assert [body["model"] for body in bodies] == ["gpt-4o-2024-08-06", "gpt-4o-mini"] * 2
    assert [body.get("max_tokens") for body in bodies] == [None, 750] * 2
    assert {body["temperature"] for body in bodies} == {0.0}
    assert result.spent.usd is not None
    prices = [event.usd or 0.0 for event in result.events if isinstance(event, Replied)]
    assert result.spent.usd == pytest.approx(sum(prices))
    assert 0 < prices[1] < prices[0], "each call at the price of its own model"
