"""A plan with time is executed and judged: its happenings, what must hold between them, what is said of it as a whole.

The semantics of Fox and Long (2003, section 8): the preconditions of a happening are read in the state before it, its
actions may not interfere, and the invariant of an action holds in all states strictly between its start and its end.
Between happenings numbers change linearly, at rates that the state after the earlier one gives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Condition,
    Diagnostic,
    Expression,
    GroundAtom,
    Metric,
    Modal,
    PDDLError,
    Preference,
    Special,
    Task,
    Timed,
    Update,
    When,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from pddl2nl.pddl.tree import map_children, required, walk
from pddlval.effects import Outcome
from pddlval.happenings import Conflict, claim_effects
from pddlval.numeric import UndefinedError, as_float, evaluate
from pddlval.plans import BadActionError, GroundAction, Plan, PlanLike, PlanStep, as_plan
from pddlval.report import Cause, Executed, Report, causes
from pddlval.schemas import Ground
from pddlval.semantics import choices, compare, ground_fluent
from pddlval.state import Number, State
from pddlval.temporal.change import Slopes, instants, outcome_after
from pddlval.temporal.lowering import (
    Durative,
    Snap,
    TimedTask,
    preferences,
    timed_task_of,
    with_duration,
)
from pddlval.temporal.timeline import TimedEvent, TimedHappening, timeline, timing_problems
from pddlval.temporal.trajectory import Moment, constraints, violation

Binding = Mapping[str, str]


def judge(task: Task, plan: PlanLike, name: str, tolerance: Fraction, time_tolerance: Fraction) -> Report:
    """Judges a plan for a task with time, preferences or constraints; see `pddlval.validate`.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    timed = timed_task_of(task, tolerance)
    try:
        run = TimedRun(timed, as_plan(plan, name), time_tolerance)
    except PDDLError as error:
        return Report("bad-plan", diagnostics=error.diagnostics, violations={})
    if run.report.verdict == "inapplicable" and timed.durative:
        return replace(run.report, valid_tolerances=_valid_tolerances(run))
    return run.report


def _valid_tolerances(run: TimedRun) -> tuple[Fraction, Fraction | None] | None:
    """The tolerances of times from which on, and below which, an invalid plan is valid; None if it never is."""
    free = TimedRun(run.timed, run.plan, Fraction(0), any_duration=True)
    low = free.longest_miss
    if not free.report.valid or not (low or run.tolerance):
        return None
    times = [happening.time for happening in free.happenings]
    gaps = sorted({10 * (later - earlier) for earlier, later in pairwise(times)})
    # Larger tolerances merge more happenings, of which more and more interfere, until an action's own ends merge.
    longest = 10 * min((step.duration for step in run.plan.steps if step.duration), default=Fraction(0))
    bounds = [low, *gaps[bisect_right(gaps, low) : bisect_left(gaps, longest)]]

    def fails(tolerance: Fraction) -> bool:
        return not TimedRun(run.timed, run.plan, tolerance, any_duration=True).report.valid

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
    durative: Durative
    binding: Binding
    invariant: Ground | None
    spanning: list[tuple[Condition, When]]
    rates: Sequence[tuple[Update, Binding]]
    preferred: list[tuple[str, Condition]]


class Performed(NamedTuple):
    """A happening that was executed: the state before it, what its actions did, and VAL's warnings."""

    before: State
    outcomes: tuple[Outcome, ...]
    warnings: tuple[str, ...]


