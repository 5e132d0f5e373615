"""The three jobs, end to end, on real tasks of the planning competitions that nobody here wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.nl import convert
from pddl2nl.pddl import load_task

TASKS = (
    "airport/p01-airport1-p1",
    "childsnack-opt14-strips/child-snack_pfile01",
    "hiking-agl14-strips/testing-3-4-3",
    "hiking-opt14-strips/ptesting-1-2-3",
    "hiking-opt14-strips/ptesting-2-2-4",
    "hiking-sat14-strips/ptesting-1-2-7",
    "parking-opt11-strips/pfile03-012",
    "parking-opt14-strips/p_12_7-01",
    "pegsol-08-strips/p01",
    "pegsol-opt11-strips/p11",
    "rovers/p02",
    "rovers/p11",
    "sokoban-opt08-strips/p03",
    "sokoban-sat11-strips/p05",
    "tetris-opt14-strips/p02-4",
    "tpp/p01",
    "tpp/p09",
    "transport-opt08-strips/p01",
    "transport-opt11-strips/p03",
    "transport-sat08-strips/p24",
    "visitall-opt11-strips/problem05-half",
    "visitall-opt14-strips/p-05-5",
)


def test_at_least_twenty_tasks_of_ten_suites_are_tried() -> None:
    suites = {name.split("/")[0].split("-")[0] for name in TASKS}
    assert len(TASKS) >= 20
    assert len(suites) >= 10


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("name", TASKS)
def test_a_real_task_is_told_and_solved_from_what_was_told(name: str, shared: Path) -> None:
    task = load_task(shared / "ipc" / name / "domain.pddl", shared / "ipc" / name / "problem.pddl")
    told = convert(task)
    assert all(told.names.to_nl[item] in told.objects_text for item in task.objects)
    assert told.init_text.count("\nand ") >= len(set(task.problem.init)) - 1
    result = run(task, policy="react", model="oracle")
    assert result.outcome == "solved"
    assert result.mistakes == 0
