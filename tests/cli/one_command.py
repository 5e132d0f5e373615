"""One command for itself, called as the command line calls it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer
from typer.testing import CliRunner

from pddl2nl.cli.output import exit_code_of
from pddl2nl.errors import Pddl2nlError


def run_command(register: Callable[[typer.Typer], None], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error, with exceptions as the command line maps them.

    Args:
        register: adds the command to an application, as every module of ``pddl2nl.cli`` has it.
        arguments: of the command.
    """
    app = typer.Typer()
    register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, Pddl2nlError):
        return exit_code_of(result.exception), result.stdout, f"{result.stderr}{result.exception}"
    return result.exit_code, result.stdout, result.stderr
