"""The scaled sets: twenty problems around the size at which an optimal planner first fails.

As in the AutoPlanBench paper (section 5 and appendix B): one parameter grows, all objects of the growing type matter,
and N is the value at which breadth-first search or A* with LM-cut first fails within its limits. The example is that of
the primary set.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.tasks.candidates import Candidate, MadeSet, Workshop
from pddl2nl.tasks.manifest import Role
from pddl2nl.tasks.measuring import OPTIMAL

SCALED = 20
"""The size of a scaled set."""

_PROBES = 2
"""Problems of each size that are tried to find N."""
_OF_ONE_SIZE = 4
"""The most problems of one size in the set."""
_ATTEMPTS = 60
"""A size is exhausted after this many draws in a row without a new problem."""

_Parameters = Mapping[str, int | str]


@dataclass(frozen=True)
class Ladder:
    """How problems of a domain grow: in the number of ``what``, from the ``first`` size to the ``last``.

    ``parameters`` are the generator's, for each kind of problem of a size; empty for a size that is skipped.
    """

    what: str
    parameters: Callable[[int], tuple[_Parameters, ...]]
    first: int
    last: int


def _grids(cells: int) -> tuple[_Parameters, ...]:
    """Grids with that many cells and at least three rows, at most twice as wide as high."""
    sides = [(cells // rows, rows) for rows in range(3, 31) if cells % rows == 0]
    return tuple({"x": x, "y": y, "missing": 0, "visit": 100} for x, y in sides if y <= x <= 2 * y)


LADDERS: dict[str, Ladder] = {
    "blocksworld": Ladder("blocks", lambda size: ({"blocks": size, "goal": "full", "all": "yes"},), 3, 200),
    # More than 80 of a hundred cars move.
    "ferry": Ladder("cars", lambda size: ({"locations": 3, "cars": size, "moving": 81},), 2, 200),
    "grippers": Ladder("balls", lambda size: ({"robots": 1, "rooms": 2, "balls": size, "moving": 100},), 2, 200),
    "visitall": Ladder("cells", _grids, 9, 900),
}
"""The domains with scaled sets."""


def make_scaled(workshop: Workshop, ladder: Ladder) -> MadeSet:
    """Finds N, then chooses and measures the problems around it.

    Raises:
        InputError: the limits are never reached, or there are too few different problems around N.
        InfrastructureError: a planner failed, or none found a plan for a problem.
    """
    seeds = itertools.count(1)
    pools: dict[int, list[Candidate]] = {}

    def pool(size: int) -> list[Candidate]:
        if size not in pools:
            pools[size] = list(itertools.islice(_of_size(workshop, ladder, size, seeds), _OF_ONE_SIZE))
        return pools[size]

    threshold = _threshold(workshop, ladder, pool)
    sizes = sorted(
        range(ladder.first, min(2 * threshold, ladder.last) + 1), key=lambda size: (abs(size - threshold), size)
    )
    chosen: list[tuple[int, Candidate]] = []
    for size in sizes:
        chosen += [(size, candidate) for candidate in pool(size)][: SCALED - len(chosen)]
    if len(chosen) < SCALED:
        raise InputError(f"only {len(chosen)} different problems lie around {threshold} {ladder.what}")
    chosen.sort(key=lambda each: (each[0], each[1].number))
    roles: list[tuple[Role, Candidate]] = [("scaled", candidate) for _, candidate in chosen]
    smallest, greatest = chosen[0][0], chosen[-1][0]
    note = f"N is {threshold} {ladder.what} within {workshop.limits}; the set has {smallest} to {greatest}"
    return workshop.finish(roles, [note])


def _threshold(workshop: Workshop, ladder: Ladder, pool: Callable[[int], list[Candidate]]) -> int:
    workshop.progress.stage(f"{workshop.generator.domain}: growing to the first failure", 0)
    for size in range(ladder.first, ladder.last + 1):
        texts = [candidate.generated.text for candidate in pool(size)[:_PROBES]]
        found = workshop.solve(texts, OPTIMAL)
        if any(measured.ran_out for each in found for measured in each.values()):
            return size
    raise InputError(f"no limit was reached up to {ladder.last} {ladder.what}; give less than {workshop.limits}")


def _of_size(workshop: Workshop, ladder: Ladder, size: int, seeds: Iterator[int]) -> Iterator[Candidate]:
    """Problems of one size, taking turns among its kinds."""
    kinds = ladder.parameters(size)
    if kinds:
        turns = itertools.cycle(kinds)
        yield from workshop.draw(lambda: next(turns), seeds, _ATTEMPTS)
