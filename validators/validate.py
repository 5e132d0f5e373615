"""Whether a plan holds, and if not, where and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pddl2nl.pddl import Condition, Diagnostic, GroundAtom, PDDLError, Task, write_condition
from validators.actions import BadActionError, GroundAction
from validators.explain import Cause, Executed, causes
from validators.happenings import Conflict, Happening, claim_effects, happenings
from validators.numeric import plain_number
from validators.plans import Plan, PlanStep, plan_of, read_plan
from validators.schemas import Ground
from validators.semantics import unmet
from validators.simulator import Simulator, simulator_of
from validators.state import Number

__all__ = ["Report", "Verdict", "validate"]

Verdict = Literal["valid", "goal-not-satisfied", "inapplicable", "bad-plan"]


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a plan.

    ``steps`` counts the plan's actions. ``cost`` is the metric's value, or the number of steps where the problem has
    no metric; it is None for a plan that was not executed to its end. ``failed_step`` is the place in the plan, from
    1, of the ``action`` that could not be executed, and ``unmet`` its failing literals. ``explanation`` has a cause
    for each of ``unmet`` or of ``unmet_goals``; ``diagnostics`` say what is wrong with a bad plan, or which actions
    cannot happen at the same time.
    """

    verdict: Verdict
    steps: int = 0
    cost: Fraction | int | None = None
    failed_step: int | None = None
    action: GroundAction | None = None
    unmet: tuple[Condition, ...] = ()
    unmet_goals: tuple[Condition, ...] = ()
    explanation: tuple[Cause, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the plan solves the task."""
        return self.verdict == "valid"

    def as_json(self, plan_name: str, told: Iterable[str] | None = None) -> dict[str, object]:
        """The report as ``pddl2nl validate --json`` prints it.

        Args:
            plan_name: what the plan is called in it.
            told: the report in sentences, where somebody told it.
        """
        return {
            "plan": plan_name,
            "verdict": self.verdict,
            "steps": self.steps,
            "cost": plain_number(self.cost),
            "failed_step": self.failed_step,
            "action": None if self.action is None else str(self.action),
            "unmet": [write_condition(condition) for condition in self.unmet],
            "unmet_goals": [write_condition(condition) for condition in self.unmet_goals],
            "explanation": [cause.as_json() for cause in self.explanation],
            "told": list(told or ()),
            "diagnostics": [diagnostic.as_json() for diagnostic in self.diagnostics],
        }


def validate(task: Task, plan: Plan | str | Iterable[GroundAction], name: str = "<plan>") -> Report:
    """Judges a plan: executes it from the initial state and checks the goal.

    Args:
        task: the task; it is compiled at the first call and kept, so that many plans are judged fast.
        plan: a plan, the text of a plan file, or ground actions in order.
        name: what the plan is called where its text is reported.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    simulator = simulator_of(task)
    if isinstance(plan, str):
        try:
            plan = read_plan(plan, name)
        except PDDLError as error:
            return Report("bad-plan", diagnostics=error.diagnostics)
    elif not isinstance(plan, Plan):
        plan = plan_of(plan)
    return _Run(simulator, plan).report()


class _Run:
    """One plan on its way through one task, over a mutable set of atoms."""

    def __init__(self, simulator: Simulator, plan: Plan):
        self._simulator = simulator
        self._plan = plan
        self._initial = simulator.initial
        self._atoms: set[GroundAtom] = set(self._initial.changing)
        self._levels: dict[GroundAtom, Number] = dict(self._initial.levels)
        self._executed: list[Executed] = []

    def report(self) -> Report:
        """Executes the plan."""
        grounds, problems = self._ground_all()
        if problems:
            return Report("bad-plan", len(self._plan), diagnostics=tuple(problems))
        for happening in happenings(self._plan):
            failure = self._apply(happening, [grounds[action] for action in happening.actions])
            if failure is not None:
                return failure
        return self._judge_goal()

    def _ground_all(self) -> tuple[dict[GroundAction, Ground], list[Diagnostic]]:
        grounds: dict[GroundAction, Ground] = {}
        problems: list[Diagnostic] = []
        for number, step in enumerate(self._plan.steps, start=1):
            if step.action not in grounds:
                try:
                    grounds[step.action] = self._simulator.ground(step.action)
                except BadActionError as error:
                    problems.append(self._diagnostic(step, number, error.reason, error.suggestion))
        return grounds, problems

    def _apply(self, happening: Happening, grounds: list[Ground]) -> Report | None:
        """Applies a happening; what came of the plan where that cannot be done."""
        for number, ground in zip(happening.numbers, grounds, strict=True):
            if not ground.applicable(self._atoms):
                return self._inapplicable(number, ground)
        if len(grounds) > 1:
            conflict = claim_effects(grounds).conflict
            if conflict is not None:
                return self._conflict(happening, grounds, conflict)
        # No action here deletes what another one adds, so that their order does not matter.
        for number, ground in zip(happening.numbers, grounds, strict=True):
            self._atoms -= ground.removed
            self._atoms |= ground.added
            for fluent, amount in ground.increases:
                self._levels[fluent] = self._levels.get(fluent, 0) + amount
            self._executed.append(Executed(number, ground))
        return None

    def _true(self, atom: GroundAtom) -> bool:
        return atom in self._atoms or atom in self._initial.statics.atoms

    def _inapplicable(self, number: int, ground: Ground) -> Report:
        failing = ground.unmet(self._true)
        return Report(
            "inapplicable",
            len(self._plan),
            failed_step=number,
            action=ground.action,
            unmet=failing,
            explanation=causes(failing, self._initial.__contains__, self._executed, goals=False),
        )

    def _conflict(self, happening: Happening, grounds: list[Ground], conflict: Conflict) -> Report:
        number = happening.numbers[conflict.place]
        action = grounds[conflict.place].action
        others = [str(other.action) for place, other in enumerate(grounds) if place != conflict.place]
        other = others[0] if conflict.other is None else str(grounds[conflict.other].action)
        reason = f"it {conflict.claim} {conflict.atom}, with which {other} has to do at the same time"
        diagnostic = self._diagnostic(self._plan.steps[number - 1], number, reason)
        return Report("inapplicable", len(self._plan), failed_step=number, action=action, diagnostics=(diagnostic,))

    def _diagnostic(self, step: PlanStep, number: int, reason: str, suggestion: str = "") -> Diagnostic:
        return Diagnostic(
            "error",
            self._plan.name,
            step.line,
            step.column,
            f"{step.action}: {reason}",
            path=f"in step {number}",
            suggestion=suggestion,
        )

    def _judge_goal(self) -> Report:
        problem = self._simulator.task.problem
        failing = unmet(problem.goal, self._true)
        steps = len(self._plan)
        cost: Fraction | int | None = steps
        if problem.metric is not None:
            cost = self._simulator.metric_value(problem.metric, self._levels, steps)
        return Report(
            "goal-not-satisfied" if failing else "valid",
            steps,
            cost,
            unmet_goals=failing,
            explanation=causes(failing, self._initial.__contains__, self._executed, goals=True),
        )
