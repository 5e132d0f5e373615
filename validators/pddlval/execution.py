"""The execution of a plan: its happenings one after the other, up to its end or to where it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Self

from pddl2nl.pddl import Condition, Diagnostic
from pddlval.happenings import Claims, Conflict, Event, Happening, claim, happenings
from pddlval.plans import BadActionError, Plan, PlanStep
from pddlval.report import Cause, Executed, Report, causes
from pddlval.schemas import Ground, Outcome
from pddlval.simulator import Simulator, metric_value
from pddlval.state import State


class PlanRun:
    """The execution of one plan in one task.

    Args:
        explain: whether the report has the causes of what fails.

    Attributes:
        simulator, plan: of the task, and the plan.
        happenings: the plan's happenings.
        executed: those that were executed, one by one.
        state: the state after the last one that was executed.
        report: the verdict and its reasons, once it has run.
    """

    report: Report

    def __init__(self, simulator: Simulator, plan: Plan, *, explain: bool = True):
        self.simulator = simulator
        self.plan = plan
        self.state = simulator.initial
        self._explain = explain
        self.happenings: list[Happening] = []
        self.executed: list[Executed] = []
        self._violations: Counter[str] | None = None
        """How often each preference was violated; None in tasks that have neither those nor time."""

    @property
    def _counted(self) -> dict[str, int] | None:
        return None if self._violations is None else dict(self._violations)

    def run(self) -> Self:
        """Executes the plan and makes the report."""
        self.report = self._execute()
        return self

    def _execute(self) -> Report:
        problems = tuple(self._problems())
        if problems:
            return Report("bad-plan", len(self.plan), diagnostics=problems, violations=self._counted)
        self.happenings = self._in_time()
        for happening in self.happenings:
            failure = self._until(happening) or self._happen(happening)
            if failure is not None:
                return failure
        return self._judge()

    def _problems(self) -> Iterator[Diagnostic]:
        for number, step in enumerate(self.plan.steps, start=1):
            try:
                self._prepare(number, step)
            except BadActionError as error:
                yield self._diagnostic(step, number, error.reason, error.suggestion)

    def _prepare(self, number: int, step: PlanStep) -> None:
        """Compiles a step; raises `BadActionError` if the task cannot have its action."""
        self.simulator.ground(step.action)

    def _in_time(self) -> list[Happening]:
        return happenings(self.plan)

    def _until(self, happening: Happening) -> Report | None:
        """What lasts until a happening; gives the report where that fails."""
        return None

    def _happen(self, happening: Happening) -> Report | None:
        state, alone = self.state, len(happening.events) == 1
        grounds: list[Ground] = []
        after: State | None = None
        for event in happening.events:
            ground = self.ground(event)
            others = self._unmet_besides(event, ground)
            if not others and alone:
                after = ground.successor(state)
            if others or (after is None if alone else not ground.applicable(state)):
                failing = (*others, *ground.unmet(state))
                # Effects that contradict each other are for the claims below to report.
                if failing or ground.conflict(state) is None:
                    return self._failed(event.step, event.phase, happening.time, failing)
            grounds.append(ground)
        warnings, conflict = self._claim(happening, grounds)
        if conflict is not None:
            return self._conflict(happening, conflict)
        self._perform(happening, tuple([ground.outcome(state) for ground in grounds]), warnings, after)
        return None

    def ground(self, event: Event) -> Ground:
        """The action of an event, compiled."""
        return self.simulator.ground(self.plan.steps[event.step - 1].action)

    def _unmet_besides(self, event: Event, ground: Ground) -> tuple[Condition, ...]:
        return ()

    def _claim(self, happening: Happening, grounds: Sequence[Ground]) -> Claims:
        return claim(grounds, self.state)

    def _perform(
        self, happening: Happening, outcomes: tuple[Outcome, ...], warnings: tuple[str, ...], after: State | None = None
    ) -> None:
        numbers = tuple([event.step for event in happening.events])
        self._move(numbers, outcomes, warnings, after)

    def _move(
        self,
        numbers: tuple[int, ...],
        outcomes: tuple[Outcome, ...],
        warnings: tuple[str, ...] = (),
        after: State | None = None,
    ) -> None:
        """Goes on to the state after these outcomes, which is computed where it is not known yet."""
        before = self.state
        self.state = self.simulator.apply(before, outcomes) if after is None else after
        if before is not self.simulator.initial:
            # All states are kept to the end of the plan; in the initial one all plans of the task begin.
            before.forget()
        self.executed.append(Executed(numbers, outcomes, before, self.state, warnings))

    # ── reports ──────────────────────────────────────────────────────────────────────────────────

    def _judge(self, besides: tuple[Condition, ...] = ()) -> Report:
        """The report after all happenings; ``besides`` is what fails besides the goal."""
        failing = (*self.simulator.unmet_goals(self.state), *besides)
        return Report(
            "goal-not-satisfied" if failing else "valid",
            len(self.plan),
            self._cost(),
            unmet_goals=failing,
            explanation=self._causes(failing, goals=True),
            state=self.state,
            violations=self._counted,
        )

    def _cost(self) -> Fraction | int | None:
        metric, steps = self.simulator.task.problem.metric, len(self.plan)
        return steps if metric is None else metric_value(metric, self.state, Fraction(steps))

    def _conflict(self, happening: Happening, conflict: Conflict) -> Report:
        event = happening.events[conflict.place]
        if event.phase == "literal":
            # The plan is at fault, not the problem: its action comes at a time at which a literal changes.
            place = next(place for place, one in enumerate(happening.events) if one.phase != "literal")
            conflict = conflict._replace(place=place, other=conflict.place)
            event = happening.events[place]
        diagnostic = self._diagnostic(self.plan.steps[event.step - 1], event.step, conflict.reason)
        together = tuple(dict.fromkeys(one.step for one in happening.events if one.phase != "literal"))
        reasons: dict[str, Any] = {"diagnostics": (diagnostic,), "conflict": conflict, "together": together}
        return self._failed(event.step, event.phase, happening.time, (), **reasons)

    def _failed(self, step: int, phase: str, time: Fraction, unmet: tuple[Condition, ...], **reasons: Any) -> Report:
        return Report(
            "inapplicable",
            len(self.plan),
            failed_step=step,
            action=self.plan.steps[step - 1].action,
            unmet=unmet,
            explanation=self._causes(unmet, goals=False),
            state=self.state,
            violations=self._counted,
            **reasons,
        )

    def _causes(self, conditions: Sequence[Condition], *, goals: bool) -> tuple[Cause, ...]:
        return causes(conditions, self.simulator.initial, self.executed, goals=goals) if self._explain else ()

    def _diagnostic(self, step: PlanStep, number: int, reason: str, suggestion: str = "") -> Diagnostic:
        path, text = f"in step {number}", f"{step.action}: {reason}"
        return Diagnostic("error", self.plan.name, step.line, step.column, text, path=path, suggestion=suggestion)
