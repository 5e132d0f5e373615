"""A task that is read from a prompt, so that the oracle knows only what the prompt says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.nl import Names, Reader, Teller, Wording
from pddl2nl.nl.reading.told import NLReadError, read_problem, read_state
from pddl2nl.nl.telling.teller import Style
from pddl2nl.once import Once
from pddl2nl.pddl import (
    Domain,
    GroundAtom,
    PDDLError,
    Problem,
    Task,
    parse_problem,
    write_problem,
)
from pddlval import GroundAction, Simulator, State

_SOURCE = "<the task as told>"
_LAMA_SECONDS = 60
"""LAMA runs first: told names change how a search breaks ties, and FF alone can spend minutes on a plateau
(visitall-sat11 problem16: 3 s with the file's names, over 60 s with the told ones)."""


class ToldTaskError(InputError):
    """The told text is not a task of the domain, or a task without a plan (`NoToldPlanError`)."""


class NoToldPlanError(ToldTaskError):
    """The told task has no plan, or it contradicts what has happened since."""


class ToldTask:
    """A task with its told names, and plans for it.

    Args:
        problem: the problem, with the told names of its objects.
        domain: its domain.
        wording: the wording of the prompt.
        style: ``nl`` or ``pddl``.
    """

    def __init__(self, problem: Problem, domain: Domain, wording: Wording, style: Style):
        task = Task(domain, problem)
        names = Names({name: name for name in task.objects})
        self.simulator = Simulator(task)
        self.teller = Teller(task, wording, names, style)
        self.reader = Reader(task, wording, names)
        self._style = style
        self._wording = wording
        self._plans: dict[State, tuple[GroundAction, ...] | None] = {}

    @property
    def task(self) -> Task:
        """The task, with its told names."""
        return self.simulator.task

    def plan_from(self, state: State, time_limit: int | None = None) -> tuple[GroundAction, ...]:
        """A plan from a state of this task, by LAMA, or by FF where LAMA takes long.

        It is found once, and then remembered for every state on its way.

        Raises:
            NoToldPlanError: the told task has no plan.
            InfrastructureError: the planner failed or ran into a limit.
        """
        if state not in self._plans:
            task = self.task
            if state != self.simulator.initial:
                task = Task(task.domain, problem_in_state(task.problem, state, state.values))
            self._remember(state, _plan_of(task, time_limit))
        plan = self._plans[state]
        if plan is None:
            raise NoToldPlanError("by what I was told, the goal cannot be reached")
        return plan

    def lacking(self, fact: GroundAtom) -> ToldTask:
        """The same task without a fact of its initial state."""
        init = tuple(atom for atom in self.task.problem.init if atom != fact)
        return ToldTask(replace(self.task.problem, init=init), self.task.domain, self._wording, self._style)

    def continues(self, other: ToldTask) -> bool:
        """Whether this task starts in a state of another told task's plan; then the rest of that plan is kept.

        Two searches may find different plans, and planning anew in each state could go back and forth forever.
        """
        mine, its = self.task.problem, other.task.problem
        if (mine.goal, mine.objects, mine.metric) != (its.goal, its.objects, its.metric):
            return False
        initial = self.simulator.initial
        try:
            state = other.simulator.state(initial.atoms, initial.values)
        except InputError:
            return False
        plan = other._plans.get(state)
        if plan is None or state.atoms != initial.atoms or state.values != initial.values:
            return False
        self._remember(initial, plan)
        return True

    def _remember(self, state: State, plan: tuple[GroundAction, ...] | None) -> None:
        self._plans[state] = plan
        if plan is not None:
            for position, reached in enumerate(self._states(state, plan)):
                self._plans.setdefault(reached, plan[position:])

    def seen(self, text: str) -> ToldTask:
        """The same task from the state that a text tells (the answer to "look around").

        Raises:
            ToldTaskError: the text tells no state of it.
        """
        task = self.task
        # The goal, repeated below it, is the same.
        told_state = text.partition("\n\n")[0]
        try:
            if self._style == "pddl":
                told = _parse_blocks("(:goal (and))", self.teller.objects_text(), told_state, domain=task.domain)
                problem = replace(task.problem, init=told.init, init_values=told.init_values, init_negative=())
            else:
                state = read_state(told_state, task.domain, self._wording, task.objects)
                problem = problem_in_state(task.problem, state.atoms, state.values)
        except (NLReadError, PDDLError) as error:
            raise ToldTaskError(f"I do not understand what I see ({_first_line(error)})") from error
        return ToldTask(problem, task.domain, self._wording, self._style)

    def along(self, state: State, plan: Sequence[GroundAction]) -> tuple[State, ...]:
        """The states in which the actions of a plan are taken, one after the other."""
        return self._states(state, plan)[:-1]

    def thought(self, state: State, plan: Sequence[GroundAction]) -> str:
        """A sentence about a plan's first action: the part of the goal that it serves.

        That is the part, missing in the state, that is the first to hold later on.
        """
        missing = self.simulator.unmet_goals(state)
        for number, successor in enumerate(self._states(state, plan)[1:]):
            later = self.simulator.unmet_goals(successor)
            if later == missing:
                continue
            still = set(later)
            reached = next((part for part in missing if part not in still), None)
            if reached is not None:
                served = "this brings it about" if number == 0 else "this prepares it"
                return f"It is still missing that {self.teller.literal(reached)}, and {served}."
        return "What is missing needs some preparation first."

    def _states(self, state: State, plan: Sequence[GroundAction]) -> tuple[State, ...]:
        followed = self.simulator.follow(state, plan)
        if followed.failed is not None:
            raise InfrastructureError(f"the oracle's plan breaks at {followed.failed.action}, though it was validated")
        return followed.states


def _search(task: Task, time_limit: int | None) -> tuple[GroundAction, ...] | None:
    """A plan, or None if the task is unsolvable."""
    patience = _LAMA_SECONDS if time_limit is None else min(_LAMA_SECONDS, time_limit)
    result = solve(task, "lama", time_limit=patience)
    if result.status == "timeout":
        result = solve(task, "ff", time_limit=time_limit)
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(
            f"the oracle has no plan: {result.planner} ended with {result.status}: {result.message}"
        )
    return result.plan


_plan_of = Once(_search, 256)
"""Kept, because other policies and seeds are told the same task."""


def read_told_task(text: str, domain: Domain, wording: Wording) -> ToldTask:
    """The task that a message tells: goal, objects and initial state, a paragraph each, in language or in PDDL.

    Raises:
        ToldTaskError: the text tells no problem of the domain.
        UnsupportedError: the domain or the goal holds what the simulator does not execute.
    """
    style: Style = "pddl" if text.lstrip().startswith("(") else "nl"
    try:
        if style == "pddl":
            problem = _parse_blocks(text, domain=domain)
        else:
            problem = _checked(read_problem(text, domain, wording), domain)
    except (NLReadError, PDDLError) as error:
        raise ToldTaskError(f"I do not understand the task ({_first_line(error)})") from error
    return ToldTask(problem, domain, wording, style)


@lru_cache(maxsize=256)
def _checked(problem: Problem, domain: Domain) -> Problem:
    """A told problem, written and read again, so that it is checked like a problem file. Kept as plans are."""
    return parse_problem(write_problem(problem), domain, _SOURCE)


def _parse_blocks(*blocks: str, domain: Domain) -> Problem:
    """A problem made of the blocks of a problem file, ``(:objects …)`` and the others."""
    text = "\n".join((f"(define (problem told) (:domain {domain.name})", *blocks, ")"))
    return parse_problem(text, domain, _SOURCE)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")
