"""The names of a domain in an ontology: which class a type is, which property a predicate, which class an action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from rdflib import OWL, RDF, RDFS, Graph, Literal, URIRef
from rdflib.term import Node

from pddl2nl.pddl import ActionSchema, Atom, Domain, TypedName, changed_predicates, conjuncts
from pddl2nl.worlds.ontology import Ontology
from pddl2nl.worlds.ontology_graph import ONT, empty_graph, read_graph
from pddl2nl.worlds.vocabulary import ACTIONS, FUNCTIONS, PREDICATES, TYPES, camel, folded, local_name, minted

__all__ = ["Terms"]


class Terms:
    """A domain's names in a graph that holds the ontology and what it lacks for the domain.

    Args:
        domain: the domain.
        ontology: None for what the domain makes by itself.

    ``graph`` is a graph of its own. ``classes`` holds the class of every type, and in a domain without types of every
    static predicate of one object; ``predicates``, ``functions`` and ``actions`` likewise.
    """

    def __init__(self, domain: Domain, ontology: Ontology | None = None):
        self.domain = domain
        self.graph = empty_graph()
        if ontology is not None:
            self.graph += read_graph(ontology.turtle, ontology.name)
        for word in (ONT.isIn, ONT.isOn):
            self.graph.add((word, RDFS.subPropertyOf, ONT.locatedAt))
        self._found = _Found(self.graph)
        self.changing = changed_predicates(domain)
        self.typed = any(item.name != "object" for item in domain.types)
        self.kinds = () if self.typed else _static_unary(domain)
        self.classes = self._map((*_type_names(domain), *self.kinds), self._found.a_class, TYPES, OWL.Class)
        spoken = any(self.graph.triples((None, ONT.affords, None))) or any(
            self.graph.triples((None, RDFS.subClassOf, ONT.Affordance))
        )
        self.predicates = self._map(
            (item.name for item in domain.predicates), self._found.a_property, PREDICATES, ONT.Predicate
        )
        self.functions = self._map((item.name for item in domain.functions), _nowhere, FUNCTIONS, ONT.Predicate)
        self.actions = self._map((item.name for item in domain.actions), self._found.an_action, ACTIONS, OWL.Class)
        self._add_hierarchy()
        if not spoken:
            self._add_actions()
        self.locations = self._under(ONT.locatedAt)
        self.locating = self._under(ONT.locates)
        if not self.locations and not self.locating:
            self._every_relation_locates()
        self.affording = self._under(ONT.affordance)
        self.existence = self._under(ONT.existence)
        self.absence = self._under(ONT.absence)

    def _map(
        self, names: Iterable[str], find: Callable[[str], URIRef | None], namespace: str, kind: URIRef
    ) -> dict[str, URIRef]:
        """The node of each name, and it in the graph; no two names have the same one."""
        found: dict[str, URIRef] = {}
        taken: set[URIRef] = set()
        for name in dict.fromkeys(names):
            node = find(name)
            if node is None or node in taken:
                node = URIRef(minted(namespace, name))
                self.graph.add((node, RDFS.label, Literal(name)))
            self.graph.add((node, RDF.type, kind))
            taken.add(node)
            found[name] = node
        return found

    def _add_hierarchy(self) -> None:
        """PDDL's supertypes, which hold whatever the ontology says besides."""
        for item in self.domain.types:
            for parent in item.types:
                if parent not in ("object", item.name):
                    self.graph.add((self.classes[item.name], RDFS.subClassOf, self.classes[parent]))
        for name, node in self.actions.items():
            self.graph.add((node, RDFS.subClassOf, ONT.Action))
            self.graph.add((node, ONT.pddlName, Literal(name)))

    def _add_actions(self) -> None:
        """What classes afford where no ontology speaks of it: the actions in whose parameters they stand."""
        for action in self.domain.actions:
            for parameter in action.parameters:
                for kind in self._kinds_of(parameter, action):
                    self.graph.add((self.classes[kind], ONT.affords, self.actions[action.name]))

    def _kinds_of(self, parameter: TypedName, action: ActionSchema) -> Iterator[str]:
        required = [
            part.predicate
            for part in conjuncts(action.precondition)
            if isinstance(part, Atom) and part.args == (parameter.name,) and part.predicate in self.kinds
        ]
        yield from required or parameter.types

    def _under(self, root: URIRef) -> dict[str, URIRef]:
        """The predicates below a property of the ontology, in the domain's order."""
        below = set(self.graph.transitive_subjects(RDFS.subPropertyOf, root))
        return {name: node for name, node in self.predicates.items() if node in below}

    def _every_relation_locates(self) -> None:
        derived = {item.name for item in self.domain.derived}
        for item in self.domain.predicates:
            if len(item.parameters) == 2 and item.name in self.changing - derived:
                self.graph.add((self.predicates[item.name], RDFS.subPropertyOf, ONT.locatedAt))
        self.locations = self._under(ONT.locatedAt)

    def by_distance(self, own: URIRef, classes: Iterable[Node]) -> tuple[URIRef, ...]:
        """Classes above one, or beside it, the nearest first; on ties in the order of the alphabet."""
        distance: dict[Node, int] = {own: 0}
        todo: list[Node] = [own]
        for node in todo:
            for parent in sorted(self.graph.objects(node, RDFS.subClassOf), key=str):
                if parent not in distance:
                    distance[parent] = distance[node] + 1
                    todo.append(parent)
        found = (node for node in classes if isinstance(node, URIRef) and node not in (OWL.Thing, ONT.Object))
        return tuple(sorted(found, key=lambda node: (distance.get(node, len(distance)), node)))

    def said(self, node: URIRef | Literal) -> str:
        """What a class is called: its name in the ontology, or a type's in capitals as ontologies have it."""
        if isinstance(node, Literal):
            # A text: what stands in a prompt has to stay in its line.
            return " ".join(str(node).split())
        if not str(node).startswith((TYPES, ACTIONS)):
            return local_name(node)
        name = str(self.graph.value(node, RDFS.label) or local_name(node))
        return name if node.startswith(ACTIONS) or camel(name) in self._ambiguous else camel(name)

    @property
    def _ambiguous(self) -> frozenset[str]:
        """Names that more than one class would be called by."""
        if not hasattr(self, "_twice"):
            seen: dict[str, set[URIRef]] = {}
            for name, node in self.classes.items():
                seen.setdefault(camel(name) if node.startswith(TYPES) else local_name(node), set()).add(node)
            self._twice = frozenset(name for name, nodes in seen.items() if len(nodes) > 1)
        return self._twice


