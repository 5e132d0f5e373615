"""Verdicts on random temporal tasks are those of a simulator that walks through time in small steps.

It knows nothing of happenings, crossings or causes: it holds sets of names and looks at every twelfth of a unit of
time. Times and rates are whole numbers, at most three rates add up, so that all comparisons cross on that grid.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import parse_task
from pddlval import validate

ATOMS = ("p", "q", "r")
GRID = Fraction(1, 12)

Literals = tuple[tuple[str, bool], ...]


class Change(NamedTuple):
    """What one end of an action, or a timed literal, needs and does."""

    needs: Literals = ()
    sets: Literals = ()
    adds: int = 0
    """By how much the number f grows."""
    reads: int | None = None
    """The least value of f that it needs."""


class Durative(NamedTuple):
    start: Change
    over_all: Literals
    least: int | None
    """The least value of f over all of it."""
    end: Change
    rate: int
    duration: int


class Step(NamedTuple):
    time: int
    action: int


literals = st.dictionaries(st.sampled_from(ATOMS), st.booleans(), max_size=2).map(lambda d: tuple(d.items()))
changes = st.builds(Change, literals, literals, st.integers(-2, 2), st.none() | st.integers(-2, 2))
actions = st.builds(
    Durative,
    changes,
    st.dictionaries(st.sampled_from(ATOMS), st.booleans(), max_size=1).map(lambda d: tuple(d.items())),
    st.none() | st.integers(-2, 2),
    changes,
    st.integers(-1, 1),
    st.integers(1, 3),
)
steps = st.builds(Step, st.integers(1, 5), st.integers(0, 2))
timed = st.lists(st.tuples(st.integers(1, 6), st.sampled_from(ATOMS), st.booleans()), max_size=2)


# ── the simulator ────────────────────────────────────────────────────────────────────────────────


def interfere(one: Change, other: Change) -> bool:
    """Whether two changes may not happen at one time (Fox and Long 2003, definition 12)."""
    sets_one, sets_other = dict(one.sets), dict(other.sets)
    if any(atom in sets_other for atom, _ in one.needs) or any(atom in sets_one for atom, _ in other.needs):
        return True
    if any(sets_other.get(atom, value) is not value for atom, value in one.sets):
        return True
    return (one.reads is not None and other.adds != 0) or (other.reads is not None and one.adds != 0)


def reached(true: set[str], number: Fraction, needs: Literals, least: int | None) -> bool:
    return all((atom in true) is value for atom, value in needs) and (least is None or number >= least)


def valid(actions: list[Durative], plan: list[Step], init: set[str], literals: list[tuple[int, str, bool]]) -> bool:
    true, number = set(init), Fraction(0)
    running: list[tuple[Step, Durative]] = []
    ends = [step.time + actions[step.action].duration for step in plan]
    last = max([*ends, *[time for time, _, _ in literals], 0])
    for tick in range(int(last / GRID) + 1):
        time = tick * GRID
        if tick:
            number += sum(action.rate for _, action in running) * GRID
        for step, action in running:
            if step.time < time < step.time + action.duration and not reached(
                true, number, action.over_all, action.least
            ):
                return False
        now = [Change(sets=((atom, value),)) for at, atom, value in literals if at == time]
        now += [actions[step.action].start for step in plan if step.time == time]
        now += [actions[step.action].end for step in plan if step.time + actions[step.action].duration == time]
        if not all(reached(true, number, change.needs, change.reads) for change in now):
            return False
        if any(interfere(one, other) for one, other in combinations(now, 2)):
            return False
        for change in now:
            true = (true | {atom for atom, value in change.sets if value}) - {
                atom for atom, value in change.sets if not value
            }
            number += change.adds
        running = [item for item in running if item[0].time + item[1].duration != time]
        running += [(step, actions[step.action]) for step in plan if step.time == time]
        for step, action in running:
            # Behind a happening too, where an action has been running before it.
            if step.time < time and not reached(true, number, action.over_all, action.least):
                return False
    return True


# ── the same task as PDDL ────────────────────────────────────────────────────────────────────────


def condition(when: str, needs: Literals, least: int | None) -> str:
    parts = [f"({when} ({atom}))" if value else f"({when} (not ({atom})))" for atom, value in needs]
    if least is not None:
        parts.append(f"({when} (>= (f) {least}))" if least >= 0 else f"({when} (>= (f) (- {-least})))")
    return " ".join(parts)


def effect(when: str, change: Change) -> str:
    parts = [f"({when} ({atom}))" if value else f"({when} (not ({atom})))" for atom, value in change.sets]
    if change.adds:
        operator = "increase" if change.adds > 0 else "decrease"
        parts.append(f"({when} ({operator} (f) {abs(change.adds)}))")
    return " ".join(parts)


def as_pddl(number: int, action: Durative) -> str:
    conditions = (
        condition("at start", action.start.needs, action.start.reads),
        condition("over all", action.over_all, action.least),
        condition("at end", action.end.needs, action.end.reads),
    )
    rate = "" if not action.rate else f"({'increase' if action.rate > 0 else 'decrease'} (f) (* #t 1))"
    effects = (effect("at start", action.start), effect("at end", action.end), rate)
    return (
        f"(:durative-action a{number} :parameters () :duration (= ?duration {action.duration})"
        f" :condition (and {' '.join(conditions)}) :effect (and {' '.join(effects)}))"
    )


@settings(max_examples=80)
@given(
    st.lists(actions, min_size=3, max_size=3),
    st.lists(steps, min_size=1, max_size=3, unique_by=lambda step: step.action),
    st.sets(st.sampled_from(ATOMS)),
    timed,
)
def test_verdicts_are_those_of_small_steps(
    made: list[Durative], plan: list[Step], init: set[str], literals: list[tuple[int, str, bool]]
) -> None:
    if any(one[:2] == other[:2] and one[2] is not other[2] for one, other in combinations(literals, 2)):
        literals = literals[:1]
    domain = (
        "(define (domain d) (:requirements :adl :durative-actions :fluents :continuous-effects"
        f" :timed-initial-literals) (:predicates (p) (q) (r)) (:functions (f)) {''.join(map(as_pddl, range(3), made))})"
    )
    facts = [f"({atom})" for atom in sorted(init)]
    facts += [f"(at {time} ({atom}))" if value else f"(at {time} (not ({atom})))" for time, atom, value in literals]
    task = parse_task(domain, f"(define (problem x) (:domain d) (:init {' '.join(facts)} (= (f) 0)) (:goal (and)))")
    text = "\n".join(f"{step.time}: (a{step.action}) [{made[step.action].duration}]" for step in plan)
    assert validate(task, text).valid is valid(made, plan, init, literals), text
