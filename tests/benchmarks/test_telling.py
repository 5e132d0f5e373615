"""Speed of telling, by hand on a quiet machine: ``pytest -m benchmark tests/benchmarks/test_telling.py``.

Every task is to be told, domain, objects, initial state and goal, in under a second a megabyte of PDDL.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task, load_task
from pddlval import Simulator

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

LARGE = ("psr-small-p25", "airport-p36", "visitall-gen150", "nomystery-sat11-p09", "miconic-fulladl-f10-1")


def tell(task: Task) -> Teller:
    """Everything about a task, told by a new teller, with the wording and the names made for it."""
    teller = Teller(task, template_wording(task.domain), make_names(task))
    for text in (teller.domain_text, teller.objects_text, teller.init_text, teller.goal_text):
        assert text()
    return teller


def megabytes(folder: Path) -> float:
    return sum((folder / name).stat().st_size for name in ("domain.pddl", "problem.pddl")) / 1e6


@pytest.mark.parametrize("name", LARGE)
def test_telling_a_large_task(name: str, shared: Path, bench: Bench) -> None:
    folder = shared / "speed" / name
    files = (folder / "domain.pddl", folder / "problem.pddl")
    task = load_task(*files)
    seconds = bench.seconds(lambda: tell(task))
    what = f"telling {name}, {megabytes(folder):.2g} MB"
    assert bench.ratio(what, seconds, "reading it", bench.seconds(lambda: load_task(*files))) > 0.5
    assert seconds < megabytes(folder)


def test_telling_every_task_of_the_corpus(shared: Path, bench: Bench) -> None:
    folders = [path.parent for path in sorted((shared / "ipc").glob("*/*/domain.pddl"))]
    tasks = [load_task(folder / "domain.pddl", folder / "problem.pddl") for folder in folders]
    each = [bench.seconds(lambda task=task: tell(task)) for task in tasks]  # type: ignore[misc]
    worst = max(seconds / megabytes(folder) for seconds, folder in zip(each, folders, strict=True))
    whole = sum(megabytes(folder) for folder in folders)
    bench.ratio(f"telling {len(tasks)} tasks, {whole:.2g} MB", sum(each), "a second a megabyte", whole)
    assert worst < 1, "seconds a megabyte"


def test_observations(shared: Path, bench: Bench) -> None:
    folder = shared / "speed" / "visitall-gen150"
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    teller, simulator = tell(task), Simulator(task)
    state = simulator.initial
    step = simulator.step(state, next(iter(simulator.applicable(state))))
    looking = bench.seconds(lambda: teller.state(state), 3)
    bench.ratio("looking around in visitall-gen150", looking, "a second a megabyte", megabytes(folder))
    observed = bench.seconds(lambda: [teller.executed(step.action) for _ in range(1000)]) / 1000
    assert bench.ratio("an observation", observed, "looking around", looking) > 100
