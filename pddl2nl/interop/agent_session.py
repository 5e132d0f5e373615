"""A task that an agent of another framework plays by calls of tools, recorded and judged as any run.

The agent stands where the model of the policy ``tools`` stands: the policy says what can be called, carries each call
out on the episode and answers it, and the record names the agent as the model. The tokens in such a record are
estimates of what the policy would have sent; what the agent spends is its own affair.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Request, Tool, ToolCall
from pddl2nl.llm.types import AGENT_LEFT, AgentLeftError
from pddl2nl.policies import make_policy
from pddl2nl.policies.events import Finished, RunEvent, Started, ToolCalled
from pddl2nl.policies.spec import RunSpec

TAKING_BACK = ("undo", "reset", "finish", "give_up", "submit_plan")
"""Tools that take actions back or end the task."""


@dataclass(frozen=True)
class CallAnswer:
    """What a call is answered.

    ``status`` is ``executed``, ``look-around`` where a tool tells something, or why nothing was done. ``steps_left`` is
    null without a limit. ``outcome`` is that of the run once it has ``ended``, else empty.
    """

    told: str
    status: str
    steps: int
    steps_left: int | None
    ended: bool
    outcome: str


class AgentSession:
    """A run whose model is an agent: ready for calls once it is made, and recorded when it ends or is closed.

    Args:
        spec: the run: its policy is one by tools, such as ``tools-search``, its model the agent's name. It shows no
            example.
        access: as for any run.

    Attributes:
        task: the task in words: what can be done, the goal, the objects and the initial state.

    Raises:
        InputError: the description of the run is wrong, or its policy has no tools.
    """

    def __init__(self, spec: RunSpec, access: Access | None = None):
        # An option of all policies whose models call tools.
        if not hasattr(make_policy(spec.policy, spec.options), "tool_choice"):
            raise InputError(
                f"--policy {spec.policy_name}: an agent acts by calls of tools, as the policy tools and its presets do"
            )
        self._agent = _Agent(spec.model if isinstance(spec.model, str) else spec.model.name)
        self._steps: int | None = None
        self._last: ToolCalled | None = None
        self._finished: Finished | None = None
        self._result: RunRecord | BaseException | None = None
        self._calls = 0
        self._lock = threading.Lock()
        spec = replace(spec, model=self._agent, example="none")
        self._thread = threading.Thread(target=self._play, args=(spec, access), daemon=True)
        self._thread.start()
        self._asked = self._agent.asked.get()
        if isinstance(self._result, BaseException):
            raise self._result
        told = () if self._asked is None else self._asked.messages
        self.task = "\n\n".join(message.content for message in told)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that can be called now; none once the task has ended."""
        return () if self._asked is None else self._asked.tools

    @property
    def ended(self) -> bool:
        return self._asked is None

    def call(self, name: str, arguments: Mapping[str, Any]) -> CallAnswer:
        """Carries out a call of a tool, which costs a step. Threads wait for each other.

        Raises:
            InputError: the task has ended before.
            InfrastructureError: the record cannot be written.
        """
        with self._lock:
            if self.ended:
                raise InputError(f"the task has ended: {self.outcome}")
            self._calls += 1
            self._go_on(ToolCall(f"call_{self._calls}", name, json.dumps(dict(arguments), ensure_ascii=False)))
            assert self._last is not None
            left = None if self._steps is None else self._steps - self._last.step
            told = self._last.result
            if self._finished is not None:
                why = self._finished.message
                told = f"{'' if told == why else told} The task has ended: {why}.".strip()
            return CallAnswer(
                told=told,
                status=self._last.status,
                steps=self._last.step,
                steps_left=left,
                ended=self.ended,
                outcome=self.outcome,
            )

    @property
    def outcome(self) -> str:
        """The outcome of the run; empty while it goes on."""
        return "" if self._finished is None else self._finished.outcome

    def close(self) -> RunRecord:
        """The record of the run, which ends as ``gave-up`` where it has not ended yet."""
        with self._lock:
            if not self.ended:
                self._go_on(None)
            self._thread.join()
        if isinstance(self._result, RunRecord):
            return self._result
        assert self._result is not None
        raise self._result

    def _go_on(self, call: ToolCall | None) -> None:
        """Lets the agent call, and waits until it is asked again or the run has ended."""
        self._agent.calls.put(call)
        self._asked = self._agent.asked.get()
        if isinstance(self._result, BaseException):
            raise self._result

    def _play(self, spec: RunSpec, access: Access | None) -> None:
        try:
            self._result = run_spec(spec, access, self._observe)
        except BaseException as error:  # noqa: BLE001 — it is raised in the thread that calls
            self._result = error
        self._agent.asked.put(None)

    def _observe(self, event: RunEvent) -> None:
        if isinstance(event, Started):
            self._steps = event.spec["steps"]
        elif isinstance(event, ToolCalled):
            self._last = event
        elif isinstance(event, Finished):
            self._finished = event


class _Agent:
    """The agent as a model: what it is asked waits for its call. None in a queue is the end."""

    def __init__(self, name: str):
        self.name = name
        self.asked: SimpleQueue[Request | None] = SimpleQueue()
        self.calls: SimpleQueue[ToolCall | None] = SimpleQueue()

    def complete(self, request: Request) -> Completion:
        began = time.monotonic()
        self.asked.put(request)
        call = self.calls.get()
        if call is None:
            raise AgentLeftError(AGENT_LEFT)
        return Completion("", tool_calls=(call,), model=self.name, seconds=time.monotonic() - began)
