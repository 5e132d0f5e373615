"""The baselines by name: every plan is validated, whatever goes wrong has its own name."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from pddl2nl.baselines import BASELINES, PLANNERS, TaskFiles, fast_downward, solve, solve_each
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import InfrastructureError, InputError, UnsupportedError
from pddlval import validate

KEYS = ["planner", "status", "plan", "cost", "seconds", "expanded", "search"]

IPC_TASKS = [
    "blocks/probBLOCKS-6-1",
    "depot/p01",
    "gripper/prob01",
    "pegsol-08-strips/p01",
    "psr-small/p01-s2-n1-l2-f50",
    "transport-opt08-strips/p01",
]


pytestmark = pytest.mark.usefixtures("needs_planner")


@pytest.mark.parametrize("name", BASELINES)
def test_contract_of_every_baseline(name: str, small: SimpleNamespace) -> None:
    for task in (small.nothing_to_do, small.pair):
        result = solve(task, name, steps=500)
        assert result.status == "solved", result.message
        assert result.planner == name
        assert result.plan is not None
        assert validate(as_task(task), result.plan).valid
        assert result.cost == len(result.plan)
        assert result.seconds >= 0
        assert result.expanded is not None
        assert result.search
        assert list(result.as_json()) == KEYS
        assert result.as_json()["plan"] == [str(action) for action in result.plan]


@pytest.mark.parametrize("name", BASELINES)
def test_an_unsolvable_task_gets_no_plan(name: str, small: SimpleNamespace) -> None:
    result = solve(small.too_little_fuel, name)
    assert result.status == ("unsolvable" if name in PLANNERS else "timeout")
    assert result.plan is None
    assert result.cost is None
    assert result.message
    assert result.as_json()["plan"] is None


def test_breadth_first_means_few_steps_and_optimal_means_low_cost(small: SimpleNamespace) -> None:
    shortest, cheapest = solve(small.detour, "brfs"), solve(small.detour, "lmcut")
    assert [str(action) for action in shortest.plan or ()] == ["(drive a c)"]
    assert shortest.cost == 10
    assert [str(action) for action in cheapest.plan or ()] == ["(drive a b)", "(drive b c)"]
    assert cheapest.cost == 3
    assert cheapest.as_json()["cost"] == 3


def test_files_texts_and_parsed_tasks_give_the_same_plan(small: SimpleNamespace, tmp_path: Path) -> None:
    files = TaskFiles(tmp_path / "d.pddl", tmp_path / "p.pddl")
    files.domain.write_text(small.tower.domain, encoding="utf-8")
    files.problem.write_text(small.tower.problem, encoding="utf-8")
    plans = [solve(task, "lmcut").plan for task in (files, small.tower, as_task(small.tower))]
    assert plans[0]
    assert plans[0] == plans[1] == plans[2]


def test_parallel_runs_do_not_collide_and_leave_nothing(
    small: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch, here = tmp_path / "scratch", tmp_path / "here"
    scratch.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    jobs = [(task, name) for name in PLANNERS for task in (small.tower, small.pair, small.detour, small.enough_fuel)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda job: solve(*job).plan, jobs))
    assert together[::5] == [solve(*job).plan for job in jobs[::5]]
    for (task, _), plan in zip(jobs, together, strict=True):
        assert plan is not None
        assert validate(as_task(task), plan).valid
    assert os.listdir(here) == []
    assert os.listdir(scratch) == []


def test_a_plan_that_our_validator_rejects_is_no_plan(
    small: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = tmp_path / "driver.py"
    for text in ("(pick-up x)\n", "(stack x y)\n", "(fly x)\n", "(pick-up"):
        driver.write_text(
            f"import sys\nopen(sys.argv[sys.argv.index('--plan-file') + 1], 'w').write({text!r})\n", encoding="utf-8"
        )
        monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)
        with pytest.raises(InfrastructureError, match="Fast Downward"):
            solve(small.pair, "ff")


def test_what_we_could_not_validate_is_refused_before_planning(
    small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(task: object) -> None:
        raise UnsupportedError("a construct, in its place")

    monkeypatch.setattr("pddl2nl.baselines.planner.acting_simulator", refuse)
    monkeypatch.setattr(fast_downward, "search_each", lambda *args, **kwargs: pytest.fail("the planner was run"))
    with pytest.raises(UnsupportedError, match="a construct"):
        solve(small.two_lamps, "ff")


def test_an_unknown_planner_is_named_with_a_near_one(small: SimpleNamespace) -> None:
    with pytest.raises(InputError, match=r"'lmcat'.*did you mean 'lmcut'"):
        solve(small.pair, "lmcat")


@pytest.mark.parametrize("task", IPC_TASKS)
def test_ff_on_real_tasks(task: str, shared: Path) -> None:
    folder = shared / "ipc" / task
    files = TaskFiles(folder / "domain.pddl", folder / "problem.pddl")
    result = solve(files, "ff", time_limit=60)
    assert result.status == "solved", result.message
    assert result.plan is not None
    report = validate(as_task(files), result.plan)
    assert report.valid
    assert result.cost == report.cost


@pytest.mark.usefixtures("needs_planner")
def test_several_searches_on_one_translation_find_what_each_finds_alone(small: SimpleNamespace) -> None:
    for task in (small.detour, small.too_little_fuel):
        together = solve_each(task, ("brfs", "lmcut", "ff"), time_limit=30, memory_limit_mb=2048)
        assert list(together) == ["brfs", "lmcut", "ff"]
        for name, found in together.items():
            alone = solve(task, name, time_limit=30, memory_limit_mb=2048)
            assert (found.status, found.plan, found.cost, found.expanded, found.search) == (
                alone.status,
                alone.plan,
                alone.cost,
                alone.expanded,
                alone.search,
            )
