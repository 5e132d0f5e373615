"""The knowledge graph: the present state, macro-actions, dormant objects, and the objects that a model means."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.pddl import Domain, GroundAtom, Task, load_task, parse_domain, parse_task
from pddl2nl.pddl.task import Task as PddlTask
from pddl2nl.pddl.tree import Predicate, Problem, TypedName
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph, ObjectFacts, said_objects
from pddl2nl.systems.hvr.ontology import Ontology, read_ontology
from pddlval import Simulator
from tests.systems.hvr.conftest import ONTOLOGY, graph_of
from tests.worlds.conftest import action, after


@pytest.fixture
def graph(task: Task) -> KnowledgeGraph:
    """The small kitchen's graph, told in names with underscores."""
    return graph_of(task, read_ontology(ONTOLOGY), "typed")


def of_objects(atoms: Iterable[GroundAtom]) -> set[GroundAtom]:
    """Those that are about an object."""
    return {atom for atom in atoms if len(atom) > 1}


def facts_of(graph: KnowledgeGraph) -> set[GroundAtom]:
    """All facts, asked for object by object."""
    return {atom for facts in graph.about(graph.task.objects) for atom in facts.facts}


def values_of(graph: KnowledgeGraph) -> dict[GroundAtom, object]:
    """All values, likewise."""
    return {fluent: value for facts in graph.about(graph.task.objects) for fluent, value in facts.values}


def test_it_begins_with_the_initial_state(graph: KnowledgeGraph, simulator: Simulator) -> None:
    assert facts_of(graph) == of_objects(simulator.initial.atoms)
    assert values_of(graph).keys() == of_objects(simulator.initial.values)
    egg, pan = graph.about(["egg-1", "pan-1", "egg-1"])
    assert (egg.name, egg.kind) == ("egg-1", "Egg")
    assert (egg.affordances, egg.properties) == (("crackable", "pickupable"), ("edible",))
    assert egg.facts == (("in-it", "egg-1", "fridge-1"), ("exists-now", "egg-1"))
    assert (pan.affordances, pan.mentions) == (("heavy",), (("on-top-of", "egg-2", "pan-1"),))
    with pytest.raises(InputError, match="no object 'egg-9'"):
        graph.about(["egg-9"])


def test_every_state_of_a_walk_is_told_as_it_is(graph: KnowledgeGraph, simulator: Simulator) -> None:
    walk = simulator.walk(simulator.initial, random.Random(5))
    for _, state in islice(walk, 10):
        graph.update(state)
        assert facts_of(graph) == of_objects(state.atoms)
        assert values_of(graph).items() <= state.values.items()
        for facts in graph.about(graph.task.objects):
            assert set(facts.mentions) == {
                atom for atom in state.atoms if facts.name in atom[2:] and atom[1] != facts.name
            }


def test_facts_about_three_objects(graph: KnowledgeGraph, simulator: Simulator) -> None:
    state = after(simulator, "(soil pan-1 fridge-1 shelf-1)")
    graph.update(state)
    between = GroundAtom(("between", "pan-1", "fridge-1", "shelf-1"))
    pan, fridge, shelf = graph.about(["pan-1", "fridge-1", "shelf-1"])
    assert between in pan.facts
    assert between in fridge.mentions
    assert between in shelf.mentions
    graph.update(simulator.initial)
    assert facts_of(graph) == of_objects(simulator.initial.atoms)
    assert not any(facts.mentions for facts in graph.about(["shelf-1"]) if between in facts.mentions)


def test_locations_are_those_of_the_ontology(graph: KnowledgeGraph, simulator: Simulator) -> None:
    assert graph.location_lines(["egg-1", "egg-2"]) == "(egg_0, in-it, fridge_0)\n(egg_1, on-top-of, pan_0)"
    graph.update(after(simulator, "(soil pan-1 fridge-1 shelf-1)"))
    # What holds the pan tells where it is; what it is near to does not.
    assert graph.location_lines(["pan-1"]) == "(pan_0, on-top-of, stove-burner_0)\n(shelf_0, holds, pan_0)"
    assert graph.select(["pan-1"]).around == ("shelf-1", "stove-burner-1")


def test_dormant_objects_are_not_available_until_they_exist(graph: KnowledgeGraph, simulator: Simulator) -> None:
    assert "slice-1" not in graph.objects()
    assert "fridge-1" in graph.objects()
    assert graph.select(["slice-1"]).chosen == ()
    graph.update(after(simulator, "(take bread-1 shelf-1)", "(slice-it bread-1 slice-1)"))
    assert "slice-1" in graph.objects()
    assert "bread-1" not in graph.objects()
    assert graph.select(["slice-1"]).chosen == ("slice-1",)
    # What is known of what does not exist can still be asked for.
    assert graph.about(["bread-1"])[0].kind == "Bread"


