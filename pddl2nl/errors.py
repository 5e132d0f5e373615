"""The exceptions that all packages share, and suggestions for their messages::

Pddl2nlError                       all exceptions of this toolkit
├── InputError                     bad input or usage (exit code 2)
│   ├── PDDLError                  a PDDL text with errors; has its diagnostics (pddl.diagnostics)
│   ├── UnsupportedError           valid PDDL that is not executed
│   └── MissingExtraError          an optional package is not installed; names the pip install
└── InfrastructureError            a tool, an endpoint or the disk failed (exit code 3); never a wrong plan
"""

from __future__ import annotations

from collections.abc import Iterable


class Pddl2nlError(Exception):
    """The base class of all exceptions of this toolkit."""


class InputError(Pddl2nlError, ValueError):
    """Bad input or usage; the message says what was found and what was expected."""


class UnsupportedError(InputError):
    """Valid PDDL that this toolkit does not execute; the message names the construct and its place."""


class MissingExtraError(InputError):
    """An optional package is not installed; the message has the ``pip install`` that works here."""

    def __init__(self, package: str, extra: str, purpose: str):
        from pathlib import Path

        message = f"{purpose} needs the package '{package}': pip install 'pddl2nl[{extra}]'"
        checkout = Path(__file__).resolve().parents[1]
        if (checkout / "pyproject.toml").is_file():
            message += f", or in {checkout}: pip install -e '.[{extra}]'"
        super().__init__(message)


class InfrastructureError(Pddl2nlError, RuntimeError):
    """A tool, an endpoint or the disk failed; this is never a verdict on a plan."""


def near_name(name: str, known: Iterable[str], least: float = 0.6) -> str:
    """The known name most similar to a wrong one; empty if the similarity of all is below `least` (from 0 to 1)."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=least)), "")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of an error message, ``; did you mean 'react'?``; `otherwise` if no known name is similar."""
    near = near_name(name, known)
    return f"; did you mean '{near}'?" if near else otherwise
