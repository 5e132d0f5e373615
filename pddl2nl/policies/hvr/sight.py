"""What the prompts tell about the world: the knowledge graph in the words of the run.

Each object has a line ``egg_1 (Egg; crackable, pickupable): egg_1 is in fridge_1; egg_1 is raw``: its class, its
affordances and properties by the ontology, and every true fact whose first argument it is, in a form that our reader
can read back. Facts without objects are told under ``robot``. An object that does not exist yet has a line only if a
fact relates it to an object that has one: the slices of a potato have names before they exist.
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
"""The name under which facts without objects are told."""


class Sight:
    """Tells the knowledge graph of one task.

    Args:
        teller: tells the task.
        ontology: classes and properties; None for those of the domain's types.
        embed: an embedding model that maps names to objects; None to compare spelling.
    """

    def __init__(self, teller: Teller, ontology: Ontology | None = None, embed: Embed | None = None):
        self.graph = KnowledgeGraph(teller.task, ontology, teller.names)
        self._teller = teller
        self._embed = embed

    def select(self, reply: str) -> tuple[tuple[str, ...], Selection]:
        """The names in a reply, and the selected objects with those around them."""
        said = said_objects(reply)
        return said, self.graph.select(said, self._embed)

    def available_lines(self) -> tuple[str, ...]:
        """All existing objects with their classes."""
        return tuple(f"{self._said(name)} ({self.graph.kind(name)})" for name in self.graph.objects())

    def kind_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The classes of some objects (None: all existing ones) with their properties."""
        return tuple(map(_kind_line, self.graph.classes(objects)))

    def object_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """Everything known about some objects (None: all)."""
        task = self._teller.task
        shown = tuple(task.objects) if objects is None else self._with_those_to_come(objects)
        world = [*self._facts(self.graph.facts_of_world()), *self._values(self.graph.values_of_world())]
        lines = [self._object_line(facts) for facts in self.graph.about(shown)]
        return tuple([f"{ROBOT}: {'; '.join(world)}", *lines] if world else lines)

    def location_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The locations of some objects (None: all existing ones) as triples."""
        return tuple(map(str, self.graph.location_triples(objects)))

    def _with_those_to_come(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The objects, and related objects that do not exist yet."""
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
        """The atoms in words, without those that have no wording."""
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
