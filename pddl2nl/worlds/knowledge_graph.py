"""The knowledge graph: an ontology, the objects of a task, the present state, and the actions carried out.

It starts as a copy of the ontology and gets the new state and the event after every action (HVR paper, section 2.1).
Objects are selected by the names that a model gives (`KnowledgeGraph.select`); `KnowledgeGraph.about` gives their
class, properties, capabilities, state and relations (section 3.3). Everything is in ``graph`` as RDF triples, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names, static_types
from pddl2nl.pddl import GroundAtom, Task
from pddl2nl.worlds.ontology import Ontology, domain_ontology, require_rdflib
from pddl2nl.worlds.retrieval import Choices, Selection
from pddl2nl.worlds.similarity import Embed, Vectors
from pddl2nl.worlds.triples import Triple, triple_of
from pddlval import GroundAction, State

if TYPE_CHECKING:
    from rdflib import URIRef

    from pddl2nl.worlds.ontology_graph import ClassKnowledge

__all__ = ["ClassFacts", "Done", "KnowledgeGraph", "LearnedMacro", "ObjectFacts"]


@dataclass(frozen=True)
class ClassFacts:
    """What is known of a class.

    Attributes:
        name: the class, as prompts call it.
        superclasses: the classes above it, the nearest first.
        affordances: what can be done with its instances (``pickupable``).
        properties: what its instances are like at all times.
        objects: the available objects that have it as their own class, by their PDDL names.
    """

    name: str
    superclasses: tuple[str, ...]
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

    @property
    def states(self) -> tuple[GroundAtom, ...]:
        """The facts about this object alone."""
        return tuple(atom for atom in self.facts if len(atom) == 2)

    @property
    def relations(self) -> tuple[GroundAtom, ...]:
        """The facts that relate it to other objects."""
        return tuple(atom for atom in self.facts if len(atom) > 2)


@dataclass(frozen=True)
class Done:
    """An event: an action that was carried out, or expected.

    ``step`` and ``outcome`` are the caller's; ``macro`` is the macro-action that the action was part of, and
    ``attempt`` the macro plan of that (0 for none).
    """

    step: int
    action: GroundAction
    outcome: str
    attempt: int = 0
    macro: int = 0


@dataclass(frozen=True)
class LearnedMacro:
    """A macro-action of an earlier task, as the ontology keeps it.

    ``steps`` are PDDL actions with parameters ``?x1``, ``?x2``, … for objects; ``kinds`` are the parameters' classes.
    """

    description: str
    steps: tuple[str, ...]
    kinds: tuple[str, ...]


class KnowledgeGraph:
    """The knowledge graph of an agent for one task.

    Args:
        task: the task; the graph starts with its initial state.
        ontology: None for the one that the domain makes by itself.
        names: what the objects are called in language; None for PDDL's names.

    Raises:
        MissingExtraError: rdflib is not installed.

    ``graph`` is the `rdflib.Graph`, for SPARQL queries of your own.
    """

    def __init__(self, task: Task, ontology: Ontology | None = None, names: Names | None = None):
        require_rdflib()
        from pddl2nl.worlds.ontology_graph import Terms, read_graph
        from pddl2nl.worlds.task_graph import TaskGraph

        self.task = task
        self._ontology = ontology
        self._names = names or Names({name: name for name in task.objects}, "original")
        self._terms = Terms(task.domain, None if ontology is None else read_graph(ontology.turtle, ontology.name))
        self._triples = TaskGraph(self._terms, task.objects)
        self.graph = self._terms.graph
        self._predicate_order = {item.name: number for number, item in enumerate(task.domain.predicates)}
        self._object_order = {name: number for number, name in enumerate(task.objects)}
        self._classes = self._add_objects()
        self._atoms: frozenset[GroundAtom] = frozenset()
        self._values: dict[GroundAtom, Fraction] = {}
        # The present state by first argument (None: no arguments) and by later arguments.
        self._atoms_of: defaultdict[str | None, set[GroundAtom]] = defaultdict(set)
        self._values_of: defaultdict[str | None, set[GroundAtom]] = defaultdict(set)
        self._mentions_of: defaultdict[str, set[GroundAtom]] = defaultdict(set)
        self._history: list[Done] = []
        self._vectors: Vectors | None = None
        values = {item.fluent: item.value for item in task.problem.init_values if isinstance(item.value, Fraction)}
        self._set_state(frozenset(task.problem.init), values)

    def _add_objects(self) -> dict[str, URIRef]:
        """Adds the objects with their classes; returns the class by which each is known."""
        kinds = {} if self._terms.typed else static_types(self.task)
        others: defaultdict[str, list[str]] = defaultdict(list)
        if kinds:
            for atom in self.task.problem.init:
                if len(atom) == 2 and atom[0] in self._terms.kinds:
                    others[atom[1]].append(atom[0])
        known: dict[str, URIRef] = {}
        for name, item in self.task.objects.items():
            types = [kinds[name]] if name in kinds else list(item.types)
            known[name] = self._terms.classes[types[0]]
            self._triples.add_object(name, (*types, *others[name]), self._names.to_nl.get(name, name))
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
            event: the action; None if there was none.
            step: its number, from 1.
            outcome: what came of it: ``executed``, ``expected`` (in the model), or a word of the caller's.
            macro: the macro-action that it was part of, 0 for none.
            attempt: the macro plan of that.
        """
        self._set_state(state.atoms, state.values)
        if event is not None:
            self._history.append(Done(step, event, outcome, attempt if macro else 0, macro))
            self._triples.add_event(event, step, outcome, attempt, macro)

    def _set_state(self, atoms: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> None:
        for atom in self._atoms - atoms:
            self._triples.remove(atom)
            self._atoms_of[_first(atom)].discard(atom)
            for name in atom[2:]:
                self._mentions_of[name].discard(atom)
        for atom in atoms - self._atoms:
            self._triples.add(atom)
            self._atoms_of[_first(atom)].add(atom)
            for name in atom[2:]:
                if name != atom[1]:
                    self._mentions_of[name].add(atom)
        for fluent in self._values.keys() | values.keys():
            before, after = self._values.get(fluent), values.get(fluent)
            if before == after:
                continue
            if before is not None:
                self._triples.remove(fluent, before)
                self._values_of[_first(fluent)].discard(fluent)
            if after is not None:
                self._triples.add(fluent, after)
                self._values_of[_first(fluent)].add(fluent)
        self._atoms, self._values = atoms, dict(values)

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
        """Records a macro-action, in place of an earlier record with the same number and attempt.

        ``outcome`` is what came of its expansion, in the caller's words; ``failed`` excludes it from `learned`.
        """
        texts = {"description": description, "precondition": precondition, "effect": effect, "outcome": outcome}
        self._triples.set_macro(attempt, number, texts)

    def history(self, outcome: str | None = None) -> tuple[Done, ...]:
        """All events in the order in which they were recorded, or those with one outcome."""
        return tuple(event for event in self._history if outcome is None or event.outcome == outcome)

    def learned(self, outcome: str = "executed", expected: str = "expected") -> Ontology:
        """The ontology with this task's macro-actions added, for a task that was solved (HVR paper, section 2.5).

        The steps of a macro-action are the events with that outcome that were recorded as part of it; if any were
        expected, they must be those. A macro-action with the outcome ``failed`` is skipped. Objects become parameters,
        each with its class, so a macro-action that is learned twice stands in the ontology once.
        """
        from pddl2nl.worlds.ontology_graph import empty_graph, graph_text, read_graph

        ontology = self._ontology or domain_ontology(self.task.domain)
        graph = empty_graph()
        graph += read_graph(ontology.turtle, ontology.name)
        steps: dict[tuple[int, int], defaultdict[str, list[GroundAction]]] = {}
        for event in self._history:
            if event.macro:
                by_outcome = steps.setdefault((event.attempt, event.macro), defaultdict(list))
                by_outcome[event.outcome].append(event.action)
        for key, by_outcome in steps.items():
            carried_out = by_outcome.get(outcome)
            if carried_out and by_outcome.get(expected, carried_out) == carried_out:
                self._triples.copy_macro(graph, key, carried_out, self._classes)
        return Ontology(graph_text(graph), ontology.name)

    def macros(self) -> tuple[LearnedMacro, ...]:
        """The macro-actions that the ontology has from earlier tasks (`learned`), ordered by description."""
        from pddl2nl.worlds.task_graph import learned_macros

        return tuple(
            LearnedMacro(description, steps, tuple(map(self._terms.label, kinds)))
            for description, steps, kinds in learned_macros(self.graph)
        )

    # ── what is known ────────────────────────────────────────────────────────────────────────────

    def available(self, name: str) -> bool:
        """Whether an object exists at present, by the ontology's predicates of existence and absence."""
        for predicates, wanted in ((self._terms.existence, True), (self._terms.absence, False)):
            for predicate in predicates:
                declared = self.task.domain.predicate(predicate)
                if declared is None or len(declared.parameters) != 1:
                    continue
                concerned = self.task.is_a(name, declared.parameters[0].types)
                if concerned and (GroundAtom((predicate, name)) in self._atoms) != wanted:
                    return False
        return True

    def objects(self) -> tuple[str, ...]:
        """The available objects, by their PDDL names, in the order of their declaration."""
        return tuple(name for name in self.task.objects if self.available(name))

    def kind(self, name: str) -> str:
        """The class of an object, as prompts call it."""
        return self._terms.label(self._classes[self._known(name)])

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
        return ClassFacts(self._terms.label(node), shared[0], shared[1], shared[2], names)

    def about(self, objects: Iterable[str]) -> tuple[ObjectFacts, ...]:
        """What is known of some objects at present, in the order given, each once.

        Raises:
            InputError: the task has no such object.
        """
        return tuple(self._about(self._known(name)) for name in dict.fromkeys(objects))

    def _about(self, name: str) -> ObjectFacts:
        terms, ontology = self._terms, self._from_ontology(name)
        facts = tuple(sorted(self._atoms_of.get(name, ()), key=self._order))
        alone = [atom[0] for atom in facts if len(atom) == 2]
        affordances = ontology.affordances | {predicate for predicate in alone if predicate in terms.affording}
        # A predicate that is a class says what the object is, not what it is like.
        properties = ontology.properties | {
            predicate for predicate in alone if predicate not in terms.changing and predicate not in terms.kinds
        }
        return ObjectFacts(
            name,
            self.kind(name),
            tuple(map(terms.label, ontology.superclasses)),
            tuple(sorted(affordances)),
            tuple(sorted(properties - affordances)),
            facts,
            tuple(sorted(self._mentions_of.get(name, ()), key=self._order)),
            self._values_at(name),
        )

    def _from_ontology(self, name: str) -> ClassKnowledge:
        return self._terms.knowledge(self._classes[name], self._triples.nodes[name])

    def _values_at(self, name: str | None) -> tuple[tuple[GroundAtom, Fraction], ...]:
        return tuple((fluent, self._values[fluent]) for fluent in sorted(self._values_of.get(name, ())))

    def facts_of_world(self) -> tuple[GroundAtom, ...]:
        """The true atoms without objects, such as ``(hand-empty)``."""
        return tuple(sorted(self._atoms_of.get(None, ()), key=self._order))

    def values_of_world(self) -> tuple[tuple[GroundAtom, Fraction], ...]:
        """The values of the fluents without objects, such as ``(total-cost)``."""
        return self._values_at(None)

    def location_triples(self, objects: Iterable[str] | None = None) -> tuple[Triple, ...]:
        """Where objects are, as triples of told names: ``(egg_1, inside, fridge_1)``.

        Args:
            objects: the located objects; None for all available ones.
        """
        wanted = frozenset(self.objects() if objects is None else map(self._known, objects))
        places = dict.fromkeys(self._terms.locations, 1) | dict.fromkeys(self._terms.locating, 2)
        found = [
            atom for atom in self._atoms if len(atom) == 3 and atom[0] in places and atom[places[atom[0]]] in wanted
        ]
        found.sort(key=lambda atom: (self._object_order[atom[places[atom[0]]]], self._order(atom)))
        return tuple(triple_of(atom, self._names.to_nl) for atom in found)

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
        members: dict[str, list[str]] = {}
        for name in available:
            for node in (self._classes[name], *self._from_ontology(name).superclasses):
                members.setdefault(self._terms.label(node), []).append(name)
        choices = Choices(available, members, self._names)
        chosen, unknown = choices.meant(said, self._vectors if embed is not None else None)
        places = self._places_of(chosen)
        around = tuple(name for name in available if name in places and name not in chosen)
        return Selection(chosen, around, unknown)

    def _places_of(self, objects: Iterable[str]) -> set[str]:
        """What some objects are in, on or at, what that is in, and so on."""
        found: set[str] = set()
        queue = list(objects)
        for name in queue:
            places = [a[2] for a in self._atoms_of.get(name, ()) if len(a) == 3 and a[0] in self._terms.locations]
            places += [a[1] for a in self._mentions_of.get(name, ()) if len(a) == 3 and a[0] in self._terms.locating]
            new = set(places) - found
            found |= new
            queue.extend(new)
        return found

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def turtle(self) -> str:
        """The whole graph in Turtle."""
        from pddl2nl.worlds.ontology_graph import graph_text

        return graph_text(self.graph)

    def _known(self, name: str) -> str:
        if name not in self.task.objects:
            raise InputError(f"the task has no object '{name}'")
        return name

    def _order(self, atom: GroundAtom) -> tuple[int, ...]:
        return self._predicate_order[atom[0]], *(self._object_order[name] for name in atom[1:])


def _first(atom: GroundAtom) -> str | None:
    return atom[1] if len(atom) > 1 else None


def _common(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all have in common, in the order of the first."""
    return tuple(part for part in parts[0] if all(part in other for other in parts[1:])) if parts else ()
