"""``pddl2nl tell`` and ``read``: a plan in language, and actions out of language."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from pddl2nl.cli.files import DomainFile, ProblemFile
from pddl2nl.cli.output import DONE, WANTING, print_json, print_text, print_warnings, read_text_argument
from pddl2nl.cli.wording import JsonOption, NamesOption, NamesSeedOption, WordingOption, chosen_wording, named
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.nl import Reader, Reading, Readings, Teller
    from pddl2nl.pddl import Task
    from pddlval import GroundAction, Plan

__all__ = ["register"]

CLAIMS = ("look-around", "claimed-done", "claimed-unsolvable")


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("tell", epilog="Example: pddl2nl tell domain.pddl problem.pddl plan.txt --wording template")(_tell)
    app.command("read", epilog="Example: pddl2nl tell d.pddl p.pddl plan.txt | pddl2nl read d.pddl p.pddl")(_read)


def _tell(
    domain: DomainFile,
    problem: ProblemFile,
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan file; - for standard input.")],
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell a plan in language, a line an action; `read` is the inverse."""
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task

    task = load_task(domain, problem)
    chosen = chosen_wording(wording, task.domain, domain)
    teller = Teller(task, chosen, named(task, names, chosen, names_seed))
    lines = [
        (str(step.action), _told(teller, task, step.action, number)) for number, step in enumerate(_plan(plan).steps, 1)
    ]
    if as_json:
        print_json({"lines": [{"action": action, "text": text} for action, text in lines]})
    elif lines:
        print_text("\n".join(text for _, text in lines))


def _told(teller: Teller, task: Task, action: GroundAction, number: int) -> str:
    """The action in words; one whose objects are of the wrong types can be said and not read back, which is warned of.

    Raises:
        InputError: the task cannot even name it.
    """
    from pddlval.plans import why_bad

    bad = why_bad(task, task.domain.action(action.name), action)
    try:
        text = teller.action(action)
    except InputError as error:
        raise InputError(f"step {number}: {bad or error}") from None
    if bad is not None:
        print_warnings([f"step {number}: {bad}; read takes no such action"])
    return text


def _plan(argument: str) -> Plan:
    from pddlval import load_plan, read_plan

    if argument == "-":
        return read_plan(read_text_argument("-"), "standard input")
    return load_plan(argument)


def _read(
    domain: DomainFile,
    problem: ProblemFile,
    text: Annotated[str, typer.Argument(metavar="FILE", help="The text; - for standard input.")] = "-",
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    reading: Annotated[
        str,
        typer.Option(
            metavar="default|planbench|all",
            help="Which lines make the plan. default: the last [PLAN] … [PLAN END], else the plan that the reply ends "
            "on; all: every action line of the marked plan, else of the reply; planbench: every line of the reply "
            "that says an action, tags ignored.",
        ),
    ] = "default",
    on_ambiguous: Annotated[
        str,
        typer.Option(
            metavar="refuse|state",
            help="A line that fits several actions: refuse it, or take the one that is applicable where it stands.",
        ),
    ] = "refuse",
    turn: Annotated[
        bool, typer.Option("--turn", help="Read one turn, as act and react do: an action, a look around or a claim.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read actions out of text. Exit code 1: a line is unreadable, ambiguous, or names an unknown object."""
    from pddl2nl.nl import Reader
    from pddl2nl.pddl import load_task

    if on_ambiguous not in ("refuse", "state"):
        raise InputError(f"--on-ambiguous {on_ambiguous}: there are refuse and state")
    task = load_task(domain, problem)
    chosen = chosen_wording(wording, task.domain, domain)
    reader = Reader(task, chosen, named(task, names, chosen, names_seed))
    if turn:
        _show_turn(reader, task, read_text_argument(text), on_ambiguous, as_json)
    readings = reader.read(read_text_argument(text), reading)
    if on_ambiguous == "state":
        from pddl2nl.nl import settle_plan
        from pddlval import Simulator

        readings = settle_plan(readings, Simulator(task))
    if as_json:
        print_json(readings.as_json())
    else:
        _show(readings)
    raise typer.Exit(WANTING if _failures(readings) else DONE)


def _show_turn(reader: Reader, task: Task, text: str, on_ambiguous: str, as_json: bool) -> NoReturn:
    """Prints what one turn does; an ambiguous action is settled by the initial state where that is asked for."""
    from pddl2nl.nl import settle
    from pddl2nl.nl.reading.claims import no_plan_said_in_turn
    from pddlval import Simulator

    reading = reader.read_turn(text)
    if reading.status in ("unreadable", "not-an-action") and no_plan_said_in_turn(text):
        reading = reading._replace(status="claimed-unsolvable", rule="no-plan", reason="")
    if on_ambiguous == "state":
        simulator = Simulator(task)
        reading = settle(reading, partial(simulator.is_applicable, simulator.initial))
    plan = [] if reading.action is None else [str(reading.action)]
    if as_json:
        print_json({"turn": {**reading.as_json(), "reason": reading.reason}, "plan": plan})
    else:
        print_text("\n".join(plan) or reading.status)
        if reading.reason:
            typer.echo(f"line {reading.line}: {reading.status}: {reading.reason}", err=True)
    raise typer.Exit(DONE if reading.action is not None or reading.status in CLAIMS else WANTING)


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
    for item in readings.left_out:
        if item.action is not None:
            said = f"{item.text.strip()} (read as {item.action})"
            typer.echo(f"line {item.line}: left out by --reading {readings.policy}: {said}", err=True)
