"""The present state in a graph: atoms and values as triples, replaced where they change, and read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction

from rdflib import RDF, XSD, Graph, Literal, URIRef
from rdflib.term import Node

from pddl2nl.pddl import GroundAtom, write_number
from pddl2nl.worlds.ontology_graph import ONT
from pddl2nl.worlds.queries import CONCERNING, FACTS, MENTIONS, rows
from pddl2nl.worlds.terms import Terms
from pddl2nl.worlds.vocabulary import FACTS as FACT_NODES
from pddl2nl.worlds.vocabulary import INSTANCES, WORLD_NODE, minted

__all__ = ["FactGraph"]

_TRUE = Literal(True)
_WORLD = URIRef(WORLD_NODE)

_Triple = tuple[Node, Node, Node]


class FactGraph:
    """Keeps the facts of one state in a graph.

    A fact about one object is ``object predicate true``, about two ``object predicate object``, about none
    ``world predicate true``. One about more is a node of its own that its first object points to. Values of fluents
    stand where the ``true`` does.

    Args:
        graph: where the facts stand, with the domain's terms in it.
        terms: the domain's terms.
        objects: the names of the task's objects.
    """

    def __init__(self, graph: Graph, terms: Terms, objects: Iterable[str]):
        self.graph = graph
        self.nodes = {name: URIRef(minted(INSTANCES, name)) for name in objects}
        self._terms = terms
        self._names: dict[Node, str] = {node: name for name, node in self.nodes.items()}
        self._predicates: dict[Node, str] = {
            node: name for name, node in (*terms.predicates.items(), *terms.functions.items())
        }
        self._functions = frozenset(terms.functions.values())
        self._many: dict[Node, GroundAtom] = {}
        self._atom_nodes: set[Node] = set()
        self._atoms: frozenset[GroundAtom] = frozenset()
        self._values: Mapping[GroundAtom, Fraction] = {}

    def name(self, node: Node) -> str:
        """The object of a node."""
        return self._names[node]

    @property
    def atoms(self) -> frozenset[GroundAtom]:
        """What is true at present, without what follows from it by derived predicates."""
        return self._atoms

    def replace(self, atoms: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> frozenset[str]:
        """Makes a state the present one: what is no longer true goes, what has become true comes.

        Gives the objects that any of it is about.
        """
        gone, come = self._atoms - atoms, atoms - self._atoms
        for atom in gone:
            self._each(self.graph.remove, atom, self._terms.predicates, _TRUE)
        for atom in come:
            self._each(self.graph.add, atom, self._terms.predicates, _TRUE)
        touched = [*gone, *come]
        for fluent in self._values.keys() | values.keys():
            before, after = self._values.get(fluent), values.get(fluent)
            if before == after:
                continue
            touched.append(fluent)
            if before is not None:
                self._each(self.graph.remove, fluent, self._terms.functions, _number(before))
            if after is not None:
                self._each(self.graph.add, fluent, self._terms.functions, _number(after))
        self._atoms, self._values = atoms, dict(values)
        return frozenset(name for atom in touched for name in atom[1:])

    def _each(
        self, do: Callable[[_Triple], object], atom: GroundAtom, terms: Mapping[str, URIRef], value: Literal
    ) -> None:
        for triple in self._triples(atom, terms[atom[0]], value):
            do(triple)

    def _triples(self, atom: GroundAtom, predicate: URIRef, value: Literal) -> Iterator[_Triple]:
        args = [self.nodes[name] for name in atom[1:]]
        is_value = predicate in self._functions
        if len(args) < 2:
            yield args[0] if args else _WORLD, predicate, value
        elif len(args) == 2 and not is_value:
            yield args[0], predicate, args[1]
        else:
            fact = URIRef(minted(FACT_NODES, "=" if is_value else "", *atom))
            self._many[fact] = atom
            if not is_value:
                self._atom_nodes.add(fact)
            yield args[0], predicate, fact
            yield fact, RDF.type, ONT.Fact
            yield fact, ONT.value, value
            for number, arg in enumerate(args, start=1):
                yield fact, ONT[f"argument{number}"], arg
                yield fact, ONT.concerns, arg

    def about(self, name: str | None) -> tuple[list[GroundAtom], list[tuple[GroundAtom, Fraction]]]:
        """The atoms whose first object this is (of none: the atoms without objects), and the values of its fluents."""
        node = _WORLD if name is None else self.nodes[name]
        first = () if name is None else (name,)
        atoms: list[GroundAtom] = []
        values: list[tuple[GroundAtom, Fraction]] = []
        for predicate, value in rows(self.graph, FACTS, object=node):
            said = self._predicates.get(predicate)
            if said is None:
                # Its class, its label, and what an ontology says of it by itself.
                continue
            if value in self._many:
                atom = self._many[value]
            elif value in self._names:
                atom = GroundAtom((said, *first, self._names[value]))
            else:
                atom = GroundAtom((said, *first))
            if predicate in self._functions:
                values.append((atom, self._values[atom]))
            else:
                atoms.append(atom)
        return atoms, values

    def mentions(self, name: str) -> list[GroundAtom]:
        """The atoms in which an object stands behind another first one."""
        graph, node = self.graph, self.nodes[name]
        found = [
            GroundAtom((self._predicates[predicate], self._names[subject], name))
            for subject, predicate in rows(graph, MENTIONS, object=node)
            if subject in self._names
        ]
        for (fact,) in rows(graph, CONCERNING, object=node):
            atom = self._many[fact]
            if atom[1] != name and fact in self._atom_nodes:
                found.append(atom)
        return list(dict.fromkeys(found))


def _number(value: Fraction) -> Literal:
    if value.denominator == 1:
        return Literal(int(value))
    # A third is no decimal, and XSD has no fractions.
    text = write_number(value)
    return Literal(text, datatype=XSD.decimal) if "/" not in text else Literal(text)
