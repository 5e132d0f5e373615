"""``-q`` and ``-v`` of every command: how much it says on standard error. Results and errors are always printed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

__all__ = ["is_quiet", "is_verbose", "log_to_stderr", "with_verbosity"]

_level = 0


def is_quiet() -> bool:
    """Whether ``-q`` was given: no progress and no warnings."""
    return _level < 0


def is_verbose() -> bool:
    """Whether ``-v`` was given: each call of a model and each repetition is told."""
    return _level > 0


_Quiet = Annotated[
    bool,
    typer.Option("-q", "--quiet", help="No progress and no warnings on standard error.", rich_help_panel="Output"),
]
_Verbose = Annotated[
    bool,
    typer.Option(
        "-v", "--verbose", help="Tell each call of a model and each retry on standard error.", rich_help_panel="Output"
    ),
]


def with_verbosity(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with ``-q`` and ``-v``, which it need not know of; an option ``verbose`` of its own stays its own."""
    parameters = [*inspect.signature(command, eval_str=True).parameters.values()]
    own = any(parameter.name == "verbose" for parameter in parameters)
    added = {"quiet": _Quiet} if own else {"quiet": _Quiet, "verbose": _Verbose}
    keyword = inspect.Parameter.KEYWORD_ONLY

    def run(**values: Any) -> Any:
        global _level
        quiet = values.pop("quiet")
        verbose = False if own else values.pop("verbose")
        _level = -1 if quiet else int(verbose)
        if not (quiet or verbose):
            return command(**values)
        with log_to_stderr():
            return command(**values)

    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=keyword) for parameter in parameters]
        + [inspect.Parameter(name, keyword, default=False, annotation=kind) for name, kind in added.items()]
    )
    return run


@contextmanager
def log_to_stderr(write: Callable[[str], object] | None = None) -> Iterator[None]:
    """Prints what the library logs meanwhile, such as retries of a call, as plain lines; with ``-q`` nothing of it.

    Args:
        write: is given each line; by default standard error.
    """
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not is_quiet():
                (write or sys.stderr.write)(f"{record.getMessage()}\n")

    logger = logging.getLogger("pddl2nl")
    before = logger.handlers, logger.level
    logger.handlers = [Lines()]
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.handlers, logger.level = before
