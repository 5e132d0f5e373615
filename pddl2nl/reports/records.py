"""Reading stored runs: a record file becomes a `RunRecord` or a `PlannerRecord`, a folder all of them.

A record is finished when it has its final name, ``NAME.jsonl``. ``NAME.jsonl.partial`` belongs to a run that was cut
off or still runs: it is listed and never counted. A malformed line in a finished record is an error that names file and
line, because skipping the record would silently change every table.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from pddl2nl.experiments.planned import Planned
from pddl2nl.experiments.records.reader import read_events
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.policies.events import Event, Fault, Finished, RecordError, Started, counted
from pddl2nl.policies.families import FAMILIES, family_of
from pddl2nl.policies.family import Family
from pddl2nl.policies.ground_truth import Reference, reference_of
from pddl2nl.reports.usage import Usage, total_usage, usage_by_role

__all__ = [
    "Column",
    "PlannerRecord",
    "Record",
    "RecordFolder",
    "RunRecord",
    "read_record",
    "read_records",
    "read_task",
    "record_paths",
]


@dataclass(frozen=True)
class Column:
    """A configuration as tables head it: what chose the actions (``policy``) and what it asked (``model``).

    ``model`` is empty where none was asked: for planners, and for policies that speak no language.
    """

    policy: str
    model: str = ""

    @property
    def label(self) -> str:
        """The configuration on one line: ``react, oracle``."""
        return f"{self.policy}, {self.model}" if self.model else self.policy


@dataclass(frozen=True)
class _Stored(ABC):
    """A finished run of an episode or a planner, as it was stored."""

    path: Path

    @property
    @abstractmethod
    def first(self) -> Started | Planned:
        """The first event, which holds the task."""

    @property
    @abstractmethod
    def outcome(self) -> str:
        """How the run ended; ``infrastructure-error`` where a tool failed."""

    @property
    def id(self) -> str:
        """The record file's name without its ending."""
        return self.path.name.removesuffix(".jsonl")

    @property
    def domain(self) -> str:
        """The domain's name in its PDDL text."""
        return self.first.domain

    @property
    def suite(self) -> str:
        """What the experiment calls the task's domain or suite; else the domain's name."""
        return self.first.suite or self.domain

    @property
    def problem(self) -> str:
        """The problem's name in its PDDL text."""
        return self.first.problem

    @property
    def task(self) -> str:
        """What the experiment calls the task; else the problem's name."""
        return self.first.task or self.problem

    @property
    def domain_pddl(self) -> str:
        """The domain's text."""
        return self.first.domain_pddl

    @property
    def problem_pddl(self) -> str:
        """The problem's text."""
        return self.first.problem_pddl

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, or a plan was found."""
        return self.outcome == "solved"

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy or planner: such a run is never scored."""
        return self.outcome == "infrastructure-error"


@dataclass(frozen=True)
class RunRecord(_Stored):
    """A finished episode as it was stored."""

    events: tuple[Event, ...]
    started: Started
    finished: Finished

    @property
    def first(self) -> Started:
        """The first event."""
        return self.started

    @property
    def outcome(self) -> str:
        """One of `pddl2nl.policies.events.OUTCOMES`."""
        return self.finished.outcome

    @property
    def column(self) -> Column:
        """The configuration that was run."""
        return Column(self.started.policy, "" if self.started.model == "none" else self.started.model)

    @property
    def plan(self) -> tuple[str, ...]:
        """The executed actions."""
        return self.finished.plan

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.finished.seconds

    @property
    def solvable(self) -> bool | None:
        """Whether the task has a plan; None where that is unknown."""
        return True if self.solved else self.started.solvable

    @property
    def fault(self) -> Fault | None:
        """The first broken link."""
        return self.finished.fault

    @cached_property
    def counted(self) -> tuple[Event, ...]:
        """The events without those of plans that do not count."""
        return counted(self.events)

    @cached_property
    def reference(self) -> Reference | None:
        """The ground truth of the task; None where it is unknown."""
        return reference_of(self.started.reference)

    @cached_property
    def family(self) -> Family | None:
        """The family of its policy, by the policy's name or, for an unknown name, by the planning events."""
        found = family_of(self.started.policy)
        if found is None:
            kinds = {type(event) for event in self.events}
            found = next((each for each in FAMILIES.values() if kinds.intersection(each.events)), None)
        return found

    @cached_property
    def usage(self) -> Mapping[str, Usage]:
        """The usage of its replies, by role."""
        return usage_by_role(self.events)

    @cached_property
    def total_usage(self) -> Usage:
        """The usage of all roles together."""
        return total_usage(self.usage.values())


@dataclass(frozen=True)
class PlannerRecord(_Stored):
    """A planner's run as it was stored."""

    planned: Planned

    @property
    def first(self) -> Planned:
        """The only event."""
        return self.planned

    @property
    def outcome(self) -> str:
        """The planner's status; ``infrastructure-error`` where it broke."""
        return "infrastructure-error" if self.planned.status == "error" else self.planned.status

    @property
    def column(self) -> Column:
        """The planner."""
        return Column(self.planned.planner)

    @property
    def plan(self) -> tuple[str, ...]:
        """The plan; empty where none was found."""
        return self.planned.plan or ()

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.planned.seconds

    @property
    def solvable(self) -> bool | None:
        """Whether the task has a plan; None where the planner neither found one nor proved that there is none."""
        return {"solved": True, "unsolvable": False}.get(self.planned.status)

    @property
    def fault(self) -> Fault | None:
        """Why there is no plan."""
        return None if self.solved else Fault(0, self.planned.status, self.planned.message)


Record = RunRecord | PlannerRecord


@dataclass(frozen=True)
class RecordFolder:
    """All records below a folder, by path; ``unfinished`` are the files of runs that have not ended."""

    records: tuple[Record, ...]
    unfinished: tuple[Path, ...] = ()


def read_record(path: Path) -> Record:
    """A finished record.

    Raises:
        RecordError: as `pddl2nl.experiments.records.reader.read_events`.
    """
    events = read_events(path)
    first, last = events[0], events[-1]
    if isinstance(first, Planned):
        return PlannerRecord(path, first)
    assert isinstance(first, Started)
    assert isinstance(last, Finished)
    record = RunRecord(path, events, first, last)
    try:
        # Checked here, where the error can name file and line.
        record.reference  # noqa: B018
    except RecordError as error:
        raise RecordError(f"{path}:1: an event 'started' with the wrong fields: {error}") from error
    return record


def read_records(folder: Path) -> RecordFolder:
    """All records of a folder and the folders below it, sorted by path; raises as `read_record` does."""
    finished, unfinished = record_paths(folder)
    return RecordFolder(tuple(map(read_record, finished)), unfinished)


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
    # What cannot be looked into may hold records, and leaving them out would silently change every table.
    raise RecordError(f"{error.filename}: the folder cannot be read: {error.strerror}") from error


@lru_cache(maxsize=256)
def read_task(domain_pddl: str, problem_pddl: str) -> Task:
    """The task in a record's texts; the last ones are kept, since the runs of one task stand beside one another.

    Raises:
        InputError: the texts cannot be read.
    """
    domain = _read_domain(domain_pddl)
    return Task(domain, parse_problem(problem_pddl, domain))


@lru_cache(maxsize=32)
def _read_domain(domain_pddl: str) -> Domain:
    return parse_domain(domain_pddl)
