"""Runs made again from their records: identical, whatever was said in them; and what is found where they are not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import RunRecord, RunSpec, run_spec
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.reader import event_kinds
from pddl2nl.experiments.records.replay import KEPT, Replayed, replay_record
from pddl2nl.experiments.records.writer import VOLATILE
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import Completion, ContextWindowError, EndpointError, ReplyPendingError, Request, ScriptedModel, Usage
from pddl2nl.nl import template_wording
from pddl2nl.pddl import Task, load_task, parse_task
from pddl2nl.policies import event_to_json, make_policy
from pddl2nl.policies.events import FORMAT, RecordError
from pddl2nl.policies.policy import CORE
from pddl2nl.policies.prompts import Prompts
from pddl2nl.tasks import shipped_task
from tests.answering import Answering
from tests.experiments.conftest import planner_job
from tests.llm.chat_server import ChatServer

ODD = "; ☕ überall\u2028und\u0085nirgends\n"
EXAMPLE_PLAN = "(lift green sink)\n(put green door)\n"
LINES = [
    *("lift cup_0 from place_1", "(lift red table)", "put cup_0 at place_0", "(put red shelf)", "(lift blue shelf)"),
    *("dance", "look around", "finished", "lift cup_7", "Thought: I consider.", "(lift red)"),
    "☕ été 日本\u2028\u0085 \ud800 \x00",
]
WORDS = {"(at": "{?c} stands at {?p}", "(held": "{?c} is held", "(free": "a hand is free"}
FINISHES = ["text"] * 12 + ["length", "refused", "filtered", "empty"]
FAULTS = [EndpointError("503, after all retries\nsecond line"), ContextWindowError("the prompt has 9000 tokens")]
BARE: dict[str, Any] = {"style": "pddl", "example": "none", "steps": 6}


class Chatter:
    """Says anything at all, in every role, from a seed: good answers, nonsense, and failures on the way."""

    def __init__(self, seed: int, name: str = "gpt-4o-2024-08-06"):
        self.name = name
        self.base_url = "http://127.0.0.1:9/v1"
        self._rng = random.Random(seed)

    def complete(self, request: Request) -> Completion:
        rng = self._rng
        if rng.random() < 0.04:
            raise rng.choice(FAULTS)
        prompt = rng.randrange(2000)
        usage = Usage(prompt, rng.randrange(200), rng.randrange(prompt + 1), rng.randrange(9))
        return Completion(
            self._said(request),
            rng.choice(FINISHES),
            usage,
            rng.choice([self.name, "gpt-4o-mini", "other"]) if rng.random() < 0.2 else self.name,
            rng.choice(["", "fp_1"]),
            rng.random(),
            from_cache=rng.random() < 0.3,
            tariff=rng.choice(["standard", "batch"]),
        )

    def _said(self, request: Request) -> str:
        rng = self._rng
        if rng.random() < 0.1:
            return rng.choice(["", "I cannot help with that.", "\u2028\u0085\ud83d"])
        if request.purpose == "wording":
            asked = request.messages[-1].content
            fits = [words for start, words in WORDS.items() if start in asked]
            return fits[0] if fits else f"{'lift' if 'lift' in asked else 'put'} {{?c}} by {{?p}}"
        if request.purpose == "thoughts":
            thoughts = ["[THOUGHT 1] I need the cup.", "[THOUGHT 2] Now it can go there.", "[THOUGHT 3] And more."]
            return "\n".join(thoughts[: rng.randrange(1, 4)])
        if request.purpose == "translator":
            return rng.choice(["(lift cup_0 place_1)", "(put cup_0 place_0)", "no action", "(put cup_0)", "what?"])
        said = rng.choices(LINES, k=rng.randrange(1, 5))
        if rng.random() < 0.5:
            return "[PLAN]\n" + "\n".join(said) + "\n[PLAN END]"
        return "Thought: well.\nAction: " + said[0]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory, cups: Any) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("example")
    problem, plan = folder / "shown.pddl", folder / "shown.plan"
    problem.write_text(cups.shown, encoding="utf-8")
    plan.write_text(EXAMPLE_PLAN, encoding="utf-8")
    return problem, plan


@pytest.fixture(scope="module")
def task(cups: Any) -> Task:
    return parse_task(cups.domain + ODD, cups.problem)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No planner, no key, no socket."""

    def forbidden(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a replay needs neither a planner nor a network")

    monkeypatch.setattr("pddl2nl.baselines.solve", forbidden)
    monkeypatch.setattr("socket.socket.connect", forbidden)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def _write(path: Path, events: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in ("seconds", "time")}
    return [*map(_timeless, value)] if isinstance(value, list | tuple) else value


def _same(result: RunRecord, replayed: Replayed) -> None:
    assert replayed.identical, replayed.difference
    assert replayed.complete
    # What stays as recorded, and what was spent, is repeated as well: all but the times.
    assert [_timeless(event_to_json(event)) for event in replayed.events] == [
        _timeless(event_to_json(event)) for event in result.events
    ]


def _spec(policy: str, style: str, rng: random.Random, task: Task, example: tuple[Path, Path]) -> RunSpec:
    """Any run of a mechanism: every option that it takes, drawn at random."""
    draw, made, seed = rng.choice, make_policy(policy), rng.randrange(10**6)
    fields = type(made).__struct_fields__
    own: dict[str, Any] = {
        "samples": draw([1, 3]),
        "rounds": draw([0, 2]),
        "feedback": draw(["reason", "applicable", "minimal"]),
        "stop_after": draw([None, 2]),
    }
    options = {key: value for key, value in own.items() if key in fields}
    models: dict[str, Any] = {}
    run: dict[str, Any] = {"history": draw(["all", "last:2", "none"])} if "history" in made.uses else {}
    if made.needs_model:
        shown = draw([True, False])
        run |= {"example": example[0], "example_plan": example[1]} if shown else {"example": "none"}
        run |= {"on_ambiguous": draw(["refuse", "state"])}
    if style == "nl" and made.needs_model:
        wording, translator = (
            draw([None, "llm", "llm", template_wording(task.domain)]),
            draw(["reader", "lines", "llm", "reader+llm"]),
        )
        run |= {"wording": wording, "translator": translator}
        if "reading" in made.uses:
            run["reading"] = draw(["default", "planbench", "all"])
        if wording == "llm" and draw([True, False]):
            models["wording"] = Chatter(seed + 2, "wording-7b")
        if translator != "reader" and draw([True, False]):
            models["translator"] = Chatter(seed + 1, "translator-7b")
        if made.thoughts:
            run["thoughts"] = draw(["auto", "llm", "template"])
            if run["thoughts"] != "template" and draw([True, False]):
                models["thoughts"] = Chatter(seed + 3, "thoughts-7b")
    return RunSpec(
        task,
        policy,
        options=options,
        model=Chatter(seed),
        models=models,
        style=style,
        names=draw(["typed", "original", "inferred"]),
        names_seed=draw([None, 3]),
        steps=draw([4, 8]),
        budget_calls=draw([None, None, None, 0, 2, 7]),
        budget_tokens=draw([None, None, 3000, 9000]),
        budget_usd=draw([None, None, 0.01]) if draw([True, False]) else None,
        seed=seed,
        temperature=draw([0.0, 0.7, None]),
        profile=draw([None, "autoplanbench"]),
        **run,
    )


# Score takes few options and no replies (tests/policies/test_score.py), the replies of Tools are calls (test_tools.py).
# Systems have tests of their own.
EVERY = [(name, style) for name in CORE for style in make_policy(name).styles if name not in ("score", "tools")]


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("policy", "style"), EVERY)
def test_any_run_replays_identically(
    policy: str, style: str, seed: int, task: Task, example: tuple[Path, Path], tmp_path: Path
) -> None:
    path, rng = tmp_path / "run.jsonl", random.Random(f"{policy} {style} {seed}")
    spec = replace(_spec(policy, style, rng, task, example), record=path)
    if spec.budget_usd is not None:
        # A limit of money needs models whose price is known.
        spec = replace(spec, models={})
    result = run_spec(spec)
    _same(result, replay_record(path))
    # A killed run's record ends anywhere, in the middle of a character too.
    whole = path.read_bytes()
    partial = tmp_path / "run.jsonl.partial"
    for _ in range(3):
        partial.write_bytes(whole[: rng.randrange(whole.index(b"\n") + 1, len(whole) - 1)])
        replayed = replay_record(partial)
        assert replayed.identical, replayed.difference
        assert not replayed.complete


