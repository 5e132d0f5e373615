"""The household of BrainBody-LLM: its tasks, their plans, the problems of its generator, and how fast one plans."""

from __future__ import annotations

from collections import Counter

import pytest

from pddl2nl.pddl import Atom, Not, Task, conjuncts, parse_problem
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.references import TaskReference
from pddlval import Simulator, validate
from tests.systems.brainbody.conftest import HOUSEHOLD


def test_the_papers_ten_tasks_and_the_training_tasks_are_there() -> None:
    instances = [reference.instance for reference in HOUSEHOLD.references]
    assert instances == [
        "example",
        *(f"v{number:02}" for number in range(1, 11)),
        *(f"train{number:02}" for number in range(1, 36)),
    ]
    assert {path.stem for path in HOUSEHOLD.instances_folder.glob("*.pddl")} == {*instances}


@pytest.mark.parametrize("reference", HOUSEHOLD.references, ids=lambda reference: reference.instance)
def test_the_plan_of_a_task_is_valid_and_its_goal_does_not_hold_at_first(reference: TaskReference) -> None:
    task = HOUSEHOLD.task(reference.instance)
    simulator = Simulator(task)
    assert not simulator.is_goal(simulator.initial)
    (way,) = reference.ways
    assert validate(task, "\n".join(way.plan)).verdict == "valid"
    assert all(len(block.actions) == 1 for block in way.blocks)


@pytest.mark.parametrize("step", ["(open fridge right)", "(close microwave right)"])
def test_no_step_of_warming_the_salmon_can_be_left_out(step: str) -> None:
    reference = next(each for each in HOUSEHOLD.references if each.instance == "v05")
    plan = [action for action in reference.ways[0].plan if action != step]
    assert len(plan) == len(reference.ways[0].plan) - 1
    assert validate(HOUSEHOLD.task("v05"), "\n".join(plan)).verdict == "inapplicable"


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
