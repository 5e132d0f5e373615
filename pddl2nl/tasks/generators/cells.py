"""Cells of grids, and which of them can be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Cell = tuple[int, int]
"""Row and column; sorted cells are in reading order."""

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def grid_cells(rows: int, columns: int) -> list[Cell]:
    return [(row, column) for row in range(rows) for column in range(columns)]


def neighbours(cell: Cell) -> list[Cell]:
    """The four cells beside this one, possibly outside the grid."""
    return [(cell[0] + down, cell[1] + right) for down, right in _STEPS]


def reached(start: Cell, ways: Callable[[Cell], Iterable[Cell]]) -> frozenset[Cell]:
    """All cells reachable from the start, itself included; ``ways`` gives the cells next to a cell."""
    found = {start}
    frontier = [start]
    while frontier:
        for near in ways(frontier.pop()):
            if near not in found:
                found.add(near)
                frontier.append(near)
    return frozenset(found)
