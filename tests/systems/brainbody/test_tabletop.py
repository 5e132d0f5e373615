"""The arm of BrainBody-LLM: its seven tasks, what is hidden in them, how difficult they are, and shapes on a grid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.pddl import conjuncts, parse_problem
from pddl2nl.systems.brainbody.tabletop import Arrangement, Target, buildable, drawn, placements, turned
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.references import TaskReference
from pddlval import Simulator, validate
from tests.systems.brainbody.conftest import TABLETOP, robot_of

CELLS = st.tuples(st.integers(0, 3), st.integers(0, 3))
CALLS: dict[str, tuple[int, dict[str, int | str]]] = {
    "example": (1, {"task": "right", "cubes": 2, "cylinders": 1}),
    "f01": (1, {"task": "right"}),
    "f02": (4, {"task": "letter", "cubes": 5, "cylinders": 1}),
    "f03": (1, {"task": "line", "unreachable": 1}),
    "f04": (5, {"task": "pairs", "cubes": 2, "columns": 3, "unreachable": 2}),
    "f05": (2, {"task": "triangle", "cubes": 5, "cylinders": 1, "unreachable": 3, "outside": 1}),
    "f06": (6, {"task": "plus", "cubes": 6, "cylinders": 1, "columns": 6, "unreachable": 2, "outside": 1}),
    "f07": (5, {"task": "apart", "rows": 2, "columns": 6, "unreachable": 4, "outside": 1}),
}
"""The seed and the parameters of each task."""

DIFFICULTY = {"example": 0, "f01": 0, "f02": 0, "f03": 1, "f04": 1, "f05": 2, "f06": 2, "f07": 2}

by_task = pytest.mark.parametrize("reference", TABLETOP.references, ids=lambda reference: reference.instance)


def test_the_tasks_have_the_papers_order_of_difficulty() -> None:
    assert {each.instance: each.difficulty for each in TABLETOP.references} == DIFFICULTY


@pytest.mark.parametrize("instance", CALLS)
def test_a_task_is_what_the_generator_makes(instance: str) -> None:
    seed, parameters = CALLS[instance]
    made = generate("tabletop", seed, name=f"tabletop-{instance}", **parameters)
    assert made.text == TABLETOP.instance(instance).path.read_text(encoding="utf-8")


@by_task
def test_the_plan_of_a_task_is_valid_and_its_goal_does_not_hold_at_first(reference: TaskReference) -> None:
    task = TABLETOP.task(reference.instance)
    simulator = Simulator(task)
    assert not simulator.is_goal(simulator.initial)
    (way,) = reference.ways
    assert validate(task, "\n".join(way.plan)).verdict == "valid"


def test_something_is_out_of_reach_from_the_third_task_on() -> None:
    hidden = robot_of(TABLETOP).hidden
    assert hidden == {"in-workspace", "reachable"}
    for instance in DIFFICULTY:
        task = TABLETOP.task(instance)
        facts = [atom for atom in task.problem.init if atom[0] in hidden]
        everything = len(task.objects_of(["block"])) + len(task.objects_of(["location"]))
        assert (len(facts) < everything) == (instance in ("f03", "f04", "f05", "f06", "f07"))


# ── shapes, and the generator ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rows", "count"), [(("#.", "#.", "##"), 8), ((".#.", "#.#"), 4), (("###",), 2), ((".#.", "###", ".#."), 1)]
)
def test_a_pattern_has_as_many_orientations_as_its_symmetry_leaves(rows: tuple[str, ...], count: int) -> None:
    assert len(turned(drawn(*rows))) == count


@given(st.sets(CELLS, min_size=1, max_size=5))
def test_every_placement_lies_on_the_cells_and_keeps_the_number_of_cells(cells: set[tuple[int, int]]) -> None:
    pattern = turned(tuple(sorted(cells)))[0]
    grid = {(row, column) for row in range(5) for column in range(5)}
    found = placements((pattern,), grid)
    assert found
    assert all(set(place) <= grid and len(set(place)) == len(cells) for place in found)
    assert len({frozenset(place) for place in found}) == len(found)


def test_places_of_the_letter_on_a_small_grid() -> None:
    grid = {(row, column) for row in range(3) for column in range(3)}
    # Each of the eight orientations has two places in one direction and one in the other.
    assert len(placements(turned(drawn("#.", "#.", "##")), grid)) == 16


ROW = [(0, 0), (0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(
    ("graspable", "reachable", "can"),
    [
        ("ab", ROW, True),
        ("b", ROW, False),
        ("a", ROW, True),
        ("ab", [(0, 0), (0, 3)], False),
        # Without a free cell beside the target nothing can give way.
        ("ab", [(0, 2)], False),
    ],
)
def test_an_arrangement_needs_graspable_blocks_and_reachable_cells(
    graspable: str, reachable: list[tuple[int, int]], can: bool
) -> None:
    at = {"a": (0, 0), "b": (0, 1)}
    wanted = Arrangement((Target(("a",), ((0, 2),)), Target(("b",), ((0, 1),))))
    assert buildable(wanted, at, graspable, reachable) is can


def test_a_block_that_must_leave_has_to_be_graspable() -> None:
    at = {"a": (0, 0), "b": (0, 1)}
    wanted = Arrangement((Target(("a",), ((0, 0),)),), (Target(("b",), ((0, 1),)),))
    assert buildable(wanted, at, "ab", ROW)
    assert not buildable(wanted, at, "a", ROW)


def test_the_goal_is_the_same_whatever_is_out_of_reach() -> None:
    one, other = (generate("tabletop", 3, task="plus", cubes=6, unreachable=count) for count in (0, 4))
    assert one.text.partition("(:goal")[2] == other.text.partition("(:goal")[2]


def test_a_goal_has_a_disjunct_for_each_place_of_its_shape() -> None:
    problem = parse_problem(generate("tabletop", 1, task="plus", cubes=5).text, TABLETOP.domain)
    shapes, empty = conjuncts(problem.goal)
    # The middle of the plus is in row 2 and in one of the columns 2 to 8.
    assert len(shapes.parts) == 7  # type: ignore[union-attr]
    assert str(empty) == "(hand-empty)"


def test_a_task_that_cannot_be_done_is_not_made() -> None:
    with pytest.raises(InputError, match=r"1000 draws with .* gave no valid problem of tabletop"):
        generate("tabletop", 1, task="plus", cubes=5, unreachable=27)
