"""What a baseline found, in the words that all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pddlval import GroundAction
from pddlval.numeric import plain_number

__all__ = ["PlannerResult", "Status"]

Status = Literal["solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error"]
"""How a baseline ended.

``solved``: a plan, validated. ``unsolvable``: proved to have none. ``timeout``: a limit ran out (time, or the
random walk's steps). ``out-of-memory``: the memory limit. ``unsupported``: the planner does not take a feature
of the task. ``error``: it failed, or gave up without a plan and without a proof; says nothing about the task.
"""


@dataclass(frozen=True)
class PlannerResult:
    """A baseline's answer on one task.

    Attributes:
        planner: the baseline's name, as in ``BASELINES``.
        status: how it ended; there is a plan exactly where it is ``solved``.
        plan: the plan, validated; None where there is none. The empty tuple is a plan.
        cost: the metric's value, or the number of steps where the problem has no metric; None without a plan.
        seconds: wall time.
        expanded: expanded states, None where the planner did not come to say so.
        search: what was run, so that it can be run again.
        message: why there is no plan, for people; empty where there is one.
    """

    planner: str
    status: Status
    plan: tuple[GroundAction, ...] | None
    cost: Fraction | int | None
    seconds: float
    expanded: int | None
    search: str
    message: str = ""

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status == "solved"

    def as_json(self) -> dict[str, object]:
        """The result as ``pddl2nl plan --json`` prints it; ``plan`` is null where there is none."""
        return {
            "planner": self.planner,
            "status": self.status,
            "plan": None if self.plan is None else [str(action) for action in self.plan],
            "cost": plain_number(self.cost),
            "seconds": round(self.seconds, 3),
            "expanded": self.expanded,
            "search": self.search,
        }
