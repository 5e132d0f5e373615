"""Tools on an episode: what can be called, and what becomes of a call. No model is needed here.

The actions are functions (`pddl2nl.nl.telling.tools`), or under ``--constrain applicable`` the function ``act``, whose
argument is one of the applicable actions. Beside them are:

======================  ==========================================================================================
``finish``              claims that the goal is reached; the episode has ended already if it is
``give_up``             claims that the goal cannot be reached any more, and ends the episode
``state``               tells the state, and the goal once more
``applicable_actions``  lists the actions that are applicable
``undo``, ``reset``     take back the last executed action, or all of them
``validate_plan``       says whether a plan is valid, or explains its first broken step
``submit_plan``         submits a plan, which is judged and ends the episode; in place of the actions
======================  ==========================================================================================

Every call costs a step and ends in a status: that of a turn of Act, or ``look-around`` where the tool tells something.
A call that cannot be read (no such function, wrong arguments, broken JSON) is answered with the reason and changes
nothing. Of several calls in a reply those behind the first that failed are not executed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from pddl2nl.llm.types import Tool, ToolCall
from pddl2nl.nl import Reading, explain
from pddl2nl.nl.markers import PLAN_END, PLAN_START
from pddl2nl.nl.reading.claims import no_plan_said_in_turn
from pddl2nl.nl.telling.tools import RULE, ActionTools, CallError, call_text, checked_arguments, object_schema
from pddl2nl.policies.episode import Episode, Turn
from pddl2nl.policies.events import NOT_EXECUTED, ToolCalled
from pddl2nl.policies.trace import applicable_told, timed_plan, why_not_read
from pddlval import validate
from pddlval.simulator import CLOCK

Extra = Literal["state", "applicable_actions", "undo", "reset", "validate_plan"]
ACT, SUBMIT = "act", "submit_plan"
RESERVED = (ACT, SUBMIT, "finish", "give_up", *get_args(Extra))
"""The names that no action's function has."""

TOOL_TEXTS = "tool_texts.txt"
"""The prompt with what each tool does, and what its arguments are: ``NAME: TEXT``, ``NAME ARGUMENT: TEXT``."""
PLAN = {"type": "array", "items": {"type": "string"}}
_MOST_APPLICABLE = 500
"""Values in an ``enum``; OpenAI takes no more."""
_LONGEST_ACTION = 1_000


