"""Trajectory constraints of PDDL 3 over the states of a plan (Gerevini and Long 2005, section 3).

A state holds from its time until the time of the next one, the last for ever. Each definition gives the first state
from which on a constraint cannot hold any more; a plan that only fails to fulfil one does so in its last state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from pddl2nl.pddl import And, Condition, Forall, Modal, Not, Or, Preference, Timed
from pddlval.semantics import Binding, choices
from pddlval.state import State

Truth = Sequence[bool]
Times = Sequence[Fraction]


class Moment(NamedTuple):
    """A state of a plan and the time from which it holds."""

    time: Fraction
    state: State


Bound = tuple[Condition, Binding]
"""A condition with the objects of its variables. Compiled conditions are known by identity, so none is substituted."""


def constraints(condition: Condition | None, state: State, binding: Binding) -> Iterator[Bound]:
    """The members of a conjunction of constraints; preferences among them stay whole."""
    match condition:
        case None:
            return
        case And(parts):
            for part in parts:
                yield from constraints(part, state, binding)
        case Forall(parameters, body):
            for chosen in choices(parameters, state, binding):
                yield from constraints(body, state, chosen)
        case _:
            yield condition, binding


def violation(constraint: Condition, binding: Binding, moments: Sequence[Moment]) -> int | None:
    """The number of the first state by which a constraint is violated, from 0; None if it is satisfied."""
    last = len(moments) - 1

    def holds(condition: Condition, moment: Moment) -> bool:
        return moment.state.layout.holds(condition, moment.state, binding)

    match constraint:
        case Preference(body=body):
            return violation(body, binding, moments)
        case And() | Forall():
            found = [violation(*part, moments) for part in constraints(constraint, moments[0].state, binding)]
            return min((one for one in found if one is not None), default=None)
        case Or(parts):
            each = [violation(part, binding, moments) for part in parts]
            return None if None in each else max((one for one in each if one is not None), default=last)
        case Not(body):
            return last if violation(body, binding, moments) is None else None
        case Timed(body=body):
            return None if holds(body, moments[last]) else last
        case Modal(operator, numbers, parts):
            times = [moment.time for moment in moments]
            truths = [[holds(part, moment) for moment in moments] for part in parts]
            return _FIRST[operator](times, *truths, *numbers)
    raise TypeError(f"not a trajectory constraint: {type(constraint).__name__}")


def _first(failing: Iterator[int] | Sequence[int]) -> int | None:
    return next(iter(failing), None)


def _always(times: Times, truth: Truth) -> int | None:
    return _first([i for i, holds in enumerate(truth) if not holds])


def _sometime(times: Times, truth: Truth) -> int | None:
    return None if any(truth) else len(times) - 1


def _at_most_once(times: Times, truth: Truth) -> int | None:
    begins = [i + 1 for i, (before, now) in enumerate(pairwise(truth)) if now and not before]
    return _first(begins if truth[0] else begins[1:])


def _sometime_after(times: Times, trigger: Truth, truth: Truth) -> int | None:
    # What holds after the last trigger holds after all of them.
    triggers = [i for i, holds in enumerate(trigger) if holds]
    return len(times) - 1 if triggers and not any(truth[triggers[-1] :]) else None


def _sometime_before(times: Times, trigger: Truth, truth: Truth) -> int | None:
    return _first([i for i, holds in enumerate(trigger) if holds and not any(truth[:i])])


def _within(times: Times, truth: Truth, deadline: Fraction) -> int | None:
    if any(holds and time <= deadline for time, holds in zip(times, truth, strict=True)):
        return None
    return _late(times, deadline)


def _late(times: Times, deadline: Fraction) -> int:
    return next((i for i, time in enumerate(times) if time > deadline), len(times) - 1)


def _always_within(times: Times, trigger: Truth, truth: Truth, span: Fraction) -> int | None:
    failing = []
    for i, triggered in enumerate(trigger):
        if triggered:
            met = _first(j for j in range(i, len(times)) if truth[j])
            if met is None or times[met] > times[i] + span:
                failing.append(_late(times, times[i] + span))
    return min(failing, default=None)


def _hold_during(times: Times, truth: Truth, begin: Fraction, end: Fraction) -> int | None:
    untils = [*times[1:], None]
    return _first(
        i
        for i, (time, until) in enumerate(zip(times, untils, strict=True))
        if time < end and (until is None or until > begin) and not truth[i]
    )


def _hold_after(times: Times, truth: Truth, begin: Fraction) -> int | None:
    return _first(i for i, until in enumerate([*times[1:], None]) if (until is None or until > begin) and not truth[i])


_FIRST: dict[str, Callable[..., int | None]] = {
    "always": _always,
    "sometime": _sometime,
    "at-most-once": _at_most_once,
    "sometime-after": _sometime_after,
    "sometime-before": _sometime_before,
    "within": _within,
    "always-within": _always_within,
    "hold-during": _hold_during,
    "hold-after": _hold_after,
}
"""Of each operator: the first state that violates it, by times of states, truth of conditions, and numbers."""
