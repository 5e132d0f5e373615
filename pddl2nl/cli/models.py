"""``pddl2nl models``: the models that are known, what is particular to each, and what they cost."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pddl2nl.cli.output import print_json, print_table, print_text, print_warnings
from pddl2nl.errors import did_you_mean

if TYPE_CHECKING:
    from pddl2nl.llm.settings import Catalogue, ModelSettings

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl models o3-mini > mine.toml; pddl2nl models --models mine.toml  "
    "·  Exit codes: 0 done; 2 a file that cannot be read or says something wrong."
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
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="Print the settings of this model as TOML."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--models",
            metavar="FILE",
            help="A models' file of your own, laid over the shipped one.",
            show_default="PDDL2NL_MODELS, if set",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models that are known, with their settings and prices in USD per million tokens.

    With NAME: the settings in effect for that model, as TOML that can be put into a file of your own and changed.
    Models that are not listed work as well: they are taken to behave as GPT-4o does, at an unknown price.
    """
    from pddl2nl.llm.settings import load_catalogue

    catalogue = load_catalogue(file)
    if name is not None:
        _print_one(name, catalogue, as_json)
    elif as_json:
        names = catalogue.names()
        print_json({"models": [{"name": known, **catalogue.of(known).to_json()} for known in names]})
    else:
        _print_all(catalogue)


def _print_all(catalogue: Catalogue) -> None:
    columns = ("model", "prompt", "cached", "completion", "batch", "settings")
    rows = []
    for name in catalogue.names():
        settings = catalogue.of(name)
        price = settings.price
        figures = ("", "", "", "") if price is None else (price.prompt, price.cached, price.completion, price.batch)
        rows.append((name, *(f"{figure:g}" if figure != "" else "?" for figure in figures), _particular(settings)))
    print_table("USD per million tokens; batch: part of the price in a batch", columns, rows)


def _particular(settings: ModelSettings) -> str:
    """What sets a model apart from others, in one line."""
    shown = {key: value for key, value in settings.to_json().items() if key != "price" and _USUAL.get(key) != value}
    hidden = [key for key in _HIDDEN if getattr(settings, key)]
    return ", ".join([*(f"{key} = {_toml(value)}" for key, value in shown.items()), *hidden])


def _print_one(name: str, catalogue: Catalogue, as_json: bool) -> None:
    settings = catalogue.of(name)
    known = catalogue.knows(name)
    if not known:
        near = did_you_mean(name, catalogue.names())
        print_warnings([f"no entry fits the model '{name}'{near}; these are the defaults"])
    if as_json:
        print_json({"name": name, "known": known, **settings.to_json()})
        return
    lines = [f"[models.{_toml(name)}]"]
    lines += [f"{key} = {_toml(value)}" for key, value in settings.to_json().items()]
    lines += [
        f"# {key}: given, and shown nowhere; copy it from the file itself" for key in _HIDDEN if getattr(settings, key)
    ]
    if settings.base_url != settings.to_json().get("base_url"):
        lines.append("# base_url: shown without its user, password and query")
    if settings.price is None:
        lines.append("# price = { prompt = …, cached = …, completion = …, batch = 0.5 }  (USD per million tokens)")
    print_text("\n".join(lines))


def _toml(value: Any) -> str:
    """A value as TOML; its texts are escaped as JSON's are, which TOML reads alike."""
    if isinstance(value, dict):
        pairs = ((key if _BARE.fullmatch(key) else _toml(key), _toml(item)) for key, item in value.items())
        return "{ " + ", ".join(f"{key} = {item}" for key, item in pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
