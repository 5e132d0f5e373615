"""Reading stored runs: a record file becomes a `RunRecord`, a `PlannerRecord`, or a record of a system.

``NAME.jsonl`` is a finished record. ``NAME.jsonl.partial`` belongs to a run that was cut off or still runs: it is
listed and never counted. A malformed line in a finished record is an error that names file and line, because skipping
the record would silently change every table.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from msgspec import Struct

from pddl2nl.conversion import WrongValueError, convert
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
class Record:
    """A finished record: of an episode, of a planner, or one that a system defines (`pddl2nl.plugins.System.records`).

    Attributes:
        path: of the record file.
        events: all of them.
        outcome: how the run ended: an outcome of an episode or a planner's status.
        policy: the policy's or planner's name.
        model: the model that was asked; empty if none was.
        plan: the executed actions, or a planner's plan.
        solvable: whether the task has a plan; None if that is unknown.
        fault: the first failure.
    """

    path: Path
    events: tuple[RunEvent, ...]
    outcome: str
    policy: str
    model: str = ""
    plan: tuple[str, ...] = ()
    solvable: bool | None = None
    fault: Fault | None = None

    metrics: ClassVar[tuple[str, ...]] = ()
    """The names of the metrics that it can have; none for all."""
    tables: ClassVar[tuple[str, ...]] = ()
    """The kinds of tables of an experiment with such records only; none for the usual ones."""
    not_judged: ClassVar[str] = ""
    """Why there is no plan that can be judged again; empty if there is one."""

    @classmethod
    @abstractmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        """The record with these events."""

    @property
    def id(self) -> str:
        """The record file's name without its ending."""
        return self.path.name.removesuffix(".jsonl")

    @property
    def first(self) -> Any:
        """The first event: it has the PDDL texts, the names in them, and those that an experiment gives the task."""
        return self.events[0]

    @property
    def last(self) -> Any:
        """The last event."""
        return self.events[-1]

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, a plan was found, or the answer is right."""
        return self.outcome in SOLVED

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy or planner: such a run is never scored."""
        return self.outcome == "infrastructure-error"

    @property
    def facts(self) -> Mapping[str, object]:
        """What a page shows of how it was made, by name."""
        return {}

    @property
    def settings(self) -> Mapping[str, Any]:
        """Fields of its summary (`pddl2nl.reports.summaries.RunSummary`)."""
        return {}

    @cached_property
    def usage(self) -> Mapping[str, RoleUsage]:
        """The usage of its replies, by role."""
        return usage_by_role(self.events)

    @cached_property
    def total_usage(self) -> RoleUsage:
        """The usage of all roles together."""
        return sum(self.usage.values(), RoleUsage())


class RunRecord(Record):
    """A finished episode as it was stored."""

    @classmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        """The record with these events.

        Raises:
            RecordError: the description of the run has the wrong fields.
        """
        started, finished = cast(Started, events[0]), cast(Finished, events[-1])
        model = "" if started.model == "none" else started.model
        solvable = True if finished.outcome in SOLVED else started.solvable
        record = cls(path, events, finished.outcome, started.policy, model, finished.plan, solvable, finished.fault)
        try:
            # Checked here, where the error can name file and line.
            convert(started.spec, _Spec, "spec")
            record.reference  # noqa: B018
        except (RecordError, WrongValueError) as error:
            raise RecordError(f"{path}:1: an event 'started' with the wrong fields: {error}") from error
        return record

    @property
    def started(self) -> Started:
        """The first event."""
        return cast(Started, self.events[0])

    @property
    def finished(self) -> Finished:
        """The last event."""
        return cast(Finished, self.events[-1])

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


class PlannerRecord(Record):
    """A planner's run as it was stored."""

    @classmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        """The record with this one event."""
        planned = cast(Planned, events[0])
        outcome = "infrastructure-error" if planned.status == "error" else planned.status
        solvable = {"solved": True, "unsolvable": False}.get(planned.status)
        fault = None if outcome in SOLVED else Fault(0, planned.status, planned.message)
        return cls(path, events, outcome, planned.planner, "", planned.plan or (), solvable, fault)

    @property
    def planned(self) -> Planned:
        """The only event."""
        return cast(Planned, self.events[0])

    @property
    def facts(self) -> Mapping[str, object]:
        """The planner and its search."""
        planned = self.planned
        return {
            "planner": planned.planner,
            "search": planned.search,
            "cost": planned.cost,
            "states expanded": planned.expanded,
            "message": planned.message,
        }


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
    return _kinds().get(type(events[0]), RunRecord).of(path, events)


@lru_cache(maxsize=1)
def _kinds() -> Mapping[type[RunEvent], type[Record]]:
    """The kinds of records, but for those of episodes, by their first event."""
    return {Planned: PlannerRecord} | {event: kind for _, own in provided("records") for event, kind in own.items()}


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
