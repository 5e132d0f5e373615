"""Ferry: how many cars have to move."""

from __future__ import annotations

import re

import pytest

from pddl2nl.tasks.generators import generate


def moves(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Where the cars are, and where they have to be."""
    init, goal = text.split("(:goal")
    return tuple(dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in (init, goal))


@pytest.mark.parametrize("cars", [1, 2, 4, 5, 6, 9, 10, 11, 20, 33])
def test_more_than_80_percent_of_the_cars_move_in_the_scaled_set(cars):
    for seed in range(20):
        made = generate("ferry", seed, locations=3, cars=cars, moving=81)
        starts, ends = moves(made.text)
        assert len(starts) == cars
        assert set(starts.values()) | set(ends.values()) <= {"l0", "l1", "l2"}
        assert sum(ends[car] != starts[car] for car in ends) > 0.8 * cars
        assert made.objects == 3 + cars


def test_some_cars_need_not_move_where_fewer_have_to():
    shares = set()
    for seed in range(40):
        starts, ends = moves(generate("ferry", seed, cars=4, moving=50).text)
        shares.add(sum(ends[car] != starts[car] for car in ends))
    assert shares == {2, 3, 4}


def test_the_summary_counts():
    text = generate("ferry", 1, locations=2, cars=5, moving=100).text
    assert text.splitlines()[0] == "; Ferry: 2 locations, 5 cars, all of which must move."
