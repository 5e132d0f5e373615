"""The prompts of the hybrids, word for word. The files in ``golden`` are written by this module:

PDDL2NL_GOLDEN=write pytest tests/systems/hybrids/test_prompts.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import Prompted
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_task

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
