"""The simulator against others: Fast Downward's translator, unified-planning's simulator.

Each is asked for the applicable actions and their successors, in the initial state and in states along a valid plan.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

from pddl2nl.pddl import Comparison, Condition, Task, load_task, parse_task, write_domain, write_problem
from pddlval import GroundAction, Simulator, read_plan
from tests.validators import random_tasks, translator

LARGE = {
    "agricola-opt18-strips",
    "parking-sat11-strips",
    "snake-opt18-strips",
    "snake-sat18-strips",
    "tetris-sat14-strips",
}
"""Suites with thousands of ground operators in every task: compared by hand, as benchmarks."""

SUCCESSORS = 20
"""Of how many applicable actions of a state the successors are compared."""


@pytest.fixture(scope="session")
def translate() -> Any:
    found = translator.import_translator()
    if found is None:
        pytest.skip("Fast Downward is absent: pip install 'pddl2nl[planners]'")
    return found


def _tasks(folder: Path) -> Iterator[Path]:
    yield from (file.parent for file in sorted(folder.glob("*/*/problem.pddl")))


def _load(home: Path) -> Task:
    return load_task(home / "domain.pddl", home / "problem.pddl")


def _valid_plan(home: Path) -> list[GroundAction]:
    """VAL's valid plan for a task; empty where there is none."""
    for line in (home / "verdicts.jsonl").read_text().splitlines():
        verdict = json.loads(line)
        if verdict["verdict"] == "valid":
            return [step.action for step in read_plan(verdict["plan"]).steps]
    return []


# ── Fast Downward's translator ───────────────────────────────────────────────────────────────────


