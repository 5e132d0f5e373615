"""Ontologies: classes of objects, what they afford, and which relations say where things are.

An ontology is a text in Turtle. These words of ``urn:pddl2nl:ontology#`` have a meaning (in another namespace too, if
the ontology has one of its own):

    :Egg rdfs:subClassOf :Food .                  classes; the PDDL type ``stove-burner`` is ``:StoveBurner``, or the
    :Burner :pddlName "stove-burner" .            class with that ``pddlName``; ``object`` is ``:Object``
    :Egg :affords :Pickupable, :Crackable .       affordances, inherited by subclasses; or as classes:
    :Bread rdfs:subClassOf :Sliceable .           with  :Sliceable rdfs:subClassOf :Affordance .  (directly)
    :Glass :hasProperty :Fragile .                other properties, inherited likewise
    :sliceable rdfs:subPropertyOf :affordance .   a predicate of one object that is an affordance
    :inside rdfs:subPropertyOf :isIn .            a relation ``(inside ?x ?y)``: ?x is located in ?y; also below :isOn
                                                  or :locatedAt; ``on-top-of`` is ``:onTopOf`` or has that pddlName
    :holds rdfs:subPropertyOf :locates .          the inverse: ``(holds ?y ?x)``
    :exists rdfs:subPropertyOf :existence .       objects of which it is false do not exist yet and are not available
                                                  (:absence: objects of which it is true)
    :PickUp rdfs:subClassOf :Action .             actions; the graph records events and macro-actions

PDDL supplies what an ontology lacks: types become classes below their supertypes; an ontology without affordances
gets, for each class, the actions that take it as a parameter; one without locations, every relation between two
objects that actions change.

This module imports without rdflib (extra ``macros``); its functions raise `MissingExtraError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.files import read_text


@dataclass(frozen=True)
class Ontology:
    """An ontology as Turtle text that was parsed once; ``name`` appears in messages."""

    turtle: str
    name: str = "<ontology>"


def require_rdflib() -> None:
    """Raises `MissingExtraError` if rdflib is not installed."""
    try:
        import rdflib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("rdflib", "macros", "the knowledge graph") from error


def load_ontology(path: str | Path) -> Ontology:
    """The ontology of a Turtle file.

    Raises:
        InputError: the file cannot be read (`pddl2nl.files.read_text`) or is not Turtle; the message has the line.
        MissingExtraError: rdflib is not installed.
    """
    try:
        text = read_text(path, "Turtle file")
    except InputError as error:
        raise InputError(f"--ontology {error}") from error
    return parse_ontology(text, str(path))


def parse_ontology(text: str, name: str = "<ontology>") -> Ontology:
    """The ontology of a Turtle text.

    Raises:
        InputError: the text is not Turtle; the message has the line.
        MissingExtraError: rdflib is not installed.
    """
    require_rdflib()
    from pddl2nl.worlds.ontology_graph import read_graph

    read_graph(text, name)
    return Ontology(text, name)
