"""Reading input files, up to a size limit and decoded, and writing files; errors become ours."""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TextIO

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.limits import LIMITS

_PIECE = 1 << 16
_LISTED = 10


class Decoded(NamedTuple):
    """The text of a file; ``warning`` says what is wrong with its encoding, if anything is."""

    text: str
    warning: str = ""


def read_bytes(path: str | Path, what: str = "file") -> bytes:
    """The content of a file.

    Args:
        path: the file.
        what: what messages call such a file: ``"PDDL file"``.

    Raises:
        InputError: the file does not exist, is a directory, is larger than ``LIMITS.file_bytes``, or cannot be read.
    """
    with _opened(path, what) as file:
        found = os.fstat(file.fileno())
        # A plain file of known size is read at once; a device or a pipe in pieces, until it is too much.
        if stat.S_ISREG(found.st_mode) and 0 < found.st_size <= LIMITS.file_bytes:
            return file.read()
        return _read_stream(file, str(path))


@contextmanager
def _opened(path: str | Path, what: str) -> Iterator[BinaryIO]:
    """An open file; what goes wrong while it is read becomes an `InputError`."""
    try:
        with open(path, "rb") as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        names = sorted(os.listdir(path))
        held = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
        raise InputError(f"{path}: a directory, where a {what} was expected; in it: {held or 'nothing'}") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL character in it.
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from None


def read_lines(path: str | Path, what: str = "file") -> Iterator[str]:
    """The lines of a file as they come, with replacement characters where it is not UTF-8.

    Args:
        path: the file; ``-`` for standard input.
        what: what messages call such a file.

    Raises:
        InputError: as in `read_bytes`, and for a line that is longer than ``LIMITS.line_bytes``.
    """
    if str(path) == "-":
        yield from _lines(sys.stdin.buffer, "standard input")
    else:
        with _opened(path, what) as file:
            yield from _lines(file, str(path))


def _lines(stream: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    while line := stream.readline(LIMITS.line_bytes + 1):
        number += 1
        if len(line) > LIMITS.line_bytes:
            raise InputError(long_line(name, number))
        # Some tools write a byte order mark before a file.
        yield line.decode("utf-8", "replace").removeprefix("\ufeff")


def long_line(name: str, number: int) -> str:
    """The message about a line that is longer than the limit."""
    return f"{name}:{number}: the line is longer than {LIMITS.line_bytes >> 20} MiB, the limit for a line"


def _read_stream(stream: BinaryIO, name: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > LIMITS.file_bytes:
            raise _too_large(name)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(name: str) -> InputError:
    return InputError(f"{name}: larger than {LIMITS.file_bytes >> 20} MiB, the limit for input files")


def decode(data: bytes) -> Decoded:
    """Bytes as UTF-8 without a byte order mark; with a warning as Latin-1, if they are not UTF-8."""
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {data[error.start]:#04x} at offset {error.start}): read as Latin-1"
        return Decoded(data.decode("latin-1"), message)


def read_text(
    path: str | Path, what: str = "file", *, errors: Literal["strict", "replace"] = "strict", long_lines: bool = True
) -> str:
    """The text of a file in UTF-8, without its byte order mark and with ``\\n`` as its only line ending.

    Args:
        path: the file; ``-`` for standard input.
        what: what messages call such a file.
        errors: ``"replace"`` puts replacement characters where the file is not UTF-8.
        long_lines: whether lines may be longer than ``LIMITS.line_bytes``.

    Raises:
        InputError: as in `read_bytes`, and for a file that is not UTF-8.
    """
    if str(path) == "-":
        text, path = sys.stdin.read(LIMITS.file_bytes + 1), "standard input"
        if len(text) > LIMITS.file_bytes:
            raise _too_large(path)
    else:
        try:
            text = read_bytes(path, what).decode("utf-8-sig", errors)
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 (byte {error.start}); a text file in UTF-8 was expected") from None
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not long_lines and len(text) > LIMITS.line_bytes:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > LIMITS.line_bytes:
                raise InputError(long_line(str(path), number))
    return text


def write_text_file(path: Path, text: str) -> None:
    """Writes or replaces a file, whole, folders above it included; raises as `replaced_file`."""
    with replaced_file(path) as stream:
        stream.write(text)


@contextmanager
def replaced_file(path: Path) -> Iterator[TextIO]:
    """A stream to a file that is replaced, whole, when the block is done; a pipe or a device is written to directly.

    Raises:
        InputError: a folder.
        InfrastructureError: the disk refuses, or the file is read-only.
    """
    check_writable(path)
    special = path.exists() and not path.is_file()
    part = path if special else path.resolve().with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        if not special:
            part.replace(path.resolve())
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error
    finally:
        if not special:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Checks that a file can be written, without changing it; folders above it are made.

    Raises:
        InputError: a folder.
        InfrastructureError: the disk refuses, or the file is read-only.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; a file was expected")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            from tempfile import TemporaryFile

            TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error


def parse_json(text: str | bytes, name: str) -> Any:
    """The value of a JSON text from outside.

    Raises:
        InputError: the text is not JSON, or holds a number or a nesting that Python cannot read. The message begins
            with ``name``, and the line and column if there is one place to blame.
    """
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{name}: not JSON: {unreadable(error)}") from None


_LONG_KEY = re.compile(
    # Possessive, and from the beginnings of words only: linear.
    r"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"
    f"{{{LIMITS.key_dots}}}"
)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The tables of a TOML text from outside.

    Raises:
        InputError: the text is not TOML, or holds a number or a nesting that Python cannot read. The message begins
            with ``name``, and the line and column if there is one place to blame, which it shows.
    """
    import tomllib

    if match := _LONG_KEY.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise InputError(f"{name}:{line}: not read as TOML: a key of more than {LIMITS.key_dots} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, where = str(error).partition(" (at ")
        place = re.match(r"line (\d+), column (\d+)", where)
        lines = text.rstrip().split("\n")
        number, column = (int(place[1]), int(place[2])) if place else (len(lines), len(lines[-1]) + 1)
        shown = f"\n  {lines[number - 1]}\n  {' ' * (column - 1)}^" if number <= len(lines) else ""
        raise InputError(f"{name}:{number}:{column}: not TOML: {reason}{shown}") from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"{name}: not TOML: {unreadable(error)}") from None


def unreadable(error: Exception) -> str:
    """Why a parser refused a text, in words: brackets nested too deep and numbers of thousands of digits included."""
    if isinstance(error, RecursionError):
        return "its brackets are nested too deep"
    return "a number has too many digits" if "digits" in str(error) and "limit" in str(error) else str(error)


_DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ``p2`` before ``p10``."""
    parts = _DIGITS.split(text.lower())
    return (*((0, int(part), part) if number % 2 else (1, 0, part) for number, part in enumerate(parts)), (2, 0, text))