def _nowhere(name: str) -> None:
    return None


def _type_names(domain: Domain) -> Iterator[str]:
    yield "object"
    for item in domain.types:
        yield item.name
        # A supertype need not be declared itself.
        yield from item.types


def _static_unary(domain: Domain) -> tuple[str, ...]:
    changed = changed_predicates(domain)
    return tuple(item.name for item in domain.predicates if len(item.parameters) == 1 and item.name not in changed)


_NO_CLASSES = {ONT.Affordance, ONT.Property, ONT.Predicate, ONT.MacroAction, ONT.Event, ONT.Fact}
_NO_PROPERTIES = {ONT.affords, ONT.hasProperty, ONT.pddlName}


class _Found:
    """Where an ontology speaks of a name: what bears it as ``pddlName``, else what is called so."""

    def __init__(self, graph: Graph):
        classes = {
            *graph.subjects(RDF.type, OWL.Class),
            *graph.subjects(RDF.type, RDFS.Class),
            *graph.subjects(RDFS.subClassOf),
            *graph.objects(predicate=RDFS.subClassOf),
        }
        kinds = (RDF.Property, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.FunctionalProperty)
        properties = {
            *graph.subjects(RDFS.subPropertyOf),
            *(node for kind in kinds for node in graph.subjects(RDF.type, kind)),
        }
        actions = set(graph.transitive_subjects(RDFS.subClassOf, ONT.Action))
        # A type and an action may have the same name, and so may a predicate and a word of ontologies.
        self._classes = _by_name(graph, classes - actions - _NO_CLASSES)
        self._actions = _by_name(graph, actions - {ONT.Action})
        self._properties = _by_name(graph, properties - _NO_PROPERTIES)

    def a_class(self, name: str) -> URIRef | None:
        """The class of a type's name."""
        return _first(self._classes, name)

    def an_action(self, name: str) -> URIRef | None:
        """The class of an action's name."""
        return _first(self._actions, name)

    def a_property(self, name: str) -> URIRef | None:
        """The property of a predicate's name."""
        return _first(self._properties, name)


_ByName = tuple[Mapping[str, URIRef], Mapping[str, URIRef]]


def _by_name(graph: Graph, nodes: Iterable[object]) -> _ByName:
    """Nodes by their ``pddlName``, those without one by their folded names; of several the first in the alphabet."""
    own: dict[str, URIRef] = {}
    loose: dict[str, URIRef] = {}
    for node in sorted(node for node in nodes if isinstance(node, URIRef)):
        names = sorted(str(name).lower() for name in graph.objects(node, ONT.pddlName))
        for name in names:
            own.setdefault(name, node)
        if not names:
            loose.setdefault(folded(local_name(node)), node)
    return own, loose


def _first(found: _ByName, name: str) -> URIRef | None:
    own, loose = found
    return own.get(name) or loose.get(folded(name))
