"""The metrics of the hybrids: values of a run's last event of a kind, and none for runs without one."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import Prompted, RunEvent
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemWritten
from pddl2nl.systems.hybrids.metrics import METRICS
from pddl2nl.tasks import shipped_task

REPAIRED = PlanRepaired(
    "lama", "solved", ("(a)", "(b)"), 1, ("(a)", "(c)"), (0,), 2, 2, expanded=30, alone=10, proved=True
)


def value(name: str, *events: RunEvent) -> float | None:
    [metric] = [metric for metric in METRICS if metric.name == name]
    return metric.of(SimpleNamespace(events=events))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("repair-distance", 2.0),
        ("repair-proved", 100.0),
        ("model-share", 50.0),
        ("first-departure", 2.0),
        ("repair-effort", 3.0),
        ("problem-readable", None),
    ],
)
def test_the_last_repair_counts(name: str, expected: float | None) -> None:
    earlier = PlanRepaired("lama", "solved", ("(b)",), 0, ("(a)",), (), 9)
    assert value(name, earlier, REPAIRED) == expected
    assert value(name) is None


def test_a_problem_that_was_not_compared_has_no_parts_to_count() -> None:
    written = ProblemWritten(0, "(define …)", equivalent=False, missing=("goal (p)",), invented=())
    values = [value(f"problem-{name}", written) for name in ("readable", "equivalent", "missing", "invented")]
    assert values == [100.0, 0.0, 1.0, 0.0]
    assert value("problem-missing", ProblemWritten(0, "…")) is None


# ── prompts ───────────────────────────────────────────────────────────────────────────────────────


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "policy", "problem", "options", "replies"),
    [
        ("next", "guided", "p20", {"calls": 1}, ["nothing"]),
        ("candidates", "tree", "p02", {"calls": 1}, ["nothing"]),
        ("problem", "llm+p", "p02", {"rounds": 1}, ["no", "(define (problem x))"]),
    ],
)
def test_prompts_are_as_before(
    name: str, policy: str, problem: str, options: dict[str, Any], replies: list[str]
) -> None:
    events = run_spec(RunSpec(shipped_task("blocksworld", problem), policy, options, ScriptedModel(replies))).events
    messages = [message for event in events if isinstance(event, Prompted) for message in event.messages]
    text, file = "\n".join(f"── {each.role}\n{each.content}\n" for each in messages), GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
