"""``pddl2nl models``: the known models, their settings and their prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import JsonOption, argument
from pddl2nl.cli.output import print_json, print_result, print_table, warn
from pddl2nl.cli.run_options import ModelsFile
from pddl2nl.errors import did_you_mean

if TYPE_CHECKING:
    from pddl2nl.llm.settings import ModelSettings

_EPILOG = (
    "Example: pddl2nl models o3-mini > mine.toml; pddl2nl models --models mine.toml  "
    "·  Exit codes: 0 done; 2 a file that cannot be read or has a mistake."
)


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
    from pddl2nl.llm.settings import load_catalogue, settings_toml

    catalogue = load_catalogue(models)
    if name is not None:
        known = catalogue.knows(name)
        if not known:
            near = did_you_mean(name, catalogue.names())
            warn(f"no entry fits the model '{name}'{near}; these are the defaults")
        settings = catalogue.of(name)
        print_result(
            {"name": name, "known": known, **settings.to_json()}, settings_toml(name, settings), as_json=as_json
        )
    elif as_json:
        print_json({"models": [{"name": each, **catalogue.of(each).to_json()} for each in catalogue.names()]})
    else:
        columns = ("model", "prompt", "cached", "completion", "batch", "settings")
        rows = (_row(each, catalogue.of(each)) for each in catalogue.names())
        print_table("USD per million tokens; batch: part of the price in a batch", columns, rows)


def _row(name: str, settings: ModelSettings) -> tuple[str, ...]:
    from pddl2nl.llm.settings import particular

    price = settings.price
    figures = 4 * ["?"]
    if price is not None:
        figures = [f"{figure:g}" for figure in (price.prompt, price.cached, price.completion, price.batch)]
    return (name, *figures, particular(settings))
