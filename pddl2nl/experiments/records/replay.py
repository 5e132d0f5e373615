"""Replays a run from its record alone, without network, key, planner or any other file.

The first event of a record holds the task, the wording, the names, the example with its plan and every setting. The run
is repeated from it, with the recorded replies instead of all its models, and compared with the record, event by event
and field by field. The fields of `VOLATILE` may differ. Fields about things that a replay does not have (the endpoint,
the installed versions, a planner's proof: `KEPT`) stay as recorded.

The record of a killed run, which has no end, is compared as far as it goes. Fields that a record lacks are not
compared.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.preparing import EMBEDDING
from pddl2nl.experiments.records.reader import events_from_json, seal_fault
from pddl2nl.experiments.records.stored import said_to_answer
from pddl2nl.experiments.records.writer import is_volatile
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ModelConfigurationError, ReplayModel
from pddl2nl.llm.replay import read_events
from pddl2nl.plugins import POLICY_GROUP
from pddl2nl.policies import Policy, is_registered, make_policy
from pddl2nl.policies.events import RecordError, RunEvent, Started, event_to_json
from pddl2nl.policies.policy import WorldPolicy
from pddl2nl.policies.setting import spec_of
from pddl2nl.policies.spec import RunSpec
from pddl2nl.worlds.faults import parse_faults

KEPT = ("spec", "models", "base_url", "model_settings", "versions", "time", "solvable", "reference")
"""Fields of ``started`` that a replay copies: what is run again, how its models were reached, what a planner proved."""

_PREPARED = ("wording", "example", "names")
"""Fields of ``started`` that hold results of the calls made before the run."""


class PlannedRecordError(RecordError):
    """The record of a planner, which asked no model, or another that is no run; it cannot be replayed."""


@dataclass(frozen=True)
class Difference:
    """The first difference between a replayed run and its record.

    Attributes:
        event: the number of the event from 1, its line in the record; ``name`` is its name.
        field: the field that differs, with the entry of a mapping after a point (``prompts.act.txt``); ``event`` where
            another event came, or none.
        recorded, now: the values; None where one side has no such event or entry.
        diff: for a changed prompt the first difference and a unified diff from the recorded one; else empty.
    """

    event: int
    name: str
    field: str
    recorded: Any
    now: Any
    diff: str = ""


@dataclass(frozen=True)
class Replayed:
    """The result of replaying a record of so many events (``recorded``).

    A record that is not ``complete`` has no end, and was compared as far as it goes. ``events`` are those of the
    replay, with the recorded values of `KEPT`. ``changed`` says where the file is not as it was
    written; empty if it is, or has no end. ``model`` is the model that answered, by the record; empty where none was
    asked outside this process. That a model of this name gave the replies is what no replay can show.
    """

    record: Path
    recorded: int
    complete: bool
    difference: Difference | None
    events: tuple[RunEvent, ...] = ()
    changed: str = ""
    model: str = ""

    @property
    def identical(self) -> bool:
        """Whether nothing differs, and the file is as it was written."""
        return self.difference is None and not self.changed

    def as_json(self) -> dict[str, Any]:
        return {
            "record": str(self.record),
            "identical": self.identical,
            "complete": self.complete,
            "events": self.recorded,
            "changed": self.changed,
            "difference": None if self.difference is None else asdict(self.difference),
        }


def replay_record(path: str | Path, policy: Policy | None = None) -> Replayed:
    """Repeats a recorded run and compares the two.

    Args:
        path: a record, ``NAME.jsonl`` or the ``NAME.jsonl.partial`` of a run that was killed.
        policy: the policy, if it is not registered: a record never chooses code that is imported.

    Raises:
        RecordError: the file cannot be read or holds no run, or no run can be made from its first event;
            `PlannedRecordError` where it holds a planner's.
    """
    path = Path(path)
    recorded, started = _read(path)
    complete = recorded[-1].get("event") == "finished"
    try:
        model = ReplayModel(path, empty=True)
        with tempfile.TemporaryDirectory(prefix="pddl2nl-replay-", ignore_cleanup_errors=True) as folder:
            events = run_spec(_repeated(started, model, policy, Path(folder))).events
    except InputError as error:
        raise RecordError(f"{path}: no run can be made from this record: {error}") from error
    kept = {name: getattr(started, name) for name in KEPT}
    events = tuple(msgspec.structs.replace(event, **kept) if isinstance(event, Started) else event for event in events)
    difference = _difference(recorded, events, complete)
    if difference is not None and difference.name in ("started", "prompted") and model.missed:
        difference = replace(difference, diff=model.missed[0])
    changed = seal_fault(path) if complete else ""
    return Replayed(path, len(recorded), complete, difference, events, changed, said_to_answer(started.model))


# ── from the record to the run ───────────────────────────────────────────────────────────────────


def _read(path: Path) -> tuple[list[Mapping[str, Any]], Started]:
    """The events of a record as they were written, and the first one."""
    try:
        lines = list(read_events(path))
    except ModelConfigurationError as error:
        raise RecordError(str(error)) from error
    started = events_from_json(path, lines)[0]
    if isinstance(started, Planned):
        raise PlannedRecordError(f"{path}: a planner's record; it asked no model, so there is nothing to replay")
    if not isinstance(started, Started):
        raise PlannedRecordError(f"{path}: a record that begins with '{started.event}' is no run, and is not replayed")
    return [event for _, event in lines], started


def _repeated(started: Started, model: ReplayModel, policy: Policy | None, folder: Path) -> RunSpec:
    """The description of the run, with the record in place of all models."""
    spec = spec_of(started)
    if EMBEDDING in started.models:
        raise InputError(
            f"names were compared by the vectors of '{started.models[EMBEDDING]}', which no record holds: it cannot be "
            "replayed"
        )
    if policy is None and not is_registered(started.policy):
        # A record never chooses code that is imported.
        raise InputError(
            f"its policy, '{started.policy}', is not registered: add an entry point in the group {POLICY_GROUP}, "
            "or give the policy to pddl2nl.experiments.records.replay.replay_record"
        )
    chosen = policy or started.policy
    played = make_policy(chosen, spec.options)
    if isinstance(played, WorldPolicy) and played.faults is not None:
        # Faults of a run may be a path, those of a record never are.
        parse_faults(played.faults)
    options = msgspec.structs.asdict(played.restored(started.world, spec.task, folder))
    source = "llm" if "thoughts" in started.models else "template"
    return replace(
        spec,
        policy=chosen,
        options=options,
        model=model.under(started.model),
        models={role: model.under(str(name)) for role, name in spec.models.items()},
        thoughts=source if "thoughts" in played.uses else spec.thoughts,
    )


# ── what differs ─────────────────────────────────────────────────────────────────────────────────


def _difference(recorded: Sequence[Mapping[str, Any]], events: Sequence[RunEvent], complete: bool) -> Difference | None:
    now: list[Mapping[str, Any]] = [json.loads(json.dumps(event_to_json(event))) for event in events]
    # A record that ends before the run began lacks replies on which the first event of a replay depends.
    ignored = _PREPARED if not complete and _ends_in_preparation(recorded) else ()
    for number, (old, new) in enumerate(zip(recorded, now, strict=False), 1):
        if (difference := next(_differences(number, old, new, ignored), None)) is not None:
            return difference
    number = min(len(recorded), len(now))
    if number < len(recorded) or (number < len(now) and complete):
        before = recorded[number].get("event") if number < len(recorded) else None
        after = now[number]["event"] if number < len(now) else None
        return Difference(number + 1, str(before or after), "event", before, after)
    return None


def _ends_in_preparation(recorded: Sequence[Mapping[str, Any]]) -> bool:
    return all(
        event.get("event") in ("started", "replied", "failed") or event.get("purpose") in ("wording", "thoughts")
        for event in recorded
    )


def _differences(
    number: int, old: Mapping[str, Any], new: Mapping[str, Any], ignored: Collection[str]
) -> Iterator[Difference]:
    name = new["event"]
    if old.get("event") != name:
        yield Difference(number, str(old.get("event")), "event", old.get("event"), name)
        return
    for field, before in old.items():
        after = new.get(field)
        if before == after or is_volatile(name, field) or (name == "started" and field in ignored):
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            for key in {**before, **after}:
                if before.get(key) != after.get(key):
                    yield Difference(number, name, f"{field}.{key}", before.get(key), after.get(key))
        else:
            yield Difference(number, name, field, before, after)
