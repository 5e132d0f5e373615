"""``pddl2nl check``: all errors in PDDL files, and the constructs that cannot be executed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pddl2nl.cli.options import CommandMemory, CommandSeconds, DomainFile, ProblemFiles, run_within, switch
from pddl2nl.cli.output import BAD_INPUT, DONE, plural, print_result

if TYPE_CHECKING:
    from pddlval.checking import CheckedFile


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("check", epilog="Example: pddl2nl check domain.pddl problem1.pddl problem2.pddl --json")(_check)


def _check(
    domain: DomainFile,
    problems: ProblemFiles = None,
    as_json: Annotated[bool, switch("--json", "Print JSON, one object per file.", "Output")] = False,
    seconds: CommandSeconds = None,
    memory: CommandMemory = None,
) -> None:
    """Check PDDL files: syntax, declarations, arity and types; all errors of a file, not only the first.

    A warning names each construct that is not executed: validate, run and plan refuse such a task. Exit code 0: no
    errors (warnings do not count); 2: errors; 3: no verdict within the limits.
    """
    run_within(seconds, memory)
    from pddlval.checking import check_files

    ok = True
    for checked in check_files(str(domain), map(str, problems or ())):
        ok = ok and checked.ok
        for item in checked.diagnostics:
            sys.stderr.write(item.render() + "\n")
        print_result(checked.as_json(), _text(checked), as_json=as_json)
    raise typer.Exit(DONE if ok else BAD_INPUT)


def _text(checked: CheckedFile) -> str:
    """One line: the file, ok or not, and how many there are of what."""
    name = f" {checked.tree.name}" if checked.tree is not None else ""
    counts = [f"{count} {what.replace('_', ' ')}" for what, count in checked.counts.items() if count]
    errors = sum(item.severity == "error" for item in checked.diagnostics)
    warnings = len(checked.diagnostics) - errors
    counts += [plural(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
    note = f" ({', '.join(counts)})" if counts else ""
    return f"{checked.file}: {checked.kind}{name}: {'ok' if checked.ok else 'not ok'}{note}"
