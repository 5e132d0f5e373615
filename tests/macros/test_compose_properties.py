"""The property of composition: a macro is applicable exactly where its steps are, and leads to the same state."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from pddl2nl.macros.compose import compose_block, lift
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.pddl import Function, GroundAtom, Predicate, Task, load_task
from pddlval import Simulator, State
from tests.macros.replays import Tally, Twin, check_blocks, random_block
from tests.validators import random_tasks

REFUSED_IN = {"psr-large": {"derived predicates"}, "worksworld": {"undefined fluent"}}
"""The domains of which some macros are refused, with the reasons."""


def _folders(shared: Path) -> Iterator[Path]:
    for corpus in ("ipc", "numeric"):
        yield from sorted(folder for folder in (shared / corpus).iterdir() if folder.is_dir())


def _tasks(folder: Path, most: int) -> list[Task]:
    problems = sorted(folder.glob("*/problem.pddl"), key=lambda file: (file.stat().st_size, file))[:most]
    return [load_task(file.with_name("domain.pddl"), file) for file in problems]


def _checked(shared: Path, blocks: int, instances: int, longest: int) -> dict[str, Tally]:
    found = {}
    for folder in _folders(shared):
        tally = found[f"{folder.parent.name}/{folder.name}"] = Tally()
        for task in _tasks(folder, instances):
            rng = random.Random(f"{folder.name} {task.problem.name}")
            check_blocks(Simulator(task), rng, blocks, tally, longest)
    return found


def _assert_all_equal(tallies: dict[str, Tally]) -> None:
    assert len(tallies) > 50
    failures = {name: tally.failures[:3] for name, tally in tallies.items() if tally.failures}
    assert failures == {}
    for name, tally in tallies.items():
        assert set(tally.refused) <= REFUSED_IN.get(name.partition("/")[2], set()), (name, tally.refused)
    # Neither all nor none: states in which something happens, and states in which a step fails.
    applicable, compared = (sum(getattr(t, key) for t in tallies.values()) for key in ("applicable", "compared"))
    assert compared / 10 < applicable < compared * 9 / 10


@pytest.mark.heavy
def test_every_domain(shared: Path) -> None:
    _assert_all_equal(_checked(shared, blocks=1, instances=1, longest=3))


@pytest.mark.parametrize("name", ["kitchen", "floortile", "goldminer"])
def test_shipped_domains(root: Path, name: str) -> None:
    problem = sorted((root / "instances" / name).glob("*.pddl"))[0]
    tally = Tally()
    check_blocks(Simulator(load_task(root / f"domains/{name}/domain.pddl", problem)), random.Random(name), 4, tally)
    assert tally.failures == []
    assert not tally.refused
    assert 0 < tally.applicable < tally.compared


def _any_state(simulator: Simulator, rng: random.Random) -> State:
    """Any state at all; a fluent that has a value in the initial state keeps one, as in all reachable states."""
    task, layout = simulator.task, simulator.initial.layout

    def ground(items: tuple[Predicate | Function, ...], names: frozenset[str]) -> Iterator[GroundAtom]:
        for item in items:
            if item.name in names:
                for args in itertools.product(*(task.objects_of(parameter.types) for parameter in item.parameters)):
                    yield GroundAtom((item.name, *args))

    atoms = [atom for atom in ground(task.domain.predicates, layout.changing) if rng.random() < 0.5]
    fluents = ground(task.domain.functions, layout.functions)
    values = {
        fluent: Fraction(rng.randrange(-2, 6), 2)
        for fluent in fluents
        if simulator.initial.level(fluent) is not None or rng.random() < 0.5
    }
    return simulator.state(atoms, values)


def _check_random_task(task: Task, rng: random.Random) -> None:
    simulator = Simulator(task)
    for steps, lifted in ((2, False), (3, True)):
        block = random_block(simulator, simulator.initial, rng, steps)
        if not block:
            continue
        try:
            macro = lift(task, block, name="macro") if lifted else compose_block(task, block, name="macro")
        except CannotComposeError:
            continue
        twin = Twin(simulator, macro)
        for _ in range(6):
            args = tuple(rng.choice(task.objects_of(parameter.types)) for parameter in macro.parameters)
            assert twin.difference(_any_state(simulator, rng), args) == ""


@given(random_tasks.cases())
@settings(max_examples=25)
def test_random_domains(case: tuple[Task, random.Random]) -> None:
    _check_random_task(*case)
