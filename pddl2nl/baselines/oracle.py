"""The oracle: Fast Downward in place of a language model.

It reads the prompts of Basic, CoT, Act and ReAct, which proves that they hold everything that the task says. It gets
the same messages as any model and has, of the task, only these: objects, initial state and goal are read back out of
the text by `pddl2nl.nl`, Fast Downward plans on *that* problem, and the plan is told in the wording and the form that
the prompt asks for. What it says is then read and judged like any model's reply. If it fails, the text lost something.
What it holds from the start is the domain and the wording, which are the same for every task; no plan and no problem
reaches it any other way. It never asks to look around, so that anything missing in the prompt shows.

A system that asks with ``answer`` (`pddl2nl.policies.Episode.ask`) is answered from the task itself, by a function of
its own: that proves that the system works, and says nothing about its prompts.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from pddl2nl.baselines.inputs import TaskTexts, problem_in_state
from pddl2nl.baselines.mistakes import MISTAKES, spoiled
from pddl2nl.baselines.planner import solve
from pddl2nl.baselines.told_task import NoToldPlanError, ToldTask, ToldTaskError, read_told_task
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, Message, Request, Tool, ToolCall
from pddl2nl.llm.constraint import Constraint
from pddl2nl.nl.markers import ACTION, DONE, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.once import Once
from pddl2nl.pddl import Atom, Condition, Domain, Task, write_domain, write_problem
from pddl2nl.pddl.tree import walk
from pddlval import GroundAction, State

_KEPT = 32
_OPTIMAL_SECONDS = 5
_ACT, _SUBMIT = "act", "submit_plan"
_MARKED = re.compile(r"<([\w-]+)>")
"""An argument in the description of a tool."""
_NEVER = -1000.0
"""The logarithm of the likelihood of what it does not say."""


@dataclass(frozen=True)
class _Form:
    """What the prompt asks for: a whole plan or one action a turn, with thoughts or without."""

    one_shot: bool
    thoughts: bool


@dataclass(frozen=True)
class _ConversationPlace:
    """Where a conversation has come to: the problem as told last, and the state by the observations."""

    task: ToldTask
    state: State


class _NoTaskError(ToldTaskError):
    """The prompt states no task: it asks for something else, such as thoughts."""


class PlanOracle:
    """A model that plans instead of guessing; see this module's text.

    A told problem that has no plan is answered with a sentence that says so, which is then judged like any other reply.
    A prompt that the oracle cannot read is an error of ours and never a reply: no model is to blame for it. So is a
    told problem without a plan where the wording has no words for a condition of the actions.

    Args:
        domain: the domain of all tasks it will be asked about.
        wording: how this domain is told.
        mistake: the mistake that it makes on purpose, one of the policy's (`Policy.mistakes`); empty for none. Of a
            conversation only the first turn has it.
        time_limit: seconds for each search on a prompt that was read; None for no limit.

    Attributes:
        name: under which it is recorded, ``oracle`` or ``oracle:MISTAKE``.
        mistake: see above.
    """

    def __init__(
        self,
        domain: Domain,
        wording: Wording,
        mistake: str = "",
        *,
        time_limit: int | None = None,
    ):
        self.name = f"oracle:{mistake}" if mistake else "oracle"
        self.mistake = mistake
        self._domain = domain
        self._wording = wording
        self._time_limit = time_limit
        self._tasks: dict[str, ToldTask] = {}
        self._places: dict[tuple[str, tuple[Message, ...]], _ConversationPlace] = {}

    def complete(self, request: Request) -> Completion:
        """The oracle's reply; no endpoint is asked, so no tokens are counted.

        Raises:
            InfrastructureError: the prompt cannot be read, or the planner failed or ran into a limit.
            MissingExtraError: Fast Downward is not installed.
            UnsupportedError: the domain holds what the simulator does not execute.
        """
        began = time.monotonic()
        logprob, calls = None, tuple[ToolCall, ...]()
        if request.answer is not None:
            said = request.answer(self)
            text, calls = (said, ()) if isinstance(said, str) else ("", said)
        else:
            text, calls = self._read_reply(request)
            if request.likelihood and isinstance(request.constraint, Constraint):
                # It is sure of its own action, and of nothing else.
                said = f"{request.constraint.action}{request.constraint.only}"
                text, logprob = said, 0.0 if said == text else _NEVER
        return Completion(text, model=self.name, seconds=time.monotonic() - began, logprob=logprob, tool_calls=calls)

    def plan(
        self, task: Task, state: State, goal: Condition | None = None, *, shortest: bool = False
    ) -> tuple[GroundAction, ...] | None:
        """A plan from a state; None if the task is unsolvable from there.

        Args:
            task: the task.
            state: where the plan begins.
            goal: by default the task's.
            shortest: whether a shortest plan is looked for first, for a few seconds.

        Raises:
            InfrastructureError: the planner neither found a plan nor proved the task unsolvable.
        """
        problem = problem_in_state(task.problem, sorted(state.atoms), state.values)
        if goal is not None:
            problem = replace(problem, goal=goal)
        return _solved(write_domain(task.domain), write_problem(problem), shortest)

    def _read_reply(self, request: Request) -> tuple[str, tuple[ToolCall, ...]]:
        """What it says to a prompt, and the tools that it calls."""
        try:
            if request.tools:
                return "", (self._call(request),)
            return self._reply(request.messages), ()
        except NoToldPlanError as error:
            if self._unsaid:
                raise InfrastructureError(
                    f"the oracle cannot read this prompt: the wording has no words for {', '.join(self._unsaid)}, and "
                    "without these facts the goal cannot be reached"
                ) from error
            return f"I do not know what to do: {error}", ()
        except _NoTaskError as error:
            return f"I do not know what to do: {error}", ()
        except ToldTaskError as error:
            raise InfrastructureError(f"the oracle cannot read this prompt: {error}") from error

    @cached_property
    def _unsaid(self) -> list[str]:
        """The predicates of the actions' conditions for which the wording has no words."""
        nodes = (node for action in self._domain.actions for node in walk(action.precondition))
        needed = dict.fromkeys(node.predicate for node in nodes if isinstance(node, Atom))
        said = {name for name, snippet in self._wording.predicates.items() if snippet.text is not None}
        return [name for name in needed if name not in said]

    def _reply(self, messages: Sequence[Message]) -> str:
        form = _form(messages)
        place, plan, actions = self._planned(messages)
        task, state = place.task, place.state
        if form.one_shot:
            where = task.along(state, plan) if form.thoughts else ()
            thoughts = [task.thought(each, plan[done:]) for done, each in enumerate(where)]
            return _whole_plan(actions, thoughts)
        if not plan or not actions:
            return f"{ACTION} {DONE}"
        action = f"{ACTION} {actions[0]}"
        return f"{THOUGHT} {task.thought(state, plan)}\n{action}" if form.thoughts else action

    def _planned(
        self, messages: Sequence[Message]
    ) -> tuple[_ConversationPlace, tuple[GroundAction, ...], Sequence[str]]:
        """Where a conversation is, the plan from there, and its actions as they are said: perhaps with a mistake."""
        target = _target(messages)
        place = self._follow(messages[target].content, messages[target + 1 :])
        task, state = place.task, place.state
        plan = task.plan_from(state, self._time_limit)
        spoils = self.mistake in MISTAKES and target == len(messages) - 1
        return place, plan, spoiled(self.mistake, task, state, plan) if spoils else [*map(task.teller.action, plan)]

    def _call(self, request: Request) -> ToolCall:
        """The next action as a call, by what the tools' descriptions and schemas say; or the whole plan."""
        tools = {tool.name: tool for tool in request.tools}
        said = [each for message in request.messages for each in _in_words(message, tools)]
        _, plan, actions = self._planned(said)
        name, arguments = "finish", dict[str, object]()
        if _SUBMIT in tools:
            name, arguments = _SUBMIT, {"plan": [*actions]}
        elif plan and actions:
            name, arguments = _as_call(actions[0], tools)
        return ToolCall(f"call_{len(request.messages)}", name, json.dumps(arguments, ensure_ascii=False))

    def _follow(self, problem: str, turns: Sequence[Message]) -> _ConversationPlace:
        """Where the conversation is since the problem was put: what was said and answered, replayed.

        Each conversation's last place is kept, so that a turn costs the same however long it has become.
        """
        said = tuple(turns)
        rest = said[-2:]
        goes_on = [message.role for message in rest] == ["assistant", "user"]
        place = self._places.pop((problem, said[:-2]), None) if goes_on else None
        if place is None:
            task = self._told(problem)
            place, rest = _ConversationPlace(task, task.simulator.initial), said
        for reply, observation in _exchanges(rest):
            place = _answered(place, reply, observation)
        if len(self._places) >= _KEPT:
            self._places.clear()
        self._places[problem, said] = place
        return place

    def _told(self, text: str) -> ToldTask:
        if text not in self._tasks:
            told = read_told_task(text, self._domain, self._wording)
            # The same goal and objects as before from another state (a compact history): the plan goes on.
            for known in reversed(tuple(self._tasks.values())):
                if told.continues(known):
                    break
            if len(self._tasks) >= _KEPT:
                self._tasks.clear()
            self._tasks[text] = told
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
    raise _NoTaskError("I was told no goal, no objects and no initial state")


