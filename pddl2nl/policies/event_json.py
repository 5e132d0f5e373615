"""Events as JSON objects, one a line of a record, and back.

The fields of `pddl2nl.policies.events` are those of the objects, and the names of the events stand under ``event``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pddl2nl.llm.types import Message
from pddl2nl.policies.events import EVENTS, Event, Fault, Finished, Judged, Prompted, RecordError

__all__ = ["event_from_json", "event_to_json"]

_FIELDS = {kind: tuple(item.name for item in dataclasses.fields(kind)) for kind in EVENTS.values()}
_NAMES = {kind: frozenset(names) for kind, names in _FIELDS.items()}
_TUPLES = {
    kind: tuple(item.name for item in dataclasses.fields(kind) if str(item.type).startswith("tuple["))
    for kind in EVENTS.values()
}


def event_to_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object: its name under ``event``, then its fields in their order."""
    # Not `dataclasses.asdict`, which copies all that a field holds, again and again for every call of a run.
    return {"event": event.event, **{name: _plain(getattr(event, name)) for name in _FIELDS[type(event)]}}


def _plain(value: Any) -> Any:
    if isinstance(value, Fault | Message):
        return dict(vars(value))
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def event_from_json(data: Mapping[str, Any]) -> Event:
    """The event that `event_to_json` wrote; raises `RecordError` for anything else."""
    kind = EVENTS.get(str(data.get("event")))
    if kind is None:
        raise RecordError(f"not an event of a run: {data.get('event')!r}; known are {', '.join(EVENTS)}")
    names = _FIELDS[kind]
    try:
        if len(data) == len(names) + 1 and data.keys() >= _NAMES[kind]:
            # What our own writer wrote has every field. The constructor of a frozen class would set them one by one,
            # which of ten thousand records takes longer than parsing their JSON.
            event = object.__new__(kind)
            fields = event.__dict__
            fields.update(zip(names, map(data.__getitem__, names), strict=True))
            _convert(kind, fields)
            return event
        fields = {key: value for key, value in data.items() if key != "event"}
        _convert(kind, fields)
        return kind(**fields)
    except (TypeError, KeyError) as error:
        raise RecordError(f"an event '{kind.event}' with the wrong fields: {error}") from error


def _convert(kind: type[Event], fields: dict[str, Any]) -> None:
    """Makes of JSON what the dataclasses hold: tuples at their top level, and messages and faults."""
    for name in _TUPLES[kind]:
        if type(fields.get(name)) is list:
            fields[name] = tuple(fields[name])
    if kind is Prompted:
        fields["messages"] = tuple([Message(**message) for message in fields["messages"]])
    elif (kind is Finished or kind is Judged) and fields.get("fault") is not None:
        fields["fault"] = Fault(**fields["fault"])
