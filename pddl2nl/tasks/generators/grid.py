"""Problems of Grid: a robot carries keys to their places on a grid with locked cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.tasks.generators.cells import Cell, grid_cells, neighbours, reached
from pddl2nl.tasks.generators.generator import Draw, Generator, Parameter, ParameterValues, Sketch, plural

_Way = tuple[Cell, Cell]


@dataclass(frozen=True)
class _Floor:
    """A grid with the robot's start, its ways, locks and keys.

    Attributes:
        cells: row by row.
        start: the robot's cell.
        ways: pairs of cells, from and to.
        locks: the shape of the lock of each locked cell.
        keys: shape and place of each key by name.
    """

    cells: Sequence[Cell]
    start: Cell
    ways: frozenset[_Way]
    locks: Mapping[Cell, str]
    keys: Mapping[str, tuple[str, Cell]]

    def within_reach(self, *, and_back: bool) -> frozenset[Cell]:
        """The cells that the robot can reach, opening locks with the keys it can reach.

        With ``and_back``, only cells from which it can go back, so every reachable key can be brought to every such
        cell. Without, all cells that the robot could ever enter.
        """
        shut = set(self.locks)
        while True:
            within = self._reached(shut, and_back)
            shapes = {shape for shape, place in self.keys.values() if place in within}
            opened = {
                cell
                for cell in shut
                if self.locks[cell] in shapes and any((near, cell) in self.ways for near in within)
            }
            if not opened:
                return within
            shut -= opened

    def _reached(self, shut: set[Cell], and_back: bool) -> frozenset[Cell]:
        def ahead(cell: Cell) -> list[Cell]:
            return [near for near in neighbours(cell) if (cell, near) in self.ways and near not in shut]

        def behind(cell: Cell) -> list[Cell]:
            return [near for near in neighbours(cell) if (near, cell) in self.ways and near not in shut]

        there = reached(self.start, ahead)
        return there & reached(self.start, behind) if and_back else there


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    cells = grid_cells(values["y"], values["x"])
    unsolvable = values["unsolvable"]
    traps = _draw_traps(values, draw)
    start = draw.pick([cell for cell in cells if all(cell not in trap for trap in traps)])
    ways = _draw_ways(cells, traps, values["oneways"], draw)
    shapes = [f"shape{number}" for number in range(1, values["shapes"] + 1)]
    locked = draw.sample([cell for cell in cells if cell != start], values["locks"])
    locks = {cell: draw.pick(shapes) for cell in locked}
    keys = {f"key{number}": (draw.pick(shapes), draw.pick(cells)) for number in range(1, values["keys"] + 1)}
    lost = frozenset[str]()
    if unsolvable == "locked":
        # All keys of one shape are where only a key of that shape gives access.
        shape = draw.pick([*locks.values()])
        behind = [cell for cell in cells if locks.get(cell) == shape]
        keys = {key: (mine, draw.pick(behind) if mine == shape else place) for key, (mine, place) in keys.items()}
        lost = frozenset(key for key, (mine, _) in keys.items() if mine == shape)
        if not lost:
            return None
    floor = _Floor(cells, start, ways, locks, keys)
    goal = _draw_goal(floor, traps, lost, values, draw)
    return None if goal is None else _sketch(floor, shapes, goal, unsolvable == "no")


# ── where one can go ─────────────────────────────────────────────────────────────────────────────


def _name(cell: Cell) -> str:
    row, column = cell
    return f"node{column}-{row}"


def _draw_traps(values: ParameterValues, draw: Draw) -> list[frozenset[Cell]]:
    """The parts of the grid that the robot can enter but not leave: one for a trap, two for a fork."""
    count = {"trap": 1, "fork": 2}.get(values["unsolvable"], 0)
    cells = grid_cells(values["y"], values["x"])
    long_axes = [axis for axis, size in enumerate((values["y"], values["x"])) if size > count]
    if not count:
        return []
    axis = draw.pick(long_axes)
    size = (values["y"], values["x"])[axis]
    low = draw.between(1, size - count)
    below = frozenset(cell for cell in cells if cell[axis] < low)
    if count == 2:
        high = draw.between(low + 1, size - 1)
        return [below, frozenset(cell for cell in cells if cell[axis] >= high)]
    return [below if draw.chance(50) else frozenset(cells) - below]


def _draw_ways(cells: Sequence[Cell], traps: Sequence[frozenset[Cell]], oneways: int, draw: Draw) -> frozenset[_Way]:
    """The ways between neighbours: some in one direction only, none out of a trap."""
    known = set(cells)
    pairs = [(cell, near) for cell in cells for near in neighbours(cell) if near in known and cell < near]
    single = {draw.pick((pair, pair[::-1])) for pair in draw.sample(pairs, oneways)}
    return frozenset(
        (here, there)
        for pair in pairs
        for here, there in (pair, pair[::-1])
        if (there, here) not in single and not any(here in trap and there not in trap for trap in traps)
    )


# ── what is wanted ───────────────────────────────────────────────────────────────────────────────


def _draw_goal(
    floor: _Floor, traps: Sequence[frozenset[Cell]], lost: frozenset[str], values: ParameterValues, draw: Draw
) -> dict[str, Cell] | None:
    """New places for a number of keys; None if the grid does not allow it."""
    within = floor.within_reach(and_back=not traps)
    special = _draw_special(floor, traps, lost, draw)
    if special is None:
        return None
    rest = [key for key, (_, place) in floor.keys.items() if key not in special and place in within]
    missing = values["goals"] - len(special)
    if not 0 <= missing <= len(rest) or (not lost and not all(floor.keys[key][1] in within for key in special)):
        return None
    goal = dict(special)
    for key in draw.sample(rest, missing):
        ends = [cell for cell in floor.cells if cell in within and cell != floor.keys[key][1]]
        if not ends:
            return None
        goal[key] = draw.pick(ends)
    if not lost and not all(place in within for place in goal.values()):
        return None
    return {key: goal[key] for key in floor.keys if key in goal}


def _draw_special(
    floor: _Floor, traps: Sequence[frozenset[Cell]], lost: frozenset[str], draw: Draw
) -> dict[str, Cell] | None:
    """The part of the goal that makes an unsolvable problem unsolvable; None if the grid does not allow it.

    A key cannot move if all keys of its shape are locked up behind locks of that shape. A key cannot leave a trap,
    since it moves only with the robot. The robot cannot carry a key into each of two traps.
    """
    if lost:
        key = draw.pick([name for name in floor.keys if name in lost])
        return {key: draw.pick([cell for cell in floor.cells if cell != floor.keys[key][1]])}
    if len(traps) == 1:
        inside = [key for key, (_, place) in floor.keys.items() if place in traps[0]]
        outside = [cell for cell in floor.cells if cell not in traps[0]]
        return {draw.pick(inside): draw.pick(outside)} if inside else None
    if len(traps) == 2:
        free = [key for key, (_, place) in floor.keys.items() if all(place not in trap for trap in traps)]
        if len(free) < 2:
            return None
        return {
            key: draw.pick([cell for cell in floor.cells if cell in trap])
            for key, trap in zip(draw.sample(free, 2), traps, strict=True)
        }
    return {}


def _sketch(floor: _Floor, shapes: Sequence[str], goal: Mapping[str, Cell], solvable: bool) -> Sketch:
    rows = [[cell for cell in floor.cells if cell[0] == row] for row in range(floor.cells[-1][0] + 1)]
    return Sketch(
        objects=(
            *(("place", tuple(_name(cell) for cell in row)) for row in rows),
            ("key", tuple(floor.keys)),
            ("shape", tuple(shapes)),
        ),
        init=(
            (("at-robot", _name(floor.start)), ("arm-empty",)),
            *((("key-shape", key, shape), ("at", key, _name(place))) for key, (shape, place) in floor.keys.items()),
            *(
                (("locked", _name(cell)), ("lock-shape", _name(cell), floor.locks[cell]))
                for cell in floor.cells
                if cell in floor.locks
            ),
            *(tuple(("open", _name(cell)) for cell in row if cell not in floor.locks) for row in rows),
            *(
                tuple(("conn", _name(cell), _name(near)) for near in neighbours(cell) if (cell, near) in floor.ways)
                for cell in floor.cells
            ),
        ),
        goal=tuple(("at", key, _name(place)) for key, place in goal.items()),
        summary=f"{len(floor.cells)} places, {len(floor.locks)} of them locked, {plural(len(floor.keys), 'key')}, "
        f"{plural(len(goal), 'goal')}",
        solvable=solvable,
    )


def _small(draw: Draw) -> Mapping[str, int | str]:
    x, y = draw.between(2, 5), draw.between(2, 4)
    keys = draw.between(1, 3)
    return {
        "x": x,
        "y": y,
        "keys": keys,
        "shapes": draw.between(1, 2),
        "locks": draw.between(0, min(5, x * y - 2)),
        "goals": draw.between(1, keys),
        "oneways": draw.pick((0, 0, 1, 2)),
    }


GENERATOR = Generator(
    domain="grid",
    pddl_name="grid",
    summary="a grid whose goals ask only for keys and places that come within reach while the robot can always go "
    "back, so every problem has a plan unless it is made to have none",
    parameters=(
        Parameter("x", "how many places the grid has from left to right", 3, 1, 40),
        Parameter("y", "how many places it has from top to bottom", 3, 1, 40),
        Parameter("keys", "how many keys there are", 2, 1, 60),
        Parameter("shapes", "how many shapes keys and locks have", 2, 1, 20),
        Parameter("locks", "how many places are locked", 2, 0, 400),
        Parameter("goals", "how many keys have to be somewhere else at the end", 2, 1, 60),
        Parameter("oneways", "how many ways between neighbours go in one direction only", 0, 0, 400),
        Parameter(
            "unsolvable",
            "whether there is no plan: locked, because a key that has to move is locked up with all keys of its shape; "
            "trap, because it lies in a part of the grid without a way out; fork, because two keys have to be in "
            "two such parts",
            "no",
            choices=("no", "locked", "trap", "fork"),
        ),
    ),
    rules={
        "x × y ≥ 2 (another place for a key)": lambda v: v["x"] * v["y"] >= 2,
        "locks < x × y (the robot's place is open)": lambda v: v["locks"] < v["x"] * v["y"],
        "oneways ≤ 2 × x × y − x − y (the pairs of neighbours)": lambda v: (
            v["oneways"] <= 2 * v["x"] * v["y"] - v["x"] - v["y"]
        ),
        "goals ≤ keys": lambda v: v["goals"] <= v["keys"],
        "locks ≥ 1 for unsolvable=locked": lambda v: v["unsolvable"] != "locked" or v["locks"] > 0,
        "shapes ≥ 2 or goals=1 for unsolvable=locked (with one shape all keys are locked up)": lambda v: (
            v["unsolvable"] != "locked" or v["shapes"] > 1 or v["goals"] == 1
        ),
        "goals ≥ 2, and x ≥ 3 or y ≥ 3, for unsolvable=fork (two keys have to go to two ends)": lambda v: (
            v["unsolvable"] != "fork" or (v["goals"] >= 2 and max(v["x"], v["y"]) >= 3)
        ),
    },
    make=_make,
    small=_small,
)
