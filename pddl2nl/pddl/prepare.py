"""From bytes to text that the grammar takes: decoded, comments blanked out, lower case, every offset kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pddl2nl.errors import InputError

__all__ = ["Decoded", "decode", "load_bytes", "prepare"]

_COMMENT = re.compile(r";[^\r\n]*")
_BOM = "\ufeff"


@dataclass(frozen=True)
class Decoded:
    """The text of a file; ``warning`` says so where it is not UTF-8."""

    text: str
    warning: str = ""


def load_bytes(path: str | Path) -> bytes:
    """The content of a file; InputError, with the reason in words, where it cannot be read."""
    file = Path(path)
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: a directory, where a PDDL file was expected") from None
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL character in it.
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from None


def decode(data: bytes) -> Decoded:
    """Bytes as UTF-8, a byte order mark dropped; as Latin-1, with a warning, where they are not UTF-8."""
    try:
        return Decoded(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (byte {data[error.start]:#04x} at offset {error.start}): read as Latin-1"
        return Decoded(data.decode("latin-1"), message)


def prepare(text: str) -> str:
    """The text in lower case with its comments blanked out: of the same length, so that offsets stay true."""
    if ";" in text:
        text = _COMMENT.sub(lambda match: " " * (match.end() - match.start()), text)
    if text.startswith(_BOM):
        text = " " + text[1:]
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few letters, such as the Turkish dotted capital I, grow when lowered: they stay as they are.
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lowered
