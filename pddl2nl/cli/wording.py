"""What the commands that tell or read have in common: the options of wordings and names, and what they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import print_warnings
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.nl import Names, Wording
    from pddl2nl.pddl import Domain, Task

__all__ = [
    "JsonOption",
    "NamesOption",
    "NamesSeedOption",
    "WordingOption",
    "check_names",
    "chosen_wording",
    "named",
]

WORDING_HELP = (
    "How things are said: template, a wording FILE, an AutoPlanBench domain_description_seedN.json, or a PlanBench "
    "configs/*.yaml."
)
OWN_WORDING = "the wording.json beside DOMAIN where there is one, else template"
_NAMES_HELP = "Objects' names: typed (truck_0), original (as in PDDL), inferred (typed, from static unary predicates)."

WordingOption = Annotated[
    str | None,
    typer.Option("--wording", metavar="template|FILE", help=WORDING_HELP, show_default=OWN_WORDING),
]
NamesOption = Annotated[str, typer.Option("--names", metavar="typed|original|inferred", help=_NAMES_HELP)]
NamesSeedOption = Annotated[
    int | None,
    typer.Option(
        "--names-seed",
        metavar="N",
        help="Deal the numbers in made names (truck_0) by a seed.",
        show_default="in the order of declaration",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel="Output")]


def chosen_wording(spec: str | None, domain: Domain, path: Path) -> Wording:
    """The wording that ``--wording`` asks for; what cannot be told apart in it is warned of on standard error."""
    from pddl2nl.nl import choose_wording, provenance_warnings, wording_warnings

    chosen = choose_wording(spec, domain, path)
    print_warnings((*wording_warnings(chosen, domain), *provenance_warnings(chosen, domain)))
    return chosen


def check_names(names: str) -> None:
    """Raises `InputError` if the scheme of names is unknown."""
    from pddl2nl.nl.names import SCHEMES

    if names not in SCHEMES:
        raise InputError(f"--names {names}: no such scheme; there are {', '.join(SCHEMES)}")


def named(task: Task, names: str, wording: Wording, seed: int | None) -> Names:
    """The objects' names that ``--names`` and ``--names-seed`` ask for."""
    from pddl2nl.nl import make_names

    return make_names(task, names, wording, seed)
