"""The RDF graph of one task: objects, the facts of the present state, events and macro-actions as triples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from rdflib import RDF, RDFS, XSD, Graph, Literal, URIRef
from rdflib.term import Node

from pddl2nl.pddl import GroundAtom, write_number
from pddl2nl.worlds.ontology_graph import (
    EVENTS,
    FACTS,
    INSTANCES,
    MACRO_EVENTS,
    MACROS,
    ONT,
    WORLD,
    Terms,
    minted,
)
from pddlval import GroundAction

__all__ = ["TaskGraph", "learned_macros"]

_TRUE = Literal(True)
_Triple = tuple[Node, Node, Node]


class TaskGraph:
    """Writes what happens in one task into a graph.

    A fact about one object is ``object predicate true``, about two ``object predicate object``, about none
    ``world predicate true``. A fact about more objects has a node of its own, which its first object points to. The
    value of a fluent stands in place of ``true``.

    Args:
        terms: the domain's terms; their graph is written to.
        objects: the names of the task's objects.
    """

    def __init__(self, terms: Terms, objects: Iterable[str]):
        self.graph = terms.graph
        self.nodes = {name: minted(INSTANCES, name) for name in objects}
        self._terms = terms
        self._events = 0
        self._macros: dict[tuple[int, int], URIRef] = {}

    def add_object(self, name: str, types: Iterable[str], label: str) -> None:
        """Adds an object with its types."""
        for kind in types:
            self.graph.add((self.nodes[name], RDF.type, self._terms.classes[kind]))
        self.graph.add((self.nodes[name], RDFS.label, Literal(label)))

    def add(self, atom: GroundAtom, value: Fraction | None = None) -> None:
        """Adds a true atom, or the value of a fluent."""
        self._change(self.graph.add, atom, value)

    def remove(self, atom: GroundAtom, value: Fraction | None = None) -> None:
        """Removes an atom, or the value of a fluent."""
        self._change(self.graph.remove, atom, value)

    def _change(self, change: Callable[[_Triple], object], atom: GroundAtom, value: Fraction | None) -> None:
        for triple in self._triples(atom, value):
            change(triple)

    def _triples(self, atom: GroundAtom, value: Fraction | None) -> Iterator[_Triple]:
        args = [self.nodes[name] for name in atom[1:]]
        names = self._terms.predicates if value is None else self._terms.functions
        predicate, literal = names[atom[0]], _TRUE if value is None else _number(value)
        if len(args) < 2:
            yield args[0] if args else WORLD, predicate, literal
        elif len(args) == 2 and value is None:
            yield args[0], predicate, args[1]
        else:
            fact = minted(FACTS, "" if value is None else "=", *atom)
            yield args[0], predicate, fact
            yield fact, RDF.type, ONT.Fact
            yield fact, ONT.value, literal
            for number, arg in enumerate(args, start=1):
                yield fact, ONT[f"argument{number}"], arg
                yield fact, ONT.concerns, arg

    def add_event(self, action: GroundAction, step: int, outcome: str, attempt: int, macro: int) -> None:
        """Adds an action that was carried out, as an instance of its class."""
        self._events += 1
        event, graph = minted(EVENTS, str(self._events)), self.graph
        graph.add((event, RDF.type, ONT.Event))
        graph.add((event, RDF.type, self._terms.actions[action.name]))
        graph.add((event, ONT.number, Literal(self._events)))
        graph.add((event, ONT.order, Literal(step)))
        graph.add((event, ONT.outcome, Literal(outcome)))
        for number, name in enumerate(action.args, start=1):
            graph.add((event, ONT[f"argument{number}"], self.nodes[name]))
        if macro:
            graph.add((event, ONT.partOf, self._macro(attempt, macro)))

    def _macro(self, attempt: int, number: int) -> URIRef:
        node = self._macros.get((attempt, number))
        if node is None:
            node = self._macros[attempt, number] = minted(MACRO_EVENTS, str(attempt), str(number))
            self.graph.add((node, RDF.type, ONT.MacroAction))
            self.graph.add((node, ONT.attempt, Literal(attempt)))
            self.graph.add((node, ONT.order, Literal(number)))
        return node

    def set_macro(self, attempt: int, number: int, texts: Mapping[str, str]) -> None:
        """Sets texts of a macro-action, by the names of their properties; replaces earlier ones."""
        node = self._macro(attempt, number)
        for name, text in texts.items():
            self.graph.remove((node, ONT[name], None))
            if text:
                self.graph.add((node, ONT[name], Literal(text)))

    def copy_macro(
        self, graph: Graph, key: tuple[int, int], steps: Sequence[GroundAction], classes: Mapping[str, URIRef]
    ) -> None:
        """Writes a macro-action into another graph, with parameters in place of objects; a failed one is skipped.

        Args:
            graph: the other graph.
            key: attempt and number of the macro-action.
            steps: the actions that carried it out.
            classes: the class of each object.
        """
        macro = self._macros[key]
        if self.graph.value(macro, ONT.outcome) == Literal("failed"):
            return
        objects = list(dict.fromkeys(name for step in steps for name in step.args))
        parameters = {name: f"?x{number}" for number, name in enumerate(objects, start=1)}
        lifted = [f"({' '.join((step.name, *(parameters[name] for name in step.args)))})" for step in steps]
        description = str(self.graph.value(macro, ONT.description) or "")
        kinds = [classes[name] for name in objects]
        # Named by its content, so a macro-action that is learned twice stands there once.
        digest = hashlib.sha256("\n".join((description, *lifted, *kinds)).encode()).hexdigest()[:16]
        node = minted(MACROS, digest)
        graph.add((node, RDFS.subClassOf, ONT.MacroAction))
        if description:
            graph.add((node, RDFS.label, Literal(description)))
        for number, (step, text) in enumerate(zip(steps, lifted, strict=True), start=1):
            step_node = URIRef(f"{node}/step{number}")
            graph.add((node, ONT.step, step_node))
            graph.add((step_node, ONT.order, Literal(number)))
            graph.add((step_node, ONT.does, self._terms.actions[step.name]))
            graph.add((step_node, ONT.pddl, Literal(text)))
        for number, (name, kind) in enumerate(zip(objects, kinds, strict=True), start=1):
            parameter = URIRef(f"{node}/parameter{number}")
            graph.add((node, ONT.parameter, parameter))
            graph.add((parameter, ONT.order, Literal(number)))
            graph.add((parameter, ONT.kind, kind))
            graph.add((parameter, RDFS.label, Literal(parameters[name])))


def learned_macros(graph: Graph) -> Iterator[tuple[str, tuple[str, ...], tuple[Node, ...]]]:
    """Description, steps and parameters' classes of the macro-actions of an ontology, ordered by description."""
    found = []
    for macro in graph.subjects(RDFS.subClassOf, ONT.MacroAction):
        steps = _ordered(graph, macro, ONT.step, ONT.pddl)
        if steps:
            description = str(graph.value(macro, RDFS.label) or "")
            found.append((description, str(macro), tuple(map(str, steps)), macro))
    for description, _, texts, macro in sorted(found):
        yield description, texts, tuple(_ordered(graph, macro, ONT.parameter, ONT.kind))


def _ordered(graph: Graph, node: Node, link: URIRef, content: URIRef) -> list[Node]:
    """The contents of a node's numbered parts, in order."""
    parts = []
    for part in graph.objects(node, link):
        order, value = graph.value(part, ONT.order), graph.value(part, content)
        if isinstance(order, Literal) and isinstance(order.value, int) and value is not None:
            parts.append((order.value, value))
    return [value for _, value in sorted(parts)]


def _number(value: Fraction) -> Literal:
    if value.denominator == 1:
        return Literal(int(value))
    # XSD has decimals but no fractions: a third is a plain text.
    text = write_number(value)
    return Literal(text, datatype=XSD.decimal) if "/" not in text else Literal(text)
