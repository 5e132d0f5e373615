"""The settings of each model: where it is, what it takes and what it costs, read from TOML.

The shipped file is ``models.toml`` in this folder; its comments describe the format. A user's file is laid over it.
Every key is optional, and every error names its place.

Secrets do not belong into these files: ``key_variable`` names the environment variable that holds the key, and the
value of a header may name one too (``"$VARIABLE"``, ``"Bearer $VARIABLE"``). Headers and the organisation are shown
nowhere: not in `ModelSettings.to_json`, ``repr`` or errors.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pddl2nl.errors import did_you_mean
from pddl2nl.llm.types import MissingKeyError, ModelConfigurationError, Request, Tariff, Usage
from pddl2nl.llm.urls import host_of, public_url

__all__ = ["FREE", "VARIABLE", "Catalogue", "ModelSettings", "Price", "load_catalogue", "price_of", "shipped_catalogue"]

VARIABLE = "PDDL2NL_MODELS"
"""The environment variable that names the user's file."""
_DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_GLOB = re.compile(r"[*?\[]")
_IN_HEADER = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_DAY = 86_400.0
_TOO_LARGE = 1e300


@dataclass(frozen=True)
class Price:
    """USD per million tokens: of the prompt, of the part of it that the provider had cached, of the reply.

    ``batch`` is the factor on these prices for calls through the provider's batch endpoint.
    """

    prompt: float
    cached: float
    completion: float
    batch: float = 0.5

    def usd(self, usage: Usage, tariff: Tariff = "standard") -> float:
        """The cost of a call; reasoning tokens are among the completion tokens, cached ones among the prompt's."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        total = fresh * self.prompt + usage.cached_tokens * self.cached + usage.completion_tokens * self.completion
        return total / 1_000_000 * (self.batch if tariff == "batch" else 1.0)

    def in_batch(self) -> Price:
        """The prices through the batch endpoint."""
        return Price(self.prompt * self.batch, self.cached * self.batch, self.completion * self.batch, 1.0)


FREE = Price(0.0, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class ModelSettings:
    """The settings of one model; the defaults fit a server that speaks OpenAI's protocol as GPT-4o does.

    Attributes:
        base_url: the endpoint up to ``/v1``; with ``api_version`` the resource's endpoint.
        api_version: makes it Azure OpenAI.
        key_variable: the environment variable that holds the key.
        organization: as the provider calls it; likewise ``project``.
        headers: further headers, as written: ``$VARIABLE`` in a value is filled from the environment.
        max_tokens_name: the name under which the limit on the reply is sent.
        takes_temperature: whether it is sent; likewise ``takes_seed`` and ``takes_stop``.
        temperature: replaces the one that a request asks for.
        reasoning_effort: ``low``, ``medium``, ``high`` or another word that the provider knows.
        stop: stop sequences in addition to those of a request.
        max_tokens: the limit on replies to requests without one.
        extra_body: sent unchanged, such as ``{"top_k": 1}``; it stands in records, so it must hold no secrets.
        price: what tokens cost; None if unknown.
        requests_per_minute: the limit shared by all threads of a process; likewise ``tokens_per_minute``.
        timeout: seconds for one attempt.
        max_retries: how often a call is repeated after a fault that may pass.
    """

    base_url: str | None = None
    api_version: str | None = None
    key_variable: str = _DEFAULT_KEY_VARIABLE
    organization: str | None = None
    project: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes_temperature: bool = True
    takes_seed: bool = True
    takes_stop: bool = True
    temperature: float | None = None
    reasoning_effort: str | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float | None = None
    max_retries: int | None = None

    def to_json(self) -> dict[str, Any]:
        """All settings that may be shown: no headers, organisation, project or credentials."""
        shown: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name not in ("headers", "organization", "project") and value not in (None, (), {}):
                shown[item.name] = value
        if self.base_url is not None:
            shown["base_url"] = public_url(self.base_url)
        if self.stop:
            shown["stop"] = list(self.stop)
        if self.extra_body:
            shown["extra_body"] = dict(self.extra_body)
        if self.price is not None:
            shown["price"] = {item.name: getattr(self.price, item.name) for item in fields(self.price)}
        return shown

    def __repr__(self) -> str:
        return f"ModelSettings({', '.join(f'{key}={value!r}' for key, value in self.to_json().items())})"

    def body(self, name: str, request: Request) -> dict[str, Any]:
        """The JSON body of a chat completion for a request to the model of this name."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body: dict[str, Any] = {"model": name, "messages": messages}
        limit = self.max_tokens if request.max_tokens is None else request.max_tokens
        temperature = request.temperature if self.temperature is None else self.temperature
        stop = list(dict.fromkeys((*request.stop, *self.stop)))
        if limit is not None:
            body[self.max_tokens_name] = limit
        if temperature is not None and self.takes_temperature:
            body["temperature"] = temperature
        if request.seed is not None and self.takes_seed:
            body["seed"] = request.seed
        if stop and self.takes_stop:
            body["stop"] = stop
        if self.reasoning_effort is not None:
            body["reasoning_effort"] = self.reasoning_effort
        body.update(self.extra_body)
        return body

    def filled_headers(self) -> dict[str, str]:
        """The headers with the values of their environment variables; they must not be shown.

        Raises:
            MissingKeyError: a variable is not set.
        """

        def value(found: re.Match[str]) -> str:
            variable = found[1] or found[2]
            if variable not in os.environ:
                raise MissingKeyError(f"a header names the environment variable {variable}, which is not set")
            return os.environ[variable].strip()

        return {name: _IN_HEADER.sub(value, text) for name, text in self.headers.items()}

    def secret_header(self, name: str) -> bool:
        """Whether a header holds a secret: its value comes from the environment, or its name says so."""
        return bool(
            _IN_HEADER.search(self.headers[name]) or re.search("auth|key|token|secret|cookie", name, re.IGNORECASE)
        )


