"""Reading input files: up to a size limit, decoded, and with an InputError for everything that goes wrong."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pddl2nl.errors import InputError

__all__ = ["MAX_BYTES", "Decoded", "decode", "parse_json", "parse_toml", "read_bytes", "read_stream", "read_text"]

MAX_BYTES = 256 << 20
"""Larger input files are refused, so that a wrong path such as ``/dev/zero`` does not fill the memory."""
_PIECE = 1 << 16


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
        InputError: the file does not exist, is a directory, is larger than `MAX_BYTES`, or cannot be read.
    """
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            # A plain file of known size is read at once; a device or a pipe in pieces, until it is too much.
            if stat.S_ISREG(found.st_mode) and 0 < found.st_size <= MAX_BYTES:
                return file.read()
            return read_stream(file, str(path))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: a directory, where a {what} was expected") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL character in it.
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from None


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """What is left in a stream; InputError if it is more than `MAX_BYTES`."""
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        if size > MAX_BYTES:
            raise InputError(f"{name}: larger than {MAX_BYTES >> 20} MiB, the limit for input files")
        pieces.append(piece)
    return b"".join(pieces)


def decode(data: bytes) -> Decoded:
    """Bytes as UTF-8 without a byte order mark; with a warning as Latin-1, if they are not UTF-8."""
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {data[error.start]:#04x} at offset {error.start}): read as Latin-1"
        return Decoded(data.decode("latin-1"), message)


def read_text(path: str | Path, what: str = "file") -> str:
    """The text of a file, or of standard input for ``-``; what is not UTF-8 becomes replacement characters.

    Raises:
        InputError: as in `read_bytes`.
    """
    data = read_stream(sys.stdin.buffer, "standard input") if str(path) == "-" else read_bytes(path, what)
    return data.decode("utf-8-sig", errors="replace")


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
        raise InputError(f"{name}: {_reason(error)}") from None


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The value of a TOML text from outside; InputError as in `parse_json`."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        reason = f"not TOML: {error}" if isinstance(error, tomllib.TOMLDecodeError) else _reason(error)
        raise InputError(f"{name}: {reason}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    return "a number with too many digits" if "digits" in str(error) else str(error)
