"""Problems that are equal except for the names of their objects.

A problem becomes a graph: objects are nodes, and facts of the initial state and of the goal are labels of nodes and
edges; disjunctions of the goal, and what they consist of, are nodes of their own. Colour refinement (Weisfeiler and
Leman) tells most problems apart; networkx's VF2 (Cordella et al., 2004) decides the rest exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddl2nl.pddl import And, Atom, Condition, Not, Or, Problem, Task, conjuncts

if TYPE_CHECKING:
    from networkx import DiGraph

_Signature = tuple[str | int, ...]


class DistinctProblems:
    """Problems of one domain by name, no two of which are isomorphic.

    Two problems are isomorphic if renaming objects gives the same objects by type, the same initial state and the same
    goal. The domain's constants keep their names; the problem's name and the order of its lines do not matter.
    """

    def __init__(self) -> None:
        self._found: defaultdict[_Signature, list[tuple[DiGraph, str]]] = defaultdict(list)

    def add(self, task: Task, name: str) -> str | None:
        """Adds a problem, unless there is an isomorphic one: then returns that one's name.

        Raises:
            UnsupportedError: the goal has more than conjunctions and disjunctions of literals, or the problem has timed
                facts, constraints or a metric.
            MissingExtraError: networkx is not installed.
        """
        graph = _graph(task)
        similar = self._found[_refine(graph)]
        for other, first in similar:
            if _same(graph, other):
                return first
        similar.append((graph, name))
        return None


def isomorphic(one: Task, other: Task) -> bool:
    """Whether the problems of two tasks of one domain are isomorphic; raises as `DistinctProblems.add`."""
    problems = DistinctProblems()
    problems.add(one, "one")
    return problems.add(other, "other") is not None


def _graph(task: Task) -> DiGraph:
    """The problem as a graph with the attributes `label` of nodes and `facts` of edges.

    A fact about one object is part of the object's label. A fact about two objects is a label of the edges between
    them, in both directions. A fact about more objects is a node of its own.
    """
    try:
        import networkx
    except ImportError as error:
        raise MissingExtraError("networkx", "planners", "comparing problems") from error
    constants = {constant.name for constant in task.domain.constants}
    nodes = {
        name: [f"constant {name}" if name in constants else " ".join(sorted(item.types))]
        for name, item in task.objects.items()
    }
    edges: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    whole: list[str] = []
    for number, (label, args) in enumerate(sorted(set(_facts(task.problem)))):
        objects = list(dict.fromkeys(args))
        fact = f"{label} {[objects.index(arg) for arg in args]}"
        if not objects:
            whole.append(fact)
        elif len(objects) == 1:
            nodes[objects[0]].append(fact)
        elif len(objects) == 2:
            edges[objects[0], objects[1]].append(f"{fact} forwards")
            edges[objects[1], objects[0]].append(f"{fact} backwards")
        else:
            # No object's name contains a blank.
            node = f"fact {number}"
            nodes[node] = [fact]
            for place, name in enumerate(objects):
                edges[node, name].append(str(place))
                edges[name, node].append(str(place))
    for part in conjuncts(task.problem.goal):
        if isinstance(part, Or):
            _add_formula(part, task.problem.name, nodes, edges)
    graph = networkx.DiGraph(facts="; ".join(whole))
    graph.add_nodes_from((name, {"label": "; ".join(sorted(labels))}) for name, labels in nodes.items())
    graph.add_edges_from((*ends, {"facts": "; ".join(sorted(labels))}) for ends, labels in edges.items())
    return graph


def _add_formula(
    formula: Condition, problem: str, nodes: dict[str, list[str]], edges: defaultdict[tuple[str, str], list[str]]
) -> str:
    """Adds a node for a part of a goal, its parts and its terms; returns the name of the node."""
    # No object's name contains a blank.
    node = f"goal {len(nodes)}"
    nodes[node] = []
    if isinstance(formula, And | Or):
        label = type(formula).__name__
        beside = [("part", _add_formula(part, problem, nodes, edges)) for part in formula.parts]
    else:
        label, args = _literal(formula, problem)
        beside = [(str(place), name) for place, name in enumerate(args)]
    nodes[node].append(f"{label} in the goal")
    for said, other in beside:
        edges[node, other].append(f"{said} forwards")
        edges[other, node].append(f"{said} backwards")
    return node


def _literal(part: Condition, problem: str) -> tuple[str, tuple[str, ...]]:
    atom: Condition = part.body if isinstance(part, Not) else part
    if not isinstance(atom, Atom):
        raise UnsupportedError(
            f"the goal of problem '{problem}' has more than conjunctions and disjunctions of literals: "
            "it is not compared"
        )
    return f"goal {'not ' if part is not atom else ''}{atom.predicate}", atom.args


def _facts(problem: Problem) -> Iterator[tuple[str, tuple[str, ...]]]:
    if problem.init_timed or problem.constraints is not None or problem.metric is not None:
        raise UnsupportedError(f"problem '{problem.name}' has timed facts, constraints or a metric: it is not compared")
    for fact in problem.init:
        yield f"init {fact.predicate}", fact.args
    for value in problem.init_values:
        if isinstance(value.value, str):
            yield f"init = {value.fluent.predicate}", (*value.fluent.args, value.value)
        else:
            yield f"init {value.value} = {value.fluent.predicate}", value.fluent.args
    for part in conjuncts(problem.goal):
        if not isinstance(part, Or):
            yield _literal(part, problem.name)


def _refine(graph: DiGraph) -> _Signature:
    """Refines the colours until they no longer change; returns what isomorphic graphs have in common.

    A colour is a hash of the node's label and of what stands around it. An equal hash of different surroundings would
    cost time only, since VF2 compares labels and edges, too.
    """
    beside = {node: [(data["facts"], other) for other, data in around.items()] for node, around in graph.adjacency()}
    colours = {node: hash(label) for node, label in graph.nodes(data="label")}
    count = 0
    while count < (now := len(set(colours.values()))):
        count = now
        colours = {
            node: hash((colours[node], *sorted([(facts, colours[other]) for facts, other in around])))
            for node, around in beside.items()
        }
    for node, colour in colours.items():
        graph.nodes[node]["colour"] = colour
    return (graph.graph["facts"], *sorted(colours.values()))


def _same(one: DiGraph, other: DiGraph) -> bool:
    from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match, is_isomorphic

    nodes, edges = categorical_node_match(["label", "colour"], [None, None]), categorical_edge_match("facts", None)
    same: bool = is_isomorphic(one, other, node_match=nodes, edge_match=edges)
    return same
