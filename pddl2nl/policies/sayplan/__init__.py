"""SayPlan: search in a scene graph, completed ways and iterative replanning, and its ablations (`sayplan.SayPlan`)."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.sayplan.prompts import LAYOUT, MECHANISMS, prompt_hashes

__all__ = ["FAMILY"]

_SEARCH_STEPS, _CALL, _LATER_PROMPT, _REASONING = 6, 8, 1500, 60


def _hashes(policy: str) -> Mapping[str, str]:
    return prompt_hashes(MECHANISMS[policy])


def _effort(policy: str, actions: int) -> Effort:
    mechanism = MECHANISMS[policy]
    searches = _SEARCH_STEPS if mechanism.search == "model" else 0
    plans = 2 if mechanism.verification else 1
    return Effort(1, searches + plans - 1, _LATER_PROMPT, (searches + plans) * _REASONING + plans * actions * _CALL)


FAMILY = Family(
    name="sayplan",
    package=__name__,
    title="SayPlan and its ablations",
    policy_class="sayplan.SayPlan",
    titles={name: mechanism.title for name, mechanism in MECHANISMS.items()},
    options=frozenset(("task_text", "form", "scene", "signal", "goal_feedback")),
    also={name: frozenset(("constrain",)) for name, it in MECHANISMS.items() if it.search != "exact"},
    layout=LAYOUT,
    pictured=True,
    prompt_hashes=_hashes,
    effort=_effort,
    effort_text=(
        f"of SayPlan and its ablations {_SEARCH_STEPS} steps of search, a plan that is corrected once where it is "
        f"verified, {_REASONING} tokens of reasoning in each reply, and prompts {_LATER_PROMPT:,} tokens longer after "
        "the first, as in the office"
    ),
    why_only=(
        "its prompts have examples of their own, it reads replies as JSON without a model, and corrects its plan by "
        "its own rules"
    ),
)
