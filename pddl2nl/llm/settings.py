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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from pddl2nl.conversion import WrongValueError, convert, dotted
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import parse_toml, read_text
from pddl2nl.llm.endpoint.urls import host_of, public_url
from pddl2nl.llm.types import Message, MissingKeyError, ModelConfigurationError, Request, Tariff, Usage
from pddl2nl.llm.written_tools import response_format, shipped_prompt, written

VARIABLE = "PDDL2NL_MODELS"
"""The environment variable that names the user's file."""
_DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_HIDDEN = ("headers", "organization", "project")
"""The settings that may hold secrets."""
_GLOB = re.compile(r"[*?\[]")
_IN_HEADER = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_Amount = Annotated[float, msgspec.Meta(ge=0, lt=1e300)]
_Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e300)]
_Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
_Text = Annotated[str, msgspec.Meta(pattern=r"\S", extra={"expected": "a text that is not empty"})]
_Count = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


@dataclass(frozen=True)
class Price:
    """USD per million tokens: of the prompt, of the part of it that the provider had cached, of the reply.

    ``batch`` is the factor on these prices for calls through the provider's batch endpoint.
    """

    prompt: _Amount
    cached: _Amount
    completion: _Amount
    batch: _Amount = 0.5

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
        base_url: the endpoint up to ``/v1``; with ``api_version``, which makes it Azure OpenAI, the resource's.
        key_variable: the environment variable that holds the key.
        headers: further headers, as written: ``$VARIABLE`` in a value is filled from the environment.
        max_tokens_name: the name under which the limit on the reply is sent.
        takes_temperature: whether it is sent; likewise ``takes_seed`` and ``takes_stop``.
        takes_system: whether there may be a system message; otherwise it begins the first user message.
        takes_reasoning: whether the thoughts that came with calls of tools are sent back with these calls, in the form
            in which they came; DeepSeek, Gemini and Anthropic refuse calls without their thoughts.
        tools: how tools are sent: as the protocol has them (``native``), or in the prompt with a schema for the reply
            (``written``, `pddl2nl.llm.written_tools`), for models whose template knows none.
        tools_prompt: what tells how to call written tools; None for the text of ``llm/prompts/written_tools.txt``. Of a
            model that is told tools so, the text is there in any case, and so in records.
        temperature: replaces the one that a request asks for.
        stop: stop sequences in addition to those of a request.
        max_tokens: the limit on replies to requests without one.
        extra_body: sent unchanged, such as ``{"top_k": 1}``; records hold it, so it must hold no secrets.
        requests_per_minute: the limit shared by all threads of a process; likewise ``tokens_per_minute``.
        timeout: seconds for one attempt.
        constrain: the way in which ``--constrain`` is sent (`pddl2nl.llm.constraint.WAYS`); ``auto`` tries them.
        likelihood: how the likelihood of a reply is asked for: ``completion`` by the ``logprobs`` of one that a grammar
            allows only, ``prompt`` by vLLM's ``prompt_logprobs`` of a prompt that ends with it.
        stream_body: sent unchanged with requests for streamed replies, to have the tokens of each piece counted.
        context: of ``gguf:PATH``, the tokens of prompt and reply that each slot holds.
    """

    base_url: str | None = None
    api_version: _Text | None = None
    key_variable: str = _DEFAULT_KEY_VARIABLE
    organization: _Text | None = None
    project: _Text | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes_temperature: bool = True
    takes_seed: bool = True
    takes_stop: bool = True
    takes_system: bool = True
    takes_reasoning: bool = True
    tools: Literal["native", "written"] = "native"
    tools_prompt: _Text | None = None
    temperature: _Amount | None = None
    reasoning_effort: _Text | None = None
    stop: tuple[_Text, ...] = ()
    max_tokens: _Count | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    price: Price | None = None
    requests_per_minute: _Positive | None = None
    tokens_per_minute: _Positive | None = None
    timeout: _Seconds | None = None
    max_retries: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None = None
    constrain: Literal["auto", "structured_outputs", "grammar", "guided_grammar", "json_schema"] = "auto"
    likelihood: Literal["completion", "prompt"] = "completion"
    stream_body: Mapping[str, Any] = field(default_factory=dict)
    context: Annotated[int, msgspec.Meta(ge=256, le=2**24)] | None = None

    def __post_init__(self) -> None:
        if self.tools == "written" and self.tools_prompt is None:
            object.__setattr__(self, "tools_prompt", shipped_prompt())

    def to_json(self) -> dict[str, Any]:
        """All settings that may be shown: no headers, organisation, project or credentials."""
        values = msgspec.json.decode(msgspec.json.encode(self)).items()
        shown = {name: value for name, value in values if name not in _HIDDEN and value not in (None, [], {})}
        return shown if self.base_url is None else {**shown, "base_url": public_url(self.base_url)}

    def __repr__(self) -> str:
        return f"ModelSettings({', '.join(f'{key}={value!r}' for key, value in self.to_json().items())})"

    def body(self, name: str, request: Request) -> dict[str, Any]:
        """The JSON body of a chat completion for a request to the model of this name."""
        tools = request.tools
        if tools and self.tools == "written":
            request = written(request, self.tools_prompt or "")
        messages = [message.as_json for message in self._taken(request.messages)]
        body: dict[str, Any] = {"model": name, "messages": messages if self.takes_system else fold_system(messages)}
        if request.tools != tools:
            body["response_format"] = response_format(tools)
        elif tools:
            body |= {"tools": [tool.to_json() for tool in request.tools], "tool_choice": request.tool_choice}
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

    def _taken(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages, without the thoughts that belong to calls where the model takes none back."""
        if self.takes_reasoning:
            return messages
        return [msgspec.structs.replace(message, returned="") for message in messages]

    def filled_headers(self) -> dict[str, str]:
        """The headers with the values of their environment variables; they must not be shown.

        Raises:
            MissingKeyError: a variable is not set.
        """

        def value(match: re.Match[str]) -> str:
            variable = match[1] or match[2]
            if variable not in os.environ:
                raise MissingKeyError(f"a header names the environment variable {variable}, which is not set")
            return os.environ[variable].strip()

        return {name: _IN_HEADER.sub(value, text) for name, text in self.headers.items()}

    def secret_header(self, name: str) -> bool:
        """Whether a header holds a secret: its value comes from the environment, or its name says so."""
        return bool(
            _IN_HEADER.search(self.headers[name]) or re.search("auth|key|token|secret|cookie", name, re.IGNORECASE)
        )


