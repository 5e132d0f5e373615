"""What HVR's tests share: the cups of the policies' tests, and the small kitchen of the worlds' tests."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task
from pddl2nl.policies.events import RunEvent
from pddl2nl.systems.hvr.options import HVROptions
from tests.policies.conftest import blocks, play, world
from tests.policies.staged_model import Answer, Staged
from tests.systems.hvr.record import recorded
from tests.worlds.conftest import simulator, task

if TYPE_CHECKING:
    from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
    from pddl2nl.systems.hvr.ontology import Ontology

__all__ = ["MISTAKES", "PRESETS", "blocks", "graph_of", "play", "simulator", "staged", "task", "world"]

PRESETS = ("hvr", "hv", "hr", "vr", "r", "llm")
MISTAKES = HVROptions().mistakes
ONTOLOGY = """
@prefix : <urn:pddl2nl:ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .

:Food a owl:Class ; rdfs:subClassOf :Thing .
:Egg rdfs:subClassOf :Food ; :affords :Pickupable, :Crackable .
:Bread rdfs:subClassOf :Food, :Sliceable .
:BreadSlice rdfs:subClassOf :Food .
:Sliceable rdfs:subClassOf :Affordance .
:Food :hasProperty :Edible .
:Frying rdfs:subClassOf :Thing ; :pddlName "pan" .
:Burner rdfs:subClassOf :Thing ; :pddlName "stove-burner" ; :affords :HeatSource .
:inIt rdfs:subPropertyOf :isIn .
:onTopOf rdfs:subPropertyOf :isOn .
:holdsIt :pddlName "holds" ; rdfs:subPropertyOf :locates .
:existsNow rdfs:subPropertyOf :existence .
:heavy rdfs:subPropertyOf :affordance .
"""


def pytest_ignore_collect() -> bool | None:
    """Nothing here runs without the knowledge graph and the prover."""
    absent = [name for name in ("rdflib", "z3") if importlib.util.find_spec(name) is None]
    return True if absent else None


def graph_of(task: Task, ontology: Ontology | None = None, scheme: str = "original", **more: Any) -> KnowledgeGraph:
    """The knowledge graph of a task, told by templates."""
    from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph

    wording = template_wording(task.domain)
    return KnowledgeGraph(Teller(task, wording, make_names(task, scheme, wording)), ontology, **more)


def staged(replies: Mapping[str, Answer | Sequence[Answer]]) -> Staged:
    """A model that answers HVR's stages."""
    from pddl2nl.systems.hvr.prompting import LAYOUT

    return Staged(replies, LAYOUT)


@pytest.fixture(scope="session")
def hvr_events() -> list[RunEvent]:
    """See `recorded`."""
    return recorded()
