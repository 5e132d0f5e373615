"""The mistakes that the oracle can make on purpose, in a plan, in the first turn of a conversation, or in a problem.

===================  ==============================================================================================
name                 what is wrong
===================  ==============================================================================================
wrong-action         the action in the middle of a plan is another one that is applicable there
swapped-objects      an action from the middle on has its first two objects exchanged; in a problem a fact
invented-action      in the middle of a plan stands an action that does not exist; in a problem a fact
missing-init         a fact of the initial state is not known: the first one that the plan needs; a problem lacks it
===================  ==============================================================================================

In a problem that the oracle writes, an invented fact is left out once a prompt tells why it cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pddl2nl.baselines.told_task import ToldTask
from pddl2nl.pddl import GroundAtom
from pddlval import GroundAction, State

Mistake = Literal["wrong-action", "swapped-objects", "invented-action", "missing-init"]
MISTAKES: tuple[str, ...] = get_args(Mistake)
"""The names of all mistakes."""

INVENTED = "teleport"
"""The action, and the predicate, that does not exist."""


def spoiled(mistake: str | None, task: ToldTask, state: State, plan: Sequence[GroundAction]) -> list[str]:
    """A plan from a state of a told task as it is told with a mistake, or without if it cannot be made.

    Raises:
        NoToldPlanError: without the missing fact there is no plan.
    """
    middle = len(plan) // 2
    actions = [*plan]
    if mistake == "missing-init" and (fact := needed_fact(task, plan)) is not None:
        lacking = task.lacking(fact)
        actions = [*lacking.plan_from(lacking.simulator.initial)]
    elif mistake == "wrong-action" and plan:
        here = task.along(state, plan)[middle]
        others = (action for action in task.simulator.applicable(here) if action != plan[middle])
        actions[middle] = next(others, plan[middle])
    elif mistake == "swapped-objects":
        order = (*range(middle, len(plan)), *range(middle))
        place = next((place for place in order if len({*plan[place].args[:2]}) == 2), None)
        if place is not None:
            first, second, *rest = plan[place].args
            actions[place] = GroundAction(plan[place].name, (second, first, *rest))
    told = [*map(task.teller.action, actions)]
    return [*told[:middle], f"{INVENTED} everything", *told[middle:]] if mistake == "invented-action" else told


def needed_fact(task: ToldTask, plan: Sequence[GroundAction]) -> GroundAtom | None:
    """The first changing fact of the initial state that the plan's first action needs; None if it needs none."""
    initial, simulator = task.simulator.initial, task.simulator
    for fact in sorted(initial.changing()) if plan else ():
        if not simulator.is_applicable(simulator.state(initial.atoms - {fact}, initial.values), plan[0]):
            return fact
    return None