@dataclass(frozen=True)
class CallResult:
    """What became of a call: the status of its turn, and what it is answered with."""

    status: str
    text: str
    done: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether later calls of the same reply are executed."""
        return not self.done and self.status in ("executed", "look-around")


class Toolbox:
    """The tools of one episode; ``reading`` are the names of those that change nothing.

    Args:
        episode: where calls are carried out.
        extra: the tools beside actions, ``finish`` and ``give_up``.
        texts: what the tools do and their arguments are, as in the prompt `TOOL_TEXTS`.
        plans: whether a plan is submitted in place of actions.
        listed: the most objects that a schema lists for an argument.
        strict: whether schemas are marked as strict.
        applicable: whether actions are the values of the argument of ``act``.
        more: further tools, by name with the schemas of their arguments; `tell` answers them.
    """

    reading = frozenset({"state", "applicable_actions", "validate_plan"})

    def __init__(
        self,
        episode: Episode,
        extra: Collection[str] = (),
        *,
        texts: Mapping[str, str],
        plans: bool = False,
        listed: int = 100,
        strict: bool = False,
        applicable: bool = False,
        more: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType({}),
    ):
        self.episode = episode
        self._plans = plans
        self._strict = strict
        self._applicable = applicable and not plans
        self.actions = ActionTools(episode.setting.teller, listed, RESERVED)
        ends = (SUBMIT, "give_up") if plans else ("finish", "give_up")
        self._more = more
        self._texts = texts
        self._others = (*more, *(name for name in get_args(Extra) if name in extra), *ends)
        self._offered: tuple[Tool, ...] | None = None

    # ── what can be called ───────────────────────────────────────────────────────────────────────

    def tools(self) -> tuple[Tool, ...]:
        """The functions that can be called in the present state."""
        if self._offered is None or self._applicable:
            tools = self._acting()
            for name in self._others:
                schema = object_schema(self._described(name, self._properties(name)))
                tools.append(Tool(name, self._texts[name], schema, self._strict, name in self.reading))
            self._offered = tuple(tools)
        return self._offered

    def _properties(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        """The schemas of a tool's arguments."""
        return self._more.get(name, {"plan": PLAN} if name in (SUBMIT, "validate_plan") else {})

    def _described(self, name: str, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {each: {**schema, "description": self._texts[f"{name} {each}"]} for each, schema in properties.items()}

    def _acting(self) -> list[Tool]:
        if self._plans:
            return []
        if not self._applicable:
            return [Tool(tool.name, tool.description, tool.parameters, self._strict) for tool in self.actions.tools]
        setting = self.episode.setting
        told = [*map(setting.teller.action, setting.simulator.applicable(self.episode.state))]
        # In a dead end there is nothing to choose from.
        action: dict[str, Any] = {"type": "string"}
        if len(told) <= _MOST_APPLICABLE:
            action["enum"] = told
        schema = object_schema(self._described(ACT, {"action": action}))
        return [Tool(ACT, self._texts[ACT], schema, self._strict)] if told else []

    def example_call(self, told: str) -> tuple[str, dict[str, str]]:
        """A told action of an example as a call: the function and its arguments."""
        return (ACT, {"action": told}) if self._applicable else self.actions.written(told)

    # ── what becomes of a call ───────────────────────────────────────────────────────────────────

    def call(self, call: ToolCall) -> CallResult:
        """Carries out a call; costs a step. Raises `EpisodeOver` where the episode has ended."""
        reading = self._reading(call)
        told: str | None = None
        if reading.status == "look-around":
            try:
                told = self.tell(call)
            except CallError as error:
                reading = _unreadable(call, str(error))
        if reading.status == "read" and call.name == SUBMIT:
            return self._submit(call)
        return _result(self.episode.call(call, reading, told))

    def skip(self, call: ToolCall, why: str) -> CallResult:
        """Answers a call that is not executed; costs nothing."""
        return CallResult(NOT_EXECUTED, self.episode.skip(call, why))

    def no_call(self, text: str) -> CallResult:
        """The turn of a reply without a call; costs a step."""
        if said := no_plan_said_in_turn(text):
            start = max(text.find(said), 0)
            reading = Reading(1, start, start + len(said), said, "claimed-unsolvable", rule="no-plan")
        else:
            reading = Reading(1, 0, len(text), text, "unreadable", rule=RULE, reason="no tool was called")
        return _result(self.episode.call(None, reading))

    def _reading(self, call: ToolCall) -> Reading:
        said = call_text(call.name, call.arguments)
        if call.name in self._others:
            try:
                checked_arguments(call.arguments, call.name, self._properties(call.name))
            except CallError as error:
                return _unreadable(call, str(error))
            if call.name == SUBMIT:
                return Reading(1, 0, 0, said, "read", rule=RULE)
            claims = {"finish": "claimed-done", "give_up": "claimed-unsolvable"}
            return Reading(1, 0, 0, said, claims.get(call.name, "look-around"), rule=RULE)  # type: ignore[arg-type]
        if call.name == ACT and self._applicable:
            return self._action_named(call)
        if self._plans or self._applicable:
            return _unreadable(call, f"there is no tool called {call.name[:60]!r}; there are {', '.join(self.names)}")
        return self.actions.read(call.name, call.arguments, self._others)

    @property
    def names(self) -> list[str]:
        """The names of the tools that can be called now."""
        return [tool.name for tool in self.tools()]

    def _action_named(self, call: ToolCall) -> Reading:
        """The action that ``act`` names, which an endpoint that ignores schemas lets be any text."""
        try:
            action = checked_arguments(call.arguments, ACT, ("action",))["action"]
            if not isinstance(action, str) or len(action) > _LONGEST_ACTION:
                raise CallError("the argument action has to be a text, one of those that its schema lists")
        except CallError as error:
            return _unreadable(call, str(error))
        reading = self.episode.setting.reader.read_turn(action)
        said = call_text(call.name, call.arguments)
        if reading.status in ("unreadable", "not-an-action") and not reading.candidates:
            return _unreadable(call, f"the argument action is no action: {' '.join(action[:100].split())!r}")
        return reading._replace(text=said, line=1, start=0, end=0, rule=RULE)

    # ── tools that tell something ────────────────────────────────────────────────────────────────

    def tell(self, call: ToolCall) -> str | None:
        """What a tool tells; None for the state. Raises `CallError` for a plan that is none."""
        episode, setting = self.episode, self.episode.setting
        if call.name == "applicable_actions":
            return applicable_told(setting, episode.state)
        if call.name == "validate_plan":
            return self._explained(_plan_text(call))
        if call.name in ("undo", "reset"):
            actions = len(episode.executed) if call.name == "reset" else min(1, len(episode.executed))
            if not actions:
                return "There is nothing to take back."
            last = setting.teller.action(episode.executed[-1])
            what = "All actions are taken back" if call.name == "reset" else f'The action "{last}" is taken back'
            episode.take_back(actions)
            return f"{what}. {episode.observe()}"
        return None

    def _explained(self, text: str) -> str:
        """Whether a plan is valid, or why not."""
        setting = self.episode.setting
        lines = setting.reader.read(text).chosen
        for number, line in enumerate(lines, start=1):
            if line.status != "read" or line.action is None:
                why = why_not_read(line.status, line, setting.teller)
                return f'Step {number} of the plan, "{" ".join(line.text.split())}", was not understood, because {why}'
        task = setting.teller.task
        timed = self.episode.state.level(CLOCK) is not None
        report = validate(
            task, timed_plan(text, lines, task) if timed else [line.action for line in lines if line.action]
        )
        return "The plan is valid." if report.valid else " ".join(explain(report, setting.teller))

    def _submit(self, call: ToolCall) -> CallResult:
        try:
            text = _plan_text(call)
        except CallError as error:
            return _result(self.episode.call(call, _unreadable(call, str(error))))
        verdict = self.episode.propose(text, said=False)
        status = "executed" if verdict.valid else verdict.outcome
        self.episode.note(ToolCalled(verdict.trace.steps, call.id, call.name, call.arguments, status, verdict.message))
        self.episode.conclude()
        return CallResult(status, verdict.message, True)


def _result(turn: Turn) -> CallResult:
    return CallResult(turn.status, turn.observation, turn.done)


def _unreadable(call: ToolCall, reason: str) -> Reading:
    return Reading(1, 0, 0, call_text(call.name, call.arguments), "unreadable", rule=RULE, reason=reason)


def _plan_text(call: ToolCall) -> str:
    """The plan in a call, between the tags of plans."""
    plan = checked_arguments(call.arguments, call.name, ("plan",))["plan"]
    lines: Sequence[Any] = plan.splitlines() if isinstance(plan, str) else plan
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise CallError("the plan has to be a list of texts, one for each action")
    flat = [" ".join(line.split()) for line in lines]
    return "\n".join([PLAN_START, *flat, PLAN_END])
