"""What Ferry, Grippers and Logistics share: things at places, some of which have to be elsewhere."""

from __future__ import annotations

import pytest

from pddl2nl.tasks.generators.generator import Draw, plural
from pddl2nl.tasks.generators.journeys import Journey, counted, draw_journeys

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
