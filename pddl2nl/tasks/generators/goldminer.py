"""Problems of Goldminer: a robot digs for gold in soft and hard rock."""

from __future__ import annotations

from dataclasses import dataclass

from pddl2nl.tasks.generators.cells import Cell, grid_cells, neighbours, reached
from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch


@dataclass(frozen=True)
class _Mine:
    """A mine: the cells of each kind; ``laser`` is None without a laser."""

    cells: frozenset[Cell]
    soft: frozenset[Cell]
    hard: frozenset[Cell]
    robot: Cell
    bombs: Cell
    laser: Cell | None
    gold: Cell

    @property
    def solvable(self) -> bool:
        """Whether the robot can reach the gold.

        Rock only disappears, bombs are unlimited, and the laser can be put down, so a reachable cell stays reachable.
        The gold's own cell is not needed as a way.
        """
        within = frozenset[Cell]()
        while True:
            bombs, laser = self.bombs in within, self.laser in within
            rock = frozenset[Cell]() if laser else self.hard if bombs else self.hard | self.soft
            passable = self.cells - rock - {self.gold}
            wider = self._reached(passable)
            if wider == within:
                beside = any(near in within for near in neighbours(self.gold))
                return beside and (self.gold not in self.soft or bombs)
            within = wider

    def _reached(self, passable: frozenset[Cell]) -> frozenset[Cell]:
        return reached(self.robot, lambda cell: passable.intersection(neighbours(cell)))


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    rows, columns = values["rows"], values["columns"]
    cells = grid_cells(rows, columns)
    gold, robot, *_ = draw.sample(cells, 2)
    clear = [cell for cell in cells if cell != gold]
    bombs = draw.pick(clear)
    tools = values["tools"]
    laser = {"together": bombs, "apart": draw.pick(clear), "bombs": None}[tools]
    rock = [cell for cell in clear if cell not in (robot, bombs, laser)]
    hard: list[Cell] = []
    soft = [gold] if values["gold"] == "covered" else []
    for cell in rock:
        if draw.chance(values["rock"]):
            (hard if draw.chance(values["hard"]) else soft).append(cell)
    mine = _Mine(frozenset(cells), frozenset(soft), frozenset(hard), robot, bombs, laser, gold)
    return _sketch(mine) if mine.solvable else None


def _name(cell: Cell) -> str:
    row, column = cell
    return f"f{row}-{column}f"


def _sketch(mine: _Mine) -> Sketch:
    cells = sorted(mine.cells)
    laser: tuple[Fact, ...] = () if mine.laser is None else (("laser-at", _name(mine.laser)),)
    rows = [tuple(cell for cell in cells if cell[0] == row) for row in range(cells[-1][0] + 1)]
    return Sketch(
        objects=tuple(("loc", tuple(_name(cell) for cell in row)) for row in rows),
        init=(
            (("robot-at", _name(mine.robot)), ("arm-empty",)),
            (("bomb-at", _name(mine.bombs)), *laser, ("gold-at", _name(mine.gold))),
            *(tuple(_ground(mine, cell) for cell in row) for row in rows),
            *(
                tuple(("connected", _name(cell), _name(near)) for near in neighbours(cell) if near in mine.cells)
                for cell in cells
            ),
        ),
        goal=(("holds-gold",),),
        summary=f"{len(cells)} places, soft rock at {len(mine.soft)} and hard rock at {len(mine.hard)} of them",
    )


def _ground(mine: _Mine, cell: Cell) -> Fact:
    kind = "soft-rock-at" if cell in mine.soft else "hard-rock-at" if cell in mine.hard else "clear"
    return (kind, _name(cell))


GENERATOR = Generator(
    domain="goldminer",
    pddl_name="gold-miner-typed",
    summary="a mine whose gold the robot can reach, which is checked by what comes within reach with the tools that "
    "are, so every problem has a plan",
    parameters=(
        Parameter("rows", "how many places the mine has from north to south", 3, 1, 40),
        Parameter("columns", "how many places it has from west to east", 3, 1, 40),
        Parameter("rock", "of a hundred places without robot, tools and gold, how many have rock", 80, 0, 100),
        Parameter("hard", "of a hundred rocks, how many are hard", 40, 0, 100),
        Parameter(
            "tools",
            "where the tools lie: bombs and laser together, each somewhere, or bombs alone and no laser",
            "together",
            choices=("together", "apart", "bombs"),
        ),
        Parameter(
            "gold",
            "whether the gold is covered by soft rock, so that a bomb is needed, or lies open",
            "covered",
            choices=("covered", "open"),
        ),
    ),
    rules={"rows × columns ≥ 2 (the gold has its own place)": lambda v: v["rows"] * v["columns"] >= 2},
    make=_make,
    small=lambda draw: {
        "rows": draw.between(2, 4),
        "columns": draw.between(3, 5),
        "rock": draw.pick((50, 80, 100, 100)),
        "hard": draw.pick((10, 30, 50)),
        "tools": draw.pick(("together", "apart", "apart", "bombs")),
        "gold": draw.pick(("covered", "covered", "covered", "covered", "open")),
    },
)
