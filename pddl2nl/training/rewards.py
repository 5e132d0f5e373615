"""What a reply with a plan is worth: numbers from 0 to 1, computed by the reader and the validator, for any domain.

==========  =========================================================================================================
reward      value
==========  =========================================================================================================
format      1 if every line of the plan was read and stands between the plan's tags; 0.5 if all was read and there
            are no tags, or they do not end; 0 if a line was not read or there is no plan
prefix      the share of the plan's lines that can be executed, up to the first that cannot be read or applied
goals       of the goal's conditions that do not hold in the initial state, the share that holds after that prefix
validity    1 for a valid plan, 0 for any other
length      ``optimum / cost`` of a valid plan, at most 1; 0 for any other plan, and where the optimum is unknown
==========  =========================================================================================================

Where the initial state is no solution, an empty plan between the tags earns its format and nothing else.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import takewhile

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.nl import Names, Reader, wording_from_json
from pddl2nl.nl.markers import PLAN_START
from pddl2nl.pddl import Domain, Task, parse_domain, parse_problem
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.reporting import satisfied
from pddl2nl.policies.setting import ActionReader
from pddlval import Report, Simulator, State, validate
from pddlval.simulator import simulator_of


class RewardColumns(msgspec.Struct, frozen=True):
    """What a reward needs to know of a reply's task, in columns that every file of rows can hold.

    Attributes:
        domain, problem: PDDL texts.
        wording, names: JSON texts: the wording, and the told name of each object by its PDDL name; empty for replies
            in PDDL.
        optimum: the cost of an optimal plan, or of the best that is known; None if unknown.
    """

    domain: str
    problem: str
    wording: str = ""
    names: str = ""
    optimum: float | None = None


@dataclass(frozen=True)
class PlanRewards:
    """The rewards of a reply; see the module."""

    format: float
    prefix: float
    goals: float
    validity: float
    length: float

    def as_json(self) -> dict[str, float]:
        """The rewards by name."""
        return asdict(self)


REWARDS = tuple(field.name for field in fields(PlanRewards))
"""The names of the rewards."""


@lru_cache(maxsize=4096)
def plan_rewards(reply: str, columns: RewardColumns) -> PlanRewards:
    """The rewards of a reply to a task.

    The last replies are kept: a trainer asks for each reward of the same replies in turn.

    Raises:
        InputError: a column cannot be read, or the optimum is no number from 0 on.
        UnsupportedError: the task has a construct that cannot be executed.
    """
    if columns.optimum is not None and not (math.isfinite(columns.optimum) and columns.optimum >= 0):
        raise InputError(f"optimum: expected a cost from 0 on, found {columns.optimum}")
    task, reader = _task_and_reader(columns.domain, columns.problem, columns.wording, columns.names)
    readings = reader.read(reply)
    lines = readings.chosen
    actions = [line.action for line in takewhile(lambda line: line.status == "read", lines) if line.action is not None]
    report = validate(task, actions)
    executed = len(actions) if report.failed_step is None else report.failed_step - 1
    valid = report.valid and readings.complete
    # Without a line an empty plan is meant only where the tags say so.
    meant = bool(lines) or (readings.ended and PLAN_START in reply)
    return PlanRewards(
        format=0.0 if not (meant and readings.complete) else 1.0 if readings.ended else 0.5,
        prefix=executed / len(lines) if lines else 0.0,
        goals=_goals_reached(simulator_of(task), report),
        validity=float(valid and meant),
        length=_length(report, columns.optimum) if valid and meant else 0.0,
    )


def _goals_reached(simulator: Simulator, report: Report) -> float:
    state = report.state
    if not isinstance(state, State):
        return 0.0
    goal = simulator.task.problem.goal
    before, conditions = satisfied(goal, simulator.initial)
    after, _ = satisfied(goal, state)
    return max(after - before, 0) / (conditions - before) if conditions > before else float(after == conditions)


def _length(report: Report, optimum: float | None) -> float:
    if optimum is None or report.cost is None:
        return 0.0
    return min(optimum / float(report.cost), 1.0) if report.cost > 0 else 1.0


@lru_cache(maxsize=256)
def _task_and_reader(domain: str, problem: str, wording: str, names: str) -> tuple[Task, ActionReader]:
    read = _domain(domain)
    task = Task(read, parse_problem(problem, read))
    if not wording:
        return task, PDDLReader(simulator_of(task))
    try:
        words, told = json.loads(wording), msgspec.json.decode(names or "{}", type=dict[str, str])
    except (ValueError, RecursionError) as error:
        raise InputError(f"columns wording and names: expected JSON objects: {error}") from error
    if unnamed := [name for name in task.objects if name not in told]:
        raise InputError(f"column names: the object {unnamed[0]} of the problem has no name")
    return task, Reader(task, wording_from_json(words, read, "column wording"), Names(told, "recorded"))


@lru_cache(maxsize=32)
def _domain(text: str) -> Domain:
    return parse_domain(text)
