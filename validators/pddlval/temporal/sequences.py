"""Acting one action after the other in a task with time, and scheduling a sequence of actions as early as possible."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from pddl2nl.pddl import ActionSchema, And, Fluent, FluentValue, Function, Number, Task, Update
from pddlval.numeric import UndefinedError, evaluate
from pddlval.plans import GroundAction, Plan, PlanStep
from pddlval.schemas import Change, Outcome
from pddlval.simulator import CLOCK, Simulator, StepResult, metric_value
from pddlval.state import State
from pddlval.temporal.execution import TimedRun
from pddlval.temporal.lowering import TimedTask, timed_task_of, with_duration
from pddlval.temporal.trajectory import Moment

GAP = Fraction(1, 1000)
"""How long after another action one begins: actions that touch may interfere."""
_MOST = 100_000
_TRIES = 2_000
"""So many times for actions are tried to schedule a sequence."""


class TimedSimulator(Simulator):
    """A simulator for tasks with time, in which one action follows the other; states hold the time as a fluent.

    An action begins `GAP` after the state's time, lasts as short as its constraints allow, and leads to the state at
    its end. Timed initial literals happen at their times. Trajectory constraints are not looked at.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """

    def __init__(self, task: Task):
        self._timed = TimedTask(_with_clock(task))
        super().__init__(self._timed.simulator.task)

    def step(self, state: State, action: GroundAction | str) -> StepResult:
        """Executes an action from its start to its end; the state itself stays as it is."""
        self._mine(state)
        ground = self.ground(action)
        begin = Fraction(state.level(CLOCK) or 0)
        duration = _duration(self._timed, ground.action, state)
        step = PlanStep(ground.action, begin + GAP, duration)
        run = TimedRun(self._timed, Plan((step,)), Fraction(0), begin=Moment(begin, state)).run()
        if run.report.verdict == "inapplicable":
            return StepResult(ground.action, None, run.report.unmet)
        end = begin + GAP + (duration or 0)
        after = self.apply(run.state, (Outcome(updates=(Change(CLOCK, "assign", end),)),))
        return StepResult(ground.action, after, before=state)

    def _after(self, state: State, action: GroundAction | str) -> State | None:
        return self.step(state, action).successor

    def is_applicable(self, state: State, action: GroundAction | str) -> bool:
        """Whether an action can be executed from its start to its end."""
        return self.step(state, action).applicable

    def applicable(self, state: State) -> Iterator[GroundAction]:
        """The actions that can be executed, in the order of `Simulator.applicable`."""
        # The clock and timed literals have blanks in their names.
        named = (one for one in super().applicable(state) if " " not in one.name)
        return (one for one in named if self.is_applicable(state, one))

    def sample(self, state: State, rng: random.Random) -> GroundAction | None:
        """An action that can be executed, each with the same probability, or None."""
        actions = list(islice(self.applicable(state), _MOST))
        return rng.choice(actions) if actions else None

    def cost(self, state: State) -> Fraction | None:
        """The metric's value in a state, without violations of preferences; None where the problem has no metric."""
        metric = self._timed.task.problem.metric
        return None if metric is None else metric_value(metric, state, Fraction(state.level(CLOCK) or 0), {})


_TICK = "the clock"


def _with_clock(task: Task) -> Task:
    clock = Fluent(CLOCK[0])
    # An action that no plan can name: with it the fluent is one that changes.
    tick = ActionSchema(_TICK, (), And(), Update("increase", clock, Number(Fraction(1))))
    domain, problem = task.domain, task.problem
    return Task(
        replace(domain, functions=(*domain.functions, Function(CLOCK[0])), actions=(*domain.actions, tick)),
        replace(problem, init_values=(*problem.init_values, FluentValue(CLOCK, Fraction(0)))),
    )


def _duration(timed: TimedTask, action: GroundAction, state: State) -> Fraction | None:
    """The shortest duration that the constraints allow in a state, without a lower bound the longest; None for none."""
    durative = timed.durative.get(action.name)
    if durative is None:
        return None
    binding = dict(zip([one.name for one in durative.node.parameters], action.args, strict=True))
    bounds: dict[str, list[Fraction]] = {"=": [], ">": [], ">=": [], "<": [], "<=": []}
    for constraint in (*durative.durations["start"], *durative.durations["end"]):
        try:
            limit = evaluate(with_duration(constraint.right, Fraction(0)), state.level, binding)
        except UndefinedError:
            # The execution of the action reports it.
            continue
        bounds[constraint.operator].append(Fraction(limit))
    low = [*bounds["="], *bounds[">="], *[limit + GAP for limit in bounds[">"]]]
    high = [*bounds["<="], *[limit - GAP for limit in bounds["<"]]]
    return max(low) if low else min(high) if high else Fraction(1)


def schedule(task: Task, actions: Sequence[GroundAction]) -> Plan:
    """The actions with times: none starts before the one before it, and each as early as all others allow.

    After too many tries, or where no times will do, each comes after the end of all before it.

    Raises:
        UnsupportedError: the task has a construct that cannot be executed.
    """
    timed = timed_task_of(task, Fraction(0))
    tries = _TRIES

    def placed(steps: tuple[PlanStep, ...], rest: Sequence[GroundAction]) -> tuple[PlanStep, ...] | None:
        nonlocal tries
        if not rest:
            return steps
        for time in _times(task, steps):
            if not tries:
                break
            tries -= 1
            longer = (*steps, _placed(timed, steps, rest[0], time))
            if TimedRun(timed, Plan(longer), Fraction(0)).run().report.verdict != "inapplicable":
                whole = placed(longer, rest[1:])
                if whole is not None:
                    return whole
        return None

    steps = placed((), actions)
    if steps is None:
        steps = tuple[PlanStep, ...]()
        for action in actions:
            end = max([_end(step) for step in steps], default=Fraction(0))
            steps = (*steps, _placed(timed, steps, action, end + GAP))
    return Plan(steps)


def _times(task: Task, steps: Sequence[PlanStep]) -> list[Fraction]:
    """The times at which a next action could start first: with the last one, and after all that happens."""
    latest = (steps[-1].time or GAP) if steps else GAP
    after = [*[literal.time for literal in task.problem.init_timed], *map(_end, steps)]
    return sorted({latest, *[time + GAP for time in after if time + GAP > latest]})


def _end(step: PlanStep) -> Fraction:
    return (step.time or Fraction(0)) + (step.duration or 0)


def _placed(timed: TimedTask, steps: tuple[PlanStep, ...], action: GroundAction, time: Fraction) -> PlanStep:
    """An action at a time, with the duration that it has in the state of that time."""
    before = TimedRun(timed, Plan(steps), Fraction(0), until=time).run()
    return PlanStep(action, time, _duration(timed, action, before.state))
