"""Task graphs: which kind of subtask may follow which (GraphPlan paper, section 3.1.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.macros.subtasks.nodes import Subtask, Subtasks

Edge = tuple[str, str]
"""The names of a subtask and of one that may follow it."""


@dataclass(frozen=True)
class TaskGraph:
    """A directed graph over subtasks.

    Attributes:
        name: where its edges come from.
        nodes: in their order; two of them with the same name are not allowed.
        edges: the allowed pairs.
    """

    name: str
    nodes: tuple[Subtask, ...]
    edges: frozenset[Edge]

    def __post_init__(self) -> None:
        names = {node.name for node in self.nodes}
        for edge in sorted(self.edges):
            if not names.issuperset(edge):
                raise InputError(f"the edge {edge[0]} → {edge[1]} has a node that the graph does not have")

    def after(self, name: str) -> tuple[str, ...]:
        """The subtasks that may follow one, in the order of the nodes."""
        return tuple(node.name for node in self.nodes if (name, node.name) in self.edges)

    def illegal(self, path: Sequence[str]) -> tuple[int, ...]:
        """The places of a path, from 0, where the subtask before is followed by one that may not follow it."""
        return tuple(place for place, edge in enumerate(pairwise(path), start=1) if edge not in self.edges)

    def united(self, other: TaskGraph, name: str) -> TaskGraph:
        """The graph with the nodes and edges of both."""
        nodes = tuple(dict.fromkeys((*self.nodes, *other.nodes)))
        return TaskGraph(name, nodes, self.edges | other.edges)

    def without(self, names: Iterable[str]) -> TaskGraph:
        """The graph without some nodes."""
        gone = {*names}
        nodes = tuple(node for node in self.nodes if node.name not in gone)
        return TaskGraph(self.name, nodes, frozenset(edge for edge in self.edges if not gone & {*edge}))

    def lines(self) -> tuple[str, ...]:
        """The edges as a prompt shows them, ``A --> B``."""
        labels = {node.name: node.label for node in self.nodes}
        return tuple(
            f"{labels[node.name]} --> {labels[other]}" for node in self.nodes for other in self.after(node.name)
        )

    def as_json(self) -> dict[str, Any]:
        """The graph as the commands print it and `load_graph` reads it."""
        return {
            "name": self.name,
            "nodes": [node.name for node in self.nodes],
            "edges": {node.name: list(self.after(node.name)) for node in self.nodes},
        }


class _GraphFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    nodes: tuple[str, ...]
    edges: dict[str, tuple[str, ...]]


def load_graph(path: str | Path, subtasks: Subtasks) -> TaskGraph:
    """The graph in a file, as ``pddl2nl taskgraph build`` writes it.

    Raises:
        InputError: a file of another form, or with a subtask that is unknown or no node.
    """
    try:
        data = convert(parse_json(read_text(path, "task graph"), str(path)), _GraphFile)
        named = {name: subtasks.named(name) for name in dict.fromkeys(data.nodes)}
        edges = ((one, other) for one, after in data.edges.items() for other in after)
        return TaskGraph(data.name, tuple(named.values()), frozenset(edges))
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None


def graph_of_labels(name: str, subtasks: Subtasks, edges: Mapping[str, str]) -> TaskGraph:
    """A graph as the paper prints it: for each label the labels that may follow, ``{"A": "BDE"}``.

    Args:
        name: of the graph.
        subtasks: of the domain.
        edges: of the graph; the labels in it are its nodes.

    Raises:
        InputError: unknown label.
    """
    labels = {*edges, *"".join(edges.values())}
    pairs = [(subtasks.named(one).name, subtasks.named(two).name) for one, after in edges.items() for two in after]
    nodes = tuple(node for node in subtasks.nodes if node.label in labels)
    return TaskGraph(name, nodes, frozenset(pairs))


def graph_of_plans(name: str, subtasks: Subtasks, plans: Iterable[Sequence[str]]) -> TaskGraph:
    """An edge for each pair of subtasks that follow each other in a plan (the paper's traversal).

    Args:
        name: of the graph.
        subtasks: all are nodes, also those in no plan.
        plans: the names of their subtasks.
    """
    return TaskGraph(name, subtasks.nodes, frozenset(edge for plan in plans for edge in pairwise(plan)))
