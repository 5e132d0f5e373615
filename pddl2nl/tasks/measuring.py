"""What planners make of a problem: the words in which sets are measured, chosen and checked.

Whoever makes or checks a set hands in a `Search`: this room knows no planner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pddl2nl.errors import InputError

__all__ = ["OPTIMAL", "PLANNERS", "Measured", "Search", "SearchLimits"]

PLANNERS = ("brfs", "lmcut", "ff")
"""The planners of a manifest: breadth-first search, A* with LM-cut, greedy search with FF."""

OPTIMAL = ("lmcut", "brfs")
"""Those of them whose plans are shortest, the one that proves a length first."""

_LIMITS = re.compile(r"([0-9]+) s, ([0-9]+) MB")


@dataclass(frozen=True)
class SearchLimits:
    """What each planner may spend on one problem.

    Attributes:
        seconds: of CPU time, translation included.
        memory_mb: MiB.
    """

    seconds: int = 1800
    memory_mb: int = 8192

    def __str__(self) -> str:
        return f"{self.seconds} s, {self.memory_mb} MB"

    @staticmethod
    def read(text: str) -> SearchLimits:
        """The limits that were written like ``30 s, 4096 MB``; raises `InputError` for anything else."""
        found = _LIMITS.fullmatch(text)
        if found is None:
            raise InputError(f"{text!r} are no limits; such as '30 s, 4096 MB' was expected")
        return SearchLimits(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Measured:
    """One planner on one problem.

    Attributes:
        status: how it ended: ``solved``, ``unsolvable``, ``timeout``, ``out-of-memory``, ``unsupported``, ``error``.
        length: steps of the plan that it found, which was validated; None where there is none.
        seconds: of wall time.
        expanded: expanded states; None where the planner did not come to say so.
        message: why there is no plan, for people.
    """

    status: str
    length: int | None = None
    seconds: float = 0.0
    expanded: int | None = None
    message: str = ""

    @property
    def solved(self) -> bool:
        """Whether it found a plan."""
        return self.status == "solved"

    @property
    def ran_out(self) -> bool:
        """Whether a limit ended it."""
        return self.status in ("timeout", "out-of-memory")


class Search(Protocol):
    """Planners at work; called from several threads at a time.

    Plans must have been validated. A planner that cannot be run at all is an `InfrastructureError`.
    """

    def __call__(
        self, domain: str, problem: str, planners: Sequence[str], limits: SearchLimits
    ) -> Mapping[str, Measured]:
        """Each of the planners by its name on the problem whose PDDL texts are given."""
        ...
