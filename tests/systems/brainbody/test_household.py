"""The household of BrainBody-LLM: its tasks, their plans, the problems of its generator, and how fast one plans."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.pddl import Atom, Not, Task, conjuncts, parse_problem
from pddl2nl.systems.brainbody.tabletop import Arrangement, Target, buildable, drawn, placements, turned
from pddl2nl.tasks.generators import generate
from pddlval import validate
from tests.systems.brainbody.conftest import HOUSEHOLD, TABLETOP, robot_of


def test_the_papers_ten_tasks_and_the_training_tasks_are_there() -> None:
    instances = [reference.instance for reference in HOUSEHOLD.references]
    assert instances == [
        "example",
        *(f"v{number:02}" for number in range(1, 11)),
        *(f"train{number:02}" for number in range(1, 36)),
    ]
    assert {path.stem for path in HOUSEHOLD.instances_folder.glob("*.pddl")} == {*instances}


def test_closed_doors_have_to_be_opened() -> None:
    text = (HOUSEHOLD.instances_folder / "v10.pddl").read_text(encoding="utf-8")
    closed = parse_problem(text.replace("(way bedroom livingroom)", "(door bedroom livingroom)"), HOUSEHOLD.domain)
    task = Task(HOUSEHOLD.domain, closed)
    walk = "(walk tv bedroom livingroom bedroom)"
    assert validate(task, f"{walk}(switchon tv)").verdict == "inapplicable"
    assert validate(task, f"(open-door livingroom bedroom right){walk}(switchon tv)").verdict == "valid"


# ── the generator ──────────────────────────────────────────────────────────────────────────────────


def problem(seed: int, **values: int | str) -> Task:
    return Task(HOUSEHOLD.domain, parse_problem(generate("household", seed, **values).text, HOUSEHOLD.domain))


def test_the_furniture_has_the_properties_of_the_example() -> None:
    changing = {"at", "robot-in", "on", "inside", "is-open", "switched-on"}
    example = HOUSEHOLD.task("example").problem
    static = [fact for fact in example.init if fact[0] not in changing]
    things = sum(item.types[0] in ("item", "vessel") for item in example.objects)
    made = {fact for fact in problem(1, items=things).problem.init if fact[0] not in changing}
    assert made == set(static)


def test_each_thing_is_at_one_place_and_kinds_begin_again_with_numbers() -> None:
    task = problem(2, items=120, rooms=2)
    things = [item.name for item in task.problem.objects if item.types[0] in ("item", "vessel")]
    where = Counter(fact[1] for fact in task.problem.init if fact[0] in ("on", "inside"))
    assert len(things) == 120
    assert where == dict.fromkeys(things, 1)
    assert {"salmon", "salmon2", "dishwashingliquid"} < {*things}
    surfaces = {fact[1] for fact in task.problem.init if fact[0] == "surface"}
    assert all(fact[2] in surfaces for fact in task.problem.init if fact[0] == "on")


def test_unreachable_things_are_listed_and_are_nowhere_and_in_no_goal() -> None:
    for seed in range(20):
        task = problem(seed, items=5, unreachable=3, goals=2)
        things = {item.name for item in task.problem.objects if item.types[0] in ("item", "vessel")}
        placed = {fact[1] for fact in task.problem.init if fact[0] in ("on", "inside")}
        assert (len(things), len(placed)) == (8, 5)
        named = {name for part in conjuncts(task.problem.goal) if isinstance(part, Atom) for name in part.args}
        assert not named & (things - placed)


@pytest.mark.parametrize(("closed", "shut"), [(0, False), (100, True)])
def test_furniture_is_closed_and_doors_are_as_asked(closed: int, shut: bool) -> None:
    task = problem(3, closed=closed, doors="closed" if shut else "open")
    init = Counter(fact[0] for fact in task.problem.init)
    assert (init["is-open"] == 0) == shut
    assert init["is-open"] in (0, init["can-open"])
    # Four rooms: twelve ways between two of them, and each room to itself.
    assert (init["way"], init["door"]) == ((4, 12) if shut else (16, 0))


def test_goals_are_about_different_things_and_only_one_is_to_sit() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(60):
        parts = list(conjuncts(problem(seed, goals=6).problem.goal))
        atoms = [part for part in parts if isinstance(part, Atom)]
        about = [part.args[0] for part in atoms]
        assert len({*about}) == len(about)
        assert sum(part.predicate == "seated-on" for part in atoms) <= 1
        kinds.update(part.predicate for part in atoms)
        kinds.update(
            f"not {part.body.predicate}" for part in parts if isinstance(part, Not) and isinstance(part.body, Atom)
        )
    assert {*kinds} == {"on", "inside", "washed", "seated-on", "switched-on", "not is-open", "not switched-on"}


# ── the arm ───────────────────────────────────────────────────────────────────────────────────────


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


def test_the_tasks_have_the_papers_order_of_difficulty() -> None:
    assert {each.instance: each.difficulty for each in TABLETOP.references} == DIFFICULTY


@pytest.mark.parametrize("instance", CALLS)
def test_a_task_is_what_the_generator_makes(instance: str) -> None:
    seed, parameters = CALLS[instance]
    made = generate("tabletop", seed, name=f"tabletop-{instance}", **parameters)
    assert made.text == TABLETOP.instance(instance).path.read_text(encoding="utf-8")


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
