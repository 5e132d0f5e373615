"""The seven arm tasks of BrainBody-LLM: where they come from, their plans, what is hidden, how difficult they are."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import Task, parse_problem
from pddl2nl.systems.brainbody.difficulty import feedback_rounds
from pddl2nl.systems.brainbody.primitives import load_robot
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.references import TaskReference
from pddlval import Simulator, validate

TABLETOP = shipped_domain("tabletop")
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
    hidden = load_robot(TABLETOP.folder / "robot.json", TABLETOP.domain).hidden
    assert hidden == {"in-workspace", "reachable"}
    for instance in DIFFICULTY:
        task = TABLETOP.task(instance)
        facts = [atom for atom in task.problem.init if atom[0] in hidden]
        everything = len(task.objects_of(["block"])) + len(task.objects_of(["location"]))
        assert (len(facts) < everything) == (instance in ("f03", "f04", "f05", "f06", "f07"))


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    "instance",
    [
        *("f01", "f02", "f03", "f04"),
        *(pytest.param(name, marks=pytest.mark.heavy) for name in ("example", "f05", "f06", "f07")),
    ],
)
def test_the_difficulty_of_a_task_is_the_feedback_that_it_needs(instance: str) -> None:
    assert feedback_rounds(TABLETOP.task(instance), ("in-workspace", "reachable")) == DIFFICULTY[instance]


@pytest.mark.usefixtures("needs_planner")
def test_the_planner_can_get_stuck_before_it_learns_enough() -> None:
    # The short way lifts cube-a, which can then go neither to location-2 nor back; the long way leaves it alone.
    problem = """
      (define (problem stuck) (:domain tabletop)
        (:objects cube-a cube-b cube-c - cube location-1 location-2 location-3 location-4 location-5 location-6
          - location centre - side)
        (:init (at cube-a location-1) (at cube-b location-3) (at cube-c location-4) (hand-empty)
          (on-side cube-a centre) (on-side cube-b centre) (on-side cube-c centre)
          (occupied location-1) (occupied location-3) (occupied location-4)
          (part-of location-1 centre) (part-of location-2 centre) (part-of location-3 centre)
          (part-of location-4 centre) (part-of location-5 centre) (part-of location-6 centre)
          (in-workspace cube-a) (in-workspace cube-b) (in-workspace cube-c)
          (reachable location-5) (reachable location-6))
        (:goal (or (at cube-a location-2)
          (and (at cube-a location-1) (at cube-b location-5) (at cube-c location-6)))))"""
    task = Task(TABLETOP.domain, parse_problem(problem, TABLETOP.domain))
    assert feedback_rounds(task, ("in-workspace", "reachable")) is None
    assert feedback_rounds(task, ()) == 0
