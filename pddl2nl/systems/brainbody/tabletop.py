"""Problems of Tabletop: an arm arranges blocks on a grid, and some blocks and cells are out of its reach.

The tasks are those of the BrainBody-LLM paper (Table 4). The goal has every place that a shape can take, also those out
of reach, so that it does not tell what is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from pddl2nl.pddl import And, Atom, Condition, Exists, Not, Or, TypedName, conjuncts
from pddl2nl.tasks.generators.cells import Cell, grid_cells
from pddl2nl.tasks.generators.generator import Draw, Generator, Parameter, ParameterValues, Sketch, plural

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


_SPECTRUM = ("red", "orange", "yellow", "green", "blue", "indigo", "violet")
_REDDISH = ("red", "crimson", "scarlet", "maroon", "green", "blue", "violet")
_REDS = 4
_SIDES = ("left-side", "centre", "right-side")

_L = drawn("#.", "#.", "##")
_TRIANGLE = drawn(".#.", "#.#")
_PLUS = drawn(".#.", "###", ".#.")


@dataclass(frozen=True)
class _BlockTable:
    """A grid whose columns are in three equal parts, and the blocks on it."""

    rows: int
    columns: int
    cubes: tuple[str, ...]
    cylinders: tuple[str, ...]

    @property
    def cells(self) -> list[Cell]:
        return grid_cells(self.rows, self.columns)

    @property
    def blocks(self) -> tuple[str, ...]:
        return (*self.cubes, *self.cylinders)

    def side(self, cell: Cell) -> str:
        return _SIDES[cell[1] * 3 // self.columns]

    def on(self, side: str) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if self.side(cell) == side)


def _right(table: _BlockTable) -> Iterator[Arrangement]:
    right = table.on("right-side")
    yield Arrangement(tuple(Target((cube,), right) for cube in table.cubes), (Target(table.cylinders, right),))


def _letter(table: _BlockTable) -> Iterator[Arrangement]:
    return _shaped(table.cubes, placements(turned(_L), table.cells))


def _line(table: _BlockTable) -> Iterator[Arrangement]:
    ordered = sorted(table.cubes, key=lambda cube: _SPECTRUM.index(_colour(cube)))
    for place in placements((drawn("#" * len(ordered)),), table.on("centre")):
        yield Arrangement(tuple(Target((cube,), (cell,)) for cube, cell in zip(ordered, place, strict=True)))


def _pairs(table: _BlockTable) -> Iterator[Arrangement]:
    left, right = table.on("left-side"), table.on("right-side")
    for cubes in permutations(table.cubes, 2):
        for cylinders in permutations(table.cylinders, 2):
            pairs = ((cubes[0], left), (cylinders[0], left), (cubes[1], right), (cylinders[1], right))
            others = tuple(block for block in table.blocks if block not in (*cubes, *cylinders))
            yield Arrangement(
                tuple(Target((block,), side) for block, side in pairs), (Target(others, left), Target(others, right))
            )


def _triangle(table: _BlockTable) -> Iterator[Arrangement]:
    return _shaped(table.cubes[:_REDS], placements(turned(_TRIANGLE), table.on("right-side")))


def _plus(table: _BlockTable) -> Iterator[Arrangement]:
    return _shaped(table.cubes, placements((_PLUS,), table.cells))


def _apart(table: _BlockTable) -> Iterator[Arrangement]:
    left, right = table.on("left-side"), table.on("right-side")
    for one, other in ((left, right), (right, left)):
        yield Arrangement(
            (*(Target((cube,), one) for cube in table.cubes), *(Target((each,), other) for each in table.cylinders))
        )


def _shaped(cubes: Sequence[str], places: Sequence[Pattern]) -> Iterator[Arrangement]:
    for place in places:
        yield Arrangement(tuple(Target(tuple(cubes), (cell,)) for cell in place))


_TASKS: Mapping[str, Callable[[_BlockTable], Iterator[Arrangement]]] = {
    "right": _right,
    "letter": _letter,
    "line": _line,
    "pairs": _pairs,
    "triangle": _triangle,
    "plus": _plus,
    "apart": _apart,
}


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    colours = _REDDISH if values["task"] == "triangle" else _SPECTRUM
    table = _BlockTable(
        values["rows"],
        values["columns"],
        tuple(f"{colour}-cube" for colour in colours[: values["cubes"]]),
        tuple(f"{colour}-cylinder" for colour in colours[: values["cylinders"]]),
    )
    arrangements = tuple(_TASKS[values["task"]](table))
    at = dict(zip(table.blocks, draw.sample(table.cells, len(table.blocks)), strict=True))
    outside, unreachable = _out_of_reach(arrangements, at, table, values["outside"], values["unreachable"], draw)
    graspable = [block for block in table.blocks if block not in outside]
    reachable = [cell for cell in table.cells if cell not in unreachable]
    if not any(buildable(each, at, graspable, reachable) for each in arrangements):
        return None
    used = colours[: max(values["cubes"], values["cylinders"])]
    return Sketch(
        objects=(
            ("cube", table.cubes),
            ("cylinder", table.cylinders),
            ("location", tuple(map(_name, table.cells))),
            ("side", _SIDES),
            ("row", tuple(map(_row, range(table.rows)))),
            ("column", tuple(map(_column, range(table.columns)))),
            ("colour", used),
        ),
        init=(
            *(
                (
                    ("at", block, _name(cell)),
                    ("on-side", block, table.side(cell)),
                    ("occupied", _name(cell)),
                    ("coloured", block, _colour(block)),
                )
                for block, cell in at.items()
            ),
            (("hand-empty",), ("at-base",)),
            *(
                (("cell", _name(cell), _row(cell[0]), _column(cell[1])), ("part-of", _name(cell), table.side(cell)))
                for cell in table.cells
            ),
            tuple(("in-workspace", block) for block in graspable),
            tuple(("reachable", _name(cell)) for cell in reachable),
        ),
        goal=(*conjuncts(_either([_condition(each, table) for each in arrangements])), ("hand-empty",)),
        summary=f"{plural(len(table.cubes), 'cube')}, {plural(len(table.cylinders), 'cylinder')}, "
        f"{plural(len(table.cells), 'location')}; {len(outside)} blocks and {len(unreachable)} locations out of reach",
    )


def _out_of_reach(
    arrangements: Sequence[Arrangement], at: Mapping[str, Cell], table: _BlockTable, blocks: int, cells: int, draw: Draw
) -> tuple[list[str], list[Cell]]:
    """Blocks and cells that the arm cannot reach: first those that refute the arrangements with the fewest moves."""
    outside: list[str] = []
    unreachable: list[Cell] = []
    missing = [[each for each in arrangement.targets if not each.met(at)] for arrangement in arrangements]
    for targets in sorted(missing, key=len):
        target = draw.pick(targets) if targets else Target((), ())
        free = [cell for cell in target.cells if cell not in (*at.values(), *unreachable)]
        if len(target.blocks) == 1 and target.blocks[0] not in outside and len(outside) < blocks:
            outside.append(target.blocks[0])
        elif free and len(unreachable) < cells:
            unreachable.append(draw.pick(free))
    outside += draw.sample([each for each in table.blocks if each not in outside], blocks - len(outside))
    unreachable += draw.sample([each for each in table.cells if each not in unreachable], cells - len(unreachable))
    return outside, unreachable


def _condition(arrangement: Arrangement, table: _BlockTable) -> Condition:
    parts = [_standing(target, table) for target in arrangement.targets]
    for ban in arrangement.banned:
        side = table.side(ban.cells[0])
        parts += [Not(Atom("on-side", (block, side))) for block in ban.blocks]
    return And(tuple(parts))


def _standing(target: Target, table: _BlockTable) -> Condition:
    if len(target.cells) > 1:
        return _either([Atom("on-side", (block, table.side(target.cells[0]))) for block in target.blocks])
    location = _name(target.cells[0])
    if target.blocks == table.cubes:
        return Exists((TypedName("?b", ("cube",)),), Atom("at", ("?b", location)))
    return _either([Atom("at", (block, location)) for block in target.blocks])


def _either(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _name(cell: Cell) -> str:
    return f"location-{cell[0] + 1}-{cell[1] + 1}"


def _row(row: int) -> str:
    return f"row-{row + 1}"


def _column(column: int) -> str:
    return f"column-{column + 1}"


def _colour(block: str) -> str:
    return block.partition("-")[0]


def _small(draw: Draw) -> Mapping[str, int | str]:
    task = draw.pick(tuple(_TASKS))
    cubes = {"letter": 4, "line": 3, "triangle": 4, "plus": 5}.get(task, draw.between(2, 3))
    cylinders = draw.between(2, 3) if task in ("pairs", "apart") else draw.between(0, 2)
    spare = 0 if task in ("right", "line", "apart") else 1
    return {
        "task": task,
        "cubes": cubes + spare,
        "cylinders": cylinders,
        "outside": draw.between(0, spare),
        "unreachable": draw.between(0, 5),
    }


GENERATOR = Generator(
    domain="tabletop",
    pddl_name="tabletop",
    summary="blocks to be arranged by an arm that cannot reach all of them; one arrangement can be built with what it "
    "reaches, so every problem has a plan",
    parameters=(
        Parameter(
            "task",
            "all cubes to the right; a letter L, a line by colour, a triangle of reddish cubes or a plus of cubes; "
            "pairs of a cube and a cylinder on both sides; cubes and cylinders on different sides",
            "right",
            choices=tuple(_TASKS),
        ),
        Parameter("cubes", "how many cubes there are, each of its own colour", 3, 1, len(_SPECTRUM)),
        Parameter("cylinders", "how many cylinders there are", 2, 0, len(_SPECTRUM)),
        Parameter("rows", "how many rows the table has", 3, 1, 30),
        Parameter("columns", "how many columns the table has, in three equal parts", 9, 3, 30),
        Parameter("outside", "how many blocks are out of the workspace; nothing tells so", 0, 0, len(_SPECTRUM)),
        Parameter("unreachable", "how many locations are out of reach; nothing tells so", 0, 0, 200),
    ),
    rules={
        "columns divisible by three (equal parts)": lambda v: v["columns"] % 3 == 0,
        "cubes + cylinders < rows × columns (a free location)": lambda v: (
            v["cubes"] + v["cylinders"] < v["rows"] * v["columns"]
        ),
        "outside ≤ cubes + cylinders": lambda v: v["outside"] <= v["cubes"] + v["cylinders"],
        "unreachable ≤ rows × columns": lambda v: v["unreachable"] <= v["rows"] * v["columns"],
        "task other than letter, triangle and plus, or cubes enough for it (4, 3, 5)": lambda v: (
            v["cubes"] >= {"letter": 4, "triangle": 3, "plus": 5}.get(v["task"], 1)
        ),
        "task other than pairs, or two cubes and two cylinders": lambda v: (
            v["task"] != "pairs" or min(v["cubes"], v["cylinders"]) > 1
        ),
        "task other than line, or cubes in a third of the columns": lambda v: (
            v["task"] != "line" or v["cubes"] * 3 <= v["columns"]
        ),
    },
    make=_make,
    small=_small,
)
