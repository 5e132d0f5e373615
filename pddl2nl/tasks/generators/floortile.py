"""Problems of Floortile: robots paint tiles of a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pddl2nl.tasks.generators.cells import Cell, grid_cells
from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

_COLORS = ("black", "white", "red", "blue")
_BESIDE = {"up": (1, 0), "down": (-1, 0), "right": (0, 1), "left": (0, -1)}
"""The offsets of the tiles above, below, … a tile; row 0 is the lowest."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    cells = grid_cells(values["rows"], values["columns"])
    colors = _COLORS[: values["colors"]]
    # One row stays free. Then there is a plan: the robots, at most one in each column, slide along a row until each
    # tile of the next row had a robot below or above it. They paint the rows above the free row from the top downwards,
    # each from the row below it, and end on the free row; then the rows below it from the bottom upwards, each from the
    # row above it.
    competition = values["layout"] == "competition"
    free_row = 0 if competition else draw.below(values["rows"])
    wanted = _draw_wanted(cells, free_row, values, draw)
    stands = [cell for cell in cells if cell[0] == 0] if competition else cells
    robots = [f"robot{number}" for number in range(1, values["robots"] + 1)]
    places = draw.sample(stands, len(robots))
    chessboard = values["pattern"] == "chessboard"
    return Sketch(
        objects=(
            ("robot", tuple(robots)),
            *(("tile", tuple(_name(cell) for cell in cells if cell[0] == row)) for row in range(cells[-1][0] + 1)),
            ("color", colors),
        ),
        init=(
            *(
                (("robot-at", robot, _name(place)), ("robot-has", robot, draw.pick(colors)))
                for robot, place in zip(robots, places, strict=True)
            ),
            tuple(("available-color", color) for color in colors),
            tuple(("clear", _name(cell)) for cell in cells if cell not in places),
            *_beside(cells),
        ),
        goal=tuple(
            ("painted", _name(cell), colors[sum(cell) % len(colors)] if chessboard else draw.pick(colors))
            for cell in wanted
        ),
        summary=f"{plural(len(robots), 'robot')}, {len(cells)} tiles, {len(wanted)} of them to paint",
        solvable=values["unsolvable"] == "no",
    )


def _tiles_possible(values: ParameterValues) -> bool:
    rows, columns, tiles = (values[name] for name in ("rows", "columns", "tiles"))
    column = values["unsolvable"] == "column"
    least, most = (rows, (rows - 1) * columns + 1) if column else (1, (rows - 1) * columns)
    return bool(tiles == 0 or least <= tiles <= most)


def _name(cell: Cell) -> str:
    row, column = cell
    return f"tile-{row}-{column + 1}"


def _beside(cells: Sequence[Cell]) -> list[tuple[Fact, ...]]:
    known = set(cells)
    return [
        tuple(
            (side, _name((row + rise, column + run)), _name((row, column)))
            for row, column in cells
            if (row + rise, column + run) in known
        )
        for side, (rise, run) in _BESIDE.items()
    ]


def _draw_wanted(cells: Sequence[Cell], free_row: int, values: ParameterValues, draw: Draw) -> list[Cell]:
    """The tiles to paint, none on the free row; for an unsolvable problem, also a whole column.

    The last tile of a column is painted from the tile above or below it, which must be unpainted then. So a whole
    column cannot be painted.
    """
    column = []
    if values["unsolvable"] == "column":
        chosen = draw.below(values["columns"])
        column = [cell for cell in cells if cell[1] == chosen]
    others = [cell for cell in cells if cell[0] != free_row and cell not in column]
    count = values["tiles"] or len(column) + len(others)
    wanted = {*column, *draw.sample(others, count - len(column))}
    return [cell for cell in cells if cell in wanted]


def _small(draw: Draw) -> Mapping[str, int | str]:
    rows, columns = draw.pick(((2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3), (2, 4), (3, 4)))
    return {
        "rows": rows,
        "columns": columns,
        "robots": draw.between(1, 2),
        "tiles": draw.between(min(2, columns), min((rows - 1) * columns, 9)),
        "pattern": draw.pick(("chessboard", "chessboard", "random")),
        "layout": draw.pick(("competition", "free")),
    }


GENERATOR = Generator(
    domain="floortile",
    pddl_name="floor-tile",
    summary="a floor on which one row stays free, from which all others can be painted one after the other, so every "
    "problem has a plan unless it is made to have none",
    parameters=(
        Parameter("rows", "how many tiles the floor has from bottom to top", 3, 2, 30),
        Parameter("columns", "how many tiles it has from left to right", 3, 1, 30),
        Parameter("robots", "how many robots there are, at most one a column", 1, 1, 30),
        Parameter("tiles", "how many tiles have to be painted; 0 for as many as can be", 0, 0, 900),
        Parameter("colors", "how many colors there are; a robot can change to any of them", 2, 1, len(_COLORS)),
        Parameter(
            "pattern",
            "which color a tile has to have: the colors in turn, as on a chessboard, or a random one",
            "chessboard",
            choices=("chessboard", "random"),
        ),
        Parameter(
            "layout",
            "competition: the robots start on the bottom row, which is not painted; free: they start anywhere, "
            "and nothing is painted of some row",
            "competition",
            choices=("competition", "free"),
        ),
        Parameter(
            "unsolvable",
            "whether there is no plan: column, because every tile of one column has to be painted, which leaves none "
            "from which its last one could be",
            "no",
            choices=("no", "column"),
        ),
    ),
    rules={
        "robots ≤ columns (a column for every robot)": lambda v: v["robots"] <= v["columns"],
        "tiles=0, or tiles ≤ rows × columns − columns; for unsolvable=column one more, and tiles ≥ rows (one row "
        "stays free, or a whole column is painted)": _tiles_possible,
    },
    make=_make,
    small=_small,
)
