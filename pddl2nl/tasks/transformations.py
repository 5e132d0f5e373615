"""Transformations of a task by name, for experiments: of the task, its plans and its wording.

``transform(task, "obfuscate:generic")`` gives the task under other names, ``transform(task, "strip-costs")`` the task
without action costs, and ``transform(task, "strip-costs,obfuscate:generic")`` applies both in turn. The result converts
plans and wordings of the original into those of the new task, and plans back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.pddl.task import Task
from pddl2nl.tasks.costs import StrippedCosts, strip_costs
from pddl2nl.tasks.obfuscation import SCHEMES, obfuscation
from pddl2nl.tasks.renaming import TaskRenaming
from pddlval.plans import GroundAction, Plan, plan_of

if TYPE_CHECKING:
    from pddl2nl.nl import Wording
    from pddl2nl.pddl.tree import Domain, Problem

__all__ = ["TRANSFORMATIONS", "Change", "Transformation", "Transformed", "changes_of", "transform"]


class Change(Protocol):
    """One transformation of a task and of its plans and wordings."""

    def task(self, task: Task) -> Task:
        """The changed task; raises `InputError` for a task that the change was not made for."""

    def plan(self, plan: Plan) -> Plan:
        """A plan of the original task as a plan of the changed one, with the same verdict."""

    def original_plan(self, plan: Plan) -> Plan:
        """A plan of the changed task as a plan of the original one; the inverse of `plan`."""

    def wording(self, wording: Wording) -> Wording:
        """The wording of the original domain for the changed one: the same sentences."""

    def as_json(self) -> dict[str, object]:
        """The change, for a record: the mapping of names, or the removed costs."""


Transformation = Callable[[Task, Sequence["Problem"], int], Change]
"""Makes the change for a task and further problems of its domain, by a seed."""


@dataclass(frozen=True)
class Transformed:
    """A task after transformations.

    ``names`` are the transformations in order, ``original`` is the task before them, ``task`` the one after them.
    """

    names: tuple[str, ...]
    original: Task
    task: Task
    changes: tuple[Change, ...]

    def plan(self, plan: Plan) -> Plan:
        """A plan of the original task as one of the transformed task; unknown names stay."""
        for change in self.changes:
            plan = change.plan(plan)
        return plan

    def original_plan(self, plan: Plan) -> Plan:
        """A plan of the transformed task, such as a model made, as one of the original task."""
        for change in reversed(self.changes):
            plan = change.original_plan(plan)
        return plan

    def action(self, action: GroundAction) -> GroundAction:
        """A ground action of the original task as one of the transformed task."""
        return self.plan(plan_of((action,))).actions[0]

    def original_action(self, action: GroundAction) -> GroundAction:
        """A ground action of the transformed task as one of the original task."""
        return self.original_plan(plan_of((action,))).actions[0]

    def wording(self, wording: Wording) -> Wording:
        """The original domain's wording for the transformed one: the same, still meaningful sentences.

        To hide the meaning in language, too, word the new domain: ``template_wording(transformed.task.domain)``.
        """
        for change in self.changes:
            wording = change.wording(wording)
        return wording

    def as_json(self) -> list[dict[str, object]]:
        """The changes, for a record."""
        return [
            {"transformation": name, **change.as_json()} for name, change in zip(self.names, self.changes, strict=True)
        ]


def transform(task: Task, name: str, seed: int = 1, beside: Sequence[Problem] = ()) -> Transformed:
    """A task after one transformation, or several with commas between their names.

    The new domain depends only on the original one, the seed and, for costs, on ``beside``: all instances of a domain
    get the same one if ``beside`` is the same.

    Args:
        task: the task.
        name: a key of `TRANSFORMATIONS`, or several with commas between them.
        seed: for random names.
        beside: further problems of the domain, possibly with the task's own. All instances decide whether action costs
            are uniform.

    Raises:
        InputError: no such transformation.
    """
    names = tuple(part.strip() for part in name.split(","))
    for one in names:
        if one not in TRANSFORMATIONS:
            hint = did_you_mean(one, TRANSFORMATIONS, f"; there are {', '.join(TRANSFORMATIONS)}")
            raise InputError(f"no transformation '{one}'{hint}")
    changes = changes_of(task.domain, (task.problem, *beside), names, seed)
    changed = task
    for change in changes:
        changed = change.task(changed)
    return Transformed(names, task, changed, changes)


def changes_of(domain: Domain, problems: Sequence[Problem], names: Sequence[str], seed: int) -> tuple[Change, ...]:
    """The changes of a domain and its problems by transformations in turn.

    Args:
        domain, problems: the domain and at least one problem.
        names: keys of `TRANSFORMATIONS`.
        seed: for random names.
    """
    changes: list[Change] = []
    for name in names:
        change = TRANSFORMATIONS[name](Task(domain, problems[0]), problems[1:], seed)
        tasks = [change.task(Task(domain, problem)) for problem in problems]
        domain, problems = tasks[0].domain, [task.problem for task in tasks]
        changes.append(change)
    return tuple(changes)


def _obfuscate(scheme: str, objects: bool, task: Task, beside: Sequence[Problem], seed: int) -> TaskRenaming:
    return obfuscation(task.domain, (task.problem, *beside), scheme=scheme, seed=seed, objects=objects)


def _strip(every: bool, task: Task, beside: Sequence[Problem], seed: int) -> StrippedCosts:
    return strip_costs(task.domain, (task.problem, *beside), every=every)


TRANSFORMATIONS: Mapping[str, Transformation] = MappingProxyType(
    {
        **{f"obfuscate:{scheme}": partial(_obfuscate, scheme, False) for scheme in SCHEMES},
        **{f"obfuscate:{scheme}+objects": partial(_obfuscate, scheme, True) for scheme in SCHEMES},
        "strip-costs": partial(_strip, False),
        "strip-costs:all": partial(_strip, True),
    }
)
"""Every transformation by its name: ``obfuscate:SCHEME``, ``obfuscate:SCHEME+objects``, ``strip-costs`` (costs that
are not uniform) and ``strip-costs:all``."""
