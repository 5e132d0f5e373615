"""``pddl2nl models``: the known models, their settings and their prices."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.options import JsonOption, argument
from pddl2nl.cli.output import print_json, print_result, print_table, warn
from pddl2nl.cli.run_options import ModelsFile
from pddl2nl.errors import did_you_mean

if TYPE_CHECKING:
    from pddl2nl.llm.settings import Catalogue, ModelSettings

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl models o3-mini > mine.toml; pddl2nl models --models mine.toml  "
    "·  Exit codes: 0 done; 2 a file that cannot be read or has a mistake."
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HIDDEN = ("headers", "organization", "project")
_USUAL = {
    "key_variable": "OPENAI_API_KEY",
    "max_tokens_name": "max_tokens",
    "takes_temperature": True,
    "takes_seed": True,
    "takes_stop": True,
}


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("models", epilog=_EPILOG)(_models)


def _models(
    name: Annotated[str | None, argument("[NAME]", "Print the settings of this model as TOML.")] = None,
    models: ModelsFile = None,
    as_json: JsonOption = False,
) -> None:
    """List the models that are known, with their settings and prices in USD per million tokens.

    With NAME: the settings in effect for that model, as TOML that can be put into a file of your own and changed.
    Models that are not listed work as well: they are taken to behave as GPT-4o does, at an unknown price.
    """
    from pddl2nl.llm.settings import load_catalogue

    catalogue = load_catalogue(models)
    if name is not None:
        known = catalogue.knows(name)
        if not known:
            near = did_you_mean(name, catalogue.names())
            warn(f"no entry fits the model '{name}'{near}; these are the defaults")
        settings = catalogue.of(name)
        print_result({"name": name, "known": known, **settings.to_json()}, _one(name, settings), as_json=as_json)
    elif as_json:
        print_json({"models": [{"name": each, **catalogue.of(each).to_json()} for each in catalogue.names()]})
    else:
        columns = ("model", "prompt", "cached", "completion", "batch", "settings")
        rows = (_row(each, catalogue) for each in catalogue.names())
        print_table("USD per million tokens; batch: part of the price in a batch", columns, rows)


def _row(name: str, catalogue: Catalogue) -> tuple[str, ...]:
    settings = catalogue.of(name)
    price = settings.price
    figures = 4 * ["?"]
    if price is not None:
        figures = [f"{figure:g}" for figure in (price.prompt, price.cached, price.completion, price.batch)]
    shown = {key: value for key, value in settings.to_json().items() if key != "price" and _USUAL.get(key) != value}
    particular = [*(f"{key} = {_toml(value)}" for key, value in shown.items()), *_hidden(settings)]
    return (name, *figures, ", ".join(particular))


def _hidden(settings: ModelSettings) -> list[str]:
    """The settings that may hold secrets: they are named and not shown."""
    return [key for key in _HIDDEN if getattr(settings, key)]


def _one(name: str, settings: ModelSettings) -> str:
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
