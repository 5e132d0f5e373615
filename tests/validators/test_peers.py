"""The simulator against others: Fast Downward's translator, unified-planning's simulator.

Each is asked for the applicable actions and their successors, in the initial state and in states along a valid plan.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

from pddl2nl.pddl import Task, load_task, parse_task, write_domain, write_problem
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


"""Tasks that unified-planning reads in under a second; of derived predicates it knows nothing."""