def test_classes(graph: KnowledgeGraph) -> None:
    lines = graph.kind_lines()
    assert [line.split(" (")[0] for line in lines] == ["Egg", "Frying", "Bread", "Fridge", "Shelf", "Burner"]
    assert lines[0] == "Egg (crackable, pickupable, edible)"
    assert lines[-1] == "Burner (heat-source)"
    assert [line.split(" (")[0] for line in graph.kind_lines(["shelf-1", "egg-2"])] == ["Shelf", "Egg"]
    assert graph.kind("stove-burner-1") == "Burner"


# ── what is learned ─────────────────────────────────────────────────────────────────────────────


def learned_macros(ontology: Ontology) -> dict[str, tuple[list[str], list[str]]]:
    """The steps of the macro-actions of an ontology, and the classes of their parameters, by their descriptions."""
    from rdflib import RDFS, Graph

    from pddl2nl.systems.hvr.ontology import ONT, local_name

    graph = Graph().parse(data=ontology.text, format="turtle")

    def parts(macro: Any, link: Any, content: Any) -> list[str]:
        ordered = sorted(graph.objects(macro, link), key=lambda part: graph.value(part, ONT.order).value)
        return [str(graph.value(part, content)) for part in ordered]

    return {
        str(graph.value(macro, RDFS.label)): (
            parts(macro, ONT.step, ONT.pddl),
            [*map(local_name, parts(macro, ONT.parameter, ONT.kind))],
        )
        for macro in graph.subjects(RDFS.subClassOf, ONT.MacroAction)
    }


def test_macro_actions_go_into_the_ontology_with_parameters_for_objects(graph: KnowledgeGraph, task: Task) -> None:
    get = [action("(open-it fridge-1)"), action("(take egg-1 fridge-1)")]
    learned = graph.learned([("Get an egg", get), ("Put it into the pan", [action("(put-on egg-1 pan-1)")])])
    assert learned_macros(learned) == {
        "Get an egg": (["(open-it ?x1)", "(take ?x2 ?x1)"], ["fridge", "Egg"]),
        "Put it into the pan": (["(put-on ?x1 ?x2)"], ["Egg", "Frying"]),
    }
    # The ontology is otherwise what it was, and holds no object of the task.
    later = graph_of(task, learned)
    assert later.about(task.objects) == graph_of(task, read_ontology(ONTOLOGY)).about(task.objects)
    assert "urn:pddl2nl:instance" not in learned.text
    # With the other egg it is the same macro, and learned again it stands there once.
    again = later.learned([("Get an egg", [get[0], action("(take egg-2 fridge-1)")])])
    assert again.text == learned.text


# ── names, Turtle, other domains ─────────────────────────────────────────────────────────────────

_ANY_NAME = st.text(st.characters(codec="utf-8", exclude_characters="?\x00"), min_size=1, max_size=6)


@settings(max_examples=25)
@given(
    st.lists(_ANY_NAME, min_size=2, max_size=5, unique=True), st.lists(_ANY_NAME, min_size=4, max_size=4, unique=True)
)
def test_any_name_is_safe(objects: list[str], predicates: list[str]) -> None:
    from rdflib import Graph

    thing = TypedName("?x")
    declared = tuple(Predicate(name, (thing,) * arity) for arity, name in enumerate(predicates))
    atoms = tuple(
        GroundAtom((item.name, *(objects[(number + place) % len(objects)] for place in range(len(item.parameters)))))
        for item in declared
        for number in range(len(objects))
    )
    domain = Domain("d", predicates=declared)
    task = PddlTask(domain, Problem("p", "d", objects=tuple(map(TypedName, objects)), init=atoms))
    graph = graph_of(task)
    assert facts_of(graph) == of_objects(atoms)
    Graph().parse(data=graph.learned([("Do it", [])]).text, format="turtle")
    for name in objects:
        assert graph.select([name]).chosen[:1] == (name,) or not name.isidentifier()


