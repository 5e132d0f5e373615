"""Chance: the same on every machine, and fair."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from pddl2nl.tasks.generators.generator import Draw


def test_the_same_seed_draws_the_same_for_ever():
    draw = Draw(7)
    assert [draw.below(1000) for _ in range(5)] == [323, 150, 650, 72, 535]
    assert Draw("a text").between(10, 99) == 52
    assert Draw(7).shuffled("abcdefg") == list("gebfdac")


def test_every_order_is_as_likely_as_any_other():
    draw = Draw(1)
    found = Counter("".join(draw.shuffled("abc")) for _ in range(3000))
    assert set(found) == {"".join(order) for order in permutations("abc")}
    assert all(400 < number < 600 for number in found.values())


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(ValueError, match="nothing can be drawn from 0"):
        Draw(1).below(0)
    with pytest.raises(ValueError, match="3 cannot be drawn from 2"):
        Draw(1).sample("ab", 3)
