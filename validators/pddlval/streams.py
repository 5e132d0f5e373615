"""The standard streams of a command: UTF-8 like all files here, whatever locale, pipe or terminal is behind them."""

from __future__ import annotations

import io
import os
import sys

READER_GONE = 141
"""The exit code when the reader of our output has gone (``| head``): that of a shell for SIGPIPE, not a verdict."""


def utf8_streams() -> None:
    """Sets the standard streams to UTF-8, and replaces those that the caller has closed.

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


def drop_output() -> None:
    """Redirects standard output to the null device, so that Python does not complain at exit about a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    os.close(nowhere)
