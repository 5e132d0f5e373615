"""Reads records back: lines of JSON become events, checked by their types and for their order; or only how they end.

msgspec decodes a line several times as fast as `json`. A line that it refuses is read again, to name the field and the
value in it.
"""

from __future__ import annotations

import json
import os
import re
import reprlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, Union, cast

import msgspec

from pddl2nl.conversion import BUILDING, WrongValueError, convert
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.records.writer import Seal
from pddl2nl.files import read_bytes, unreadable
from pddl2nl.plugins import by_name, provided
from pddl2nl.policies.events import EVENTS, FORMAT, RecordError, RunEvent


@lru_cache(maxsize=1)
def event_kinds() -> Mapping[str, type[RunEvent]]:
    """Every kind of event by its name in a record: of all policies, of systems, and of planners."""
    kinds = (*EVENTS, Planned, *(kind for _, events in provided("events", RunEvent) for kind in events))
    return by_name("event", ((str(kind.__struct_config__.tag), kind) for kind in kinds))


@lru_cache(maxsize=1)
def _ends() -> frozenset[str]:
    """The names of the events that end records."""
    return frozenset(kind.last for kind in event_kinds().values() if kind.last)


@lru_cache(maxsize=1)
def _decoder() -> msgspec.json.Decoder[RunEvent]:
    union: Any = Union[tuple(event_kinds().values())]  # noqa: UP007
    with BUILDING:
        return msgspec.json.Decoder(union)


def read_events(path: Path) -> tuple[RunEvent, ...]:
    """The events of a finished record: those of an episode, one `Planned`, or those that a system records.

    Raises:
        RecordError: the file cannot be read, a line is not an event, or the events are not in the order of a finished
            record; the message begins with file and line.
    """
    try:
        text = read_bytes(path, "record").removesuffix(b"\n")
    except InputError as error:
        raise RecordError(str(error)) from error
    # Not splitlines: a reply may hold U+2028, which ends no line of JSON.
    events = [_event_of(line, f"{path}:{number}") for number, line in enumerate(text.split(b"\n"), 1)]
    _check_order(events, path)
    expected, last = events[0].last, events[-1].event
    if last != expected:
        raise RecordError(f"{path}:{len(events)}: a finished record ends with '{expected}'; found {last}")
    return tuple(events)


def seal_fault(path: Path) -> str:
    """Why a finished record is not as it was written (`pddl2nl.experiments.records.writer.Seal`); empty if it is.

    Who edits a record and computes its digest again is not found out: it shows accidents and careless changes.

    Raises:
        RecordError: the file cannot be read.
    """
    try:
        lines = read_bytes(path, "record").removesuffix(b"\n").split(b"\n")
    except InputError as error:
        raise RecordError(str(error)) from error
    end = _SEALED.fullmatch(lines[-1])
    if end is None:
        return f"line {len(lines)}: the last line holds no digest"
    seal, marks = Seal(), end[2][:-64].decode()
    for number, line in enumerate(lines[:-1]):
        if seal.add(line) != marks[8 * number : 8 * number + 8]:
            return f"line {number + 1} is not as it was written"
    if len(marks) != 8 * len(lines):
        return f"{len(lines)} lines, and {len(marks) // 8} were written"
    return "" if seal.close(end[1] + b"}") == lines[-1] else f"line {len(lines)} is not as it was written"


_SEALED = re.compile(rb'(\{.*), "digest": "([0-9a-f]{72,})"\}', re.DOTALL)


def events_from_json(path: Path, lines: Sequence[tuple[int, object]]) -> tuple[RunEvent, ...]:
    """The events of a record, finished or not, that was read as JSON objects with their line numbers.

    Raises:
        RecordError: as `read_events`, but the record may end anywhere.
    """
    events = tuple(event_from_json(data, f"{path}:{number}: ") for number, data in lines)
    _check_order(events, path)
    return events


def event_from_json(data: object, place: str = "") -> RunEvent:
    """The event that `pddl2nl.policies.events.event_to_json` wrote as a JSON object.

    Raises:
        RecordError: it is not an event; the message begins with ``place``, and names the field and what was found.
    """
    name = data.get("event") if isinstance(data, dict) else None
    if isinstance(data, dict) and name == "started" and data.get("format", 1) != FORMAT:
        raise RecordError(
            f"{place}the record has format {data.get('format', 1)!r}, and this version reads {FORMAT}: use the version "
            "of pddl2nl that wrote it"
        )
    if not isinstance(data, dict):
        raise RecordError(f"{place}expected one JSON object per line; found {reprlib.repr(data)}")
    if not isinstance(name, str) or name not in event_kinds():
        raise RecordError(f"{place}not an event of a run: {name!r}; known are {', '.join(event_kinds())}")
    try:
        return convert(data, event_kinds()[name])
    except WrongValueError as error:
        raise RecordError(f"{place}an event '{name}' with the wrong fields: {error}") from None


def _check_order(events: Sequence[RunEvent], path: Path) -> None:
    """A record is one `Planned`, or begins with its only ``started``, say, and has at most one end, its last event."""
    if not events or not events[0].last:
        raise RecordError(f"{path}:1: a record begins with 'started'; found {events[0].event if events else 'nothing'}")
    if isinstance(events[0], Planned) and len(events) > 1:
        raise RecordError(f"{path}:2: a planner's record is one line; found {len(events)}")
    for number, event in enumerate(events[1:], 2):
        if event.last:
            raise RecordError(f"{path}:{number}: a second '{event.event}' in one record")
    for number, (event, following) in enumerate(pairwise(events), 2):
        if event.event in _ends():
            raise RecordError(f"{path}:{number}: '{following.event}' after the end of the run")


def _event_of(line: bytes, place: str) -> RunEvent:
    try:
        return _decoder().decode(line)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        # Python's own reader accepts an escape of half a surrogate pair, which a server may have sent.
        data = _without_halves(json.loads(line.decode("utf-8"), parse_constant=_refuse_constant))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place}: not a line of JSON: {unreadable(error)}") from error
    return event_from_json(data, f"{place}: ")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _without_halves(data: Any) -> Any:
    """Replaces halves of surrogate pairs, which neither a page nor a text file can hold."""
    whole = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return json.loads(whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


# ── the end alone ────────────────────────────────────────────────────────────────────────────────

_LAST_BYTES = 1 << 16


class End(Protocol):
    """The last event of a record: `Finished`, `Planned`, or that of a system's own record."""

    @property
    def outcome(self) -> str:
        """How it ended; of a planner its status."""

    @property
    def message(self) -> str:
        """The outcome in a sentence."""

    @property
    def spent(self) -> Mapping[str, Mapping[str, Any]]:
        """What was paid for it (`pddl2nl.policies.budget.Account`), by role."""


def is_broken(end: End) -> bool:
    """Whether a tool failed, so that the run is no result and is to be run again."""
    return end.outcome in ("infrastructure-error", "error")


def read_end(record: Path) -> End | None:
    """The last event of a finished record; None if there is no record, or its last line is no such event.

    Raises:
        InfrastructureError: the file cannot be read.
    """
    try:
        event = _decoder().decode(last_line(record))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InfrastructureError(f"cannot read the record {record}: {error.strerror}") from error
    except (msgspec.DecodeError, RecursionError):
        return None
    return cast(End, event) if event.event in _ends() else None


def last_line(path: Path) -> bytes:
    """The last line of a file, read from its end."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        span = _LAST_BYTES
        while True:
            file.seek(max(0, size - span))
            end = file.read(span).rstrip(b"\n")
            if b"\n" in end or span >= size:
                return end.rpartition(b"\n")[2]
            span *= 4
