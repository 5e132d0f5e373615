"""The knowledge graph: an ontology, the objects of a task, the present state, and all that was done.

It begins as a copy of the ontology and is updated after every action with the new state and the event (HVR paper,
section 2.1). Objects are chosen from it by what a model names (`select`), and what is known of them is asked for in
SPARQL (`about`): class, properties, capabilities, state, relations (section 3.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names, static_types
from pddl2nl.pddl import GroundAtom, Task
from pddl2nl.worlds.known import ClassFacts, Done, LearnedMacro, ObjectFacts
from pddl2nl.worlds.ontology import Ontology
from pddl2nl.worlds.retrieval import Choices, Selection
from pddl2nl.worlds.similarity import Embed, Vectors
from pddl2nl.worlds.triples import Triple, triple_of
from pddl2nl.worlds.vocabulary import require_rdflib, said_property
from pddlval import GroundAction, State

if TYPE_CHECKING:
    from rdflib import URIRef

__all__ = ["ClassFacts", "Done", "KnowledgeGraph", "LearnedMacro", "ObjectFacts"]


class KnowledgeGraph:
    """The knowledge graph of an agent at one task.

    Args:
        task: the task; its initial state is the first present one.
        ontology: None for the one that the domain makes by itself.
        names: what the objects are called in language; None where PDDL's names are used.

    Raises:
        MissingExtraError: rdflib is not installed.

    ``graph`` is the graph of rdflib itself, for further questions.
    """

    def __init__(self, task: Task, ontology: Ontology | None = None, names: Names | None = None):
        require_rdflib()
        from pddl2nl.worlds.event_graph import EventGraph
        from pddl2nl.worlds.fact_graph import FactGraph
        from pddl2nl.worlds.terms import Terms

        self.task = task
        self._ontology = ontology
        self._names = names or Names({name: name for name in task.objects}, "original")
        self._terms = Terms(task.domain, ontology)
        self.graph = self._terms.graph
        self._facts = FactGraph(self.graph, self._terms, task.objects)
        self._events = EventGraph(self.graph, self._terms, self._facts)
        self._predicate_order = {item.name: number for number, item in enumerate(task.domain.predicates)}
        self._object_order = {name: number for number, name in enumerate(task.objects)}
        self._classes = self._add_instances()
        self._above: dict[str, tuple[URIRef, ...]] = {}
        self._lasting: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        # What was asked for and did not change since: whole-graph prompts ask for everything at every turn.
        self._known_facts: dict[str, ObjectFacts] = {}
        self._vectors: Vectors | None = None
        problem = task.problem
        values = {item.fluent: item.value for item in problem.init_values if isinstance(item.value, Fraction)}
        self._facts.replace(frozenset(problem.init), values)

    def _add_instances(self) -> dict[str, URIRef]:
        """The objects with their classes; gives the class of each by which it is known."""
        from rdflib import RDF, RDFS, Literal

        kinds = {} if self._terms.typed else static_types(self.task)
        known: dict[str, URIRef] = {}
        for name, item in self.task.objects.items():
            node = self._facts.nodes[name]
            types = [kinds[name]] if name in kinds else list(item.types)
            if kinds:
                types += [
                    atom[0] for atom in self.task.problem.init if atom[1:] == (name,) and atom[0] in self._terms.kinds
                ]
            known[name] = self._terms.classes[types[0]]
            for kind in types:
                self.graph.add((node, RDF.type, self._terms.classes[kind]))
            self.graph.add((node, RDFS.label, Literal(self._names.to_nl.get(name, name))))
        return known

    # ── what happens ─────────────────────────────────────────────────────────────────────────────

    def update(
        self,
        state: State,
        event: GroundAction | None = None,
        step: int = 0,
        outcome: str = "executed",
        *,
        macro: int = 0,
        attempt: int = 0,
    ) -> None:
        """Makes a state the present one, and records the event that led to it.

        Args:
            state: the new state.
            event: the action, None where nothing was done.
            step: its number, from 1.
            outcome: what came of it: ``executed``, ``expected`` (in the ideal world), or what else the caller says.
            macro: the macro-action that it was part of, 0 for none.
            attempt: the macro plan of that.
        """
        for name in self._facts.replace(state.atoms, state.values):
            self._known_facts.pop(name, None)
        if event is not None:
            self._events.record(event, step, outcome, attempt, macro)

    def record_macro(
        self,
        number: int,
        description: str,
        *,
        attempt: int = 1,
        precondition: str = "",
        effect: str = "",
        outcome: str = "",
    ) -> None:
        """Records a macro-action; said again for the same number and attempt, it replaces what was said before.

        ``outcome`` is what came of its expansion, in the caller's words; ``failed`` keeps it from being `learned`.
        """
        self._events.record_macro(attempt, number, description, precondition, effect, outcome)

    def history(self, outcome: str | None = None) -> tuple[Done, ...]:
        """All events in the order in which they were recorded, or those of one outcome."""
        return tuple(
            Done(step, action, said, attempt, macro)
            for step, action, said, attempt, macro in self._events.history()
            if outcome is None or said == outcome
        )

    def learned(self, outcome: str = "executed", expected: str = "expected") -> Ontology:
        """The ontology with the macro-actions of this task in it, once the task has succeeded (HVR paper, section 2.5).

        Their steps are the events of that outcome that were recorded as part of them. A macro-action that was recorded
        as ``failed``, or that was not carried out as expected to its end, is left out. Objects become parameters, each
        with its class, so the same macro learned twice stands in the ontology once.
        """
        from pddl2nl.worlds.ontology_graph import empty_graph, graph_text, read_graph
        from pddl2nl.worlds.terms import Terms

        graph = empty_graph()
        if self._ontology is None:
            graph += Terms(self.task.domain).graph
        else:
            graph += read_graph(self._ontology.turtle, self._ontology.name)
        self._events.transfer(graph, outcome, expected, self._classes)
        name = self._ontology.name if self._ontology is not None else f"<ontology of {self.task.domain.name}>"
        return Ontology(graph_text(graph), name)

    def macros(self) -> tuple[LearnedMacro, ...]:
        """The macro-actions of earlier tasks that the ontology has (`learned`), in the order of their descriptions."""
        return tuple(
            LearnedMacro(description, steps, tuple(map(self._terms.said, kinds)))
            for description, steps, kinds in self._events.learned()
        )

    # ── what is known ────────────────────────────────────────────────────────────────────────────

    def available(self, name: str) -> bool:
        """Whether an object exists at present: it does not lie dormant by what the ontology says of existence."""
        for predicates, wanted in ((self._terms.existence, True), (self._terms.absence, False)):
            for predicate in predicates:
                declared = self.task.domain.predicate(predicate)
                if declared is None or len(declared.parameters) != 1:
                    continue
                concerned = self.task.is_a(name, declared.parameters[0].types)
                if concerned and (GroundAtom((predicate, name)) in self._facts.atoms) != wanted:
                    return False
        return True

    def objects(self) -> tuple[str, ...]:
        """The available objects, by their PDDL names, in the order of their declaration."""
        return tuple(name for name in self.task.objects if self.available(name))

    def kind(self, name: str) -> str:
        """What the class of an object is called."""
        return self._terms.said(self._classes[self._known(name)])

    def classes(self, objects: Iterable[str] | None = None) -> tuple[ClassFacts, ...]:
        """The classes of some objects, None for all available ones, in the order of their first objects."""
        members: dict[URIRef, list[str]] = {}
        for name in self.objects() if objects is None else dict.fromkeys(objects):
            members.setdefault(self._classes[self._known(name)], []).append(name)
        return tuple(self._class_facts(node, tuple(names)) for node, names in members.items())

    def _class_facts(self, node: URIRef, names: tuple[str, ...]) -> ClassFacts:
        facts = self.about(names)
        shared = [
            _common([getattr(one, part) for one in facts]) for part in ("superclasses", "affordances", "properties")
        ]
        return ClassFacts(self._terms.said(node), shared[0], shared[1], shared[2], names)

    def about(self, objects: Iterable[str]) -> tuple[ObjectFacts, ...]:
        """What is known of some objects at present, in the order given, each once.

        Raises:
            InputError: the task has no such object.
        """
        return tuple(self._about(self._known(name)) for name in dict.fromkeys(objects))

    def _about(self, name: str) -> ObjectFacts:
        if name in self._known_facts:
            return self._known_facts[name]
        atoms, values = self._facts.about(name)
        facts = tuple(sorted(atoms, key=self._order))
        affordances, properties = self._at_all_times(name)
        alone = [atom[0] for atom in facts if len(atom) == 2]
        affordances |= {said_property(predicate) for predicate in alone if predicate in self._terms.affording}
        # Of a kind that a predicate makes, it says what the object is and not what it is like.
        properties |= {
            said_property(predicate)
            for predicate in alone
            if predicate not in self._terms.changing and predicate not in self._terms.kinds
        }
        found = self._known_facts[name] = ObjectFacts(
            name,
            self.kind(name),
            tuple(self._terms.said(node) for node in self._superclasses(name)),
            tuple(sorted(affordances)),
            tuple(sorted(properties - affordances)),
            facts,
            tuple(sorted(self._facts.mentions(name), key=self._order)),
            tuple(sorted(values)),
        )
        return found

    def _at_all_times(self, name: str) -> tuple[set[str], set[str]]:
        """Affordances and properties that the ontology gives an object, whatever the state."""
        from pddl2nl.worlds.queries import AFFORDANCES, PROPERTIES

        if name not in self._lasting:
            affordances, properties = (
                frozenset(said_property(self._terms.said(node)) for node in self._ask(query, name))
                for query in (AFFORDANCES, PROPERTIES)
            )
            self._lasting[name] = affordances, properties
        affordances, properties = self._lasting[name]
        return set(affordances), set(properties)

    def facts_of_world(self) -> tuple[GroundAtom, ...]:
        """The true atoms without objects, such as ``(hand-empty)``."""
        return tuple(sorted(self._facts.about(None)[0], key=self._order))

    def values_of_world(self) -> tuple[tuple[GroundAtom, Fraction], ...]:
        """The values of the fluents without objects, such as ``(total-cost)``."""
        return tuple(sorted(self._facts.about(None)[1]))

    def location_triples(self, objects: Iterable[str] | None = None) -> tuple[Triple, ...]:
        """Where objects are, as triples of told names: ``(egg_1, inside, fridge_1)``.

        Args:
            objects: those that are located; None for all available ones.
        """
        wanted = frozenset(self.objects() if objects is None else map(self._known, objects))
        places = dict.fromkeys(self._terms.locations, 1) | dict.fromkeys(self._terms.locating, 2)
        found = [
            atom
            for atom in self._facts.atoms
            if len(atom) == 3 and atom[0] in places and atom[places[atom[0]]] in wanted
        ]
        found.sort(key=lambda atom: (self._object_order[atom[places[atom[0]]]], self._order(atom)))
        return tuple(triple_of(atom, self._names.to_nl) for atom in found)

    # ── what is chosen ───────────────────────────────────────────────────────────────────────────

    def select(self, said: Sequence[str], embed: Embed | None = None) -> Selection:
        """The available objects that a model means by what it names, and what these are in or on.

        Args:
            said: one name a text: of an object or of a class, as the model wrote it (`retrieval.said_objects`).
            embed: gives embeddings, by which names that are none of the graph's find the nearest; None for letters.

        Raises:
            InfrastructureError: the embeddings cannot be had.
        """
        if embed is not None and (self._vectors is None or self._vectors.embed != embed):
            self._vectors = Vectors(embed)
        available = self.objects()
        members: dict[str, list[str]] = {}
        for name in available:
            for node in (self._classes[name], *self._superclasses(name)):
                members.setdefault(self._terms.said(node), []).append(name)
        choices = Choices(available, members, self._names)
        chosen, unknown = choices.meant(said, self._vectors if embed is not None else None)
        return Selection(chosen, self._around(chosen), unknown)

    def _around(self, chosen: Sequence[str]) -> tuple[str, ...]:
        from pddl2nl.worlds.queries import around

        query = around(self._terms.locations.values(), self._terms.locating.values())
        if not query:
            return ()
        found = {self._facts.name(node) for name in chosen for node in self._ask(query, name)}
        return tuple(name for name in self.objects() if name in found and name not in chosen)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def turtle(self) -> str:
        """The whole graph in Turtle."""
        from pddl2nl.worlds.ontology_graph import graph_text

        return graph_text(self.graph)

    def _ask(self, query: str, name: str) -> list[URIRef]:
        """What a query with one answer a row finds for an object, in no particular order."""
        from rdflib import BNode

        from pddl2nl.worlds.queries import rows

        # Nodes without a name, such as OWL's restrictions, say nothing in a prompt.
        found = (row[0] for row in rows(self.graph, query, object=self._facts.nodes[name]))
        return [node for node in found if not isinstance(node, BNode)]

    def _superclasses(self, name: str) -> tuple[URIRef, ...]:
        """All other classes of an object, those nearest to its own first; worked out once a class where it has one."""
        from pddl2nl.worlds.queries import CLASSES

        if name not in self._above:
            own = self._classes[name]
            found = [node for node in self._ask(CLASSES, name) if node != own]
            self._above[name] = self._terms.by_distance(own, found)
        return self._above[name]

    def _known(self, name: str) -> str:
        if name not in self.task.objects:
            raise InputError(f"the task has no object '{name}'")
        return name

    def _order(self, atom: GroundAtom) -> tuple[int, ...]:
        return self._predicate_order[atom[0]], *(self._object_order[name] for name in atom[1:])


def _common(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all have in common, in the order of the first."""
    return tuple(part for part in parts[0] if all(part in other for other in parts[1:])) if parts else ()
