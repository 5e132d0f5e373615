"""``pddl2nl convert``, ``tell`` and ``read``: from PDDL to language and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import (
    DONE,
    WANTING,
    print_json,
    print_text,
    print_warnings,
    read_text_argument,
    write_text_file,
)
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.nl import Reading, Readings, Wording
    from pddl2nl.pddl import Domain
    from validators import Plan

__all__ = ["register"]

_WORDING_HELP = "How things are said: template, or a wording FILE."
_OWN_WORDING = "the wording.json beside DOMAIN where there is one, else template"
_NAMES_HELP = "Objects' names: typed (truck_0), original (as in PDDL), inferred (typed, from static unary predicates)."

DomainFile = Annotated[Path, typer.Argument(metavar="DOMAIN", help="The domain file.")]
ProblemFile = Annotated[Path, typer.Argument(metavar="PROBLEM", help="The problem file.")]
WordingOption = Annotated[
    str | None,
    typer.Option("--wording", metavar="template|FILE", help=_WORDING_HELP, show_default=_OWN_WORDING),
]
NamesOption = Annotated[str, typer.Option("--names", metavar="typed|original|inferred", help=_NAMES_HELP)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("convert", epilog="Example: pddl2nl convert domain.pddl problem.pddl --names typed")(_convert)
    app.command("tell", epilog="Example: pddl2nl tell domain.pddl problem.pddl plan.txt --wording template")(_tell)
    app.command("read", epilog="Example: pddl2nl tell d.pddl p.pddl plan.txt | pddl2nl read d.pddl p.pddl")(_read)


# ── convert ──────────────────────────────────────────────────────────────────────────────────────


def _convert(
    domain: DomainFile,
    problem: Annotated[Path | None, typer.Argument(metavar="PROBLEM", help="The problem file.")] = None,
    wording: WordingOption = None,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="The model that makes a wording (--wording llm; a later version).")
    ] = None,
    save_wording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the wording to a file, to be edited and used again.")
    ] = None,
    names: NamesOption = "typed",
    style: Annotated[str, typer.Option(metavar="nl|pddl", help="Language, or PDDL texts for PDDL prompts.")] = "nl",
    as_json: JsonOption = False,
) -> None:
    """Turn a domain, and a problem, into prompt texts: the domain's description, objects, initial state, goal."""
    from pddl2nl.nl import choose_wording, convert, wording_warnings
    from pddl2nl.nl.names import SCHEMES
    from pddl2nl.pddl import Task, load_domain, load_problem

    if model is not None:
        raise InputError("--model: only --wording llm asks a model, and wordings by a model come with a later version")
    if names not in SCHEMES:
        raise InputError(f"--names {names}: no such scheme; there are {', '.join(SCHEMES)}")
    if style not in ("nl", "pddl"):
        raise InputError(f"--style {style}: no such style; there are nl, pddl")
    read_domain = load_domain(domain)
    chosen = choose_wording(wording, read_domain, domain)
    print_warnings(wording_warnings(chosen, read_domain))
    told = read_domain if problem is None else Task(read_domain, load_problem(problem, read_domain))
    conversion = convert(told, chosen, names, "pddl" if style == "pddl" else "nl")
    if save_wording is not None:
        write_text_file(save_wording, json.dumps(chosen.to_json(), indent=2, ensure_ascii=False) + "\n")
    if as_json:
        print_json(conversion.as_json())
    else:
        print_text("\n\n".join(text for text in (conversion.domain_text, conversion.problem_text) if text))


def _wording(spec: str | None, domain: Domain, path: Path) -> Wording:
    from pddl2nl.nl import choose_wording, wording_warnings

    chosen = choose_wording(spec, domain, path)
    print_warnings(wording_warnings(chosen, domain))
    return chosen


# ── tell ─────────────────────────────────────────────────────────────────────────────────────────


def _tell(
    domain: DomainFile,
    problem: ProblemFile,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan file; - for standard input.")],
    wording: WordingOption = None,
    names: NamesOption = "typed",
    as_json: JsonOption = False,
) -> None:
    """Tell a plan in language, a line an action; `read` is the inverse."""
    from pddl2nl.nl import Teller, make_names
    from pddl2nl.pddl import load_task

    task = load_task(domain, problem)
    chosen = _wording(wording, task.domain, domain)
    teller = Teller(task, chosen, make_names(task, names, chosen.types))
    actions = [step.action for step in _plan(plan).steps]
    lines = [(str(action), teller.action(action)) for action in actions]
    if as_json:
        print_json({"lines": [{"action": action, "text": text} for action, text in lines]})
    elif lines:
        print_text("\n".join(text for _, text in lines))


def _plan(argument: str) -> Plan:
    from validators import load_plan, read_plan

    if argument == "-":
        return read_plan(read_text_argument("-"), "standard input")
    return load_plan(argument)


# ── read ─────────────────────────────────────────────────────────────────────────────────────────


def _read(
    domain: DomainFile,
    problem: ProblemFile,
    text: Annotated[str, typer.Argument(metavar="FILE", help="The text; - for standard input.")] = "-",
    wording: WordingOption = None,
    names: NamesOption = "typed",
    reading: Annotated[
        str, typer.Option(metavar="default|planbench|all", help="The reading policy: which lines make the plan.")
    ] = "default",
    as_json: JsonOption = False,
) -> None:
    """Read actions out of text. Exit code 1: a line is unreadable, ambiguous, or names an unknown object."""
    from pddl2nl.nl import Reader, make_names
    from pddl2nl.pddl import load_task

    task = load_task(domain, problem)
    chosen = _wording(wording, task.domain, domain)
    reader = Reader(task, chosen, make_names(task, names, chosen.types))
    readings = reader.read(read_text_argument(text), reading)
    if as_json:
        print_json(readings.as_json())
    else:
        _show(readings)
    raise typer.Exit(WANTING if _failures(readings) else DONE)


def _failures(readings: Readings) -> list[Reading]:
    """The lines that were meant as actions and were not read, wherever they stand."""
    return [item for item in readings.readings if item.is_attempt and item.status != "read"]


def _show(readings: Readings) -> None:
    if readings.plan:
        print_text("\n".join(str(action) for action in readings.plan))
    for item in _failures(readings):
        near = [*map(str, item.candidates), *item.suggestions]
        hint = f" (near: {', '.join(near)})" if near else ""
        typer.echo(f"line {item.line}: {item.status}: {item.text.strip()}{hint}", err=True)
