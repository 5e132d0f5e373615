"""CoT: a whole plan at once, with thoughts between the actions (AutoPlanBench paper, section 4; Wei et al. 2022)."""

from __future__ import annotations

from pddl2nl.policies.prompting import PlanPolicy


class ChainOfThought(PlanPolicy):
    """As Basic, with a thought before every action."""

    summary = "a whole plan at once, with thoughts between the actions"
    styles = ("nl",)
    thoughts = True
    prompt = "cot"