def _assert_translator_agrees(simulator: Simulator, peer: Any, plan: list[GroundAction], states: int) -> None:
    """Compares some states along a plan, evenly spread, the first one among them."""
    state, atoms = simulator.initial, peer.initial
    assert state.atoms == atoms
    rng = random.Random(1)
    every = max(1, len(plan) // states)
    for number, action in enumerate([*plan, None]):
        closed = peer.closed(atoms)
        assert state.derived == peer.derived(closed)
        if number % every == 0:
            theirs = peer.applicable(closed)
            assert {(one.name, *one.args) for one in simulator.applicable(state)} == theirs.keys()
            for name in rng.sample(sorted(theirs), min(SUCCESSORS, len(theirs))):
                successor = simulator.step(state, GroundAction(name[0], name[1:])).successor
                assert successor is not None
                for operator in theirs[name]:
                    after = peer.successor(atoms, closed, operator)
                    assert successor.atoms == after, name
                assert successor.derived == peer.derived(peer.closed(after)), name
        if action is not None:
            operators = peer.applicable(closed, (action.name, *action.args))
            atoms = peer.successor(atoms, closed, operators[action.name, *action.args][0])
            successor = simulator.step(state, action).successor
            assert successor is not None
            state = successor
            assert state.atoms == atoms


def _compare_with_translator(translate: Any, home: Path) -> None:
    peer = translator.Grounded(translate, home / "domain.pddl", home / "problem.pddl")
    _assert_translator_agrees(Simulator(_load(home)), peer, _valid_plan(home), 3)


@pytest.mark.heavy
def test_fast_downwards_translator_agrees_on_the_corpus(shared: Path, translate: Any) -> None:
    compared = [home for home in _tasks(shared / "ipc") if home.parent.name not in LARGE]
    assert len(compared) == 76
    for home in compared:
        _compare_with_translator(translate, home)


@pytest.mark.benchmark
def test_fast_downwards_translator_agrees_on_large_tasks(shared: Path, translate: Any) -> None:
    compared = [home for home in _tasks(shared / "ipc") if home.parent.name in LARGE]
    assert len(compared) == 7
    for home in compared:
        _compare_with_translator(translate, home)


@settings(max_examples=40)
@given(random_tasks.cases(numeric=False, hiding=False))
def test_fast_downwards_translator_agrees_on_random_tasks(
    translate: Any, tmp_path_factory: pytest.TempPathFactory, case: tuple[Task, random.Random]
) -> None:
    task, rng = case
    # The translator does not know (either …), takes it that every type has an object, and confuses variables of one
    # name: (when (p ?x) (forall (?x) (q ?x))) becomes (forall (?x) (when (p ?x) (q ?x))) there.
    texts = [
        text.replace("(either small tool)", "object")
        .replace("(either small thing)", "thing")
        .replace("t - tool", "t - tool z - ghost")
        for text in (write_domain(task.domain), write_problem(task.problem))
    ]
    files = [tmp_path_factory.getbasetemp() / name for name in ("domain.pddl", "problem.pddl")]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    try:
        peer = translator.Grounded(translate, *files)
    except translator.UnstratifiedError:
        assume(False)
    simulator = Simulator(parse_task(*texts))
    plan = [action for action, _ in islice(simulator.walk(simulator.initial, rng), 3)]
    _assert_translator_agrees(simulator, peer, plan, 3)


# ── unified-planning's simulator ─────────────────────────────────────────────────────────────────


class UnifiedPlanning:
    """A task in unified-planning's simulator, asked and answered in names."""

    def __init__(self, home: Path):
        pytest.importorskip("unified_planning")
        from unified_planning.engines import UPSequentialSimulator
        from unified_planning.io import PDDLReader
        from unified_planning.shortcuts import get_environment

        get_environment().credits_stream = None
        self.problem = PDDLReader().parse_problem(str(home / "domain.pddl"), str(home / "problem.pddl"))
        self._simulator = UPSequentialSimulator(self.problem, error_on_failed_checks=False)
        self._actions = {action.name.lower(): action for action in self.problem.actions}
        self._objects = {item.name.lower(): item for item in self.problem.all_objects}
        self._fluents = {_up_name(fluent): fluent for fluent in self.problem.initial_values}
        self.initial = self._simulator.get_initial_state()

    def applicable(self, state: Any) -> set[str]:
        """The applicable actions, as texts."""
        return {
            f"({' '.join([action.name, *map(str, arguments)])})".lower()
            for action, arguments in self._simulator.get_applicable_actions(state)
        }

    def step(self, state: Any, action: GroundAction) -> Any:
        """The next state; None where the action is not applicable."""
        return self._simulator.apply(
            state, self._actions[action.name], tuple(self._objects[name] for name in action.args)
        )

    def is_goal(self, state: Any) -> bool:
        reached: bool = self._simulator.is_goal(state)
        return reached

    def contents(self, state: Any) -> tuple[set[tuple[str, ...]], dict[tuple[str, ...], Fraction]]:
        """The true atoms, and the values of the numeric fluents."""
        values = {name: state.get_value(fluent).constant_value() for name, fluent in self._fluents.items()}
        return (
            {name for name, value in values.items() if value is True},
            {name: Fraction(value) for name, value in values.items() if not isinstance(value, bool)},
        )

    def candidates(self) -> int:
        """How many ground actions it tries when it lists the applicable ones."""
        return sum(
            math.prod(len(list(self.problem.objects(parameter.type))) for parameter in action.parameters)
            for action in self.problem.actions
        )


def _up_name(fluent: Any) -> tuple[str, ...]:
    return tuple(str(part).lower() for part in (fluent.fluent().name, *fluent.args))


def _is_undefined(unmet: tuple[Condition, ...]) -> bool:
    """Whether an action fails for nothing but fluents without a value."""
    return bool(unmet) and all(isinstance(one, Comparison) and one.left == one.right for one in unmet)


UP_TASKS = [
    "ipc/assembly/prob02",
    "ipc/blocks/probBLOCKS-4-1",
    "ipc/gripper/prob01",
    "ipc/miconic-fulladl/f1-0",
    "ipc/miconic-fulladl/f11-1",
    "ipc/rovers/p02",
    "ipc/schedule/probschedule-2-0",
    "ipc/transport-opt08-strips/p01",
    "numeric/counters/rnd_instance_12_3",
    "numeric/depots/pfile1",
    "numeric/elevators/p01",
    "numeric/ext-plant-watering/pfile1",
    "numeric/factory-robot/pfile1",
    "numeric/fo-counters/instance_2",
    "numeric/fo-farmland/instance_4_800_1229",
    "numeric/fo-sailing/instance_3_1_1229",
    "numeric/plant-watering/instance_4_1",
    "numeric/rover-linear/pfile2",
    "numeric/sailing/instance_4_2_1229",
    "numeric/tpp/p01",
]
"""Tasks that unified-planning reads in under a second; of derived predicates it knows nothing."""


@pytest.mark.heavy
@pytest.mark.parametrize("name", UP_TASKS)
def test_unified_planning_agrees_along_a_plan(shared: Path, name: str) -> None:
    peer = UnifiedPlanning(shared / name)
    plan = _valid_plan(shared / name)[:25]
    simulator = Simulator(_load(shared / name))
    state, theirs = simulator.initial, peer.initial
    listed = 3 if peer.candidates() < 700 else 1
    for number, action in enumerate([*plan, None]):
        atoms, values = peer.contents(theirs)
        assert {tuple(atom) for atom in state.atoms} == atoms
        # A total-cost that only the metric reads is an attribute of the actions there.
        known = {tuple(fluent): value for fluent, value in state.values.items() if tuple(fluent) in values}
        assert known == values
        assert {name for name, *_ in state.values.keys() - known.keys()} <= {"total-cost"}
        assert simulator.is_goal(state) == peer.is_goal(theirs)
        if number < listed:
            ours, others = {str(one) for one in simulator.applicable(state)}, peer.applicable(theirs)
            assert ours <= others
            # What an action costs is not looked at there, so that it need not have a value.
            assert all(map(_is_undefined, (simulator.step(state, one).unmet for one in others - ours)))
        if action is not None:
            successor, theirs = simulator.step(state, action).successor, peer.step(theirs, action)
            assert successor is not None
            assert theirs is not None
            state = successor
