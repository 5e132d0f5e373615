"""``pddl2nl tasks``: the tasks in a folder of benchmarks, each domain file with its problem files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.output import DONE, WANTING, print_json, print_table, print_text

if TYPE_CHECKING:
    from pddl2nl.tasks.suites import Collection

__all__ = ["register"]

_EPILOG = (
    "Example: pddl2nl tasks downward-benchmarks --only 'gripper*'  ·  "
    "Exit codes: 0 done; 1 --check found tasks that cannot be read; 2 no such folder, or no task in it."
)


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("tasks", epilog=_EPILOG)(_tasks)


def _tasks(
    folder: Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="The folder.")],
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="SUITE", help="Only suites of this name; * and ? stand for anything. Repeatable."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Read every task, and say what is wrong with those that cannot be.")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="Print a table of the suites for people, and no JSON.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; this command does so anyway.")] = False,
) -> None:
    """Pair the domain and problem files of a folder laid out as benchmark collections are; print JSON.

    Shared domains (domain.pddl beside its problems, or above them), a domain for each task (p01-domain.pddl,
    domain_p01.pddl, domains/domain-1.pddl and the like), a folder for each task, and several suites below one root.
    What a file is, its content says.

    The JSON is one object: suites (suite, tasks, domains, guesses: how many of each), tasks (suite, name, domain,
    problem, guess, rule, why), and left_over (file, reason): what is part of no task. A pairing that is a guess says so
    by "guess": true.
    """
    from pddl2nl.tasks.suites import find_suites

    found = find_suites(folder)
    if only:
        found = found.only(only)
    errors = _errors(found) if check else {}
    if table and not as_json:
        _print_table(found, errors, check)
    else:
        said = found.as_json()
        if check:
            said["tasks"] = [{**task.as_json(), "error": errors.get((task.suite, task.name))} for task in found.tasks]
        print_json(said)
    raise typer.Exit(WANTING if errors else DONE)


def _errors(found: Collection) -> dict[tuple[str, str], str]:
    """What is wrong with the tasks that cannot be read."""
    from functools import lru_cache

    from pddl2nl.pddl import InputError, load_domain, load_problem

    domain_of = lru_cache(maxsize=8)(load_domain)
    errors = {}
    for task in found.tasks:
        try:
            load_problem(task.problem, domain_of(task.domain))
        except InputError as error:
            errors[task.suite, task.name] = str(error)
    return errors


def _print_table(found: Collection, errors: dict[tuple[str, str], str], check: bool) -> None:
    columns = ("suite", "tasks", "domains", "guesses", *(["unreadable"] if check else []))
    rows = []
    for suite in found.suites:
        bad = [str(sum(name == suite.name for name, _ in errors))] if check else []
        rows.append((*suite.as_json().values(), *bad))
    print_table(f"{len(found.tasks)} tasks in {found.root}", columns, rows)
    for task in found.tasks:
        if task.guess:
            print_text(f"a guess: {task.suite}, {task.name}: {task.domain}: {task.why}")
    for name, message in errors.items():
        print_text(f"cannot be read: {', '.join(name)}: {message.splitlines()[0]}")
    if found.left_over:
        many = len(found.left_over)
        count = f"{many} files are" if many > 1 else "1 file is"
        print_text(f"{count} part of no task; the JSON has the reasons")
