"""The options of ``pddl2nl`` itself: ``--version``."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["options"]


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("pddl2nl")
        except PackageNotFoundError:
            number = "(not installed)"
        typer.echo(f"pddl2nl {number}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Takes the options before the command."""
