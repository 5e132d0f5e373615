"""The prompts of BrainBody: their layout, and the instructions in ``texts/`` (paper, figures 2 to 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from pddl2nl.policies.staged import PromptLayout

__all__ = ["LAYOUT", "STAGES", "prompt_hashes", "prompt_text"]

LAYOUT = PromptLayout(
    stages=("brainbody/plan", "brainbody/act", "brainbody/feedback", "brainbody/base", "brainbody/progprompt"),
    sections=("Objects", "Actions", "Environment information", "Task", "Plan", "Error step", "Message", "Step"),
)

STAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "brainbody": ("brainbody/plan", "brainbody/act", "brainbody/feedback"),
        "brainbody-open": ("brainbody/plan", "brainbody/act"),
        "base": ("brainbody/base",),
        "progprompt": ("brainbody/progprompt",),
    }
)
"""The stages of prompts that each policy uses."""


@cache
def prompt_text(stage: str) -> str:
    """The instruction of a stage."""
    name = stage.removeprefix("brainbody/")
    return (resources.files(__package__) / "texts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def prompt_hashes(policy: str) -> dict[str, str]:
    """The SHA-256 of the prompt files that a policy uses, by file name, for the record of a run."""
    texts = {f"{stage}.txt": prompt_text(stage) for stage in STAGES[policy]}
    return {name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items()}
