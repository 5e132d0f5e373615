"""GraphPlan: plans of subtasks along a task graph, and revisions after events (`taskgraph.TaskGraphPolicy`)."""

from __future__ import annotations

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.taskgraph.prompts import LAYOUT, MECHANISMS, prompt_hashes

__all__ = ["FAMILY"]

_PLAN, _KEEP = 250, 10


def _effort(policy: str, actions: int) -> Effort:
    mechanism = MECHANISMS[policy]
    # A subtask has about three actions.
    events = actions // 3 if mechanism.on_completed else 0
    return Effort(1, events + 1, 100, _PLAN + (events + 1) * _KEEP)


FAMILY = Family(
    name="taskgraph",
    package=__name__,
    title="GraphPlan and its ablations",
    policy_class="taskgraph.TaskGraphPolicy",
    titles={name: mechanism.title for name, mechanism in MECHANISMS.items()},
    options=frozenset(("task_text", "form", "faults", "subtasks", "graph")),
    also={name: frozenset(("constrain",)) for name in MECHANISMS},
    layout=LAYOUT,
    prompt_hashes=prompt_hashes,
    effort=_effort,
    effort_text=(
        f"of GraphPlan a plan of {_PLAN} tokens without corrections, a question after every three actions if plans are "
        f"revised after subtasks, and answers of {_KEEP} tokens that keep the plan"
    ),
    why_only="its prompts are those of the paper, it reads replies as JSON without a model, and corrects its own plan",
)
