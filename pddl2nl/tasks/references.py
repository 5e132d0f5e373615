"""Which shipped task a task is that somebody plays, and what is known of it: texts, and plans known to be right.

The plans are ground truths in the sense of the HVR paper: of least length as far as that could be proved, cut into
macro-actions, with the order that these need. Metrics measure plans against them; the oracle model answers from them
what no planner can know, how a task in words is divided.
"""

from __future__ import annotations

from functools import lru_cache

from pddl2nl.pddl import Condition, Domain, Task
from pddl2nl.tasks.reference_files import FORMS, Block, Form, Reference, Way, WayProof
from pddl2nl.tasks.shipped import authored_domains, match_shipped, shipped_domain

__all__ = [
    "FORMS",
    "Block",
    "Form",
    "Reference",
    "Way",
    "WayProof",
    "reference_goal",
    "reference_of",
    "reference_task",
    "references_of",
    "told_references",
]


def references_of(domain: Domain) -> tuple[Reference, ...]:
    """All tasks with ground truths that are shipped for a domain, the example first; empty where there are none."""
    shipped = match_shipped(domain)
    return () if shipped is None else shipped.references


def reference_of(task: Task) -> Reference | None:
    """What is known of a task: the reference of the shipped problem that says the same, whatever its name.

    The same means: equal domain (but for requirements), objects, initial facts and goal.
    """
    shipped = match_shipped(task.domain)
    if shipped is None:
        return None
    for reference in shipped.references:
        if _said(_problem_task(shipped.name, reference.instance)) == _said(task):
            return reference
    return None


def told_references(text: str, domain: Domain | None = None) -> tuple[Reference, ...]:
    """The references of which a text, in whatever form, is the task's; blanks and capitals don't count.

    Args:
        text: of a task.
        domain: whose tasks are looked through; None for those of all shipped domains.
    """
    known = references_of(domain) if domain is not None else _all()
    wanted = _folded(text)
    return tuple(each for each in known if wanted in map(_folded, each.texts.values()))


def reference_task(domain: Domain, reference: Reference) -> Task:
    """The task of a reference that belongs to a domain; raises `InputError` where it does not."""
    shipped = match_shipped(domain)
    name = shipped.name if shipped is not None else domain.name
    return _problem_task(name, reference.instance)


def reference_goal(domain: Domain, reference: Reference) -> Condition:
    """The goal of a reference's task; raises `InputError` where the reference is not one of this domain's."""
    return reference_task(domain, reference).problem.goal


@lru_cache(maxsize=64)
def _problem_task(domain: str, instance: str) -> Task:
    return shipped_domain(domain).task(instance)


@lru_cache(maxsize=1)
def _all() -> tuple[Reference, ...]:
    return tuple(each for name in authored_domains() for each in shipped_domain(name).references)


def _said(task: Task) -> tuple[object, ...]:
    problem = task.problem
    objects = frozenset((item.name, item.types) for item in problem.objects)
    return objects, frozenset(problem.init), problem.goal


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
