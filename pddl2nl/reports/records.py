"""Reading stored runs: a record file becomes a `RunRecord` or a `PlannerRecord`, a folder all of them.

A record counts as finished when it bears its final name, ``NAME.jsonl``; ``NAME.jsonl.partial`` is a run that
was cut off, or still goes on: it is listed and never counted. A finished record with a torn or foreign line is
an error with its place, since leaving it out would silently change every table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pddl2nl.experiments.planned import Planned, planned_from_json
from pddl2nl.policies.event_json import event_from_json
from pddl2nl.policies.events import Event, Fault, Finished, RecordError, Started

__all__ = ["Column", "PlannerRecord", "Record", "RecordFolder", "RunRecord", "read_record", "read_records"]

_T = TypeVar("_T")


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
class RunRecord:
    """A finished episode as it was stored."""

    path: Path
    events: tuple[Event, ...]
    started: Started
    finished: Finished

    @property
    def id(self) -> str:
        """The record file's name without its ending."""
        return self.path.name.removesuffix(".jsonl")

    @property
    def domain(self) -> str:
        """The domain's name in its PDDL text."""
        return self.started.domain

    @property
    def suite(self) -> str:
        """What the experiment called the task's domain or suite; the domain's name where there was none."""
        return self.started.suite or self.domain

    @property
    def problem(self) -> str:
        """The problem's name in its PDDL text."""
        return self.started.problem

    @property
    def column(self) -> Column:
        """The configuration that was run."""
        return Column(self.started.policy, "" if self.started.model == "none" else self.started.model)

    @property
    def outcome(self) -> str:
        """One of `pddl2nl.policies.events.OUTCOMES`."""
        return self.finished.outcome

    @property
    def solved(self) -> bool:
        """Whether the goal was reached."""
        return self.outcome == "solved"

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy: such a run is never scored."""
        return self.outcome == "infrastructure-error"

    @property
    def plan(self) -> tuple[str, ...]:
        """The actions that were executed."""
        return self.finished.plan

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.finished.seconds

    @property
    def solvable(self) -> bool | None:
        """Whether the task has a plan; None where that is not known."""
        return True if self.solved else self.started.solvable

    @property
    def fault(self) -> Fault | None:
        """The first broken link."""
        return self.finished.fault

    @property
    def domain_pddl(self) -> str:
        """The domain's text."""
        return self.started.domain_pddl

    @property
    def problem_pddl(self) -> str:
        """The problem's text."""
        return self.started.problem_pddl


@dataclass(frozen=True)
class PlannerRecord:
    """A planner's run as it was stored."""

    path: Path
    planned: Planned

    @property
    def id(self) -> str:
        """The record file's name without its ending."""
        return self.path.name.removesuffix(".jsonl")

    @property
    def domain(self) -> str:
        """The domain's name in its PDDL text."""
        return self.planned.domain

    @property
    def suite(self) -> str:
        """As in `RunRecord`."""
        return self.planned.suite or self.domain

    @property
    def problem(self) -> str:
        """The problem's name in its PDDL text."""
        return self.planned.problem

    @property
    def column(self) -> Column:
        """The planner."""
        return Column(self.planned.planner)

    @property
    def outcome(self) -> str:
        """The planner's status; ``infrastructure-error`` where it broke."""
        return "infrastructure-error" if self.planned.status == "error" else self.planned.status

    @property
    def solved(self) -> bool:
        """Whether a plan was found."""
        return self.planned.status == "solved"

    @property
    def infrastructure(self) -> bool:
        """Whether the planner broke: such a run is never scored."""
        return self.planned.status == "error"

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
        if self.solved:
            return None
        return Fault(0, self.planned.status, self.planned.message)

    @property
    def domain_pddl(self) -> str:
        """The domain's text."""
        return self.planned.domain_pddl

    @property
    def problem_pddl(self) -> str:
        """The problem's text."""
        return self.planned.problem_pddl


Record = RunRecord | PlannerRecord


@dataclass(frozen=True)
class RecordFolder:
    """All records below a folder, by path; ``unfinished`` are the files of runs that have not ended."""

    records: tuple[Record, ...]
    unfinished: tuple[Path, ...] = ()


def read_record(path: Path) -> Record:
    """A finished record.

    Raises:
        RecordError: a line is torn or no event, or the first or last one is missing; the message begins with
            file and line.
        InputError: the file cannot be read.
    """
    lines = list(_lines(path))
    if lines and lines[0].get("event") == "planned":
        if len(lines) > 1:
            raise RecordError(f"{path}:2: a planner's record is one line; found {len(lines)}")
        return PlannerRecord(path, _placed(path, 1, planned_from_json, lines[0]))
    events = tuple(_placed(path, number, event_from_json, data) for number, data in enumerate(lines, 1))
    if not events or not isinstance(events[0], Started):
        raise RecordError(f"{path}:1: a record begins with 'started'; found {_kind(events[:1])}")
    if not isinstance(events[-1], Finished):
        raise RecordError(f"{path}:{len(events)}: a finished record ends with 'finished'; found {_kind(events[-1:])}")
    return RunRecord(path, events, events[0], events[-1])


def read_records(folder: Path) -> RecordFolder:
    """All records of a folder and the folders below it, sorted by path; raises as `read_record` does."""
    if not folder.is_dir():
        raise RecordError(f"{folder}: no such folder of records")
    return RecordFolder(
        records=tuple(read_record(path) for path in sorted(folder.rglob("*.jsonl"))),
        unfinished=tuple(sorted(folder.rglob("*.jsonl.partial"))),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{path}: the record cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: the record is not UTF-8: {error}") from error
    # Not splitlines: a reply may hold U+2028, which JSON leaves as it is and which ends no line of JSON Lines.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            data = json.loads(line)
        except ValueError as error:
            raise RecordError(f"{path}:{number}: a torn or foreign line: {error}") from error
        if not isinstance(data, dict):
            raise RecordError(f"{path}:{number}: a record holds one JSON object a line")
        yield data


def _placed(path: Path, number: int, read: Callable[[Mapping[str, Any]], _T], data: dict[str, Any]) -> _T:
    try:
        return read(data)
    except RecordError as error:
        raise RecordError(f"{path}:{number}: {error}") from error


def _kind(events: tuple[Event, ...]) -> str:
    return f"'{events[0].event}'" if events else "nothing"
