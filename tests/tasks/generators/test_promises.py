"""What generators promise, by other means than theirs: plans by looking at all states, domains by the competitions'.

How problems are built in detail is held by the digests of `test_generators` and by the shipped sets, which are made
again from their calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.pddl import Domain, Not, Task, conjuncts, load_domain, parse_problem
from pddl2nl.tasks.generators import Generated, generate
from pddlval import GroundAction, Simulator

ROOT = Path(__file__).resolve().parents[3]
_STATES = 20_000


@cache
def domain_of(name: str) -> Domain:
    return load_domain(ROOT / "domains" / name / "domain.pddl")


def simulator_of(made: Generated) -> Simulator:
    domain = domain_of(made.domain)
    return Simulator(Task(domain, parse_problem(made.text, domain)))


def shortest(made: Generated, allowed: Callable[[GroundAction], bool] = lambda action: True) -> int | None:
    """The length of a shortest plan of allowed actions, or None where there is none; breadth first."""
    simulator = simulator_of(made)
    layer, seen, length = [simulator.initial], {simulator.initial}, 0
    while layer:
        if any(simulator.is_goal(state) for state in layer):
            return length
        following = []
        for state in layer:
            for action, after in simulator.successors(state):
                if after not in seen and allowed(action):
                    seen.add(after)
                    following.append(after)
        assert len(seen) < _STATES, "this problem is too large to be searched here"
        layer, length = following, length + 1
    return None


def solvable_without_deletes(made: Generated) -> bool:
    """Whether the goal is reached where every atom stays true that ever became true."""
    simulator = simulator_of(made)
    state = simulator.initial
    while True:
        added = [atom for action in simulator.applicable(state) for atom in simulator.step(state, action).added]
        if not added:
            return simulator.is_goal(state)
        state = simulator.state([*state.atoms, *added])


SOLVABLE: list[tuple[str, dict[str, Any]]] = [
    ("grid", {"x": 3, "y": 2, "keys": 2, "goals": 2, "locks": 3, "shapes": 2}),
    ("grid", {"x": 3, "y": 2, "keys": 2, "goals": 1, "locks": 3, "shapes": 2, "oneways": 2}),
    ("beluga", {"arrivals": 0, "stored": 2, "deliveries": 2, "returns": 1, "empties": 1, "racks": 2, "length": 3}),
    ("beluga", {"arrivals": 2, "stored": 1, "deliveries": 1, "returns": 1, "empties": 0, "racks": 2, "length": 3}),
    ("floortile", {"rows": 2, "columns": 2, "robots": 1, "layout": "competition"}),
    ("floortile", {"rows": 2, "columns": 2, "robots": 2, "layout": "free"}),
    ("goldminer", {"rows": 2, "columns": 3, "hard": 50, "rock": 60, "tools": "together", "gold": "covered"}),
    ("goldminer", {"rows": 1, "columns": 6, "hard": 50, "rock": 60, "tools": "apart", "gold": "open"}),
    ("goldminer", {"rows": 3, "columns": 2, "hard": 50, "rock": 60, "tools": "bombs", "gold": "covered"}),
    ("visitall", {"x": 3, "y": 3, "missing": 2}),
    ("visitall", {"x": 4, "y": 3, "missing": 4, "visit": 60}),
]


@pytest.mark.parametrize(("name", "given"), SOLVABLE)
def test_small_problems_have_plans(name: str, given: dict[str, Any]) -> None:
    for seed in range(6):
        made = generate(name, seed, **given)
        assert made.solvable
        assert shortest(made)


@pytest.mark.parametrize(
    ("name", "given", "relaxed"),
    [
        ("grid", {"x": 2, "y": 3, "keys": 2, "locks": 2, "oneways": 1, "unsolvable": "locked"}, False),
        ("grid", {"x": 3, "y": 2, "keys": 2, "locks": 2, "oneways": 1, "unsolvable": "trap"}, True),
        ("grid", {"x": 3, "y": 2, "keys": 2, "locks": 2, "oneways": 1, "unsolvable": "fork"}, True),
        ("visitall", {"x": 3, "y": 3, "visit": 60, "unsolvable": "cut"}, False),
        ("visitall", {"x": 4, "y": 3, "missing": 2, "unsolvable": "pockets"}, True),
        ("floortile", {"rows": 2, "columns": 1, "colors": 1, "unsolvable": "column"}, True),
        ("floortile", {"rows": 3, "columns": 2, "colors": 1, "unsolvable": "column", "layout": "free"}, True),
        *(
            ("blocksworld", {"blocks": 4, "goal": "part", "unsolvable": way}, True)
            for way in ("cycle", "shared", "split")
        ),
    ],
)
def test_what_is_made_without_a_plan_has_none_and_deletes_are_why(
    name: str, given: dict[str, Any], relaxed: bool
) -> None:
    for seed in range(5):
        made = generate(name, seed, **given)
        assert not made.solvable
        assert shortest(made) is None
        assert solvable_without_deletes(made) is relaxed


@pytest.mark.parametrize(
    ("name", "given", "length"),
    [
        ("movie", {"kinds": 1, "chips": 3}, 4),
        ("movie", {"kinds": 5}, 8),
        ("movie", {"kinds": 5, "counter": "other"}, 9),
        ("movie", {"kinds": 2, "counter": "other", "rewound": "yes"}, 7),
        ("movie", {"kinds": 2, "rewound": "yes"}, 6),
        # A bomb, its use, a step, the gold.
        ("goldminer", {"rows": 1, "columns": 2}, 4),
        ("goldminer", {"rows": 1, "columns": 2, "gold": "open"}, 2),
    ],
)
def test_lengths_follow_from_the_parameters(name: str, given: dict[str, Any], length: int) -> None:
    assert shortest(generate(name, 2, **given)) == length


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    "given",
    [
        {"rovers": 1, "waypoints": 2, "cameras": 1, "objectives": 1, "soil": 2, "rock": 2, "images": 3},
        {"rovers": 3, "waypoints": 8, "cameras": 1, "objectives": 3, "soil": 8, "rock": 0, "images": 9},
        {"rovers": 4, "waypoints": 6, "cameras": 0, "objectives": 1, "soil": 0, "rock": 6, "images": 0},
    ],
)
def test_rovers_can_do_all_that_there_is(given: dict[str, Any]) -> None:
    domain = (ROOT / "domains" / "rovers" / "domain.pddl").read_text(encoding="utf-8")
    assert solve(TaskTexts(domain, generate("rovers", 5, **given).text), "ff", time_limit=30).status == "solved"


# ── the scaled sets, as the paper describes them ─────────────────────────────────────────────────


@pytest.mark.parametrize("goal", ["full", "part"])
@pytest.mark.parametrize("blocks", [2, 3, 4])
def test_every_block_moves_in_every_plan_where_that_is_asked_for(blocks: int, goal: str) -> None:
    for seed in range(5):
        made = generate("blocksworld", seed, blocks=blocks, goal=goal, all="yes")
        names = [item.name for item in simulator_of(made).task.problem.objects]
        assert len(names) == made.objects == blocks
        assert shortest(made)
        for block in names:
            assert shortest(made, lambda action, block=block: action.args[0] != block) is None


@pytest.mark.parametrize(
    ("name", "given", "moving"),
    [
        *(("ferry", {"locations": 3, "cars": cars, "moving": 81}, 0.8) for cars in (1, 4, 5, 6, 11, 33)),
        *(("grippers", {"robots": 1, "rooms": 2, "balls": balls, "moving": 100}, 0.999) for balls in (1, 2, 12)),
    ],
)
def test_more_than_a_share_moves(name: str, given: dict[str, Any], moving: float) -> None:
    for seed in range(20):
        parts = generate(name, seed, **given).text.split("(:goal")
        starts, ends = (dict(re.findall(r"\(at (\w+) (\w+)\)", part)) for part in parts)
        assert len(starts) == given.get("cars", given.get("balls"))
        assert sum(ends[thing] != starts[thing] for thing in ends) > moving * len(starts)


# ── domains ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("ours", "theirs"), [("depots", "depot"), ("rovers", "rovers"), ("movie", "movie-complex")])
def test_a_domain_is_the_competitions_with_arguments_in_the_same_order(ours: str, theirs: str, shared: Path) -> None:
    own = load_domain(ROOT / "domains" / ours / "domain.pddl")
    other = load_domain(shared / "autoplanbench" / theirs / "domain.pddl")
    assert {*own.predicates} == {*other.predicates}
    for one, two in zip(own.actions, other.actions, strict=True):
        assert (one.name, one.parameters) == (two.name, two.parameters)
        assert {*conjuncts(one.precondition)} == {*conjuncts(two.precondition)}
        effects = {*conjuncts(two.effect)}
        # In Rovers, what an action deletes and adds at once is left out.
        undone = {part.body for part in effects if isinstance(part, Not) and part.body in effects}
        assert {*conjuncts(one.effect)} == effects - undone - {Not(atom) for atom in undone}
        assert bool(undone) is (ours == "rovers" and one.name.startswith("communicate"))
