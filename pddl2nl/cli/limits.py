"""The options that limit planners, and seeds: written the same way in every command."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pddl2nl.quantities import megabytes, seconds, seeds

__all__ = ["AnyMemoryLimit", "MemoryLimit", "SeedsOption", "TimeLimit", "read_time"]

_LEAST_MB, _MOST_MB = 64, 1 << 27


def read_time(value: Any) -> float:
    """A time on the command line, in seconds; raises `typer.BadParameter`."""
    try:
        return seconds(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _whole_time(value: Any) -> int:
    found = read_time(value)
    if found != int(found):
        raise typer.BadParameter(f"'{value}': the planners take whole seconds")
    return int(found)


def _memory(value: Any) -> int:
    try:
        found = megabytes(value)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not _LEAST_MB <= found <= _MOST_MB:
        raise typer.BadParameter(f"'{value}': from {_LEAST_MB} to {_MOST_MB} MB were expected")
    return found


def _seeds(value: Any) -> Any:
    try:
        return seeds(value) if isinstance(value, str) else value
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


_TIME = typer.Option(
    "--time", parser=_whole_time, metavar="TIME", help="CPU time of each search: seconds, or 90s, 30m, 1h30m."
)
_MEMORY = typer.Option("--memory", parser=_memory, metavar="MEMORY", help="Memory of each search: MB, or 500m, 8g.")

TimeLimit = Annotated[int, _TIME]
MemoryLimit = Annotated[int, _MEMORY]
AnyMemoryLimit = Annotated[int | None, _MEMORY]
"""No limit unless it is given."""
SeedsOption = Annotated[
    Any,
    typer.Option("--seeds", parser=_seeds, metavar="SEEDS", help="These seeds: 1,2,5 or 1-10."),
]