def _exchanges(turns: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for reply, answer in pairwise(turns):
        if reply.role == "assistant" and answer.role == "user":
            yield reply.content, answer.content


def _answered(place: _ConversationPlace, reply: str, observation: str) -> _ConversationPlace:
    """Where one more reply and its answer lead."""
    task = place.task
    reading = task.reader.read_turn(reply)
    if reading.status == "look-around":
        seen = task.seen(observation)
        return _ConversationPlace(seen, seen.simulator.initial)
    if reading.action is None or not observation.startswith(task.teller.executed(reading.action)):
        return place
    successor = task.simulator.step(place.state, reading.action).successor
    if successor is None:
        raise NoToldPlanError("something was done that cannot be done by what I was told")
    return _ConversationPlace(task, successor)


def _in_words(message: Message, tools: Mapping[str, Tool]) -> Iterator[Message]:
    """A message with calls as Act would say them, one message for each, and an answer as a message of the user's."""
    if message.role == "tool":
        yield Message("user", message.content)
    elif not message.tool_calls:
        yield message
    for call in message.tool_calls:
        arguments = json.loads(call.arguments)
        told = tools[call.name].description if call.name in tools else call.name
        said = _MARKED.sub(lambda mark: str(arguments.get(mark[1], mark[0])), told)  # noqa: B023
        yield Message("assistant", f"{ACTION} {arguments.get('action', said)}")


def _as_call(told: str, tools: Mapping[str, Tool]) -> tuple[str, dict[str, object]]:
    """A told action as a call: of the tool whose description it fits, with arguments that the schema lists."""
    if _ACT in tools:
        return _ACT, {"action": told}
    fitting: list[tuple[bool, str, dict[str, object]]] = []
    for tool in tools.values():
        parts = _MARKED.split(tool.description)
        # Told names have no blanks; every second part is the name of an argument.
        pattern = "".join(rf"(?P<a{place}>\S+)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
        lists = tool.parameters["properties"]
        found = re.fullmatch(pattern, told)
        # A tool without arguments whose description the text is: an action without objects.
        if found is not None:
            values = {parts[place]: found[f"a{place}"] for place in range(1, len(parts), 2)}
            listed = all(value in lists[name].get("enum", [value]) for name, value in values.items())
            fitting.append((listed, tool.name, {name: values[name] for name in lists}))
    if not fitting:
        # A mistake on purpose: an action that there is not.
        return re.sub(r"\W+", "_", told)[:40], {}
    _, name, arguments = max(fitting, key=lambda each: each[0])
    return name, arguments


def _whole_plan(actions: Sequence[str], thoughts: Sequence[str]) -> str:
    if thoughts:
        # A plan with a mistake may be longer or shorter than the one that was thought about.
        thoughts = [*thoughts, *[thoughts[-1]] * (len(actions) - len(thoughts))]
        steps = [f"{THOUGHT} {thought}\n{ACTION} {action}" for thought, action in zip(thoughts, actions, strict=False)]
    else:
        steps = list(actions)
    return "\n".join([PLAN_START, *steps, PLAN_END])


def _solve(domain: str, problem: str, shortest: bool) -> tuple[GroundAction, ...] | None:
    texts = TaskTexts(domain, problem)
    result = solve(texts, "brfs", time_limit=_OPTIMAL_SECONDS) if shortest else None
    if result is None or result.status not in ("solved", "unsolvable"):
        result = solve(texts, "lama")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(
            f"the oracle has no plan: {result.planner} ended with {result.status}: {result.message}"
        )
    return None if result.plan is None else tuple(result.plan)


_solved = Once(_solve, 4096)
"""Kept, because many questions need the same plan."""
