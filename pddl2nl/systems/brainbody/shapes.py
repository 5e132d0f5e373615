"""Shapes on a grid: where a pattern of cells can lie, and which of those places can be filled.

A goal such as "a plus sign of cubes" is a choice between `Arrangement`s, one for each place of the pattern. All of them
are part of the goal; a task is only made if one of them can be built with the blocks and cells that the arm reaches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pddl2nl.tasks.generators.generator import Cell

Pattern = tuple[Cell, ...]
"""Cells in a fixed order; the first row and the first column are 0."""


def drawn(*rows: str) -> Pattern:
    """The pattern of a drawing, row by row: every character other than a dot is a cell."""
    return tuple((row, column) for row, line in enumerate(rows) for column, mark in enumerate(line) if mark != ".")


def turned(pattern: Pattern) -> tuple[Pattern, ...]:
    """The pattern rotated and mirrored: up to eight patterns, none twice."""
    found: dict[frozenset[Cell], Pattern] = {}
    for _ in range(4):
        pattern = _at_origin((column, -row) for row, column in pattern)
        for each in (pattern, _at_origin((row, -column) for row, column in pattern)):
            found.setdefault(frozenset(each), each)
    return tuple(found.values())


def _at_origin(cells: Iterable[Cell]) -> Pattern:
    cells = tuple(cells)
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple((row - top, column - left) for row, column in cells)


def placements(patterns: Iterable[Pattern], cells: Collection[Cell]) -> tuple[Pattern, ...]:
    """Every translation of the patterns that lies on the given cells."""
    ordered = sorted(cells)
    moved = (
        tuple((row + down, column + right) for row, column in pattern)
        for pattern in patterns
        for down, right in ordered
    )
    return tuple(each for each in moved if all(cell in cells for cell in each))


@dataclass(frozen=True)
class Target:
    """One of some blocks has to stand on one of some cells."""

    blocks: tuple[str, ...]
    cells: tuple[Cell, ...]

    def met(self, at: Mapping[str, Cell]) -> bool:
        """Whether one does, given the cell of each block."""
        return any(at[block] in self.cells for block in self.blocks)


@dataclass(frozen=True)
class Arrangement:
    """Targets, each for a block of its own, and blocks that must not stand on some cells."""

    targets: tuple[Target, ...]
    banned: tuple[Target, ...] = ()


def buildable(
    arrangement: Arrangement, at: Mapping[str, Cell], graspable: Collection[str], reachable: Sequence[Cell]
) -> bool:
    """Whether an arrangement can be built by moving graspable blocks from their cells (``at``) to reachable cells.

    A block stays where it fits. The test is careful: it refuses what only a long exchange of blocks would reach.
    """
    kept: dict[str, Cell] = {}
    missing: list[Target] = []
    for target in arrangement.targets:
        there = next((block for block in target.blocks if block not in kept and at[block] in target.cells), None)
        if there is None:
            missing.append(target)
        else:
            kept[there] = at[there]
    placed = dict(kept)
    stuck = {cell for block, cell in at.items() if block not in graspable}
    for target in missing:
        block = next((each for each in target.blocks if each in graspable and each not in placed), None)
        taken = {*placed.values(), *stuck}
        cell = next((each for each in target.cells if each in reachable and each not in taken), None)
        if block is None or cell is None:
            return False
        placed[block] = cell
    banned = {(block, cell) for ban in arrangement.banned for block in ban.blocks for cell in ban.cells}
    inway = [
        block
        for block, cell in at.items()
        if block not in placed and (cell in placed.values() or (block, cell) in banned)
    ]
    forbidden = {*at.values(), *placed.values(), *(cell for ban in arrangement.banned for cell in ban.cells)}
    spare = [cell for cell in reachable if cell not in forbidden]
    # One cell more than the blocks that have to give way, for exchanges.
    return all(block in graspable for block in inway) and len(spare) > len(inway)
