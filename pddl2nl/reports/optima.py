"""How many actions a shortest plan has, where that is known: by an optimal planner's plan, or by a shipped manifest.

Lengths are counted in actions, whatever these cost. Breadth-first search finds a shortest plan; A* with LM-cut finds
one of least cost, which is a shortest one where every action costs one: where the problem has no metric.
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
    """The same for the same texts, and no others: their SHA-256, however their lines end."""
    digest = hashlib.sha256()
    for text in (domain_pddl, problem_pddl):
        plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        data = plain.encode("utf-8", "surrogatepass")
        # With its length before it, so that no other pair of texts is the same bytes.
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


def optimal_length(record: Record) -> int | None:
    """The actions of a shortest plan of a run's task, as the run itself proves or a shipped manifest says.

    Manifests are found by the texts, wherever the files lay; one that knows no more than an upper bound says nothing.
    """
    if isinstance(record, PlannerRecord) and _proves(record):
        return len(record.plan)
    return shipped_lengths().get(task_id(record.domain_pddl, record.problem_pddl))


def over_optimal(record: Record) -> float | None:
    """A plan's length as a multiple of a shortest one's; None where no goal was reached, or that is not known.

    `pddl2nl.reports.gathering` knows it of more tasks: of those that an optimal planner solved in another record.
    """
    optimal = optimal_length(record) if record.solved else None
    return None if optimal is None else ratio(len(record.plan), optimal)


def ratio(length: float, optimal: float) -> float | None:
    """``length`` over ``optimal``; None where the goal holds at once, and a longer plan is no multiple of none."""
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
