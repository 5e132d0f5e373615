"""Ontologies: classes of objects, what they afford, and which relations say where things are.

An ontology is a text in Turtle. These words of ``urn:pddl2nl:ontology#`` have a meaning (in another namespace too, if
the ontology has one of its own):

    :Egg rdfs:subClassOf :Food .                  classes; the PDDL type ``stove-burner`` is ``:StoveBurner``, or the
    :Burner :pddlName "stove-burner" .            class with that ``pddlName``; ``object`` is ``:Object``
    :Egg :affords :Pickupable, :Crackable .       affordances, inherited by subclasses; or as classes:
    :Bread rdfs:subClassOf :Sliceable .           with  :Sliceable rdfs:subClassOf :Affordance .  (directly)
    :Glass :hasProperty :Fragile .                other properties, inherited likewise
    :sliceable rdfs:subPropertyOf :affordance .   a predicate of one object that is an affordance
    :inside rdfs:subPropertyOf :isIn .            a relation ``(inside ?x ?y)``: ?x is located in ?y; also below :isOn
                                                  or :locatedAt; ``on-top-of`` is ``:onTopOf`` or has that pddlName
    :holds rdfs:subPropertyOf :locates .          the inverse: ``(holds ?y ?x)``
    :exists rdfs:subPropertyOf :existence .       objects for which it is false do not exist yet and are not available
                                                  (:absence: objects for which it is true)
    :PickUp rdfs:subClassOf :Action .             actions
    :Fetch rdfs:subClassOf :MacroAction .         macro-actions that were learned, with steps and parameters

PDDL supplies what an ontology lacks: types become classes below their supertypes; an ontology without affordances
gets, for each class, the actions that take it as a parameter; one without locations, every relation between two
objects that actions change.

This is the only module that imports rdflib (extra ``macros``); without it the import raises `MissingExtraError`. The
names of a task have namespaces of their own, so a predicate may be called ``affords`` and an object ``Egg``.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.pddl import Atom, Diagnostic, Domain, Source, changed_predicates, conjuncts
from pddlval import GroundAction

try:
    from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef
    from rdflib.plugins.parsers.notation3 import BadSyntax
    from rdflib.term import Node
except ImportError as error:
    raise MissingExtraError("rdflib", "macros", "the knowledge graph") from error

# rdflib logs a traceback for an odd literal; we report errors ourselves.
logging.getLogger("rdflib").addHandler(logging.NullHandler())

ONT = Namespace("urn:pddl2nl:ontology#")
"""The words of ontologies."""
_NAMESPACES = {name: f"urn:pddl2nl:{name}#" for name in ("type", "predicate", "action", "instance", "macro")}
_TYPES, _PREDICATES, _ACTIONS, _INSTANCES, _MACROS = _NAMESPACES.values()

_PREFIXES = {"": str(ONT), **_NAMESPACES, "rdfs": str(RDFS), "owl": str(OWL)}
_WORDS = frozenset(
    (
        *("Object", "Affordance", "Property", "Predicate", "Action", "MacroAction"),
        *("affords", "hasProperty", "affordance", "locatedAt", "isIn", "isOn", "locates", "existence", "absence"),
        "pddlName",
    )
)
"""The words of an ontology that have a meaning."""
_BASE = "http://pddl2nl.invalid/"
_UNWRITABLE = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")
_LONGEST = 100


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def minted(namespace: str, *names: str) -> URIRef:
    """The IRI of a name, or of a sequence of names, in a namespace; different names have different IRIs."""
    return URIRef(namespace + "/".join(quote(name, safe="") for name in names))


def local_name(iri: str) -> str:
    """The part of an IRI after its last ``#`` or ``/``, else after its last ``:``."""
    for mark in "#/:":
        _, found, tail = iri.rpartition(mark)
        if found and tail:
            return tail
    return iri


def camel(name: str) -> str:
    """A PDDL name as ontologies write classes: ``stove-burner`` is ``StoveBurner``."""
    parts = [part for part in re.split(r"[-_]+", name) if part]
    return "".join(part[0].upper() + part[1:] for part in parts) or name


def folded(name: str) -> str:
    """A name for comparison: without letter case, hyphens and underscores."""
    return re.sub(r"[\W_]+", "", name).casefold() or name.casefold()


