"""Recovery from unexpected changes without asking the model: continue, repeat the action, or insert a short repair.

The rest of a plan is simulated from the observed state. If it still reaches the goal, the plan continues. If the last
action is still applicable and the rest reaches the goal after it, the action is repeated, as after a silent failure.
Otherwise a greedy best-first search looks for at most `LONGEST_REPAIR` actions after which the rest reaches the goal;
it prefers states that differ in few atoms from the expected state. Only if all of this fails is a new plan needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddlval import GroundAction, Simulator, State

LONGEST_REPAIR = 8
"""The most actions of a repair."""

_MOST_EXPANDED = 300
"""The most states that the search for a repair expands."""


@dataclass(frozen=True)
class Recovery:
    """How a plan goes on: ``actions`` are executed before its rest."""

    kind: Literal["continued", "repeated", "repaired"]
    actions: tuple[GroundAction, ...] = ()


def reaches(simulator: Simulator, state: State, actions: Sequence[GroundAction]) -> bool:
    """Whether actions are applicable one after the other and reach the goal."""
    followed = simulator.follow(state, actions)
    return followed.complete and simulator.is_goal(followed.state)


def recovery(
    simulator: Simulator, observed: State, expected: State, last: GroundAction, rest: Sequence[GroundAction]
) -> Recovery | None:
    """How a plan can go on after an unexpected change; None if it needs a new plan.

    Args:
        simulator: the model.
        observed: the current state.
        expected: the state that the model predicted; the rest must reach the goal from it.
        last: the last action.
        rest: the rest of the plan.
    """
    if reaches(simulator, observed, rest):
        return Recovery("continued")
    if not reaches(simulator, expected, rest):
        return None
    if reaches(simulator, observed, (last, *rest)):
        return Recovery("repeated", (last,))
    depths = dict[State, int]()

    def rank(state: State, parent: State | None) -> Rank | None:
        depths[state] = depth = 0 if parent is None else depths[parent] + 1
        return (len(state.atoms ^ expected.atoms), depth) if depth < LONGEST_REPAIR else None

    search = BestFirstSearch(simulator.successors, rank)
    search.start(observed)
    while not search.exhausted and search.expanded < _MOST_EXPANDED:
        found = next((state for state in search.expand() if reaches(simulator, state, rest)), None)
        if found is not None:
            return Recovery("repaired", search.plan(found)[1])
    return None
