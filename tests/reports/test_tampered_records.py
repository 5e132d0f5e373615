"""Records that were changed after they were written: what a report finds, what a replay finds, and what neither can.

Each change is made twice: in the file alone, which the digest shows, and by a forger who computes the digest again.
The forger is found by the events that contradict one another or the task. What a forger can change unseen by a report
is listed in ``docs/explanation/verdict-chain.md``; `ONLY_A_REPLAY_SEES` and `NOBODY_SEES` are this list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.records.reader import seal_fault
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.experiments.runs import run
from pddl2nl.llm import Completion, Request, Usage
from pddl2nl.pddl import parse_task
from pddl2nl.policies.events import RecordError
from pddl2nl.reports.gathering import gather
from tests.answering import Answering
from tests.experiments.conftest import CUPS
from tests.records import rewrite

Events = list[dict[str, Any]]
Edit = Callable[[Events], object]

LIFT, PUT = "(lift red table)", "(put red shelf)"
BLUE = ("(lift blue table)", "(put blue shelf)")
WALK = ("look around", "put cup_0 place_0", "dance", "lift cup_0 place_1", "put cup_0 place_0")


def walk(path: Path) -> None:
    """Looks around, two mistakes, two good actions: solved."""
    _run(path, "act", *(f"Action: {words}" for words in WALK))


def stuck(path: Path) -> None:
    """One good action, then nonsense until the steps run out."""
    _run(path, "act", "Action: lift cup_0 place_1", "Action: dance", "Action: sing", steps=3)


def plans(path: Path) -> None:
    """Two plans of one run: the first misses the goal, the second reaches it."""
    lines = ("[PLAN]\nlift cup_0 place_1\n[PLAN END]", "[PLAN]\nlift cup_0 place_1\nput cup_0 place_0\n[PLAN END]")
    _run(path, "basic", *lines, options={"samples": 2}, temperature=0.7)


def planner(path: Path) -> None:
    """A planner's plan."""
    with RecordWriter(path) as writer:
        writer.write(Planned("lmcut", "cups", "tidy", CUPS.domain, CUPS.problem, "solved", (LIFT, PUT), 2, 3, "astar"))


def _run(path: Path, policy: str, *replies: str, steps: int = 9, **options: Any) -> None:
    task = parse_task(CUPS.domain, CUPS.problem)
    said = iter(replies)

    def reply(request: Request) -> Completion:
        return Completion(next(said), usage=Usage(1000, 20, 300, 5), model="gpt-4o-2024-08-06", seconds=0.25)

    model = Answering(reply, "gpt-4o-2024-08-06", base_url="http://127.0.0.1:9/v1")
    run(task, policy, model, record=path, example="none", steps=steps, cache="none", **options)


def _of(events: Events, kind: str, number: int = 0) -> dict[str, Any]:
    return [event for event in events if event["event"] == kind][number]


def _set(kind: str, number: int = 0, **fields: Any) -> Edit:
    return lambda events: _of(events, kind, number).update(fields)


def _spec(**fields: Any) -> Edit:
    return lambda events: events[0]["spec"].update(fields)


def _end(**fields: Any) -> Edit:
    return _set("finished", **fields)


def _turns(**numbers: int) -> Edit:
    return lambda events: events[-1]["turns"].update({name.replace("_", "-"): each for name, each in numbers.items()})


def _used(**fields: Any) -> Edit:
    return lambda events: events[-1]["used"]["planner"].update(fields)


def _drop(kind: str, number: int = 0) -> Edit:
    return lambda events: events.remove(_of(events, kind, number))


def _twice(kind: str, number: int = 0) -> Edit:
    return lambda events: events.insert(events.index(_of(events, kind, number)), dict(_of(events, kind, number)))


def _swap(first: tuple[str, int], second: tuple[str, int]) -> Edit:
    def edit(events: Events) -> None:
        a, b = events.index(_of(events, *first)), events.index(_of(events, *second))
        events[a], events[b] = events[b], events[a]

    return edit


def _all(*edits: Edit) -> Edit:
    return lambda events: [edit(events) for edit in edits]


def _text(kind: str, field: str, old: str, new: str, number: int = 0) -> Edit:
    def edit(events: Events) -> None:
        place = events[0]["spec"] if kind == "started" else _of(events, kind, number)
        assert old in place[field]
        place[field] = place[field].replace(old, new)

    return edit


