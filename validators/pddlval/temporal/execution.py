"""A plan with time is executed and judged: its happenings, what must hold between them, what is said of it as a whole.

The semantics of Fox and Long (2003, section 8): the preconditions of a happening are read in the state before it, its
actions may not interfere, and the invariant of an action holds in all states strictly between its start and its end.
Between happenings numbers change linearly, at rates that the state after the earlier one gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Condition,
    Diagnostic,
    Expression,
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
)
from pddl2nl.pddl import Number as NumberNode
from pddl2nl.pddl.tree import map_children, walk
from pddlval.formulas import required
from pddlval.happenings import Conflict, claim_effects
from pddlval.numeric import UndefinedError, as_float, evaluate
from pddlval.plans import BadActionError, GroundAction, Plan, PlanStep, as_plan
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
from pddlval.validate import Cause, Executed, Report, causes

__all__ = ["judge"]

Binding = Mapping[str, str]


def judge(
    task: Task, plan: Plan | str | Iterable[GroundAction], name: str, tolerance: Fraction, time_tolerance: Fraction
) -> Report:
    """Judges a plan for a task with time, preferences or constraints; see `pddlval.validate`.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    timed = timed_task_of(task, tolerance)
    try:
        return TimedRun(timed, as_plan(plan, name), time_tolerance).report()
    except PDDLError as error:
        return Report("bad-plan", diagnostics=error.diagnostics)


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


