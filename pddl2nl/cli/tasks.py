"""``pddl2nl tasks``: tasks found, generated, transformed, compared and proved again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli import equivalent, generate, manifest, transform
from pddl2nl.cli.options import argument, option, switch
from pddl2nl.cli.output import DONE, FAILED, plural, print_json, print_table, print_text

if TYPE_CHECKING:
    from pddl2nl.tasks.suites import Collection

_EPILOG = (
    "Example: pddl2nl tasks pairs downward-benchmarks --only 'gripper*'  ·  "
    "Exit codes: 0 done; 1 --check found tasks that cannot be read; 2 no such folder, or no task in it."
)


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Find, generate, transform and compare tasks.")
    group.command("pairs", epilog=_EPILOG)(_pairs)
    for module in (generate, transform, equivalent, manifest):
        module.register(group)
    app.add_typer(group, name="tasks")


def _pairs(
    folder: Annotated[Path, argument("DIR", "The folder.")],
    only: Annotated[
        list[str] | None,
        option("SUITE", "Only suites of this name, which may hold * and ?; can be repeated.", "all suites"),
    ] = None,
    check: Annotated[bool, switch("--check", "Read every task, and report those that cannot be read.")] = False,
    table: Annotated[bool, switch("--table", "Print a table of the suites instead of JSON.", "Output")] = False,
    as_json: Annotated[bool, switch("--json", "Print JSON, as without any option.", "Output")] = False,
) -> None:
    """Pair the domain and problem files of a folder laid out as benchmark collections are; print JSON.

    Shared domains (domain.pddl beside its problems, or above them), a domain for each task (p01-domain.pddl,
    domain_p01.pddl, domains/domain-1.pddl and the like), a folder for each task, and several suites below one root.
    Files are recognised by their content.

    The JSON is one object: suites (suite, tasks, domains, guesses: how many of each), tasks (suite, name, domain,
    problem, guess, rule, why), and left_over (file, reason): files of no task. An uncertain pairing is marked by
    "guess": true.
    """
    from pddl2nl.tasks.suites import find_suites

    collection = find_suites(folder)
    if only:
        collection = collection.only(only)
    errors = _errors(collection) if check else {}
    if table and not as_json:
        _print_table(collection, errors, check)
    else:
        data = collection.as_json()
        if check:
            data["tasks"] = [
                {**task.as_json(), "error": errors.get((task.suite, task.name))} for task in collection.tasks
            ]
        print_json(data)
    raise typer.Exit(FAILED if errors else DONE)


def _errors(collection: Collection) -> dict[tuple[str, str], str]:
    """The errors of the tasks that cannot be read."""
    from functools import lru_cache

    from pddl2nl.pddl import InputError, load_domain, load_problem

    domain_of = lru_cache(maxsize=8)(load_domain)
    errors = {}
    for task in collection.tasks:
        try:
            load_problem(task.problem, domain_of(task.domain))
        except InputError as error:
            errors[task.suite, task.name] = str(error)
    return errors


def _print_table(collection: Collection, errors: dict[tuple[str, str], str], check: bool) -> None:
    columns = ("suite", "tasks", "domains", "guesses", *(["unreadable"] if check else []))
    unreadable = [suite for suite, _ in errors]
    rows = [(*each.as_json().values(), *([unreadable.count(each.name)] if check else [])) for each in collection.suites]
    print_table(f"{plural(len(collection.tasks), 'task')} in {collection.root}", columns, rows)
    for task in collection.tasks:
        if task.guess:
            print_text(f"a guess: {task.suite}, {task.name}: {task.domain}: {task.why}")
    for name, message in errors.items():
        print_text(f"cannot be read: {', '.join(name)}: {message.splitlines()[0]}")
    if collection.left_over:
        print_text(
            f"{plural(len(collection.left_over), 'file is', 'files are')} part of no task; the JSON has the reasons"
        )
