"""Problems of Visitall: a robot visits cells of a grid, from which some cells are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pddl2nl.tasks.generators.cells import Cell, grid_cells, neighbours, reached
from pddl2nl.tasks.generators.generator import Draw, Generator, Parameter, ParameterValues, Sketch, plural

_REGIONS = {"no": 1, "cut": 2, "pockets": 3}
"""The number of regions of a map, by the ways of being unsolvable."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    way = values["unsolvable"]
    cells = _draw_cells(values["x"], values["y"], values["missing"], draw)
    start = draw.pick(cells)
    regions = _draw_regions(cells, start, _REGIONS[way], draw)
    ways = _ways(cells, regions, inward=way == "pockets")
    entered = {regions[to] for cell in cells for to in ways[cell] if regions[to] != regions[cell]}
    if way == "pockets" and len(entered) < 2:
        return None  # one of them would be cut off
    goal = _draw_goal(cells, start, regions, values["visit"], draw)
    rows = [tuple(_name(cell) for cell in cells if cell[0] == row) for row in range(values["y"])]
    return Sketch(
        objects=tuple(("place", row) for row in rows),
        init=(
            (("at-robot", _name(start)), ("visited", _name(start))),
            *(tuple(("connected", _name(cell), _name(to)) for to in ways[cell]) for cell in cells),
        ),
        goal=tuple(("visited", _name(cell)) for cell in goal),
        summary=f"{plural(len(cells), 'place')}, {'all' if len(goal) == len(cells) else len(goal)} of them to visit",
        solvable=way == "no",
    )


# ── the map ──────────────────────────────────────────────────────────────────────────────────────


def _name(cell: Cell) -> str:
    row, column = cell
    return f"loc-x{column}-y{row}"


def _draw_cells(x: int, y: int, missing: int, draw: Draw) -> list[Cell]:
    """The cells of the grid after removing random ones; they stay connected."""
    cells = grid_cells(y, x)
    while missing:
        # A cell that connects others may be removable after some of those are gone. At least two cells are always
        # removable, so every round removes some.
        for cell in draw.shuffled(cells):
            rest = [other for other in cells if other != cell]
            if missing and _connected(rest):
                cells = rest
                missing -= 1
    return cells


def _connected(cells: Sequence[Cell]) -> bool:
    there = set(cells)
    return len(reached(cells[0], lambda cell: there.intersection(neighbours(cell)))) == len(there)


def _draw_regions(cells: Sequence[Cell], start: Cell, count: int, draw: Draw) -> dict[Cell, int]:
    """The region of each cell: connected regions, grown from random cells; region 0 grows from the start."""
    seeds = [start, *draw.sample([cell for cell in cells if cell != start], count - 1)]
    free = set(cells) - set(seeds)
    regions = {seed: number for number, seed in enumerate(seeds)}
    frontier = [(near, regions[seed]) for seed in seeds for near in neighbours(seed)]
    while free:
        cell, region = frontier.pop(draw.below(len(frontier)))
        if cell in free:
            free.remove(cell)
            regions[cell] = region
            frontier += [(near, region) for near in neighbours(cell)]
    return regions


def _ways(cells: Sequence[Cell], regions: Mapping[Cell, int], *, inward: bool) -> dict[Cell, list[Cell]]:
    """The cells that can be entered from each cell: in its region, and from region 0 into the others."""
    return {
        cell: [
            near
            for near in neighbours(cell)
            if near in regions and (regions[near] == regions[cell] or (inward and regions[cell] == 0))
        ]
        for cell in cells
    }


def _draw_goal(cells: Sequence[Cell], start: Cell, regions: Mapping[Cell, int], percent: int, draw: Draw) -> list[Cell]:
    """`percent` of the cells, the start only if it is all of them, and at least one of every region except the first.

    The goal is unreachable if the robot cannot enter one of those regions, or cannot enter both.
    """
    if percent == 100:
        return list(cells)
    count = -(-len(cells) * percent // 100)
    others = [cell for cell in cells if cell != start]
    needed = [
        draw.pick([cell for cell in others if regions[cell] == region])
        for region in range(1, max(regions.values()) + 1)
    ]
    rest = [cell for cell in others if cell not in needed]
    chosen = {*needed, *draw.sample(rest, min(max(count - len(needed), 0), len(rest)))}
    return [cell for cell in cells if cell in chosen]


def _small(draw: Draw) -> Mapping[str, int | str]:
    x, y = draw.pick((2, 3, 4, 5, 5)), draw.pick((2, 3, 4, 5, 5))
    return {"x": x, "y": y, "missing": draw.between(0, x * y // 4), "visit": draw.pick((40, 70, 100, 100))}


GENERATOR = Generator(
    domain="visitall",
    pddl_name="grid-visit-all",
    summary="a grid, all of whose places are connected in both directions, so every problem has a plan unless it is "
    "made to have none",
    parameters=(
        Parameter("x", "how many columns the grid has", 3, 1, 30),
        Parameter("y", "how many rows the grid has", 3, 1, 30),
        Parameter("missing", "how many cells of the grid are no places; the others stay connected", 0, 0, 898),
        Parameter("visit", "of a hundred places, how many have to be visited, rounded up", 100, 1, 100),
        Parameter(
            "unsolvable",
            "cut: some places cannot be reached; pockets: there are two parts of the map that can be entered and not "
            "be left, with places to visit in both",
            "no",
            choices=tuple(_REGIONS),
        ),
    ),
    rules={
        "x × y − missing ≥ 2 places, or 3 for unsolvable=pockets": lambda v: (
            v["x"] * v["y"] - v["missing"] >= max(2, _REGIONS[v["unsolvable"]])
        )
    },
    make=_make,
    small=_small,
)
