"""One applicable action, each with the same probability, without listing them all.

The search tree of a schema's queries is descended at random. Every node has an upper bound of the number of its
solutions: at first the rows of its next step, times the largest bucket of every index that comes after. A child is
chosen with a probability in proportion to its bound, and with the rest of the node's own bound the trial fails. So
every solution comes out of a trial with the same probability, one over the bound of the root. A node that was visited
keeps the sum of its children's bounds, which never is more than its own was; trials so fail less and less often, and
in the end the bounds are exact (adaptive rejection; compare Olken's sampling from joins, 1993, and the weighted
join samples of Zhao et al., 2018). Nodes that differ only in what no later step reads are one node.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Any

from pddlval.actions import GroundAction
from pddlval.bindings import BoundQuery

__all__ = ["Sampler"]

_TRIALS = 20_000
"""After so many trials of one call all actions are listed instead."""

_MOST_CHILDREN = 2_000_000

_bound_of = attrgetter("bound")


class _Node:
    """What is known below some binding: a bound of the number of solutions, and the rows of the next step.

    ``fresh`` says that the node was never visited. ``ends`` are the running sums of the children's bounds, None
    where one was lowered since they were made.
    """

    __slots__ = ("bound", "children", "ends", "fresh", "rows")

    def __init__(self, bound: int):
        self.bound = bound
        self.fresh = True
        self.rows: Sequence[Any] = ()
        self.children: Sequence[_Node] = ()
        self.ends: list[int] | None = None


class _Tree:
    """The nodes of one query in a state, by depth and by the objects that matter from there on."""

    def __init__(self, query: BoundQuery):
        self.query = query
        self.steps = query.steps
        self.slots = query.slots()
        self.children_held = 0
        count = len(self.steps)
        self._nodes: list[dict[Any, _Node]] = [{} for _ in range(count + 1)]
        self._contexts = query.plan.contexts
        # The most solutions that the steps from each on can have for one binding.
        largest = [query.relations.largest(step.step.index) for step in self.steps]
        self._most = [1] * (count + 1)
        for depth in reversed(range(count)):
            self._most[depth] = self._most[depth + 1] * largest[depth]
        self.root = self._node(0)

    def _node(self, depth: int) -> _Node:
        """The node of what the slots hold, with a first bound."""
        nodes, key = self._nodes[depth], self._contexts[depth](self.slots)
        found = nodes.get(key)
        if found is None:
            bound = 1
            if depth < len(self.steps):
                step = self.steps[depth]
                bound = len(step.rows[step.key(self.slots)]) * self._most[depth + 1]
            found = nodes[key] = _Node(bound)
        return found

    def visit(self, node: _Node, depth: int) -> None:
        """Lists a node's children, unless it has none because a formula fails."""
        node.fresh = False
        slots = self.slots
        if depth and not self.steps[depth - 1].tests.formulas(slots):
            node.bound = 0
            return
        if depth == len(self.steps):
            return
        step = self.steps[depth]
        quick = step.tests.quick if step.tests.any else None
        rows, children = [], []
        for row in step.rows[step.key(slots)]:
            step.fill(slots, row)
            if quick is None or quick(slots):
                child = self._node(depth + 1)
                if child.bound:
                    rows.append(row)
                    children.append(child)
        node.rows, node.children = rows, children
        self.children_held += len(children)

    def trial(self, ticket: int) -> GroundAction | None:
        """Descends from the root.

        Args:
            ticket: a number below the root's bound; every one of them stands for at most one action.
        """
        path: list[tuple[_Node, int]] = []
        node, depth, width, slots = self.root, 0, self.root.bound, self.slots
        found: GroundAction | None = None
        while True:
            path.append((node, width))
            if node.fresh:
                self.visit(node, depth)
            if node.bound == 0:
                break
            if depth == len(self.steps):
                found = self.query.action(slots)
                break
            ends = node.ends
            if ends is None:
                ends = node.ends = list(accumulate(map(_bound_of, node.children)))
                node.bound = ends[-1] if ends else 0
            if ticket >= node.bound:
                break
            chosen = bisect_right(ends, ticket)
            start = ends[chosen - 1] if chosen else 0
            # A child may have been lowered since by way of another node; its ticket then may be a blank.
            ticket, width = ticket - start, ends[chosen] - start
            self.steps[depth].fill(slots, node.rows[chosen])
            node = node.children[chosen]
            depth += 1
        # What was learnt below counts above.
        lowered = 0
        for node, width in reversed(path):
            if lowered:
                node.bound -= lowered
                node.ends = None
            lowered = width - node.bound
        return found


class Sampler:
    """Draws from the applicable actions of one state; what a draw learns serves the next.

    Args:
        queries: the queries of all schemas in that state.
    """

    def __init__(self, queries: Sequence[BoundQuery]):
        self._queries = queries
        self._trees = [_Tree(query) for query in queries]

    def sample(self, rng: random.Random) -> GroundAction | None:
        """An applicable action, each with the same probability; None where there is none."""
        for _ in range(_TRIALS):
            ends = list(accumulate([tree.root.bound for tree in self._trees]))
            if not ends or not ends[-1]:
                return None
            ticket = rng.randrange(ends[-1])
            chosen = bisect_right(ends, ticket)
            found = self._trees[chosen].trial(ticket - (ends[chosen - 1] if chosen else 0))
            if found is not None:
                return found
            if sum([tree.children_held for tree in self._trees]) > _MOST_CHILDREN:
                self._trees = [_Tree(query) for query in self._queries]
                break
        return _drawn((action for query in self._queries for action in query.actions()), rng)


def _drawn(actions: Iterator[GroundAction], rng: random.Random) -> GroundAction | None:
    """One of the actions, each with the same probability, keeping none but the choice (reservoir sampling)."""
    chosen: GroundAction | None = None
    for count, action in enumerate(actions, start=1):
        if rng.randrange(count) == 0:
            chosen = action
    return chosen