def _other_plan(events: Events) -> None:
    """Another valid plan in the place of the executed one, with its accounts and effects, but not with its replies."""
    acted = [event for event in events if event["event"] == "acted"]
    acted[0].update(action=BLUE[0], added=["(held blue)"], deleted=["(at blue table)", "(free)"])
    acted[1].update(action="(put blue table)", added=["(at blue table)", "(free)"], deleted=["(held blue)"])
    events[-1]["plan"] = [BLUE[0], "(put blue table)"]
    events[-1].update(outcome="goal-missed")


def _forged_success(events: Events) -> None:
    """The step that failed becomes the one that reaches the goal, without the reply that says it."""
    place = events.index(_of(events, "rejected"))
    step = events[place]["step"]
    acted = {"event": "acted", "step": step, "action": PUT, "text": "", "observation": ""}
    events[place] = {**acted, "added": ["(at red shelf)", "(free)"], "deleted": ["(held red)"], "changed": []}
    del events[place + 1 : -1]
    events.insert(-1, {"event": "goal-reached", "step": step})
    calls = sum(event["event"] == "replied" for event in events)
    events[-1].update(outcome="solved", fault=None, plan=[LIFT, PUT], steps=2, mistakes=0, turns={"executed": 2})
    for account in (events[-1], events[-1]["used"]["planner"]):
        account.update(calls=calls, prompt_tokens=1000 * calls, completion_tokens=20 * calls)
        account.update(cached_tokens=300 * calls, reasoning_tokens=5 * calls, usd=account["usd"] * calls / 3)


FOUND: dict[str, tuple[Callable[[Path], None], Edit]] = {
    # The outcome and the plan.
    "a failure is called solved": (stuck, _end(outcome="solved", fault=None)),
    "a solved run is called missed": (walk, _end(outcome="goal-missed")),
    "a solved run is called given up": (walk, _end(outcome="gave-up")),
    "a shorter plan": (walk, _end(plan=[PUT])),
    "a longer plan": (walk, _end(plan=[LIFT, PUT, BLUE[0]])),
    "the plan in another order": (walk, _end(plan=[PUT, LIFT])),
    "another plan in the events": (walk, _other_plan),
    "a step that succeeds in place of one that failed": (stuck, _forged_success),
    "a failure without its place": (stuck, _end(fault={"step": 3, "status": "inapplicable", "text": "sing"})),
    "a failure at another step": (stuck, _end(fault={"step": 1, "status": "unreadable", "text": "dance"})),
    "a goal that was reached without being solved": (
        stuck,
        lambda events: events.insert(-1, {"event": "goal-reached", "step": 3}),
    ),
    # Accounts.
    **{
        f"another number of {name}": (walk, _end(**{name: 3}))
        for name in ("steps", "calls", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "usd")
    },
    "no mistakes and no such turns": (walk, _all(_end(mistakes=0), _turns(unreadable=0))),
    "mistakes of another kind": (walk, _turns(unreadable=0, ambiguous=2)),
    "more looks": (walk, _turns(look_around=2)),
    "an unknown price": (walk, _end(usd=None)),
    "less money in one role": (walk, _used(usd=0.0)),
    "fewer tokens in one role": (walk, _used(prompt_tokens=1)),
    "a role that was never asked": (walk, lambda events: events[-1]["used"].update(translator={"calls": 1})),
    "a reply that cost less": (walk, _set("replied", 2, usd=0.0)),
    "a reply of fewer tokens": (walk, _set("replied", 2, prompt_tokens=1)),
    "an account without executed actions": (walk, _turns(executed=0)),
    # Events that were dropped, doubled, put in another order.
    "a mistake less": (walk, _drop("rejected")),
    "both mistakes less, and so the accounts": (
        walk,
        _all(_drop("rejected"), _drop("rejected"), _end(mistakes=0, steps=3), _turns(unreadable=0)),
    ),
    "an action less": (walk, _drop("acted")),
    "an action and its plan's step less": (walk, _all(_drop("acted"), _end(plan=[PUT], steps=4), _turns(executed=1))),
    "an action twice": (walk, _twice("acted", 1)),
    "an action twice, and so the plan": (walk, _all(_twice("acted", 1), _end(plan=[LIFT, PUT, PUT]))),
    "a look less": (walk, _drop("looked-around")),
    "a look twice": (walk, _all(_twice("looked-around"), _set("looked-around", 1, step=9))),
    "a reply less": (walk, _drop("replied", 1)),
    "a reply twice": (walk, _twice("replied", 1)),
    "the actions in another order": (walk, _swap(("acted", 0), ("acted", 1))),
    "the actions and the plan in another order": (
        walk,
        _all(_swap(("acted", 0), ("acted", 1)), _end(plan=[PUT, LIFT])),
    ),
    # What a step is.
    "another action than was read": (walk, _all(_set("acted", 0, action=BLUE[0]), _end(plan=[BLUE[0], PUT]))),
    "words that no reply holds": (walk, _set("read", 3, text="lift cup_1 place_1")),
    "a reply that says something else": (walk, _set("replied", 3, text="Action: lift cup_1 place_1")),
    "a fact more": (walk, _set("acted", 1, added=["(at red shelf)", "(free)", "(at blue shelf)"])),
    "a fact less deleted": (walk, _set("acted", 0, deleted=["(free)"])),
    "a number that changed": (walk, _set("acted", 0, changed=["(= (total-cost) 0)"])),
    # What was run.
    "another goal": (
        stuck,
        _all(_text("started", "problem", "(at red shelf) ", ""), _end(outcome="solved", fault=None)),
    ),
    "another domain": (walk, _text("started", "domain", "(and (at ?c ?p) (free))", "(and (at ?c ?p) (not (free)))")),
    "a domain that nobody can read": (walk, _text("started", "domain", "(:predicates", "(:predicates (")),
    "another name of the domain": (walk, _set("started", domain="blocksworld")),
    "another name of the problem": (walk, _set("started", problem="p20")),
    "another name of the model": (walk, _set("started", models={"planner": "gpt-5"})),
    "another name of the model in the description": (walk, _spec(model="gpt-5")),
    "another seed": (walk, _spec(seed=2)),
    "another temperature": (walk, _spec(temperature=1.0)),
    # Several plans.
    "another plan counts": (plans, _end(counted=1)),
    "another plan counts, and is called solved": (
        plans,
        _all(_end(counted=1, plan=[LIFT], steps=1), _turns(executed=1)),
    ),
    # Planners.
    "a planner's shorter plan": (planner, _set("planned", plan=[PUT])),
    "a planner's plan without an end": (planner, _set("planned", plan=[LIFT])),
    "a planner's failure that has a plan": (planner, _set("planned", status="timeout")),
    "a planner without a plan": (planner, _set("planned", plan=None)),
    "a planner's cheaper plan": (planner, _set("planned", cost=1)),
}
"""Changes that a report finds, even if the digest is computed again."""


