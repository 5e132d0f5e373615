"""Floortile: a row that stays free, the colours that are wanted, and columns that cannot be painted."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import Generated, generate
from tests.tasks.generators.exhaustive import shortest, solvable_without_deletes


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"robots": 4}, "needs robots ≤ columns .*; found columns=3 robots=4"),
        ({"tiles": 7}, "found rows=3 columns=3 tiles=7"),
        ({"tiles": 2, "unsolvable": "column"}, "needs tiles.*tiles=2"),
    ],
)
def test_what_contradicts_itself_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        generate("floortile", 1, **given)
