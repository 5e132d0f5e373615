"""The random walk: uniform, seeded, and needing no planner."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pddl2nl.baselines import PLANNERS, solve, walk
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import MissingExtraError, UnsupportedError
from pddlval import validate


def test_the_same_seed_walks_the_same_way(small: SimpleNamespace) -> None:
    task = as_task(small.pair)
    first = walk(task, 500, seed=7)
    assert first.plan is not None
    assert walk(task, 500, seed=7).plan == first.plan
    assert len({walk(task, 500, seed=seed).plan for seed in range(20)}) > 1


def test_what_it_reports_is_a_valid_plan(small: SimpleNamespace) -> None:
    task = as_task(small.pair)
    for seed in range(20):
        result = walk(task, 500, seed)
        assert result.plan is not None
        assert validate(task, result.plan).valid
        assert result.expanded == len(result.plan) == result.cost


def test_the_step_limit_counts(small: SimpleNamespace) -> None:
    result = walk(as_task(small.tower), 3, seed=1)
    assert (result.status, result.plan, result.expanded) == ("timeout", None, 3)
    assert "3 steps" in result.message
    assert "seed 1" in result.search


def test_a_dead_end_is_named(small: SimpleNamespace) -> None:
    result = walk(as_task(small.too_little_fuel), 50)
    assert result.status == "timeout"
    assert "no action is applicable after 2 steps" in result.message


def test_unsupported_tasks_are_refused(small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(task: object) -> None:
        raise UnsupportedError("a construct, in its place")

    monkeypatch.setattr("pddl2nl.baselines.random_walk.Simulator", refuse)
    with pytest.raises(UnsupportedError):
        walk(as_task(small.two_lamps))


def test_without_the_extra_only_the_random_walk_runs(small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in PLANNERS:
        with pytest.raises(MissingExtraError, match=r"pddl2nl\[planners\]"):
            solve(small.pair, name)
    assert solve(small.pair, "random", steps=500).solved
