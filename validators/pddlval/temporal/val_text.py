"""VAL's text about plans with time and preferences, byte for byte where it judges them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count

from pddl2nl.pddl import (
    And,
    Comparison,
    Condition,
    Exists,
    Forall,
    Imply,
    Modal,
    Not,
    Or,
    Preference,
    Special,
    Task,
    Timed,
    TypedName,
    substitute,
    write_condition,
)
from pddl2nl.pddl.tree import required, walk, write_types
from pddlval.formulas import negation_normal, subformulas
from pddlval.happenings import Event, Happening
from pddlval.plans import PlanLike, as_plan
from pddlval.report import Report, held
from pddlval.schemas import Ground
from pddlval.semantics import Binding, choices
from pddlval.state import State
from pddlval.temporal.execution import TimedRun, duration_fits
from pddlval.temporal.lowering import preferences, timed_task_of, with_duration
from pddlval.val_advice import (
    CHECKING_GOAL,
    ERROR,
    advice_lines,
    defined_advice,
    effect_lines,
    gives_advice,
    goal_lines,
    judgement,
    printed,
    undefined,
)


def timed_lines(
    task: Task, plan: PlanLike, report: Report, verbose: bool, tolerance: Fraction, time_tolerance: Fraction
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
        if report.verdict != "inapplicable":
            yield CHECKING_GOAL
        elif not undefined(report):
            yield ""
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
        if undefined(report):
            yield from ERROR
            return
        durative = run.timed.durative[report.action.name]
        over_all = with_duration(required(durative.over_all), report.duration or Fraction(0))
        binding = durative.start.binding(report.action.args)
        sentence = (
            f"{name} has its condition unsatisfied between time {printed(before)} to {printed(happening.time)},"
            " the condition is satisfied on the empty set. "
        )
        yield from self._unsatisfied(name, substitute(over_all, binding), sentence)

    def _failed(self, happening: Happening) -> Iterator[str]:
        report, run = self._report, self._run
        if report.conflict is not None:
            yield from report.conflict.text.split("\n")
            yield from judgement(report)
            return
        if undefined(report):
            yield from ERROR
            return
        event = next(one for one in happening.events if (one.step, one.phase) == (report.failed_step, report.phase))
        ground = run.ground(event)
        yield from self._missed_durations(event, ground)
        sentence = f"{ground.action} has an unsatisfied precondition at time {printed(happening.time)}"
        more = self._duration_advice(event, ground) if event.phase == "start" else ()
        yield from self._unsatisfied(str(ground.action), ground.precondition(), sentence, more)

    def _unsatisfied(self, name: str, condition: Condition, sentence: str, more: Iterable[str] = ()) -> Iterator[str]:
        state = self._run.state
        advice: Iterable[str] | None = ()
        if not held(condition, state) and gives_advice(condition, state, self._derived):
            advice = defined_advice(condition, state, self._derived)
        yield from ("Plan failed because of unsatisfied precondition in:", name)
        if advice is None:
            yield from ERROR
            return
        yield from ("", *judgement(self._report), "", "Plan Repair Advice:", "", sentence, *more)
        yield from advice

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
        """What to do about the duration. VAL judges one of 0 here instead of the plan's."""
        for operator, limit in self._run.limits(event, ground.binding()):
            if limit is None:
                continue
            if operator == "=" and limit >= _ADVISED:
                yield f"Failed duration constraint: Set the duration to {printed(limit)}"
            elif (operator == ">=" and limit > self._run.tolerance) or (operator == ">" and limit >= 0):
                yield f"Failed duration constraint: Increase duration by at least {printed(limit)}"
            elif (operator == "<=" and -limit > _ADVISED) or (operator == "<" and limit <= 0):
                yield f"Failed duration constraint: Decrease duration by at least {printed(-limit)}"

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    def _goal(self) -> Iterator[str]:
        run, report, state = self._run, self._report, self._run.state
        goal = run.timed.task.problem.goal
        last = run.happenings[-1].time if run.happenings else Fraction(0)
        parts = list(goal.parts) if isinstance(goal, And) else [goal]
        reached = True
        for part in sorted(parts, key=_rank):
            yield from self._violations(part, printed(last))
            reached = held(required(part), state)
            if not reached:
                break
        if not reached:
            # Looking for advice, VAL evaluates the goal again.
            for part in parts:
                yield from self._violations(part, printed(last))
        elif self.monitors.active:
            yield from self.monitors.check_last(state, last)
        metric = run.timed.task.problem.metric
        asked = metric is not None and any(isinstance(one, Special) and one.args for one in walk(metric.expression))
        violated = [f"\t{name}: {number}" for name, number in sorted((report.violations or {}).items())]
        more = ["Violations:", *violated] if report.valid and (violated or asked) else []
        yield from goal_lines(report, required(goal), state, self._derived, more=more)

    def _violations(self, part: Condition, time: str) -> Iterator[str]:
        state = self._run.state
        for preference, binding in preferences(part, state, {}):
            if not held(preference.body, state, binding):
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
        failing = (part for part in parts if not held(part, state))
        return And(tuple(_hollow(part, state, inside=inside) for part in failing))
    return Or(tuple(_hollow(part, state, inside=inside) for part in parts))


