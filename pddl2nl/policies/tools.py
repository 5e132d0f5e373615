"""Tools: the model acts by calls of functions, as chat endpoints take and give them (``tools``, ``tool_calls``)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta, structs

from pddl2nl.llm import Answer, Completion, Message, ToolCall
from pddl2nl.llm.types import ToolChoice
from pddl2nl.nl.telling.tools import CallError, read_arguments
from pddl2nl.policies.episode import ENDED, Episode
from pddl2nl.policies.events import NOT_EXECUTED
from pddl2nl.policies.policy import Effort
from pddl2nl.policies.prompting import Conversation, Positive, TurnPolicy
from pddl2nl.policies.setting import Example
from pddl2nl.policies.toolbox import TOOL_TEXTS, CallResult, Extra, Toolbox

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Ids and names of functions as endpoints take them back."""
_ACTION = 15
"""Tokens of an action in a plan, for estimates."""
_FAILED = "the call before it failed"


class Tools(TurnPolicy):
    """The model calls one function per action, and is answered as Act is.

    Several calls in one reply are executed in their order, up to the first that fails. Text beside the calls is a
    thought. A reply without a call is answered that a tool has to be called.

    The presets are ablations of it: ``tools-search`` explores (Göbel et al. 2026), ``tools-plan`` submits a plan.
    """

    summary = "acts by calls of tools, one per action"
    prompt = "tools"

    tools: Annotated[
        tuple[Extra, ...],
        Meta(description="The tools beside those of the actions, finish and give_up."),
    ] = ("state",)
    plans: Annotated[bool, Meta(description="Submit a whole plan, in place of one action after another.")] = False
    tool_choice: Annotated[
        ToolChoice, Meta(description="Whether the endpoint is asked to make the model call a tool in each reply.")
    ] = "required"
    strict: Annotated[bool, Meta(description="Mark schemas as strict, which OpenAI's API then decodes under.")] = False
    listed: Annotated[
        Positive, Meta(description="The most objects that a schema lists for an argument; of more it takes any text.")
    ] = 100
    keep_thoughts: Annotated[bool, Meta(description="Keep the text beside calls in the conversation.")] = True
    calls: Annotated[
        Positive | None, Meta(description="The limit of steps where --steps gives none; each call is a step.")
    ] = None

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(("example", "example_plan", "history", "constrain"))

    @property
    def levels(self) -> tuple[str, ...]:
        return () if self.plans else ("applicable",)

    @property
    def constrains_decoding(self) -> bool:
        """Not where the applicable actions are values of a tool's argument."""
        return False

    @property
    def own_steps(self) -> int | None:
        return self.calls

    @property
    def prompt_stem(self) -> str:
        return "tools_plan" if self.plans else "tools"

    @property
    def no_plan_prompt(self) -> str:
        return "no_plan_tools.txt"

    @property
    def prompt_names(self) -> tuple[str, ...]:
        return (*super().prompt_names, TOOL_TEXTS)

    def effort(self, actions: int) -> Effort | None:
        """Of a plan: that it is checked once, if it can be, and submitted; else that of all turn-based policies."""
        if not self.plans:
            return None
        checks = int("validate_plan" in self.tools)
        return Effort(1, checks, _ACTION * actions, (1 + checks) * _ACTION * actions, "a plan is checked once")

    def run(self, episode: Episode) -> None:
        episode.limit_failures(self.stop_after, self.false_claims)
        conversation = Conversation(episode, self.opening(episode))
        dialogue = CallDialogue(
            episode, self._toolbox(episode), conversation, self.tool_choice, keeps=self.keep_thoughts
        )
        while not episode.done:
            dialogue.take_turn()

    def _toolbox(self, episode: Episode) -> Toolbox:
        setting = episode.setting
        return Toolbox(
            episode,
            self.tools,
            plans=self.plans,
            listed=self.listed,
            strict=self.strict,
            applicable=setting.spec.constrain == "applicable",
            texts=self.prompts.replacing(setting.prompts).lines(TOOL_TEXTS),
        )

    def _solution(self, example: Example, episode: Episode) -> list[Message]:
        """The example's plan as calls with their answers."""
        toolbox = self._toolbox(episode)
        if self.plans:
            plan = json.dumps({"plan": [step.action for step in example.steps]}, ensure_ascii=False)
            answer = "The plan is valid."
            return _called([ToolCall("example_1", "submit_plan", plan)], [answer])
        messages = []
        for number, step in enumerate(example.steps, start=1):
            name, arguments = toolbox.example_call(step.action)
            said = json.dumps(arguments, ensure_ascii=False)
            messages += _called([ToolCall(f"example_{number}", name, said)], [step.observation])
        return messages


