"""Reading stored runs: a record file becomes a `RunRecord`, a `PlannerRecord` or an `AnswerRecord`.

``NAME.jsonl`` is a finished record. ``NAME.jsonl.partial`` belongs to a run that was cut off or still runs: it is
listed and never counted. A malformed line in a finished record is an error that names file and line, because skipping
the record would silently change every table.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast

from msgspec import Struct

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.experiments.asked import Answered, Asked
from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.records.reader import read_events
from pddl2nl.llm import Message
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.plugins import System, provided
from pddl2nl.policies import system_of
from pddl2nl.policies.events import (
    SOLVED,
    Fault,
    Finished,
    Prompted,
    RecordError,
    Replied,
    RunEvent,
    Started,
    counted,
)
from pddl2nl.policies.reporting import Reference, reference_of
from pddl2nl.reports.usage import RoleUsage, usage_by_role


@dataclass(frozen=True)
class _Stored(ABC):
    """What the records of episodes, planners and questions share.

    Attributes:
        path: of the record file.
        events: of an episode or a question, or the one of a planner.
    """

    path: Path
    events: tuple[RunEvent, ...]

    @property
    def id(self) -> str:
        """The record file's name without its ending."""
        return self.path.name.removesuffix(".jsonl")

    @property
    @abstractmethod
    def outcome(self) -> str:
        """How the run ended: an outcome of an episode or a planner's status."""

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, a plan was found, or the answer is right."""
        return self.outcome in SOLVED

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy or planner: such a run is never scored."""
        return self.outcome == "infrastructure-error"


class RunRecord(_Stored):
    """A finished episode as it was stored."""

    @property
    def started(self) -> Started:
        """The first event."""
        return cast(Started, self.events[0])

    first = started

    @property
    def finished(self) -> Finished:
        """The last event."""
        return cast(Finished, self.events[-1])

    last = finished

    @property
    def outcome(self) -> str:
        """One of `pddl2nl.policies.events.OUTCOMES`."""
        return self.finished.outcome

    @property
    def policy(self) -> str:
        """The policy's name."""
        return self.started.policy

    @property
    def model(self) -> str:
        """The model that was asked; empty for a policy that asks none."""
        return "" if self.started.model == "none" else self.started.model

    @property
    def plan(self) -> tuple[str, ...]:
        """The executed actions."""
        return self.finished.plan

    @property
    def solvable(self) -> bool | None:
        """Whether the task has a plan; None if that is unknown."""
        return True if self.solved else self.started.solvable

    @property
    def fault(self) -> Fault | None:
        """The first failure."""
        return self.finished.fault

    @cached_property
    def conversation(self) -> tuple[Message, ...]:
        """The last prompt of the planning model and its reply; empty if no model was asked."""
        prompt: tuple[Message, ...] = ()
        reply: tuple[Message, ...] = ()
        call = 0
        for event in self.events:
            if isinstance(event, Prompted) and event.purpose == "planner":
                prompt, reply = (*prompt[: event.kept], *event.messages), ()
                call = event.call
            elif isinstance(event, Replied) and prompt and event.call == call:
                reply = (Message("assistant", event.text),)
        return prompt + reply

    @cached_property
    def counted(self) -> tuple[RunEvent, ...]:
        """The events without those of plans that do not count."""
        return counted(self.events)

    @cached_property
    def reference(self) -> Reference | None:
        """The ground truth of the task; None if it is unknown."""
        return reference_of(self.started.reference)

    @cached_property
    def system(self) -> System | None:
        """The system of its policy, by the policy's name or, for an unknown name, by its events."""
        kinds = {type(event) for event in self.events}
        by_events = (system for system, own in provided("events") if kinds.intersection(own))
        return system_of(self.policy) or next(by_events, None)

    @property
    def faults(self) -> str:
        """How the world of the run differs from its model; empty if it does not."""
        return str(self.started.options.get("faults") or "")

    @cached_property
    def usage(self) -> Mapping[str, RoleUsage]:
        """The usage of its replies, by role."""
        return usage_by_role(self.events)

    @cached_property
    def total_usage(self) -> RoleUsage:
        """The usage of all roles together."""
        return sum(self.usage.values(), RoleUsage())


