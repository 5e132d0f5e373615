"""CoT: a whole plan at once, with thoughts between the actions (AutoPlanBench paper, section 4; Wei et al. 2022)."""

from __future__ import annotations

from pddl2nl.policies.prompting import PromptedPolicy


class ChainOfThought(PromptedPolicy):
    """As Basic, with a thought before every action."""

    summary = "a whole plan at once, with thoughts between the actions"
    styles = ("nl",)
    one_shot = True
    thoughts = True
    prompt = "cot"