def _easier(events: Events) -> None:
    """Another goal, which the run reached."""
    _text("started", "problem", "(at red shelf) ", "")(events)
    events.insert(-1, {"event": "goal-reached", "step": 3})
    events[-1].update(outcome="solved", fault=None)


ONLY_A_REPLAY_SEES: dict[str, tuple[Callable[[Path], None], Edit]] = {
    "another observation": (walk, _set("acted", 0, observation="All is well.")),
    "an easier goal, and that it was reached": (stuck, _easier),
    "another look": (walk, _set("looked-around", observation="Nothing holds.")),
    "a prompt with a hint": (walk, lambda events: events[1]["messages"][1].update(content="Lift cup_0, then put it.")),
    "another wording": (walk, lambda events: events[0]["wording"]["predicates"]["free"].update(text="a hand is empty")),
    "another style": (walk, _spec(style="pddl")),
    "another option of the policy": (walk, lambda events: events[0]["spec"]["options"].update(feedback="minimal")),
    "another message in the end": (walk, _end(message="all went well")),
    "another rule of reading": (walk, _set("read", 3, rule="snippet")),
    "the first failure is called a budget's end": (stuck, _end(fault={"step": 3, "status": "budget", "text": ""})),
    "a failure is called given up": (stuck, _end(outcome="gave-up")),
    "the hash of a request": (walk, _set("prompted", 1, request_sha256="0" * 64)),
}
"""Changes by someone who computes the digest again that a report does not see, and a replay does."""

