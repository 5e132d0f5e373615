"""``pddl2nl plan``: a plan from Fast Downward, or from a random walk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import AnyMemoryLimit, DomainFile, JsonOption, ProblemFile, TimeLimit, option
from pddl2nl.cli.output import BAD_INPUT, DONE, FAILED, INFRASTRUCTURE, print_json, print_text
from pddl2nl.errors import UnsupportedError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("plan", epilog="Example: pddl2nl plan domain.pddl problem.pddl --planner lmcut --time 60")(_plan)


def _plan(
    domain: DomainFile,
    problem: ProblemFile,
    planner: Annotated[str, option("NAME", "The planner: brfs, lmcut, ff, lama or random.")],
    seed: Annotated[int, option("N", "Seed of the random walk; the searches are deterministic.")] = 1,
    steps: Annotated[int, option("N", "The most actions of the random walk.", min=0)] = 100,
    time: TimeLimit = 1800,
    memory: AnyMemoryLimit = None,
    out: Annotated[Path | None, option("FILE", "Also write the plan to a file.", "not written", dir_okay=False)] = None,
    as_json: JsonOption = False,
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
    lines = [*map(str, result.plan or ()), f"; cost = {result.as_json()['cost']} ({result.planner})\n"]
    if as_json:
        print_json(result.as_json())
    elif result.plan is not None:
        print_text("\n".join(lines))
    if result.plan is None:
        typer.echo(f"{result.planner}: {result.status}: {result.message}", err=True)
    elif out is not None:
        # After printing: a plan that took an hour must not be lost because a disk is full.
        write_text_file(out, "\n".join(lines))
    raise typer.Exit(exit_code(result))


def exit_code(result: PlannerResult) -> int:
    """The exit code of a command that runs a planner."""
    if result.status == "solved":
        return DONE
    return {"unsupported": BAD_INPUT, "error": INFRASTRUCTURE}.get(result.status, FAILED)
