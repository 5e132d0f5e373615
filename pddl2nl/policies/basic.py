"""Basic: the model gives a whole plan at once (AutoPlanBench paper, section 4, "LLM Planning")."""

from __future__ import annotations

from pddl2nl.policies.prompting import PlanPolicy


class Basic(PlanPolicy):
    """A plan between two tags, one action per line. The PDDL twin writes PDDL actions."""

    summary = "a whole plan at once"
    prompt = "basic"
