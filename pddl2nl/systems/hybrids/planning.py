"""Fast Downward for the hybrids: planning alone, and cheap plans of a compiled task for as much time as that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.baselines import PLANNERS, PlannerResult, solve
from pddl2nl.baselines.planner import cheapest_plan
from pddl2nl.pddl import Task

OPTIMAL_SECONDS = 10
"""CPU seconds for LM-cut."""
SECONDS = 300
"""CPU seconds for LAMA's first plan."""
LEAST_SECONDS = 10
"""CPU seconds of searches on a compiled task at least, because small tasks need most of it for the translation."""


@dataclass(frozen=True)
class Planners:
    """The last planner's result, and the effort of all that were tried.

    Attributes:
        result: of the last planner.
        seconds, cpu_seconds, expanded: of all.
        proved: whether the plan is proved to be the cheapest.
    """

    result: PlannerResult
    seconds: float
    cpu_seconds: float
    expanded: int
    proved: bool


def best_plan(task: Task, *, optimally: bool = True) -> Planners:
    """A plan by LM-cut, else LAMA's first one.

    LM-cut plans optimally, and takes neither conditional effects nor axioms; LAMA takes both.

    Raises:
        UnsupportedError: the validator cannot judge plans for the task.
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: it cannot be started, or its plan is not valid.
    """
    optimal = [lambda: solve(task, "lmcut", time_limit=OPTIMAL_SECONDS)] if optimally else []
    return _first([*optimal, lambda: solve(task, "lama", time_limit=SECONDS)])


def cheapest(task: Task, alone: Planners) -> Planners:
    """The cheapest plan of a compiled task, by searches that get as much CPU time as planning alone took.

    LM-cut gets half of it, also if it did not solve the task alone: with a good proposal the compiled task is easier.
    LAMA gets the other half, and improves its plan until it is proved the cheapest or the time is up.

    Args:
        task: the compiled task.
        alone: how the task itself was solved.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: see `best_plan`.
    """
    half = max(LEAST_SECONDS, math.ceil(alone.cpu_seconds)) // 2
    return _first([lambda: solve(task, "lmcut", time_limit=half), lambda: cheapest_plan(task, half)])


def _first(searches: Sequence[Callable[[], PlannerResult]]) -> Planners:
    """The result of the first search that finds a plan, or proves that there is none."""
    results: list[PlannerResult] = []
    for search in searches:
        results.append(search())
        if results[-1].status in ("solved", "unsolvable"):
            break
    result = results[-1]
    proved = result.solved and not result.message and result.search != PLANNERS["lama"].search
    seconds, cpu_seconds = sum(each.seconds for each in results), sum(each.cpu_seconds for each in results)
    return Planners(result, seconds, cpu_seconds, sum(each.expanded or 0 for each in results), proved)
