"""Cells of a grid, their neighbours, and how far one comes: what the domains that are played on a grid share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["Cell", "grid_cells", "neighbours", "reached"]

Cell = tuple[int, int]
"""Row and column, so that cells in order are the grid read row by row."""

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def grid_cells(rows: int, columns: int) -> list[Cell]:
    """All cells, row by row."""
    return [(row, column) for row in range(rows) for column in range(columns)]


def neighbours(cell: Cell) -> list[Cell]:
    """The four cells beside this one, some of which may lie outside of the grid."""
    return [(cell[0] + down, cell[1] + right) for down, right in _STEPS]


def reached(start: Cell, ways: Callable[[Cell], Iterable[Cell]]) -> frozenset[Cell]:
    """Every cell one comes to from the start, itself included, going from a cell to any of its ``ways``."""
    found = {start}
    frontier = [start]
    while frontier:
        for near in ways(frontier.pop()):
            if near not in found:
                found.add(near)
                frontier.append(near)
    return frozenset(found)
