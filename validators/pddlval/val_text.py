"""A report in VAL's output format, from ``Checking plan`` on.

VAL is the plan validator of King's College London (Howey, Long and Fox 2004). Plain and verbose text are its own,
byte for byte, for the plans that it judges soundly. Plans that it crashes on or lets pass (an unknown name, a wrong
arity or type) get its ``Bad plan description!``, and under it the place and the reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from pddl2nl.pddl import Atom, FluentValue, Task, UnsupportedError
from pddl2nl.pddl import Number as NumberNode
from pddl2nl.pddl.tree import map_children
from pddlval.execution import PlanRun
from pddlval.happenings import Happening, claim
from pddlval.numeric import UndefinedError, as_float
from pddlval.plans import GroundAction, PlanLike, as_plan
from pddlval.report import Executed, Report
from pddlval.schemas import Outcome
from pddlval.simulator import Simulator, plain_simulator_of, simulator_of
from pddlval.state import State
from pddlval.val_advice import (
    CHECKING_GOAL,
    ERROR,
    defined_advice,
    effect_lines,
    gives_advice,
    goal_lines,
    judgement,
    printed,
)
from pddlval.val_advice import undefined as is_undefined


def in_doubles(task: Task) -> Task:
    """The task with every number rounded to a double; the same object if no number changes."""
    domain, problem = task.domain, task.problem
    if not domain.functions:
        return task
    actions = tuple(
        [replace(one, precondition=_rounded(one.precondition), effect=_rounded(one.effect)) for one in domain.actions]
    )
    derived = tuple([replace(rule, condition=_rounded(rule.condition)) for rule in domain.derived])
    values = tuple([_value(value) for value in problem.init_values])
    goal = _rounded(problem.goal)
    if (actions, derived, values, goal) == (domain.actions, domain.derived, problem.init_values, problem.goal):
        return task
    return Task(replace(domain, actions=actions, derived=derived), replace(problem, init_values=values, goal=goal))


@lru_cache(8)
def _in_doubles(simulator: Simulator) -> Simulator | None:
    """A simulator that computes with rounded numbers; None if they are the same."""
    rounded = in_doubles(simulator.task)
    return None if rounded is simulator.task else Simulator(rounded, simulator.initial.tolerance)


def _value(assigned: FluentValue) -> FluentValue:
    return assigned if isinstance(assigned.value, str) else replace(assigned, value=_double(assigned.value))


def _rounded(node: Any) -> Any:
    """A condition, effect or expression with its numbers rounded; the same object without one."""
    if isinstance(node, NumberNode):
        value = _double(node.value)
        return node if value == node.value else replace(node, value=value)
    return node if isinstance(node, Atom) else map_children(node, _rounded)


def _double(value: Fraction) -> Fraction:
    # Whole numbers are no double's business: VAL holds those that it can count with. Nor is what no double is near.
    double = as_float(value)
    return value if value.denominator == 1 or math.isinf(double) else Fraction(double)


def val_text(
    task: Task,
    plan: PlanLike,
    report: Report,
    name: str,
    verbose: bool = False,
    tolerance: Fraction = Fraction(0),
    time_tolerance: Fraction = Fraction(0),
) -> str:
    """What VAL prints about one plan: `val_lines` and the summary."""
    lines = val_lines(task, plan, report, name, verbose, tolerance, time_tolerance)
    return "".join(f"{line}\n" for line in lines) + val_summary(task, [(name, report)])


def val_lines(
    task: Task,
    plan: PlanLike,
    report: Report,
    name: str,
    verbose: bool = False,
    tolerance: Fraction = Fraction(0),
    time_tolerance: Fraction = Fraction(0),
) -> Iterator[str]:
    """The lines about one plan, one by one: the verbose text about a long plan need not fit into memory.

    Args:
        task: the task.
        plan: the plan that was judged, in any form that `validate` takes.
        report: what `validate` said about it.
        name: the name of the plan file, which VAL repeats.
        verbose: the text of ``Validate -v`` instead of ``Validate``.
        tolerance, time_tolerance: the tolerances with which the plan was judged.
    """
    yield f"Checking plan: {name}"
    if report.verdict == "bad-plan":
        yield "Bad plan description!"
        for diagnostic in report.diagnostics:
            yield from diagnostic.render().splitlines()
    elif plain_simulator_of(task, tolerance) is None:
        from pddlval.temporal.val_text import timed_lines

        yield from timed_lines(task, plan, report, verbose, tolerance, time_tolerance)
    elif verbose:
        yield from _VerboseText(task, plan, report, tolerance).lines()
    else:
        if report.verdict == "inapplicable":
            if not is_undefined(report):
                yield ""
        else:
            yield CHECKING_GOAL
        yield from judgement(report)


def val_summary(task: Task, judged: Sequence[tuple[str, Report]]) -> str:
    """The lists of successful and failed plans at the end of VAL's output, best metric value first.

    Args:
        task: the task.
        judged: every plan's name with its report, in the order in which they were checked.
    """
    values: dict[float, list[str]] = {}
    for name, report in judged:
        if report.valid and not is_undefined(report):
            values.setdefault(as_float(report.cost or 0), []).append(name)
    metric = task.problem.metric
    best_first = sorted(values, reverse=metric is None or metric.direction != "minimize")
    text = ""
    if values:
        text += "\nSuccessful plans:"
        for value in best_first:
            plans = "".join(f"{name} {value:.10g} \n" for name in values[value])
            text += f"\nValue: {value:.10g}\n {plans}"
        text += "\n"
    undefined = [name for name, report in judged if is_undefined(report)]
    failed = [name for name, report in judged if not report.valid and name not in undefined]
    for heading, names in (("Failed plans:", failed), ("Queries (validator failed):", undefined)):
        if names:
            text += f"\n\n{heading}\n " + "".join(f"{name} " for name in names) + "\n"
    return text


class _VerboseText:
    """The verbose text: what the plan does, happening by happening, up to where it fails."""

    def __init__(self, task: Task, plan: PlanLike, report: Report, tolerance: Fraction):
        self._run = PlanRun(simulator_of(task, tolerance), as_plan(plan), explain=False).run()
        self._report = report
        self._derived = frozenset(rule.name for rule in task.domain.derived)
        self._numbers = _Numbers(self._run.simulator)

    def lines(self) -> Iterator[str]:
        run = self._run
        yield from ("Plan to validate:", "", f"Plan size: {len(run.happenings)}")
        for happening in run.happenings:
            yield f"{printed(happening.time)}:"
            yield from (str(run.ground(event).action) for event in happening.events)
            yield " "
        yield ""
        if run.happenings:
            yield from ("Plan Validation details", "-----------------------")
        for happening, executed in zip_longest(run.happenings, run.executed):
            yield from ("", f"Checking next happening (time {printed(happening.time)})")
            if executed is None:
                yield from self._failed(happening)
                return
            yield from executed.warnings
            actions = [run.ground(event).action for event in happening.events]
            yield from effect_lines(*self._numbers.shown(actions, executed))
        yield CHECKING_GOAL
        goal = run.simulator.task.problem.goal
        yield from goal_lines(self._report, goal, run.state, self._derived, self._numbers.state)

    def _failed(self, happening: Happening) -> Iterator[str]:
        if self._run.report.conflict is not None:
            grounds = [self._run.ground(event) for event in happening.events]
            yield from claim(grounds, self._run.state).warnings
            yield from self._run.report.conflict.text.split("\n")
            yield from judgement(self._report)
            return
        if is_undefined(self._report):
            yield from ERROR
            return
        event = next(one for one in happening.events if one.step == self._run.report.failed_step)
        ground = self._run.ground(event)
        yield from ("Plan failed because of unsatisfied precondition in:", str(ground.action))
        condition = ground.precondition()
        advice = defined_advice(condition, self._run.state, self._derived, self._numbers.state)
        if advice is None:
            yield from ERROR
            return
        yield ""
        yield from judgement(self._report)
        yield from ("", "Plan Repair Advice:", "")
        yield f"{ground.action} has an unsatisfied precondition at time {printed(happening.time)}"
        if gives_advice(condition, self._run.state, self._derived):
            yield from advice


class _Numbers:
    """The values of numeric fluents as VAL prints them, computed with numbers in double precision.

    Verdicts hang on exact numbers. Where they let other effects happen than the rounded ones do, or where these get
    too long to compute with, the exact ones are printed from there on.
    """

    def __init__(self, simulator: Simulator):
        self._rounded = _in_doubles(simulator)
        self.state = (self._rounded or simulator).initial
        """The state whose numbers are printed."""

    def shown(self, actions: Sequence[GroundAction], executed: Executed) -> tuple[Sequence[Outcome], State]:
        """The effects of a happening with the amounts to print, and the state before; goes on to the next state."""
        before, outcomes = self.state, executed.outcomes
        self.state = executed.state
        if self._rounded is not None:
            try:
                shown = [self._rounded.ground(action).outcome(before) for action in actions]
                after = self._rounded.apply(before, shown)
            except (UndefinedError, UnsupportedError):
                shown = []
            if list(map(_but_for_amounts, shown)) == list(map(_but_for_amounts, outcomes)):
                self.state = after
                return shown, before
            self._rounded, before = None, executed.before
        return outcomes, before


def _but_for_amounts(outcome: Outcome) -> tuple[object, ...]:
    updates = [(change.fluent, change.operator) for change in outcome.updates]
    return outcome.deletes, outcome.adds, updates
