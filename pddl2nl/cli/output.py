"""What commands print and write, and their exit codes.

Results go to standard output: JSON, plain text, or tables through rich. Errors, warnings and progress go to standard
error; ``-q`` leaves out warnings and progress.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.files import write_text_file

if TYPE_CHECKING:
    from rich.console import Console

    from pddl2nl.policies.budget import Account
    from pddl2nl.reports.tables import Table as ReportTable

DONE = 0
FAILED = 1
"""The check failed: a plan is invalid, a run is not solved, a line cannot be read."""
BAD_INPUT = 2
INFRASTRUCTURE = 3

_level = 0


def set_verbosity(*, quiet: bool, verbose: bool) -> None:
    """What ``-q`` and ``-v`` say; results and errors are always printed."""
    global _level
    _level = -1 if quiet else int(verbose)


def is_quiet() -> bool:
    """Whether ``-q`` was given: no progress and no warnings."""
    return _level < 0


def is_verbose() -> bool:
    """Whether ``-v`` was given: each call of a model and each retry is told."""
    return _level > 0


def exit_code_of(error: Exception) -> int:
    """The exit code of one of our exceptions."""
    return BAD_INPUT if isinstance(error, InputError) else INFRASTRUCTURE


# ── standard output ──────────────────────────────────────────────────────────────────────────────


def print_json(data: object) -> None:
    """One JSON value on one line, flushed, so that a reader sees it at once."""
    print_text(json.dumps(data, ensure_ascii=False))


def print_text(text: str) -> None:
    """Text as it is, with a line ending: no wrapping, no markup."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def print_result(data: object, text: str, *, as_json: bool) -> None:
    """The result of a command: as JSON, or as text; an empty text is not printed."""
    if as_json:
        print_json(data)
    elif text:
        print_text(text)


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A table; every cell is shown as text, never read as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title) if title else None, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console().print(table)


def print_report(tables: Sequence[ReportTable], alarms: Sequence[str]) -> None:
    """The alarms and tables of a report; below each table a few of its notes, with ``-v`` all of them."""
    from pddl2nl.reports.tables import print_tables, with_few_notes

    screen, left_out = console(), 0
    if not is_verbose():
        tables, left_out = with_few_notes(tables, screen.width)
    print_tables(tables, screen, alarms)
    if left_out:
        print_text(f"\n-v prints {plural(left_out, 'more note')} on what the tables show.")


def console(*, stderr: bool = False) -> Console:
    """A rich console; plain where the stream is not a terminal, and then 160 columns wide."""
    from rich.console import Console

    clean_rich()
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 160
    # A progress bar replaces the stream, so it is given here.
    file = getattr(stream, "rich_proxied_file", stream)
    return Console(file=file, width=width, highlight=False, soft_wrap=True)


def clean_rich() -> None:
    """Lets rich escape in all texts what `pddlval.streams` does; by itself it drops five control characters."""
    import re

    from rich.control import _CONTROL_STRIP_TRANSLATE as escapes

    from pddlval.streams import UNSAFE

    unsafe = re.findall(f"[{UNSAFE}]", "".join(map(chr, range(0x2100))))
    escapes.update({ord(each): f"\\u{ord(each):04x}" for each in unsafe})  # type: ignore[misc]


def plural(number: int, one: str, several: str = "") -> str:
    """``1 run``, ``2 runs``, ``0 replies``."""
    regular = f"{one[:-1]}ies" if one.endswith("y") and one[-2] not in "aeou" else f"{one}s"
    return f"{number} {one if number == 1 else several or regular}"


def account_text(account: Account) -> str:
    """``4 calls, 2 from the cache, 3618 + 80 tokens, 0.0098 USD``: tokens of prompts and of completions."""
    hits = f", {account.cache_hits} from the cache" if account.cache_hits else ""
    usd = "price unknown" if account.usd is None else f"{account.usd:.4f} USD"
    tokens = f"{account.prompt_tokens} + {account.completion_tokens} tokens"
    return f"{plural(account.calls, 'call')}{hits}, {tokens}, {usd}"


# ── standard error ───────────────────────────────────────────────────────────────────────────────


def print_error(message: str) -> None:
    """An error that is not one of our exceptions."""
    sys.stderr.write(f"error: {message}\n")


def print_warnings(messages: Iterable[str]) -> None:
    for message in messages:
        warn(message)


def warn(message: str) -> None:
    if not is_quiet():
        sys.stderr.write(f"warning: {message}\n")


@contextmanager
def log_to_stderr(write: Callable[[str], object] | None = None) -> Iterator[None]:
    """Prints what the library logs meanwhile, such as retries of a call, as plain lines.

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


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def write_folder(folder: Path, texts: Mapping[str, str], inputs: Iterable[Path]) -> list[Path]:
    """Writes texts under their file names into a folder, made where it is missing, and returns the paths.

    Raises:
        InputError: one of the files would overwrite one of the inputs; nothing is written then.
        InfrastructureError: the disk refuses.
    """
    read = {path.resolve(): path for path in inputs}
    paths = [folder / name for name in texts]
    for path in paths:
        if path.resolve() in read:
            raise InputError(
                f"{path} would overwrite {read[path.resolve()]}, which was read; give another --out folder"
            )
    for path, text in zip(paths, texts.values(), strict=True):
        write_text_file(path, text)
    return paths
