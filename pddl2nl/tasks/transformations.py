"""Transformations of a task by name, for experiments: of the task, its plans and its wording.

`changes_of` makes the changes of a domain and its problems by transformations in turn. A change applies to tasks,
plans and wordings of the original domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pddl2nl.pddl.task import Task
from pddl2nl.tasks.costs import strip_costs
from pddl2nl.tasks.obfuscation import SCHEMES, obfuscation
from pddl2nl.tasks.renaming import TaskRenaming
from pddlval.plans import Plan

if TYPE_CHECKING:
    from pddl2nl.nl import Wording
    from pddl2nl.pddl.tree import Domain, Problem


class TaskChange(Protocol):
    """One transformation of a task and of its plans and wordings."""

    def task(self, task: Task) -> Task:
        """The changed task; raises `InputError` for a task that the change was not made for."""

    def plan(self, plan: Plan) -> Plan:
        """A plan of the original task as a plan of the changed one, with the same verdict."""

    def wording(self, wording: Wording) -> Wording:
        """The wording of the original domain for the changed one: the same sentences."""


Transformation = Callable[[Task, Sequence["Problem"], int], TaskChange]
"""Makes the change for a task and further problems of its domain, by a seed."""


def changes_of(domain: Domain, problems: Sequence[Problem], names: Sequence[str], seed: int) -> tuple[TaskChange, ...]:
    """The changes of a domain and its problems by transformations in turn.

    Args:
        domain, problems: the domain and at least one problem.
        names: keys of `TRANSFORMATIONS`.
        seed: for random names.
    """
    changes: list[TaskChange] = []
    for name in names:
        change = TRANSFORMATIONS[name](Task(domain, problems[0]), problems[1:], seed)
        tasks = [change.task(Task(domain, problem)) for problem in problems]
        domain, problems = tasks[0].domain, [task.problem for task in tasks]
        changes.append(change)
    return tuple(changes)


def _obfuscate(scheme: str, task: Task, beside: Sequence[Problem], seed: int) -> TaskRenaming:
    return obfuscation(task.domain, (task.problem, *beside), scheme=scheme, seed=seed)


TRANSFORMATIONS: Mapping[str, Transformation] = {
    **{f"obfuscate:{scheme}": partial(_obfuscate, scheme) for scheme in SCHEMES},
    "strip-costs": lambda task, beside, seed: strip_costs(task.domain, (task.problem, *beside)),
}
"""Every transformation by its name: ``obfuscate:SCHEME``, and ``strip-costs`` for costs that are not uniform."""
