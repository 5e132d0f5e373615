"""``pddl2nl tasks``: tasks found, generated, transformed, compared and proved again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli import completion, manifest, transform
from pddl2nl.cli.options import DomainFile, JsonOption, argument, option, problem_file, switch
from pddl2nl.cli.output import DONE, FAILED, plural, print_json, print_result, print_table, print_text
from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pddl2nl.tasks.generators import Generated, Generator
    from pddl2nl.tasks.suites import Collection

_PAIRS = (
    "Example: pddl2nl tasks pairs downward-benchmarks --only 'gripper*'  ·  "
    "Exit codes: 0 done; 1 --check found tasks that cannot be read; 2 no such folder, or no task in it."
)
_GENERATE = "Example: pddl2nl tasks generate blocksworld --seed 7 blocks=5; --parameters lists its parameters"
_EQUIVALENT = "Example: pddl2nl tasks equivalent domain.pddl problem.pddl written-by-a-model.pddl"


def register(app: typer.Typer) -> None:
    """Adds the commands to the application, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Find, generate, transform and compare tasks.")
    group.command("pairs", epilog=_PAIRS)(_pairs)
    group.command("generate", epilog=_GENERATE)(_generate)
    transform.register(group)
    group.command("equivalent", epilog=_EQUIVALENT)(_equivalent)
    manifest.register(group)
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

    from pddl2nl.pddl import load_domain, load_problem

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


# ── generate ──────────────────────────────────────────────────────────────────────────────────────


def _generate(
    domain: Annotated[
        str | None,
        argument(
            "[DOMAIN]",
            "A domain's name; without one all are listed.",
            autocompletion=completion.generated_domains,
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, argument("[NAME=VALUE]...", "Parameters.", "those of the generator")
    ] = None,
    seed: Annotated[int, option("N", "Seed of the generator.", min=0)] = 1,
    name: Annotated[str | None, option("NAME", "The problem's name.", "DOMAIN-SEED")] = None,
    count: Annotated[
        int | None, option("N", "How many problems to make, with seeds from --seed on; needs --out.", "one", min=1)
    ] = None,
    out: Annotated[
        Path | None, option("PATH", "A file, with --count a folder for files DOMAIN-SEED.pddl.", "standard output")
    ] = None,
    explain: Annotated[
        bool, switch("--parameters --explain", "Print the parameters of DOMAIN: meaning, default, range.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a problem of a shipped domain: solvable, not solved initially, and the same for the same seed.

    Without DOMAIN, list the generators; --parameters explains the parameters of one. Some can make problems without
    a plan, by the parameter unsolvable.
    """
    from pddl2nl.tasks.generators import generator_of, read_parameters

    if domain is None:
        _list_generators(as_json)
        return
    generator = generator_of(domain)
    if explain:
        _explain(generator, as_json)
        return
    if count is not None and (out is None or name is not None):
        raise InputError("--count makes the files of a folder: --out DIR is needed, and --name is not possible")
    given = read_parameters(parameters or [])
    for number in range(seed, seed + (count or 1)):
        made = generator.generate(number, given, name)
        if out is not None:
            write_text_file(out if count is None else out / f"{domain}-{number}.pddl", made.text)
        if as_json:
            print_json(_generated_json(generator, made, number, given))
        elif out is None:
            print_text(made.text)


def _generated_json(generator: Generator, made: Generated, seed: int, given: Mapping[str, str]) -> dict[str, object]:
    return {
        "domain": made.domain,
        "name": made.name,
        "seed": seed,
        "parameters": {each.name: each.read(given.get(each.name, each.default)) for each in generator.parameters},
        "call": made.call,
        "objects": made.objects,
        "solvable": made.solvable,
        "text": made.text,
    }


def _list_generators(as_json: bool) -> None:
    from pddl2nl.tasks.generators import generators

    listed = [(each.domain, each.summary, [it.name for it in each.parameters]) for each in generators().values()]
    if as_json:
        keys = ("domain", "summary", "parameters")
        print_json({"generators": [dict(zip(keys, each, strict=True)) for each in listed]})
        return
    rows = [(domain, ", ".join(names), summary) for domain, summary, names in listed]
    print_table("", ("domain", "parameters", "what it makes"), rows)
    print_text("pddl2nl tasks generate DOMAIN --parameters explains the parameters of one.")


def _explain(generator: Generator, as_json: bool) -> None:
    columns = ("name", "meaning", "default", "range")
    rows = [(each.name, each.meaning, each.default, each.expected) for each in generator.parameters]
    if as_json:
        parameters = [dict(zip(columns, row, strict=True)) for row in rows]
        print_json({"domain": generator.domain, "summary": generator.summary, "parameters": parameters})
        return
    print_table(f"{generator.domain}: {generator.summary}", ("parameter", *columns[1:]), rows)
    given = " ".join(f"{each.name}={each.default}" for each in generator.parameters)
    print_text(f"By default: pddl2nl tasks generate {generator.domain} --seed 1 {given}")


# ── equivalent ────────────────────────────────────────────────────────────────────────────────────


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
