"""What Ferry, Grippers and Logistics share: things at places, some of which have to be elsewhere."""

from __future__ import annotations

import pytest

from pddl2nl.tasks.generators.generator import Draw, Journey, counted, draw_journeys, plural

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


def test_those_that_need_not_move_are_named_where_they_are_or_not_at_all():
    journeys = [each for seed in range(40) for each in draw_journeys(["a", "b", "c"], PLACES, 1, Draw(seed))]
    stay = [each for each in journeys if not each.moves]
    assert {each.end for each in stay} == {None, *PLACES}
    assert all(each.end in (None, each.start) for each in stay)


def test_starts_and_ends_are_everywhere():
    journeys = [each for seed in range(60) for each in draw_journeys(["a", "b"], PLACES, 100, Draw(seed))]
    assert {(each.start, each.end) for each in journeys} == {(a, b) for a in PLACES for b in PLACES if a != b}


def test_numbers_in_words():
    stays, goes = Journey("a", "here", None), Journey("b", "here", "there")
    assert counted([goes], "car") == "1 car, which must move"
    assert counted([goes, goes], "car") == "2 cars, all of which must move"
    assert counted([goes, stays, goes], "car") == "3 cars, 2 of which must move"
    assert (plural(1, "room"), plural(2, "room")) == ("1 room", "2 rooms")
