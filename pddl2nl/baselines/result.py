"""The result of a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pddlval import GroundAction
from pddlval.numeric import plain_number

Status = Literal["solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error"]
"""How a baseline ended.

``solved``: a validated plan. ``unsolvable``: proved to have no plan. ``timeout``: a limit was reached (time, or the
random walk's steps). ``out-of-memory``: the memory limit. ``unsupported``: the planner does not support a feature of
the task. ``error``: it failed, or ended without a plan and without a proof; no verdict about the task.
"""


@dataclass(frozen=True)
class PlannerResult:
    """A baseline's answer on one task.

    Attributes:
        planner: the baseline's name in ``BASELINES``.
        status: how it ended; there is a plan if and only if it is ``solved``.
        plan: the validated plan; None without one. The empty tuple is a plan.
        cost: the metric's value, or the number of steps without a metric; None without a plan.
        seconds: CPU time of the translator and the search, as limits count it.
        wall_seconds: wall time.
        expanded: expanded states; None if the planner did not report them.
        search: the configuration, so that it can be repeated.
        message: why there is no plan; with one, why an anytime search did not prove it the cheapest, else empty.
    """

    planner: str
    status: Status
    plan: tuple[GroundAction, ...] | None
    cost: Fraction | int | None
    seconds: float
    expanded: int | None
    search: str
    message: str = ""
    wall_seconds: float = 0.0

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status == "solved"

    def as_json(self) -> dict[str, object]:
        """The result as ``pddl2nl plan --json`` prints it; ``plan`` is null without one."""
        return {
            "planner": self.planner,
            "status": self.status,
            "plan": None if self.plan is None else [str(action) for action in self.plan],
            "cost": plain_number(self.cost),
            "seconds": round(self.seconds, 3),
            "expanded": self.expanded,
            "search": self.search,
        }
