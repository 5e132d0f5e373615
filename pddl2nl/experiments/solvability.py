"""The step limit of a run, and whether its task has a plan.

A step limit is twice the length of FF's plan, as in the AutoPlanBench paper. A task without a plan gives no such
length, and a model needs time to find that out: its limit is that of the longest task of the primary set,
`UNSOLVABLE_STEPS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pddl2nl.errors import InputError
from pddl2nl.experiments.plans import NoPlanExistsError, ff_plan
from pddl2nl.pddl import Task
from pddl2nl.policies import Policy
from pddl2nl.policies.recorded import problem_text
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import match_shipped, shipped_domain

UNSOLVABLE_STEPS = 40
"""The step limit for a task without a plan: twice the length of the longest optimal plan of the primary set."""

_ADVICE = "the step limit by --steps N"


@dataclass(frozen=True)
class Foreseen:
    """The step limit of a run, or None; and whether its task has a plan, None if unknown."""

    steps: int | None
    solvable: bool | None


def foreseen(spec: RunSpec, policy: Policy) -> Foreseen:
    """The step limit and solvability of a run's task; asks a planner for a missing limit, or to judge claims.

    Raises:
        InputError: a step limit is needed, and there is no planner, or it neither found a plan nor proved that there
            is none.
        InfrastructureError: the planner failed.
    """
    solvable = shipped_as_solvable(spec.task)
    if spec.steps is not None or policy.one_shot:
        if solvable is None and getattr(policy, "unsolvable", "") == "tell":
            solvable = _proved(spec.task)
        return Foreseen(spec.steps, solvable)
    if solvable is False:
        return Foreseen(UNSOLVABLE_STEPS, False)
    try:
        plan = ff_plan(spec.task, _ADVICE)
    except NoPlanExistsError:
        return Foreseen(UNSOLVABLE_STEPS, False)
    # At least one, so that a goal that holds at once leaves a valid limit.
    return Foreseen(max(1, 2 * len(plan)), True)


def shipped_as_solvable(task: Task) -> bool | None:
    """Whether a shipped problem has a plan, by its manifest; None for a problem that is not shipped.

    It is known by its text, wherever the file lies.
    """
    shipped = match_shipped(task.domain)
    return None if shipped is None else _solvable_texts(shipped.name).get(problem_text(task.problem))


@lru_cache(maxsize=8)
def _solvable_texts(domain: str) -> dict[str, bool]:
    """Whether each shipped problem has a plan, by its text."""
    instances = shipped_domain(domain).instances
    return {each.path.read_text(encoding="utf-8"): each.solvable for each in instances}


def _proved(task: Task) -> bool | None:
    try:
        ff_plan(task, _ADVICE)
    except NoPlanExistsError:
        return False
    except InputError:
        return None
    return True
