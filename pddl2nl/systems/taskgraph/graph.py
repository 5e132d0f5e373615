"""Task graphs: which subtask may follow which, and how graphs are built (GraphPlan paper, section 3.1.1, table 8).

There is an edge for each pair of subtasks that follow each other in a plan (``traversal``) or in one of 98 sampled
plans (``fewshot``, the paper's number); of which the last action of one is compatible with the first of the other
(``compatible``); or that some state of some problem allows one after the other (``proved``). Kinds are united by ``+``:
the paper's default is ``fewshot+compatible``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, product
from typing import Any

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.systems.taskgraph.proving import EdgeProof, EdgeProver
from pddl2nl.systems.taskgraph.subtasks import Subtask, Subtasks

Edge = tuple[str, str]
"""The names of a subtask and of one that may follow it."""


@dataclass(frozen=True)
class TaskGraph:
    """A directed graph over subtasks; its name tells where its edges come from, which are the allowed pairs."""

    name: str
    nodes: tuple[Subtask, ...]
    edges: frozenset[Edge]

    def __post_init__(self) -> None:
        names = {node.name for node in self.nodes}
        for edge in sorted(self.edges):
            if not names.issuperset(edge):
                raise InputError(f"the edge {edge[0]} → {edge[1]} has a node that the graph does not have")

    def after(self, name: str) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes if (name, node.name) in self.edges)

    def united(self, other: TaskGraph, name: str) -> TaskGraph:
        nodes = tuple(dict.fromkeys((*self.nodes, *other.nodes)))
        return TaskGraph(name, nodes, self.edges | other.edges)

    def lines(self, nodes: Sequence[Subtask]) -> tuple[str, ...]:
        """Each of some subtasks with the labels of those of them that may follow it, or if these are fewer, may not.

        ``[A] PickupObject(object): B D E may follow``, ``[B] ToggleObject(lamp): all but C may follow``
        """
        lines = []
        for node in nodes:
            may = [each.label for each in nodes if (node.name, each.name) in self.edges]
            others = [each.label for each in nodes if each.label not in may]
            follow = (
                " ".join(may or ["nothing"])
                if len(may) <= len(others)
                else " ".join(["all", *["but"][: len(others)], *others])
            )
            lines.append(f"[{node.label}] {node}: {follow} may follow")
        return tuple(lines)

    def as_json(self) -> dict[str, Any]:
        """The graph as the commands print it."""
        return {
            "name": self.name,
            "nodes": [node.name for node in self.nodes],
            "edges": {node.name: list(self.after(node.name)) for node in self.nodes},
        }


def graph_of_labels(name: str, subtasks: Subtasks, edges: Mapping[str, str]) -> TaskGraph:
    """A graph as the paper prints it: for each label the labels that may follow, ``{"A": "BDE"}``.

    Its nodes are the labels in it; raises `InputError` for an unknown one.
    """
    labels = {*edges, *"".join(edges.values())}
    pairs = [(subtasks.named(one).name, subtasks.named(two).name) for one, after in edges.items() for two in after]
    nodes = tuple(node for node in subtasks.nodes if node.label in labels)
    return TaskGraph(name, nodes, frozenset(pairs))


def graph_of_plans(name: str, subtasks: Subtasks, plans: Iterable[Sequence[str]]) -> TaskGraph:
    """An edge for each pair of subtasks that follow each other in a plan (the paper's traversal)."""
    return TaskGraph(name, subtasks.nodes, frozenset(edge for plan in plans for edge in pairwise(plan)))


AUTOMATON = "automaton"
"""The name of the proved graph if plans are checked by `pddl2nl.systems.taskgraph.automaton`, not by its pairs."""
FEW_PLANS = 98
"""The size of the sample of ``fewshot``."""
GRAPH_KINDS = ("traversal", "fewshot", "compatible", "proved")
"""The kinds of graphs that can be built."""


def proved_graph(name: str, subtasks: Subtasks, proofs: Iterable[EdgeProof]) -> TaskGraph:
    """The graph of the edges that are not refuted."""
    edges = frozenset((proof.first, proof.second) for proof in proofs if proof.kind in ("possible", "certain"))
    return TaskGraph(name, subtasks.nodes, edges)


def build_graph(kind: str, subtasks: Subtasks, plans: Iterable[Sequence[str]] = (), seed: int = 1) -> TaskGraph:
    """A graph over all subtasks, of a kind of `GRAPH_KINDS`, or several united by ``+``.

    ``traversal`` and ``fewshot`` need plans, each given by the names of its subtasks; the seed is that of the sample.

    Raises:
        InputError: an unknown kind, plans that are missing, or a plan with an unknown subtask.
        MissingExtraError: z3 is not installed, which decides ``compatible`` and ``proved``.
    """
    shown = tuple(map(tuple, plans))

    def part(name: str) -> TaskGraph:
        if name in ("traversal", "fewshot"):
            if not shown:
                raise InputError(f"a graph of the kind '{name}' is built from plans, and there are none")
            drawn = random.Random(seed).sample(shown, min(FEW_PLANS, len(shown))) if name == "fewshot" else shown
            return graph_of_plans(name, subtasks, drawn)
        if name in ("compatible", "proved"):
            prover = EdgeProver(subtasks)
            prove = prover.prove if name == "proved" else prover.compatible
            names = [node.name for node in subtasks.nodes]
            return proved_graph(name, subtasks, (prove(one, other) for one, other in product(names, names)))
        raise InputError(f"there is no kind of graph '{name}'{did_you_mean(name, GRAPH_KINDS)}")

    return _united(kind, part)


def graph_named(name: str, subtasks: Subtasks) -> TaskGraph:
    """A graph that the file of the subtasks holds, or several united by ``+``.

    ``compatible`` and ``proved`` are decided by z3 if the file does not hold them. ``automaton`` has the proved edges.

    Raises:
        InputError: the file holds no graph of this name.
        MissingExtraError: z3 is needed and not installed.
    """
    graphs = subtasks.graphs
    if name == AUTOMATON:
        return replace(graph_named("proved", subtasks), name=AUTOMATON)

    def part(each: str) -> TaskGraph:
        if each in graphs:
            return graph_of_labels(each, subtasks, graphs[each])
        if each in ("compatible", "proved"):
            return build_graph(each, subtasks)
        known = [*dict.fromkeys((*graphs, "compatible", "proved", AUTOMATON))]
        near = did_you_mean(each, known, f"; there are {', '.join(known)}")
        raise InputError(f"the subtasks have no graph '{each}'{near}")

    return _united(name, part)


def _united(name: str, part: Callable[[str], TaskGraph]) -> TaskGraph:
    parts = [part(each) for each in name.split("+")]
    return parts[0] if len(parts) == 1 else reduce(lambda one, other: one.united(other, name), parts)