def fold_system(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages of a body, with the system prompt at the beginning of the first user message."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    if not system:
        return [*messages]
    others = [message for message in messages if message["role"] != "system"]
    first = [others.pop(0)["content"]] if others and others[0]["role"] == "user" else []
    return [{"role": "user", "content": "\n\n".join([*system, *first])}, *others]


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
    return _read("models.toml", Path(__file__).with_name("models.toml").read_text(encoding="utf-8"))


def load_catalogue(path: str | Path | None = None) -> Catalogue:
    """The shipped models with a user's file laid over them.

    Args:
        path: the file; None means the one that the environment variable ``PDDL2NL_MODELS`` names, if any.

    Raises:
        ModelConfigurationError: the file cannot be read, is not TOML, or has a wrong entry; the message names file,
            table and key.
    """
    chosen = path if path is not None else os.environ.get(VARIABLE) or None
    if chosen is None:
        return shipped_catalogue()
    try:
        text = read_text(Path(chosen), "models' file")
    except InputError as error:
        origin = "" if path is not None else f" (from {VARIABLE})"
        raise ModelConfigurationError(f"cannot read the models' file{origin}: {error}") from None
    return _read(str(chosen), text).over(shipped_catalogue())


def price_of(model: str) -> Price | None:
    """The shipped price of a model, None if unknown; an unknown price is never taken for zero."""
    return shipped_catalogue().of(model).price


def _read(source: str, text: str) -> Catalogue:
    try:
        data = parse_toml(text, source)
    except InputError as error:
        # Without the line that it shows: a key may stand there.
        raise ModelConfigurationError(str(error).partition("\n")[0]) from None
    for key in data:
        if key != "models":
            raise ModelConfigurationError(
                f"{source}: unknown table [{_shown(key)}]{did_you_mean(key, ['models'])}; "
                'tables are called [models."NAME"]'
            )
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise ModelConfigurationError(f'{source}: models must be tables, [models."NAME"]')
    tables = {}
    for name, table in models.items():
        try:
            tables[name] = _table(table)
        except (ValueError, OverflowError) as error:
            reason = f"{dotted(error.keys)}: {error.expected}" if isinstance(error, WrongValueError) else str(error)
            raise ModelConfigurationError(f'{source}, [models."{_shown(name)}"]: {reason}') from None
    return Catalogue((tables,))


_NAMES = [item.name for item in fields(ModelSettings)]
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SET_ELSEWHERE = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")


def _table(table: object) -> dict[str, Any]:
    """The settings that a table holds; raises `ValueError`, whose message never repeats a value that may be secret."""
    if not isinstance(table, dict):
        raise ValueError("expected a table")
    for key, value in table.items():
        if key not in _NAMES:
            # [models.gpt-4.1] without quotation marks is the table "1" in the table "gpt-4".
            quoted = '; a name with a dot needs quotation marks: [models."gpt-4.1"]' if isinstance(value, dict) else ""
            raise ValueError(f"unknown key '{_shown(key)}'{did_you_mean(key, _NAMES) or quoted}")
        if key not in ("headers", "base_url") and _holds_key(value):
            raise ValueError(f"{key} holds what looks like a key; keys belong into the environment")
    table = dict(table)
    if isinstance(table.get("stop"), str):
        table["stop"] = [table["stop"]]
    if isinstance(price := table.get("price"), dict):
        if not set(price) <= {item.name for item in fields(Price)}:
            raise ValueError("price: expected { prompt, completion } and perhaps cached and batch")
        table["price"] = {**price, "cached": price.get("cached", price.get("prompt"))}
    settings = convert(table, ModelSettings)
    _check(settings)
    if "temperature" in table and not settings.takes_temperature:
        raise ValueError("temperature: is never sent where takes_temperature is false")
    return {key: getattr(settings, key) for key in table}


def _check(settings: ModelSettings) -> None:
    """Raises `ValueError` for values of the right type that cannot be sent."""
    if settings.base_url is not None and host_of(settings.base_url) is None:
        raise ValueError("base_url: expected the address of an endpoint, https://host.example/v1 say")
    # Hexadecimal keys are variable names by form.
    hexadecimal = re.fullmatch(r"(?=.*\d)(?=.*[a-z])[A-Za-z0-9_-]{32,}", settings.key_variable)
    if hexadecimal or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", settings.key_variable):
        raise ValueError('key_variable: expected the name of an environment variable, "OPENAI_API_KEY" say')
    for name, text in settings.headers.items():
        if not _HEADER.fullmatch(name) or not (text.isascii() and text.isprintable()):
            raise ValueError(f"headers: the header {name!r:.60} cannot be sent: names are words, values plain ASCII")
    for key, body in (("extra_body", settings.extra_body), ("stream_body", settings.stream_body)):
        for name in _SET_ELSEWHERE:
            if name in body:
                raise ValueError(f"{key} must not hold '{name}', which is set elsewhere")
        try:
            json.dumps(body, allow_nan=False)
        except (TypeError, ValueError):
            raise ValueError(f"{key} holds a date or another value that JSON does not have") from None


def _shown(name: str) -> str:
    """A name in an error message, unless it looks like a key."""
    return "(what looks like a key)" if _holds_key(name) else name


def _holds_key(value: object) -> bool:
    """Whether a value of any type holds what looks like a key of OpenAI and many others."""
    if isinstance(value, str):
        return any(word.startswith("sk-") for word in re.findall(r"[A-Za-z0-9_-]{8,}", value))
    if isinstance(value, dict):
        return any(map(_holds_key, (*value, *value.values())))
    return isinstance(value, list) and any(map(_holds_key, value))


# ── settings as text ──────────────────────────────────────────────────────────────────────────────

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def particular(settings: ModelSettings) -> str:
    """What sets a model apart from others, besides its price."""
    usual = ModelSettings().to_json()
    values = {key: value for key, value in settings.to_json().items() if key != "price" and usual.get(key) != value}
    return ", ".join([*(f"{key} = {_toml(value)}" for key, value in values.items()), *_hidden(settings)])


def _hidden(settings: ModelSettings) -> list[str]:
    return [key for key in _HIDDEN if getattr(settings, key)]


def settings_toml(name: str, settings: ModelSettings) -> str:
    """A table of a models' file; settings that may hold secrets are named in comments."""
    lines = [f"[models.{_toml(name)}]"]
    lines += [f"{key} = {_toml(value)}" for key, value in settings.to_json().items()]
    lines += [f"# {key}: given, and shown nowhere; copy it from the file itself" for key in _hidden(settings)]
    if settings.base_url != settings.to_json().get("base_url"):
        lines.append("# base_url: shown without its user, password and query")
    if settings.price is None:
        lines.append("# price = { prompt = …, cached = …, completion = …, batch = 0.5 }  (USD per million tokens)")
    return "\n".join(lines)


def _toml(value: Any) -> str:
    """A value as TOML; its texts are escaped as JSON's are, which TOML reads alike."""
    if isinstance(value, dict):
        pairs = ((key if _BARE.fullmatch(key) else _toml(key), _toml(item)) for key, item in value.items())
        return "{ " + ", ".join(f"{key} = {item}" for key, item in pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
