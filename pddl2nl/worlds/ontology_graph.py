"""Ontologies as graphs of rdflib: reading and writing Turtle, and words of other namespaces made ours."""

from __future__ import annotations

import logging
import re
from functools import lru_cache

from rdflib import OWL, RDF, RDFS, Graph, Literal, Namespace, URIRef
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.term import Node

from pddl2nl.errors import InputError
from pddl2nl.pddl import Diagnostic, Source
from pddl2nl.worlds.vocabulary import (
    ACTIONS,
    EVENTS,
    FACTS,
    FUNCTIONS,
    INSTANCES,
    MACRO_EVENTS,
    MACROS,
    ONTOLOGY,
    PREDICATES,
    TYPES,
    WORDS,
    local_name,
)

__all__ = ["ONT", "empty_graph", "graph_text", "read_graph"]

# What is odd about an ontology is said in our own words, or not at all; rdflib would write tracebacks to the screen.
logging.getLogger("rdflib").addHandler(logging.NullHandler())

ONT = Namespace(ONTOLOGY)
"""The words of ontologies."""
_BASE = "http://pddl2nl.invalid/"
_UNWRITABLE = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")
_LONGEST = 100
_PREFIXES = {
    "": ONTOLOGY,
    "type": TYPES,
    "predicate": PREDICATES,
    "function": FUNCTIONS,
    "action": ACTIONS,
    "instance": INSTANCES,
    "fact": FACTS,
    "event": EVENTS,
    "macro-event": MACRO_EVENTS,
    "macro": MACROS,
    "rdfs": str(RDFS),
    "owl": str(OWL),
}


def empty_graph() -> Graph:
    """A graph with our prefixes and nothing in it."""
    graph = Graph(bind_namespaces="none")
    for prefix, namespace in _PREFIXES.items():
        graph.bind(prefix, namespace)
    return graph


@lru_cache(maxsize=8)
def read_graph(text: str, name: str) -> Graph:
    """The graph of a Turtle text, with words of ours for those of the same names; not to be changed by who gets it.

    Raises:
        InputError: the text is no Turtle.
    """
    read = Graph(bind_namespaces="none")
    try:
        # A base of our own, as else relative names would hold this machine's folders.
        read.parse(data=text, format="turtle", publicID=_BASE)
    except BadSyntax as error:
        raise _bad_turtle(text, name, error) from error
    except RecursionError as error:
        raise InputError(f"{name}: error: its brackets are nested too deeply") from error
    except (ValueError, KeyError, AssertionError) as error:
        raise InputError(f"{name}: error: no Turtle: {error}") from error
    _check_names(read, name)
    graph = empty_graph()
    for triple in read:
        graph.add((_ours(triple[0]), _ours(triple[1]), _ours(triple[2])))
    return graph


def _check_names(graph: Graph, name: str) -> None:
    """Refuses names that Turtle can read and not write."""
    for triple in graph:
        for node in triple:
            iri = node.datatype if isinstance(node, Literal) else node
            if isinstance(iri, URIRef) and _UNWRITABLE.search(iri):
                shown = iri if len(iri) <= _LONGEST else f"{iri[:_LONGEST]}…"
                said = f"<{shown}> is no IRI: blanks, quotes and brackets stand in one as %20 and the like"
                raise InputError(f"{name}: error: {said}")


def _bad_turtle(text: str, name: str, error: BadSyntax) -> InputError:
    # The parser counts bytes, and has no public place of its error.
    place, why = getattr(error, "_i", 0), getattr(error, "_why", "bad syntax")
    offset = len(text.encode("utf-8")[:place].decode("utf-8", "ignore"))
    said = f"no Turtle: {why}"
    expected = "an ontology in Turtle, such as ':Egg rdfs:subClassOf :Food .'"
    return InputError(Diagnostic.at(Source(name, text), offset, said, expected=expected).render())


def _ours(node: Node) -> Node:
    """A word of another namespace that bears one of our names is ours."""
    if isinstance(node, URIRef) and not node.startswith(ONTOLOGY):
        word = local_name(node)
        if word in WORDS and not str(node).startswith((str(RDF), str(RDFS), str(OWL), "urn:pddl2nl:")):
            return ONT[word]
    return node


def graph_text(graph: Graph) -> str:
    """A graph as Turtle, the same for the same triples."""
    text: str = graph.serialize(format="turtle")
    return text
