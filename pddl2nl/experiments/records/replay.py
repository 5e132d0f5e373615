"""Replays a run from its record alone, without network, key, planner or any other file.

The first event of a record holds the task, the wording, the names, the example with its plan and every setting. The run
is repeated from it, with the recorded replies instead of all its models, and compared with the record, event by event
and field by field. The fields of `VOLATILE` may differ. Fields about things that a replay
does not have (the endpoint, the installed versions, a planner's proof: `KEPT`) stay as recorded.

The record of a killed run, which has no end, is compared as far as it goes. Fields that an older record lacks are not
compared.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec.structs import replace as changed

from pddl2nl.errors import InputError
from pddl2nl.experiments.example import SolvedProblem
from pddl2nl.experiments.family_runs import recorded_world
from pddl2nl.experiments.planned import Planned
from pddl2nl.experiments.records.reader import events_from_json
from pddl2nl.experiments.records.writer import VOLATILE
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.spec import RunSpec
from pddl2nl.llm import ModelConfigurationError, ReplayModel
from pddl2nl.llm.replay import read_events
from pddl2nl.nl import Wording, wording_from_json
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.policies.events import Event, RecordError, Started, event_to_json

__all__ = ["KEPT", "Difference", "PlannedRecordError", "Replayed", "replay_record"]

KEPT = (
    *("model", "translator_model", "wording_model", "thoughts_model"),
    *("base_url", "model_settings", "versions", "domain_file", "problem_file", "time"),
    *("solvable", "suite", "task", "reference"),
)
"""Fields of ``started`` that a replay copies: where the run was made, how its models were reached, what a planner
proved and what the task was called."""

_GROWN = ("settings", "example", "limits")
"""Fields of ``started`` that have gained entries since the first records."""

_DIFF_LINES = 40


class PlannedRecordError(RecordError):
    """The record of a planner, which asked no model and cannot be replayed."""


@dataclass(frozen=True)
class Difference:
    """The first difference between a replayed run and its record.

    Attributes:
        event: the number of the event from 1, its line in the record.
        name: the name of the event.
        field: the field that differs, with the entry of a mapping after a point (``prompts.act.txt``); ``event`` where
            another event came, or none.
        recorded, now: the values; None where one side has no such event or entry.
        diff: for a changed prompt the first difference and a unified diff from the recorded one; for other texts of
            several lines their unified diff; else empty.
    """

    event: int
    name: str
    field: str
    recorded: Any
    now: Any
    diff: str = ""


@dataclass(frozen=True)
class Replayed:
    """The result of replaying a record.

    Attributes:
        record: its file.
        recorded: the number of its events.
        complete: whether it has its end; if not, it was compared as far as it goes.
        difference: the first difference; None where there is none.
        events: the events of the replay, with the recorded values of `KEPT`.
    """

    record: Path
    recorded: int
    complete: bool
    difference: Difference | None
    events: tuple[Event, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None

    def as_json(self) -> dict[str, Any]:
        """The fields as ``pddl2nl replay --json`` prints them."""
        difference = self.difference
        return {
            "record": str(self.record),
            "identical": self.identical,
            "complete": self.complete,
            "events": self.recorded,
            "difference": None
            if difference is None
            else {
                "event": difference.event,
                "name": difference.name,
                "field": difference.field,
                "recorded": difference.recorded,
                "now": difference.now,
                "diff": difference.diff,
            },
        }


def replay_record(path: str | Path) -> Replayed:
    """Repeats a recorded run and compares the two.

    Args:
        path: a record, ``NAME.jsonl`` or the ``NAME.jsonl.partial`` of a run that was killed.

    Raises:
        RecordError: the file cannot be read or holds no run; `PlannedRecordError` where it holds a planner's.
        InputError: no run can be made from its first event.
    """
    path = Path(path)
    recorded, started = _recorded(path)
    complete = recorded[-1].get("event") == "finished"
    try:
        model = ReplayModel(path, empty=True)
        with recorded_world(started) as world:
            events = run_spec(replace(_spec(started, model), **world)).events
    except InputError as error:
        raise RecordError(f"{path}: no run can be made from this record: {error}") from error
    events = tuple(_kept(event, started) if isinstance(event, Started) else event for event in events)
    if not complete and _only_prepared(recorded):
        # The first event holds the results of these calls, which cannot be repeated without all of their replies.
        return Replayed(path, len(recorded), complete, _unasked(recorded, model), events)
    # Records without the models of other roles are older than the event 'failed'.
    unsaid = () if "wording_model" in recorded[0] else ("failed",)
    difference = _difference(recorded, [_plain(event) for event in events if event.event not in unsaid], complete)
    if difference is not None and difference.name in ("started", "prompted") and model.missed:
        difference = replace(difference, diff=model.missed[0])
    return Replayed(path, len(recorded), complete, difference, events)


# ── from the record to the run ───────────────────────────────────────────────────────────────────


def _recorded(path: Path) -> tuple[list[Mapping[str, Any]], Started]:
    """The events of a record as they were written, and the first one."""
    try:
        lines = list(read_events(path))
    except ModelConfigurationError as error:
        raise RecordError(str(error)) from error
    started = events_from_json(path, lines)[0]
    if isinstance(started, Planned):
        raise PlannedRecordError(f"{path}: a planner's record; it asked no model, so there is nothing to replay")
    assert isinstance(started, Started)
    for name in ("temperature", "max_tokens"):
        value = started.settings.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise RecordError(f"{path}:1: '{name}' must be a number or null; found {value!r}")
    for name in ("samples", "rounds"):
        if type(value := started.beyond_paper.get(name, 1)) is not int:
            raise RecordError(f"{path}:1: '{name}' must be a whole number; found {value!r}")
    return [event for _, event in lines], started


def _spec(started: Started, model: ReplayModel) -> RunSpec:
    """The specification of the run, as far as it determines what happens, with the record instead of all models."""
    domain = parse_domain(started.domain_pddl, started.domain_file or "<domain>")
    problem = parse_problem(started.problem_pddl, domain, started.problem_file or "<problem>")
    limits: Mapping[str, Any] = started.limits
    settings, beyond = started.settings, started.beyond_paper

    def under(name: str | None) -> ReplayModel | None:
        return None if name is None else model.under(name)

    return RunSpec(
        task=Task(domain, problem),
        policy=started.policy,
        model=model.under(started.model),
        wording=_wording(started, domain),
        wording_model=under(started.wording_model),
        style=started.style,
        names=started.names_scheme,
        names_seed=started.names_seed,
        translator=started.translator,
        translator_model=under(started.translator_model),
        reading=started.reading,
        on_ambiguous=started.on_ambiguous,
        example=_example(started, domain),
        thoughts="template" if started.thoughts_model is None else "llm",
        thoughts_model=under(started.thoughts_model),
        history=beyond.get("history", "full"),
        feedback=beyond.get("feedback", "reason"),
        samples=beyond.get("samples", 1),
        rounds=beyond.get("rounds", 0),
        unsolvable=beyond.get("unsolvable", "silent"),
        steps=limits.get("steps"),
        stop_after=limits.get("failures"),
        budget_calls=limits.get("calls"),
        budget_tokens=limits.get("tokens"),
        budget_usd=limits.get("usd"),
        seed=started.seed,
        temperature=settings.get("temperature", 0.0),
        max_tokens=settings.get("max_tokens"),
        profile=started.profile,
    )


def _wording(started: Started, domain: Domain) -> str | Wording:
    """The wording of the run; one that a model made on the run's account is made again."""
    if started.wording_model is not None:
        return "llm"
    # In style pddl nothing is said in words.
    return "template" if started.wording is None else wording_from_json(started.wording, domain, "the recorded wording")


