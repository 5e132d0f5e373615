"""A plan in time: which ends of which actions happen when, and what is wrong with its times.

Exactly, what has the same time happens together. With a tolerance, as in VAL, times are doubles, and what comes within
a tenth of the tolerance after the first of a happening belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count
from operator import attrgetter
from typing import NamedTuple

from pddl2nl.pddl import Diagnostic, TimedLiteral, write_number
from pddlval.numeric import as_float
from pddlval.plans import Plan
from pddlval.temporal.lowering import Durative


class TimedEvent(NamedTuple):
    """One action, one end of a durative action, or a timed initial literal.

    ``step`` is the place of the action in the plan, or of the literal among the timed ones, from 1; ``phase`` is
    ``action``, ``start``, ``end`` or ``literal``.
    """

    time: Fraction
    step: int
    phase: str


class TimedHappening(NamedTuple):
    """Events that happen at one time."""

    time: Fraction
    events: tuple[TimedEvent, ...]


def timeline(
    plan: Plan, durative: Mapping[str, Durative], literals: tuple[TimedLiteral, ...], tolerance: Fraction
) -> list[TimedHappening]:
    """The happenings of a plan, in the order of time; events of the same time stay in the order of the file.

    Args:
        plan: the plan; an untimed step happens at the number that it has among the untimed ones.
        durative: the durative actions by name; a step of one without a duration takes no time.
        literals: the timed initial literals.
        tolerance: of times; 0 is exact.
    """
    events = sorted(_events(plan, durative, literals, rounded=bool(tolerance)), key=attrgetter("time"))
    close = float(tolerance) / 10
    groups: list[list[TimedEvent]] = []
    for event in events:
        first = groups[-1][0] if groups else None
        if first is not None and (
            event.time == first.time or (close and as_float(event.time) <= as_float(first.time) + close)
        ):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [TimedHappening(group[0].time, tuple(group)) for group in groups]


def _events(
    plan: Plan, durative: Mapping[str, Durative], literals: tuple[TimedLiteral, ...], *, rounded: bool
) -> Iterator[TimedEvent]:
    for number, literal in enumerate(literals, start=1):
        yield TimedEvent(_rounded(literal.time) if rounded else literal.time, number, "literal")
    untimed = count(1)
    for number, step in enumerate(plan.steps, start=1):
        time = Fraction(next(untimed)) if step.time is None else step.time
        start = _rounded(time) if rounded else time
        if step.action.name in durative:
            duration = step.duration or Fraction(0)
            yield TimedEvent(start, number, "start")
            # Of doubles the sum is rounded again, as in VAL.
            end = Fraction(float(start) + as_float(duration)) if rounded else time + duration
            yield TimedEvent(end, number, "end")
        else:
            yield TimedEvent(start, number, "action")


def _rounded(time: Fraction) -> Fraction:
    return Fraction(as_float(time))


def timing_problems(plan: Plan, durative: Mapping[str, Durative], tolerance: Fraction) -> Iterator[Diagnostic]:
    """What is wrong with the times of a plan, whatever the state: errors that make it a bad plan."""
    for number, step in enumerate(plan.steps, start=1):
        duration, problem = step.duration or Fraction(0), ""
        if step.time is not None and step.time < 0:
            problem = f"it happens at {write_number(step.time)}, before the plan begins"
        elif duration < 0:
            problem = f"its duration is negative, {write_number(duration)}"
        elif step.action.name not in durative and duration > tolerance:
            problem = f"'{step.action.name}' takes no time, but the plan gives it the duration {write_number(duration)}"
        if problem:
            text = f"{step.action}: {problem}"
            yield Diagnostic("error", plan.name, step.line, step.column, text, path=f"in step {number}")
