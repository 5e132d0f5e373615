"""Logistics, ferry, grippers and depots: what has to move, and that everything has a way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pddl2nl.pddl import conjuncts, load_domain
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.generators.generator import Draw, plural
from pddl2nl.tasks.generators.journeys import Journey, counted, draw_journeys


@pytest.mark.parametrize(("cities", "locations"), [(1, 2), (2, 1), (3, 4)])
def test_every_city_has_a_truck_in_it_and_its_first_location_is_its_airport(cities, locations, facts):
    for seed in range(10):
        text = generate("logistics", seed, cities=cities, locations=locations, airplanes=2).text.split("(:goal")[0]
        city_of = dict(facts(text, "in-city"))
        at = dict(facts(text, "at"))
        assert len(city_of) == cities * locations
        assert [city_of[at[f"t{number}"]] for number in range(cities)] == [f"c{number}" for number in range(cities)]
        assert facts(text, "airport") == [(f"l{number}-0",) for number in range(cities)]
        assert {at["a0"], at["a1"]} <= {f"l{number}-0" for number in range(cities)}


def test_all_packages_move_or_one_at_least(facts):
    shares = {100: set(), 1: set()}
    for moving, found in shares.items():
        for seed in range(40):
            init, goal = generate("logistics", seed, packages=3, moving=moving).text.split("(:goal")
            at = dict(facts(init, "at"))
            found.add(sum(at[package] != place for package, place in facts(goal, "at")))
    assert shares == {100: {3}, 1: {1, 2, 3}}


def test_objects_are_called_and_the_text_is_laid_out_as_ever():
    text = generate("logistics", 1, cities=2, locations=2, airplanes=1, packages=1).text
    assert "(:objects\n    c0 c1\n    t0 t1\n    a0\n    l0-0 l0-1\n    l1-0 l1-1\n    p0)" in text
    assert text.startswith("; Logistics: 2 cities, 4 locations, 1 airplane, 1 package, which must move.\n")
    assert (
        "; Logistics: 1 city, 3 locations, 0 airplanes, "
        in generate("logistics", 1, cities=1, locations=3, airplanes=0).text
    )


# ── journeys ──────────────────────────────────────────────────────────────────────────────────────


PLACES = ("here", "there", "yonder")


@pytest.mark.parametrize("percent", [1, 50, 81, 100])
@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_at_least_so_many_move_and_one_in_any_case(count, percent):
    things = [f"t{number}" for number in range(count)]
    numbers = set()
    for seed in range(60):
        journeys = draw_journeys(things, PLACES, percent, Draw(seed))
        assert [each.thing for each in journeys] == things
        moving = sum(each.moves for each in journeys)
        assert moving >= max(1, count * percent / 100)
        numbers.add(moving)
    least = max(1, -(-count * percent // 100))
    assert numbers == set(range(least, count + 1))


def test_numbers_in_words():
    stays, goes = Journey("a", "here", None), Journey("b", "here", "there")
    assert counted([goes], "car") == "1 car, which must move"
    assert counted([goes, goes], "car") == "2 cars, all of which must move"
    assert counted([goes, stays, goes], "car") == "3 cars, 2 of which must move"
    assert (plural(1, "room"), plural(2, "room")) == ("1 room", "2 rooms")


# ── ferry: how many cars have to move ─────────────────────────────────────────────────────────────


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


# ── grippers ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("balls", [1, 2, 5, 12])
def test_all_balls_move_in_the_scaled_set(balls):
    for seed in range(10):
        init, goal = generate("grippers", seed, robots=1, rooms=2, balls=balls, moving=100).text.split("(:goal")
        starts, ends = (dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in (init, goal))
        assert len(starts) == len(ends) == balls
        assert all(starts[ball] != ends[ball] for ball in ends)


def test_every_robot_has_a_left_and_a_right_gripper():
    text = generate("grippers", 1, robots=3, rooms=4, balls=2).text
    assert re.findall(r"\(free (\w+) (\w+)\)", text) == [
        (f"robot{number}", f"{side}gripper{number}") for number in (1, 2, 3) for side in "lr"
    ]
    assert len(re.findall(r"\(at-robby robot[123] room[1234]\)", text)) == 3


def test_fewer_balls_need_not_all_move():
    summaries = {generate("grippers", seed, balls=3, moving=1).text.splitlines()[0] for seed in range(30)}
    start = "; Grippers: 1 robot, 2 rooms, 3 balls, "
    assert summaries == {f"{start}{number} of which must move." for number in ("1", "2", "all")}


# ── depots: names that are PlanBench's, stacks, and a hoist and a pallet at every place ───────────


ROOT = Path(__file__).resolve().parents[3]


def test_the_domain_is_the_competitions_with_arguments_in_the_same_order(shared):
    ours = load_domain(ROOT / "domains" / "depots" / "domain.pddl")
    theirs = load_domain(shared / "autoplanbench" / "depot" / "domain.pddl")
    assert ours.predicates == theirs.predicates
    assert [action.parameters for action in ours.actions] == [action.parameters for action in theirs.actions]
    for one, other in zip(ours.actions, theirs.actions, strict=True):
        assert one.name == other.name
        assert set(conjuncts(one.precondition)) == set(conjuncts(other.precondition))
        assert set(conjuncts(one.effect)) == set(conjuncts(other.effect))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"depots": 2, "pallets": 5, "hoists": 4, "crates": 6},
        {"depots": 0, "distributors": 3, "pallets": 3, "hoists": 3},
    ],
)
def test_every_place_has_pallets_and_hoists_and_crates_stand_where_their_stack_does(given, facts):
    for seed in range(20):
        init, goal = generate("depots", seed, **given).text.split("(:goal")
        at, on = dict(facts(init, "at")), dict(facts(init, "on"))
        places = set(re.findall(r"(?:depot|distributor)\d+", init.split("(:init")[0].split("(:objects")[1]))
        for kind in ("pallet", "hoist"):
            assert {place for thing, place in at.items() if thing.startswith(kind)} == places
        assert all(at[crate] == at[below] for crate, below in on.items())
        assert len(set(on.values())) == len(on)
        assert {name for (name,) in facts(init, "clear")} == {
            name for name in at if name.startswith(("pallet", "crate")) and name not in on.values()
        }
        assert {name for (name,) in facts(init, "available")} == {name for name in at if name.startswith("hoist")}
        assert set(dict(facts(goal, "on"))) == set(on)
