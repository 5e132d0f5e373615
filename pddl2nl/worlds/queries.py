"""What is asked of the knowledge graph, in SPARQL; prepared once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from threading import Lock
from typing import Any

from rdflib import RDF, RDFS, Graph, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import Node

from pddl2nl.worlds.vocabulary import ONTOLOGY

__all__ = [
    "AFFORDANCES",
    "CLASSES",
    "CONCERNING",
    "EVENTS",
    "FACTS",
    "KINDS",
    "LEARNED",
    "MENTIONS",
    "PROPERTIES",
    "around",
    "rows",
]

_PARSING = Lock()

CLASSES = """
SELECT DISTINCT ?found WHERE {
  ?object rdf:type/rdfs:subClassOf* ?found .
  FILTER NOT EXISTS { ?found rdfs:subClassOf|rdf:type :Affordance }
  FILTER (?found != :Affordance)
}"""
"""All classes of an object, affordances aside."""

AFFORDANCES = """
SELECT DISTINCT ?found WHERE {
  { ?object rdf:type/rdfs:subClassOf*/:affords ?found }
  UNION { ?object :affords ?found }
  UNION { ?object rdf:type/rdfs:subClassOf* ?found . ?found rdfs:subClassOf|rdf:type :Affordance }
}"""
"""What can be done with an object by what the ontology says; what predicates say of it is among its facts."""

PROPERTIES = """
SELECT DISTINCT ?found WHERE {
  { ?object rdf:type/rdfs:subClassOf*/:hasProperty ?found } UNION { ?object :hasProperty ?found }
}"""
"""What an object is like at all times."""

FACTS = "SELECT ?predicate ?value WHERE { ?object ?predicate ?value }"
"""What is true of an object in the present state, and what else is said of it."""

MENTIONS = """
SELECT ?subject ?predicate WHERE { ?predicate rdf:type :Predicate . ?subject ?predicate ?object }"""
"""Which facts of other objects speak of an object."""

CONCERNING = "SELECT ?found WHERE { ?found :concerns ?object }"
"""The facts about more than two objects that speak of an object, and values that do."""

LEARNED = """
SELECT ?macro ?description ?order ?step WHERE {
  ?macro rdfs:subClassOf :MacroAction ; :step ?part .
  ?part :order ?order ; :pddl ?step .
  OPTIONAL { ?macro rdfs:label ?description }
} ORDER BY ?description ?macro ?order"""
"""The macro-actions that the ontology has from earlier tasks, a step a row."""

KINDS = """
SELECT ?kind WHERE { ?macro :parameter ?parameter . ?parameter :kind ?kind ; :order ?order } ORDER BY ?order"""
"""The classes of a macro-action's parameters, in order."""

EVENTS = """
SELECT ?event ?order ?name ?outcome ?macro WHERE {
  ?event rdf:type :Event ; :number ?number ; :order ?order ; :outcome ?outcome ; rdf:type/:pddlName ?name .
  OPTIONAL { ?event :partOf ?macro }
} ORDER BY ?number"""
"""All that was done, in order."""


def rows(graph: Graph, text: str, **bindings: Node) -> list[tuple[Any, ...]]:
    """What a query finds, with nodes for some of its variables; in no particular order unless it says so."""
    return [tuple(row) for row in graph.query(_prepared(text), initBindings=bindings)]  # type: ignore[arg-type]


@cache
def _prepared(text: str) -> Query:
    """A query, parsed and translated once."""
    names = {"rdf": RDF, "rdfs": RDFS, "": ONTOLOGY}
    # The parser that all threads share is not made for two at once.
    with _PARSING:
        return prepareQuery(text, initNs=names)


def around(locations: Iterable[URIRef], locating: Iterable[URIRef]) -> str:
    """The query for what an object is in, on or at, and what that is in, and so on; empty where nothing locates."""
    steps = [*(node.n3() for node in locations), *(f"^{node.n3()}" for node in locating)]
    return f"SELECT DISTINCT ?found WHERE {{ ?object ({'|'.join(steps)})+ ?found }}" if steps else ""
