"""How each key of a models' file is read, and what it must hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.llm.prices import Price
from pddl2nl.llm.urls import host_of

__all__ = ["HIDDEN", "READERS", "SECRET_KEYS", "WrongValueError", "holds_key"]

HIDDEN = "(what looks like a key)"
"""What errors show in place of a key that was put where none belongs."""

SECRET_KEYS = frozenset({"base_url", "key_variable", "organization", "project", "headers", "extra_body"})
"""Keys whose values no error repeats."""
_OURS = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")
_PRICES = ("prompt", "cached", "completion", "batch")
_LONGEST_TIMEOUT = 86_400.0
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class WrongValueError(ValueError):
    """A value that a key does not take; the message says what it takes. ``secret``: the value must not be shown."""

    def __init__(self, message: str, *, secret: bool = False):
        super().__init__(message)
        self.secret = secret


def holds_key(value: object) -> bool:
    """Whether something in a file, of whatever type, holds what looks like a key."""
    return any(_is_key(word) for word in re.findall(r"[A-Za-z0-9_-]{8,}", str(value)))


def _is_key(text: str) -> bool:
    """Whether a text is written as the keys of OpenAI and many others are."""
    return text.startswith("sk-")


def _may_be_key(text: str) -> bool:
    """Whether what should be the name of a variable looks like a key itself; hexadecimal ones are names by form."""
    return _is_key(text) or re.fullmatch(r"(?=.*\d)(?=.*[a-z])[A-Za-z0-9_-]{32,}", text) is not None


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise WrongValueError("expected a text")
    if _is_key(value):
        raise WrongValueError("holds what looks like a key; keys belong into the environment", secret=True)
    return value


def _url(value: object) -> str:
    if not isinstance(value, str) or host_of(value) is None:
        raise WrongValueError("expected the address of an endpoint, https://host.example/v1 say")
    return value


def _variable(value: object) -> str:
    if isinstance(value, str) and _may_be_key(value):
        raise WrongValueError("holds what looks like a key; it must hold the NAME of the environment variable with it")
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise WrongValueError('expected the name of an environment variable, "OPENAI_API_KEY" say')
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError("expected true or false")
    return value


def _limit_name(value: object) -> str:
    if value not in ("max_tokens", "max_completion_tokens"):
        raise WrongValueError('expected "max_tokens" or "max_completion_tokens"')
    return str(value)


def _number(value: object, *, above_zero: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise WrongValueError("expected a number")
    if value < 0 or (above_zero and value == 0):
        raise WrongValueError(f"expected a number {'above' if above_zero else 'of at least'} zero")
    return float(value)


def _positive(value: object) -> float:
    return _number(value, above_zero=True)


def _seconds(value: object) -> float:
    seconds = _positive(value)
    if seconds > _LONGEST_TIMEOUT:
        raise WrongValueError(f"expected seconds, at most {_LONGEST_TIMEOUT:.0f} (a day)")
    return seconds


def _whole(value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise WrongValueError(f"expected a whole number of at least {least}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) and text for text in found):
        raise WrongValueError('expected a list of texts, ["Observation:"] say')
    if holds_key(found):
        raise WrongValueError("holds what looks like a key; keys belong into the environment", secret=True)
    return tuple(found)


def _headers(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise WrongValueError('expected a table of texts, { X-Title = "name", X-Token = "$VARIABLE" } say')
    for name, text in value.items():
        if not _HEADER_NAME.fullmatch(name) or not (text.isascii() and text.isprintable()):
            raise WrongValueError(f"the header {name!r:.60} cannot be sent: names are words, values are plain ASCII")
    return value


def _extra(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongValueError("expected a table, { top_k = 1 } say")
    for name in _OURS:
        if name in value:
            raise WrongValueError(f"must not hold '{name}', which is set elsewhere")
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise WrongValueError("holds a date or another value that JSON does not have") from None
    if any(_is_key(part) for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text)):
        raise WrongValueError("holds what looks like a key; it is written into records, so use a header for secrets")
    return value


def _price(value: object) -> Price:
    if not isinstance(value, Mapping) or not {"prompt", "completion"} <= set(value) <= set(_PRICES):
        raise WrongValueError(
            "expected { prompt, completion } and perhaps cached and batch: USD per million tokens, batch as a factor"
        )
    numbers = {name: _number(number) for name, number in value.items()}
    return Price(**{"cached": numbers["prompt"], **numbers})


READERS: dict[str, Callable[[object], Any]] = {
    "base_url": _url,
    "api_version": _text,
    "key_variable": _variable,
    "organization": _text,
    "project": _text,
    "headers": _headers,
    "max_tokens_name": _limit_name,
    "takes_temperature": _flag,
    "takes_seed": _flag,
    "takes_stop": _flag,
    "temperature": _number,
    "reasoning_effort": _text,
    "stop": _texts,
    "max_tokens": lambda value: _whole(value, 1),
    "extra_body": _extra,
    "price": _price,
    "requests_per_minute": _positive,
    "tokens_per_minute": _positive,
    "timeout": _seconds,
    "max_retries": lambda value: _whole(value, 0),
}
"""For each key what turns a TOML value into ours, or raises `WrongValueError`."""
