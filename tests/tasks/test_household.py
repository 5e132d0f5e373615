"""The household of BrainBody-LLM: its tasks, their plans, and how fast Fast Downward plans in a large house."""

from __future__ import annotations

import random

import pytest

from pddl2nl.baselines import solve
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import TaskReference
from pddlval import Simulator, validate

HOUSEHOLD = shipped_domain("household")
ROOMS = ("kitchen", "bathroom", "bedroom", "livingroom")


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


def large_house(furniture: int, items: int, seed: int) -> str:
    """A house of four rooms with random things, and a goal of five parts."""
    draw = random.Random(seed)
    pieces = [f"piece{number}" for number in range(furniture)]
    things = [f"thing{number}" for number in range(items)]
    surfaces, containers = pieces[: furniture // 2], pieces[furniture // 2 :]
    facts = ["(at kitchen)", "(robot-in kitchen)", "(free right)", "(free left)"]
    for room in ROOMS:
        facts += [f"(stands-in {room} {room})", f"(surface {room})", *(f"(way {room} {other})" for other in ROOMS)]
    facts += [f"(stands-in {piece} {draw.choice(ROOMS)})" for piece in pieces]
    facts += [f"(surface {piece})" for piece in surfaces]
    facts += [f"(container {piece}) (can-open {piece})" for piece in containers]
    facts += [f"(has-switch {containers[0]}) (heats {containers[0]})"]
    for thing in things:
        on = draw.random() < 0.6
        place = draw.choice(surfaces if on else containers)
        facts.append(f"(grabbable {thing}) ({'on' if on else 'inside'} {thing} {place})")
    goal = f"(on thing3 {surfaces[3]}) (on thing4 {surfaces[3]}) (warmed thing5) (inside thing6 {containers[4]})"
    return (
        f"(define (problem large) (:domain household) (:objects right left - hand {' '.join(ROOMS)} - room "
        f"{' '.join(pieces)} - furniture {' '.join(things)} - item) (:init {' '.join(facts)}) "
        f"(:goal (and {goal} (not (is-open {containers[4]})))))"
    )


@pytest.mark.benchmark
@pytest.mark.usefixtures("needs_planner")
def test_ff_plans_a_house_of_150_things_in_ten_seconds() -> None:
    problem = parse_problem(large_house(60, 90, seed=1), HOUSEHOLD.domain)
    result = solve(Task(HOUSEHOLD.domain, problem), "ff", time_limit=60)
    assert result.status == "solved"
    assert result.seconds < 10
