"""The standard streams of a command: UTF-8 like all files here, whatever locale, pipe or terminal is behind them."""

from __future__ import annotations

import io
import os
import sys

__all__ = ["READER_GONE", "drop_output", "utf8_streams"]

READER_GONE = 141
"""The exit code where whoever read our output went away (``| head``): what a shell calls SIGPIPE, and no verdict."""


def utf8_streams() -> None:
    """Makes the standard streams speak UTF-8, and stand in for those that the caller has closed.

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
    """Lets standard output lead nowhere from now on: nobody reads it, and Python must not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    os.close(nowhere)
