"""A task as RDF: its objects, the facts of the present state, and the actions carried out, as triples.

A fact about one object is ``object predicate true``, about two ``object predicate object``, about none ``world
predicate true``. A fact about more objects has a node of its own, which its first object points to. The value of a
fluent stands in place of ``true``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from rdflib import RDF, RDFS, XSD, Literal, URIRef
from rdflib.term import Node

from pddl2nl.pddl import GroundAtom, write_number
from pddl2nl.worlds.ontology_graph import EVENTS, FACTS, INSTANCES, MACROS, ONT, WORLD, OntologyTerms, minted
from pddlval import GroundAction

_Triples = Iterator[tuple[Node, Node, Node]]


def object_triples(terms: OntologyTerms, name: str, types: Sequence[str], label: str) -> _Triples:
    """An object with its types and its name in language."""
    for kind in types:
        yield minted(INSTANCES, name), RDF.type, terms.classes[kind]
    yield minted(INSTANCES, name), RDFS.label, Literal(label)


def fact_triples(terms: OntologyTerms, atom: GroundAtom, value: Fraction | None = None) -> _Triples:
    """A true atom, or the value of a fluent."""
    args = [minted(INSTANCES, name) for name in atom[1:]]
    names = terms.predicates if value is None else terms.functions
    predicate, literal = names[atom[0]], Literal(True) if value is None else _number(value)
    if len(args) < 2:
        yield args[0] if args else WORLD, predicate, literal
    elif len(args) == 2 and value is None:
        yield args[0], predicate, args[1]
    else:
        fact = minted(FACTS, "" if value is None else "=", *atom)
        yield args[0], predicate, fact
        yield fact, RDF.type, ONT.Fact
        yield fact, ONT.value, literal
        for number, arg in enumerate(args, start=1):
            yield fact, ONT[f"argument{number}"], arg
            yield fact, ONT.concerns, arg


def event_triples(terms: OntologyTerms, number: int, action: GroundAction, about: Mapping[str, object]) -> _Triples:
    """An action that was carried out, as an instance of its class; ``about`` has further properties by name."""
    event = minted(EVENTS, str(number))
    yield event, RDF.type, ONT.Event
    yield event, RDF.type, terms.actions[action.name]
    yield event, ONT.number, Literal(number)
    for place, name in enumerate(action.args, start=1):
        yield event, ONT[f"argument{place}"], minted(INSTANCES, name)
    for key, value in about.items():
        yield event, ONT[key], Literal(value)


def macro_triples(
    terms: OntologyTerms, description: str, actions: Sequence[GroundAction], classes: Mapping[str, URIRef]
) -> _Triples:
    """A macro-action with parameters ``?x1``, ``?x2``, … for objects; ``classes`` has the class of each object.

    It is named by its content, so a macro-action that is learned twice stands in an ontology once.
    """
    objects = list(dict.fromkeys(name for action in actions for name in action.args))
    parameters = {name: f"?x{number}" for number, name in enumerate(objects, start=1)}
    steps = [str(GroundAction(step.name, tuple(parameters[name] for name in step.args))) for step in actions]
    content = "\n".join((description, *steps, *(classes[name] for name in objects)))
    macro = minted(MACROS, hashlib.sha256(content.encode()).hexdigest()[:16])
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


def _number(value: Fraction) -> Literal:
    if value.denominator == 1:
        return Literal(int(value))
    # XSD has decimals but no fractions: a third is a plain text.
    text = write_number(value)
    return Literal(text, datatype=XSD.decimal) if "/" not in text else Literal(text)
