"""Keys: SHA-256 hashes, in hexadecimal, of everything that determines a reply, taken from canonical JSON.

The key of a request names no endpoint: records and replays find replies by it. The key of an identity
(`pddl2nl.llm.EndpointModel.identity`) covers everything that was sent and where to: the cache finds replies by it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.llm.types import Message, Request

# `json.dumps` would make an encoder for each call.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
Keyed = tuple[str, str]
"""A key, and the canonical JSON of which it is the hash."""
_CONVERSATIONS = 4
"""How many conversations a thread remembers: those of the roles of its run."""


def canonical_json(data: object) -> str:
    """The one JSON text of a value: sorted keys, no blanks, every character that UTF-8 can hold unescaped.

    Raises:
        InputError: the value is not JSON (a number that is not finite, a Python object, mixed keys).
    """
    try:
        text = _CANONICAL(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"this cannot be written as JSON: {error}") from None
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # A server may send halves of surrogate pairs. Two halves that belong together become one character; a single
        # half has no UTF-8 and stays an escape.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in whole)
    return text


def sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def request_to_json(request: Request) -> dict[str, Any]:
    """The request as JSON, without its purpose, which changes no reply."""
    return {**_settings(request), "messages": [message.as_json for message in request.messages]}


def _settings(request: Request) -> dict[str, Any]:
    """All of a request but its messages."""
    constraint = request.constraint
    key = constraint if constraint is None or isinstance(constraint, str) else constraint.key
    more: dict[str, Any] = {"constraint": key, "until": request.until, "likelihood": request.likelihood}
    if request.tools:
        more |= {"tools": [tool.to_json() for tool in request.tools], "tool_choice": request.tool_choice}
    return {
        **{name: value for name, value in more.items() if value},
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
        "stop": request.stop,
        "sample": request.sample,
    }


@dataclass(frozen=True)
class _Hashed:
    """The beginning of a request's JSON up to some messages, and its hash, which another request may continue."""

    before: str
    messages: tuple[Message, ...]
    hash: Any


class _LastKeys(threading.local):
    """The conversations whose keys this thread has taken last."""

    def __init__(self) -> None:
        self.hashed: list[_Hashed] = []


_LAST = _LastKeys()


def request_key(request: Request) -> str:
    """The key of a request: the SHA-256 of `request_to_json` as canonical JSON.

    The prompts of an episode are beginnings of each other. Only the messages that are new since the last key of a
    conversation are hashed, so that a turn costs the same however long the conversation has become.
    """
    # No text within the JSON can hold the mark, since its quotation marks would be escaped; tools sort behind it.
    before, mark, after = canonical_json({**_settings(request), "messages": []}).partition('"messages":[')
    messages = request.messages
    for known in reversed(_LAST.hashed):
        # Tuples compare their items by identity first.
        if known.before == before and known.messages == messages[: len(known.messages)]:
            break
    else:
        known = _Hashed(before, (), hashlib.sha256(f"{before}{mark}".encode()))
    digest = known.hash.copy()
    for number in range(len(known.messages), len(messages)):
        told = canonical_json(messages[number].as_json)
        digest.update(f"{',' if number else ''}{told}".encode())
    others = [hashed for hashed in _LAST.hashed if hashed is not known]
    _LAST.hashed = [*others[1 - _CONVERSATIONS :], _Hashed(before, messages, digest.copy())]
    digest.update(after.encode())
    return str(digest.hexdigest())


def identity_key(identity: Mapping[str, Any]) -> str:
    """The key of an identity."""
    return keyed_identity(identity)[0]


def keyed_identity(identity: Mapping[str, Any]) -> Keyed:
    """The key of an identity, and the text that was hashed."""
    asked = identity_json(identity)
    return sha256(asked), asked


def identity_json(identity: Mapping[str, Any]) -> str:
    """An identity as canonical JSON.

    Its messages, most of it in a long episode, are written by msgspec, which writes texts as `json` does, ten times as
    fast.
    """
    body = identity["body"]
    try:
        messages = msgspec.json.encode(body.get("messages", []), order="sorted").decode()
    except UnicodeEncodeError:
        # Halves of surrogate pairs.
        return canonical_json(identity)
    without = canonical_json({**identity, "body": {**body, "messages": []}} if "messages" in body else identity)
    # No text within the JSON can hold the mark, since its quotation marks would be escaped.
    return without.replace('"messages":[]', f'"messages":{messages}', 1)