def property_name(name: str) -> str:
    """An affordance or a property as prompts say it: ``Pickupable`` is ``pickupable``, ``RobotArm`` ``robot-arm``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


# ── Turtle ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ontology:
    """An ontology as Turtle text that was parsed once; ``name`` appears in messages."""

    text: str
    name: str = "<ontology>"


def read_ontology(text: str, domain: Domain | None = None, name: str = "<ontology>") -> Ontology:
    """The ontology of a Turtle text, for any domain.

    Raises:
        InputError: the text is not Turtle; the message has the line.
    """
    read_graph(text, name)
    return Ontology(text, name)


def empty_graph() -> Graph:
    graph = Graph(bind_namespaces="none")
    for prefix, namespace in _PREFIXES.items():
        graph.bind(prefix, namespace)
    return graph


def graph_text(graph: Graph) -> str:
    """A graph as Turtle; equal graphs give equal texts."""
    text: str = graph.serialize(format="turtle")
    return text


@lru_cache(maxsize=8)
def read_graph(text: str, name: str) -> Graph:
    """The graph of a Turtle text; words of other namespaces that are words of ours become ours.

    The graph is shared between calls: copy it before changing it.

    Raises:
        InputError: the text is not Turtle.
    """
    read = Graph(bind_namespaces="none")
    try:
        # A base of our own: rdflib's default would write this machine's folders into relative names.
        read.parse(data=text, format="turtle", publicID=_BASE)
    except BadSyntax as error:
        raise _syntax_error(text, name, error) from error
    except RecursionError as error:
        raise InputError(f"{name}: error: its brackets are nested too deeply") from error
    except (ValueError, KeyError, AssertionError) as error:
        raise InputError(f"{name}: error: not Turtle: {error}") from error
    _check_iris(read, name)
    graph = empty_graph()
    for triple in read:
        graph.add((_our_word(triple[0]), _our_word(triple[1]), _our_word(triple[2])))
    return graph


def _check_iris(graph: Graph, name: str) -> None:
    """Refuses names that rdflib reads from Turtle but cannot write."""
    for node in (node for triple in graph for node in triple):
        iri = node.datatype if isinstance(node, Literal) else node
        if isinstance(iri, URIRef) and _UNWRITABLE.search(iri):
            shown = iri if len(iri) <= _LONGEST else f"{iri[:_LONGEST]}…"
            raise InputError(
                f"{name}: error: <{shown}> is not an IRI: write blanks, quotes and brackets as %20 and the like"
            )


def _syntax_error(text: str, name: str, error: BadSyntax) -> InputError:
    # The parser counts bytes and has no public attribute for the position.
    place, why = getattr(error, "_i", 0), getattr(error, "_why", "bad syntax")
    offset = len(text.encode("utf-8")[:place].decode("utf-8", "ignore"))
    expected = "an ontology in Turtle, such as ':Egg rdfs:subClassOf :Food .'"
    return InputError(Diagnostic.at(Source(name, text), offset, f"not Turtle: {why}", expected=expected).render())


def _our_word(node: Node) -> Node:
    if isinstance(node, URIRef) and not node.startswith(str(ONT)):
        word = local_name(node)
        if word in _WORDS and not str(node).startswith((str(RDF), str(RDFS), str(OWL), "urn:pddl2nl:")):
            return ONT[word]
    return node


# ── a domain's names in an ontology ──────────────────────────────────────────────────────────────


class ClassKnowledge(NamedTuple):
    """What an ontology says about the instances of some classes.

    ``superclasses`` holds the other classes above, the nearest first; ``affordances`` and ``properties`` are written
    as in prompts (``pickupable``).
    """

    superclasses: tuple[URIRef, ...]
    affordances: frozenset[str]
    properties: frozenset[str]


class OntologyTerms:
    """The classes, properties and actions of an ontology that a domain's names stand for.

    What the ontology lacks is added to a copy of its graph; without one, the domain alone is heard.

    Attributes:
        graph: the ontology and the additions.
        classes: the class of every type; in a domain without types, of every static predicate of one argument.
        predicates, actions: their nodes by name.
        locations, locating: predicates ``(p ?x ?y)`` that say ``?x`` is located at ``?y``, and ``(p ?y ?x)`` likewise.
        affording, existence, absence: predicates that are these words of ontologies.
        changing: the predicates that actions change.
        typed: whether the domain has types; without, ``kinds`` are the predicates that are classes.
    """

    def __init__(self, domain: Domain, ontology: Graph | None = None):
        self.domain = domain
        self.graph = empty_graph()
        if ontology is not None:
            self.graph += ontology
        for word in (ONT.isIn, ONT.isOn):
            self.graph.add((word, RDFS.subPropertyOf, ONT.locatedAt))
        find = _OntologyNames(self.graph)
        self.changing = changed_predicates(domain)
        self.typed = any(item.name != "object" for item in domain.types)
        unary = [item.name for item in domain.predicates if len(item.parameters) == 1]
        self.kinds = () if self.typed else tuple(name for name in unary if name not in self.changing)
        # A supertype need not be declared itself.
        types = ("object", *(name for item in domain.types for name in (item.name, *item.types)))
        has_affordances = (None, ONT.affords, None) in self.graph or (
            (None, RDFS.subClassOf, ONT.Affordance) in self.graph
        )
        self.classes = self._nodes((*types, *self.kinds), find.class_of, _TYPES, OWL.Class)
        predicates = [item.name for item in domain.predicates]
        self.predicates = self._nodes(predicates, find.property_of, _PREDICATES, ONT.Predicate)
        self.actions = self._nodes([item.name for item in domain.actions], find.action_of, _ACTIONS, OWL.Class)
        self._add_hierarchy()
        if not has_affordances:
            self._add_affordances()
        if not self._below(ONT.locatedAt) and not self._below(ONT.locates):
            self._add_locations()
        self.locations, self.locating = self._below(ONT.locatedAt), self._below(ONT.locates)
        self.affording = self._below(ONT.affordance)
        self.existence, self.absence = self._below(ONT.existence), self._below(ONT.absence)
        self._knowledge: dict[tuple[URIRef, frozenset[Node]], ClassKnowledge] = {}

    def _nodes(
        self, names: Iterable[str], find: Callable[[str], URIRef | None], namespace: str, kind: URIRef
    ) -> dict[str, URIRef]:
        """The node of each name, added to the graph; no two names share one."""
        nodes: dict[str, URIRef] = {}
        for name in dict.fromkeys(names):
            node = find(name)
            if node is None or node in nodes.values():
                node = minted(namespace, name)
                self.graph.add((node, RDFS.label, Literal(name)))
            self.graph.add((node, RDF.type, kind))
            nodes[name] = node
        return nodes

    def _add_hierarchy(self) -> None:
        """The supertypes of PDDL hold in addition to the ontology's superclasses."""
        for item in self.domain.types:
            for parent in item.types:
                if parent not in ("object", item.name):
                    self.graph.add((self.classes[item.name], RDFS.subClassOf, self.classes[parent]))
        for name, node in self.actions.items():
            self.graph.add((node, RDFS.subClassOf, ONT.Action))
            self.graph.add((node, ONT.pddlName, Literal(name)))

    def _add_affordances(self) -> None:
        """Without affordances in the ontology, a class affords the actions that take it as a parameter."""
        for action in self.domain.actions:
            for parameter in action.parameters:
                required = [
                    part.predicate
                    for part in conjuncts(action.precondition)
                    if isinstance(part, Atom) and part.args == (parameter.name,) and part.predicate in self.kinds
                ]
                for kind in required or parameter.types:
                    self.graph.add((self.classes[kind], ONT.affords, self.actions[action.name]))

    def _add_locations(self) -> None:
        """Without locations in the ontology, every relation of two objects that actions change is one."""
        changing = self.changing - {item.name for item in self.domain.derived}
        for item in self.domain.predicates:
            if len(item.parameters) == 2 and item.name in changing:
                self.graph.add((self.predicates[item.name], RDFS.subPropertyOf, ONT.locatedAt))

    def _below(self, root: URIRef) -> dict[str, URIRef]:
        below = set(self.graph.transitive_subjects(RDFS.subPropertyOf, root))
        return {name: node for name, node in self.predicates.items() if node in below}

    def knowledge(self, own: URIRef, types: frozenset[Node], name: str) -> ClassKnowledge:
        """What the ontology says about an object with these classes, of which `own` is the one by which it is known.

        Objects with the same classes share one lookup, unless the ontology speaks of the object by itself.
        """
        node = minted(_INSTANCES, name)
        types |= frozenset(self.graph.objects(node, RDF.type))
        if (own, types) not in self._knowledge:
            self._knowledge[own, types] = self._class_knowledge(own, types)
        shared = self._knowledge[own, types]
        affords = self._property_names(self.graph.objects(node, ONT.affords))
        properties = self._property_names(self.graph.objects(node, ONT.hasProperty))
        return ClassKnowledge(shared.superclasses, shared.affordances | affords, shared.properties | properties)

    def _class_knowledge(self, own: URIRef, types: Iterable[Node]) -> ClassKnowledge:
        distance = self._distances([own])
        above = [*distance, *self._distances(types)]
        affordances = [
            node
            for node in above
            if any((node, word, ONT.Affordance) in self.graph for word in (RDFS.subClassOf, RDF.type))
        ]
        no_superclasses = (*affordances, own, ONT.Affordance, OWL.Thing, ONT.Object)
        superclasses = {node for node in above if isinstance(node, URIRef) and node not in no_superclasses}
        afforded = [thing for node in above for thing in self.graph.objects(node, ONT.affords)]
        return ClassKnowledge(
            tuple(sorted(superclasses, key=lambda node: (distance.get(node, len(distance)), node))),
            self._property_names([*affordances, *afforded]),
            self._property_names(thing for node in above for thing in self.graph.objects(node, ONT.hasProperty)),
        )

    def _distances(self, classes: Iterable[Node]) -> dict[Node, int]:
        distance = dict.fromkeys(classes, 0)
        queue = list(distance)
        for node in queue:
            for parent in self.graph.objects(node, RDFS.subClassOf):
                if parent not in distance:
                    distance[parent] = distance[node] + 1
                    queue.append(parent)
        return distance

    def _property_names(self, nodes: Iterable[Node]) -> frozenset[str]:
        # Nodes without a name, such as OWL's restrictions, mean nothing in a prompt.
        return frozenset(property_name(self.label(node)) for node in nodes if not isinstance(node, BNode))

    def label(self, node: Node) -> str:
        """What prompts call a class: its name in the ontology, or a type's name in capitals (``StoveBurner``)."""
        if isinstance(node, Literal):
            # Prompts have one line for each object.
            return " ".join(str(node).split())
        iri = str(node)
        if not iri.startswith((_TYPES, _ACTIONS)):
            return local_name(iri)
        name = str(self.graph.value(node, RDFS.label) or local_name(iri))
        return name if iri.startswith(_ACTIONS) or self._camel_labels[camel(name)] > 1 else camel(name)

    @cached_property
    def _camel_labels(self) -> Counter[str]:
        nodes = {node: name for name, node in self.classes.items()}
        return Counter(camel(name) if node.startswith(_TYPES) else local_name(node) for node, name in nodes.items())


