"""Whatever policy of the family, task and mistake: pddlval judges every plan as the run does."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.hybrids.events import PlanRepaired, StatesSearched
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, validate

pytestmark = pytest.mark.usefixtures("needs_planner")

DOMAINS = ("blocksworld", "ferry", "grippers", "visitall")
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repair", {}),
    ("repair", {"from_prefix": True}),
    ("repair:cot", {}),
    ("guided", {"calls": 3}),
    ("landmarks", {"samples": 2}),
    ("tree", {"calls": 6}),
    ("llm+p", {"rounds": 1}),
)
BY_DEFAULT = {("landmarks", "missing-init"), ("llm+p", "invented-action")}
CASES = [
    pytest.param(
        policy,
        options,
        mistake,
        marks=() if (policy, mistake) in BY_DEFAULT and "from_prefix" not in options else pytest.mark.heavy,
        id=f"{policy}-{'-'.join(options)}-{mistake}",
    )
    for policy, options in RUNS
    for mistake in MISTAKES
]


@pytest.mark.parametrize(("policy", "options", "mistake"), CASES)
def test_every_plan_is_judged_right(policy: str, options: dict[str, Any], mistake: str | None) -> None:
    rng = random.Random(f"{policy} {options} {mistake}")
    task = shipped_task(rng.choice(DOMAINS), f"p{rng.randint(1, 8):02}")
    run = run_spec(RunSpec(task, policy, options, f"oracle:{mistake}" if mistake else "oracle"))
    assert run.outcome != "infrastructure-error"
    assert run.solved == validate(task, [*map(GroundAction.parse, run.plan)]).valid
    for event in run.events:
        if isinstance(event, PlanRepaired | StatesSearched) and event.plan:
            assert validate(task, [*map(GroundAction.parse, event.plan)]).valid
    if policy.startswith("repair"):
        assert run.solved, "the planner finds a plan whatever the proposal is"
