"""The settings of a model as TOML, and in one line."""

from __future__ import annotations

import json
import re
from typing import Any

from pddl2nl.llm.settings import ModelSettings

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HIDDEN = ("headers", "organization", "project")
_USUAL = {
    "key_variable": "OPENAI_API_KEY",
    "max_tokens_name": "max_tokens",
    "takes_temperature": True,
    "takes_seed": True,
    "takes_stop": True,
    "takes_system": True,
    "constrain": "auto",
}


def particular(settings: ModelSettings) -> str:
    """What sets a model apart from others, besides its price."""
    values = {key: value for key, value in settings.to_json().items() if key != "price" and _USUAL.get(key) != value}
    return ", ".join([*(f"{key} = {_toml(value)}" for key, value in values.items()), *_hidden(settings)])


def _hidden(settings: ModelSettings) -> list[str]:
    """The settings that may hold secrets."""
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