class TimedRun:
    """The execution of one plan in one task, up to its end or to where it fails.

    Attributes:
        happenings: the plan's happenings.
        performed: those that were executed, one by one.
        state: the state after the last one that was executed, or in which an invariant failed.
        report: what there is to say about the plan.
        timed, plan: the task and the plan.
        longest_miss: by how much a duration misses its constraints at most.

    Args:
        tolerance: of times.
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
        self._any_duration = any_duration
        self.longest_miss = Fraction(0)
        self.timed = timed
        self._simulator = timed.simulator
        self.plan = plan
        self.tolerance = tolerance
        self._begin = begin
        self._time, self.state = begin or Moment(Fraction(0), timed.simulator.initial)
        self._until_time = until
        self.happenings: list[TimedHappening] = []
        self.performed: list[Performed] = []
        self._makespan = Fraction(0)
        """The time of the last happening of the plan; timed literals after it do not count."""
        self._running: dict[int, Running] = {}
        self._busy: dict[GroundAction, int] = {}
        """The step that each action is running in."""
        self._events: list[TimedEvent] = []
        self._executed: list[Executed] = []
        self._moments = [Moment(self._time, self.state)]
        self._violations: Counter[str] = Counter()
        problem, domain = timed.task.problem, timed.task.domain
        self._constraints = [
            one for each in (domain.constraints, problem.constraints) for one in constraints(each, self.state, {})
        ]
        self.report = self._executed_plan()

    def after(self, number: int) -> State:
        """The state after a happening, from 0; that of -1 is the initial state."""
        states = [one.state for one in self._executed if _PASSING not in one.numbers]
        return states[number] if number >= 0 else self._simulator.initial

    # ── the plan as a whole ──────────────────────────────────────────────────────────────────────

    def _executed_plan(self) -> Report:
        problems = [*self._bad_actions(), *timing_problems(self.plan, self.timed.durative, self.tolerance)]
        if problems:
            return Report("bad-plan", len(self.plan), diagnostics=tuple(problems), violations={})
        literals = self.timed.task.problem.init_timed
        self.happenings = timeline(self.plan, self.timed.durative, literals, self.tolerance)
        if self._begin is not None:
            last = max(one.time for one in self.happenings if any(event.phase != "literal" for event in one.events))
            self.happenings = [one for one in self.happenings if self._time < one.time <= last]
            self._constraints.clear()
        for happening in self.happenings:
            if self._until_time is not None and happening.time >= self._until_time:
                break
            failure = self._until(happening) or self._happen(happening)
            if failure is not None:
                return failure
        return self._judge_whole()

    def _bad_actions(self) -> Iterator[Diagnostic]:
        for number, step in enumerate(self.plan.steps, start=1):
            try:
                self._simulator.check(step.action)
            except BadActionError as error:
                yield self._diagnostic(step, number, error.reason, error.suggestion)

    def _judge_whole(self) -> Report:
        """The goal, the constraints, the preferences and the metric, after all happenings."""
        task, state, last = self.timed.task, self.state, len(self._moments) - 1
        broken: list[tuple[int, Condition]] = []
        for constraint in self._constraints:
            at = violation(constraint, self._moments)
            if at is not None:
                if isinstance(constraint, Preference):
                    self._violations[constraint.name] += 1
                else:
                    broken.append((at, constraint))
        early = min((one for one in broken if one[0] < last), key=lambda one: one[0], default=None)
        if early is not None:
            return self._broken(*early)
        for preference, binding in preferences(task.problem.goal, state, {}):
            if not state.layout.holds(preference.body, state, binding):
                self._violations[preference.name] += 1
        failing = (*self._simulator.unmet_goals(state), *[constraint for _, constraint in broken])
        return Report(
            "goal-not-satisfied" if failing else "valid",
            len(self.plan),
            self._metric(),
            unmet_goals=failing,
            explanation=self._causes(failing, goals=True),
            state=state,
            violations=dict(self._violations),
        )

    def _broken(self, at: int, constraint: Condition) -> Report:
        """The report on a constraint that a state before the last one violates."""
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
            violations=dict(self._violations),
        )

    def _metric(self) -> Fraction | int | None:
        metric, steps = self.timed.task.problem.metric, len(self.plan)
        if metric is None:
            return steps
        total = self._makespan if self.timed.durative else Fraction(steps)
        return metric_value(metric, self.state, total, self._violations)

    # ── between happenings ───────────────────────────────────────────────────────────────────────

    def _until(self, happening: TimedHappening) -> Report | None:
        """What lasts until the next happening; gives the report where an invariant fails."""
        slopes = self._slopes()
        ending = {event.step for event in happening.events if event.phase == "end"}
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
                    self._watch(running, state)
            if time is not None and time != self._time:
                self._moments.append(Moment(time, state))
        if slopes:
            outcome = outcome_after(slopes, happening.time - self._time)
            self.state = self._simulator.apply(self.state, (outcome,))
            self._executed.append(Executed((_PASSING,), (outcome,), self.state))
        self._time = happening.time
        return None

    def _slopes(self) -> dict[GroundAtom, Number]:
        slopes: dict[GroundAtom, Number] = {}
        for running in self._running.values():
            for update, binding in running.rates:
                rate = evaluate(update.value, self.state.level, binding)
                fluent = ground_fluent(update.fluent, binding)
                slopes[fluent] = slopes.get(fluent, 0) + (rate if update.operator == "increase" else -rate)
        return slopes

    def _states_until(self, end: Fraction, slopes: Slopes) -> Iterator[tuple[Fraction, State]]:
        """The states from now to a time, both included, in which something that is watched may change."""
        watched: list[tuple[Condition, Binding]] = [(one, {}) for one in self._constraints]
        for running in self._running.values():
            watched.append((running.durative.over_all, running.binding))
            watched += [(condition, running.binding) for condition, _ in running.spanning]
            watched += [(condition, running.binding) for _, condition in running.preferred]
        length = end - self._time
        for instant in (Fraction(0), *instants(watched, self.state, slopes, length), length):
            yield self._time + instant, self._simulator.apply(self.state, (outcome_after(slopes, instant),))

    def _watch(self, running: Running, state: State) -> None:
        """Drops conditional effects and counts preferences whose conditions over all of the action fail."""
        holds = state.layout.holds
        running.spanning[:] = [one for one in running.spanning if holds(one[0], state, running.binding)]
        for preferred in [one for one in running.preferred if not holds(one[1], state, running.binding)]:
            self._violations[preferred[0]] += 1
            running.preferred.remove(preferred)

    # ── happenings ───────────────────────────────────────────────────────────────────────────────

    def _happen(self, happening: TimedHappening) -> Report | None:
        """Applies a happening; gives the report where that is impossible."""
        overlapping = self._overlapping(happening)
        if overlapping is not None:
            return overlapping
        state = self.state
        grounds: list[Ground] = []
        for event in happening.events:
            ground = self.ground(event)
            durations = self._unmet_durations(event, ground.binding())
            if durations or not ground.applicable(state):
                failing = (*durations, *ground.unmet(state))
                # Effects that contradict each other are for the claims below to report.
                if failing or ground.conflict(state) is None:
                    return self._failed(event.step, event.phase, happening.time, failing)
            grounds.append(ground)
        outcomes = tuple([ground.outcome(state) for ground in grounds])
        reads, exact = self._reads(happening), not self.tolerance
        claims = claim_effects(self._simulator.task, grounds, outcomes, state, reads, strict=exact)
        conflict = claims.conflict
        if conflict is not None:
            return self._conflict(happening, conflict)
        for event in happening.events:
            self._count_preferences(event)
        self.state = self._simulator.apply(state, outcomes)
        if state is not self._simulator.initial:
            # All states are kept to the end of the plan.
            state.forget()
        self.performed.append(Performed(state, outcomes, claims.warnings))
        first = len(self._events)
        self._events += happening.events
        self._executed.append(Executed(tuple(range(first, len(self._events))), outcomes, self.state))
        self._moments.append(Moment(happening.time, self.state))
        for event in happening.events:
            if event.phase != "literal":
                self._makespan = happening.time
            if event.phase == "start":
                self._running[event.step] = self._started(event, happening.time, state)
            elif event.phase == "end":
                self._running.pop(event.step)
        return None

    def _overlapping(self, happening: TimedHappening) -> Report | None:
        """The report where an action starts while the same action at the same objects is running.

        A happening names actions, not steps: the ends of both could not be paired. VAL does not check this, nor is it
        checked with VAL's tolerance.
        """
        actions = {event: self.plan.steps[event.step - 1].action for event in happening.events if event.phase in _ENDS}
        for event, action in actions.items():
            if event.phase == "end" and self._busy.get(action) == event.step:
                del self._busy[action]
        for event, action in actions.items():
            if event.phase == "start" and self.plan.steps[event.step - 1].duration:
                other = self._busy.setdefault(action, event.step)
                if other != event.step and not self.tolerance:
                    reason = f"the same action, begun in step {other}, has not ended yet"
                    diagnostic = self._diagnostic(self.plan.steps[event.step - 1], event.step, reason)
                    return self._failed(event.step, "start", happening.time, (), diagnostics=(diagnostic,))
        return None

    def durative(self, event: TimedEvent) -> tuple[Durative, PlanStep]:
        """The durative action of an event, and its step."""
        step = self.plan.steps[event.step - 1]
        return self.timed.durative[step.action.name], step

    def action(self, event: TimedEvent) -> GroundAction:
        """The action of an event, whose text is VAL's."""
        if event.phase == "literal":
            return GroundAction(self.timed.literals[event.step - 1].name)
        action = self.plan.steps[event.step - 1].action
        return action if event.phase == "action" else Snap(f"{action.name} - {event.phase}", action.args)

    def ground(self, event: TimedEvent) -> Ground:
        """The action of an event, compiled."""
        action = self.action(event)
        if event.phase == "literal":
            return self.timed.ground(self.timed.literals[event.step - 1], action)
        if event.phase == "action":
            return self._simulator.ground(action)
        durative, step = self.durative(event)
        running = self._running.get(event.step)
        spanning = [effect for _, effect in running.spanning] if running is not None and event.phase == "end" else []
        node = durative.start if event.phase == "start" else durative.end
        return self.timed.ground(node, action, step.duration or Fraction(0), spanning)

    def limits(self, event: TimedEvent, binding: Binding) -> Iterator[tuple[str, Number | None]]:
        """The duration constraints of an event, each with the number on its right; None where that has no value."""
        durative, step = self.durative(event)
        for constraint in durative.durations[event.phase]:
            try:
                right = with_duration(constraint.right, step.duration or Fraction(0))
                yield constraint.operator, evaluate(right, self.state.level, binding)
            except UndefinedError:
                yield constraint.operator, None

    def _unmet_durations(self, event: TimedEvent, binding: Binding) -> tuple[Condition, ...]:
        """The duration constraints that fail at an event, ground."""
        if event.phase not in _ENDS:
            return ()
        durative, step = self.durative(event)
        duration = step.duration or Fraction(0)
        failing = []
        for constraint, (operator, limit) in zip(
            durative.durations[event.phase], self.limits(event, binding), strict=True
        ):
            if limit is None or not duration_fits(operator, duration, limit, self.tolerance):
                if limit is not None and self._any_duration:
                    self.longest_miss = max(self.longest_miss, abs(duration - limit))
                else:
                    failing.append(substitute(constraint, binding))
        return tuple(failing)

    def _reads(self, happening: TimedHappening) -> list[Condition]:
        """What the actions of a happening read besides their preconditions: the numbers in duration constraints."""
        return [
            And(self.durative(event)[0].durations[event.phase]) if event.phase in _ENDS else And()
            for event in happening.events
        ]

    def _started(self, event: TimedEvent, time: Fraction, before: State) -> Running:
        """What a durative action that starts does until it ends."""
        durative, step = self.durative(event)
        duration = step.duration or Fraction(0)
        binding = dict(zip([one.name for one in durative.node.parameters], step.action.args, strict=True))
        holds = before.layout.holds
        invariant = None
        if required(durative.over_all) != And():
            node = ActionSchema(f"{durative.node.name} - over all", durative.node.parameters, durative.over_all)
            invariant = self.timed.ground(node, Snap(node.name, step.action.args), duration)
        spanning = [
            (
                substitute(with_duration(one.over_all, duration), chosen),
                When(substitute(one.end, chosen), substitute(one.effect, chosen)),
            )
            for one in durative.spanning
            for chosen in choices(one.parameters, before, {})
            if holds(one.start, before, {**binding, **chosen})
        ]
        rates = [
            (with_duration(one.update, duration), {**binding, **chosen})
            for one in durative.rates
            for chosen in choices(one.parameters, before, {})
            if holds(one.start, before, {**binding, **chosen})
        ]
        preferred = [
            (one.name, substitute(one.body, chosen)) for one, chosen in preferences(durative.over_all, before, binding)
        ]
        return Running(event.step, time, durative, binding, invariant, spanning, rates, preferred)

    def _count_preferences(self, event: TimedEvent) -> None:
        if event.phase == "literal":
            return
        step = self.plan.steps[event.step - 1]
        if event.phase == "action":
            node = self.timed.task.domain.action(step.action.name)
        else:
            node = getattr(self.durative(event)[0], event.phase)
        assert node is not None
        if not self.timed.prefers(node):
            return
        binding = dict(zip([one.name for one in node.parameters], step.action.args, strict=True))
        for preference, chosen in preferences(node.precondition, self.state, binding):
            if not self.state.layout.holds(preference.body, self.state, chosen):
                self._violations[preference.name] += 1

    # ── reports ──────────────────────────────────────────────────────────────────────────────────

    def _conflict(self, happening: TimedHappening, conflict: Conflict) -> Report:
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
            time=time,
            phase=phase,
            duration=self.plan.steps[step - 1].duration,
            violations=dict(self._violations),
            **reasons,
        )

    def _causes(self, conditions: Sequence[Condition], *, goals: bool) -> tuple[Cause, ...]:
        """The causes of failing conditions, with times; duration constraints and trajectories have none."""
        explained = [one for one in conditions if not _is_special(one)]
        return tuple(
            [self._timed_cause(one) for one in causes(explained, self._simulator.initial, self._executed, goals=goals)]
        )

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

    def _diagnostic(self, step: PlanStep, number: int, reason: str, suggestion: str = "") -> Diagnostic:
        path, text = f"in step {number}", f"{step.action}: {reason}"
        return Diagnostic("error", self.plan.name, step.line, step.column, text, path=path, suggestion=suggestion)


