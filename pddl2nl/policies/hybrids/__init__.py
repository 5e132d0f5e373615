"""Policies in which a language model and a planner work together: repair, guidance and translation.

The AutoPlanBench paper (Stein et al., ICAPS 2025) ends with the ideas of repair, preferred operators and heuristics
from a model's plans; LLM+P (Liu et al., 2023) and Planetarium (Zuo et al., 2024) have the model write the problem.
"""

from __future__ import annotations

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.hybrids.prompts import LAYOUT, prompt_hashes

__all__ = ["FAMILY"]

_ACTION = 10

_OPTIONS = {
    "repair": frozenset(("from_prefix",)),
    "guided": frozenset(("calls", "expansions")),
    "landmarks": frozenset(("expansions",)),
    "tree": frozenset(("calls", "candidates", "beam", "ranking")),
    "llm+p": frozenset[str](),
}
_ALL = frozenset[str]().union(*_OPTIONS.values())
_AS_BASIC = frozenset(("example", "example_plan", "translator", "translator_model", "unsolvable", "constrain"))
_CALLS, _STATES = 10, 3
"""What guided and tree ask at most by default, and the states in a prompt of guided."""


def _effort(policy: str, actions: int) -> Effort:
    if policy in ("guided", "tree"):
        return Effort(_CALLS, 0, 0, _CALLS * (_STATES if policy == "guided" else 1) * actions * _ACTION)
    facts = 3 if policy == "llm+p" else 1
    return Effort(1, 0, 0, facts * actions * _ACTION)


FAMILY = Family(
    name="hybrids",
    package=__name__,
    title="models and planners together",
    policy_class="registry.make_hybrid",
    titles={
        "repair": "repair of Basic",
        "guided": "guided search",
        "landmarks": "landmarks of plans",
        "tree": "tree",
        "llm+p": "LLM+P",
    },
    options=_ALL,
    layout=LAYOUT,
    prompt_hashes=prompt_hashes,
    effort=_effort,
    effort_text=f"of guided and tree {_CALLS} calls, of other hybrids one",
    why_only="a planner or a search uses what its model says, by rules of its own",
    without={policy: _ALL - own for policy, own in _OPTIONS.items()},
    also={
        "landmarks": _AS_BASIC | {"samples"},
        "guided": frozenset(("constrain",)),
        "tree": frozenset(("constrain",)),
        "llm+p": frozenset(("example", "example_plan", "rounds", "constrain")),
    },
    # Guided and tree ask about states that they know; what LLM+P asks for names no actions.
    levels={**dict.fromkeys(("guided", "tree"), ("format", "actions", "applicable")), "llm+p": ("format",)},
    mistaken=("basic", "cot", "act", "react"),
)
"""Models and planners together."""
