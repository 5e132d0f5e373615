"""Keys: hashes of everything that determines a reply, taken from canonical JSON.

The key of a request has no endpoint in it: records and replays find replies by it. The key of an identity (what
`pddl2nl.llm.EndpointModel.identity` gives) has everything in it that was sent and where to: the cache's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.llm.types import Request

__all__ = ["canonical_json", "identity_key", "request_key", "request_to_json", "sha256"]


def canonical_json(data: object) -> str:
    """The one JSON text of a value: keys sorted, no blanks, every character that UTF-8 can hold as it is.

    Raises:
        InputError: JSON cannot say it (a number that is not finite, an object of Python, mixed keys).
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
        # A server may send halves of a surrogate pair. Two that belong together are one character; one that is
        # alone has no UTF-8, and stays as JSON's escape.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in whole)
    return text


def sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def request_to_json(request: Request) -> dict[str, Any]:
    """The request as JSON, all but its purpose, which is for the accounts and changes no reply."""
    # Field by field: `dataclasses.asdict` copies every message deeply, and a long episode has thousands.
    return {
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "temperature": request.temperature,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
        "stop": request.stop,
        "sample": request.sample,
    }


def request_key(request: Request) -> str:
    """The SHA-256, in hexadecimal, of the request as canonical JSON."""
    return sha256(canonical_json(request_to_json(request)))


def identity_key(identity: Mapping[str, Any]) -> str:
    """The SHA-256, in hexadecimal, of an identity as canonical JSON: the key under which the cache keeps the reply."""
    return sha256(canonical_json(identity))
