"""Fast Downward for the hybrids: optimally within a short time, else by LAMA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.pddl import Task

__all__ = ["Planners", "best_plan"]

OPTIMAL_SECONDS = 30
"""CPU seconds for LM-cut."""
SECONDS = 300
"""CPU seconds for LAMA."""
_LIMITS = {"lmcut": OPTIMAL_SECONDS, "lama": SECONDS}


@dataclass(frozen=True)
class Planners:
    """The last planner's result, and the effort of all that were tried."""

    result: PlannerResult
    seconds: float
    expanded: int


def best_plan(task: Task, planners: Sequence[str] = ("lmcut", "lama")) -> Planners:
    """A plan of the first planner that finds one, or proves that there is none.

    LM-cut plans optimally, and takes neither conditional effects nor axioms; LAMA takes both.

    Raises:
        UnsupportedError: the validator cannot judge plans for the task.
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: it cannot be started, or its plan is not valid.
    """
    seconds, expanded = 0.0, 0
    for name in planners:
        result = solve(task, name, time_limit=_LIMITS[name])
        seconds += result.seconds
        expanded += result.expanded or 0
        if result.status in ("solved", "unsolvable"):
            break
    return Planners(result, seconds, expanded)
