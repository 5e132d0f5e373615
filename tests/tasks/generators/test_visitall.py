"""Visitall: maps that hold together, how much of them is to visit, and maps that cannot be walked."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import generate

PLACE = r"(loc-x\d+-y\d+)"


def read(text: str) -> tuple[str, list[str], dict[str, list[str]], list[str]]:
    """The start, the places, where one can walk from each, and what is to visit."""
    init, goal = text.split("(:goal")
    places = re.findall(PLACE, init.split("(:init")[0])
    ways: dict[str, list[str]] = {place: [] for place in places}
    for one, to in re.findall(rf"\(connected {PLACE} {PLACE}\)", init):
        ways[one].append(to)
    (start,) = re.findall(rf"\(at-robot {PLACE}\)", init)
    assert re.findall(rf"\(visited {PLACE}\)", init) == [start]
    return start, places, ways, re.findall(rf"\(visited {PLACE}\)", goal)


def reached(start: str, ways: dict[str, list[str]]) -> set[str]:
    seen, frontier = {start}, [start]
    while frontier:
        for near in ways[frontier.pop()]:
            if near not in seen:
                seen.add(near)
                frontier.append(near)
    return seen


def can_be_visited(start: str, ways: dict[str, list[str]], goal: list[str]) -> bool:
    """Whether some walk sees all of the goal; all walks are tried."""
    seen = {(start, frozenset([start]))}
    frontier = list(seen)
    while frontier:
        place, visited = frontier.pop()
        if visited.issuperset(goal):
            return True
        for near in ways[place]:
            then = (near, visited | {near} if near in goal else visited)
            if then not in seen:
                seen.add(then)
                frontier.append(then)
    return False


def are_neighbours(one: str, to: str) -> bool:
    (x, y), (u, v) = (map(int, re.findall(r"\d+", place)) for place in (one, to))
    return abs(x - u) + abs(y - v) == 1


@pytest.mark.parametrize(("x", "y", "missing"), [(1, 2, 0), (3, 3, 0), (4, 4, 6), (5, 2, 4), (5, 5, 23), (7, 3, 8)])
def test_what_is_left_of_the_grid_holds_together_in_both_directions(x, y, missing):
    for seed in range(10):
        made = generate("visitall", seed, x=x, y=y, missing=missing)
        start, places, ways, goal = read(made.text)
        assert len(places) == made.objects == x * y - missing
        assert goal == places
        assert reached(start, ways) == set(places)
        walked = {(one, to) for one, near in ways.items() for to in near}
        assert walked == {(one, to) for one in places for to in places if are_neighbours(one, to)}


@pytest.mark.parametrize(("visit", "count"), [(1, 1), (8, 1), (9, 2), (50, 6), (99, 11)])
def test_a_part_of_the_places_is_to_visit_and_the_start_is_none_of_it(visit, count):
    starts = set()
    for seed in range(10):
        start, _, _, goal = read(generate("visitall", seed, x=4, y=3, visit=visit).text)
        assert len(set(goal)) == count
        assert start not in goal
        starts.add(start)
    assert len(starts) > 3


def can_enter_each(start: str, ways: dict[str, list[str]], goal: list[str]) -> bool:
    return set(goal) <= reached(start, ways)


def cannot_enter_each(start: str, ways: dict[str, list[str]], goal: list[str]) -> bool:
    return not can_enter_each(start, ways, goal)


@pytest.mark.parametrize(("way", "seen_at_once"), [("cut", cannot_enter_each), ("pockets", can_enter_each)])
@pytest.mark.parametrize("shape", [(3, 1, 0), (2, 2, 1), (3, 3, 0), (4, 3, 2)])
@pytest.mark.parametrize("visit", [1, 60, 100])
def test_maps_that_cannot_be_walked(way: str, seen_at_once: Callable[..., bool], shape, visit):
    x, y, missing = shape
    for seed in range(6):
        made = generate("visitall", seed, x=x, y=y, missing=missing, visit=visit, unsolvable=way)
        start, places, ways, goal = read(made.text)
        assert len(places) == x * y - missing
        assert not can_be_visited(start, ways, goal)
        assert seen_at_once(start, ways, goal)


def test_grids_with_too_few_places_are_refused():
    with pytest.raises(InputError, match="found x=1 y=1 missing=0"):
        generate("visitall", 1, x=1, y=1)
    with pytest.raises(InputError, match=r"needs x × y − missing ≥ 2 places.*; found x=3 y=3 missing=8"):
        generate("visitall", 1, missing=8)
    with pytest.raises(InputError, match="3 for unsolvable=pockets"):
        generate("visitall", 1, x=2, y=1, unsolvable="pockets")
    with pytest.raises(InputError, match="3 for unsolvable=pockets"):
        generate("visitall", 1, missing=7, unsolvable="pockets")
    assert generate("visitall", 1, x=2, y=1, unsolvable="cut").objects == 2
