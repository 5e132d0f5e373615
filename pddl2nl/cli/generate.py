"""``pddl2nl tasks generate``: a problem of a shipped domain, made from a seed and parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import JsonOption, argument, option, switch
from pddl2nl.cli.output import print_json, print_table, print_text
from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pddl2nl.tasks.generators import Generated, Generator

_EPILOG = "Example: pddl2nl tasks generate blocksworld --seed 7 blocks=5; --parameters lists its parameters"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("generate", epilog=_EPILOG)(_generate)


def _generate(
    domain: Annotated[
        str | None,
        argument(
            "[DOMAIN]",
            "A domain's name; without one all are listed.",
            autocompletion=completion.generated_domains,
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, argument("[NAME=VALUE]...", "Parameters.", "those of the generator")
    ] = None,
    seed: Annotated[int, option("N", "Seed of the generator.", min=0)] = 1,
    name: Annotated[str | None, option("NAME", "The problem's name.", "DOMAIN-SEED")] = None,
    count: Annotated[
        int | None, option("N", "How many problems to make, with seeds from --seed on; needs --out.", "one", min=1)
    ] = None,
    out: Annotated[
        Path | None, option("PATH", "A file, with --count a folder for files DOMAIN-SEED.pddl.", "standard output")
    ] = None,
    explain: Annotated[
        bool, switch("--parameters --explain", "Print the parameters of DOMAIN: meaning, default, range.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a problem of a shipped domain: solvable, not solved initially, and the same for the same seed.

    Without DOMAIN, list the generators; --parameters explains the parameters of one. Some can make problems without
    a plan, by the parameter unsolvable.
    """
    from pddl2nl.tasks.generators import generator_of, read_parameters

    if domain is None:
        _list(as_json)
        return
    generator = generator_of(domain)
    if explain:
        _explain(generator, as_json)
        return
    if count is not None and (out is None or name is not None):
        raise InputError("--count makes the files of a folder: --out DIR is needed, and --name is not possible")
    given = read_parameters(parameters or [])
    for number in range(seed, seed + (count or 1)):
        made = generator.generate(number, given, name)
        if out is not None:
            write_text_file(out if count is None else out / f"{domain}-{number}.pddl", made.text)
        if as_json:
            print_json(_as_json(generator, made, number, given))
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
    from pddl2nl.tasks.generators import generators

    listed = [(each.domain, each.summary, [it.name for it in each.parameters]) for each in generators().values()]
    if as_json:
        keys = ("domain", "summary", "parameters")
        print_json({"generators": [dict(zip(keys, each, strict=True)) for each in listed]})
        return
    rows = [(domain, ", ".join(names), summary) for domain, summary, names in listed]
    print_table("", ("domain", "parameters", "what it makes"), rows)
    print_text("pddl2nl tasks generate DOMAIN --parameters explains the parameters of one.")


def _explain(generator: Generator, as_json: bool) -> None:
    columns = ("name", "meaning", "default", "range")
    rows = [(each.name, each.meaning, each.default, each.expected) for each in generator.parameters]
    if as_json:
        parameters = [dict(zip(columns, row, strict=True)) for row in rows]
        print_json({"domain": generator.domain, "summary": generator.summary, "parameters": parameters})
        return
    print_table(f"{generator.domain}: {generator.summary}", ("parameter", *columns[1:]), rows)
    given = " ".join(f"{each.name}={each.default}" for each in generator.parameters)
    print_text(f"By default: pddl2nl tasks generate {generator.domain} --seed 1 {given}")
