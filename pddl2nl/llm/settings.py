"""What is particular to a model: where it is, what it takes and what it costs, read from a small TOML.

The shipped file is ``models.toml`` in this folder, which says how such a file is written; a file of one's own is
laid over it. Every key is optional, and everything that a file gets wrong is said with its place.

Secrets have no place in these files: ``key_variable`` names the environment variable that holds the key, and a
header's value may name one too (``"$VARIABLE"``, ``"Bearer $VARIABLE"``). Headers and the organisation are shown
nowhere: no `ModelSettings.to_json`, no ``repr`` and no error holds them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pddl2nl.llm.prices import Price
from pddl2nl.llm.setting_values import HIDDEN, READERS, SECRET_KEYS, WrongValueError, holds_key
from pddl2nl.llm.types import MissingKeyError, ModelConfigurationError
from pddl2nl.llm.urls import public_url

__all__ = ["VARIABLE", "Catalogue", "ModelSettings", "load_catalogue", "shipped_catalogue"]

_DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
VARIABLE = "PDDL2NL_MODELS"
"""The environment variable that names a file of one's own."""
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_GLOB = re.compile(r"[*?\[]")
_IN_HEADER = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True, repr=False)
class ModelSettings:
    """The settings of one model; the defaults are those of a server that speaks OpenAI's protocol as GPT-4o does.

    Attributes:
        base_url: the endpoint up to ``/v1``; with ``api_version`` the resource's endpoint.
        api_version: makes it Azure OpenAI.
        key_variable: the environment variable that holds the key.
        organization: as the provider calls it; likewise ``project``.
        headers: further headers, as written: ``$VARIABLE`` in a value is filled from the environment.
        max_tokens_name: under which name the limit on the reply is sent.
        takes_temperature: whether it is sent at all; likewise ``takes_seed`` and ``takes_stop``.
        temperature: instead of the one that a request asks for.
        reasoning_effort: ``low``, ``medium``, ``high`` or what else the provider knows.
        stop: stop sequences besides those of a request.
        max_tokens: the limit on the reply where a request has none (the planner's).
        extra_body: sent as it is, ``{"top_k": 1}`` say; it is part of records, so no place for secrets.
        price: what tokens cost; None where it is not known.
        requests_per_minute: the limit that all threads of a process share; likewise ``tokens_per_minute``.
        timeout: seconds that one attempt may take.
        max_retries: how often a call is tried again after a fault that may pass.
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
        """What a record may hold: all that is set, without headers, organisation, project and credentials."""
        shown: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name in ("headers", "organization", "project") or value is None or value in ((), {}):
                continue
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

    def filled_headers(self) -> dict[str, str]:
        """The headers with the values of their environment variables; not to be shown.

        Raises:
            MissingKeyError: a variable that is not set.
        """

        def value(found: re.Match[str]) -> str:
            variable = found[1] or found[2]
            if variable not in os.environ:
                raise MissingKeyError(f"a header names the environment variable {variable}, which is not set")
            return os.environ[variable].strip()

        return {name: _IN_HEADER.sub(value, text) for name, text in self.headers.items()}

    def secret_header(self, name: str) -> bool:
        """Whether a header holds a secret: one from the environment, or one whose name says so."""
        return bool(
            _IN_HEADER.search(self.headers[name]) or re.search("auth|key|token|secret|cookie", name, re.IGNORECASE)
        )


@dataclass(frozen=True, repr=False)
class _Layer:
    """One file: the values of each table, by the name or pattern that the table is for."""

    source: str
    tables: Mapping[str, Mapping[str, Any]]

    def fitting(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The tables that fit a name, the most specific one last."""
        globs = [key for key in self.tables if _GLOB.search(key) and fnmatchcase(name, key)]
        chain = [*sorted(globs, key=lambda key: (len(key), key)), _SNAPSHOT.sub("", name), name]
        for key in dict.fromkeys(chain):
            if key in self.tables:
                yield self.tables[key]


class Catalogue:
    """The settings of models by name, from one file or several laid over each other."""

    def __init__(self, layers: tuple[_Layer, ...] = ()):
        self._layers = layers

    def of(self, name: str) -> ModelSettings:
        """The settings of a model; the defaults where no table fits."""
        merged: dict[str, Any] = {}
        for layer in self._layers:
            for table in layer.fitting(name):
                merged.update(table)
        return ModelSettings(**merged)

    def knows(self, name: str) -> bool:
        """Whether any table fits a name."""
        return any(True for layer in self._layers for _ in layer.fitting(name))

    def names(self) -> tuple[str, ...]:
        """The names that have a table of their own, in the order of the files."""
        return tuple(key for key in self._keys() if not _GLOB.search(key))

    def patterns(self) -> tuple[str, ...]:
        """The patterns that have a table, in the order of the files."""
        return tuple(key for key in self._keys() if _GLOB.search(key))

    def _keys(self) -> dict[str, None]:
        return dict.fromkeys(key for layer in self._layers for key in layer.tables)

    def __repr__(self) -> str:
        return f"Catalogue({' over '.join(layer.source for layer in reversed(self._layers)) or 'empty'})"


@lru_cache(maxsize=1)
def shipped_catalogue() -> Catalogue:
    """The models that come with this package."""
    text = resources.files("pddl2nl.llm").joinpath("models.toml").read_text(encoding="utf-8")
    return Catalogue((_read("models.toml", text),))


def load_catalogue(path: str | Path | None = None) -> Catalogue:
    """The shipped models with a file of one's own laid over them.

    Args:
        path: the file; None means the one that the environment variable ``PDDL2NL_MODELS`` names, if any.

    Raises:
        ModelConfigurationError: the file cannot be read, is no TOML, or says something that there is not; the
            message names file, table and key.
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
    return Catalogue((*shipped_catalogue()._layers, _read(source, text)))


def _read(source: str, text: str) -> _Layer:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelConfigurationError(f"{source} is no TOML: {error}") from None
    for key in data:
        if key != "models":
            shown = HIDDEN if holds_key(key) else key
            raise ModelConfigurationError(
                f'{source}: unknown table [{shown}]{_suggest(key, ["models"])}; tables are called [models."NAME"]'
            )
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise ModelConfigurationError(f'{source}: models must be tables, [models."NAME"]')
    return _Layer(source, {name: _table(source, name, table) for name, table in models.items()})


def _table(source: str, name: str, table: object) -> dict[str, Any]:
    where = f'{source}, [models."{HIDDEN if holds_key(name) else name}"]'
    if not isinstance(table, dict):
        raise ModelConfigurationError(f"{where}: expected a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in READERS:
            # [models.gpt-4.1] without quotation marks is the table "1" in the table "gpt-4".
            quoted = '; a name with a dot needs quotation marks: [models."gpt-4.1"]' if isinstance(value, dict) else ""
            shown = HIDDEN if holds_key(key) else key
            raise ModelConfigurationError(f"{where}: unknown key '{shown}'{_suggest(key, list(READERS)) or quoted}")
        try:
            values[key] = READERS[key](value)
        except WrongValueError as error:
            found = "" if key in SECRET_KEYS or error.secret or holds_key(value) else f"; found {value!r:.60}"
            raise ModelConfigurationError(f"{where}, {key}: {error}{found}") from None
    if values.get("takes_temperature") is False and "temperature" in values:
        raise ModelConfigurationError(f"{where}, temperature: is never sent where takes_temperature is false")
    return values


def _suggest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