# ── files ────────────────────────────────────────────────────────────────────────────────────────


_Tables = Mapping[str, Mapping[str, Any]]
"""The values of each table of a file, by the model name or pattern of the table."""


class Catalogue:
    """The settings of models by name, from one file or several laid over each other."""

    def __init__(self, files: tuple[_Tables, ...] = ()):
        self._files = files

    def of(self, name: str) -> ModelSettings:
        """The settings of a model; the defaults if no table fits."""
        merged: dict[str, Any] = {}
        for table in self._fitting(name):
            merged.update(table)
        return ModelSettings(**merged)

    def over(self, other: Catalogue) -> Catalogue:
        """These settings laid over others."""
        return Catalogue((*other._files, *self._files))

    def knows(self, name: str) -> bool:
        """Whether any table fits a name."""
        return any(True for _ in self._fitting(name))

    def names(self) -> tuple[str, ...]:
        """The names that have a table of their own, and then the patterns, in the order of the files."""
        keys = dict.fromkeys(key for tables in self._files for key in tables)
        return tuple(sorted(keys, key=lambda key: bool(_GLOB.search(key))))

    def _fitting(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The tables that fit a name: file by file, the most specific one of each last."""
        for tables in self._files:
            globs = [key for key in tables if _GLOB.search(key) and fnmatchcase(name, key)]
            chain = [*sorted(globs, key=lambda key: (len(key), key)), _SNAPSHOT.sub("", name), name]
            yield from (tables[key] for key in dict.fromkeys(chain) if key in tables)


@lru_cache(maxsize=1)
def shipped_catalogue() -> Catalogue:
    """The models that come with this package."""
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    return _read("models.toml", text)


def load_catalogue(path: str | Path | None = None) -> Catalogue:
    """The shipped models with a user's file laid over them.

    Args:
        path: the file; None means the one that the environment variable ``PDDL2NL_MODELS`` names, if any.

    Raises:
        ModelConfigurationError: the file cannot be read, is no TOML, or has a wrong entry; the message names file,
            table and key.
    """
    chosen = path if path is not None else os.environ.get(VARIABLE) or None
    if chosen is None:
        return shipped_catalogue()
    source = str(chosen)
    origin = "" if path is not None else f" (from {VARIABLE})"
    try:
        # Some editors begin a file with a byte order mark.
        text = Path(chosen).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ModelConfigurationError(f"cannot read the models' file {source}{origin}: {reason}") from None
    return _read(source, text).over(shipped_catalogue())


def price_of(model: str) -> Price | None:
    """The shipped price of a model, None if unknown; an unknown price is never taken for zero."""
    return shipped_catalogue().of(model).price


def _read(source: str, text: str) -> Catalogue:
    import tomllib

    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # A TOMLDecodeError is a ValueError, and so is an integer of thousands of digits.
        reason = "its brackets are nested too deeply" if isinstance(error, RecursionError) else error
        raise ModelConfigurationError(f"{source} is no TOML: {reason}") from None
    for key in data:
        if key != "models":
            raise ModelConfigurationError(
                f"{source}: unknown table [{_shown(key)}]{did_you_mean(key, ['models'])}; "
                'tables are called [models."NAME"]'
            )
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise ModelConfigurationError(f'{source}: models must be tables, [models."NAME"]')
    return Catalogue(({name: _table(source, name, table) for name, table in models.items()},))


def _table(source: str, name: str, table: object) -> dict[str, Any]:
    where = f'{source}, [models."{_shown(name)}"]'
    if not isinstance(table, dict):
        raise ModelConfigurationError(f"{where}: expected a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            # [models.gpt-4.1] without quotation marks is the table "1" in the table "gpt-4".
            quoted = '; a name with a dot needs quotation marks: [models."gpt-4.1"]' if isinstance(value, dict) else ""
            raise ModelConfigurationError(
                f"{where}: unknown key '{_shown(key)}'{did_you_mean(key, list(_READERS)) or quoted}"
            )
        try:
            values[key] = _READERS[key](value)
        except _WrongValueError as error:
            hidden = key in _HIDDEN_VALUES or error.secret or _holds_key(value)
            found = "" if hidden else f"; found {_repr(value):.60}"
            raise ModelConfigurationError(f"{where}, {key}: {error}{found}") from None
    if values.get("takes_temperature") is False and "temperature" in values:
        raise ModelConfigurationError(f"{where}, temperature: is never sent where takes_temperature is false")
    return values


def _shown(name: str) -> str:
    """A name in an error message, unless it looks like a key."""
    return "(what looks like a key)" if _holds_key(name) else name


# ── values ───────────────────────────────────────────────────────────────────────────────────────

_HIDDEN_VALUES = frozenset({"base_url", "key_variable", "organization", "project", "headers", "extra_body"})
"""Keys whose values no error repeats."""
_OURS = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")
_IN_ENVIRONMENT = "holds what looks like a key; keys belong into the environment"


class _WrongValueError(ValueError):
    """The message says what the key takes; ``secret`` means that the value must not be shown."""

    def __init__(self, message: str, *, secret: bool = False):
        super().__init__(message)
        self.secret = secret


def _holds_key(value: object) -> bool:
    """Whether a value of any type holds what looks like a key of OpenAI and many others."""
    return any(word.startswith("sk-") for word in re.findall(r"[A-Za-z0-9_-]{8,}", _repr(value)))


def _repr(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer of more digits than Python prints, as hexadecimal ones may be
        return "a number of thousands of digits"


def _expect(is_right: Callable[[Any], bool], what: str) -> Callable[[Any], Any]:
    """Passes on values that are right, and refuses all others."""

    def read(value: Any) -> Any:
        if not is_right(value):
            raise _WrongValueError(f"expected {what}")
        return value

    return read


def _whole(least: int) -> Callable[[Any], Any]:
    return _expect(lambda value: type(value) is int and least <= value < 2**63, f"a whole number of at least {least}")


def _number(is_right: Callable[[float], bool], what: str) -> Callable[[Any], float]:
    check = _expect(lambda value: type(value) in (int, float) and abs(value) < _TOO_LARGE and is_right(value), what)
    return lambda value: float(check(value))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _WrongValueError("expected a text")
    if value.startswith("sk-"):
        raise _WrongValueError(_IN_ENVIRONMENT, secret=True)
    return value


def _variable(value: Any) -> str:
    # Hexadecimal keys are variable names by form.
    if isinstance(value, str) and (
        value.startswith("sk-") or re.fullmatch(r"(?=.*\d)(?=.*[a-z])[A-Za-z0-9_-]{32,}", value)
    ):
        raise _WrongValueError("holds what looks like a key; it must hold the NAME of the environment variable with it")
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise _WrongValueError('expected the name of an environment variable, "OPENAI_API_KEY" say')
    return value


def _texts(value: Any) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) and text for text in found):
        raise _WrongValueError('expected a list of texts, ["Observation:"] say')
    if _holds_key(found):
        raise _WrongValueError(_IN_ENVIRONMENT, secret=True)
    return tuple(found)


def _headers(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise _WrongValueError('expected a table of texts, { X-Title = "name", X-Token = "$VARIABLE" } say')
    for name, text in value.items():
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) or not (text.isascii() and text.isprintable()):
            raise _WrongValueError(f"the header {name!r:.60} cannot be sent: names are words, values are plain ASCII")
    return value


def _extra(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _WrongValueError("expected a table, { top_k = 1 } say")
    for name in _OURS:
        if name in value:
            raise _WrongValueError(f"must not hold '{name}', which is set elsewhere")
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise _WrongValueError("holds a date or another value that JSON does not have") from None
    if re.search(r'"sk-(?:[^"\\]|\\.)*"', text):
        raise _WrongValueError("holds what looks like a key; it is written into records, so use a header for secrets")
    return value


def _price(value: Any) -> Price:
    known = {"prompt", "cached", "completion", "batch"}
    if not isinstance(value, Mapping) or not {"prompt", "completion"} <= set(value) <= known:
        raise _WrongValueError(
            "expected { prompt, completion } and perhaps cached and batch: USD per million tokens, batch as a factor"
        )
    numbers = {name: _amount(number) for name, number in value.items()}
    return Price(**{"cached": numbers["prompt"], **numbers})


_amount = _number(lambda number: number >= 0, "a number of at least zero")
_positive = _number(lambda number: number > 0, "a number above zero")
_flag = _expect(lambda value: isinstance(value, bool), "true or false")
_READERS: dict[str, Callable[[Any], Any]] = {
    "base_url": _expect(
        lambda value: isinstance(value, str) and host_of(value) is not None,
        "the address of an endpoint, https://host.example/v1 say",
    ),
    "api_version": _text,
    "key_variable": _variable,
    "organization": _text,
    "project": _text,
    "headers": _headers,
    "max_tokens_name": _expect(
        lambda value: value in ("max_tokens", "max_completion_tokens"), '"max_tokens" or "max_completion_tokens"'
    ),
    "takes_temperature": _flag,
    "takes_seed": _flag,
    "takes_stop": _flag,
    "temperature": _amount,
    "reasoning_effort": _text,
    "stop": _texts,
    "max_tokens": _whole(1),
    "extra_body": _extra,
    "price": _price,
    "requests_per_minute": _positive,
    "tokens_per_minute": _positive,
    "timeout": _number(lambda seconds: 0 < seconds <= _DAY, "a number above zero of seconds, at most 86400 (a day)"),
    "max_retries": _whole(0),
}
"""For each key a function that turns a TOML value into ours, or raises `_WrongValueError`."""
