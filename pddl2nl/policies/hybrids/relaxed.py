"""The FF heuristic: the length of a plan that ignores what actions delete.

Hoffmann and Nebel, "The FF Planning System" (2001), with the supporters of h-add (Bonet and Geffner, 2001), as Fast
Downward's ``ff()``: the cheapest way to each literal is found by Dijkstra's algorithm with the sum of an action's needs
as its cost, and the actions of a relaxed plan are collected from the goal backwards.

Of a precondition and the goal only the conjoined literals count, a conditional effect always adds, and derived
predicates and numbers are not looked at (`pddl2nl.questions.relaxation`). So a state whose goal cannot be reached here
is a dead end, and other numbers are estimates.
"""

from __future__ import annotations

from heapq import heappop, heappush

from pddl2nl.errors import UnsupportedError
from pddl2nl.questions.relaxation import MOST_ACTIONS, GroundActions, bits
from pddlval import Simulator, State


class FFHeuristic:
    """Estimates the number of actions from a state to the goal.

    Args:
        simulator: of the task.

    Raises:
        UnsupportedError: the task has too many ground actions.
    """

    def __init__(self, simulator: Simulator):
        self._ground = GroundActions(simulator)
        actions = self._ground.actions
        if actions is None:
            raise UnsupportedError(
                f"problem '{simulator.task.problem.name}' has more than {MOST_ACTIONS} ground actions, too many for "
                "the FF heuristic"
            )
        self._goal = [*bits(self._ground.needs(simulator.task.problem.goal))]
        needs = [[*bits(action.needs)] for action in actions]
        self._needs = needs
        self._adds = [[*bits(action.adds)] for action in actions]
        self._free = [number for number, each in enumerate(needs) if not each]
        self._needed_by: list[list[int]] = [[] for _ in self._ground.numbered]
        for number, each in enumerate(needs):
            for literal in each:
                self._needed_by[literal].append(number)
        self._known: dict[State, int | None] = {}

    @property
    def evaluated(self) -> int:
        """How many different states were evaluated."""
        return len(self._known)

    def __call__(self, state: State) -> int | None:
        """The length of a relaxed plan from a state; None if there is none: the state is a dead end."""
        if state not in self._known:
            self._known[state] = self._length(state)
        return self._known[state]

    def _length(self, state: State) -> int | None:
        supporters = self._supporters([*bits(self._ground.holding(state))])
        if supporters is None:
            return None
        todo, plan, seen = [*self._goal], set[int](), set[int]()
        while todo:
            literal = todo.pop()
            action = supporters.get(literal)
            if literal not in seen and action is not None:
                plan.add(action)
                todo += self._needs[action]
            seen.add(literal)
        return len(plan)

    def _supporters(self, holding: list[int]) -> dict[int, int] | None:
        """The action that reaches each literal at the least cost; None if the goal cannot be reached."""
        cost = dict.fromkeys(holding, 0)
        supporters = dict[int, int]()
        queue = [(0, literal) for literal in sorted(holding)]
        waiting, price = [*map(len, self._needs)], [1] * len(self._needs)

        def reach(action: int) -> None:
            for literal in self._adds[action]:
                if price[action] < cost.get(literal, price[action] + 1):
                    cost[literal] = price[action]
                    supporters[literal] = action
                    heappush(queue, (price[action], literal))

        for action in self._free:
            reach(action)
        missing, closed = {*self._goal}, set[int]()
        while queue and missing:
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
        return None if missing else supporters
