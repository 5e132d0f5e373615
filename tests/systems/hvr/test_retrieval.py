"""Retrieval: names out of replies, and objects out of names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pddl2nl.nl import Names, make_names
from pddl2nl.pddl import Task
from pddl2nl.systems.hvr.knowledge_graph import Choices, KnowledgeGraph, said_objects
from pddl2nl.systems.hvr.ontology import read_ontology
from tests.worlds.conftest import ONTOLOGY


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


@pytest.fixture
def graph(task: Task) -> KnowledgeGraph:
    """Told: egg_0 and egg_1 for egg-1 and egg-2, and so on."""
    return KnowledgeGraph(task, read_ontology(ONTOLOGY), make_names(task, "typed"))


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
    assert found.unknown == (() if chosen else (said,))
    assert found.objects == (*chosen, *around)


def test_names_that_differ_in_their_hyphens_alone() -> None:
    names = Names({"pos-1-11": "pos-1-11", "pos-11-1": "pos-11-1", "a>b": "a>b", "a<b": "a<b"}, "original")
    choices = Choices(list(names.to_nl), {}, names)
    for name in names.to_nl:
        assert choices.meant([name.upper()]) == ((name,), ())
    assert choices.meant(["pos 11 1"]) == (("pos-11-1",), ())


def test_what_is_said_at_endless_length_is_searched_at_its_beginning() -> None:
    choices = Choices(["egg-1", "pan-1"], {}, Names({"egg-1": "egg_1", "pan-1": "pan_1"}))
    assert choices.meant(["take egg_1 and " + "then " * 100_000 + "pan_1"]) == (("egg-1",), ())


def test_the_order_is_that_of_the_names(graph: KnowledgeGraph) -> None:
    found = graph.select(["shelf_0", "dragon", "egg_0", "shelf_0"])
    assert (found.chosen, found.around, found.unknown) == (("shelf-1", "egg-1"), ("fridge-1",), ("dragon",))


def test_embeddings_find_what_letters_do_not_and_are_asked_for_once(graph: KnowledgeGraph) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> list[tuple[float, float]]:
        asked.extend(texts)
        return [(1.0, 0.1) if text in ("refrigerator", "fridge 0") else (0.0, 1.0) for text in texts]

    assert graph.select(["refrigerator"]).unknown == ("refrigerator",)
    assert graph.select(["refrigerator", "egg_0"], embed).chosen == ("fridge-1", "egg-1")
    assert graph.select(["refrigerator"], embed).chosen == ("fridge-1",)
    assert len(asked) == len(set(asked))
    # What is named exactly needs no embedding.
    assert "egg_0" not in asked
