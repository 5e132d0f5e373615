"""Whether a plan holds, and if not, where and why: it is executed, and the report says what came of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pddl2nl.pddl import (
    Condition,
    Diagnostic,
    PDDLError,
    Task,
)
from pddlval.happenings import Conflict, Happening, claim_effects, happenings
from pddlval.plans import BadActionError, GroundAction, Plan, PlanLike, PlanStep, as_plan
from pddlval.report import Executed, Report, causes
from pddlval.schemas import Ground
from pddlval.simulator import Simulator, plain_simulator_of


def validate(
    task: Task,
    plan: PlanLike,
    name: str = "<plan>",
    tolerance: Fraction = Fraction(0),
    time_tolerance: Fraction = Fraction(0),
) -> Report:
    """Judges a plan: executes it from the initial state and checks the goal.

    Args:
        task: the task; it is compiled at the first call and kept, so that many plans are judged fast.
        plan: a plan, the text of a plan file, or ground actions in order, which may be texts, ``(pick-up a)``.
        name: what the plan is called where its text is reported.
        tolerance: by how much numbers may differ in comparisons and still be equal. They are compared exactly
            unless VAL's `VAL_TOLERANCE` is given.
        time_tolerance: by how much durations may miss; what is a tenth of it apart happens at the same time. VAL's
            is `VAL_TIME_TOLERANCE`. It is for tasks with durative actions or timed literals.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    simulator = plain_simulator_of(task, tolerance)
    if simulator is None:
        from pddlval.temporal import judge

        return judge(task, plan, name, tolerance, time_tolerance)
    try:
        return PlanRun(simulator, as_plan(plan, name)).report()
    except PDDLError as error:
        return Report("bad-plan", diagnostics=error.diagnostics)


class PlanRun:
    """One plan on its way through one task."""

    def __init__(self, simulator: Simulator, plan: Plan):
        self._simulator = simulator
        self._plan = plan
        self._state = simulator.initial
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
        """Applies a happening; gives the report where that is impossible."""
        state = self._state
        for number, ground in zip(happening.numbers, grounds, strict=True):
            if not ground.applicable(state):
                failing = ground.unmet(state)
                # Effects that contradict each other are for the claims below to report.
                if failing or ground.conflict(state) is None:
                    return self._inapplicable(number, ground, failing)
        outcomes = tuple([ground.outcome(state) for ground in grounds])
        conflict = claim_effects(self._simulator.task, grounds, outcomes, state).conflict
        if conflict is not None:
            return self._conflict(happening, grounds, conflict)
        self._state = self._simulator.apply(state, outcomes)
        if state is not self._simulator.initial:
            # All states are kept to the end of the plan; in the initial one all plans of the task begin.
            state.forget()
        self._executed.append(Executed(happening.numbers, outcomes, self._state))
        return None

    def _inapplicable(self, number: int, ground: Ground, failing: tuple[Condition, ...]) -> Report:
        explanation = causes(failing, self._simulator.initial, self._executed, goals=False)
        return self._failed(number, ground, unmet=failing, explanation=explanation)

    def _conflict(self, happening: Happening, grounds: list[Ground], conflict: Conflict) -> Report:
        number = happening.numbers[conflict.place]
        diagnostic = self._diagnostic(self._plan.steps[number - 1], number, conflict.reason)
        ground, together = grounds[conflict.place], happening.numbers
        return self._failed(number, ground, diagnostics=(diagnostic,), conflict=conflict, together=together)

    def _failed(self, number: int, ground: Ground, **reasons: Any) -> Report:
        steps, state = len(self._plan), self._state
        return Report("inapplicable", steps, failed_step=number, action=ground.action, state=state, **reasons)

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
        simulator, state = self._simulator, self._state
        failing = simulator.unmet_goals(state)
        steps = len(self._plan)
        cost: Fraction | int | None = steps
        metric = simulator.task.problem.metric
        if metric is not None:
            cost = simulator.metric_value(metric, state, steps)
        return Report(
            "goal-not-satisfied" if failing else "valid",
            steps,
            cost,
            unmet_goals=failing,
            explanation=causes(failing, simulator.initial, self._executed, goals=True),
            state=state,
        )
