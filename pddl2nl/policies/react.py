"""ReAct: a thought and an action a turn (AutoPlanBench paper, section 4, "LLM Policies"; Yao et al. 2023)."""

from __future__ import annotations

from pddl2nl.policies.prompting import TurnPolicy


class ReAct(TurnPolicy):
    """As Act, with a thought before every action; the thoughts stay in the history.

    The PDDL twin is ours: the paper leaves it open. Its example's thoughts come from the template.
    """

    summary = "a thought and an action a turn, answered by an observation"
    thoughts = True
    prompt = "react"