def _example(started: Started, domain: Domain) -> SolvedProblem | str:
    return "none" if started.example is None else SolvedProblem.from_json(started.example, domain)


def _kept(now: Started, recorded: Started) -> Started:
    return changed(now, **{name: getattr(recorded, name) for name in KEPT})


# ── what differs ─────────────────────────────────────────────────────────────────────────────────


def _plain(event: Event) -> dict[str, Any]:
    """The event as JSON."""
    data: dict[str, Any] = json.loads(json.dumps(event_to_json(event)))
    return data


def _difference(
    recorded: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], complete: bool
) -> Difference | None:
    for number, (old, new) in enumerate(zip(recorded, now, strict=False), 1):
        if (found := next(_differences(number, old, new), None)) is not None:
            return found
    if len(now) < len(recorded):
        return _other(len(now) + 1, recorded[len(now)].get("event"), None)
    if len(now) > len(recorded) and complete:
        return _other(len(recorded) + 1, None, now[len(recorded)]["event"])
    return None


def _other(number: int, recorded: Any, now: Any) -> Difference:
    return Difference(number, str(now if recorded is None else recorded), "event", recorded, now)


def _differences(number: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    name = new["event"]
    if old.get("event") != name:
        yield _other(number, old.get("event"), name)
        return
    for field, before in old.items():
        after = new.get(field)
        if before == after or f"{name}.{field}" in VOLATILE:
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            grown = name == "started" and field in _GROWN
            for key in (*before, *(key for key in after if key not in before and not grown)):
                if before.get(key) != after.get(key):
                    yield _one(number, name, f"{field}.{key}", before.get(key), after.get(key))
        else:
            yield _one(number, name, field, before, after)


def _one(number: int, name: str, field: str, before: Any, after: Any) -> Difference:
    diff = ""
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        lines = list(difflib.unified_diff(before.split("\n"), after.split("\n"), "recorded", "now", n=1, lineterm=""))
        more = [f"… and {len(lines) - _DIFF_LINES} more lines"] if len(lines) > _DIFF_LINES else []
        diff = "\n".join([*lines[:_DIFF_LINES], *more])
    return Difference(number, name, field, before, after, diff)


def _only_prepared(recorded: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a record ends among the calls for wording and thoughts, before the run itself began."""
    return all(
        event.get("event") in ("started", "replied", "failed") or event.get("purpose") in ("wording", "thoughts")
        for event in recorded
    )


def _unasked(recorded: Sequence[Mapping[str, Any]], model: ReplayModel) -> Difference | None:
    """The first recorded call that was not asked for again."""
    calls = [(number, event) for number, event in enumerate(recorded, 1) if event.get("event") == "prompted"]
    for index, (number, event) in enumerate(calls):
        key = event.get("request_sha256")
        now = model.asked[index] if index < len(model.asked) else None
        if now != key:
            return Difference(number, "prompted", "request_sha256", key, now, "".join(model.missed[:1]))
    return None
