"""Policies in which a language model and a planner work together: repair, guidance and translation.

The AutoPlanBench paper (Stein et al., ICAPS 2025) ends with the ideas of repair, preferred operators and heuristics
from a model's plans; LLM+P (Liu et al., 2023) and Planetarium (Zuo et al., 2024) have the model write the problem.
"""

from __future__ import annotations

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.hybrids.prompts import LAYOUT, prompt_hashes

__all__ = ["FAMILY"]

_ACTION = 10

_AS_BASIC = frozenset(("example", "example_plan", "translator", "translator_model", "unsolvable", "constrain"))


def _effort(policy: str, actions: int) -> Effort:
    return Effort(1, 0, 0, actions * _ACTION)


FAMILY = Family(
    name="hybrids",
    package=__name__,
    title="models and planners together",
    policy_class="registry.make_hybrid",
    titles={
        "repair": "repair of Basic",
        "repair-cot": "repair of CoT",
        "llm+p": "LLM+P",
    },
    options=frozenset(("from_prefix",)),
    layout=LAYOUT,
    prompt_hashes=prompt_hashes,
    effort=_effort,
    effort_text="of a hybrid one plan",
    why_only="a planner or a search uses what its model says, by rules of its own",
    also={
        "repair": _AS_BASIC,
        "repair-cot": _AS_BASIC | {"thoughts", "thoughts_model"},
        "llm+p": frozenset(("example", "example_plan", "rounds")),
    },
    mistaken=("basic", "cot", "act", "react"),
)
"""Models and planners together."""
