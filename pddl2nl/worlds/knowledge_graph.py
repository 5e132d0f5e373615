"""The knowledge graph: an ontology, the objects of a task, the present state, and the actions carried out.

It starts as a copy of the ontology and gets the new state and the event after every action (HVR paper, section 2.1).
Objects are selected by the names that a model gives (`KnowledgeGraph.select`); `KnowledgeGraph.about` gives their
class, properties, capabilities, state and relations (section 3.3). `KnowledgeGraph.graph` is all of it in RDF.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names, static_types
from pddl2nl.pddl import GroundAtom, Task
from pddl2nl.worlds.ontology import Ontology, require_rdflib
from pddl2nl.worlds.retrieval import Choices, Selection
from pddl2nl.worlds.similarity import Embed, Vectors
from pddl2nl.worlds.triples import Triple, triple_of
from pddlval import GroundAction, State

if TYPE_CHECKING:
    from rdflib import Graph, URIRef

    from pddl2nl.worlds.ontology_graph import ClassKnowledge


@dataclass(frozen=True)
class ClassFacts:
    """What is known of a class.

    Attributes:
        name: the class, as prompts call it.
        affordances: what can be done with its instances (``pickupable``).
        properties: what its instances are like at all times.
        objects: the available objects that have it as their own class, by their PDDL names.
    """

    name: str
    affordances: tuple[str, ...]
    properties: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class ObjectFacts:
    """What is known of an object.

    Attributes:
        name: the object, by its PDDL name.
        kind: its class, as prompts call it.
        superclasses: the classes above that, the nearest first.
        affordances: what can be done with it.
        properties: what it is like at all times: from the ontology, and from predicates that no action changes.
        facts: the true atoms with it as first argument, in the domain's order of predicates.
        mentions: the true atoms with it as a later argument only.
        values: the values of the fluents with it as first argument.
    """

    name: str
    kind: str
    superclasses: tuple[str, ...]
    affordances: tuple[str, ...]
    properties: tuple[str, ...]
    facts: tuple[GroundAtom, ...]
    mentions: tuple[GroundAtom, ...]
    values: tuple[tuple[GroundAtom, Fraction], ...]


@dataclass(frozen=True)
class KnownEvent:
    """An action that was carried out.

    ``step`` is its number, ``outcome`` what came of it, in the caller's words, and ``macro`` the macro-action that it
    was part of, in words.
    """

    step: int
    action: GroundAction
    outcome: str
    macro: str = ""


class _StateIndex:
    """The facts of a state by the objects that they are about; None stands for no object."""

    def __init__(self, atoms: Collection[GroundAtom], values: Mapping[GroundAtom, Fraction]):
        self.atoms, self.all_values = atoms, values
        self.facts: defaultdict[str | None, list[GroundAtom]] = defaultdict(list)
        self.mentions: defaultdict[str, list[GroundAtom]] = defaultdict(list)
        self.values: defaultdict[str | None, list[tuple[GroundAtom, Fraction]]] = defaultdict(list)
        for atom in atoms:
            self.facts[_first(atom)].append(atom)
            for name in {*atom[2:]} - {*atom[1:2]}:
                self.mentions[name].append(atom)
        for fluent in sorted(values):
            self.values[_first(fluent)].append((fluent, values[fluent]))


def _first(atom: GroundAtom) -> str | None:
    return atom[1] if len(atom) > 1 else None


class KnowledgeGraph:
    """The knowledge graph of an agent for one task.

    Args:
        task: the task; the graph starts with its initial state.
        ontology: None for the one that the domain makes by itself.
        names: what the objects are called in language; None for PDDL's names.

    Attributes:
        history: the events, in the order in which they were recorded.

    Raises:
        MissingExtraError: rdflib is not installed.
    """

    def __init__(self, task: Task, ontology: Ontology | None = None, names: Names | None = None):
        require_rdflib()
        from pddl2nl.worlds.ontology_graph import OntologyTerms, read_graph

        self.task = task
        self.history: list[KnownEvent] = []
        self._ontology = ontology
        self._names = names or Names({name: name for name in task.objects}, "original")
        self._terms = OntologyTerms(
            task.domain, None if ontology is None else read_graph(ontology.turtle, ontology.name)
        )
        self._types = self._types_of_objects()
        self._predicate_order = {item.name: number for number, item in enumerate(task.domain.predicates)}
        self._object_order = {name: number for number, name in enumerate(task.objects)}
        self._vectors: Vectors | None = None
        values = {item.fluent: item.value for item in task.problem.init_values if isinstance(item.value, Fraction)}
        self._index = _StateIndex(frozenset(task.problem.init), values)

    def _types_of_objects(self) -> dict[str, tuple[str, ...]]:
        """The types of each object; the first is the one by which it is known."""
        if self._terms.typed:
            return {name: tuple(item.types) for name, item in self.task.objects.items()}
        own = static_types(self.task)
        others: defaultdict[str, list[str]] = defaultdict(list)
        for atom in self.task.problem.init:
            if len(atom) == 2 and atom[0] in self._terms.kinds:
                others[atom[1]].append(atom[0])
        return {
            name: (*((own[name],) if name in own else item.types), *others[name])
            for name, item in self.task.objects.items()
        }

    def update(
        self, state: State, event: GroundAction | None = None, step: int = 0, outcome: str = "executed", macro: str = ""
    ) -> None:
        """Makes a state the present one, and records the action that led to it, if any; see `KnownEvent`."""
        self._index = _StateIndex(state.atoms, state.values)
        if event is not None:
            self.history.append(KnownEvent(step, event, outcome, macro))

    # ── RDF ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def graph(self) -> Graph:
        """The present graph as a new `rdflib.Graph`, for SPARQL queries."""
        from pddl2nl.worlds.ontology_graph import empty_graph
        from pddl2nl.worlds.task_graph import event_triples, fact_triples, object_triples

        graph = empty_graph()
        graph += self._terms.graph
        for name, types in self._types.items():
            graph += object_triples(self._terms, name, types, self._told(name))
        for atom in self._index.atoms:
            graph += fact_triples(self._terms, atom)
        for fluent, value in self._index.all_values.items():
            graph += fact_triples(self._terms, fluent, value)
        for number, event in enumerate(self.history, start=1):
            about = {key: value for key, value in asdict(event).items() if key != "action" and value}
            graph += event_triples(self._terms, number, event.action, about)
        return graph

    def turtle(self) -> str:
        """The whole graph in Turtle."""
        from pddl2nl.worlds.ontology_graph import graph_text

        return graph_text(self.graph)

    def learned(self, macros: Iterable[tuple[str, Sequence[GroundAction]]]) -> Ontology:
        """The ontology with macro-actions of this task added (HVR paper, section 2.5): descriptions and actions."""
        from pddl2nl.worlds.ontology_graph import empty_graph, graph_text, read_graph
        from pddl2nl.worlds.task_graph import macro_triples

        known = self._ontology
        graph = empty_graph()
        graph += self._terms.graph if known is None else read_graph(known.turtle, known.name)
        classes = {name: self._class(name) for name in self.task.objects}
        for description, actions in macros:
            graph += macro_triples(self._terms, description, actions, classes)
        return Ontology(graph_text(graph), f"<ontology of {self.task.domain.name}>" if known is None else known.name)

    # ── what is known ────────────────────────────────────────────────────────────────────────────

    def available(self, name: str) -> bool:
        """Whether an object exists at present, by the ontology's predicates of existence and absence."""
        for predicates, wanted in ((self._terms.existence, True), (self._terms.absence, False)):
            for predicate in predicates:
                declared = self.task.domain.predicate(predicate)
                if declared is None or len(declared.parameters) != 1:
                    continue
                concerned = self.task.is_a(name, declared.parameters[0].types)
                if concerned and (GroundAtom((predicate, name)) in self._index.atoms) != wanted:
                    return False
        return True

    def objects(self) -> tuple[str, ...]:
        """The available objects, by their PDDL names, in the order of their declaration."""
        return tuple(name for name in self.task.objects if self.available(name))

    def kind(self, name: str) -> str:
        """The class of an object, as prompts call it."""
        return self._terms.label(self._class(name))

    def classes(self, objects: Iterable[str] | None = None) -> tuple[ClassFacts, ...]:
        """The classes of some objects, None for all available ones, in the order of their first objects."""
        members: dict[URIRef, list[str]] = {}
        for name in self.objects() if objects is None else dict.fromkeys(objects):
            members.setdefault(self._class(name), []).append(name)
        return tuple(self._class_facts(self._terms.label(node), names) for node, names in members.items())

    def _class_facts(self, label: str, names: Sequence[str]) -> ClassFacts:
        first, *others = self.about(names)
        affordances = [item for item in first.affordances if all(item in other.affordances for other in others)]
        properties = [item for item in first.properties if all(item in other.properties for other in others)]
        return ClassFacts(label, tuple(affordances), tuple(properties), tuple(names))

    def about(self, objects: Iterable[str]) -> tuple[ObjectFacts, ...]:
        """What is known of some objects at present, in the order given, each once.

        Raises:
            InputError: the task has no such object.
        """
        return tuple(map(self._about, dict.fromkeys(objects)))

    def _about(self, name: str) -> ObjectFacts:
        terms, ontology = self._terms, self._from_ontology(name)
        facts = self._sorted(self._index.facts.get(name, ()))
        alone = {atom[0] for atom in facts if len(atom) == 2}
        affordances = ontology.affordances | (alone & terms.affording.keys())
        # A predicate that is a class says what the object is, not what it is like.
        properties = ontology.properties | (alone - terms.changing - {*terms.kinds})
        return ObjectFacts(
            name,
            self.kind(name),
            tuple(map(terms.label, ontology.superclasses)),
            tuple(sorted(affordances)),
            tuple(sorted(properties - affordances)),
            facts,
            self._sorted(self._index.mentions.get(name, ())),
            tuple(self._index.values.get(name, ())),
        )

    def _from_ontology(self, name: str) -> ClassKnowledge:
        own = self._class(name)
        return self._terms.knowledge(own, frozenset(self._terms.classes[kind] for kind in self._types[name]), name)

    def facts_of_world(self) -> tuple[GroundAtom, ...]:
        """The true atoms without objects, such as ``(hand-empty)``."""
        return self._sorted(self._index.facts.get(None, ()))

    def values_of_world(self) -> tuple[tuple[GroundAtom, Fraction], ...]:
        """The values of the fluents without objects, such as ``(total-cost)``."""
        return tuple(self._index.values.get(None, ()))

    def location_triples(self, objects: Iterable[str] | None = None) -> tuple[Triple, ...]:
        """Where objects are, as triples of told names: ``(egg_1, inside, fridge_1)``.

        Args:
            objects: the located objects; None for all available ones.
        """
        wanted = frozenset(self.objects() if objects is None else objects)
        places = dict.fromkeys(self._terms.locations, 1) | dict.fromkeys(self._terms.locating, 2)
        located = [
            (self._object_order[atom[places[atom[0]]]], self._order(atom), atom)
            for atom in self._index.atoms
            if len(atom) == 3 and atom[0] in places and atom[places[atom[0]]] in wanted
        ]
        return tuple(triple_of(atom, self._names.to_nl) for _, _, atom in sorted(located))

    # ── selection ────────────────────────────────────────────────────────────────────────────────

    def select(self, said: Sequence[str], embed: Embed | None = None) -> Selection:
        """The available objects that a model means by the names it gives, and the objects that these are in or on.

        Args:
            said: the names of objects or classes, as the model wrote them (`retrieval.said_objects`).
            embed: computes embeddings, to find the nearest name for an unknown one; None compares letters.

        Raises:
            InfrastructureError: the embeddings cannot be computed.
        """
        if embed is not None and (self._vectors is None or self._vectors.embed != embed):
            self._vectors = Vectors(embed)
        available = self.objects()
        members: defaultdict[str, list[str]] = defaultdict(list)
        for name in available:
            for node in (self._class(name), *self._from_ontology(name).superclasses):
                members[self._terms.label(node)].append(name)
        choices = Choices(available, members, self._names)
        chosen, unknown = choices.meant(said, self._vectors if embed is not None else None)
        places = self._places_of(chosen)
        around = tuple(name for name in available if name in places and name not in chosen)
        return Selection(chosen, around, unknown)

    def _places_of(self, objects: Iterable[str]) -> set[str]:
        """What some objects are in, on or at, what that is in, and so on."""
        around: set[str] = set()
        queue = list(objects)
        for name in queue:
            facts, mentions = self._index.facts.get(name, ()), self._index.mentions.get(name, ())
            places = {atom[2] for atom in facts if len(atom) == 3 and atom[0] in self._terms.locations}
            places |= {atom[1] for atom in mentions if len(atom) == 3 and atom[0] in self._terms.locating}
            queue.extend(places - around)
            around |= places
        return around

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _class(self, name: str) -> URIRef:
        if name not in self._types:
            raise InputError(f"the task has no object '{name}'")
        return self._terms.classes[self._types[name][0]]

    def _told(self, name: str) -> str:
        return self._names.to_nl.get(name, name)

    def _sorted(self, atoms: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
        return tuple(sorted(atoms, key=self._order))

    def _order(self, atom: GroundAtom) -> tuple[int, ...]:
        return self._predicate_order[atom[0]], *(self._object_order[name] for name in atom[1:])
