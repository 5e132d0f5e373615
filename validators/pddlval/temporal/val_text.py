"""VAL's text about plans with time and preferences, byte for byte where it judges them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from fractions import Fraction

from pddl2nl.pddl import (
    And,
    Comparison,
    Condition,
    Exists,
    Forall,
    Or,
    Preference,
    Special,
    Task,
    substitute,
)
from pddl2nl.pddl.tree import required, walk
from pddlval.formulas import negation_normal, subformulas
from pddlval.happenings import Event, Happening
from pddlval.plans import PlanLike, as_plan
from pddlval.report import Report
from pddlval.schemas import Ground
from pddlval.semantics import choices
from pddlval.state import State
from pddlval.temporal.execution import TimedRun, duration_fits
from pddlval.temporal.lowering import preferences, timed_task_of
from pddlval.temporal.val_monitors import Monitors
from pddlval.val_advice import CHECKING_GOAL, advice_lines, effect_lines, gives_advice, judgement, printed


def timed_lines(
    task: Task,
    plan: PlanLike,
    report: Report,
    verbose: bool,
    tolerance: Fraction,
    time_tolerance: Fraction,
) -> Iterator[str]:
    """The lines about one plan, from the one after ``Checking plan`` on; see `val_text.val_lines`."""
    watched = (task.domain.constraints, task.problem.constraints)
    if verbose or any(watched):
        run = TimedRun(timed_task_of(task, tolerance), as_plan(plan), time_tolerance).run()
        text = _TimedVerboseText(run, report, Monitors((one for one in watched if one), run.state))
    if verbose:
        yield from text.lines()
    else:
        if any(watched):
            # The lines about constraints come from going through the plan.
            deque(text.lines(), maxlen=0)
            yield from text.monitors.failures
        yield "" if report.verdict == "inapplicable" else CHECKING_GOAL
        yield from judgement(report)


_CONTINUOUS = "Update of continuously changing Primitive Numerical Expressions"


class _TimedVerboseText:
    """The verbose text: the plan, what it does happening by happening, and how to repair it."""

    def __init__(self, run: TimedRun, report: Report, monitors: Monitors):
        self.monitors = monitors
        self._run = run
        self._report = report
        self._derived = frozenset(rule.name for rule in run.timed.task.domain.derived)

    def lines(self) -> Iterator[str]:
        """All lines."""
        happenings = self._run.happenings
        yield from ("Plan to validate:", "", f"Plan size: {len(happenings)}")
        for happening, lasting in self._with_lasting():
            invariants = [self._invariant(event) for event in lasting if self._run.durative(event)[0].lasts]
            if invariants:
                yield from (f"{printed(happening.time)}:", *invariants, " ")
            if any(self._run.durative(event)[0].rates for event in lasting):
                yield from (f"{printed(happening.time)}:", _CONTINUOUS, " ")
            yield f"{printed(happening.time)}:"
            yield from (str(self._run.action(event)) for event in happening.events)
            yield " "
        yield ""
        if happenings:
            yield from ("Plan Validation details", "-----------------------")
        yield from self._execution()

    def _with_lasting(self) -> Iterator[tuple[Happening, list[Event]]]:
        """The happenings, each with the starts of what has been lasting until then."""
        lasting: dict[int, Event] = {}
        for happening in self._run.happenings:
            yield happening, list(lasting.values())
            for event in happening.events:
                if event.phase == "start":
                    lasting[event.step] = event
                elif event.phase == "end":
                    del lasting[event.step]

    def _invariant(self, event: Event) -> str:
        return f"Invariant for {self._run.plan.steps[event.step - 1].action}"

    def _execution(self) -> Iterator[str]:
        run, report, before = self._run, self._report, Fraction(0)
        performed = run.performed
        for number, (happening, lasting) in enumerate(self._with_lasting()):
            # VAL takes the state for one of the time that it has checked last.
            at, state, failed = before, run.after(number - 1), number == len(performed)
            if any(run.durative(event)[0].lasts for event in lasting):
                yield from self._checking(state, at, happening)
                at = happening.time
            if failed and report.phase == "over all":
                yield from self._invariant_failed(before, happening)
                return
            if any(run.durative(event)[0].rates for event in lasting):
                yield from self._checking(state, at, happening)
                state, at = run.state if failed else performed[number].before, happening.time
                yield from self._changed(number, state)
            yield from self._checking(state, at, happening)
            if failed:
                yield from self._failed(happening)
                return
            yield from performed[number].warnings
            yield from effect_lines(performed[number].outcomes, performed[number].before)
            before = happening.time
        yield CHECKING_GOAL
        yield from self._goal()

    def _checking(self, state: State, at: Fraction, happening: Happening) -> Iterator[str]:
        yield ""
        if self.monitors.active:
            yield from self.monitors.check(state, at)
        yield f"Checking next happening (time {printed(happening.time)})"

    def _changed(self, number: int, state: State) -> Iterator[str]:
        """What changed continuously until the state before a happening."""
        last = self._run.after(number - 1)
        for fluent, value in state.changing_values():
            old = last.level(fluent)
            if value != old:
                yield f"Updating {fluent} ({printed(old or 0)}) by {printed(value)} assignment"

    # ── failures ─────────────────────────────────────────────────────────────────────────────────

    def _invariant_failed(self, before: Fraction, happening: Happening) -> Iterator[str]:
        report, run = self._report, self._run
        assert report.action is not None
        name = f"Invariant for {report.action}"
        yield from ("Plan failed because of unsatisfied precondition in:", name, "")
        yield from (*judgement(report), "", "Plan Repair Advice:", "")
        yield (
            f"{name} has its condition unsatisfied between time {printed(before)} to {printed(happening.time)},"
            " the condition is satisfied on the empty set. "
        )
        durative = run.timed.durative[report.action.name]
        parameters = [parameter.name for parameter in durative.node.parameters]
        binding = dict(zip(parameters, report.action.args, strict=True))
        yield from self._advice(substitute(durative.over_all, binding))

    def _failed(self, happening: Happening) -> Iterator[str]:
        report, run = self._report, self._run
        if report.conflict is not None:
            yield from report.conflict.text.split("\n")
            yield from judgement(report)
            return
        event = next(one for one in happening.events if (one.step, one.phase) == (report.failed_step, report.phase))
        ground = run.ground(event)
        yield from self._missed_durations(event, ground)
        yield from ("Plan failed because of unsatisfied precondition in:", str(ground.action), "")
        yield from (*judgement(report), "", "Plan Repair Advice:", "")
        yield f"{ground.action} has an unsatisfied precondition at time {printed(happening.time)}"
        if event.phase == "start":
            yield from self._duration_advice(event, ground)
        yield from self._advice(ground.precondition())

    def _missed_durations(self, event: Event, ground: Ground) -> Iterator[str]:
        if event.phase not in ("start", "end"):
            return
        duration = self._run.durative(event)[1].duration or Fraction(0)
        for operator, limit in self._run.limits(event, ground.binding()):
            if limit is not None and not duration_fits(operator, duration, limit, self._run.tolerance):
                if operator in ("=", "<=", ">="):
                    yield f"Tolerance of {printed(abs(duration - limit))} required for {ground.action}"
                yield f"Failed duration constraint in {ground.action}"
                return

    def _duration_advice(self, event: Event, ground: Ground) -> Iterator[str]:
        """What to do about the duration. VAL judges one of 0 here, whatever the plan says."""
        for operator, limit in self._run.limits(event, ground.binding()):
            if limit is None:
                continue
            if operator == "=" and limit >= _ADVISED:
                yield f"Failed duration constraint: Set the duration to {printed(limit)}"
            elif (operator == ">=" and limit > self._run.tolerance) or (operator == ">" and limit >= 0):
                yield f"Failed duration constraint: Increase duration by at least {printed(limit)}"
            elif (operator == "<=" and -limit > _ADVISED) or (operator == "<" and limit <= 0):
                yield f"Failed duration constraint: Decrease duration by at least {printed(-limit)}"

    def _advice(self, condition: Condition) -> Iterator[str]:
        state = self._run.state
        if not state.layout.holds(condition, state) and gives_advice(condition, state, self._derived):
            yield from advice_lines(condition, state, self._derived, test=state.layout.holds)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _goal(self) -> Iterator[str]:
        run, report, state = self._run, self._report, self._run.state
        goal = run.timed.task.problem.goal
        last = run.happenings[-1].time if run.happenings else Fraction(0)
        parts = list(goal.parts) if isinstance(goal, And) else [goal]
        reached = True
        for part in sorted(parts, key=_rank):
            yield from self._violations(part, printed(last))
            reached = state.layout.holds(required(part), state)
            if not reached:
                break
        if not reached:
            # Looking for advice, VAL evaluates the goal again.
            for part in parts:
                yield from self._violations(part, printed(last))
        elif self.monitors.active:
            yield from self.monitors.check_last(state, last)
        yield from judgement(report)
        metric = run.timed.task.problem.metric
        asked = metric is not None and any(isinstance(one, Special) and one.args for one in walk(metric.expression))
        if report.valid and (report.violations or asked):
            yield "Violations:"
            yield from (f"\t{name}: {number}" for name, number in sorted((report.violations or {}).items()))
        if not report.valid:
            yield from ("", "Plan Repair Advice:", "", "The goal is not satisfied")
            yield from advice_lines(required(goal), state, self._derived, test=state.layout.holds)

    def _violations(self, part: Condition, time: str) -> Iterator[str]:
        state = self._run.state
        for preference, binding in preferences(part, state, {}):
            if not state.layout.holds(preference.body, state, binding):
                body = _hollow(negation_normal(substitute(preference.body, binding)), state)
                lines = advice_lines(body, state, self._derived, test=lambda *_: False)
                yield f"Preference {preference.name}: {next(lines)}"
                yield from lines
                yield f" violated at {time}"


def _rank(part: Condition) -> int:
    """How VAL ranks the parts of a goal: by the number of comparisons.

    Parts of one rank stay in the order of the goal; VAL's sort is not stable, so there they may change places.
    """
    return 0 if isinstance(part, Preference) else sum(isinstance(one, Comparison) for one in subformulas(part))


def _hollow(condition: Condition, state: State, *, inside: bool = False) -> Condition:
    """A failing condition as VAL advises on it in a preference: what is quantified has parts, but no words."""
    match condition:
        case Forall(parameters, body) | Exists(parameters, body):
            chosen = choices(parameters, state, {}, alphabetic=True)
            parts: Iterable[Condition] = (substitute(body, binding) for binding in chosen)
            inside = True
        case And(parts) | Or(parts):
            pass
        case _:
            return And() if inside else condition
    if isinstance(condition, And | Forall):
        failing = (part for part in parts if not state.layout.holds(part, state))
        return And(tuple(_hollow(part, state, inside=inside) for part in failing))
    return Or(tuple(_hollow(part, state, inside=inside) for part in parts))


_ADVISED = Fraction(1, 1_000)
"""By how much a duration may miss before VAL gives advice."""
