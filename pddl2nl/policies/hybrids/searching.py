"""Greedy best-first search on the simulator, for guided and for landmarks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from heapq import heapify, heappop, heappush, nsmallest

from pddlval import GroundAction, Simulator, State

Rank = tuple[int, ...]
"""What a search sorts states by, the smallest first."""


class GreedySearch:
    """Expands the state of the smallest rank, the oldest of several; states are reached once.

    Args:
        simulator: of the task.
        rank: of a state reached from another one (None for a start); None for a dead end.

    Attributes:
        expanded: how many states were expanded.
    """

    def __init__(self, simulator: Simulator, rank: Callable[[State, State | None], Rank | None]):
        self.expanded = 0
        self._simulator = simulator
        self._rank = rank
        self._added = 0
        self._queue: list[tuple[Rank, int, State]] = []
        self._reached: dict[State, tuple[State, GroundAction] | None] = {}

    def start(self, state: State) -> None:
        """Adds a state to begin from, or moves one that is waiting, before all others."""
        if state in self._reached:
            self._queue = [entry for entry in self._queue if entry[-1] != state]
            heapify(self._queue)
        else:
            self._reached[state] = None
        self._push(state, None, True)

    @property
    def exhausted(self) -> bool:
        """Whether no state is left to expand."""
        return not self._queue

    @property
    def prefers(self) -> bool:
        """Whether the next state is one that is preferred."""
        return bool(self._queue) and self._queue[0][0][0] == 0

    def reached(self, state: State) -> bool:
        """Whether a state was reached, expanded or not."""
        return state in self._reached

    def waiting(self, most: int) -> list[State]:
        """The states that are not expanded yet, the next one first, at most so many."""
        return [state for *_, state in nsmallest(most, self._queue, key=lambda entry: entry[:2])]

    def expand(self, preferred: Mapping[State, Collection[GroundAction]] | None = None) -> tuple[State, ...]:
        """Expands a state, and returns its new successors.

        Args:
            preferred: actions by state; the successors that they lead to are expanded before all others.
        """
        *_, state = heappop(self._queue)
        self.expanded += 1
        liked = () if preferred is None else preferred.get(state, ())
        new = []
        for action in self._simulator.applicable(state):
            successor = self._simulator.step(state, action).successor
            if successor is None or successor in self._reached:
                continue
            self._reached[successor] = (state, action)
            if self._push(successor, state, action in liked):
                new.append(successor)
        return tuple(new)

    def _push(self, state: State, parent: State | None, liked: bool) -> bool:
        """Adds a state to the queue if it is no dead end. Of those that are preferred the newest comes first."""
        rank = self._rank(state, parent)
        if rank is None:
            return False
        self._added += 1
        order: Rank = (0, -self._added) if liked else (1, *rank)
        heappush(self._queue, (order, self._added, state))
        return True

    def plan(self, state: State) -> tuple[State, tuple[GroundAction, ...]]:
        """The start from which a state was reached, and the actions from there."""
        actions = []
        while (came := self._reached[state]) is not None:
            state, action = came
            actions.append(action)
        return state, tuple(reversed(actions))
