"""The planners' plans that runs need: FF's for step limits and examples, LM-cut's for shown examples.

An experiment asks for the same plans again for every policy, model and seed, and from many threads at once. So a result
is remembered by the texts of its task, and each search is run once. No more planners run at once than there are
processors: a planner's limit is CPU time, which crowding would not change, but wall time would run out on those that
wait.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError, UnsupportedError
from pddl2nl.pddl import Task, write_domain, write_problem
from pddlval import GroundAction

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult

Plan = tuple[GroundAction, ...]

FF_SECONDS = 300
"""How long FF may take for a step limit or an example that was asked for, in whole seconds of CPU time."""

QUICK_SECONDS = 5
"""How long it may take for one of several problems that could be an example."""

OPTIMAL_SECONDS = 20
"""How long the search for an optimal plan of an example may take; examples are small."""

MOST_EXPANDED = 1000
"""States that such a search, or a quick one, may have expanded: a plan that took more is not used.

Time alone would let a machine and its load decide which plan an example shows, and with it every prompt of a run. A
plan of few steps takes some dozens of expansions, and a thousand take seconds, far less than the limits above.
"""


class NoPlanExistsError(InputError):
    """A planner proved that a task has no plan."""


@dataclass
class _Search:
    """A search, and its result once it has one."""

    result: PlannerResult | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_PLANNERS = threading.BoundedSemaphore(os.cpu_count() or 1)
_SEARCHES = threading.Lock()


@lru_cache(maxsize=1024)
def _search(domain: str, problem: str, planner: str, seconds: int) -> _Search:
    return _Search()


def _result(task: Task, planner: str, seconds: int) -> PlannerResult:
    from pddl2nl.baselines import TaskTexts, solve

    texts = write_domain(task.domain), write_problem(task.problem)
    with _SEARCHES:
        # The cache alone would let two threads that come at once begin two searches.
        search = _search(*texts, planner, seconds)
    with search.lock:
        if search.result is None:
            with _PLANNERS:
                result = solve(TaskTexts(*texts), planner, time_limit=seconds)
            if result.status == "error":
                # Not remembered: the next one tries again.
                raise InfrastructureError(f"Fast Downward failed: {result.message}")
            search.result = result
        return search.result


def forget_plans() -> None:
    """Forgets all plans; for tests."""
    with _SEARCHES:
        _search.cache_clear()


def ff_plan(task: Task, advice: str) -> Plan:
    """FF's plan; ``advice`` names the alternative for the user if there is none.

    Raises:
        InputError: the planner is missing, does not take the task, or found no plan; `NoPlanExistsError` where it
            proved that there is none.
        InfrastructureError: the planner failed.
    """
    try:
        result = _result(task, "ff", FF_SECONDS)
    except MissingExtraError as error:
        raise InputError(f"{error}; without a planner, give {advice}") from error
    if result.plan is None:
        kind = NoPlanExistsError if result.status == "unsolvable" else InputError
        why = f"ff found no plan ({result.status}: {result.message})"
        raise kind(f"problem '{task.problem.name}': {why}; give {advice}")
    return result.plan


def quick_plan(task: Task) -> Plan | None:
    """FF's plan within `QUICK_SECONDS` and `MOST_EXPANDED`; None if there is none, or no planner.

    Raises:
        InfrastructureError: the planner failed.
    """
    return _small_plan(task, "ff", QUICK_SECONDS)


def optimal_plan(task: Task) -> Plan | None:
    """A plan of least cost by LM-cut within `OPTIMAL_SECONDS` and `MOST_EXPANDED`; None as in `quick_plan`.

    Raises:
        InfrastructureError: the planner failed.
    """
    return _small_plan(task, "lmcut", OPTIMAL_SECONDS)


def _small_plan(task: Task, planner: str, seconds: int) -> Plan | None:
    try:
        result = _result(task, planner, seconds)
    except (MissingExtraError, UnsupportedError):
        return None
    return result.plan if result.expanded is None or result.expanded <= MOST_EXPANDED else None
