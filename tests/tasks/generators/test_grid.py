"""Grid: keys within reach, ways that go in one direction only, and keys that come nowhere."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import generate
from tests.tasks.generators.exhaustive import shortest, solvable_without_deletes


@pytest.mark.parametrize("oneways", [0, 2])
def test_small_grids_have_plans(oneways):
    for seed in range(8):
        made = generate("grid", seed, x=3, y=2, keys=2, goals=1 + seed % 2, locks=3, shapes=2, oneways=oneways)
        assert made.solvable
        assert shortest(made) is not None


@pytest.mark.parametrize(("way", "seen"), [("locked", False), ("trap", True), ("fork", True)])
def test_unsolvable_grids_have_none_and_the_relaxation_sees_it_of_locked_keys_alone(way, seen):
    for seed in range(6):
        made = generate("grid", seed, x=3 - seed % 2, y=2 + seed % 2, keys=2, locks=2, oneways=1, unsolvable=way)
        assert not made.solvable
        assert shortest(made) is None
        assert solvable_without_deletes(made) == seen


def test_a_place_is_open_or_locked_and_a_way_between_neighbours_is_missing_in_one_direction_only(facts):
    for seed in range(10):
        text = generate("grid", seed, x=4, y=3, locks=5, oneways=3).text
        opened, locked = facts(text, "open"), facts(text, "locked")
        assert len(locked) == 5
        assert len({*opened, *locked}) == len(opened) + len(locked) == 12
        assert [(place,) for place, _ in facts(text, "lock-shape")] == locked
        assert facts(text, "at-robot")[0] in opened
        ways = facts(text, "conn")
        assert len(set(ways)) == len(ways) == 2 * (3 * 3 + 2 * 4) - 3
        assert sum((there, here) not in ways for here, there in ways) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": 1, "y": 1, "locks": 0}, "found x=1 y=1"),
        ({"locks": 9}, "needs locks < x × y .*; found x=3 y=3 locks=9"),
        ({"oneways": 13}, "found x=3 y=3 oneways=13"),
        ({"keys": 1, "goals": 2}, "needs goals ≤ keys; found keys=1 goals=2"),
        ({"locks": 0, "unsolvable": "locked"}, "locks ≥ 1 for unsolvable=locked"),
        ({"shapes": 1, "unsolvable": "locked"}, "shapes ≥ 2 or goals=1 for unsolvable=locked"),
        ({"goals": 1, "unsolvable": "fork"}, "for unsolvable=fork"),
        ({"x": 2, "y": 2, "unsolvable": "fork"}, "for unsolvable=fork"),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        generate("grid", 1, **given)
