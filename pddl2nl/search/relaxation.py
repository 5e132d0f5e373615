"""The delete relaxation: what can be reached if nothing that became true ever becomes false again.

`Relaxation` finds the cheapest way to each literal by Dijkstra's algorithm, where an action costs one more than the sum
of what it needs: h-add (Bonet and Geffner, "Planning as heuristic search", 2001). What is not reached here is reached
by no plan (`pddl2nl.search.grounding` says why).

`FFHeuristic` is the length of a relaxed plan (Hoffmann and Nebel, "The FF Planning System", 2001) with these
supporters, as Fast Downward's ``ff()``: the actions are collected from the goal backwards. So a state whose goal cannot
be reached is a dead end, and other numbers are estimates.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import Condition
from pddl2nl.search.grounding import MOST_ACTIONS, GroundActions, RelaxedAction, bits
from pddlval import Simulator, State


class Relaxation:
    """What actions reach without their deletes. Literals and actions are numbers.

    Args:
        actions: the ground actions.
        literals: how many literals have a number.
    """

    def __init__(self, actions: Iterable[RelaxedAction], literals: int):
        actions = tuple(actions)
        self.needs = [[*bits(action.needs)] for action in actions]
        self._adds = [[*bits(action.adds)] for action in actions]
        self._free = [number for number, each in enumerate(self.needs) if not each]
        self._needed_by: list[list[int]] = [[] for _ in range(literals)]
        for number, each in enumerate(self.needs):
            for literal in each:
                self._needed_by[literal].append(number)

    def supporters(self, holding: int, goal: Iterable[int] | None = None) -> dict[int, int | None]:
        """The literals that can be reached, each with the action that reaches it at the least cost.

        Args:
            holding: the literals that hold; no action is needed for them (None).
            goal: the search ends once these are reached; without it, after all that can be.
        """
        found = dict[int, int | None].fromkeys(bits(holding))
        cost = dict.fromkeys(found, 0)
        queue = [(0, literal) for literal in found]
        waiting, price = [*map(len, self.needs)], [1] * len(self.needs)

        def reach(action: int) -> None:
            for literal in self._adds[action]:
                if price[action] < cost.get(literal, price[action] + 1):
                    cost[literal] = price[action]
                    found[literal] = action
                    heappush(queue, (price[action], literal))

        for action in self._free:
            reach(action)
        missing, closed = {*(goal or ())}, set[int]()
        while queue and (goal is None or missing):
            spent, literal = heappop(queue)
            if literal in closed:
                continue
            closed.add(literal)
            missing.discard(literal)
            for action in self._needed_by[literal] if literal < len(self._needed_by) else ():
                price[action] += spent
                waiting[action] -= 1
                if not waiting[action]:
                    reach(action)
        return found


class FFHeuristic:
    """Estimates the number of actions from a state to a goal.

    Args:
        simulator: of the task.
        ground: its ground actions, where they are known already.
        goal: a ground condition; by default the task's goal.

    Raises:
        UnsupportedError: the task has too many ground actions.
    """

    def __init__(self, simulator: Simulator, ground: GroundActions | None = None, goal: Condition | None = None):
        self._ground = ground or GroundActions(simulator)
        actions = self._ground.actions
        if actions is None:
            raise UnsupportedError(
                f"problem '{simulator.task.problem.name}' has more than {MOST_ACTIONS} ground actions, too many for "
                "the FF heuristic"
            )
        self._goal = [*bits(self._ground.needs(simulator.task.problem.goal if goal is None else goal))]
        self._relaxation = Relaxation(actions, len(self._ground.numbered))
        self._known: dict[State, int | None] = {}

    @property
    def evaluated(self) -> int:
        return len(self._known)

    def __call__(self, state: State) -> int | None:
        """The length of a relaxed plan from a state, or None: the state is a dead end."""
        if state not in self._known:
            self._known[state] = self._length(state)
        return self._known[state]

    def _length(self, state: State) -> int | None:
        supporters = self._relaxation.supporters(self._ground.holding(state), self._goal)
        if not supporters.keys() >= {*self._goal}:
            return None
        todo, plan, seen = [*self._goal], set[int](), set[int]()
        while todo:
            literal = todo.pop()
            action = supporters[literal]
            if literal not in seen and action is not None:
                plan.add(action)
                todo += self._relaxation.needs[action]
            seen.add(literal)
        return len(plan)
