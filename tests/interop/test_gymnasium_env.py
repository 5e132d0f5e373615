"""Planning tasks as Gymnasium environments, judged by Gymnasium's own checker."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import pddl2nl
from pddl2nl.baselines import solve
from pddl2nl.errors import InputError

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from pddl2nl.interop.gymnasium_env import ENV_ID, PlanningEnv  # noqa: E402


@pytest.mark.parametrize("observation", ["text", "atoms"])
@pytest.mark.parametrize("action", ["text", "index"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_finds_nothing_wrong(observation: str, action: str) -> None:
    env = gymnasium.make(
        ENV_ID, domain="blocksworld", problem=["p01", "p02"], observation=observation, action=action, max_steps=20
    )
    assert check_env(env.unwrapped) is None


def test_words_are_read_judged_and_answered_as_those_of_act() -> None:
    env = PlanningEnv("blocksworld", "p01", render_mode="ansi")
    observation, info = env.reset()
    assert "My goal is that in the end block_1 is on block_2." in observation
    assert info["applicable"] == ("(unstack c b)",)
    observation, reward, terminated, truncated, info = env.step("I pick up block_0.")
    assert (reward, terminated, truncated, info["status"]) == (0.0, False, False, "inapplicable")
    assert observation.startswith("I cannot pick up block_0")
    assert env.step("unstack block_2 from block_1")[4]["status"] == "executed"
    assert "I am holding block_2" in str(env.render())


def test_a_plan_ends_with_reward_one() -> None:
    task = pddl2nl.shipped_task("blocksworld", "p01")
    env = PlanningEnv(problem=task, observation="atoms", action="index")
    env.reset()
    plan = solve(task, "lmcut").plan
    results = [env.step(env.actions.index(action)) for action in plan]
    assert [(reward, terminated) for _, reward, terminated, _, _ in results] == [(0.0, False)] * 3 + [(1.0, True)]
    observed = {atom for atom, value in zip(env.atoms, results[-1][0], strict=False) if value}
    assert ("on", "b", "c") in observed


def test_a_masked_random_agent_never_does_what_is_not_applicable() -> None:
    env = PlanningEnv("ferry", "p01", observation="atoms", action="index", max_steps=30)
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    statuses = set()
    for _ in range(30):
        *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        statuses.add(info["status"])
        if terminated or truncated:
            break
    assert statuses == {"executed"}
    assert terminated or truncated


def test_a_seed_draws_the_same_tasks() -> None:
    env = PlanningEnv("blocksworld", ["p01", "p02", "p03"])

    def drawn() -> list[str]:
        return [env.reset(seed=7)[1]["problem"], *(env.reset()[1]["problem"] for _ in range(5))]

    assert drawn() == drawn()
    assert len(set(drawn())) > 1
    assert env.reset(options={"problem": 2})[1]["problem"] == "blocksworld-p03"


def test_tasks_may_come_from_a_function_of_a_seed() -> None:
    def make(seed: int) -> pddl2nl.Task:
        return pddl2nl.shipped_task("blocksworld", random.Random(seed).choice(["p01", "p02"]))

    env = PlanningEnv(problem=make)
    names = {env.reset(seed=number)[1]["problem"] for number in range(10)}
    assert names == {"blocksworld-p01", "blocksworld-p02"}


def test_steps_run_out() -> None:
    env = PlanningEnv("blocksworld", "p01", max_steps=2)
    env.reset()
    assert env.step("dance")[2:4] == (False, False)
    assert env.step("dance")[2:4] == (False, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": lambda seed: None, "action": "index"}, "needs texts"),
        ({"problem": "p01"}, "needs a domain"),
        ({"domain": "nowhere", "problem": "p01"}, "nowhere"),
        ({"domain": "blocksworld", "problem": "p99"}, "p99"),
    ],
)
def test_wrong_arguments_are_explained(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PlanningEnv(**options)


def test_numbers_that_change_are_no_atoms(tmp_path: Path) -> None:
    task = pddl2nl.parse_task(
        "(define (domain d) (:requirements :fluents) (:functions (n)) (:action up :effect (increase (n) 1)))",
        "(define (problem p) (:domain d) (:init (= (n) 0)) (:goal (> (n) 1)))",
    )
    with pytest.raises(InputError, match="numbers that change"):
        PlanningEnv(problem=task, observation="atoms")
    env = PlanningEnv(problem=task, action="index")
    env.reset()
    assert [env.step(0)[1], env.step(0)[1]] == [0.0, 1.0]


def test_a_list_that_would_be_too_long_is_refused() -> None:
    objects = " ".join(f"o{number}" for number in range(47))
    task = pddl2nl.parse_task(
        "(define (domain d) (:predicates (p ?a ?b ?c)) (:action a :parameters (?a ?b ?c) :effect (p ?a ?b ?c)))",
        f"(define (problem p) (:domain d) (:objects {objects}) (:init) (:goal (p o1 o2 o3)))",
    )
    with pytest.raises(InputError, match="more than 100,000 of"):
        PlanningEnv(problem=task, action="index")
