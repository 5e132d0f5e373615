"""What the prompts tell about the world: the knowledge graph in the words of the run.

Each object has a line ``egg_1 (Egg; crackable, pickupable): egg_1 is in fridge_1; egg_1 is raw``: its class, its
affordances and properties by the ontology, and every true fact whose first argument it is, in a form that our reader
can read back. Facts without objects are told under ``robot``. An object that does not exist yet has a line only if a
fact relates it to an object that has one: the slices of a potato have names before they exist.

A *compact* line names, besides the class, only the properties that are predicates of the domain, and does not repeat
them as facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pddl2nl.nl import Teller
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.pddl import GroundAtom, changed_predicates
from pddl2nl.worlds.knowledge_graph import ClassFacts, KnowledgeGraph, ObjectFacts
from pddl2nl.worlds.ontology import Ontology
from pddl2nl.worlds.retrieval import Selection, said_objects
from pddl2nl.worlds.similarity import Embed

ROBOT = "robot"
"""The name under which facts without objects are told."""


class GraphTeller:
    """Tells the knowledge graph of one task, except for hidden predicates.

    Args:
        teller: tells the task.
        ontology: classes and properties; None for those of the domain's types.
        embed: an embedding model that maps names to objects; None to compare spelling.
        hidden: predicates that are not told.
        compact: whether lines are compact.
    """

    def __init__(
        self,
        teller: Teller,
        ontology: Ontology | None = None,
        embed: Embed | None = None,
        *,
        hidden: frozenset[str] = frozenset(),
        compact: bool = False,
    ):
        self.graph = KnowledgeGraph(teller.task, ontology, teller.names)
        self._teller = teller
        self._embed = embed
        self._hidden = hidden
        self._compact = compact
        domain = teller.task.domain
        unary = (item.name for item in domain.predicates if len(item.parameters) == 1)
        self._lasting = frozenset(unary) - changed_predicates(domain)

    def select(self, reply: str) -> tuple[tuple[str, ...], Selection]:
        """The names in a reply, and the selected objects with those around them."""
        said = said_objects(reply)
        return said, self.graph.select(said, self._embed)

    def available_lines(self) -> tuple[str, ...]:
        """All existing objects with their classes."""
        return tuple(f"{self._said(name)} ({self.graph.kind(name)})" for name in self.graph.objects())

    def kind_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The classes of some objects (None: all existing ones) with their properties."""
        lines = ((facts.name, ", ".join(self._properties(facts))) for facts in self.graph.classes(objects))
        return tuple(f"{name} ({properties})" if properties else name for name, properties in lines)

    def object_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """Everything known about some objects (None: all)."""
        shown = tuple(self._teller.task.objects) if objects is None else self._with_those_to_come(objects)
        world = [*self._facts(self.graph.facts_of_world()), *self._values(self.graph.values_of_world())]
        lines = [self._object_line(facts) for facts in self.graph.about(shown)]
        return tuple([f"{ROBOT}: {'; '.join(world)}", *lines] if world else lines)

    def location_lines(self, objects: Sequence[str] | None = None) -> str:
        """The locations of some objects (None: all existing ones) as triples, one a line."""
        triples = self.graph.location_triples(objects)
        return "\n".join(str(triple) for triple in triples if triple.predicate not in self._hidden)

    def _with_those_to_come(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The objects, and related objects that do not exist yet."""
        available = frozenset(self.graph.objects())
        atoms = (atom for facts in self.graph.about(objects) for atom in (*facts.facts, *facts.mentions))
        related = (name for atom in atoms for name in atom.args if name not in available)
        return tuple(dict.fromkeys((*objects, *related)))

    def _object_line(self, facts: ObjectFacts) -> str:
        properties = "".join(f"; {', '.join(words)}" for words in [self._properties(facts)] if words)
        head = f"{self._said(facts.name)} ({facts.kind}{properties})"
        atoms = [atom for atom in facts.facts if not (self._compact and len(atom) == 2 and atom[0] in self._lasting)]
        told = [*self._facts(atoms), *self._values(facts.values)]
        return f"{head}: {'; '.join(told)}" if told else head

    def _properties(self, facts: ClassFacts | ObjectFacts) -> list[str]:
        words = [*facts.affordances, *facts.properties]
        return [word for word in words if word in self._lasting - self._hidden] if self._compact else words

    def _facts(self, atoms: Iterable[GroundAtom]) -> list[str]:
        """The atoms in words, without those that have no wording."""
        wording = self._teller.wording.predicates
        told = (atom for atom in atoms if wording[atom[0]].text is not None and atom[0] not in self._hidden)
        return list(map(self._teller.fact, told))

    def _values(self, values: Iterable[tuple[GroundAtom, Fraction]]) -> list[str]:
        wording = self._teller.wording.functions
        return [
            f"{self._teller.fact(fluent)} is {number_text(value)}"
            for fluent, value in values
            if fluent[0] not in wording or wording[fluent[0]].text is not None
        ]

    def _said(self, name: str) -> str:
        return self._teller.names.to_nl.get(name, name)