class PlannerRecord(_Stored):
    """A planner's run as it was stored."""

    model = ""

    @property
    def planned(self) -> Planned:
        """The only event."""
        return cast(Planned, self.events[0])

    first = last = planned

    @property
    def outcome(self) -> str:
        """The planner's status; ``infrastructure-error`` if it broke."""
        return "infrastructure-error" if self.planned.status == "error" else self.planned.status

    @property
    def policy(self) -> str:
        """The planner's name."""
        return self.planned.planner

    @property
    def plan(self) -> tuple[str, ...]:
        """The plan; empty if none was found."""
        return self.planned.plan or ()

    @property
    def solvable(self) -> bool | None:
        """Whether the task has a plan; None if the planner neither found one nor proved that there is none."""
        return {"solved": True, "unsolvable": False}.get(self.planned.status)

    @property
    def fault(self) -> Fault | None:
        """Why there is no plan."""
        return None if self.solved else Fault(0, self.planned.status, self.planned.message)


class AnswerRecord(_Stored):
    """A question with its answer as they were stored."""

    plan: tuple[str, ...] = ()
    solvable = None

    @property
    def asked(self) -> Asked:
        """The first event."""
        return cast(Asked, self.events[0])

    first = asked

    @property
    def answered(self) -> Answered:
        """The last event."""
        return cast(Answered, self.events[-1])

    last = answered

    @property
    def outcome(self) -> str:
        """That of the last event."""
        return self.answered.outcome

    @property
    def policy(self) -> str:
        """The kind of the question."""
        return self.asked.question.kind

    @property
    def model(self) -> str:
        """The model that was asked."""
        return self.asked.model

    @property
    def fault(self) -> Fault | None:
        """What is wrong with the answer first."""
        return self.answered.fault

    @cached_property
    def usage(self) -> Mapping[str, RoleUsage]:
        """The usage of its reply, by role."""
        return usage_by_role(self.events)

    @cached_property
    def total_usage(self) -> RoleUsage:
        """The usage of its reply."""
        return sum(self.usage.values(), RoleUsage())


Record = RunRecord | PlannerRecord | AnswerRecord


class _Spec(Struct):
    """What reports read of a run's description."""

    policy: str
    domain: str = ""
    problem: str = ""
    options: dict[str, object] = {}
    seed: int = 1
    style: str = ""
    suite: str = ""
    task_name: str = ""


def read_record(path: Path) -> Record:
    """A finished record.

    Raises:
        RecordError: as `pddl2nl.experiments.records.reader.read_events`.
    """
    events = read_events(path)
    if isinstance(events[0], Planned):
        return PlannerRecord(path, (events[0],))
    if isinstance(events[0], Asked):
        return AnswerRecord(path, events)
    record = RunRecord(path, events)
    try:
        # Checked here, where the error can name file and line.
        convert(record.started.spec, _Spec, "spec")
        record.reference  # noqa: B018
    except (RecordError, WrongValueError) as error:
        raise RecordError(f"{path}:1: an event 'started' with the wrong fields: {error}") from error
    return record


def record_paths(folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The files of finished records in a folder and below it, and of unfinished ones; each sorted by path.

    Raises:
        RecordError: there is no such folder, or one that cannot be read.
    """
    if not folder.is_dir():
        what = "a file, and a folder of records was expected" if folder.exists() else "no such folder of records"
        raise RecordError(f"{folder}: {what}")
    # One walk: a folder of an experiment may hold ten thousand files.
    found = [Path(top, name) for top, _, names in os.walk(folder, onerror=_refuse) for name in names]
    finished = sorted(path for path in found if path.name.endswith(".jsonl"))
    return tuple(finished), tuple(sorted(path for path in found if path.name.endswith(".jsonl.partial")))


def _refuse(error: OSError) -> None:
    # The folder may hold records; leaving them out would silently change every table.
    raise RecordError(f"{error.filename}: the folder cannot be read: {error.strerror}") from error


def task_of(record: Record) -> Task:
    """The task of a record; raises as `read_task` does."""
    return read_task(record.first.domain_pddl, record.first.problem_pddl)


@lru_cache(maxsize=256)
def read_task(domain_pddl: str, problem_pddl: str) -> Task:
    """The task in these texts; the last ones are kept, because runs of one task are read one after another.

    Raises:
        InputError: the texts cannot be read.
    """
    domain = _read_domain(domain_pddl)
    return Task(domain, parse_problem(problem_pddl, domain))


@lru_cache(maxsize=32)
def _read_domain(domain_pddl: str) -> Domain:
    return parse_domain(domain_pddl)
