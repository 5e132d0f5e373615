"""The options of ``pddl2nl experiment``, and how they replace values of a specification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.errors import InputError
from pddl2nl.quantities import seeds as read_seeds

if TYPE_CHECKING:
    from pddl2nl.experiments.specification.experiment import Overrides

__all__ = [
    "DEFAULT_WORKERS",
    "ClusterOption",
    "Defines",
    "Domains",
    "DryRuns",
    "Instances",
    "Listing",
    "ModelOption",
    "OutFolder",
    "Sections",
    "Seeds",
    "Showing",
    "SpecFile",
    "Workers",
    "overrides_of",
]

DEFAULT_WORKERS = 8

SpecFile = Annotated[
    str | None,
    typer.Argument(
        metavar="SPEC.toml", help="The specification: a file, or the name of a shipped one.", show_default=False
    ),
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", help="Folder of the records.", show_default="runs/NAME, runs/NAME-MODEL with --model"
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="Runs at a time; of a --cluster that is deployed, its workers.",
        show_default=f"access.workers, else {DEFAULT_WORKERS}; of a cluster, those of its table",
    ),
]
DryRuns = Annotated[
    bool, typer.Option("--dry-run", help="Run nothing: count runs, and estimate calls, tokens and money.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play the runs on a Dask cluster: tcp://HOST:PORT, a scheduler's file, local:N, slurm, pbs or kubernetes; "
        "the table [cluster] holds workers = N and what Dask's own class takes.",
        show_default="threads of this process",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="M",
        help="Replaces every column's model; oracle needs no key, and roles that it cannot take fall back.",
        show_default="the columns' own",
    ),
]
Seeds = Annotated[
    str | None,
    typer.Option("--seeds", metavar="SEEDS", help="Only these seeds: 1,2,5 or 1-10.", show_default="the columns' own"),
]
_PARTS = "Names or patterns, with commas."
Instances = Annotated[
    str | None,
    typer.Option("--instances", metavar="NAMES", help=f"These tasks alone. {_PARTS}", show_default="all"),
]
Domains = Annotated[
    str | None, typer.Option("--domains", metavar="NAMES", help=f"These domains alone. {_PARTS}", show_default="all")
]
Sections = Annotated[
    str | None,
    typer.Option("--sections", metavar="NAMES", help=f"These sections of rows alone. {_PARTS}", show_default="all"),
]
Defines = Annotated[
    list[str] | None,
    typer.Option(
        "--define", metavar="NAME=VALUE", help="The value of a variable ${NAME} of the file.", show_default="its own"
    ),
]
Listing = Annotated[bool, typer.Option("--list", help="List the shipped specifications, and stop.")]
Showing = Annotated[bool, typer.Option("--show", help="Print the specification, for copying, and stop.")]


def overrides_of(
    model: str | None,
    seeds: str | None,
    instances: str | None,
    domains: str | None,
    sections: str | None,
    defines: Sequence[str] | None,
) -> Overrides:
    """What the options say.

    Raises:
        InputError: seeds that are no numbers, or a definition without a name.
    """
    from pddl2nl.experiments.specification.experiment import Overrides

    try:
        numbers = () if seeds is None else read_seeds(seeds)
    except ValueError as error:
        raise InputError(f"--seeds: {error}") from None
    said: dict[str, str] = {}
    for define in defines or ():
        name, equals, value = define.partition("=")
        if not name.strip() or not equals:
            raise InputError(f"--define: found '{define}'; NAME=VALUE was expected")
        said[name.strip()] = value
    return Overrides(
        model=_from_here(model or ""),
        seeds=numbers,
        instances=_parts(instances),
        domains=_parts(domains),
        sections=_parts(sections),
        defines=said,
    )


def _parts(value: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (value or "").split(",") if part.strip())


def _from_here(model: str) -> str:
    """A model whose file or folder is looked for in the working directory, and not beside the specification."""
    kind, colon, argument = model.partition(":")
    local = colon and argument and kind in ("script", "replay")
    return f"{kind}:{Path(argument).expanduser().absolute()}" if local else model
