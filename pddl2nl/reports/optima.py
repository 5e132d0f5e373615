"""Optimal plan lengths, from the plans of optimal planners and from shipped manifests.

A length is a number of actions, whatever their costs. Breadth-first search finds a shortest plan. A* with LM-cut finds
a cheapest plan, which is a shortest one if the problem has no metric.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from pddl2nl.reports.records import PlannerRecord, Record
from pddl2nl.tasks import authored_domains, shipped_domain, shipped_domains

__all__ = ["optimal_length", "over_optimal", "ratio", "shipped_lengths", "task_id"]

_SHORTEST = ("brfs",)
_CHEAPEST = ("lmcut",)


@lru_cache(maxsize=256)
def task_id(domain_pddl: str, problem_pddl: str) -> str:
    """The SHA-256 of both texts, independent of their line ends."""
    digest = hashlib.sha256()
    for text in (domain_pddl, problem_pddl):
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        data = plain.encode("utf-8", "surrogatepass")
        # The length separates the two texts.
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


def optimal_length(record: Record) -> int | None:
    """The length of a shortest plan of a run's task, if the run proves it or a shipped manifest has it.

    Manifests are found by the texts of the task. An upper bound in a manifest is not used.
    """
    if isinstance(record, PlannerRecord) and _proves(record):
        return len(record.plan)
    return shipped_lengths().get(task_id(record.domain_pddl, record.problem_pddl))


def over_optimal(record: Record) -> float | None:
    """A plan's length over the optimal length; None if the run is unsolved or the optimal length is unknown.

    `pddl2nl.reports.gathering` adds the tasks that an optimal planner solved in another record.
    """
    optimal = optimal_length(record) if record.solved else None
    return None if optimal is None else ratio(len(record.plan), optimal)


def ratio(length: float, optimal: float) -> float | None:
    """``length`` over ``optimal``; None if the optimal plan is empty and this one is not."""
    if optimal == 0:
        return 1.0 if length == 0 else None
    return length / optimal


def _proves(record: PlannerRecord) -> bool:
    if not record.solved:
        return False
    planner = record.planned.planner
    return planner in _SHORTEST or (planner in _CHEAPEST and ":metric" not in record.problem_pddl.lower())


@lru_cache(maxsize=1)
def shipped_lengths() -> Mapping[str, int]:
    """The proved lengths of all shipped tasks, by `task_id`."""
    found = {}
    for name in (*shipped_domains(), *authored_domains()):
        shipped = shipped_domain(name)
        domain = shipped.domain_path.read_text(encoding="utf-8")
        for instance in shipped.instances:
            if instance.optimal_length is not None and instance.proof in ("lmcut", "brfs", "blind", "hmax"):
                problem = instance.path.read_text(encoding="utf-8")
                found[task_id.__wrapped__(domain, problem)] = instance.optimal_length
    return MappingProxyType(found)