_ENDS = ("start", "end")
_PASSING = -1
"""The number of what changes with time alone, among the numbers of events."""


def duration_fits(operator: str, duration: Fraction, limit: Number, tolerance: Fraction) -> bool:
    """Whether a duration satisfies a constraint: exactly, or as VAL has it, whose tolerance strict ones do not have."""
    if not tolerance:
        return compare(operator, duration, limit)
    over, slack = as_float(duration) - as_float(limit), float(tolerance)
    fits = {"=": abs(over) < slack, "<=": over <= slack, ">=": -over <= slack, "<": over < 0, ">": over > 0}
    return fits[operator]


def _is_special(condition: Condition) -> bool:
    """Whether a condition is about a duration or a trajectory, not about one state."""
    return any(isinstance(part, Special | Modal | Timed) for part in walk(condition))


def metric_value(metric: Metric, state: State, total: Fraction, violations: Mapping[str, int]) -> Fraction | None:
    """The value of a metric in a state, given the total time; a function without a value counts as 0."""
    expression = _with_specials(metric.expression, total, violations)
    try:
        return Fraction(evaluate(expression, lambda fluent: state.level(fluent) or 0))
    except UndefinedError:
        return None


def _with_specials(expression: Expression, total: Fraction, violations: Mapping[str, int]) -> Expression:
    """A metric with numbers for ``total-time`` and ``is-violated``."""
    if isinstance(expression, Special):
        return NumberNode(Fraction(violations.get(expression.args[0], 0)) if expression.args else total)
    return map_children(expression, lambda child: _with_specials(child, total, violations))
