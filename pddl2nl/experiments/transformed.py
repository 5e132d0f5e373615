"""The domains of an experiment under transformations: tasks, wordings and examples are all changed alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InputError
from pddl2nl.experiments.example import SolvedProblem, find_example
from pddl2nl.experiments.spec_parts import SpecDomain, SpecTask
from pddl2nl.pddl import Task, parse_task, write_domain, write_problem
from pddl2nl.tasks import match_shipped
from pddl2nl.tasks.transformations import Change, changes_of
from pddlval.plans import plan_of

__all__ = ["transformed"]


def transformed(one: SpecDomain, names: Sequence[str], seed: int = 1) -> SpecDomain:
    """A domain with its tasks under transformations, one after the other; the same for all of its tasks.

    Args:
        one: the domain, without wordings; those of the new one are made by `SpecDomain.worded`.
        names: keys of `TRANSFORMATIONS`.
        seed: what is drawn is drawn by it.

    Raises:
        InputError: a transformation does not take the domain.
    """
    if not one.tasks:
        return one
    problems = [each.task.problem for each in one.tasks]
    shipped = match_shipped(one.domain)
    if shipped is not None:
        # Names are dealt to the shown problem's objects as well.
        problems.append(shipped.task(shipped.example.name).problem)
    changes = changes_of(one.domain, problems, names, seed)
    called = "+".join(names).replace(":", "-")
    tasks = tuple(_changed(each, changes, shows=shipped is not None) for each in one.tasks)
    return SpecDomain(
        f"{one.label}+{called}",
        one.path,
        tasks[0].task.domain,
        tuple(replace(each, task=Task(tasks[0].task.domain, each.task.problem)) for each in tasks),
        {},
        suite=f"{one.suite}+{called}" if one.suite else "",
        origin=(*one.origin, *names, str(seed)),
        original=one.domain,
        changes=changes,
        section=one.section,
        row=one.row,
        shipped_set=one.shipped_set,
        costlier=one.costlier,
    )


def _changed(one: SpecTask, changes: Sequence[Change], *, shows: bool) -> SpecTask:
    """The task after the changes, read again from its new text: nothing of the old one is left in it."""
    task = _applied(one.task, changes)
    texts = TaskTexts(write_domain(task.domain), write_problem(task.problem))
    example = _example(one.task, changes) if shows else None
    return replace(one, task=parse_task(texts.domain, texts.problem), texts=texts, example=example)


def _applied(task: Task, changes: Sequence[Change]) -> Task:
    for change in changes:
        task = change.task(task)
    return task


def _example(task: Task, changes: Sequence[Change]) -> SolvedProblem | None:
    """The solved problem that the original task would show, changed; None where that would be made for it anyway."""
    try:
        found = find_example(task)
    except InputError:
        # Without a planner there is none, which is said where it is needed.
        return None
    if found.source != "shipped":
        return None
    plan = plan_of(found.plan)
    for change in changes:
        plan = change.plan(plan)
    changed = _applied(found.task, changes)
    again = parse_task(write_domain(changed.domain), write_problem(changed.problem))
    return SolvedProblem(again, tuple(plan.actions), found.source)
