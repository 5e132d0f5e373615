"""The property of composition: a macro is applicable exactly where its steps are, and leads to the same state."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings

from pddl2nl.pddl import Task, load_task
from pddlval import Simulator
from tests.macros.replays import Tally, check_blocks
from tests.validators import random_tasks

REFUSED_IN = {"psr-large": {"derived predicates"}, "worksworld": {"undefined fluent"}}
"""The domains of which some macros are refused, with the reasons."""


@pytest.mark.heavy
def test_every_domain(shared: Path) -> None:
    tallies = {}
    for folder in sorted(
        each for corpus in ("ipc", "numeric") for each in (shared / corpus).iterdir() if each.is_dir()
    ):
        file = min(folder.glob("*/problem.pddl"), key=lambda file: (file.stat().st_size, file), default=None)
        if file is not None:
            task, tally = load_task(file.with_name("domain.pddl"), file), Tally()
            check_blocks(Simulator(task), random.Random(f"{folder.name} {task.problem.name}"), 1, tally)
            tallies[folder.name] = tally
    assert len(tallies) > 50
    assert {name: tally.failures[:3] for name, tally in tallies.items() if tally.failures} == {}
    for name, tally in tallies.items():
        assert set(tally.refused) <= REFUSED_IN.get(name, set()), (name, tally.refused)
    # Neither all nor none: states in which something happens, and states in which a step fails.
    applicable, compared = (sum(getattr(t, key) for t in tallies.values()) for key in ("applicable", "compared"))
    assert compared / 10 < applicable < compared * 9 / 10


@pytest.mark.parametrize("name", ["kitchen", "floortile", "goldminer"])
def test_shipped_domains(root: Path, name: str) -> None:
    problem = sorted((root / "instances" / name).glob("*.pddl"))[0]
    tally = Tally()
    check_blocks(Simulator(load_task(root / f"domains/{name}/domain.pddl", problem)), random.Random(name), 4, tally)
    assert tally.failures == []
    assert not tally.refused
    assert 0 < tally.applicable < tally.compared


@given(random_tasks.cases())
@settings(max_examples=25)
def test_random_domains(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    tally = Tally()
    check_blocks(Simulator(task), rng, 2, tally)
    assert tally.failures == []
