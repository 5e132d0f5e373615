"""The oracle solves tasks whose prompts tell the present state in the place of old turns."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.baselines import told_task
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain

pytestmark = pytest.mark.usefixtures("needs_planner")


@pytest.mark.parametrize(("policy", "style"), [("act", "nl"), ("react", "nl"), ("act", "pddl")])
@pytest.mark.parametrize("domain", ["blocksworld", "logistics", "visitall"])
def test_it_solves_with_a_compact_history_and_plans_once(
    monkeypatch: pytest.MonkeyPatch, domain: str, policy: str, style: str
) -> None:
    monkeypatch.setattr(told_task, "_plan_of", told_task._plan_of.__wrapped__)
    searches: list[Any] = []
    solve = told_task.solve
    monkeypatch.setattr(told_task, "solve", lambda *args, **options: searches.append(1) or solve(*args, **options))
    task = shipped_domain(domain).task("p04")
    result = run_spec(RunSpec(task, policy, model="oracle", style=style, example="none", steps=40, history="compact"))
    assert (result.outcome, result.mistakes) == ("solved", 0)
    assert len(searches) == 1
    longest = max(event.kept + len(event.messages) for event in result.events if event.event == "prompted")
    assert longest == 2


@pytest.mark.parametrize("rounds", [0, 2])
def test_it_solves_with_samples_and_rounds(rounds: int) -> None:
    task = shipped_domain("ferry").task("p02")
    result = run_spec(RunSpec(task, "cot", {"samples": 2, "rounds": rounds}, "oracle", example="none"))
    assert (result.outcome, len(result.plan) > 0) == ("solved", True)
    assert sum(event.event == "replied" for event in result.events) == 1