@dataclass
class CallDialogue:
    """Replies with calls, and their answers, turn by turn.

    Attributes:
        episode: which asks the model.
        box: which carries calls out.
        conversation: the prompt, which grows by each turn.
        choice: whether a tool has to be called.
        keeps: whether text beside calls stays in the conversation.
    """

    episode: Episode
    box: Toolbox
    conversation: Conversation
    choice: ToolChoice
    keeps: bool = True
    _ids: set[str] = field(default_factory=set)

    def take_turn(self, answer: Answer | None = None) -> None:
        """Asks for a reply and carries its calls out; ``answer`` is the oracle's."""
        tools = self.box.tools()
        text = self.episode.ask(self.conversation.messages, tools=tools, tool_choice=self.choice, answer=answer)
        reply = self.episode.last_reply
        if not reply.tool_calls:
            result = self.box.no_call(text)
            told = [Message("assistant", text if text.strip() else "…"), Message("user", result.text)]
            self.conversation.extend(told, result.status)
            return
        calls = [self._with_id(call, place) for place, call in enumerate(reply.tool_calls)]
        results = self._carry_out(calls)
        answers = [result.text for result in results]
        told = _called([*map(_returned, calls)], answers, reply, keeps=self.keeps)
        executed = [result.status for result in results if result.status != NOT_EXECUTED]
        self.conversation.extend(told, executed[-1])

    def _carry_out(self, calls: Sequence[ToolCall]) -> list[CallResult]:
        results: list[CallResult] = []
        why = ""
        for place, call in enumerate(calls, start=1):
            self.episode.behind = () if why else calls[place:]
            result = self.box.skip(call, why) if why else self.box.call(call)
            results.append(result)
            if not why and not result.goes_on:
                why = ENDED if result.done else _FAILED
        self.episode.behind = ()
        return results

    def _with_id(self, call: ToolCall, place: int) -> ToolCall:
        """A call with an id that no earlier one has, as its answer names it."""
        name = call.id
        if not _NAME.fullmatch(name) or name in self._ids:
            name = f"call_{len(self._ids)}_{place}"
        self._ids.add(name)
        return structs.replace(call, id=name)


def _called(
    calls: Sequence[ToolCall], answers: Sequence[str], reply: Completion | None = None, *, keeps: bool = True
) -> list[Message]:
    """The messages of a turn: the calls with what was said beside them, and an answer to each."""
    said, returned = ("", "") if reply is None else (reply.text if keeps else "", reply.returned)
    told = [Message("tool", answer, answers=call.id) for call, answer in zip(calls, answers, strict=True)]
    return [Message("assistant", said, tuple(calls), returned=returned), *told]


def _returned(call: ToolCall) -> ToolCall:
    """A call as it stands in the conversation: servers refuse arguments that are no JSON object, and empty names."""
    try:
        arguments = call.arguments if read_arguments(call.arguments) and call.arguments.strip()[:1] == "{" else ""
    except CallError:
        arguments = ""
    name = call.name if _NAME.fullmatch(call.name) else "unknown"
    return structs.replace(call, name=name, arguments=arguments or "{}")
