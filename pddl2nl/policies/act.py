"""Act: one action a turn, answered by an observation (AutoPlanBench paper, section 4, "LLM Policies")."""

from __future__ import annotations

from pddl2nl.policies.prompting import TurnPolicy


class Act(TurnPolicy):
    """The model chooses the next action and sees its result, until the goal holds.

    The PDDL twin writes PDDL actions and is answered as in section 5 of the paper.
    """

    summary = "one action a turn, answered by an observation"
    prompt = "act"
