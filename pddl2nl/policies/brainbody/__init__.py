"""BrainBody-LLM: a planning model and an acting model in a feedback loop, and its baselines (`brainbody.BrainBody`)."""

from __future__ import annotations

from pddl2nl.policies.brainbody.prompts import LAYOUT, MECHANISMS, prompt_hashes
from pddl2nl.policies.family import Effort, Family

__all__ = ["FAMILY"]

_ACTING = frozenset(("body", "body_model", "embedding_model"))
_FEEDBACK = frozenset(("feedback_loops", "signal"))

_STEP, _PROMPT = 20, 2000


def _effort(policy: str, actions: int) -> Effort:
    replies = float(actions * _STEP)
    if not policy.startswith("brainbody"):
        return Effort(1, 0, 0, replies)
    rounds = 1 if policy == "brainbody" else 0
    return Effort(1 + rounds, actions, -_PROMPT, replies * (2 + rounds))


FAMILY = Family(
    name="brainbody",
    package=__name__,
    title="BrainBody-LLM and its baselines",
    policy_class="brainbody.BrainBody",
    titles={
        "brainbody": "BrainBody-LLM",
        "brainbody-open": "BrainBody-LLM without feedback",
        "base": "Base-LLM",
        "progprompt": "ProgPrompt (static)",
    },
    options=frozenset(
        {
            *("task_text", "form", "faults", "robot", "preview", "dead_ends"),
            *_ACTING,
            *_FEEDBACK,
        }
    ),
    layout=LAYOUT,
    prompt_hashes=prompt_hashes,
    effort=_effort,
    effort_text=(
        f"of BrainBody-LLM a step of a plan and its line of program to be {_STEP} tokens each, one error to be "
        f"corrected, and prompts of the acting model {_PROMPT:,} tokens shorter, as in the household"
    ),
    without={
        "brainbody-open": _FEEDBACK,
        "base": _ACTING | _FEEDBACK,
        "progprompt": _ACTING | _FEEDBACK,
    },
    also=dict.fromkeys(MECHANISMS, frozenset(("constrain",))),
    why_only="its prompts have examples of their own, and it reads plans and programs without a model",
)