class _OntologyNames:
    """The nodes of an ontology by the PDDL names that they stand for."""

    def __init__(self, graph: Graph):
        classes = {
            *graph.subjects(RDF.type, OWL.Class),
            *graph.subjects(RDF.type, RDFS.Class),
            *graph.subjects(RDFS.subClassOf),
            *graph.objects(predicate=RDFS.subClassOf),
        } - {ONT.Affordance, ONT.Property, ONT.Predicate, ONT.MacroAction}
        kinds = (RDF.Property, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.FunctionalProperty)
        properties = {
            *graph.subjects(RDFS.subPropertyOf),
            *(node for kind in kinds for node in graph.subjects(RDF.type, kind)),
        } - {ONT.affords, ONT.hasProperty, ONT.pddlName}
        actions = set(graph.transitive_subjects(RDFS.subClassOf, ONT.Action))
        # A type and an action may have the same name, and so may a predicate and a word of ontologies.
        self.class_of = _finder(graph, classes - actions)
        self.action_of = _finder(graph, actions - {ONT.Action})
        self.property_of = _finder(graph, properties)


def _finder(graph: Graph, nodes: Iterable[object]) -> Callable[[str], URIRef | None]:
    """Finds a node by its ``pddlName``, or by its own name if it has none; the first in the alphabet of several."""
    exact: dict[str, URIRef] = {}
    loose: dict[str, URIRef] = {}
    for node in sorted(node for node in nodes if isinstance(node, URIRef)):
        names = sorted(str(name).lower() for name in graph.objects(node, ONT.pddlName))
        for name in names:
            exact.setdefault(name, node)
        if not names:
            loose.setdefault(folded(local_name(node)), node)
    return lambda name: exact.get(name) or loose.get(folded(name))