def test_the_shipped_kitchen_and_its_ontology_are_of_one_piece(root: Path) -> None:
    folder = root / "domains" / "kitchen"
    task = load_task(folder / "domain.pddl", root / "instances" / "kitchen" / "t06.pddl")
    simulator = Simulator(task)
    graph = graph_of(task, read_ontology((folder / "ontology.ttl").read_text(encoding="utf-8")))
    slices = [name for name in task.objects if "slice" in graph.kind(name).lower()]
    assert slices
    assert not set(slices) & set(graph.objects())
    potato = next(name for name in task.objects if graph.kind(name) == "Potato")
    facts = graph.about([potato])[0]
    assert {"pickupable", "sliceable"} <= set(facts.affordances)
    assert graph.select(["Potato"]).chosen == (potato,)
    assert set(graph.select(["Potato"]).around) == {atom[2] for atom in facts.facts if atom[0] in ("on", "inside")}
    atoms = {atom for atom in simulator.initial.atoms if atom != ("absent", slices[0])}
    graph.update(simulator.state(atoms))
    assert slices[0] in graph.objects()


# ── names that a model gives ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("egg_1\npan_1\n", ("egg_1", "pan_1")),
        (
            "1. egg_1 (Egg)\n2) Pan\n- `fridge_1`: it holds the egg\n* **kettle_1** - to boil",
            ("egg_1", "Pan", "fridge_1", "kettle_1"),
        ),
        ("Sure! Here are the objects:\n\n(1) Egg-1\n(2) Cup-1.", ("Egg-1", "Cup-1")),
        ("Objects: egg_1, pan_1; pot_1", ("egg_1", "pan_1", "pot_1")),
        ('```json\n{"objects": ["egg_1", "stove burner 1"]}\n```', ("egg_1", "stove burner 1")),
        ("The egg\nan apple (red, ripe)\nstove_burner_1 because it heats", ("egg", "apple", "stove_burner_1")),
        ("egg_1\negg_1", ("egg_1",)),
        ("", ()),
    ],
)
def test_names_in_replies(reply: str, names: tuple[str, ...]) -> None:
    assert said_objects(reply) == names


@pytest.mark.parametrize(
    ("said", "chosen", "around"),
    [
        ("egg_0", ("egg-1",), ("fridge-1",)),
        ("Egg 0", ("egg-1",), ("fridge-1",)),
        # A told name comes before PDDL's: egg_1 is the second egg here.
        ("egg_1", ("egg-2",), ("pan-1", "stove-burner-1")),
        ("egg-1", ("egg-2",), ("pan-1", "stove-burner-1")),
        ("egg-2", ("egg-2",), ("pan-1", "stove-burner-1")),
        ("Egg", ("egg-1", "egg-2"), ("pan-1", "fridge-1", "stove-burner-1")),
        ("eggs", ("egg-1", "egg-2"), ("pan-1", "fridge-1", "stove-burner-1")),
        ("FOOD", ("egg-1", "egg-2", "bread-1"), ("pan-1", "fridge-1", "shelf-1", "stove-burner-1")),
        ("take egg_0 out of fridge_0", ("egg-1", "fridge-1"), ()),
        ("frying pan", ("pan-1",), ("stove-burner-1",)),
        ("bred", ("bread-1",), ("shelf-1",)),
        # There is no such egg, so any may be meant.
        ("egg_7", ("egg-1", "egg-2"), ("pan-1", "fridge-1", "stove-burner-1")),
        ("unicorn", (), ()),
        ("I think that we shall need nothing but a shelf or bread", ("shelf-1", "bread-1"), ()),
        ("I think that we shall need no more than what is there", (), ()),
    ],
)
def test_what_is_meant(graph: KnowledgeGraph, said: str, chosen: tuple[str, ...], around: tuple[str, ...]) -> None:
    found = graph.select([said])
    assert (found.chosen, found.around) == (chosen, around)
    assert found.objects == (*chosen, *around)


def test_the_order_is_that_of_the_names(graph: KnowledgeGraph) -> None:
    found = graph.select(["shelf_0", "dragon", "egg_0", "shelf_0"])
    assert (found.chosen, found.around) == (("shelf-1", "egg-1"), ("fridge-1",))


def test_embeddings_find_what_letters_do_not_and_are_asked_for_once(task: Task, graph: KnowledgeGraph) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> list[tuple[float, float]]:
        asked.extend(texts)
        return [(1.0, 0.1) if text in ("refrigerator", "fridge 0") else (0.0, 1.0) for text in texts]

    assert graph.select(["refrigerator"]).chosen == ()
    near = graph_of(task, read_ontology(ONTOLOGY), "typed", embed=embed)
    assert near.select(["refrigerator", "egg_0"]).chosen == ("fridge-1", "egg-1")
    assert near.select(["refrigerator"]).chosen == ("fridge-1",)
    assert len(asked) == len(set(asked))
    # What is named exactly needs no embedding.
    assert "egg_0" not in asked


# ── ontologies ────────────────────────────────────────────────────────────────────────────────────


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