_ADVISED = Fraction(1, 1_000)
"""By how much a duration may miss before VAL gives advice."""


# ── what VAL prints about trajectory constraints while a plan is executed (its ``TrajectoryConstraintsMonitor``) ──
#
# Only the text is made here: whether a constraint holds is decided by `trajectory`. VAL checks the state before each of
# its steps, among them the ones that check invariants, and prints of preferences the first violation.

_FEW = 10
"""Of more conditions of a kind VAL does not say that it checks them."""


@dataclass(frozen=True)
class MonitoredConstraint:
    """A condition that VAL watches, with a trigger and times where the operator has them, and its preference."""

    condition: Condition
    binding: Binding
    trigger: Condition | None = None
    times: tuple[Fraction, ...] = ()
    preference: str | None = None
    number: int = 0
    """Several conditions of one preference, under a quantifier, have one number: it is violated once."""

    def holds(self, state: State) -> bool:
        return held(self.condition, state, self.binding)

    def triggered(self, state: State) -> bool:
        assert self.trigger is not None
        return held(self.trigger, state, self.binding)

    def __str__(self) -> str:
        return _written(self.condition, self.binding)


def _written(condition: Condition, binding: Binding) -> str:
    """A condition as VAL writes it; of a quantified one the schema, and a line break."""
    match condition:
        case Not(body):
            return f"(NOT {_written(body, binding)})"
        case And(parts):
            return f"({' AND '.join(_written(part, binding) for part in parts)})"
        case Or(parts):
            return f"({' OR '.join(_written(part, binding) for part in parts)})"
        case Imply(left, right):
            return f"({_written(left, binding)} IMPLIES {_written(right, binding)})"
        case Forall(parameters, body) | Exists(parameters, body):
            word = type(condition).__name__.lower()
            return f"({word} ({_typed(parameters)} ) {_schema(body)})\n"
        case Comparison(operator, left, right):
            # The smaller signs are VAL's own.
            sign = operator.replace("<", ">")
            return f"({substitute(left, binding)} {sign}  {substitute(right, binding)})"
    return write_condition(substitute(condition, binding))


def _schema(condition: Condition) -> str:
    """The body of a quantified condition, in the words and blanks of VAL's `PrettyPrinter`."""
    match condition:
        case And(parts) | Or(parts):
            return f"({type(condition).__name__.lower()} {''.join(f' {_schema(part)}' for part in parts)})"
        case Not(body):
            return f"(not {_schema(body)})"
        case Imply(left, right):
            return f"(implies {_schema(left)} {_schema(right)})"
        case Forall(parameters, body) | Exists(parameters, body):
            return f"({type(condition).__name__.lower()} ({_typed(parameters)} ) {_schema(body)})"
    return write_condition(condition)


def _typed(parameters: tuple[TypedName, ...]) -> str:
    return " ".join(f"{item.name} - {write_types(item.types)}" for item in parameters)


