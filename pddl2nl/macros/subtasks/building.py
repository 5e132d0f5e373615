"""Builds task graphs: from plans, from compatible actions, and by proof (GraphPlan paper, section 3.1.1 and table 8).

==============  =====================================================================================================
kind            an edge for each pair of subtasks
==============  =====================================================================================================
``traversal``   that follow each other in a plan
``fewshot``     that follow each other in a sample of 98 plans, the paper's number
``compatible``  of which the last action of one is compatible with the first of the other
``proved``      that some state of some problem allows one after the other
==============  =====================================================================================================

Kinds are united by ``+``: the paper's default is ``fewshot+compatible``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.macros.subtasks.graph import TaskGraph, graph_of_labels, graph_of_plans
from pddl2nl.macros.subtasks.nodes import Subtasks
from pddl2nl.macros.subtasks.proving import EdgeProver, proved_graph

AUTOMATON = "automaton"
"""The name of the proved graph if plans are checked by `pddl2nl.macros.subtasks.automaton`, not by its pairs."""
FEW_PLANS = 98
"""The size of the sample of ``fewshot``."""
GRAPH_KINDS = ("traversal", "fewshot", "compatible", "proved")
"""The kinds of graphs that can be built."""


def build_graph(kind: str, subtasks: Subtasks, plans: Iterable[Sequence[str]] = (), seed: int = 1) -> TaskGraph:
    """A graph over all subtasks.

    Args:
        kind: of `GRAPH_KINDS`, or several united by ``+``.
        subtasks: of the domain.
        plans: the names of the subtasks in each plan, for ``traversal`` and ``fewshot``.
        seed: of the sample.

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
