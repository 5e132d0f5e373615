"""Reading what endpoints answer with: nothing is taken for granted, as servers send anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.llm.types import Completion, Finish, Tariff, Usage

__all__ = ["is_part_of_reply", "read_completion", "read_text", "read_usage"]

_MOST_TOKENS = 2**53
"""A count beyond all sense, which JSON's readers need not even agree on."""


def read_text(data: bytes) -> str:
    """The body of an answer as text: UTF-8, with a byte order mark or without, or what else JSON may come in."""
    return data.decode(json.detect_encoding(data), "replace")


def is_part_of_reply(text: str, error: Exception) -> bool:
    """Whether a text that cannot be read as JSON, for a reason, is the beginning of an object, or nothing at all."""
    more = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"
    return not text.strip() or (text.lstrip().startswith("{") and not more)


def read_completion(
    data: Mapping[str, Any], name: str, strike: Callable[[str], str], seconds: float, tariff: Tariff
) -> Completion | None:
    """The reply in a ``chat.completion`` object; None where it holds none.

    Args:
        data: the object.
        name: the model's name, where the object names none.
        strike: takes secrets out of every text.
        seconds: how long it took.
        tariff: at which price it was paid.
    """
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return None
    reason = choice.get("finish_reason")
    # Some servers leave the message out where a filter or the limit has left nothing of it.
    message = choice.get("message", {} if reason in ("content_filter", "length") else None)
    if not isinstance(message, dict):
        return None
    said = _said(message.get("content"))
    if said is None:
        return None
    text, refusal = said, message.get("refusal")
    finish: Finish = "text"
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refused"
    elif reason == "content_filter":
        finish = "filtered"
    elif reason == "length":
        finish = "length"
    elif not text.strip():
        finish = "empty"
    model, fingerprint = data.get("model") or name, data.get("system_fingerprint") or ""
    usage = read_usage(data.get("usage"))
    return Completion(
        strike(_sound(text)),
        finish,
        usage,
        strike(_sound(str(model))),
        strike(_sound(str(fingerprint))),
        seconds,
        tariff=tariff,
    )


def _said(content: object) -> str | None:
    """The text of a message: its content, or the parts of it that are text (others are thoughts); None for nonsense."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part for part in content]
    return "".join(part for part in parts if isinstance(part, str))


def read_usage(usage: object) -> Usage:
    """The tokens that an endpoint counted; what it did not count, or not in numbers, is zero."""

    def count(account: object, name: str) -> int:
        found = account.get(name) if isinstance(account, dict) else None
        if not isinstance(found, int | float) or isinstance(found, bool) or not 0 < found < _MOST_TOKENS:
            return 0
        return int(found)

    details = usage if isinstance(usage, dict) else {}
    prompt = count(usage, "prompt_tokens")
    # DeepSeek counts what it had cached under a name of its own.
    cached = count(details.get("prompt_tokens_details"), "cached_tokens") or count(usage, "prompt_cache_hit_tokens")
    reasoning = count(details.get("completion_tokens_details"), "reasoning_tokens")
    return Usage(prompt, count(usage, "completion_tokens"), min(cached, prompt), reasoning)


def _sound(text: str) -> str:
    """The text without halves of characters, which JSON can hold and no file can."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
