"""The key of a request: a hash of everything that determines its reply."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pddl2nl.llm.types import Request

__all__ = ["request_key", "request_to_json"]


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
    """The SHA-256, in hexadecimal, of the request as canonical JSON (keys sorted, no blanks, UTF-8)."""
    text = json.dumps(request_to_json(request), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
