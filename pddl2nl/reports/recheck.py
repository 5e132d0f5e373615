"""Validation of a stored run: its executed actions, replayed from the PDDL texts in its record.

So a page does not have to trust the process that ran it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pddl2nl.pddl import InputError, write_condition
from pddl2nl.policies.episode import changed_values
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_task
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import parse_faults
from pddlval import Cause, GroundAction, validate
from pddlval.simulator import simulator_of

__all__ = ["Change", "Recheck", "changes", "read_task", "recheck"]


@dataclass(frozen=True)
class Recheck:
    """The validator's verdict on the executed actions, and whether it agrees with the stored outcome.

    ``verdict`` is one of `pddlval.Report`'s, ``no-plan`` for a planner without one, or ``not-judged`` with the
    reason in ``note``. ``causes`` say why the goal, or an action, does not hold.
    """

    verdict: str
    agrees: bool
    steps: int
    note: str = ""
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True)
class Change:
    """What one action of a plan added and deleted, as PDDL literals, and which numbers it changed, ``(= (fuel t) 3)``.

    ``unmet`` holds what failed where it was not ``applicable``.
    """

    action: str
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    applicable: bool = True
    changed: tuple[str, ...] = ()


def recheck(record: Record) -> Recheck:
    """Validates the executed actions of a run; never raises for the content of a record.

    A solved run agrees if its plan is valid, any other if its plan is applicable and misses the goal. A one-shot plan
    may also reach the goal before an action that cannot be executed. The actions of a run in a world with faults are
    executed in such a world again.
    """
    steps = len(record.plan)
    if isinstance(record, PlannerRecord) and record.planned.plan is None:
        return Recheck("no-plan", not record.solved, 0)
    try:
        if isinstance(record, RunRecord) and record.started.world.get("faults"):
            return _in_its_world(record)
        report = validate(read_task(record.domain_pddl, record.problem_pddl), _actions(record))
    except InputError as error:
        return Recheck("not-judged", False, steps, str(error))
    missed = not record.solved and report.verdict == "goal-not-satisfied"
    agrees = missed or (report.valid and (record.solved or _breaks_later(record)))
    return Recheck(report.verdict, agrees, steps, causes=report.explanation)


def _in_its_world(record: RunRecord) -> Recheck:
    """The same in a world with the recorded faults, which are deterministic for the same actions."""
    simulator = simulator_of(read_task(record.domain_pddl, record.problem_pddl))
    world = FaultyExecutor(simulator, parse_faults(str(record.started.world["faults"])), seed=record.started.seed)
    state, steps = simulator.initial, len(record.plan)
    for action in _actions(record):
        if simulator.step(state, action).successor is None:
            return Recheck("inapplicable", False, steps)
        state = world.execute(state, action)
    missed = bool(simulator.unmet_goals(state))
    agrees = not record.solved if missed else record.solved or _breaks_later(record)
    return Recheck("goal-not-satisfied" if missed else "valid", agrees, steps)


def _breaks_later(record: Record) -> bool:
    """Whether a one-shot plan continues after the executed actions."""
    broken = record.outcome in ("unreadable", "inapplicable", "budget", "infrastructure-error")
    return isinstance(record, RunRecord) and broken and bool(record.finished.proposed)


def changes(record: Record) -> tuple[Change, ...]:
    """The effects of a record's plan, step by step, up to the first action that is not applicable.

    Raises:
        InputError: the texts or the actions cannot be read, or hold what the simulator does not execute.
    """
    simulator = simulator_of(read_task(record.domain_pddl, record.problem_pddl))
    state = simulator.initial
    found = []
    for action in _actions(record):
        result = simulator.step(state, action)
        after = result.successor
        found.append(
            Change(
                str(action),
                tuple(map(str, result.added)),
                tuple(map(str, result.deleted)),
                tuple(map(write_condition, result.unmet)),
                applicable=after is not None,
                changed=() if after is None else changed_values(simulator, action, state, after),
            )
        )
        if after is None:
            break
        state = after
    return tuple(found)


def _actions(record: Record) -> tuple[GroundAction, ...]:
    return tuple(GroundAction.parse(action) for action in record.plan)
