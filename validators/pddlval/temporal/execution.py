"""A plan with time is executed and judged: its happenings, what must hold between them, what is said of it as a whole.

The semantics of Fox and Long (2003, section 8): the preconditions of a happening are read in the state before it, its
actions may not interfere, and the invariant of an action holds in all states strictly between its start and its end.
Between happenings numbers change linearly, at rates that the state after the earlier one gives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from pddl2nl.pddl import (
    And,
    Condition,
    Diagnostic,
    GroundAtom,
    Modal,
    PDDLError,
    Preference,
    Special,
    Task,
    Timed,
    Update,
    When,
    substitute,
    write_number,
)
from pddl2nl.pddl.tree import walk
from pddlval.execution import PlanRun
from pddlval.happenings import Claims, Event, Happening, claim, happenings
from pddlval.numeric import UndefinedError, as_float, evaluate
from pddlval.plans import GroundAction, Plan, PlanLike, PlanStep, as_plan
from pddlval.report import Cause, Executed, Report, held
from pddlval.schemas import Ground, Outcome
from pddlval.semantics import Binding, choices, compare, ground_fluent
from pddlval.simulator import metric_value
from pddlval.state import Number, State
from pddlval.temporal.change import Slopes, instants, outcome_after
from pddlval.temporal.lowering import (
    Durative,
    GroundDurative,
    Snap,
    TimedTask,
    preferences,
    timed_task_of,
    with_duration,
)
from pddlval.temporal.trajectory import Bound, Moment, constraints, violation


def judge(task: Task, plan: PlanLike, name: str, tolerance: Fraction, time_tolerance: Fraction) -> Report:
    """Judges a plan for a task with time, preferences or constraints; see `pddlval.validate`.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    timed = timed_task_of(task, tolerance)
    try:
        run = TimedRun(timed, as_plan(plan, name), time_tolerance).run()
    except PDDLError as error:
        return Report("bad-plan", diagnostics=error.diagnostics, violations={})
    if run.report.verdict == "inapplicable" and timed.durative:
        return replace(run.report, find_tolerances=partial(_valid_tolerances, timed, run.plan, time_tolerance))
    return run.report


@lru_cache(maxsize=1)
def _valid_tolerances(timed: TimedTask, plan: Plan, given: Fraction) -> tuple[Fraction, Fraction | None] | None:
    """The tolerances of times from which on, and below which, an invalid plan is valid; None if it never is."""
    # Bisection executes the plan several times, so it is done only on request; sentences and JSON ask both.
    free = TimedRun(timed, plan, Fraction(0), any_duration=True).run()
    low = free.longest_miss
    if not free.report.valid or not (low or given):
        return None
    times = [happening.time for happening in free.happenings]
    gaps = sorted({10 * (later - earlier) for earlier, later in pairwise(times)})
    # Larger tolerances merge more happenings, more and more of which interfere, until an action's own ends merge.
    longest = 10 * min((step.duration for step in plan.steps if step.duration), default=Fraction(0))
    bounds = [low, *gaps[bisect_right(gaps, low) : bisect_left(gaps, longest)]]

    def fails(tolerance: Fraction) -> bool:
        return not TimedRun(timed, plan, tolerance, any_duration=True).run().report.valid

    first = bisect_left(bounds, True, key=fails)
    return None if first == 0 else (low, bounds[first] if first < len(bounds) else None)


class Running(NamedTuple):
    """A durative action between its ends.

    ``spanning`` are the conditional effects at its end whose earlier conditions have held so far, each with the
    condition over all of the action; ``rates`` are its continuous effects, ``preferred`` its preferences that have
    held so far, by name.
    """

    step: int
    since: Fraction
    over_all: Condition
    binding: Binding
    invariant: Ground | None
    spanning: list[tuple[Condition, When]]
    rates: Sequence[tuple[Update, Binding]]
    preferred: list[tuple[str, Condition]]


