"""Ontologies: Turtle read and refused, a domain's names found in it, and what a domain makes by itself."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.pddl import Domain, Task, parse_domain, parse_task
from pddl2nl.systems.hvr.knowledge_graph import ObjectFacts
from pddl2nl.systems.hvr.ontology import Ontology, read_ontology
from tests.systems.hvr.conftest import graph_of

PREFIXES = """@prefix : <urn:pddl2nl:ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""


def about(task: Task, ontology: str | Ontology | None, name: str) -> ObjectFacts:
    """What a graph says of one object."""
    if isinstance(ontology, str):
        ontology = read_ontology(PREFIXES + ontology)
    return graph_of(task, ontology).about([name])[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "@prefix : <urn:x#> .\n:a :b ;;\n c .",
            "x.ttl:2:6: error: not Turtle: objectList expected\n    :a :b ;;\n         ^",
        ),
        ("Egg is food", "x.ttl:1:1: error: not Turtle"),
        ("@prefix : <urn:x#> . :é :b 'ü'. :a :b c", "x.ttl:1:36: error"),
        ("a:b a a:c .", 'Prefix "a:" not bound'),
        ("@prefix : <urn:x#> . :a :b <urn:x y> .", "<urn:x y> is not an IRI"),
        ("@prefix : <urn:x#> . :a :b 'x'^^<urn:{q}> .", "<urn:{q}> is not an IRI"),
        ("@prefix : <urn:x#> . :a :b " + "[ :b " * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_turtle_is_refused(text: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_ontology(text, name="x.ttl")
    assert said in str(caught.value)
    assert capfd.readouterr().err == ""


def test_without_rdflib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    monkeypatch.delitem(sys.modules, "pddl2nl.systems.hvr.ontology")
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[macros\]'"):
        import_module("pddl2nl.systems.hvr.ontology")


# ── a domain's names ─────────────────────────────────────────────────────────────────────────────


def test_types_predicates_and_actions_are_found_by_their_names(task: Task) -> None:
    graph = graph_of(task, read_ontology(PREFIXES + ":StoveBurner rdfs:subClassOf :Appliance ."))
    assert "stove-burner-1" in graph.select(["Appliance"]).chosen
    pan = about(task, ':Skillet a owl:Class ; :pddlName "pan" . :Pan a owl:Class .', "pan-1")
    assert pan.kind == "Skillet"


def test_a_type_and_an_action_of_one_name_are_two_things() -> None:
    task = parse_task(
        "(define (domain d) (:requirements :typing) (:types slice) (:predicates (cut ?x - slice) (affords ?x - slice))"
        " (:action slice :parameters (?x - slice) :precondition (affords ?x) :effect (cut ?x)))",
        "(define (problem p) (:domain d) (:objects affords - slice) (:init (affords affords)) (:goal (cut affords)))",
    )
    graph = graph_of(task, read_ontology(PREFIXES + ":Slice rdfs:subClassOf :Action . :affords a <urn:x#Property> ."))
    assert [(item.kind, item.facts) for item in graph.about(["affords"])] == [("Slice", (("affords", "affords"),))]
    assert graph.select(["Slice"]).chosen == ("affords",)


def test_affordances_and_properties_are_inherited(task: Task) -> None:
    text = """
        :Food :affords :Edible-Thing ; :hasProperty :Fresh .
        :Egg rdfs:subClassOf :Food, :Crackable ; :affords :PickUp-able, "by\\n hand" .
        :Crackable rdfs:subClassOf :Affordance .
        :heavy rdfs:subPropertyOf :affordance .
        <urn:pddl2nl:instance#egg-2> :hasProperty :Rotten .
    """
    one, other, pan = graph_of(task, read_ontology(PREFIXES + text)).about(["egg-1", "egg-2", "pan-1"])
    assert one.affordances == ("by hand", "crackable", "edible-thing", "pick-up-able")
    assert (one.properties, other.properties) == (("fresh",), ("fresh", "rotten"))
    assert pan.affordances == ("heavy",)


def test_an_ontology_of_another_namespace(task: Task) -> None:
    text = """
        @prefix o: <http://example.org/kitchen/> .
        o:Egg a owl:Class ; rdfs:subClassOf o:Food ; o:affords o:Crackable .
        o:in_it rdfs:subPropertyOf o:isIn .
        o:exists_now rdfs:subPropertyOf o:existence .
    """
    graph = graph_of(task, read_ontology(PREFIXES + text))
    egg = graph.about(["egg-1"])[0]
    assert (egg.kind, egg.affordances) == ("Egg", ("crackable",))
    assert "slice-1" not in graph.objects()
    assert [line.split(", ")[1] for line in graph.location_lines().splitlines()] == ["in-it", "in-it"]


# ── what a domain makes by itself ────────────────────────────────────────────────────────────────


def test_types_become_classes_that_afford_actions(task: Task) -> None:
    pan = about(task, None, "pan-1")
    assert pan.kind == "Pan"
    assert pan.affordances == ("put-on", "soil", "take", "warm")
    assert pan.properties == ("heavy",)
    assert about(task, graph_of(task).learned([]), "pan-1") == pan


def test_in_a_domain_without_types_static_predicates_are_classes() -> None:
    task = parse_task(
        """(define (domain d) (:predicates (truck ?x) (vehicle ?x) (place ?x) (at ?x ?y))
        (:action drive :parameters (?t ?a ?b) :precondition (and (vehicle ?t) (place ?a) (at ?t ?a) (place ?b))
         :effect (and (at ?t ?b) (not (at ?t ?a))))
        (:action wait :parameters (?x)))""",
        """(define (problem p) (:domain d) (:objects t v a x)
        (:init (truck t) (vehicle t) (vehicle v) (place a) (at t a)) (:goal (at t a)))""",
    )
    graph = graph_of(task)
    truck, vehicle, place, other = graph.about(["t", "v", "a", "x"])
    assert (truck.kind, truck.affordances) == ("Truck", ("drive",))
    assert set(graph.select(["Vehicle"]).chosen) == {"t", "v"}
    assert (vehicle.kind, place.kind, other.kind) == ("Vehicle", "Place", "Object")
    assert (place.affordances, other.affordances) == (("drive",), ("wait",))
    # That it is a truck is its class, and no property besides.
    assert truck.properties == ()


def test_names_that_differ_in_a_hyphen_are_told_apart() -> None:
    domain = parse_domain(
        "(define (domain d) (:requirements :typing) (:types a-b a_b ab) (:predicates (p-q ?x - a-b) (p_q ?x - a-b)))"
    )
    task = Task(
        domain,
        parse_task(
            _text(domain),
            "(define (problem p) (:domain d) (:objects x - a-b y - a_b z - ab)"
            " (:init (p-q x) (p_q x)) (:goal (p-q x)))",
        ).problem,
    )
    graph = graph_of(task)
    assert [line.split(" (")[0] for line in graph.kind_lines()] == ["a-b", "a_b", "Ab"]
    assert graph.about(["x"])[0].facts == (("p-q", "x"), ("p_q", "x"))
    with_ontology = graph_of(task, read_ontology(PREFIXES + ":AB a owl:Class . :pQ rdfs:subPropertyOf :isIn ."))
    assert with_ontology.about(["x"])[0].facts == (("p-q", "x"), ("p_q", "x"))
    assert len({*with_ontology.kind_lines()}) == 3


def _text(domain: Domain) -> str:
    from pddl2nl.pddl import write_domain

    return write_domain(domain)
