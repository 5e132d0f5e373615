"""The exceptions that all packages share, and suggestions for their messages::

Pddl2nlError                       everything this toolkit raises on purpose
├── InputError                     bad input or usage (exit code 2)
│   ├── PDDLError                  a PDDL text that cannot be read; carries its diagnostics (pddl.diagnostics)
│   ├── UnsupportedError           valid PDDL that would have to be executed and is not yet
│   └── MissingExtraError          an optional package is absent; names the pip install that mends it
└── InfrastructureError            a tool, an endpoint or the disk failed (exit code 3), never a wrong plan
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "InfrastructureError",
    "InputError",
    "MissingExtraError",
    "Pddl2nlError",
    "UnsupportedError",
    "did_you_mean",
    "near_name",
]


class Pddl2nlError(Exception):
    """Everything that this toolkit raises on purpose."""


class InputError(Pddl2nlError, ValueError):
    """Bad input or usage; the message says what was found and what would be right."""


class UnsupportedError(InputError):
    """Valid PDDL whose execution this toolkit does not have yet; the message names the construct and its place."""


class MissingExtraError(InputError):
    """An optional package is not installed; the message holds the exact ``pip install``."""

    def __init__(self, package: str, extra: str, purpose: str):
        super().__init__(f"{purpose} needs the package '{package}': pip install 'pddl2nl[{extra}]'")


class InfrastructureError(Pddl2nlError, RuntimeError):
    """A tool, an endpoint or the disk failed; never to be read as a wrong plan."""


def near_name(name: str, known: Iterable[str], least: float = 0.6) -> str:
    """The known name most similar to a wrong one; empty if the similarity of all is below `least` (from 0 to 1)."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=least)), "")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of an error message, ``; did you mean 'react'?``; `otherwise` if no known name is similar."""
    near = near_name(name, known)
    return f"; did you mean '{near}'?" if near else otherwise
