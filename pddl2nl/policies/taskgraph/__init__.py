"""GraphPlan: plans of subtasks along a task graph, and revisions after events (`taskgraph.TaskGraphPolicy`)."""

from __future__ import annotations

from pddl2nl.policies.family import Effort, Family
from pddl2nl.policies.taskgraph.prompts import LAYOUT, MECHANISMS, PLAN, REPLAN, prompt_hashes

__all__ = ["FAMILY"]

_REPLY, _KEEP = 250, 10
_OF_SOME = ("embedding_model", "replanner_model", "check")


def _takes(policy: str, option: str) -> bool:
    it = MECHANISMS[policy]
    takers = {"embedding_model": it.planner == "rag", "replanner_model": REPLAN in it.stages, "check": it.on_completed}
    return takers[option]


def _effort(policy: str, actions: int) -> Effort:
    mechanism = MECHANISMS[policy]
    if mechanism.planner in ("greedy", "beam"):
        # A question for each subtask of each plan that is kept.
        return Effort(1, actions // 3 * (3 if mechanism.planner == "beam" else 1), 50, actions * _REPLY / 3)
    # A subtask has about three actions.
    events = actions // 3 if mechanism.on_completed else 0
    return Effort(1, events + 1, 100, _REPLY + (events + 1) * _KEEP)


FAMILY = Family(
    name="taskgraph",
    package=__name__,
    title="GraphPlan and its ablations",
    policy_class="taskgraph.TaskGraphPolicy",
    titles={name: mechanism.title for name, mechanism in MECHANISMS.items()},
    options=frozenset(("task_text", "form", "faults", "subtasks", "graph", *_OF_SOME)),
    without={name: frozenset(option for option in _OF_SOME if not _takes(name, option)) for name in MECHANISMS},
    also={name: frozenset(("constrain",)) for name, it in MECHANISMS.items() if PLAN in it.stages},
    layout=LAYOUT,
    prompt_hashes=prompt_hashes,
    effort=_effort,
    effort_text=(
        f"of GraphPlan a plan of {_REPLY} tokens without corrections, a question after every three actions if plans "
        f"are revised after subtasks, answers of {_KEEP} tokens that keep the plan, and in its searches a question for "
        "each subtask of each plan that is kept"
    ),
    why_only="its prompts are those of the paper, it reads replies as JSON without a model, and corrects its own plan",
)
