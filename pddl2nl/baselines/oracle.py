"""The oracle: a model that reads its prompt, plans on what it read, and answers in the prompt's own words.

It is the check that a prompt holds everything that the task says. It gets the same messages as any model and
has, of the task, only these: objects, initial state and goal are read back out of the text by `pddl2nl.nl`, FF
plans on *that* problem, and the plan is told in the wording and in the form that the prompt asks for. What it says
is then read and judged like any model's reply. If it fails, the text lost something. What it holds from the start
is the domain and the wording, which are the same for every task; no plan and no problem reaches it any other way.

It never asks to look around: whatever is missing in the prompt shall show.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pddl2nl.baselines.told_task import ToldTask, ToldTaskError, read_told_task
from pddl2nl.llm import Completion, Message, Request
from pddl2nl.nl.markers import ACTION, DONE, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.wording import Wording
from pddl2nl.pddl import Domain
from validators import GroundAction, State

__all__ = ["OracleModel"]

_KEPT = 32


@dataclass(frozen=True)
class _Form:
    """What the prompt asks for: a whole plan or one action a turn, with thoughts or without."""

    one_shot: bool
    thoughts: bool


@dataclass(frozen=True)
class _Place:
    """Where a conversation has come to: the problem as told last, and the state by the observations."""

    task: ToldTask
    state: State


class OracleModel:
    """A model that plans with FF on the problem that its prompt tells; see this module's text.

    A prompt that cannot be read, and a told problem that has no plan, are answered with a sentence that says so,
    which is then judged like any other reply.

    Args:
        domain: the domain of all tasks it will be asked about.
        wording: how this domain is told.
        time_limit: seconds for each call of the planner; None for no limit.
    """

    def __init__(self, domain: Domain, wording: Wording, *, time_limit: int | None = None):
        self._domain = domain
        self._wording = wording
        self._time_limit = time_limit
        self._tasks: dict[str, ToldTask] = {}

    @property
    def name(self) -> str:
        """``oracle``."""
        return "oracle"

    def complete(self, request: Request) -> Completion:
        """The oracle's reply; no endpoint is asked, so no tokens are counted.

        Raises:
            InfrastructureError: the planner failed or ran into a limit, which says nothing about the prompt.
            MissingExtraError: Fast Downward is not installed.
            UnsupportedError: the domain holds what the simulator does not execute.
        """
        began = time.monotonic()
        try:
            text = self._reply(request.messages)
        except ToldTaskError as error:
            text = f"I do not know what to do: {error}"
        return Completion(text, model=self.name, seconds=time.monotonic() - began)

    def _reply(self, messages: Sequence[Message]) -> str:
        form = _form(messages)
        target = _target(messages)
        place = self._follow(messages[target].content, messages[target + 1 :])
        plan = place.task.plan_from(place.state, self._time_limit)
        if form.one_shot:
            thoughts = place.task.thoughts(place.state, plan) if form.thoughts else ()
            return _whole_plan([place.task.teller.action(action) for action in plan], thoughts)
        if not plan:
            return f"{ACTION} {DONE}"
        action = f"{ACTION} {place.task.teller.action(plan[0])}"
        if not form.thoughts:
            return action
        return f"{THOUGHT} {place.task.thoughts(place.state, plan)[0]}\n{action}"

    def _follow(self, problem: str, turns: Sequence[Message]) -> _Place:
        """Replays what was said and answered since the problem was put."""
        task = self._told(problem)
        place = _Place(task, task.simulator.initial)
        for reply, observation in _exchanges(turns):
            reading = place.task.reader.read_turn(reply)
            if reading.status == "look-around":
                seen = place.task.seen(observation)
                place = _Place(seen, seen.simulator.initial)
            elif reading.action is not None:
                place = _after(place, reading.action, observation)
        return place

    def _told(self, text: str) -> ToldTask:
        if text not in self._tasks:
            if len(self._tasks) >= _KEPT:
                self._tasks.clear()
            self._tasks[text] = read_told_task(text, self._domain, self._wording)
        return self._tasks[text]


def _form(messages: Sequence[Message]) -> _Form:
    """The form asked for, by the tags in the output instructions of the system prompt."""
    instructions = "\n".join(message.content for message in messages if message.role == "system")
    return _Form(one_shot=PLAN_START in instructions, thoughts=THOUGHT in instructions)


def _target(messages: Sequence[Message]) -> int:
    """The index of the message that puts the problem: the last with three paragraphs, as examples come before."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and len(re.split(r"\n\s*\n", messages[index].content.strip())) == 3:
            return index
    raise ToldTaskError("I was told no goal, no objects and no initial state")


def _exchanges(turns: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """The replies since the problem was put, each with its answer."""
    for reply, answer in pairwise(turns):
        if reply.role == "assistant" and answer.role == "user":
            yield reply.content, answer.content


def _after(place: _Place, action: GroundAction, observation: str) -> _Place:
    if not observation.startswith(place.task.teller.executed(action)):
        return place
    successor = place.task.simulator.step(place.state, action).successor
    if successor is None:
        raise ToldTaskError("something was done that cannot be done by what I was told")
    return _Place(place.task, successor)


def _whole_plan(actions: Sequence[str], thoughts: Sequence[str]) -> str:
    if thoughts:
        steps = [f"{THOUGHT} {thought}\n{ACTION} {action}" for thought, action in zip(thoughts, actions, strict=True)]
    else:
        steps = list(actions)
    return "\n".join([PLAN_START, *steps, PLAN_END])
