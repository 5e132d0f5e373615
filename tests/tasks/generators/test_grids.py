"""Grid, visitall, floortile and goldminer: maps that hold together, and when they have a plan."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import Generated, ParameterValues, generate
from pddl2nl.tasks.generators import goldminer as module
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


# ── visitall ──────────────────────────────────────────────────────────────────────────────────────


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


# ── floortile ─────────────────────────────────────────────────────────────────────────────────────


def row_and_column(tile: str) -> tuple[int, int]:
    _, row, column = tile.split("-")
    return int(row), int(column)


def wanted(made: Generated, facts) -> dict[tuple[int, int], str]:
    return {row_and_column(tile): color for tile, color in facts(made.text.split("(:goal")[1], "painted")}


@pytest.mark.parametrize(("rows", "columns"), [(2, 1), (2, 5), (5, 2), (4, 4)])
def test_the_floor_is_a_rectangle_told_in_all_four_directions(rows, columns, facts):
    text = generate("floortile", 1, rows=rows, columns=columns).text
    for side, rise, run in (("up", 1, 0), ("down", -1, 0), ("right", 0, 1), ("left", 0, -1)):
        pairs = [(row_and_column(here), row_and_column(there)) for here, there in facts(text, side)]
        assert len(set(pairs)) == len(pairs) == (rows - abs(rise)) * (columns - abs(run))
        assert all((row - rise, column - run) == there for (row, column), there in pairs)


@pytest.mark.parametrize("layout", ["competition", "free"])
def test_one_row_stays_free_and_robots_block_no_tile_but_their_own(layout, facts):
    free = set()
    for seed in range(30):
        made = generate("floortile", seed, rows=4, columns=4, robots=3, tiles=0, layout=layout)
        rows = {row for row, _ in wanted(made, facts)}
        assert len(wanted(made, facts)) == 12
        free |= set(range(4)) - rows
        places = [tile for _, tile in facts(made.text, "robot-at")]
        assert len(set(places)) == 3
        assert {tile for (tile,) in facts(made.text, "clear")}.isdisjoint(places)
        assert len(facts(made.text, "clear")) == 13
        if layout == "competition":
            assert {row_and_column(tile)[0] for tile in places} == {0}
    assert free == ({0} if layout == "competition" else {0, 1, 2, 3})


def test_small_floors_have_plans():
    for seed in range(10):
        robots, layout = 1 + seed % 2, ("competition", "free")[seed // 5]
        assert shortest(generate("floortile", seed, rows=2, columns=2, robots=robots, layout=layout)) is not None
    assert shortest(generate("floortile", 1, rows=3, columns=2, colors=1, layout="free")) is not None


def test_a_whole_column_cannot_be_painted_which_deletes_alone_forbid(facts):
    for seed in range(6):
        size = {"rows": 2 + seed % 2, "columns": 1 + seed % 2, "colors": 1}
        made = generate("floortile", seed, **size, unsolvable="column", layout=("competition", "free")[seed % 2])
        assert not made.solvable
        columns = [column for _, column in wanted(made, facts)]
        assert size["rows"] in {columns.count(column) for column in columns}
        assert shortest(made) is None
        assert solvable_without_deletes(made)


# ── goldminer: mines are kept if and only if their gold can be had ────────────────────────────────


def generated(mine: module._Mine) -> Generated:
    """The problem of a mine, whether or not it has a plan."""
    generator = module.GENERATOR
    always = type(generator)(
        domain=generator.domain,
        pddl_name=generator.pddl_name,
        summary="",
        parameters=(),
        make=lambda values, draw: module._sketch(mine),
        small=generator.small,
    )
    return always.generate(1, {})


def drawn(seed: int, monkeypatch: pytest.MonkeyPatch, **given: int | str) -> module._Mine:
    """The first mine that is drawn, whether or not it would be kept."""
    seen: list[module._Mine] = []
    with monkeypatch.context() as patch:
        patch.setattr(module, "_sketch", lambda mine: seen.append(mine))
        patch.setattr(module._Mine, "solvable", True)
        values: ParameterValues = module.GENERATOR.values(given)
        module._make(values, module.Draw(seed))
    return seen[0]


def test_a_mine_is_kept_if_and_only_if_it_has_a_plan(monkeypatch):
    verdicts = []
    for seed in range(60):
        tools, gold = ("together", "apart", "bombs")[seed % 3], ("covered", "covered", "open")[seed % 7 % 3]
        rows, columns = ((2, 3), (1, 6), (3, 2), (1, 4))[seed % 4]
        given = {"rows": rows, "columns": columns, "hard": 50, "rock": 60, "tools": tools, "gold": gold}
        mine = drawn(seed, monkeypatch, **given)
        verdicts.append(mine.solvable)
        assert (shortest(generated(mine)) is not None) == mine.solvable, given
    assert 10 < sum(verdicts) < 50


def test_covered_gold_takes_a_bomb():
    assert shortest(generate("goldminer", 2, rows=1, columns=2)) == 4  # a bomb, its use, a step, the gold
    assert shortest(generate("goldminer", 2, rows=1, columns=2, gold="open")) == 2