# ── what a replay finds ──────────────────────────────────────────────────────────────────────────

TURNS = ["Action: (lift red table)", "Action: look around", "Action: (put red shelf)"]


@pytest.fixture
def record(task: Task, tmp_path: Path) -> Path:
    """The record of a short run of Act, solved."""
    path = tmp_path / "act.jsonl"
    assert run_spec(RunSpec.of(task, "act", model=ScriptedModel(TURNS), record=path, **BARE)).solved
    return path


def _edit(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> Replayed:
    events = _lines(path)
    change(events)
    _write(path, events)
    return replay_record(path)


def test_a_changed_prompt_file_is_reported_with_the_line(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Prompts.text

    def changed(self: Prompts, name: str) -> str:
        lines = text(self, name).split("\n")
        return "\n".join([*lines[:2], "Be quick.", *lines[2:]]) if name == "act_pddl.txt" else text(self, name)

    monkeypatch.setattr(Prompts, "text", changed)
    difference = replay_record(record).difference
    assert (difference.event, difference.name, difference.field) == (1, "started", "prompts.act_pddl.txt")
    lines = difference.diff.splitlines()
    assert "  first different in message 1 (system), line 3" in lines
    assert "+system: Be quick." in lines
    assert not [line for line in lines if line.startswith("-") and not line.startswith("---")]


def test_a_changed_wording_is_reported_with_the_line(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "basic.jsonl"
    spec = RunSpec.of(
        task, "basic", model=ScriptedModel(["[PLAN]\nlift cup_0\n[PLAN END]"]), example="none", record=path
    )
    run_spec(spec)

    def reword(events: list[dict[str, Any]]) -> None:
        events[0]["wording"]["predicates"]["free"]["text"] = "my hands are idle"

    difference = _edit(path, reword).difference
    assert (difference.event, difference.name, difference.field) == (2, "prompted", "messages")
    assert "first different in message 1 (system), line " in difference.diff
    assert any(line.startswith("+") and "my hands are idle" in line for line in difference.diff.splitlines())


@pytest.mark.parametrize(
    ("place", "field", "value", "found"),
    [
        (2, "text", "Action: (lift blue table)", (4, "read", "text")),
        (2, "prompt_tokens", 7, (15, "finished", "prompt_tokens")),
        (4, "observation", "I see.", (5, "acted", "observation")),
        (6, "text", "Action: dance", (8, "read", "status")),
        (14, "outcome", "gave-up", (15, "finished", "outcome")),
    ],
)
def test_a_record_edited_by_hand_is_found_out(
    record: Path, place: int, field: str, value: Any, found: tuple[int, str, str]
) -> None:
    difference = _edit(record, lambda events: events[place].update({field: value})).difference
    assert (difference.event, difference.name) == found[:2]
    assert difference.field == found[2] or place == 0


def test_what_is_missing_or_too_much_is_found_out(record: Path) -> None:
    whole = _lines(record)
    shorter = _edit(record, lambda events: events.pop(8)).difference
    assert (shorter.event, shorter.field, shorter.now) == (9, "event", "looked-around")
    _write(record, [*whole[:-1], whole[-2], whole[-1]])
    longer = replay_record(record).difference
    assert (longer.event, longer.recorded, longer.now) == (15, "goal-reached", "finished")


def test_what_was_recorded_of_the_model_stays(task: Task, tmp_path: Path, record: Path) -> None:
    def elsewhere(events: list[dict[str, Any]]) -> None:
        events[0] |= {"models": {"planner": "some-model"}, "base_url": "http://far.away/v1", "solvable": True}
        events[0] |= {"model_settings": {"reasoning_effort": "low"}, "versions": {"python": "3.99"}}
        events[0]["spec"] |= {"domain_file": "there/domain.pddl"}

    replayed = _edit(record, elsewhere)
    assert replayed.difference is None
    assert replayed.changed == "line 1 is not as it was written"
    assert not replayed.identical
    first = event_to_json(replayed.events[0])
    assert {name: first[name] for name in KEPT} == {name: _lines(record)[0][name] for name in KEPT}


def test_a_record_of_another_format_says_which_version_reads_it(record: Path) -> None:
    with pytest.raises(RecordError, match=rf"has format 1, and this version reads {FORMAT}: use the version"):
        _edit(record, lambda events: events[0].update(format=1))


@pytest.mark.parametrize(("key", "value"), [("seed", 2), ("policy", "react"), ("steps", 1)])
def test_another_description_of_the_run_is_found_out(record: Path, key: str, value: Any) -> None:
    difference = _edit(record, lambda events: events[0]["spec"].update({key: value})).difference
    assert difference.name in ("started", "prompted", "finished", "acted")


def test_a_task_without_source_replays_from_what_the_writer_wrote(task: Task, tmp_path: Path) -> None:
    bare = Task(replace(task.domain, source=None), replace(task.problem, source=None))
    for style in ("nl", "pddl"):
        path = tmp_path / f"{style}.jsonl"
        spec = RunSpec.of(bare, "act", model=ScriptedModel(TURNS), record=path, **{**BARE, "style": style})
        result = run_spec(spec)
        _same(result, replay_record(path))


def test_a_run_with_the_model_replay_repeats_the_accounts(task: Task, tmp_path: Path) -> None:
    first = run_spec(RunSpec.of(task, "act", model=Chatter(5), record=tmp_path / "run.jsonl", **BARE))
    again = run_spec(
        RunSpec.of(task, "act", model=f"replay:{tmp_path}", record=tmp_path / "again" / "again.jsonl", **BARE)
    )
    assert first.spent.cache_hits > 0
    assert _timeless(again.as_json() | {"record": ""}) == _timeless(first.as_json() | {"record": ""})
    assert replay_record(tmp_path / "again" / "again.jsonl").identical


def test_a_batch_that_is_pending_leaves_nothing_to_complain_of(task: Task, tmp_path: Path) -> None:
    with pytest.raises(ReplyPendingError):
        run_spec(
            RunSpec.of(task, "act", model=Answering(ReplyPendingError("later")), record=tmp_path / "run.jsonl", **BARE)
        )
    assert replay_record(tmp_path / "run.jsonl.partial").identical


def test_runs_over_http_replay_when_the_endpoint_is_gone(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-only-for-the-endpoint")
    access = Access(cache=tmp_path / "cache.sqlite")
    results = []
    with ChatServer(ScriptedModel([*TURNS, *TURNS])) as server:
        for name, budget_calls in (("paid", None), ("cached", None), ("half", 1)):
            spec = RunSpec.of(
                task, "act", model="gpt-4o-mini", base_url=server.base_url, budget_calls=budget_calls, **BARE
            )
            results.append(run_spec(replace(spec, record=tmp_path / f"{name}.jsonl"), access))
            # The third is bounded by a single call, and needs none: replies of a cache are no calls, then and now.
    monkeypatch.delenv("OPENAI_API_KEY")
    assert [result.spent.cache_hits for result in results] == [0, 3, 3]
    assert all(result.solved for result in results)
    for name, result in zip(("paid", "cached", "half"), results, strict=True):
        _same(result, replay_record(tmp_path / f"{name}.jsonl"))


@pytest.mark.usefixtures("needs_planner")
def test_an_oracles_run_replays_without_its_planner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    path = tmp_path / "react.jsonl"
    result = run_spec(RunSpec.of(shipped_task("blocksworld", "p01"), "react", model="oracle", record=path))
    assert result.solved

    def missing(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a replay plans nothing")

    monkeypatch.setattr("pddl2nl.baselines.solve", missing)
    _same(result, replay_record(path))


# ── what is no record ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("event", "field", "value", "words"),
    [
        ("replied", "text", 5, "text is 5; expected a text"),
        ("replied", "prompt_tokens", "z", "prompt_tokens is 'z'; expected a whole number"),
        ("replied", "prompt_tokens", -1, "prompt_tokens is -1; expected a whole number >= 0"),
        ("replied", "finish", 7, "finish is 7; expected one of"),
        ("replied", "usd", "dear", "usd is 'dear'; expected a number"),
        ("replied", "tariff", ["batch"], "tariff is .*; expected one of batch, standard"),
        ("prompted", "messages", [{"role": "user", "content": 5}], r"messages\[0\].content is 5; expected a text"),
        ("prompted", "messages", [3], r"messages\[0\] is 3; expected a table"),
        ("prompted", "call", [1], r"call is \[1\]; expected a whole number"),
        ("finished", "outcome", "WON", "outcome is 'WON'; expected one of budget, context, gave-up"),
        ("finished", "event", "started", "has format 1"),
        ("finished", "event", "won", "not an event of a run: 'won'"),
    ],
)
def test_a_call_that_cannot_be_is_refused_at_its_line(
    record: Path, event: str, field: str, value: Any, words: str
) -> None:
    def spoil(events: list[dict[str, Any]]) -> None:
        next(each for each in events if each["event"] == event)[field] = value

    with pytest.raises(RecordError, match=rf"act\.jsonl:[0-9]+: .*{words}"):
        _edit(record, spoil)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("example", {"problem": 3}, "no run can be made"),
        ("unknown", 1, "wrong fields"),
        ("spec", 3, "spec is 3"),
        ("policy", "nonsense", "nonsense"),
        ("policy", 7, "policy is 7"),
        ("domain", "(define", "no run can be made"),
        ("steps", "x", "steps is 'x'"),
        ("temperature", "hot", "temperature is 'hot'"),
        ("options", {"rounds": "x"}, "has no option 'rounds'"),
        ("options", {"stop_after": 1.5}, "stop_after is 1.5; expected a whole number"),
    ],
)
def test_a_first_event_that_cannot_be_is_refused(record: Path, field: str, value: Any, words: str) -> None:
    def spoil(events: list[dict[str, Any]]) -> None:
        (events[0] if field in ("example", "unknown", "spec") else events[0]["spec"])[field] = value

    with pytest.raises(RecordError, match=words):
        _edit(record, spoil)


def test_a_record_does_not_say_which_example_is_read(record: Path) -> None:
    def point(events: list[dict[str, Any]]) -> None:
        events[0]["spec"]["example"] = "absent.pddl"

    # Reading it would be an error.
    assert _edit(record, point).difference is None


# ── what differs between two runs ────────────────────────────────────────────────────────────────


def test_every_volatile_field_exists():
    for place in VOLATILE:
        kind, _, field = place.partition(".")
        assert field in event_kinds()[kind].__struct_fields__


@pytest.mark.usefixtures("needs_planner")
def test_two_runs_of_one_specification_differ_in_nothing_else(lamps, tmp_path, settled):
    task = load_task(*lamps)
    jobs = [planner_job(*lamps), run_job(RunSpec.of(task, "act", model="oracle", example="none"))]
    for folder in ("one", "two"):
        assert run_all(jobs, tmp_path / folder).solved == 2
    for job in jobs:
        one, two = (tmp_path / folder / f"{job.name}.jsonl" for folder in ("one", "two"))
        assert one.read_bytes() != two.read_bytes()
        assert settled(one) == settled(two)
