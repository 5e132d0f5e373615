"""The command line, called in this process as a shell calls it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple
from unittest.mock import patch

from pddl2nl.cli.app import main


class Called(NamedTuple):
    """An exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What ``--json`` prints."""
        return json.loads(self.out)


def run_command(*arguments: object, text: str = "") -> Called:
    """What ``pddl2nl`` with these arguments does; ``text`` is standard input."""
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", given):
        code = main([str(argument) for argument in arguments])
    return Called(code, out.getvalue(), err.getvalue())


def refused(*arguments: object) -> str:
    """What is on standard error where a command is refused: exit code 2, and nothing on standard output."""
    called = run_command(*arguments)
    assert (called.code, called.out) == (2, "")
    return called.err
