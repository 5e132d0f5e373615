"""The order in which derived predicates are evaluated, and whether there is one.

A domain is *stratified* where no derived predicate depends on itself through a negation (Edelkamp and Hoffmann
2004, section 2.1; Thiébaux, Hoffmann and Nebel 2005, definition 1): only then do its axioms say one thing.
Polarity is that of negation normal form: a ``not``, and the left side of an ``imply``, turn it around.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from pddl2nl.lean import dataclass
from pddl2nl.pddl.tree import Atom, Condition, Domain, Imply, Node, Not, children

_Graph = dict[str, dict[str, bool]]
"""For every derived predicate the derived predicates in its rules, and whether one of these is negated."""


@dataclass(frozen=True)
class Strata:
    """The derived predicates of a domain in the order in which they are evaluated.

    ``layers`` are the strongly connected components of the dependency graph: what a layer needs lies in it or in
    an earlier one. ``recursive`` holds the predicates that depend on themselves, directly or through others.
    ``cycle`` is empty where the domain is stratified; else it names the predicates of a shortest cycle through a
    negation: the rules of the first need the negation of the second, each needs the next, and the last needs the
    first. Where a predicate needs its own negation, it alone is named.
    """

    layers: tuple[frozenset[str], ...] = ()
    recursive: frozenset[str] = frozenset()
    cycle: tuple[str, ...] = ()


def polarities(condition: Condition) -> Iterator[tuple[Atom, bool]]:
    """Every atom of a condition, in the order of the text, and whether it is positive in negation normal form."""
    # Without recursion: a tree that was built in memory may be deeper than Python's stack.
    todo: list[tuple[Node, bool]] = [(condition, True)]
    while todo:
        node, positive = todo.pop()
        match node:
            case Atom():
                yield node, positive
            case Not(body=body):
                todo.append((body, not positive))
            case Imply(left=left, right=right):
                todo.extend(((right, positive), (left, not positive)))
            case _:
                todo.extend((child, positive) for child in reversed(children(node)))


def stratify(domain: Domain) -> Strata:
    """The layers of a domain's derived predicates, in time linear in the size of its axioms; never raises."""
    graph = _dependencies(domain)
    layers = tuple(components(graph))
    recursive = {name for layer in layers if len(layer) > 1 for name in layer}
    recursive.update(name for name, needed in graph.items() if name in needed)
    return Strata(layers, frozenset(recursive), _cycle(graph, layers))


def _dependencies(domain: Domain) -> _Graph:
    graph: _Graph = {axiom.name: {} for axiom in domain.derived}
    for axiom in domain.derived:
        needed = graph[axiom.name]
        for atom, positive in polarities(axiom.condition):
            if atom.predicate in graph:
                needed[atom.predicate] = needed.get(atom.predicate, False) or not positive
    return graph


def components(graph: _Graph) -> Iterator[frozenset[str]]:
    """Strongly connected components, those that others need first (Tarjan 1972), without recursion."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: dict[str, None] = {}
    for root in graph:
        if root in number:
            continue
        path = [(root, iter(graph[root]))]
        number[root] = lowest[root] = len(number)
        open_names[root] = None
        while path:
            name, rest = path[-1]
            for needed in rest:
                if needed not in number:
                    number[needed] = lowest[needed] = len(number)
                    open_names[needed] = None
                    path.append((needed, iter(graph[needed])))
                    break
                if needed in open_names:
                    lowest[name] = min(lowest[name], number[needed])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
                if lowest[name] == number[name]:
                    members: list[str] = []
                    while not members or members[-1] != name:
                        members.append(open_names.popitem()[0])
                    yield frozenset(members)


def _cycle(graph: _Graph, layers: tuple[frozenset[str], ...]) -> tuple[str, ...]:
    layer_of = {name: layer for layer in layers for name in layer}
    for name, needed in graph.items():
        for other, negated in needed.items():
            if negated and other in layer_of[name]:
                return (name, *_path(graph, other, name))
    return ()


def _path(graph: _Graph, start: str, goal: str) -> list[str]:
    before = {start: start}
    todo = deque([start])
    while goal not in before:
        name = todo.popleft()
        for needed in graph[name]:
            if needed not in before:
                before[needed] = name
                todo.append(needed)
    path: list[str] = []
    name = goal
    while name != start:
        name = before[name]
        path.append(name)
    return path[::-1]
