"""Results of planners on a problem, for making, choosing and checking sets.

The planners themselves are passed in as a `MeasuredSearch`: `pddl2nl.tasks` does not import `pddl2nl.baselines`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pddl2nl.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

PLANNERS = ("brfs", "lmcut", "ff")
"""The planners of a manifest: breadth-first search, A* with LM-cut, greedy search with FF."""

OPTIMAL = ("lmcut", "brfs")
"""The planners whose plans are shortest; the first decides the proof."""

_LIMITS = re.compile(r"([0-9]+) s, ([0-9]+) MB")


@dataclass(frozen=True)
class SearchLimits:
    """The limits of each planner on one problem: CPU time, translation included, and memory in MiB."""

    seconds: int = 1800
    memory_mb: int = 8192

    def __str__(self) -> str:
        return f"{self.seconds} s, {self.memory_mb} MB"

    @staticmethod
    def read(text: str) -> SearchLimits:
        """The limits of a text like ``30 s, 4096 MB``; raises `InputError` for another text."""
        found = _LIMITS.fullmatch(text)
        if found is None:
            raise InputError(f"{text!r} is not a pair of limits; expected such as '30 s, 4096 MB'")
        return SearchLimits(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Measured:
    """The result of one planner on one problem.

    ``status`` is that of `pddl2nl.baselines.PlannerResult`, ``length`` counts the steps of the validated plan,
    ``seconds`` is wall time, and ``expanded`` counts states, if the planner reported them.
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


class MeasuredSearch(Protocol):
    """Runs planners; called from several threads at a time.

    Plans are validated. Raises `InfrastructureError` if a planner cannot be run.
    """

    def __call__(
        self, domain: str, problem: str, planners: Sequence[str], limits: SearchLimits
    ) -> Mapping[str, Measured]:
        """The result of each planner by its name, on a problem given as PDDL texts."""
        ...


def in_threads(function: Callable[[T], R], items: Iterable[T], workers: int, stop: Callable[[], None]) -> list[R]:
    """The function's results in the order of the items, computed in threads, which wait for planners' processes.

    ``stop`` is called if one fails or Ctrl-C is pressed, to stop the others.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(function, items))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()
        raise
    finally:
        pool.shutdown()
