"""The nearest texts: by letters, by embeddings, and what embeddings must be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.worlds.similarity import Vectors, nearest, plain

NAMES = ["egg_1", "egg_2", "wine_bottle_1", "stove_burner_1", "stove_burner_2", "Fridge"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("egg_2", [1]),
        ("Egg 2", [1]),
        ("the eggs", [0, 1]),
        ("egg_3", []),
        ("bottle", [2]),
        ("bottle of wine", [2]),
        ("StoveBurner-2", [4]),
        ("stove", [3, 4]),
        ("frigde", [5]),
        ("unicorn", []),
        ("  ", []),
    ],
)
def test_letters(said: str, found: list[int]) -> None:
    assert list(nearest(said, NAMES)) == found


@pytest.mark.parametrize(
    ("name", "words"), [("StoveBurner-1", "stove burner 1"), ("egg_1", "egg 1"), ("ÄpfelÜber", "äpfelüber"), ("-_", "")]
)
def test_plain(name: str, words: str) -> None:
    assert plain(name) == words


class Embedder:
    """Gives vectors of a table and counts what it is asked for."""

    def __init__(self, table: dict[str, tuple[float, ...]]):
        self.table = table
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.asked += texts
        return [self.table[text] for text in texts]


def test_embeddings_take_the_nearest_however_far_and_are_asked_once() -> None:
    embed = Embedder({"refrigerator": (1, 0.2), "fridge": (1, 0), "egg 1": (0, 1), "nonsense": (-1, 0.1)})
    vectors = Vectors(embed)
    assert nearest("refrigerator", ["egg_1", "Fridge"], vectors) == (1,)
    assert nearest("nonsense", ["egg_1", "Fridge"], vectors) == (0,)
    assert sorted(embed.asked) == ["egg 1", "fridge", "nonsense", "refrigerator"]


def test_embeddings_that_are_none() -> None:
    with pytest.raises(InfrastructureError, match="1 vectors for 2 texts"):
        Vectors(lambda texts: [(1.0,)]).of(["a", "b"])
    with pytest.raises(InfrastructureError, match="2 different lengths"):
        Vectors(lambda texts: [(1.0,) * len(text) for text in texts]).of(["a", "bb"])
