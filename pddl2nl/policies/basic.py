"""Basic: the model gives a whole plan at once (AutoPlanBench paper, section 4, "LLM Planning")."""

from __future__ import annotations

from pddl2nl.policies.prompting import PromptedPolicy


class Basic(PromptedPolicy):
    """A plan between two tags, one action per line. The PDDL twin writes PDDL actions."""

    summary = "a whole plan at once"
    one_shot = True
    thoughts = False
    prompt: str | None = "basic"
