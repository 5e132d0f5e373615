"""Planning with macro-actions, and without them beside it: what they change for a planner on one task.

The plan that is found with macros is expanded, and judged on the task as it was: what counts is a plan of the task's
own actions. Both searches run under the same limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pddl2nl.baselines import PLANNERS, PlannerResult, TaskFiles, solve
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.macros.macro import Macro
from pddl2nl.macros.with_macros import MacroCost, has_costs, with_macros
from pddl2nl.pddl import Task
from pddlval import GroundAction, validate
from pddlval.numeric import plain_number
from pddlval.plans import plan_of

__all__ = ["Applied", "apply_macros", "default_cost"]


@dataclass(frozen=True)
class Applied:
    """What a planner made of a task with macros.

    Attributes:
        planner: its name.
        macros: the macros' names, as they stand in the plans.
        macro_cost: what a macro was taken to cost: ``sum`` of its steps' costs, ``one`` or its ``steps``.
        found: the planner's answer on the task with macros; its plan has macros in it.
        plan: the same plan of the task's own actions, valid; None where none was found.
        cost: of that plan by the task's own metric, or its steps; None without a plan.
        uses: how often each macro stands in the plan.
        without: the planner's answer on the task as it is; None where it was not asked.
    """

    planner: str
    macros: tuple[str, ...]
    macro_cost: str
    found: PlannerResult
    plan: tuple[GroundAction, ...] | None
    cost: Fraction | int | None
    uses: Mapping[str, int] = field(default_factory=dict)
    without: PlannerResult | None = None

    @property
    def fewer_expansions(self) -> float | None:
        """Expanded states without macros over those with them: 2 where macros halve them, below 1 where they harm.

        None where one of the searches found no plan, or says nothing of its expansions.
        """
        if self.without is None or not (self.without.solved and self.found.solved):
            return None
        before, after = self.without.expanded, self.found.expanded
        return None if before is None or after is None else max(before, 1) / max(after, 1)

    def as_json(self) -> dict[str, object]:
        """All of it, as ``pddl2nl macro apply --json`` prints it."""
        plan, found = self.plan, self.found.plan
        mine = {**self.found.as_json(), "plan": None if plan is None else [str(action) for action in plan]}
        ratio = self.fewer_expansions
        return {
            **mine,
            "cost": plain_number(self.cost),
            "steps": None if plan is None else len(plan),
            "macro_plan": None if found is None else [str(action) for action in found],
            "macro_cost": self.macro_cost,
            "uses": dict(self.uses),
            "without": None if self.without is None else _told(self.without),
            "fewer_expansions": None if ratio is None else round(ratio, 3),
        }


def _told(result: PlannerResult) -> dict[str, object]:
    return {**result.as_json(), "steps": None if result.plan is None else len(result.plan)}


def default_cost(planner: str) -> MacroCost:
    """What a macro costs for a planner where the task has no costs: its steps where cheapest plans are promised."""
    return "steps" if planner in PLANNERS and PLANNERS[planner].minimizes == "cost" else "one"


def apply_macros(
    source: Task | TaskFiles,
    macros: Sequence[Macro],
    planner: str = "ff",
    *,
    cost: MacroCost | None = None,
    compare: bool = True,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
) -> Applied:
    """Plans with macros, and without them for comparison.

    Args:
        source: the task.
        macros: of its domain, with conditions that are true of their steps.
        planner: one of `pddl2nl.baselines.PLANNERS`.
        cost: what a macro costs where the task has no costs; by default as `default_cost` has it.
        compare: whether the task is planned without macros too.
        time_limit, memory_limit_mb: of each of the two searches, as in `pddl2nl.baselines.solve`.

    Raises:
        InputError: no such planner; a macro cannot be added to the task.
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: the planner failed, or a macro is not what its conditions say.
    """
    if planner not in PLANNERS:
        raise InputError(f"macros are for a search of Fast Downward: {', '.join(PLANNERS)}; found {planner!r}")
    task = as_task(source)
    used = cost or default_cost(planner)
    grown = with_macros(task, macros, used)
    found = solve(grown.task, planner, time_limit=time_limit, memory_limit_mb=memory_limit_mb)
    without = solve(source, planner, time_limit=time_limit, memory_limit_mb=memory_limit_mb) if compare else None
    plan, total = None, None
    if found.plan is not None:
        plan = grown.expand(found.plan)
        report = validate(task, plan_of(plan))
        if not report.valid:
            where = (
                "" if report.failed_step is None else f" at step {report.failed_step}: {plan[report.failed_step - 1]}"
            )
            raise InfrastructureError(
                f"the plan with macros expands into one that is {report.verdict}{where}: the conditions of a macro "
                "are not those of its steps ('pddl2nl macro prove' says which)"
            )
        total = report.cost
    return Applied(
        planner=planner,
        macros=tuple(grown.macros),
        macro_cost="sum" if has_costs(task) else used,
        found=found,
        plan=plan,
        cost=total,
        uses=grown.uses(found.plan or ()),
        without=without,
    )
