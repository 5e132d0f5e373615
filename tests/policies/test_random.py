"""The random walk: uniform over the applicable actions, and the same wherever it is walked again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from pddl2nl.experiments import run
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.policies import Episode
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddlval import Simulator

SEEDS = range(1, 11)
DRAWS = 4000

WALKS = """
import json, sys
from pddl2nl.experiments import run
from pddl2nl.tasks import shipped_domain
task = shipped_domain("logistics").task("p03")
print(json.dumps([run(task, "random", seed=seed, steps=25).plan for seed in range(1, 11)]))
"""


@pytest.mark.parametrize("domain", ["logistics", "blocksworld", "visitall"])
def test_every_applicable_action_has_the_same_chance(domain: str) -> None:
    """Chi square of 4,000 draws in one state, at a level of one in a million; the seed is fixed."""
    pddl = shipped_domain(domain).domain
    task = Task(pddl, parse_problem(generate(domain, 1).text, pddl))
    simulator = Simulator(task)
    state = simulator.initial
    for _ in range(3):
        state = simulator.step(state, next(iter(simulator.applicable(state)))).successor or state
    applicable = [str(action) for action in simulator.applicable(state)]
    assert len(applicable) > 1
    import random

    rng = random.Random(5)
    drawn = Counter(str(simulator.sample(state, rng)) for _ in range(DRAWS))
    assert set(drawn) == set(applicable)
    expected = DRAWS / len(applicable)
    square = sum((drawn[action] - expected) ** 2 / expected for action in applicable)
    freedom = len(applicable) - 1
    # Wilson and Hilferty's approximation of the quantile.
    assert square < freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3


def test_an_episode_draws_as_its_simulator_does(world: Any) -> None:
    episode = Episode(world.setting(), seed=3)
    drawn = Counter(str(episode.sample()) for _ in range(1000))
    assert set(drawn) == {"(lift red table)", "(lift blue table)"}
    assert abs(drawn["(lift red table)"] - 500) < 80


def test_it_has_the_step_limit_of_the_others(play: Any, world: Any) -> None:
    for steps in (1, 2, 7):
        for seed in SEEDS:
            finished = play("random", seed=seed, steps=steps).finished
            assert finished.steps == finished.turns.get("executed", 0) <= steps
            assert finished.outcome in ("solved", "budget", "gave-up")
            if finished.outcome == "budget":
                assert finished.steps == steps
            if finished.outcome == "gave-up":
                assert finished.fault.status == "dead-end"


def test_ten_seeds_are_ten_walks_and_the_same_in_every_process() -> None:
    task = shipped_domain("logistics").task("p03")
    walks = [run(task, "random", seed=seed, steps=25).plan for seed in SEEDS]
    assert len({*walks}) == len(SEEDS)
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    done = subprocess.run([sys.executable, "-c", WALKS], env=environment, capture_output=True, text=True, check=True)
    assert [tuple(walk) for walk in json.loads(done.stdout)] == walks