# ── macro-actions in an ontology ─────────────────────────────────────────────────────────────────


def macro_triples(
    terms: OntologyTerms, description: str, actions: Sequence[GroundAction], classes: Mapping[str, URIRef]
) -> Iterator[tuple[Node, Node, Node]]:
    """A macro-action with parameters ``?x1``, ``?x2``, … for objects; ``classes`` has the class of each object.

    It is named by its content, so a macro-action that is learned twice stands in an ontology once.
    """
    objects = list(dict.fromkeys(name for action in actions for name in action.args))
    parameters = {name: f"?x{number}" for number, name in enumerate(objects, start=1)}
    steps = [str(GroundAction(step.name, tuple(parameters[name] for name in step.args))) for step in actions]
    content = "\n".join((description, *steps, *(classes[name] for name in objects)))
    macro = minted(_MACROS, hashlib.sha256(content.encode()).hexdigest()[:16])
    yield macro, RDFS.subClassOf, ONT.MacroAction
    yield macro, RDFS.label, Literal(description)
    for number, (action, text) in enumerate(zip(actions, steps, strict=True), start=1):
        step = URIRef(f"{macro}/step{number}")
        yield macro, ONT.step, step
        yield step, ONT.order, Literal(number)
        yield step, ONT.does, terms.actions[action.name]
        yield step, ONT.pddl, Literal(text)
    for number, name in enumerate(objects, start=1):
        parameter = URIRef(f"{macro}/parameter{number}")
        yield macro, ONT.parameter, parameter
        yield parameter, ONT.order, Literal(number)
        yield parameter, ONT.kind, classes[name]
        yield parameter, RDFS.label, Literal(parameters[name])
