"""Watching a plan with time, preferences or constraints while it runs.

What has happened is executed whatever its conditions were, with what was observed in between; the rest is judged from
there on. The plan is executed anew after every line, since what will hold depends on what runs at the moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pddl2nl.errors import InputError
from pddl2nl.pddl import FluentValue, GroundAtom, Problem, Task, changed_predicates
from pddl2nl.worlds.watch import BrokenStep, PlanWatch, Watch
from pddlval import GroundAction, Report, validate
from pddlval.happenings import Happening
from pddlval.numeric import UndefinedError, exact
from pddlval.plans import Plan, PlanLike, as_plan
from pddlval.schemas import Change, Outcome
from pddlval.temporal.execution import TimedRun
from pddlval.temporal.lowering import TimedTask
from pddlval.temporal.trajectory import Moment
from pddlval.unsupported import is_executable, updated_functions

_OBSERVED = -1
"""The number of what was observed, among the numbers of events: as of what changes with time alone."""


def watch_plan(task: Task, plan: PlanLike) -> Watch:
    """A watch of a plan, with time or without.

    Raises:
        InputError: the plan has an unknown action or object, or actions that cannot happen at the same time.
        UnsupportedError: the task cannot be executed.
    """
    return PlanWatch(task, plan) if is_executable(task) else TimedWatch(task, plan)


class _WatchedRun(TimedRun):
    """The execution of a plan of which the first happenings are over."""

    def __init__(self, timed: TimedTask, plan: Plan, over: int, observed: Mapping[int, Sequence[Outcome]]):
        super().__init__(timed, plan, Fraction(0))
        self._over, self._observed = over, observed
        self._reached = 0

    def _in_time(self) -> list[Happening]:
        found = super()._in_time()
        self._observe()
        return found

    def _until(self, happening: Happening) -> Report | None:
        if self._reached >= self._over:
            return super()._until(happening)
        running = self._running
        # It is over: what had to hold all the time is not asked any more.
        self._running = {step: each._replace(invariant=None) for step, each in running.items()}
        super()._until(happening)
        self._running, self._time = running, happening.time
        return None

    def _happen(self, happening: Happening) -> Report | None:
        if self._reached >= self._over:
            return super()._happen(happening)
        self._overlapping(happening)
        self._perform(happening, tuple([self.ground(event).outcome(self.state) for event in happening.events]), ())
        self._reached += 1
        self._observe()
        return None

    def _observe(self) -> None:
        """What was observed after so many happenings."""
        if outcomes := self._observed.get(self._reached):
            for outcome in outcomes:
                self._move((_OBSERVED,), (outcome,))
            self._moments.append(Moment(self._time, self.state))


class TimedWatch(Watch):
    """Follows the execution of a plan with time: ``done`` says that all has happened that happens next at one time.

    What is observed holds from the last happening on. A durative action has two happenings, its start and its end.

    Args:
        task: the task; its initial state is taken for true until something else is observed.
        plan: the plan, which need not be valid.

    Raises:
        InputError: the plan has an unknown action or object.
        UnsupportedError: the task cannot be executed.
    """

    def __init__(self, task: Task, plan: PlanLike):
        self._task, self._plan = task, as_plan(plan)
        bad = validate(task, self._plan)
        if bad.verdict == "bad-plan":
            raise InputError(bad.diagnostics[0].render())
        self._changing = changed_predicates(task.domain) | {timed.atom[0] for timed in task.problem.init_timed}
        self._changing |= updated_functions(task)
        self._derived = {rule.name for rule in task.domain.derived}
        self._timed = TimedTask(task)
        self._over = 0
        self._observed: dict[int, list[Outcome]] = {}
        self._execute()

    def _execute(self) -> None:
        try:
            self._run = _WatchedRun(self._timed, self._plan, self._over, self._observed).run()
        except UndefinedError as error:
            raise InputError(
                f"the effects of what has happened are not known: {error}; observe the value first"
            ) from None

    @property
    def upcoming(self) -> tuple[int, str]:
        """The number of the next step, and what happens next; behind the last step no text."""
        for happening in self._run.happenings[self._over :]:
            for event in happening.events:
                if event.phase != "literal":
                    action = self._plan.steps[event.step - 1].action
                    return event.step, str(action) if event.phase == "action" else f"{action}, its {event.phase}"
        return len(self._plan) + 1, ""

    @property
    def broken(self) -> BrokenStep | None:
        """The first step that cannot be executed, or the goal; None while the rest of the plan works."""
        report = self._run.report
        if report.valid:
            return None
        reason = report.diagnostics[0].message if report.diagnostics else ""
        conflict = None if report.conflict is None else report.conflict.atom
        if report.verdict == "inapplicable":
            number = report.failed_step or 1
            return BrokenStep(number, report.action, report.unmet, conflict, report.phase or "", report.time, reason)
        return BrokenStep(len(self._plan) + 1, None, report.unmet_goals)

    def observe(self, atom: GroundAtom, holds: bool) -> None:
        """Takes an observation: whether an atom is true now.

        Raises:
            InputError: it is none of the task's atoms, or a derived one.
        """
        self.check(self._task, atom, self._derived)
        if atom[0] in self._changing:
            self._note(Outcome((), (atom,)) if holds else Outcome((atom,)))
            return
        init = [each for each in self._task.problem.init if each != atom]
        self._begin_with(replace(self._task.problem, init=(*init, *([atom] if holds else ()))))

    def observe_value(self, fluent: GroundAtom, value: Fraction) -> None:
        """Takes an observation: the value of a numeric fluent now; raises `InputError` if it is none of the task's."""
        self.check(self._task, fluent, numeric=True)
        if fluent[0] in self._changing:
            self._note(Outcome(updates=(Change(fluent, "assign", exact(value)),)))
            return
        values = [each for each in self._task.problem.init_values if each.fluent != fluent]
        self._begin_with(replace(self._task.problem, init_values=(*values, FluentValue(fluent, value))))

    def done(self, action: GroundAction | None = None) -> None:
        """All has happened that happens next at one time.

        Args:
            action: one of the actions that begin or end then, to be compared with the plan's.

        Raises:
            InputError: no such action, or all has happened, or an effect has no value.
        """
        happenings = self._run.happenings
        places = [
            place
            for place, happening in enumerate(happenings[self._over :], self._over)
            if any(event.phase != "literal" for event in happening.events)
        ]
        if not places:
            raise InputError("all steps of the plan are done")
        now = [
            self._plan.steps[event.step - 1].action
            for event in happenings[places[0]].events
            if event.phase != "literal"
        ]
        if action is not None and action not in now:
            number, _ = self.upcoming
            raise InputError(f"{action} is not the next step of the plan; that is step {number}, {now[0]}")
        before, self._over = self._over, places[0] + 1
        try:
            self._execute()
        except InputError:
            self._over = before
            self._execute()
            raise

    def _note(self, outcome: Outcome) -> None:
        self._observed.setdefault(self._over, []).append(outcome)
        self._execute()

    def _begin_with(self, problem: Problem) -> None:
        """Begins anew with other static facts."""
        self._task = replace(self._task, problem=problem)
        self._timed = TimedTask(self._task)
        self._execute()
