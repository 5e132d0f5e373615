"""What a hierarchical policy sees of the world: the knowledge graph, told in the words of the run.

Objects are told a line each, ``egg_1 (Egg; crackable, pickupable): egg_1 is in fridge_1; egg_1 is raw``: the class,
what can be done with it and what it is like by the ontology, then every true fact whose first argument it is, which
the house's reader reads back. Facts about no object stand under ``robot``. An object that is not there yet has no line,
unless a fact relates it to one that has: what comes into being by slicing a potato must have a name before it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pddl2nl.nl import Teller
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.pddl import GroundAtom
from pddl2nl.worlds.knowledge_graph import ClassFacts, KnowledgeGraph, ObjectFacts
from pddl2nl.worlds.ontology import Ontology
from pddl2nl.worlds.retrieval import Selection, said_objects
from pddl2nl.worlds.similarity import Embed

__all__ = ["ROBOT", "Sight"]

ROBOT = "robot"
"""Under this name stand the facts about no object."""


class Sight:
    """Tells what the knowledge graph of one task knows.

    Args:
        teller: tells the task.
        ontology: what kinds of things there are; None for what the domain itself says.
        embed: gives texts their vectors, by which names are mapped to objects; None for spelling.
    """

    def __init__(self, teller: Teller, ontology: Ontology | None = None, embed: Embed | None = None):
        self.graph = KnowledgeGraph(teller.task, ontology, teller.names)
        self._teller = teller
        self._embed = embed

    def select(self, reply: str) -> tuple[tuple[str, ...], Selection]:
        """What a reply names, and the objects that are meant by it with those around them."""
        said = said_objects(reply)
        return said, self.graph.select(said, self._embed)

    def available_lines(self) -> tuple[str, ...]:
        """All objects that are there, each with its class."""
        return tuple(f"{self._said(name)} ({self.graph.kind(name)})" for name in self.graph.objects())

    def kind_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The classes of some objects, None for all that are there, each with its properties."""
        return tuple(map(_kind_line, self.graph.classes(objects)))

    def object_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """All that is known of some objects, None for all of them."""
        task = self._teller.task
        shown = tuple(task.objects) if objects is None else self._with_those_to_come(objects)
        world = [*self._facts(self.graph.facts_of_world()), *self._values(self.graph.values_of_world())]
        lines = [self._object_line(facts) for facts in self.graph.about(shown)]
        return tuple([f"{ROBOT}: {'; '.join(world)}", *lines] if world else lines)

    def location_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """Where some objects are, as triples, None for all that are there."""
        return tuple(map(str, self.graph.location_triples(objects)))

    def _with_those_to_come(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The objects, and those that are not there yet and are related to one of them."""
        available = frozenset(self.graph.objects())
        related = {
            name: None
            for facts in self.graph.about(objects)
            for atom in (*facts.facts, *facts.mentions)
            for name in atom.args
            if name not in available
        }
        return tuple(dict.fromkeys((*objects, *related)))

    def _object_line(self, facts: ObjectFacts) -> str:
        capable = ", ".join((*facts.affordances, *facts.properties))
        head = f"{self._said(facts.name)} ({facts.kind}{f'; {capable}' if capable else ''})"
        told = [*self._facts(facts.facts), *self._values(facts.values)]
        return f"{head}: {'; '.join(told)}" if told else head

    def _facts(self, atoms: Iterable[GroundAtom]) -> list[str]:
        """The atoms told; those that the wording never tells are left out."""
        wording = self._teller.wording.predicates
        return [self._teller.fact(atom) for atom in atoms if wording[atom[0]].text is not None]

    def _values(self, values: Iterable[tuple[GroundAtom, Fraction]]) -> list[str]:
        wording = self._teller.wording.functions
        return [
            f"{self._teller.fact(fluent)} is {number_text(value)}"
            for fluent, value in values
            if fluent[0] not in wording or wording[fluent[0]].text is not None
        ]

    def _said(self, name: str) -> str:
        return self._teller.names.to_nl.get(name, name)


def _kind_line(facts: ClassFacts) -> str:
    capable = ", ".join((*facts.affordances, *facts.properties))
    return f"{facts.name} ({capable})" if capable else facts.name
