"""Logistics: cities with a truck and an airport each, packages that have to move."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import generate


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


def test_cities_that_nothing_connects_are_refused():
    with pytest.raises(InputError, match=r"airplanes ≥ 1 for cities ≥ 2 .*; found cities=2 airplanes=0"):
        generate("logistics", 1, airplanes=0)
    with pytest.raises(InputError, match="found cities=1 locations=1"):
        generate("logistics", 1, cities=1, locations=1)
