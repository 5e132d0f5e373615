"""HVR: hierarchical planning with verification and retrieval from a knowledge graph, and its ablations (`hvr.HVR`)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.hvr.prompts import LAYOUT, MECHANISMS, prompt_hashes

__all__ = ["FAMILY"]

_BLOCK, _CONDITIONS, _ACTION, _LATER_PROMPT = 4, 60, 15, 3700


def _hashes(policy: str) -> Mapping[str, str]:
    return prompt_hashes(MECHANISMS[policy].stages)


def _effort(policy: str, actions: int) -> Effort:
    mechanism = MECHANISMS[policy]
    macros = math.ceil(actions / _BLOCK) if mechanism.hierarchy else 0
    # The macro plan, its conditions and the blocks, or the plan at once; objects for the macro plan and each block.
    planning = 2 + macros if macros else 1
    retrievals = 1 + macros if mechanism.retrieval else 0
    corrections = math.ceil(planning / 2) if mechanism.verification else 0
    whole = 0 if retrievals or macros else 1
    replies = (actions * 2 * _ACTION + macros * _CONDITIONS) * (1 + corrections / planning) + retrievals * _ACTION
    return Effort(retrievals + whole, planning - whole + corrections, _LATER_PROMPT, replies)


FAMILY = Family(
    name="hvr",
    package=__name__,
    title="HVR and its ablations",
    policy_class="hvr.HVR",
    titles={name: name.upper() for name in MECHANISMS},
    options=frozenset(("task_text", "form", "faults", "ontology", "library", "embedding_model", "replans", "prompts")),
    also={name: frozenset(("constrain",)) for name in MECHANISMS},
    layout=LAYOUT,
    prompt_hashes=_hashes,
    effort=_effort,
    effort_text=(
        f"of HVR and its ablations a macro-action to be {_BLOCK} actions and its conditions {_CONDITIONS} tokens, "
        f"prompts behind the first {_LATER_PROMPT:,} tokens longer, as in the kitchen, and, where they are verified, "
        "every second reply to be corrected once"
    ),
    why_only=(
        "its prompts have examples of their own, it asks for one plan, reads it without a model, and corrects it by "
        "its own rules"
    ),
)
