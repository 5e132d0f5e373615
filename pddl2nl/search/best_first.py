"""Best-first search, expanded node by node, so that its user decides when it ends and what it prefers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from heapq import heapify, heappop, heappush, nsmallest
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Step = TypeVar("Step")

Rank = tuple[int, ...]
"""What a search sorts nodes by, the smallest first."""


class BestFirstSearch(Generic[Node, Step]):
    """Expands the node of the smallest rank, the oldest of several; nodes are reached once.

    With a heuristic as rank this is greedy best-first search; with the same rank for all nodes, breadth-first search.

    Args:
        successors: of a node, each with the step that leads to it (for states: `Simulator.successors`).
        rank: of a node reached from another one (None for a start); None for a dead end, which is not expanded.

    Attributes:
        expanded: how many nodes were expanded.
        came_from: for each node that was reached, the node before it and the step in between; None for a start.
    """

    def __init__(
        self,
        successors: Callable[[Node], Iterable[tuple[Step, Node]]],
        rank: Callable[[Node, Node | None], Rank | None],
    ):
        self.expanded = 0
        self.came_from: dict[Node, tuple[Node, Step] | None] = {}
        self._successors = successors
        self._rank = rank
        self._added = 0
        self._queue: list[tuple[Rank, int, Node]] = []

    def start(self, node: Node) -> None:
        """Adds a node to begin from, or moves one that is waiting, before all others."""
        if node in self.came_from:
            self._queue = [entry for entry in self._queue if entry[-1] != node]
            heapify(self._queue)
        else:
            self.came_from[node] = None
        self._push(node, None, True)

    @property
    def exhausted(self) -> bool:
        return not self._queue

    @property
    def next(self) -> Node:
        return self._queue[0][-1]

    @property
    def prefers(self) -> bool:
        """Whether the next node is one that is preferred."""
        return bool(self._queue) and self._queue[0][0][0] == 0

    def waiting(self, most: int) -> list[Node]:
        """The nodes that are not expanded yet, the next one first, at most so many."""
        return [node for *_, node in nsmallest(most, self._queue, key=lambda entry: entry[:2])]

    def expand(self, preferred: Mapping[Node, Collection[Step]] | None = None) -> tuple[Node, ...]:
        """Expands the next node, and returns the nodes that it reaches for the first time, dead ends included.

        Args:
            preferred: steps by node; the successors that they lead to are expanded before all others.
        """
        *_, node = heappop(self._queue)
        self.expanded += 1
        liked = () if preferred is None else preferred.get(node, ())
        new = []
        for step, successor in self._successors(node):
            if successor not in self.came_from:
                self.came_from[successor] = node, step
                self._push(successor, node, step in liked)
                new.append(successor)
        return tuple(new)

    def _push(self, node: Node, parent: Node | None, liked: bool) -> None:
        """Adds a node to the queue if it is no dead end. Of those that are preferred the newest comes first."""
        rank = self._rank(node, parent)
        if rank is not None:
            self._added += 1
            order: Rank = (0, -self._added) if liked else (1, *rank)
            heappush(self._queue, (order, self._added, node))

    def plan(self, node: Node) -> tuple[Node, tuple[Step, ...]]:
        """The start from which a node was reached, and the steps from there."""
        steps = []
        while (came := self.came_from[node]) is not None:
            node, step = came
            steps.append(step)
        return node, tuple(reversed(steps))
