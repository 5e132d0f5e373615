"""The standard streams of a command: UTF-8 like all files here, with any locale, pipe or terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any

READER_GONE = 141
"""The exit code when the reader of our output has gone (``| head``): that of a shell for SIGPIPE, not a verdict."""

UNSAFE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""Characters by which a text controls the terminal that shows it, or the order of what is shown."""
_UNSAFE = re.compile(f"[{UNSAFE}]")


def set_streams() -> None:
    """Sets the standard streams to UTF-8 without control characters, and replaces those that the caller has closed.

    What is read and is no UTF-8 is replaced, as in files. What cannot be written (a file name of stray bytes) is
    escaped in a way that is right in JSON too.
    """
    for name, mode, encoding, errors in (
        ("stdin", "r", "utf-8-sig", "replace"),
        ("stdout", "w", "utf-8", "backslashreplace"),
        ("stderr", "w", "utf-8", "backslashreplace"),
    ):
        stream = getattr(sys, name)
        if stream is None:
            # It lasts as long as the process.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors=errors)
        if mode == "w":
            stream = getattr(sys, name)
            # Rich looks for this, and writes to it: it controls terminals itself.
            stream.rich_proxied_file = clean(stream)


class _Raw:
    """A stream as it was before `clean`."""

    def __init__(self, stream: Any):
        self.write = stream.write
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def clean(stream: Any) -> _Raw:
    """Lets a stream escape control characters from now on: names, replies and files must not control a terminal.

    The escape is right in JSON too. Returns the stream as it was.
    """
    raw = _Raw(stream)

    def write(text: str) -> int:
        raw.write(_UNSAFE.sub(_escape, text) if _UNSAFE.search(text) else text)
        return len(text)

    stream.write = write
    return raw


def _escape(found: re.Match[str]) -> str:
    # The lines of CSV end so.
    ends_line = found[0] == "\r" and found.string[found.end() : found.end() + 1] == "\n"
    return "\r" if ends_line else f"\\u{ord(found[0]):04x}"


def drop_output() -> None:
    """Redirects standard output to the null device, so that Python does not complain at exit about a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    os.close(nowhere)
