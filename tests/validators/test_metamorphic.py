"""Real tasks, rewritten so that they must behave the same: applicable actions and successors along a plan."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pddl2nl.pddl import GroundAtom, Task, load_task, parse_task, write_domain, write_problem
from pddlval import GroundAction, Simulator, State, read_plan


def _beside(name: str) -> ModuleType:
    # The tests are no package, and pytest imports them by path.
    spec = importlib.util.spec_from_file_location(f"validators_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


rewriting: Any = _beside("rewriting")

TASKS = [
    "ipc/assembly/prob02",
    "ipc/grid/prob01",
    "ipc/miconic-fulladl/f11-1",
    "ipc/philosophers/p01-phil2",
    "ipc/psr-large/p01-s29-n2-l5-f30",
    "ipc/schedule/probschedule-18-2",
    "ipc/tpp/p09",
    "numeric/depots/pfile5",
    "numeric/elevators/p01",
    "numeric/ext-plant-watering/pfile7",
    "numeric/factory-robot/pfile1",
    "numeric/fo-sailing/instance_3_1_1229",
    "numeric/rover-linear/pfile4",
    "numeric/worksworld/batch01-2f",
]

STATES = 4
"""How many states of a plan are compared."""

Names = Mapping[str, str]


@pytest.fixture(params=TASKS)
def home(request: pytest.FixtureRequest, shared: Path) -> Path:
    folder: Path = shared / request.param
    return folder


@pytest.fixture
def task(home: Path) -> Task:
    return load_task(home / "domain.pddl", home / "problem.pddl")


@pytest.fixture
def plan(home: Path) -> list[GroundAction]:
    for line in (home / "verdicts.jsonl").read_text().splitlines():
        verdict = json.loads(line)
        if verdict["kind"] == "valid":
            return [step.action for step in read_plan(verdict["plan"]).steps]
    raise AssertionError(home)


def _seen(state: State, names: Names) -> tuple[set[GroundAtom], set[GroundAtom], dict[GroundAtom, object]]:
    """What is true in a state, and the numbers, in other names."""
    return (
        {rewriting.renamed_atom(atom, names) for atom in state.atoms},
        {rewriting.renamed_atom(atom, names) for atom in state.derived},
        {rewriting.renamed_atom(fluent, names): value for fluent, value in state.values.items()},
    )


def _assert_same(task: Task, other: Task, plan: list[GroundAction], names: Names | None = None) -> None:
    """That two tasks do the same along a plan, the second one in other names."""
    names = names or {name: name for name in task.objects}
    same = {name: name for name in other.objects}

    def translated(action: GroundAction) -> GroundAction:
        return GroundAction(action.name, tuple(names[name] for name in action.args))

    one, two = Simulator(task), Simulator(other)
    state, copy = one.initial, two.initial
    every = max(1, len(plan) // STATES)
    rng = random.Random(1)
    for number, action in enumerate([*plan, None]):
        assert _seen(state, names) == _seen(copy, same)
        assert one.is_goal(state) == two.is_goal(copy)
        if number % every == 0:
            found = sorted(one.applicable(state))
            assert {translated(each) for each in found} == set(two.applicable(copy))
            for each in rng.sample(found, min(5, len(found))):
                here, there = one.step(state, each).successor, two.step(copy, translated(each)).successor
                assert here is not None
                assert there is not None
                assert _seen(here, names) == _seen(there, same)
        if action is not None:
            here, there = one.step(state, action).successor, two.step(copy, translated(action)).successor
            assert here is not None
            assert there is not None
            state, copy = here, there
    assert one.is_goal(state)
    assert one.cost(state) == two.cost(copy)


def test_other_names_for_the_objects(task: Task, plan: list[GroundAction]) -> None:
    # The first of them in the alphabet is now the last.
    ordered = sorted(task.objects, reverse=True)
    names = {name: f"o{number:04}-{name}" for number, name in enumerate(ordered)}
    _assert_same(task, rewriting.renamed(task, names), plan, names)


def test_another_order(task: Task, plan: list[GroundAction]) -> None:
    _assert_same(task, rewriting.shuffled(task, random.Random(7)), plan)


def test_without_quantifiers_and_implications(task: Task, plan: list[GroundAction]) -> None:
    _assert_same(task, rewriting.expanded(task), plan)


def test_by_duality(task: Task, plan: list[GroundAction]) -> None:
    _assert_same(task, rewriting.dual(task), plan)


def test_written_and_read(task: Task, plan: list[GroundAction]) -> None:
    again = parse_task(write_domain(task.domain), write_problem(task.problem))
    assert (again.domain, again.problem) == (task.domain, task.problem)
    _assert_same(task, again, plan)
    assert list(Simulator(again).applicable(Simulator(again).initial)) == list(
        Simulator(task).applicable(Simulator(task).initial)
    )
