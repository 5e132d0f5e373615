"""``pddl2nl strip-costs``: tasks without their action costs, where these are not uniform."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.files import DomainFile, problem_files
from pddl2nl.cli.folder import write_folder
from pddl2nl.cli.output import print_json, print_text, print_warnings, read_text_argument
from pddl2nl.cli.wording import JsonOption
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.tasks.costs import StrippedCosts

__all__ = ["register"]

_PLANS = "plans need no change: what was valid stays valid, and costs as much as it has steps"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("strip-costs", epilog="Example: pddl2nl strip-costs domain.pddl p01.pddl p02.pddl --out no-costs")(
        _strip_costs
    )


def _strip_costs(
    domain: DomainFile,
    problems: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PROBLEM]...",
            show_default=False,
            help="Its problem files: all that will be used, since costs are uniform over all of them or not at all.",
            callback=problem_files,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Remove uniform costs too.", show_default="they are left as they are")
    ] = False,
    wording: Annotated[
        str | None, typer.Option(metavar="FILE", help="A wording of the domain, to go without the functions removed.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            help="Write the files here under their own names, those that did not change too.",
            show_default="only say what would be done",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Remove action costs where they are not uniform: effects on total-cost, the metric, functions of costs alone.

    Costs are uniform where every action costs the same constant in every instance. What is no action costs (another
    metric, a total-cost that conditions ask for) is left alone. Either way the reason is told. Plans need no change.
    """
    from pddl2nl.nl import choose_wording
    from pddl2nl.pddl import load_domain, load_problem
    from pddl2nl.tasks.costs import strip_costs

    tree = load_domain(domain)
    paths = (domain, *(problems or ()))
    stripped = strip_costs(tree, [load_problem(path, tree) for path in paths[1:]], every=every)
    worded = None if wording is None else stripped.wording(choose_wording(wording, tree, domain)).to_json()
    print_warnings(stripped.warnings)
    written = [] if out is None else write_folder(out, _texts(paths, stripped, worded), paths)
    files = [
        {"file": str(path), "out": None if out is None else str(written[number])} for number, path in enumerate(paths)
    ]
    if as_json:
        print_json(
            {"domain": files[0], "problems": files[1:], **stripped.as_json(), "plans": _PLANS, "wording": worded}
        )
    else:
        print_text("\n".join([_told(tree.name, stripped), *map(str, written)]))


def _told(name: str, stripped: StrippedCosts) -> str:
    if stripped.removed:
        gone = ", ".join(stripped.functions)
        return f"{name}: action costs removed, and with them {gone}: {stripped.reason}; {_PLANS}"
    what = {"none": "nothing to remove", "uniform": "uniform costs left (--all removes them)", "kept": "left as it is"}
    return f"{name}: {what[stripped.status]}: {stripped.reason}"


def _texts(paths: tuple[Path, ...], stripped: StrippedCosts, worded: dict[str, object] | None) -> dict[str, str]:
    """The files' texts under their names, unchanged byte for byte where nothing was removed."""
    from pddl2nl.pddl import write_domain, write_problem

    if stripped.removed:
        texts = [write_domain(stripped.domain), *map(write_problem, stripped.problems)]
    else:
        texts = [read_text_argument(str(path)) for path in paths]
    names = [path.name for path in paths]
    if worded is not None:
        names.append("wording.json")
        texts.append(json.dumps(worded, indent=2, ensure_ascii=False) + "\n")
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise InputError(f"two files are called '{twice}', and --out can hold only one; rename one of them")
    return dict(zip(names, texts, strict=True))
