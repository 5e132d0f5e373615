"""Happenings: what a plan does at one time, and whether actions at the same time get into each other's way.

An untimed step happens at the number that it has among the untimed ones. Steps less than a thousandth apart are one
happening, as VAL has it. Within one, all preconditions are read in the state before, and no action may change what
another one reads, or do the opposite of what another one does (Fox and Long 2003, definition 12). `ownership` says
who claims what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pddl2nl.pddl import Task
from pddlval.actions import GroundAction
from pddlval.effects import Outcome
from pddlval.numeric import as_float
from pddlval.ownership import Claims, Conflict, claim
from pddlval.plans import Plan, PlanStep
from pddlval.schemas import Ground
from pddlval.state import State

__all__ = ["Claims", "Conflict", "Happening", "claim_effects", "happenings"]

_CLOSE = 0.01 / 10
"""VAL's tolerance of 0.01, of which it takes a tenth."""

_NOTHING = Claims()


class Happening(NamedTuple):
    """Steps that happen together; ``numbers`` are their places in the plan, from 1."""

    time: Fraction
    numbers: tuple[int, ...]
    actions: tuple[GroundAction, ...]


def happenings(plan: Plan) -> list[Happening]:
    """A plan's steps by time; steps of the same time stay in the order of the file."""
    if all(step.time is None for step in plan.steps):
        return [
            Happening(Fraction(number), (number,), (step.action,)) for number, step in enumerate(plan.steps, start=1)
        ]
    timed = sorted(_times(plan.steps), key=lambda item: item[0])
    groups: list[list[tuple[Fraction, int]]] = []
    for item in timed:
        if groups and as_float(item[0]) <= as_float(groups[-1][0][0]) + _CLOSE:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [
        Happening(
            group[0][0],
            tuple(number for _, number in group),
            tuple(plan.steps[number - 1].action for _, number in group),
        )
        for group in groups
    ]


def _times(steps: Iterable[PlanStep]) -> Iterator[tuple[Fraction, int]]:
    untimed = 0
    for number, step in enumerate(steps, start=1):
        if step.time is None:
            untimed += 1
        yield (Fraction(untimed) if step.time is None else step.time), number


def claim_effects(task: Task, grounds: Sequence[Ground], outcomes: Sequence[Outcome], state: State) -> Claims:
    """Lets every action of a happening claim what it reads and changes, and says where claims collide.

    Args:
        task: the task, for the rules of its derived predicates.
        grounds: the actions, all applicable in the state.
        outcomes: what each of them does in the state.
        state: the state before.
    """
    if len(grounds) == 1 and _each_once(outcomes[0]):
        # The rule: an action alone may change what it reads, so that nothing need be claimed.
        return _NOTHING
    return claim(task, [ground.action for ground in grounds], state)


def _each_once(outcome: Outcome) -> bool:
    """Whether no atom and no fluent is changed twice."""
    deletes, adds, updates = outcome
    atoms = len(deletes) + len(adds)
    if atoms > 1 and len({*deletes, *adds}) < atoms:
        return False
    return len(updates) < 2 or len({update.fluent for update in updates}) == len(updates)
