"""The prompts of SayPlan, word for word, and files in their place. The files in ``golden`` are written by this module:

PDDL2NL_GOLDEN=write pytest tests/systems/sayplan/test_prompts.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.systems.sayplan.conftest import PLAN, SEARCH, SceneRun, command, plan, play

GOLDEN = Path(__file__).parent / "golden"
REPLIES = {
    SEARCH: [command("expand(bobs_room)"), command("expand(moon)"), command("count(mug)"), command("terminate")],
    PLAN: [plan("access(wardrobe1)", "pickup(coffee_mug)"), plan("goto(kitchen)")],
}


def prompts(run: SceneRun) -> str:
    """All prompts of a run; examples stand in the first of each stage alone."""
    texts, shown = [], set[str]()
    for request in run.model.requests:
        first, *examples, question = request.messages
        kept = [question] if first.content in shown else [first, *examples, question]
        shown.add(first.content)
        texts += [f"── {message.role}\n{message.content}\n" for message in kept]
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("name", "policy", "options"),
    [
        ("reason", "sayplan", {"signal": "reason"}),
        ("terse", "sayplan", {}),
        ("queries", "sayplan-queries", {}),
        ("flat", "sayplan-flat", {}),
        ("bare", "sayplan", {"contraction": False, "memory": False}),
    ],
)
def test_prompts_are_as_before(name: str, policy: str, options: dict[str, Any]) -> None:
    text, file = prompts(play("example", REPLIES, policy=policy, **options)), GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
