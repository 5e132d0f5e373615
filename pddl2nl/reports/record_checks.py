"""Whether the fields of what was read out of a record hold what they are declared to hold.

A record is a file that anybody may edit, and its numbers are added and its texts are joined: a text where a number
belongs is refused with its place, and not met by whatever happens to compute with it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from pddl2nl.policies.events import Fault, Prompted, RecordError

__all__ = ["checked"]

_T = TypeVar("_T")

_RIGHT: set[tuple[type, ...]] = set()

_WORDS: Mapping[type, str] = {
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    Fault: "a fault",
    tuple: "a list",
    type(None): "null",
}


def checked(read: _T, what: str) -> _T:
    """The same event or planner's run.

    Raises:
        RecordError: a field holds something of another kind; the message begins with ``what``.
    """
    values = vars(read)
    kind: Any = type(read)
    # Of ten thousand records there are half a million events, of few kinds: what was found right once is right again.
    seen = (kind, *map(type, values.values()))
    if seen not in _RIGHT:
        for name, kinds, _ in _kinds(kind):
            if not isinstance(values[name], kinds):
                expected = " or ".join(dict.fromkeys(_WORDS.get(each, each.__name__) for each in kinds))
                raise _wrong(what, name, values[name], expected)
        _RIGHT.add(seen)
    for name, items in _holders(kind):
        if values[name] and not _are(values[name], items):
            holder = "an object" if isinstance(values[name], Mapping) else "a list"
            held = {str: "texts", int: "numbers"}.get(items[0], "objects")
            raise _wrong(what, name, values[name], f"{holder} of {held}")
    if kind is Prompted:
        for message in values["messages"]:
            if not isinstance(message.content, str):
                raise _wrong(what, "messages", message.content, "a list of messages with texts")
    fault = values.get("fault")
    if fault is not None:
        checked(fault, f"{what}, its fault")
    return read


def _are(found: tuple[object, ...] | Mapping[str, object], kinds: tuple[type, ...]) -> bool:
    return {*map(type, found.values() if isinstance(found, Mapping) else found)} <= {*kinds}


def _wrong(what: str, name: str, value: object, expected: str) -> RecordError:
    return RecordError(f"{what} with the wrong fields: '{name}' is {reprlib.repr(value)}; {expected} was expected")


@lru_cache(maxsize=64)
def _kinds(of: type) -> tuple[tuple[str, tuple[type, ...], tuple[type, ...]], ...]:
    """Of each field of a dataclass what its value is an instance of, and what that holds."""
    hints = get_type_hints(of)
    found = []
    for field in fields(cast(Any, of)):
        hint = hints[field.name]
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        kinds = tuple(dict.fromkeys(kind for option in options for kind in _classes(option)))
        items = [kind for option in options for kind in _held(option)]
        found.append((field.name, kinds, tuple(items)))
    return tuple(found)


def _held(hint: Any) -> tuple[type, ...]:
    """What the items of a tuple, or the values of a mapping, are; nothing where they may be anything."""
    origin, arguments = get_origin(hint), get_args(hint)
    held = arguments[0] if origin is tuple else arguments[1] if origin is Mapping else Any
    return () if held is Any else _classes(held)


@lru_cache(maxsize=64)
def _holders(of: type) -> tuple[tuple[str, tuple[type, ...]], ...]:
    return tuple((name, items) for name, _, items in _kinds(of) if items)


def _classes(hint: Any) -> tuple[type, ...]:
    origin = get_origin(hint)
    if origin is Literal:
        return (str,)
    if origin is not None:
        return (dict,) if origin is Mapping else (origin,)
    return (int, float) if hint is float else (hint,)
