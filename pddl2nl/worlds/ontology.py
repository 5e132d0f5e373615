"""Ontologies: classes of objects, what they afford, and which relations say where things are.

An ontology is a text in Turtle. These words of ``urn:pddl2nl:ontology#`` mean something here (so do words of the same
names in any other namespace, where an ontology has one of its own):

    :Egg rdfs:subClassOf :Food .                  classes; a PDDL type ``stove-burner`` is ``:StoveBurner``, or what
    :Burner :pddlName "stove-burner" .            bears its name; ``object`` is ``:Object``
    :Egg :affords :Pickupable, :Crackable .       affordances, inherited by subclasses; or as classes:
    :Bread rdfs:subClassOf :Sliceable .           with  :Sliceable rdfs:subClassOf :Affordance .  (no step between)
    :Glass :hasProperty :Fragile .                other properties, inherited likewise
    :sliceable rdfs:subPropertyOf :affordance .   a predicate of one object that is told as an affordance
    :inside rdfs:subPropertyOf :isIn .            a relation ``(inside ?x ?y)``: ?x is located in ?y; also below :isOn
                                                  or :locatedAt; ``on-top-of`` is ``:onTopOf`` or bears a :pddlName
    :holds rdfs:subPropertyOf :locates .          the other way round: ``(holds ?y ?x)``
    :exists rdfs:subPropertyOf :existence .       objects of which it is false lie dormant (:absence: of which it
                                                  is true), and are not available
    :PickUp rdfs:subClassOf :Action .             actions; events and macro-actions are recorded by the graph

What an ontology lacks for a domain comes from the PDDL: types become classes below their supertypes; where nothing is
said of affordances, classes afford the actions in whose parameters they stand; and where no relation says where things
are, every relation between two objects that actions change does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.pddl import Domain
from pddl2nl.worlds.vocabulary import require_rdflib

__all__ = ["Ontology", "domain_ontology", "load_ontology", "parse_ontology"]


@dataclass(frozen=True)
class Ontology:
    """An ontology as its Turtle text, which can be read; ``name`` is what it is reported under."""

    turtle: str
    name: str = "<ontology>"


def load_ontology(path: str | Path) -> Ontology:
    """The ontology of a Turtle file.

    Raises:
        InputError: no such file, no UTF-8, or no Turtle; the message has the line.
        MissingExtraError: rdflib is not installed.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"--ontology {path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--ontology {path}: no UTF-8 text (byte {error.start}); expected Turtle") from error
    return parse_ontology(text, str(path))


def parse_ontology(text: str, name: str = "<ontology>") -> Ontology:
    """The ontology of a text in Turtle.

    Raises:
        InputError: it is no Turtle; the message has the line.
        MissingExtraError: rdflib is not installed.
    """
    require_rdflib()
    from pddl2nl.worlds.ontology_graph import read_graph

    read_graph(text, name)
    return Ontology(text, name)


def domain_ontology(domain: Domain) -> Ontology:
    """The ontology that a PDDL domain makes by itself; in one without types its static unary predicates are classes.

    Raises:
        MissingExtraError: rdflib is not installed.
    """
    require_rdflib()
    from pddl2nl.worlds.ontology_graph import graph_text
    from pddl2nl.worlds.terms import Terms

    return Ontology(graph_text(Terms(domain).graph), f"<ontology of {domain.name}>")
