"""What all commands share: JSON on standard output, people's output through rich, exit codes.

Exit codes: 0 done, 1 the check failed, 2 bad input or usage, 3 infrastructure failed, 130 Ctrl-C.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.cli.verbosity import is_quiet
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import read_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "BAD_INPUT",
    "DONE",
    "INFRASTRUCTURE",
    "WANTING",
    "console",
    "exit_code_of",
    "print_error",
    "print_json",
    "print_table",
    "print_text",
    "print_warnings",
    "read_text_argument",
    "warn",
    "write_text_file",
]

DONE = 0
WANTING = 1
BAD_INPUT = 2
INFRASTRUCTURE = 3


def print_json(data: object) -> None:
    """One JSON value on one line of standard output, flushed, so that a reader sees it at once."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Text as it is, with a line ending: no wrapping, no markup, whatever it holds."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def print_warnings(messages: Iterable[str]) -> None:
    """Warnings, one a line, on standard error unless ``-q`` is given; they never change the exit code."""
    for message in messages if not is_quiet() else ():
        sys.stderr.write(f"warning: {message}\n")


def warn(message: str) -> None:
    """One warning, as in `print_warnings`."""
    print_warnings([message])


def print_error(message: str) -> None:
    """What went wrong, on standard error, where it is no exception of ours."""
    sys.stderr.write(f"error: {message}\n")


def console(*, stderr: bool = False) -> Console:
    """A rich console; plain where the stream is not a terminal, and then never narrower than 160 columns."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 160
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=True)


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A table for people on standard output; every cell is shown as text, never read as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    console().print(table)


def read_text_argument(argument: str) -> str:
    """The text of a file, or of standard input where the argument is ``-``.

    Raises:
        InputError: the file does not exist, is a folder, or cannot be read.
    """
    return read_text(argument, errors="replace")


def write_text_file(path: Path, text: str) -> None:
    """Writes a file that the user named, folders above it included.

    Raises:
        InfrastructureError: the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error


def exit_code_of(error: Exception) -> int:
    """The exit code that an exception of ours stands for."""
    return BAD_INPUT if isinstance(error, InputError) else INFRASTRUCTURE