NOBODY_SEES: dict[str, tuple[Callable[[Path], None], Edit]] = {
    "the model, wherever it is named": (walk, _all(_spec(model="gpt-5"), _set("started", models={"planner": "gpt-5"}))),
    "the versions": (walk, _set("started", versions={"pddl2nl": "99"})),
    "the time": (walk, _set("started", time="1999-01-01T00:00:00+00:00")),
    "the address": (walk, _set("started", base_url="http://other")),
    "whether the task has a plan": (stuck, _set("started", solvable=False)),
    "the seconds": (walk, _end(seconds=0.0)),
}
"""Changes by someone who computes the digest again that nobody finds: nothing else in a record depends on them."""

ALL = {**FOUND, **ONLY_A_REPLAY_SEES, **NOBODY_SEES}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[Callable[[Path], None], bytes]:
    """Each record that is tampered with."""
    found = {}
    for make in (walk, stuck, plans, planner):
        path = tmp_path_factory.mktemp("records") / "one.jsonl"
        make(path)
        found[make] = path.read_bytes()
        assert (seal_fault(path), _doubts(path)) == ("", (1, ()))
    return found


@pytest.fixture
def tampered(records: dict[Callable[[Path], None], bytes], tmp_path: Path) -> Callable[[str, bool], Path]:
    """Makes a record with the change of a name, ``sealed`` again or not."""

    def made(name: str, sealed: bool) -> Path:
        make, edit = ALL[name]
        path = tmp_path / "one.jsonl"
        path.write_bytes(records[make])
        if sealed:
            rewrite(path, edit)
        else:
            events = [json.loads(line) for line in records[make].decode().splitlines()]
            edit(events)
            path.write_text("".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in events), encoding="utf-8")
        assert path.read_bytes() != records[make]
        return path

    return made


def _doubts(path: Path) -> tuple[int, tuple[str, ...]]:
    """How many runs tables count, and why others are not as recorded."""
    found = gather(path.parent)
    assert not found.doubted or found.alarms[0].startswith("Not as recorded: 1 run is in no cell")
    return sum(map(len, found.cells.values())), tuple(run.doubt for run in found.doubted)


def _replay_finds(path: Path) -> str:
    """What a replay finds to be different; empty if nothing."""
    try:
        replayed = replay_record(path)
    except RecordError as error:
        return str(error)
    return replayed.changed or ("" if replayed.difference is None else replayed.difference.field)


@pytest.mark.parametrize(
    "name",
    [
        "a failure is called solved",
        "a reply less",
        "another goal",
        "a planner's cheaper plan",
        "the seconds",
        *ONLY_A_REPLAY_SEES,
    ],
)
def test_the_digest_names_the_line_that_was_changed(tampered: Callable[[str, bool], Path], name: str) -> None:
    path = tampered(name, False)
    number, (doubt,) = _doubts(path)
    assert number == 0
    assert "is not as it was written" in doubt or "were written" in doubt
    if ALL[name][0] is not planner:
        assert _replay_finds(path)


@pytest.mark.parametrize("name", FOUND)
def test_a_report_finds_what_contradicts_itself_or_the_task(tampered: Callable[[str, bool], Path], name: str) -> None:
    path = tampered(name, True)
    assert seal_fault(path) == ""
    number, doubts = _doubts(path)
    assert (number, len(doubts)) == (0, 1)


@pytest.mark.parametrize("name", ONLY_A_REPLAY_SEES)
def test_a_replay_finds_what_a_report_cannot(tampered: Callable[[str, bool], Path], name: str) -> None:
    path = tampered(name, True)
    assert _doubts(path) == (1, ())
    assert _replay_finds(path)


@pytest.mark.parametrize("name", NOBODY_SEES)
def test_nothing_else_depends_on_what_nobody_finds(tampered: Callable[[str, bool], Path], name: str) -> None:
    path = tampered(name, True)
    assert _doubts(path) == (1, ())
    assert _replay_finds(path) == ""


def test_a_record_without_its_digest_counts_nowhere(records: dict[Any, bytes], tmp_path: Path) -> None:
    for end in ("", '"digest": "00"', '"digest": null'):
        lines = records[walk].decode().splitlines()
        last = json.loads(lines[-1])
        del last["digest"]
        text = json.dumps(last)
        lines[-1] = text if not end else f"{text[:-1]}, {end}}}"
        (tmp_path / "one.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if "null" in end:
            with pytest.raises(RecordError, match="digest"):
                _doubts(tmp_path / "one.jsonl")
        else:
            number, (doubt,) = _doubts(tmp_path / "one.jsonl")
            assert (number, doubt) == (0, f"line {len(lines)}: the last line holds no digest")
