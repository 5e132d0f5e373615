"""``pddl2nl plan``: a plan from Fast Downward, or from a random walk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.files import DomainFile, ProblemFile
from pddl2nl.cli.limits import AnyMemoryLimit, TimeLimit
from pddl2nl.cli.output import BAD_INPUT, DONE, INFRASTRUCTURE, WANTING, print_json, print_text, write_text_file
from pddl2nl.errors import UnsupportedError

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult

__all__ = ["register"]

_PLANNERS = "brfs, lmcut, ff, lama or random"


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("plan", epilog="Example: pddl2nl plan domain.pddl problem.pddl --planner lmcut --time 60")(_plan)


def _plan(
    domain: DomainFile,
    problem: ProblemFile,
    planner: Annotated[str, typer.Option(metavar="NAME", help=f"Which one: {_PLANNERS}.")],
    seed: Annotated[int, typer.Option(help="Seed of the random walk; the searches are deterministic.")] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Actions of the random walk, at most.")] = 100,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Write the plan here too, as VAL reads it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find a plan with Fast Downward (brfs, lmcut, ff, lama) or with a random walk.

    Every plan is validated before it is reported. Exit code 1: no plan was found within the limits, or none exists.
    """
    from pddl2nl.baselines import PlannerResult, TaskFiles, solve

    files = TaskFiles(domain, problem)
    try:
        result = solve(files, planner, seed=seed, steps=steps, time_limit=time, memory_limit_mb=memory)
    except UnsupportedError as error:
        # Nothing was run, since no plan could be judged; --json still prints an answer.
        result = PlannerResult(planner, "unsupported", None, None, 0.0, None, "", str(error))
    if as_json:
        print_json(result.as_json())
    if result.plan is not None:
        if not as_json:
            print_text(_plan_text(result))
        if out is not None:
            # After printing: a plan that took an hour must not be lost because a disk is full.
            write_text_file(out, _plan_text(result))
    else:
        typer.echo(f"{result.planner}: {result.status}: {result.message}", err=True)
    raise typer.Exit(_exit_code(result))


def _plan_text(result: PlannerResult) -> str:
    lines = [str(action) for action in result.plan or ()]
    return "\n".join([*lines, f"; cost = {result.as_json()['cost']} ({result.planner})"]) + "\n"


def _exit_code(result: PlannerResult) -> int:
    if result.status == "solved":
        return DONE
    return {"unsupported": BAD_INPUT, "error": INFRASTRUCTURE}.get(result.status, WANTING)
