"""What was done, in a graph: events with arguments, order and outcome, and the macro-actions they were part of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import groupby

from rdflib import RDF, RDFS, Graph, Literal, URIRef

from pddl2nl.worlds.fact_graph import FactGraph
from pddl2nl.worlds.ontology_graph import ONT
from pddl2nl.worlds.queries import EVENTS, KINDS, LEARNED, rows
from pddl2nl.worlds.terms import Terms
from pddl2nl.worlds.vocabulary import EVENTS as EVENT_NODES
from pddl2nl.worlds.vocabulary import MACRO_EVENTS, MACROS, minted
from pddlval import GroundAction

__all__ = ["EventGraph"]

_Row = tuple[int, GroundAction, str, int, int]
_FAILED = Literal("failed")
_MACRO_FACTS = (ONT.description, ONT.precondition, ONT.effect, ONT.outcome)


class EventGraph:
    """Records events in a graph.

    Args:
        graph: where they stand.
        terms: the domain's terms.
        facts: knows the objects' nodes.
    """

    def __init__(self, graph: Graph, terms: Terms, facts: FactGraph):
        self._graph = graph
        self._terms = terms
        self._facts = facts
        self._count = 0
        self._macros: dict[tuple[int, int], URIRef] = {}

    def record(self, action: GroundAction, step: int, outcome: str, attempt: int, macro: int) -> None:
        """An action as an instance of its class."""
        self._count += 1
        event, graph = URIRef(minted(EVENT_NODES, str(self._count))), self._graph
        graph.add((event, RDF.type, ONT.Event))
        graph.add((event, RDF.type, self._terms.actions[action.name]))
        graph.add((event, ONT.number, Literal(self._count)))
        graph.add((event, ONT.order, Literal(step)))
        graph.add((event, ONT.outcome, Literal(outcome)))
        for number, name in enumerate(action.args, start=1):
            graph.add((event, ONT[f"argument{number}"], self._facts.nodes[name]))
        if macro:
            graph.add((event, ONT.partOf, self._macro(attempt, macro)))

    def _macro(self, attempt: int, number: int) -> URIRef:
        node = self._macros.get((attempt, number))
        if node is None:
            node = URIRef(minted(MACRO_EVENTS, str(attempt), str(number)))
            self._macros[attempt, number] = node
            self._graph.add((node, RDF.type, ONT.MacroAction))
            self._graph.add((node, ONT.attempt, Literal(attempt)))
            self._graph.add((node, ONT.order, Literal(number)))
        return node

    def record_macro(
        self, attempt: int, number: int, description: str, precondition: str, effect: str, outcome: str
    ) -> None:
        """What is said of a macro-action; what was said of it before is forgotten."""
        node = self._macro(attempt, number)
        for predicate, text in zip(_MACRO_FACTS, (description, precondition, effect, outcome), strict=True):
            self._graph.remove((node, predicate, None))
            if text:
                self._graph.add((node, predicate, Literal(text)))

    def history(self) -> Iterator[_Row]:
        """Step, action, outcome, attempt and macro of every event, in order."""
        places = {node: key for key, node in self._macros.items()}
        for event, order, name, outcome, macro in rows(self._graph, EVENTS):
            action = GroundAction(str(name), tuple(self._args(event)))
            yield int(order), action, str(outcome), *places.get(macro, (0, 0))

    def _args(self, event: URIRef) -> Iterator[str]:
        number = 1
        while (node := self._graph.value(event, ONT[f"argument{number}"])) is not None:
            yield self._facts.name(node)
            number += 1

    def learned(self) -> Iterator[tuple[str, tuple[str, ...], tuple[URIRef, ...]]]:
        """Description, steps and classes of the parameters of every macro-action that the ontology has."""
        for _, part in groupby(rows(self._graph, LEARNED), key=lambda row: row[0]):
            found = list(part)
            macro, description = found[0][:2]
            kinds = tuple(row[0] for row in rows(self._graph, KINDS, macro=macro))
            yield str(description or ""), tuple(str(row[3]) for row in found), kinds

    def transfer(self, graph: Graph, outcome: str, expected: str, classes: Mapping[str, URIRef]) -> None:
        """Puts macro-actions into another graph, with parameters for objects: those that were carried out whole.

        Their events of one outcome are the steps, and must be those that were expected, where any were; one that is
        recorded as failed is left out.
        """
        done: dict[tuple[int, int], dict[str, list[GroundAction]]] = {}
        for _, action, said, attempt, macro in self.history():
            if macro:
                done.setdefault((attempt, macro), {}).setdefault(said, []).append(action)
        for key, steps in done.items():
            failed = self._graph.value(self._macros[key], ONT.outcome) == _FAILED
            carried_out = steps.get(outcome, [])
            if carried_out and not failed and steps.get(expected, carried_out) == carried_out:
                self._transfer(graph, self._macros[key], carried_out, classes)

    def _transfer(self, graph: Graph, macro: URIRef, steps: list[GroundAction], classes: Mapping[str, URIRef]) -> None:
        objects = list(dict.fromkeys(name for step in steps for name in step.args))
        parameters = {name: f"?x{number}" for number, name in enumerate(objects, start=1)}
        lifted = [f"({' '.join((step.name, *(parameters[name] for name in step.args)))})" for step in steps]
        description = str(self._graph.value(macro, ONT.description) or "")
        kinds = [classes[name] for name in objects]
        # The same macro has the same name, whoever learned it.
        digest = hashlib.sha256("\n".join((description, *lifted, *kinds)).encode()).hexdigest()[:16]
        node = URIRef(minted(MACROS, digest))
        graph.add((node, RDFS.subClassOf, ONT.MacroAction))
        if description:
            graph.add((node, RDFS.label, Literal(description)))
        for number, text in enumerate(lifted, start=1):
            step_node = URIRef(f"{node}/step{number}")
            graph.add((node, ONT.step, step_node))
            graph.add((step_node, ONT.order, Literal(number)))
            graph.add((step_node, ONT.does, self._terms.actions[steps[number - 1].name]))
            graph.add((step_node, ONT.pddl, Literal(text)))
        for number, (name, kind) in enumerate(zip(objects, kinds, strict=True), start=1):
            parameter = URIRef(f"{node}/parameter{number}")
            graph.add((node, ONT.parameter, parameter))
            graph.add((parameter, ONT.order, Literal(number)))
            graph.add((parameter, ONT.kind, kind))
            graph.add((parameter, RDFS.label, Literal(parameters[name])))
