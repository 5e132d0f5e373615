"""Keys: SHA-256 hashes, in hexadecimal, of everything that determines a reply, taken from canonical JSON.

The key of a request names no endpoint: records and replays find replies by it. The key of an identity
(`pddl2nl.llm.EndpointModel.identity`) covers everything that was sent and where to: the cache finds replies by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.llm.types import Request


def canonical_json(data: object) -> str:
    """The one JSON text of a value: sorted keys, no blanks, every character that UTF-8 can hold unescaped.

    Raises:
        InputError: the value is not JSON (a number that is not finite, a Python object, mixed keys).
    """
    try:
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
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
    # Field by field: `dataclasses.asdict` copies every message deeply, and a long episode has thousands.
    constraint = request.constraint
    key = constraint if constraint is None or isinstance(constraint, str) else constraint.key
    more = {"constraint": key, "until": request.until, "likelihood": request.likelihood}
    return {
        **{name: value for name, value in more.items() if value},
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
        "stop": request.stop,
        "sample": request.sample,
    }


def request_key(request: Request) -> str:
    """The key of a request."""
    return sha256(canonical_json(request_to_json(request)))


def identity_key(identity: Mapping[str, Any]) -> str:
    """The key of an identity."""
    return sha256(canonical_json(identity))
