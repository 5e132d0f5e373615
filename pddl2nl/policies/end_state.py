"""The state at the end of a run, and how many conditions of the goal hold in it: for the metrics of several families.

The state is the initial one with the changes of the executed actions, as they were observed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from pddl2nl.errors import InputError
from pddl2nl.pddl import (
    And,
    Condition,
    Equality,
    Exists,
    Forall,
    GroundAtom,
    Not,
    Or,
    Task,
    parse_domain,
    parse_problem,
)
from pddl2nl.policies.events import Acted
from pddl2nl.policies.reporting import ScoredRun
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.semantics import Binding, World, choices, holds
from pddlval.simulator import simulator_of

_CHANGED = re.compile(r"\(= \((?P<fluent>[^()]*)\) (?P<value>[^()\s]+)\)")


def goal_reached(run: ScoredRun) -> float | None:
    """SR: 100 if the goal holds at the end, else 0. It is 100 exactly if `conditions_met` is."""
    end = end_of(run)
    return None if end is None else 100.0 * end[0].is_goal(end[1])


def conditions_met(run: ScoredRun) -> float | None:
    """GCR, also called GC: ``100 · satisfied goal conditions / goal conditions`` at the end.

    Example: coffeepot and cupcake shall be on the table, and only the cupcake is: 50.
    """
    end = end_of(run)
    if end is None:
        return None
    met, conditions = satisfied(end[0].task.problem.goal, end[1])
    return 100 * met / conditions if conditions else 100.0


def satisfied(goal: Condition, state: World) -> tuple[int, int]:
    """How many of a goal's conditions hold, and how many there are.

    The conditions are the literals of its conjunctions and of all instances of ``forall``; of an ``or`` or ``exists``
    those of the alternative of which the greatest share holds, the first of several. That objects are equal or differ
    is no condition, because no action can make it so: alternatives in which it is otherwise do not count.
    """
    return _satisfied(negation_normal(goal), state, {}) or (0, 1)


def _satisfied(goal: Condition, state: World, binding: Binding) -> tuple[int, int] | None:
    """The numbers; None if the goal asks of objects that they are equal or differ, and they do not."""
    match goal:
        case And(parts):
            counts = [_satisfied(part, state, binding) for part in parts]
        case Forall(parameters, body):
            counts = [_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding)]
        case Or(parts):
            return _best(_satisfied(part, state, binding) for part in parts)
        case Exists(parameters, body):
            return _best(_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding))
        case Equality() | Not(Equality()):
            return (0, 0) if holds(goal, state, binding) else None
        case _:
            return int(holds(goal, state, binding)), 1
    found = [count for count in counts if count is not None]
    return (sum(met for met, _ in found), sum(each for _, each in found)) if len(found) == len(counts) else None


def _best(counts: Iterable[tuple[int, int] | None]) -> tuple[int, int]:
    """The alternative with the greatest share; none of one if there are no alternatives."""
    possible = (count for count in counts if count is not None)
    return max(possible, key=lambda count: Fraction(*count) if count[1] else Fraction(1), default=(0, 1))


def end_of(run: ScoredRun) -> tuple[Simulator, State] | None:
    """The task, and the state at the end of a run; None if the changes in a foreign record do not fit its task."""
    try:
        simulator = simulator_of(_task(run.started.domain_pddl, run.started.problem_pddl))
        atoms, values = set(simulator.initial.atoms), dict(simulator.initial.values)
        for event in run.counted:
            if isinstance(event, Acted):
                atoms.difference_update(map(_atom, event.deleted))
                atoms.update(map(_atom, event.added))
                changed = filter(None, map(_CHANGED.fullmatch, event.changed))
                values.update((_atom(each["fluent"]), Fraction(each["value"])) for each in changed)
        return simulator, simulator.state(atoms, values)
    except InputError:
        return None


@lru_cache(maxsize=64)
def _task(domain_pddl: str, problem_pddl: str) -> Task:
    domain = parse_domain(domain_pddl)
    return Task(domain, parse_problem(problem_pddl, domain))


def _atom(text: str) -> GroundAtom:
    return GroundAtom(text.strip("()").split())
