"""The planners' plans that runs need: FF's for step limits and examples, LM-cut's for shown examples.

An experiment asks for the same plans again for every policy, model and seed, and from many threads at once. So a plan
is remembered by the texts of its task and made once, however many ask for it at the same time, and no more planners
run at once than there are processors: a planner's limit is CPU time, which crowding would not change, but wall time
would run out on those that wait.
"""

from __future__ import annotations

import os
import threading
from functools import lru_cache

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError, UnsupportedError
from pddl2nl.pddl import Task, write_domain, write_problem
from pddlval import GroundAction

__all__ = [
    "MOST_EXPANDED",
    "NoPlanExistsError",
    "Plan",
    "ff_plan",
    "forget_plans",
    "optimal_plan",
    "quick_plan",
]

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


class _NoPlanError(Exception):
    """A planner found no plan; ``proved``: it proved that none exists."""

    def __init__(self, message: str, proved: bool = False):
        super().__init__(message)
        self.proved = proved


class _Solving:
    """One search for a plan, with its result cached: the plan, or that none was found."""

    def __init__(self, domain: str, problem: str, planner: str, seconds: int, expanded: int | None):
        self._asked = (domain, problem, planner, seconds, expanded)
        self._lock = threading.Lock()
        self._outcome: Plan | _NoPlanError | None = None

    def plan(self) -> Plan:
        # Other threads wait for a running search. An infrastructure error is not kept: the next one
        # tries again.
        with self._lock:
            if self._outcome is None:
                with _PLANNERS:
                    self._outcome = _solved(*self._asked)
        if isinstance(self._outcome, _NoPlanError):
            raise _NoPlanError(str(self._outcome), self._outcome.proved)
        return self._outcome


_PLANNERS = threading.BoundedSemaphore(os.cpu_count() or 1)
_SEARCHES = threading.Lock()


@lru_cache(maxsize=1024)
def _search(domain: str, problem: str, planner: str, seconds: int, expanded: int | None) -> _Solving:
    return _Solving(domain, problem, planner, seconds, expanded)


def _solved(domain: str, problem: str, planner: str, seconds: int, expanded: int | None) -> Plan | _NoPlanError:
    from pddl2nl.baselines import TaskTexts, solve

    result = solve(TaskTexts(domain, problem), planner, time_limit=seconds)
    if result.status == "error":
        raise InfrastructureError(f"Fast Downward failed: {result.message}")
    if result.plan is None:
        message = f"{planner} found no plan ({result.status}: {result.message})"
        return _NoPlanError(message, result.status == "unsolvable")
    if expanded is not None and result.expanded is not None and result.expanded > expanded:
        return _NoPlanError(f"{planner} found no plan within {expanded} expansions")
    return result.plan


def _plan(task: Task, planner: str, seconds: int, expanded: int | None = None) -> Plan:
    texts = write_domain(task.domain), write_problem(task.problem)
    with _SEARCHES:
        # The cache alone would let two threads that come at once begin two searches.
        search = _search(*texts, planner, seconds, expanded)
    return search.plan()


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
        return _plan(task, "ff", FF_SECONDS)
    except MissingExtraError as error:
        raise InputError(f"{error}; without a planner, give {advice}") from error
    except _NoPlanError as error:
        kind = NoPlanExistsError if error.proved else InputError
        raise kind(f"problem '{task.problem.name}': {error}; give {advice}") from error


def quick_plan(task: Task) -> Plan | None:
    """FF's plan within `QUICK_SECONDS` and `MOST_EXPANDED`; None if there is none, or no planner.

    Raises:
        InfrastructureError: the planner failed.
    """
    return _plan_or_none(task, "ff", QUICK_SECONDS)


def optimal_plan(task: Task) -> Plan | None:
    """A plan of least cost by LM-cut within `OPTIMAL_SECONDS` and `MOST_EXPANDED`; None as in `quick_plan`.

    Raises:
        InfrastructureError: the planner failed.
    """
    return _plan_or_none(task, "lmcut", OPTIMAL_SECONDS)


def _plan_or_none(task: Task, planner: str, seconds: int) -> Plan | None:
    try:
        return _plan(task, planner, seconds, MOST_EXPANDED)
    except (MissingExtraError, UnsupportedError, _NoPlanError):
        return None
