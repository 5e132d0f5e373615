"""The random baseline of the AutoPlanBench paper: a uniform walk over the applicable actions."""

from __future__ import annotations

import random
import time

from pddl2nl.baselines.result import PlannerResult
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.pddl import Task
from pddlval import GroundAction, Simulator, validate

DEFAULT_STEPS = 100
"""The default limit of actions."""


def walk(task: Task, steps: int = DEFAULT_STEPS, seed: int = 1, *, time_limit: int | None = None) -> PlannerResult:
    """Takes applicable actions, chosen uniformly, until the goal holds or a limit is reached.

    The walk is the same for the same task, steps and seed. Its status is ``timeout`` if steps or time ran out, or if no
    action was applicable; the message says which. ``expanded`` counts the states from which an action was taken.

    Args:
        task: the task.
        steps: the most actions.
        seed: of the random generator.
        time_limit: seconds of wall time.

    Raises:
        InputError: an impossible limit.
        UnsupportedError: the simulator does not execute the task.
    """
    if steps < 0:
        raise InputError(f"a walk has at least 0 steps; found {steps}")
    if time_limit is not None and time_limit < 1:
        raise InputError(f"a time limit is a whole number of seconds, at least 1; found {time_limit}")
    began, used = time.monotonic(), time.thread_time()
    rng = random.Random(seed)
    simulator = Simulator(task)
    state = simulator.initial
    walk = simulator.walk(state, rng)
    taken: list[GroundAction] = []
    message = ""
    while not simulator.is_goal(state):
        if len(taken) == steps:
            message = f"the goal was not reached within {steps} steps"
            break
        if time_limit is not None and time.monotonic() - began > time_limit:
            message = f"the goal was not reached within {time_limit} s"
            break
        step = next(walk, None)
        if step is None:
            message = f"no action is applicable after {len(taken)} steps"
            break
        taken.append(step[0])
        state = step[1]
    seconds, wall_seconds = time.thread_time() - used, time.monotonic() - began
    search = f"uniform random walk, seed {seed}"
    if message:
        return PlannerResult("random", "timeout", None, None, seconds, len(taken), search, message, wall_seconds)
    report = validate(task, tuple(taken))
    if not report.valid:
        raise InfrastructureError(
            f"the simulator and the validator disagree on problem '{task.problem.name}': "
            f"a walk of {len(taken)} steps that reached the goal is judged {report.verdict}"
        )
    return PlannerResult("random", "solved", tuple(taken), report.cost, seconds, len(taken), search, "", wall_seconds)
