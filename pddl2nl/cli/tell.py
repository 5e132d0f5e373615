"""``pddl2nl tell`` and ``read``: a plan in language, and actions out of language."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, argument, switch
from pddl2nl.cli.output import DONE, FAILED, print_json, print_result, print_text, warn
from pddl2nl.cli.run_options import NamesOption, NamesSeedOption, WordingOption, from_run, words_of
from pddl2nl.errors import InputError
from pddl2nl.files import read_text

if TYPE_CHECKING:
    from pddl2nl.nl import Reader, Reading, Readings
    from pddl2nl.pddl import Task

_READING = (
    "Which lines form the plan. default: the last [PLAN] … [PLAN END], else the plan at the end of the reply; all: "
    "every action line of the marked plan, else of the reply; planbench: every line that names an action, tags ignored."
)
_CLAIMS = ("look-around", "claimed-done", "claimed-unsolvable")


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    app.command("tell", epilog="Example: pddl2nl tell domain.pddl problem.pddl plan.txt --wording template")(_tell)
    app.command("read", epilog="Example: pddl2nl tell d.pddl p.pddl plan.txt | pddl2nl read d.pddl p.pddl")(_read)


def _tell(
    domain: DomainFile,
    problem: ProblemFile,
    plan: Annotated[str, argument("PLAN", "The plan file; - for standard input.")],
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell a plan in language, one line per action; `read` is the inverse."""
    from pddl2nl.nl import Teller
    from pddl2nl.pddl import load_task
    from pddlval import read_plan
    from pddlval.plans import why_bad

    task = load_task(domain, problem)
    teller = Teller(task, *words_of(task, domain, wording, names, names_seed))
    source = "standard input" if plan == "-" else plan
    lines = []
    for number, step in enumerate(read_plan(read_text(plan, "plan", errors="replace"), source).steps, start=1):
        # An action whose objects are of the wrong types can be told, but not read back.
        bad = why_bad(task, task.domain.step(step.action.name), step.action)
        try:
            lines.append({"action": str(step.action), "text": teller.timed(step)})
        except InputError as error:
            raise InputError(f"step {number}: {bad or error}") from None
        if bad is not None:
            warn(f"step {number}: {bad}; read takes no such action")
    print_result({"lines": lines}, "\n".join(line["text"] for line in lines), as_json=as_json)


def _read(
    domain: DomainFile,
    problem: ProblemFile,
    text: Annotated[str, argument("[FILE]", "The text; - for standard input.", "-")] = "-",
    wording: WordingOption = None,
    names: NamesOption = "typed",
    names_seed: NamesSeedOption = None,
    reading: Annotated[str, from_run("reading", help=_READING)] = "default",
    on_ambiguous: Annotated[str, from_run("on_ambiguous")] = "refuse",
    turn: Annotated[
        bool, switch("--turn", "Read one turn, as act and react do: an action, a look around or a claim.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read actions out of text. Exit code 1: a line is unreadable, ambiguous, or names an unknown object."""
    from pddl2nl.nl import Reader
    from pddl2nl.pddl import load_task

    task = load_task(domain, problem)
    reader = Reader(task, *words_of(task, domain, wording, names, names_seed))
    reply = read_text(text, errors="replace")
    if turn:
        _show_turn(reader, task, reply, on_ambiguous, as_json)
    readings = reader.read(reply, reading)
    if on_ambiguous == "state":
        from pddl2nl.nl import settle_plan
        from pddlval import Simulator

        readings = settle_plan(readings, Simulator(task))
    if as_json:
        print_json(readings.as_json())
    else:
        _show(readings, reader)
    raise typer.Exit(FAILED if _failures(readings) else DONE)


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
    raise typer.Exit(DONE if reading.action is not None or reading.status in _CLAIMS else FAILED)


def _failures(readings: Readings) -> list[Reading]:
    """The lines that were meant as actions and were not read, anywhere in the text."""
    return [item for item in readings.readings if item.is_attempt and item.status != "read"]


def _show(readings: Readings, reader: Reader) -> None:
    if readings.plan:
        print_text("\n".join(str(action) for action in readings.plan))
    for item in _failures(readings):
        near = [*map(str, item.candidates), *item.suggestions]
        hint = f" (near: {', '.join(near)})" if near else ""
        typer.echo(f"line {item.line}: {item.status}: {item.text.strip()}{hint}", err=True)
    for item in readings.readings:
        if not item.is_attempt and reader.names_object(item.text):
            typer.echo(f"line {item.line}: not an action, {item.stance or item.rule}: {item.text.strip()}", err=True)
    for item in readings.left_out:
        if item.action is not None:
            line = f"{item.text.strip()} (read as {item.action})"
            typer.echo(f"line {item.line}: left out by --reading {readings.policy}: {line}", err=True)