class TimedRun:
    """One plan on its way through one task."""

    def __init__(self, timed: TimedTask, plan: Plan, tolerance: Fraction):
        self._timed = timed
        self._simulator = timed.simulator
        self._plan = plan
        self._tolerance = tolerance
        self._time = Fraction(0)
        self._state = timed.simulator.initial
        self._makespan = Fraction(0)
        """The time of the last happening of the plan; timed literals after it do not count."""
        self._running: dict[int, Running] = {}
        self._busy: dict[GroundAction, int] = {}
        """The step that each action is running in."""
        self._events: list[TimedEvent] = []
        self._executed: list[Executed] = []
        self._moments = [Moment(self._time, self._state)]
        self._violations: Counter[str] = Counter()
        problem, domain = timed.task.problem, timed.task.domain
        self._constraints = [
            one for each in (domain.constraints, problem.constraints) for one in constraints(each, self._state, {})
        ]

    # ── the plan as a whole ──────────────────────────────────────────────────────────────────────

    def report(self) -> Report:
        """Executes the plan."""
        problems = [*self._bad_actions(), *timing_problems(self._plan, self._timed.durative, self._tolerance)]
        if problems:
            return Report("bad-plan", len(self._plan), diagnostics=tuple(problems))
        literals = self._timed.task.problem.init_timed
        for happening in timeline(self._plan, self._timed.durative, literals, self._tolerance):
            failure = self._until(happening) or self._happen(happening)
            if failure is not None:
                return failure
        return self._judge_whole()

    def _bad_actions(self) -> Iterator[Diagnostic]:
        for number, step in enumerate(self._plan.steps, start=1):
            try:
                self._simulator.check(step.action)
            except BadActionError as error:
                yield self._diagnostic(step, number, error.reason, error.suggestion)

    def _judge_whole(self) -> Report:
        """The goal, the constraints, the preferences and the metric, after all happenings."""
        task, state, last = self._timed.task, self._state, len(self._moments) - 1
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
            len(self._plan),
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
        action = None if step is None else self._plan.steps[step - 1].action
        return Report(
            "inapplicable",
            len(self._plan),
            failed_step=step,
            action=action,
            unmet=(constraint,),
            state=moment.state,
            time=moment.time,
        )

    def _metric(self) -> Fraction | int | None:
        metric, steps = self._timed.task.problem.metric, len(self._plan)
        if metric is None:
            return steps
        total = self._makespan if self._timed.durative else Fraction(steps)
        expression = _with_specials(metric.expression, total, self._violations)
        level = self._state.level
        try:
            return Fraction(evaluate(expression, lambda fluent: level(fluent) or 0))
        except UndefinedError:
            return None

    # ── between happenings ───────────────────────────────────────────────────────────────────────

    def _until(self, happening: TimedHappening) -> Report | None:
        """What lasts until the next happening; gives the report where an invariant fails."""
        slopes = self._slopes()
        ending = {event.step for event in happening.events if event.phase == "end"}
        for time, state in self._states_until(happening.time, slopes) if slopes else [(None, self._state)]:
            for running in self._running.values():
                if (time == self._time == running.since) or (time == happening.time and running.step in ending):
                    continue
                if running.invariant is not None and not running.invariant.applicable(state):
                    self._state = state
                    failed = happening.time if time is None else time
                    return self._failed(running.step, "over all", failed, running.invariant.unmet(state))
                self._watch(running, state)
            if time is not None and time != self._time:
                self._moments.append(Moment(time, state))
        if slopes:
            outcome = outcome_after(slopes, happening.time - self._time)
            self._state = self._simulator.apply(self._state, (outcome,))
            self._executed.append(Executed((_PASSING,), (outcome,), self._state))
        self._time = happening.time
        return None

    def _slopes(self) -> dict[GroundAtom, Number]:
        slopes: dict[GroundAtom, Number] = {}
        for running in self._running.values():
            for update, binding in running.rates:
                rate = evaluate(update.value, self._state.level, binding)
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
        for instant in (Fraction(0), *instants(watched, self._state, slopes, length), length):
            yield self._time + instant, self._simulator.apply(self._state, (outcome_after(slopes, instant),))

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
        state = self._state
        grounds: list[Ground] = []
        for event in happening.events:
            ground = self._ground(event)
            durations = self._unmet_durations(event, ground.binding())
            if durations or not ground.applicable(state):
                failing = (*durations, *ground.unmet(state))
                # Effects that contradict each other are for the claims below to report.
                if failing or ground.conflict(state) is None:
                    return self._failed(event.step, event.phase, happening.time, failing)
            grounds.append(ground)
        outcomes = tuple([ground.outcome(state) for ground in grounds])
        conflict = claim_effects(self._simulator.task, grounds, outcomes, state, self._reads(happening)).conflict
        if conflict is not None:
            return self._conflict(happening, conflict)
        for event in happening.events:
            self._count_preferences(event)
        self._state = self._simulator.apply(state, outcomes)
        if state is not self._simulator.initial:
            # All states are kept to the end of the plan.
            state.forget()
        first = len(self._events)
        self._events += happening.events
        self._executed.append(Executed(tuple(range(first, len(self._events))), outcomes, self._state))
        self._moments.append(Moment(happening.time, self._state))
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
        actions = {event: self._plan.steps[event.step - 1].action for event in happening.events if event.phase in _ENDS}
        for event, action in actions.items():
            if event.phase == "end" and self._busy.get(action) == event.step:
                del self._busy[action]
        for event, action in actions.items():
            if event.phase == "start" and self._plan.steps[event.step - 1].duration:
                other = self._busy.setdefault(action, event.step)
                if other != event.step and not self._tolerance:
                    reason = f"the same action, begun in step {other}, has not ended yet"
                    diagnostic = self._diagnostic(self._plan.steps[event.step - 1], event.step, reason)
                    return self._failed(event.step, "start", happening.time, (), diagnostics=(diagnostic,))
        return None

    def _durative(self, event: TimedEvent) -> tuple[Durative, PlanStep]:
        step = self._plan.steps[event.step - 1]
        return self._timed.durative[step.action.name], step

    def _ground(self, event: TimedEvent) -> Ground:
        """The action of an event, compiled."""
        if event.phase == "literal":
            node = self._timed.literals[event.step - 1]
            return self._timed.ground(node, GroundAction(node.name))
        if event.phase == "action":
            return self._simulator.ground(self._plan.steps[event.step - 1].action)
        durative, step = self._durative(event)
        running = self._running.get(event.step)
        spanning = [effect for _, effect in running.spanning] if running is not None and event.phase == "end" else []
        node = durative.start if event.phase == "start" else durative.end
        return self._timed.ground(node, Snap(node.name, step.action.args), step.duration or Fraction(0), spanning)

    def _unmet_durations(self, event: TimedEvent, binding: Binding) -> tuple[Condition, ...]:
        """The duration constraints that fail at an event, ground."""
        if event.phase not in _ENDS:
            return ()
        durative, step = self._durative(event)
        failing: list[Condition] = []
        for constraint in durative.durations[event.phase]:
            limit = with_duration(constraint.right, step.duration or Fraction(0))
            try:
                right = evaluate(limit, self._state.level, binding)
            except UndefinedError as error:
                failing.append(error.condition)
                continue
            if not duration_fits(constraint.operator, step.duration or Fraction(0), right, self._tolerance):
                failing.append(substitute(constraint, binding))
        return tuple(failing)

    def _reads(self, happening: TimedHappening) -> list[Condition]:
        """What the actions of a happening read besides their preconditions: the numbers in duration constraints."""
        return [
            And(self._durative(event)[0].durations[event.phase]) if event.phase in _ENDS else And()
            for event in happening.events
        ]

    def _started(self, event: TimedEvent, time: Fraction, before: State) -> Running:
        """What a durative action that starts does until it ends."""
        durative, step = self._durative(event)
        duration = step.duration or Fraction(0)
        binding = dict(zip([one.name for one in durative.node.parameters], step.action.args, strict=True))
        holds = before.layout.holds
        invariant = None
        if required(durative.over_all) != And():
            node = ActionSchema(f"{durative.node.name} - over all", durative.node.parameters, durative.over_all)
            invariant = self._timed.ground(node, Snap(node.name, step.action.args), duration)
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
        step = self._plan.steps[event.step - 1]
        if event.phase == "action":
            node = self._timed.task.domain.action(step.action.name)
        else:
            node = getattr(self._durative(event)[0], event.phase)
        assert node is not None
        if not self._timed.prefers(node):
            return
        binding = dict(zip([one.name for one in node.parameters], step.action.args, strict=True))
        for preference, chosen in preferences(node.precondition, self._state, binding):
            if not self._state.layout.holds(preference.body, self._state, chosen):
                self._violations[preference.name] += 1

    # ── reports ──────────────────────────────────────────────────────────────────────────────────

    def _conflict(self, happening: TimedHappening, conflict: Conflict) -> Report:
        event = happening.events[conflict.place]
        if event.phase == "literal":
            # The plan is at fault, not the problem: its action comes at a time at which a literal changes.
            place = next(place for place, one in enumerate(happening.events) if one.phase != "literal")
            conflict = conflict._replace(place=place, other=conflict.place)
            event = happening.events[place]
        diagnostic = self._diagnostic(self._plan.steps[event.step - 1], event.step, conflict.reason)
        together = tuple(dict.fromkeys(one.step for one in happening.events if one.phase != "literal"))
        reasons: dict[str, Any] = {"diagnostics": (diagnostic,), "conflict": conflict, "together": together}
        return self._failed(event.step, event.phase, happening.time, (), **reasons)

    def _failed(self, step: int, phase: str, time: Fraction, unmet: tuple[Condition, ...], **reasons: Any) -> Report:
        return Report(
            "inapplicable",
            len(self._plan),
            failed_step=step,
            action=self._plan.steps[step - 1].action,
            unmet=unmet,
            explanation=self._causes(unmet, goals=False),
            state=self._state,
            time=time,
            phase=phase,
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
        return Diagnostic("error", self._plan.name, step.line, step.column, text, path=path, suggestion=suggestion)


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


def _with_specials(expression: Expression, total: Fraction, violations: Mapping[str, int]) -> Expression:
    """A metric with numbers for ``total-time`` and ``is-violated``."""
    if isinstance(expression, Special):
        return NumberNode(Fraction(violations.get(expression.args[0], 0)) if expression.args else total)
    return map_children(expression, lambda child: _with_specials(child, total, violations))