class TimedRun(PlanRun):
    """The execution of one plan in a task with time, preferences or constraints.

    Attributes:
        timed: the task.
        tolerance: of times.
        longest_miss: by how much a duration misses its constraints at most.

    Args:
        any_duration: whether durations may miss their constraints.
        begin: what the plan begins in, by default the initial state at 0. Then it is a part of a plan: timed literals
            after it do not happen, and trajectory constraints are not looked at.
        until: happenings from then on are not executed.
    """

    def __init__(
        self,
        timed: TimedTask,
        plan: Plan,
        tolerance: Fraction,
        *,
        any_duration: bool = False,
        begin: Moment | None = None,
        until: Fraction | None = None,
    ):
        super().__init__(timed.simulator, plan)
        self._violations: Counter[str] = Counter()
        self._any_duration = any_duration
        self.longest_miss = Fraction(0)
        self.timed = timed
        self.tolerance = tolerance
        self._begin = begin
        self._time, self.state = begin or Moment(Fraction(0), self.state)
        self._until_time = until
        self._makespan = Fraction(0)
        """The time of the last happening of the plan; timed literals after it do not count."""
        self._running: dict[int, Running] = {}
        self._steps: dict[int, GroundDurative] = {}
        self._busy: dict[GroundAction, int] = {}
        """The step that each action is running in."""
        self._reader = 0
        """The step whose rates or conditions are read between two happenings."""
        self._events: list[Event] = []
        """Those that have happened: `executed` counts them from 0."""
        self._moments = [Moment(self._time, self.state)]
        problem, domain = timed.task.problem, timed.task.domain
        self._constraints = [
            one for each in (domain.constraints, problem.constraints) for one in constraints(each, self.state, {})
        ]

    @property
    def performed(self) -> list[Executed]:
        """The happenings that were executed, without what changed between them."""
        return [one for one in self.executed if _PASSING not in one.numbers]

    def after(self, number: int) -> State:
        """The state after a happening, from 0; that of -1 is the initial state."""
        return self.performed[number].state if number >= 0 else self.simulator.initial

    # ── the plan as a whole ──────────────────────────────────────────────────────────────────────

    def _problems(self) -> Iterator[Diagnostic]:
        yield from super()._problems()
        for number, step in enumerate(self.plan.steps, start=1):
            duration, problem = step.duration or _ZERO, ""
            if step.time is not None and step.time.numerator < 0:
                problem = f"it happens at {write_number(step.time)}, before the plan begins"
            elif duration.numerator < 0:
                problem = f"its duration is negative, {write_number(duration)}"
            elif step.action.name not in self.timed.durative and duration > self.tolerance:
                problem = (
                    f"'{step.action.name}' takes no time, but the plan gives it the duration {write_number(duration)}"
                )
            if problem:
                yield self._diagnostic(step, number, problem)

    def _prepare(self, number: int, step: PlanStep) -> None:
        if step.action.name in self.timed.durative:
            self._steps[number] = self.timed.step(step.action, step.duration or _ZERO)
        else:
            super()._prepare(number, step)

    def _in_time(self) -> list[Happening]:
        literals = self.timed.task.problem.init_timed
        found = happenings(self.plan, self.timed.durative, literals, self.tolerance)
        if self._begin is not None:
            last = max(one.time for one in found if any(event.phase != "literal" for event in one.events))
            found = [one for one in found if self._time < one.time <= last]
            self._constraints.clear()
        return found if self._until_time is None else [one for one in found if one.time < self._until_time]

    def _judge(self, besides: tuple[Condition, ...] = ()) -> Report:
        """The goal, the constraints, the preferences and the metric, after all happenings."""
        state, last = self.state, len(self._moments) - 1
        broken: list[tuple[int, Condition]] = []
        for constraint, binding in self._constraints:
            try:
                at = violation(constraint, binding, self._moments)
            except UndefinedError:
                at = last
            if at is not None:
                if isinstance(constraint, Preference):
                    self._violations[constraint.name] += 1
                else:
                    broken.append((at, substitute(constraint, binding)))
        early = min((one for one in broken if one[0] < last), key=lambda one: one[0], default=None)
        if early is not None:
            return self._broken(*early)
        for preference, binding in preferences(self.timed.task.problem.goal, state, {}):
            if not held(preference.body, state, binding):
                self._violations[preference.name] += 1
        return super()._judge(tuple([constraint for _, constraint in broken]))

    def _broken(self, at: int, constraint: Condition) -> Report:
        moment = self._moments[at]
        events = [event for event in self._events if event.time <= moment.time and event.phase != "literal"]
        step = events[-1].step if events else None
        action = None if step is None else self.plan.steps[step - 1].action
        return Report(
            "inapplicable",
            len(self.plan),
            failed_step=step,
            action=action,
            unmet=(constraint,),
            state=moment.state,
            time=moment.time,
            violations=self._counted,
        )

    def _cost(self) -> Fraction | int | None:
        metric, steps = self.timed.task.problem.metric, len(self.plan)
        if metric is None:
            return steps
        total = self._makespan if self.timed.durative else Fraction(steps)
        return metric_value(metric, self.state, total, self._violations)

    # ── between happenings ───────────────────────────────────────────────────────────────────────

    def _until(self, happening: Happening) -> Report | None:
        """What lasts until the next happening; gives the report where an invariant fails."""
        try:
            return self._last_until(happening)
        except UndefinedError as error:
            return self._failed(self._reader, "over all", self._time, (error.condition,))

    def _last_until(self, happening: Happening) -> Report | None:
        slopes = self._slopes()
        ending = {event.step for event in happening.events if event.phase == "end"} if slopes else set()
        for time, state in self._states_until(happening.time, slopes) if slopes else [(None, self.state)]:
            for running in self._running.values():
                if time is not None and (
                    time == self._time == running.since or (time == happening.time and running.step in ending)
                ):
                    # At its own ends an invariant need not hold.
                    continue
                if running.invariant is not None and not running.invariant.applicable(state):
                    self.state = state
                    failed = happening.time if time is None else time
                    return self._failed(running.step, "over all", failed, running.invariant.unmet(state))
                if running.spanning or running.preferred:
                    self._reader = running.step
                    self._watch(running, state)
            if time is not None and time != self._time:
                self._moments.append(Moment(time, state))
        if slopes:
            self._move((_PASSING,), (outcome_after(slopes, happening.time - self._time),))
        self._time = happening.time
        return None

    def _slopes(self) -> dict[GroundAtom, Number]:
        slopes: dict[GroundAtom, Number] = {}
        for running in self._running.values():
            for update, binding in running.rates:
                self._reader = running.step
                rate = evaluate(update.value, self.state.level, binding)
                fluent = ground_fluent(update.fluent, binding)
                slopes[fluent] = slopes.get(fluent, 0) + (rate if update.operator == "increase" else -rate)
        return slopes

    def _states_until(self, end: Fraction, slopes: Slopes) -> Iterator[tuple[Fraction, State]]:
        """The states from now to a time, both included, in which something that is watched may change."""
        watched: list[Bound] = [*self._constraints]
        for running in self._running.values():
            watched.append((running.over_all, running.binding))
            watched += [(condition, running.binding) for condition, _ in running.spanning]
            watched += [(condition, running.binding) for _, condition in running.preferred]
        length = end - self._time
        for instant in (Fraction(0), *instants(watched, self.state, slopes, length), length):
            yield self._time + instant, self.simulator.apply(self.state, (outcome_after(slopes, instant),))

    def _watch(self, running: Running, state: State) -> None:
        """Drops conditional effects and counts preferences whose conditions over all of the action fail."""
        holds = state.layout.holds
        running.spanning[:] = [one for one in running.spanning if holds(one[0], state, running.binding)]
        for preferred in [one for one in running.preferred if not held(one[1], state, running.binding)]:
            self._violations[preferred[0]] += 1
            running.preferred.remove(preferred)

    # ── happenings ───────────────────────────────────────────────────────────────────────────────

    def _happen(self, happening: Happening) -> Report | None:
        return self._overlapping(happening) or super()._happen(happening)

    def _claim(self, happening: Happening, grounds: Sequence[Ground]) -> Claims:
        reads: list[Condition] = []
        if len(grounds) > 1:
            # Besides their preconditions, actions read the numbers in duration constraints.
            reads = [
                And(self.durative(event)[0].durations[event.phase]) if event.phase in _ENDS else And()
                for event in happening.events
            ]
        return claim(grounds, self.state, reads, strict=not self.tolerance)

    def _perform(
        self, happening: Happening, outcomes: tuple[Outcome, ...], warnings: tuple[str, ...], after: State | None = None
    ) -> None:
        before = self.state
        if self.timed.prefers:
            for event in happening.events:
                self._count_preferences(event)
        first = len(self._events)
        self._events += happening.events
        self._move(tuple(range(first, len(self._events))), outcomes, warnings, after)
        self._moments.append(Moment(happening.time, self.state))
        for event in happening.events:
            if event.phase != "literal":
                self._makespan = happening.time
            if event.phase == "start":
                self._running[event.step] = self._started(event, happening.time, before)
            elif event.phase == "end":
                self._running.pop(event.step)

    def _overlapping(self, happening: Happening) -> Report | None:
        """The report where an action starts while the same action at the same objects is running.

        A happening names actions, not steps: the ends of both could not be paired. VAL does not check this, nor is it
        checked with VAL's tolerance.
        """
        steps = self.plan.steps
        for event in happening.events:
            if event.phase == "end" and self._busy.get(steps[event.step - 1].action) == event.step:
                del self._busy[steps[event.step - 1].action]
        for event in happening.events:
            if event.phase == "start" and steps[event.step - 1].duration:
                other = self._busy.setdefault(steps[event.step - 1].action, event.step)
                if other != event.step and not self.tolerance:
                    reason = f"the same action, begun in step {other}, has not ended yet"
                    diagnostic = self._diagnostic(steps[event.step - 1], event.step, reason)
                    return self._failed(event.step, "start", happening.time, (), diagnostics=(diagnostic,))
        return None

    def durative(self, event: Event) -> tuple[Durative, PlanStep]:
        """The durative action of an event, and its step."""
        step = self.plan.steps[event.step - 1]
        return self.timed.durative[step.action.name], step

    def action(self, event: Event) -> GroundAction:
        """The action of an event, whose text is VAL's."""
        if event.phase == "literal":
            return GroundAction(self.timed.literals[event.step - 1].name)
        action = self.plan.steps[event.step - 1].action
        return action if event.phase == "action" else Snap(f"{action.name} - {event.phase}", action.args)

    def ground(self, event: Event) -> Ground:
        """The action of an event, compiled."""
        if event.phase == "literal":
            return self.timed.ground(self.timed.literals[event.step - 1], self.action(event))
        if event.phase == "action":
            return self.simulator.ground(self.action(event))
        step = self._steps[event.step]
        if event.phase == "start":
            return step.start
        running = self._running.get(event.step)
        if running is not None and running.spanning:
            more = [effect for _, effect in running.spanning]
            return self.timed.ground(step.durative.end, self.action(event), step.duration, more)
        return step.end

    def limits(self, event: Event, binding: Binding) -> Iterator[tuple[str, Number | None]]:
        """The duration constraints of an event, each with the number on its right; None where that has no value."""
        durative, step = self.durative(event)
        for constraint in durative.durations[event.phase]:
            try:
                right = with_duration(constraint.right, step.duration or Fraction(0))
                yield constraint.operator, evaluate(right, self.state.level, binding)
            except UndefinedError:
                yield constraint.operator, None

    def _unmet_besides(self, event: Event, ground: Ground) -> tuple[Condition, ...]:
        if event.phase not in _ENDS:
            return ()
        step = self._steps[event.step]
        durative, duration = step.durative, step.duration
        failing: list[Condition] = []
        if event.phase not in step.fits:
            limits = self.limits(event, step.binding)
            for constraint, (operator, limit) in zip(durative.durations[event.phase], limits, strict=True):
                if limit is None or not duration_fits(operator, duration, limit, self.tolerance):
                    if limit is not None and self._any_duration:
                        self.longest_miss = max(self.longest_miss, abs(duration - limit))
                    else:
                        failing.append(substitute(constraint, step.binding))
        if event.phase == "start" and (durative.spanning or durative.rates):
            try:
                self._conditional(durative, step.binding, duration, self.state)
            except UndefinedError as error:
                failing.append(error.condition)
        return tuple(failing)

    def _started(self, event: Event, time: Fraction, before: State) -> Running:
        step = self._steps[event.step]
        durative, binding, over_all = step.durative, step.binding, step.over_all
        spanning: list[tuple[Condition, When]] = []
        rates: Sequence[tuple[Update, Binding]] = ()
        if durative.spanning or durative.rates:
            spanning, rates = self._conditional(durative, binding, step.duration, before)
        preferred = []
        if self.timed.prefers:
            chosen = preferences(over_all, before, binding)
            preferred = [(one.name, substitute(one.body, objects)) for one, objects in chosen]
        return Running(event.step, time, over_all, binding, step.invariant, spanning, rates, preferred)

    def _conditional(
        self, durative: Durative, binding: Binding, duration: Fraction, before: State
    ) -> tuple[list[tuple[Condition, When]], Sequence[tuple[Update, Binding]]]:
        """The conditional effects at the end and the rates whose conditions at the start hold, see `Running`.

        Raises:
            UndefinedError: such a condition reads a fluent that has no value.
        """
        holds = before.layout.holds
        spanning = [
            (
                substitute(with_duration(one.over_all, duration), chosen),
                When(substitute(one.end, chosen), substitute(one.effect, chosen)),
            )
            for one in durative.spanning
            for chosen in choices(one.parameters, before, {})
            if holds(with_duration(one.start, duration), before, {**binding, **chosen})
        ]
        rates = [
            (with_duration(one.update, duration), {**binding, **chosen})
            for one in durative.rates
            for chosen in choices(one.parameters, before, {})
            if holds(with_duration(one.start, duration), before, {**binding, **chosen})
        ]
        return spanning, rates

    def _count_preferences(self, event: Event) -> None:
        if event.phase == "literal":
            return
        step = self.plan.steps[event.step - 1]
        if event.phase == "action":
            node = self.timed.task.domain.action(step.action.name)
        else:
            node = getattr(self.durative(event)[0], event.phase)
        assert node is not None
        binding = dict(zip([one.name for one in node.parameters], step.action.args, strict=True))
        condition = with_duration(node.precondition, step.duration or Fraction(0))
        for preference, chosen in preferences(condition, self.state, binding):
            if not held(preference.body, self.state, chosen):
                self._violations[preference.name] += 1

    # ── reports ──────────────────────────────────────────────────────────────────────────────────

    def _failed(self, step: int, phase: str, time: Fraction, unmet: tuple[Condition, ...], **reasons: Any) -> Report:
        duration = self.plan.steps[step - 1].duration
        return replace(super()._failed(step, phase, time, unmet, **reasons), time=time, phase=phase, duration=duration)

    def _causes(self, conditions: Sequence[Condition], *, goals: bool) -> tuple[Cause, ...]:
        """The causes of failing conditions, with times; duration constraints and trajectories have none."""
        explained = [
            one for one in conditions if not any(isinstance(part, Special | Modal | Timed) for part in walk(one))
        ]
        return tuple([self._timed_cause(one) for one in super()._causes(explained, goals=goals)])

    def _timed_cause(self, cause: Cause) -> Cause:
        """A cause that names events, as one that names steps and times."""
        if cause.deleted_by_step is None:
            return cause
        event = None if cause.deleted_by_step == _PASSING else self._events[cause.deleted_by_step]
        lost = None if cause.lost_after_step in (None, _PASSING) else self._events[cause.lost_after_step]
        return replace(
            cause,
            deleted_by_step=None if event is None or event.phase == "literal" else event.step,
            lost_after_step=None if lost is None or lost.phase == "literal" else lost.step,
            time=None if event is None else event.time,
            phase=None if event is None else event.phase,
        )


_ENDS = ("start", "end")
_ZERO = Fraction(0)
_PASSING = -1
"""The number of what changes with time alone, among the numbers of events."""


def duration_fits(operator: str, duration: Fraction, limit: Number, tolerance: Fraction) -> bool:
    """Whether a duration satisfies a constraint: exactly, or as VAL has it, whose tolerance strict ones do not have."""
    if not tolerance:
        return compare(operator, duration, limit)
    over, slack = as_float(duration) - as_float(limit), float(tolerance)
    fits = {"=": abs(over) < slack, "<=": over <= slack, ">=": -over <= slack, "<": over < 0, ">": over > 0}
    return fits[operator]
