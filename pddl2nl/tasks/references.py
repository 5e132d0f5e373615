"""Finds the texts and correct plans that are shipped for a task.

The plans are ground truths: shortest if that could be proved, divided into macro-actions with their order. Metrics
compare plans with them; the oracle model takes the division of a task from them, which no planner can find.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pddl2nl.pddl import Domain, Task, load_problem
from pddl2nl.tasks.reference_files import TaskReference, read_references
from pddl2nl.tasks.shipped import match_shipped, shipped_domain


def references_of(domain: Domain) -> tuple[TaskReference, ...]:
    """All references that are shipped for a domain, the example first; empty without any."""
    shipped = match_shipped(domain)
    return () if shipped is None else shipped.references


def reference_of(task: Task) -> TaskReference | None:
    """The reference of the shipped task that equals a task, or that in the ``tasks.json`` beside its problem, or None.

    Compared are the domain (without requirements), objects, initial facts and goal. Of several equal tasks, the one
    whose problem has the same name counts: two searches can have one answer. Only in domains with shipped references
    is a ``tasks.json`` looked for.
    """
    shipped = match_shipped(task.domain)
    if shipped is None or not shipped.references:
        return None
    name = task.problem.name
    for reference in sorted(shipped.references, key=lambda each: name != f"{shipped.name}-{each.instance}"):
        if _said(_problem_task(shipped.name, reference.instance)) == _said(task):
            return reference
    path = Path(task.problem.source.name) if task.problem.source is not None else Path()
    beside = path.parent / "tasks.json"
    if not (path.is_file() and beside.is_file()):
        return None
    own = _by_instance(beside, beside.stat().st_mtime_ns).get(path.stem)
    return own if _said(Task(task.domain, load_problem(path, task.domain))) == _said(task) else None


@lru_cache(maxsize=8)
def _by_instance(file: Path, changed: int) -> Mapping[str, TaskReference]:
    return {each.instance: each for each in read_references(file)}


@lru_cache(maxsize=256)
def _problem_task(domain: str, instance: str) -> Task:
    return shipped_domain(domain).task(instance)


def _said(task: Task) -> tuple[object, ...]:
    problem = task.problem
    objects = frozenset((item.name, item.types) for item in problem.objects)
    return objects, frozenset(problem.init), problem.goal
