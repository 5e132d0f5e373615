"""The simulator that policies act in: of any task that is executed, with or without time."""

from __future__ import annotations

from pddl2nl.pddl import Task
from pddlval.simulator import Simulator
from pddlval.unsupported import is_executable


def acting_simulator(task: Task) -> Simulator:
    """The simulator in which a policy acts: of a task with time, one in which an action follows the other.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    if is_executable(task):
        return Simulator(task, checked=True)
    from pddlval.temporal.sequences import TimedSimulator

    return TimedSimulator(task)
