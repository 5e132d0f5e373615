"""Whether a plan holds, and if not, where and why: it is executed, and the report gives the result."""

from __future__ import annotations

from fractions import Fraction

from pddl2nl.pddl import PDDLError, Task
from pddlval.execution import PlanRun
from pddlval.plans import PlanLike, as_plan
from pddlval.report import Report
from pddlval.simulator import Simulator, plain_simulator_of
from pddlval.unsupported import is_executable


def validate(
    task: Task,
    plan: PlanLike,
    name: str = "<plan>",
    tolerance: Fraction = Fraction(0),
    time_tolerance: Fraction = Fraction(0),
) -> Report:
    """Judges a plan: executes it from the initial state and checks the goal.

    Args:
        task: the task; it is compiled at the first call and kept, so that many plans are judged fast.
        plan: a plan, the text of a plan file, or ground actions in order, which may be texts, ``(pick-up a)``.
        name: what the plan is called where its text is reported.
        tolerance: by how much numbers may differ in comparisons and still be equal. They are compared exactly
            unless VAL's `VAL_TOLERANCE` is given.
        time_tolerance: by how much durations may miss; what is a tenth of it apart happens at the same time. VAL's
            is `VAL_TIME_TOLERANCE`. It is for tasks with durative actions or timed literals.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    simulator = plain_simulator_of(task, tolerance)
    if simulator is None:
        from pddlval.temporal import judge

        return judge(task, plan, name, tolerance, time_tolerance)
    try:
        return PlanRun(simulator, as_plan(plan, name)).run().report
    except PDDLError as error:
        return Report("bad-plan", diagnostics=error.diagnostics)


def acting_simulator(task: Task) -> Simulator:
    """The simulator in which a policy acts: of a task with time, one in which an action follows the other.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    if is_executable(task):
        return Simulator(task, checked=True)
    from pddlval.temporal.sequences import TimedSimulator

    return TimedSimulator(task)
