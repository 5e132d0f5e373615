"""``pddl2nl generate``: a problem of a shipped domain, made from a seed and parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import print_json, print_table, print_text, write_text_file
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pddl2nl.tasks.generators import Generated, Generator

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl generate blocksworld --seed 7 blocks=5. What can be given: pddl2nl generate blocksworld "
    "--parameters"
)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("generate", epilog=_EPILOG)(_generate)


def _generate(
    domain: Annotated[
        str | None, typer.Argument(metavar="DOMAIN", help="A shipped domain's name; without one all are listed.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Parameters; those not given have their defaults."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="Seed of the generator.")] = 1,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The problem's name.", show_default="DOMAIN-SEED")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Problems, with seeds counted up from S; needs --out.", show_default="one problem"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write a file instead of printing; with --count a folder, for files DOMAIN-SEED.pddl.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--parameters", "--explain", help="Print the parameters of DOMAIN: meaning, default, range.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a problem of a shipped domain: solvable, not solved initially, and the same for the same seed.

    Without DOMAIN, list the generators; `pddl2nl generate DOMAIN --parameters` explains the parameters of one. Some can
    make problems without a plan, by the parameter unsolvable.
    """
    from pddl2nl.tasks.generators import generator_of, read_parameters

    if domain is None:
        _list(as_json)
        return
    generator = generator_of(domain)
    if explain:
        _explain(generator, as_json)
        return
    given = read_parameters(parameters or [])
    if count is not None:
        if out is None or name is not None:
            raise InputError("--count makes the files of a folder: --out DIR is needed, and --name is not possible")
        several = [generator.generate(number, given) for number in range(seed, seed + count)]
        for number, made in enumerate(several, start=seed):
            write_text_file(out / f"{domain}-{number}.pddl", made.text)
            if as_json:
                print_json(_as_json(generator, made, number, given))
        return
    made = generator.generate(seed, given, name)
    if out is not None:
        write_text_file(out, made.text)
    if as_json:
        print_json(_as_json(generator, made, seed, given))
    elif out is None:
        print_text(made.text)


def _as_json(generator: Generator, made: Generated, seed: int, given: Mapping[str, str]) -> dict[str, object]:
    return {
        "domain": made.domain,
        "name": made.name,
        "seed": seed,
        "parameters": {each.name: each.read(given.get(each.name, each.default)) for each in generator.parameters},
        "call": made.call,
        "objects": made.objects,
        "solvable": made.solvable,
        "text": made.text,
    }


def _list(as_json: bool) -> None:
    from pddl2nl.tasks.generators import GENERATORS

    if as_json:
        print_json(
            {
                "generators": [
                    {"domain": each.domain, "summary": each.summary, "parameters": [it.name for it in each.parameters]}
                    for each in GENERATORS.values()
                ]
            }
        )
        return
    rows = [(each.domain, ", ".join(it.name for it in each.parameters), each.summary) for each in GENERATORS.values()]
    print_table("", ("domain", "parameters", "what it makes"), rows)
    print_text("pddl2nl generate DOMAIN --parameters explains the parameters of one.")


def _explain(generator: Generator, as_json: bool) -> None:
    if as_json:
        told = [
            {"name": each.name, "meaning": each.meaning, "default": each.default, "range": each.expected}
            for each in generator.parameters
        ]
        print_json({"domain": generator.domain, "summary": generator.summary, "parameters": told})
        return
    rows = [(each.name, each.meaning, each.default, each.expected) for each in generator.parameters]
    print_table(
        f"{generator.domain}: {generator.summary}",
        ("parameter", "meaning", "default", "range"),
        rows,
    )
    given = " ".join(f"{each.name}={each.default}" for each in generator.parameters)
    print_text(f"By default: pddl2nl generate {generator.domain} --seed 1 {given}")
