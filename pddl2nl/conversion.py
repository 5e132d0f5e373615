"""Data of a file as typed objects; an error names the key, the value that was found, and a suggestion."""

from __future__ import annotations

import re
import reprlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from pddl2nl.errors import InputError, did_you_mean

T = TypeVar("T")
BUILDING = threading.RLock()
"""Held while msgspec may look at a type for the first time.

msgspec 0.22 keeps what it knows of a struct before it has all of it, so a second thread may meet half of it: where two
runs of a new process began at once, it died of a segmentation fault in msgspec.
"""
Key = str | int
"""A key of a table, or an index in a list."""
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "a table",
    "str": "a text",
}
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


class WrongValueError(InputError):
    """A value that does not fit.

    Attributes:
        keys: the path to it.
        value: what was found.
        expected: what was expected, for messages that must not repeat a value, which may be secret.
        unknown: whether the last key is an unknown one.
    """

    def __init__(
        self, message: str, keys: tuple[Key, ...], value: object = None, expected: str = "", *, unknown: bool = False
    ):
        super().__init__(message)
        self.keys = keys
        self.value = value
        self.expected = expected or message
        self.unknown = unknown


def plain_convert(
    data: object, kind: type[T], *, dec_hook: Callable[[type, Any], Any] | None = None, strict: bool = True
) -> T:
    """`msgspec.convert`, with its own errors; safe in threads."""
    with BUILDING:
        return msgspec.convert(data, kind, dec_hook=dec_hook, strict=strict)


def convert(
    data: object,
    kind: type[T],
    *above: Key,
    dec_hook: Callable[[type, Any], Any] | None = None,
    strict: bool = True,
) -> T:
    """The data as an object of a type, by `msgspec.convert`.

    Args:
        data: what a parser of TOML or JSON returned.
        kind: a type that msgspec supports.
        above: the path to the data in their file.
        dec_hook: makes values of other types; its `ValueError` says what is wrong.
        strict: whether numbers must be numbers; if not, texts such as ``3`` and ``true`` are accepted as well.

    Raises:
        WrongValueError: the first value that does not fit.
    """
    try:
        return plain_convert(data, kind, dec_hook=dec_hook, strict=strict)
    except msgspec.ValidationError as error:
        raise _explained(data, kind, above, str(error)) from None


def _explained(data: Any, kind: object, above: tuple[Key, ...], message: str) -> WrongValueError:
    """An error of msgspec, which names the path and not the value, in our words."""
    # An error about the key of a mapping's entry has the mapping's path.
    what, _, place = message.replace("`key` in ", "").partition(" - at `$")
    value, path = data, list[Key]()
    # msgspec does not name the key of a mapping's entry.
    for part in re.findall(r"[^.\[\]`]+", place.partition("[...]")[0]):
        path.append(int(part) if isinstance(value, list) else part)
        value = value[path[-1]]
    types = [*_types_at([inspect.type_info(kind)], path)]
    keys = (*above, *path)
    field = re.search(r"(unknown|required) field `(.*)`", what)
    if field is not None:
        keys = (*keys, field[2])
        if field[1] == "required":
            return WrongValueError(f"{dotted(keys)} is missing", keys, expected="missing")
        known = [each.encode_name for one in types if isinstance(one, inspect.StructType) for each in one.fields]
        hint = did_you_mean(field[2], known, f"; there are {', '.join(known)}")
        return WrongValueError(f"unknown key {dotted(keys)}{hint}", keys, unknown=True)
    words = [str(word) for one in types if isinstance(one, inspect.LiteralType) for word in one.values]
    told = [one.extra["expected"] for one in types if isinstance(one, inspect.Metadata) and one.extra]
    if told:
        # In place of a pattern.
        expected = f"expected {told[0]}"
    elif words:
        expected = f"expected one of {', '.join(words)}{did_you_mean(str(value), words)}"
    else:
        expected = what[0].lower() + what[1:].partition(", got ")[0].replace(" | null", "").replace(" | ", "` or `")
        expected = re.sub(r"`(\w+)`", lambda kind: _WORDS.get(kind[1], kind[1]), expected)
    place = dotted(keys) or "the file"
    # A check of the whole table, by its class, says what it found.
    checked = isinstance(value, dict) and "`" not in what
    return WrongValueError(
        f"{place}: {what}" if checked else f"{place} is {shown(value)}; {expected}", keys, value, expected
    )


def _types_at(types: Iterable[inspect.Type], path: list[Key]) -> Iterable[inspect.Type]:
    alternatives = [each for one in types for each in _alternatives(one)]
    if not path:
        return alternatives
    inner: list[inspect.Type] = []
    for one in alternatives:
        if isinstance(one, inspect.StructType | inspect.DataclassType):
            inner += [each.type for each in one.fields if each.encode_name == path[0]]
        elif isinstance(one, inspect.ListType | inspect.VarTupleType):
            inner.append(one.item_type)
    return _types_at(inner, path[1:])


def _alternatives(one: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(one, inspect.Metadata):
        yield one
        yield from _alternatives(one.type)
    elif isinstance(one, inspect.UnionType):
        for each in one.types:
            yield from _alternatives(each)
    else:
        yield one


def dotted(keys: Iterable[Key]) -> str:
    """A path of keys as messages write it: ``columns[0].policy``."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def shown(value: object) -> str:
    """A value, shortened, as the file writes it."""
    return str(value).lower() if isinstance(value, bool) else _SHORT.repr(value)
