"""``pddl2nl tasks equivalent``: whether two problems of a domain are the same up to the names of their objects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import DomainFile, JsonOption, argument, problem_file
from pddl2nl.cli.output import DONE, FAILED, print_result


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    example = "Example: pddl2nl tasks equivalent domain.pddl problem.pddl written-by-a-model.pddl"
    app.command("equivalent", epilog=example)(_equivalent)


def _equivalent(
    domain: DomainFile,
    problem: Annotated[
        Path,
        argument(
            "P1",
            "The given problem: a file, or an instance of the shipped domain.",
            autocompletion=completion.task_files,
        ),
    ],
    other: Annotated[Path, argument("P2", "The problem that is compared with it.")],
    as_json: JsonOption = False,
) -> None:
    """Say whether two problems are equivalent: the same initial state and goal under some renaming of objects.

    Goals are first completed with what always holds with them. Exit code 0: equivalent; 1: not, and what P2 lacks and
    has too much is listed, objects of the same name being the same.
    """
    from pddl2nl.pddl import load_task
    from pddl2nl.search.equivalence import compare_problems

    given, compared = (load_task(domain, problem_file(str(path), str(domain))) for path in (problem, other))
    result = compare_problems(given, compared)
    lines = ["equivalent" if result.equivalent else "not equivalent"]
    lines += [f"  missing: {part}" for part in result.missing] + [f"  invented: {part}" for part in result.invented]
    print_result(result.as_json(), "\n".join(lines), as_json=as_json)
    raise typer.Exit(DONE if result.equivalent else FAILED)
