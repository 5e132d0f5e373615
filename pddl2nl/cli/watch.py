"""``pddl2nl watch``: observed facts while a plan runs, and the step that they break."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, argument
from pddl2nl.cli.output import DONE, FAILED, print_json, print_text
from pddl2nl.errors import InputError
from pddl2nl.files import read_lines

if TYPE_CHECKING:
    from pddl2nl.worlds.watch import Watch

_EPILOG = "Example: my-robot-log | pddl2nl watch domain.pddl problem.pddl plan.txt --json"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("watch", epilog=_EPILOG)(_watch)


def _watch(
    domain: DomainFile,
    problem: ProblemFile,
    plan: Annotated[Path, argument("PLAN", "The plan file.")],
    as_json: JsonOption = False,
) -> None:
    """Watch a plan while it runs: read observed facts from standard input, and say at once which remaining step is
    broken and why.

    A line is a fact, (on a b) or (not (on a b)), a value, (= (fuel r) 2.5), or done, also done (stack a b), when the
    next step has been executed; its effects are taken for true until something else is observed. Of a plan with time,
    done says that all has happened that begins or ends next at one time. A line that cannot be read is reported on
    standard error and skipped.

    Without --json a line is printed whenever the answer changes. The JSON is one object per line that was read: line,
    next (the number of the next step), broken (number, action, unmet, conflict, with time also phase and time; null
    while the plan works), error.
    Exit code 0: at the end of the input the rest of the plan works; 1: a step or the goal is broken.
    """
    from pddl2nl.pddl import load_task
    from pddl2nl.worlds.timed_watch import watch_plan
    from pddlval import load_plan

    if str(plan) == "-":
        raise typer.BadParameter("standard input is for the facts; PLAN must be a file")
    watch = watch_plan(load_task(domain, problem), load_plan(plan))
    told = _tell(watch, 0, "", as_json=as_json, told="")
    for number, line in enumerate(read_lines("-"), start=1):
        text, error = line.partition(";")[0].strip(), ""
        if not text:
            continue
        try:
            watch.read(text)
        except InputError as problem_with_line:
            error = str(problem_with_line)
        told = _tell(watch, number, error, as_json=as_json, told=told)
    raise typer.Exit(FAILED if watch.broken else DONE)


def _tell(watch: Watch, line: int, error: str, *, as_json: bool, told: str) -> str:
    """Prints the answer to a line (0: before the first), as text if it differs from the last one, which is returned."""
    broken, (number, upcoming) = watch.broken, watch.upcoming
    if as_json:
        answer = None if broken is None else broken.as_json()
        print_json({"line": line, "next": number, "broken": answer, "error": error or None})
        return ""
    if error:
        sys.stderr.write(f"line {line}: {error}\n")
    working = f"the plan works: next is step {number} {upcoming}" if upcoming else "the plan is done"
    text = working if broken is None else str(broken)
    if text != told:
        print_text(f"line {line}: {text}" if line else f"start: {text}")
    return text
