"""The prompts of BrainBody as they are sent, kept in files so that no change goes unseen.

Where a change is meant, ``PDDL2NL_WRITE_GOLDEN=1 pytest tests/policies/brainbody`` writes them anew for review.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.policies.brainbody.conftest import Run, plan

from pddl2nl.llm import Message
from pddl2nl.systems.brainbody.prompts import LAYOUT, MECHANISMS, prompt_hashes

GOLDEN = Path(__file__).parent / "golden"
PLAN = plan("Lift cup_0 from place_1", "Smash the shelf", "Put cup_0 on place_0")


def whole(messages: tuple[Message, ...]) -> str:
    return "\n\n".join(f"── {message.role}\n{message.content}" for message in messages) + "\n"


@pytest.mark.parametrize(
    ("name", "policy", "stage"),
    [
        ("plan", "brainbody", "brainbody/plan"),
        ("act", "brainbody", "brainbody/act"),
        ("feedback", "brainbody", "brainbody/feedback"),
        ("base", "base", "brainbody/plan"),
        ("progprompt", "progprompt", "brainbody/progprompt"),
    ],
)
def test_a_prompt_is_as_in_its_file(run: Run, world: Any, name: str, policy: str, stage: str) -> None:
    acts = ["<char0> [lift] <cup_0> <place_1>", "<char0> [smash] <place_0>", "<pass>"]
    replies = {"brainbody/plan": PLAN, "brainbody/progprompt": PLAN, "brainbody/feedback": "1: Done."}
    played = run(replies, acts, policy=policy, setting=world.setting(shown=False))
    text = whole((played.brain if stage != "brainbody/act" else played.body).conversations(stage)[0])
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_record_has_the_hash_of_every_prompt_file_of_a_policy() -> None:
    assert {policy: [*prompt_hashes(policy)] for policy in MECHANISMS} == {
        "brainbody": ["brainbody/plan.txt", "brainbody/act.txt", "brainbody/feedback.txt", "brainbody/form.txt"],
        "brainbody-open": ["brainbody/plan.txt", "brainbody/act.txt", "brainbody/form.txt"],
        "base": ["brainbody/plan.txt", "brainbody/form.txt"],
        "progprompt": ["brainbody/progprompt.txt", "brainbody/form.txt"],
    }
    assert {stage for mechanism in MECHANISMS.values() for stage in mechanism.stages} == {*LAYOUT.stages}
