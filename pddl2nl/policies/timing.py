"""Plans with time out of replies: the times that the lines give, or a schedule of their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from pddl2nl.nl import Reading
from pddl2nl.pddl import Task
from pddlval import GroundAction, Plan
from pddlval.plans import PlanStep
from pddlval.temporal.sequences import schedule

_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_TIME = re.compile(rf"\W*(?:at\s+(?:time\s+)?)?{_NUMBER}\s*[:,]\s", re.IGNORECASE)
_DURATION = re.compile(rf"(?:,\s*for\s+{_NUMBER}|\[\s*{_NUMBER}\s*\])\W*$", re.IGNORECASE)


def timed_plan(text: str, lines: Sequence[Reading], task: Task) -> Plan:
    """The plan of a reply whose lines were all read.

    Its times and durations count if every line has a time and every line with a durative action a duration, as
    ``at 0.5, drive truck_0 to hub_1, for 5`` or ``0.5: (drive t0 h1) [5]``. Otherwise the lines are a sequence, which
    is scheduled (`pddlval.temporal.sequences.schedule`): a number alone may be that of a list.
    """
    actions = [reading.action for reading in lines if reading.action is not None]
    given = text.splitlines()
    durative = {node.name for node in task.domain.durative_actions}
    steps = [_timed(action, given[reading.line - 1]) for action, reading in zip(actions, lines, strict=True)]
    whole = all(
        step.time is not None and (step.duration is not None or step.action.name not in durative) for step in steps
    )
    return Plan(tuple(sorted(steps, key=_time))) if steps and whole else schedule(task, actions)


def _time(step: PlanStep) -> Fraction:
    return step.time or Fraction(0)


def _timed(action: GroundAction, line: str) -> PlanStep:
    time, duration = _TIME.match(line), _DURATION.search(line)
    return PlanStep(
        action,
        None if time is None else Fraction(time[1]),
        None if duration is None else Fraction(duration[1] or duration[2]),
    )
