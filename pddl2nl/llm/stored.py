"""A reply as the cache keeps it: one row of text and numbers that can be checked against itself.

A reply of a chat is stored as JSON under the names that a record of a run has for it::

    {"cached_tokens": 0, "completion_tokens": 9, "fingerprint": "fp_1", "finish": "text", "model": "gpt-4o-2024-08-06",
     "prompt_tokens": 311, "reasoning_tokens": 0, "seconds": 1.25, "tariff": "standard", "text": "Action: …"}

and that of an embedding as ``{"vector": [0.25, …]}``. ``model`` there is what answered; the row's own column
is what was asked for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from pddl2nl.errors import InputError
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.types import Completion, Tariff, Usage

__all__ = [
    "COLUMNS",
    "Kind",
    "StoredReply",
    "completion_from_json",
    "completion_to_json",
    "fault_of",
    "read_reply",
    "store",
    "utc",
    "vector_from_json",
]

Kind = Literal["chat", "embedding"]
_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
_TEXTS = ("text", "model", "fingerprint")
_FIELDS = frozenset((*_TOKENS, *_TEXTS, "finish", "seconds", "tariff"))


@dataclass(frozen=True)
class StoredReply:
    """A row of the cache.

    ``identity`` and ``reply`` are canonical JSON; ``key`` is the SHA-256 of the first, ``checksum`` that of the
    key, a line break and the second. All else is drawn from them, so that any tool can count without
    reading JSON; only ``created`` (UTC, ISO 8601) stands nowhere else.
    """

    key: str
    kind: str
    model: str
    endpoint: str
    finish: str | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    tariff: str
    created: str
    checksum: str
    identity: str
    reply: str

    def row(self) -> tuple[Any, ...]:
        """The values in the order of `COLUMNS`."""
        return astuple(self)


COLUMNS = tuple(field.name for field in fields(StoredReply))


def utc(moment: datetime | None = None) -> str:
    """A moment (by default now) as the cache writes it: ``2025-01-31T12:00:00.000Z``."""
    moment = moment or datetime.now(UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _checksum(key: str, reply: str) -> str:
    """What tells a stored reply from one that was damaged, or that belongs to another key."""
    return sha256(f"{key}\n{reply}")


def completion_to_json(completion: Completion) -> dict[str, Any]:
    """A complete reply as the cache takes it; `completion_from_json` is the inverse."""
    usage = completion.usage
    return {
        "text": completion.text,
        "finish": completion.finish,
        "model": completion.model,
        "fingerprint": completion.fingerprint,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "seconds": completion.seconds,
        "tariff": completion.tariff,
    }


def completion_from_json(data: Mapping[str, Any]) -> Completion:
    """A stored reply, as it was when it was paid for.

    Raises:
        InputError: it is not whole: something is missing, of a wrong type or not known, or its finish is not text.
    """
    if set(data) != _FIELDS:
        wrong = ", ".join(sorted(set(data) ^ _FIELDS))
        raise InputError(f"a stored reply has these and no other fields: {', '.join(sorted(_FIELDS))}; see {wrong}")
    if data["finish"] != "text":
        raise InputError(f"only replies that finished with text are kept; found {data['finish']!r}")
    for name in _TEXTS:
        if not isinstance(data[name], str):
            raise InputError(f"{name} of a stored reply is a text; found {data[name]!r}")
    if data["tariff"] not in get_args(Tariff):
        raise InputError(f"tariff of a stored reply is one of {', '.join(get_args(Tariff))}; found {data['tariff']!r}")
    for name in _TOKENS:
        # The upper end is SQLite's, whose whole numbers have 64 bits.
        if type(data[name]) is not int or not 0 <= data[name] < 2**63:
            raise InputError(f"{name} of a stored reply is a whole number from 0 up; found {data[name]!r}")
    if not _is_number(data["seconds"]) or data["seconds"] < 0:
        raise InputError(f"seconds of a stored reply is a number from 0 up; found {data['seconds']!r}")
    return Completion(
        data["text"],
        "text",
        Usage(*(data[name] for name in _TOKENS)),
        data["model"],
        data["fingerprint"],
        float(data["seconds"]),
        tariff=data["tariff"],
    )


def vector_from_json(data: Mapping[str, Any]) -> list[float]:
    """A stored vector.

    Raises:
        InputError: it is none.
    """
    vector = data.get("vector")
    if set(data) != {"vector"} or not isinstance(vector, list) or not vector or not all(map(_is_number, vector)):
        raise InputError('a stored embedding is {"vector": [numbers]}')
    return [float(number) for number in vector]


def store(identity: Mapping[str, Any], reply: Mapping[str, Any], created: str) -> StoredReply:
    """The row of a reply.

    Raises:
        InputError: the identity is none, or the reply is not a complete one of its kind.
    """
    body = identity.get("body")
    if not isinstance(body, Mapping) or not isinstance(identity.get("endpoint"), str):
        raise InputError("an identity has a kind, an endpoint and a body; see EndpointModel.identity")
    kind = identity.get("kind")
    if kind not in get_args(Kind):
        raise InputError(f"the kind of an identity is one of {', '.join(get_args(Kind))}; found {kind!r}")
    chat = completion_from_json(reply) if kind == "chat" else None
    if chat is None:
        vector_from_json(reply)
    usage = chat.usage if chat else Usage()
    said, answered = canonical_json(identity), canonical_json(reply)
    key = sha256(said)
    model = body.get("model")
    return StoredReply(
        key,
        str(kind),
        model if isinstance(model, str) else "",
        identity["endpoint"],
        chat.finish if chat else None,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cached_tokens,
        usage.reasoning_tokens,
        chat.tariff if chat else "standard",
        created,
        _checksum(key, answered),
        said,
        answered,
    )


def fault_of(row: Sequence[object]) -> str | None:
    """Why a row (its values in the order of `COLUMNS`) is damaged; None where it is sound."""
    values = dict(zip(COLUMNS, row, strict=True))
    key, identity, reply, created = (values[name] for name in ("key", "identity", "reply", "created"))
    if not (isinstance(key, str) and isinstance(identity, str) and isinstance(reply, str) and isinstance(created, str)):
        return "key, identity, reply and created are texts, and one of them is none"
    if sha256(identity) != key:
        return "its key is not the SHA-256 of its identity"
    if _checksum(key, reply) != values["checksum"]:
        return "its reply is not the one that was stored (the checksum differs)"
    try:
        datetime.fromisoformat(created)
        whole = store(_object(identity), _object(reply), created)
    except ValueError as error:  # an InputError is one
        return str(error)
    for name, value in zip(COLUMNS, whole.row(), strict=True):
        if values[name] != value:
            return f"its column {name} says {values[name]!r}, its JSON {value!r}"
    return None


def read_reply(key: str, checksum: object, reply: object) -> dict[str, Any]:
    """The JSON of a stored reply, checked against its checksum.

    Raises:
        InputError: it is not the one that was stored under this key.
    """
    if not isinstance(reply, str) or _checksum(key, reply) != checksum:
        raise InputError("it is not what was stored (the checksum differs)")
    return _object(reply)


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise InputError("the JSON of an identity or a reply is an object")
    return data


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