class Monitors:
    """The constraints of a task, as VAL has them at some point of a plan."""

    def __init__(self, constraints: Iterable[Condition], state: State):
        self._lists: defaultdict[str, list[MonitoredConstraint]] = defaultdict(list)
        self._violated: set[int] = set()
        self._numbers = count(1)
        for constraint in constraints:
            self._collect(constraint, {}, None, None, state)
        self.active = bool(self._lists)
        self.failures: list[str] = []
        """The lines that VAL prints without ``-v``, too."""

    def _collect(self, node: Condition, binding: Binding, name: str | None, shared: int | None, state: State) -> None:
        match node:
            case And(parts):
                for part in parts:
                    self._collect(part, binding, name, shared, state)
            case Forall(parameters, body):
                if name is not None and shared is None:
                    shared = next(self._numbers)
                # The first variable changes fastest.
                for chosen in choices(parameters[::-1], state, binding, alphabetic=True):
                    self._collect(body, chosen, name, shared, state)
            case Preference(own, body):
                self._collect(body, binding, own, None, state)
            case Timed(body=body):
                self._add("at end", MonitoredConstraint(body, binding, preference=name), shared)
            case Modal(operator, times, parts):
                trigger = parts[0] if len(parts) > 1 else None
                self._add(operator, MonitoredConstraint(parts[-1], binding, trigger, times, name), shared)

    def _add(self, operator: str, watched: MonitoredConstraint, shared: int | None) -> None:
        self._lists[operator].append(replace(watched, number=next(self._numbers) if shared is None else shared))

    def _violation(self, one: MonitoredConstraint, time: str) -> Iterator[str]:
        if one.preference is not None and one.number not in self._violated:
            self._violated.add(one.number)
            yield f"Preference {one.preference}: (No advice for conjunction!)"
            yield f" violated at {time}"

    def check(self, state: State, at: Fraction) -> Iterator[str]:
        """What VAL prints when it looks at a state at some time."""
        for text in self._checked(state, at, printed(at)):
            yield from text.split("\n")

    def _checked(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        lists = self._lists
        yield f"Checking trajectory constraints at {time}"
        yield from self._always(state, at, time)
        yield from self._deadlines(state, at, time)
        for one in lists["sometime-after"]:
            if one.triggered(state):
                trigger = _written(one.trigger or And(), one.binding)
                yield f"Triggered a requirement for {one} after {trigger} at {time}"
                lists["sometime"].append(one)
        for one in self._those(lists["sometime"], state):
            yield f"Satisfied {one} at {time}"
        for one in (begun := self._those(lists["at-most-once"], state)):
            yield f"First satisfied {one} at {time}"
        lists["currently"] += begun
        still = self._those(lists["currently"], state)
        for one in lists["currently"]:
            yield f"{one} stops being true at {time}"
        lists["never"] += lists["currently"]
        lists["currently"] = still
        for one in lists["never"]:
            if one.holds(state):
                yield f"Constraint violated by satisfaction of {one} at {time}"
                yield from self._violation(one, time)
        yield from self._windows(state, at, time)
        waiting, lists["sometime-before"] = lists["sometime-before"], []
        for one in waiting:
            if not one.holds(state):
                lists["sometime-before"].append(one)
            if one.triggered(state):
                yield f"{_written(one.trigger or And(), one.binding)} satisfied without {one} sometime before"
                yield from self._violation(one, time)

    def _those(self, watched: list[MonitoredConstraint], state: State) -> list[MonitoredConstraint]:
        """The conditions that hold, which are taken out of the list."""
        holding = [one for one in watched if one.holds(state)]
        watched[:] = [one for one in watched if one not in holding]
        return holding

    def _always(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        later: list[MonitoredConstraint] = []
        for one in self._lists["hold-after"]:
            if one.times[0] <= at:
                yield f"Now requiring {one} to remain true"
                self._lists["always"].append(one)
            else:
                later.append(one)
        self._lists["hold-after"] = later
        for one in self._lists["always"]:
            if len(self._lists["always"]) < _FEW:
                yield f"Checking {one}"
            if not one.holds(state):
                failure = f"Failure to satisfy: {one}"
                self.failures += failure.split("\n")
                yield failure
                yield from self._violation(one, time)

    def _deadlines(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        for one in self._lists["always-within"]:
            if one.triggered(state):
                yield f"Triggered deadline goal {one} by {printed(at + one.times[0])}"
                self._lists["within"].append(replace(one, times=(at + one.times[0],)))
        waiting, self._lists["within"] = self._lists["within"], []
        for one in waiting:
            if len(waiting) < _FEW:
                yield f"Checking deadline goal: {one} by {printed(one.times[0])}"
            if at > one.times[0]:
                yield f"Failed to meet deadline on {one} ({printed(one.times[0])})"
                yield from self._violation(one, time)
            elif one.holds(state):
                yield f"Satisfied {one} at {time}"
            else:
                self._lists["within"].append(one)

    def _windows(self, state: State, at: Fraction, time: str) -> Iterator[str]:
        later: list[MonitoredConstraint] = []
        for one in self._lists["hold-during"]:
            begin, end = one.times
            if begin <= at < end:
                yield f"In window for {one}"
                if not one.holds(state):
                    yield "Condition failed"
                    yield from self._violation(one, time)
            elif end > at:
                later.append(one)
        self._lists["hold-during"] = later

    def check_last(self, state: State, at: Fraction) -> Iterator[str]:
        """What VAL prints about the last state."""
        time = printed(at)
        yield from self.check(state, at)
        for text in self._outstanding(state, time):
            yield from text.split("\n")

    def _outstanding(self, state: State, time: str) -> Iterator[str]:
        for one in self._lists["at end"]:
            if not one.holds(state):
                yield f"Final requirement {one} violated"
                yield from self._violation(one, time)
        if self._lists["sometime"]:
            yield "Outstanding requirements unsatisfied during plan:"
        for one in self._lists["sometime"]:
            yield f"\t{one}"
            yield from self._violation(one, time)
        if self._lists["within"]:
            yield "Outstanding deadlines to be met:"
        for one in self._lists["within"]:
            yield f"\t{one} by {printed(one.times[0])}"
            yield from self._violation(one, time)
