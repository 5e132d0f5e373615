"""The copilot: a model that is told a task in words, models it in PDDL, and plans, checks and simulates by tools.

It is Benyamin et al., "Toward PDDL Planning Copilot" (2025), with the task of LLM+P (Liu et al. 2023): the domain is
given, the problem is told in words. The tools are those of ``pddl2nl mcp`` on files in a folder of the run, where the
domain lies and the model writes the problem. The plan that it submits is judged by the task itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta

from pddl2nl.baselines.mistakes import MISTAKES, spoiled
from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.baselines.told_task import ToldTask, read_told_task
from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.interop.mcp_tools import PlanningTools
from pddl2nl.llm import Message, ToolCall
from pddl2nl.llm.types import ToolChoice
from pddl2nl.nl.reading.told import NLReadError
from pddl2nl.nl.telling.tools import CallError, checked_arguments
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort, Policy
from pddl2nl.policies.prompting import Conversation, Positive, problem_text
from pddl2nl.policies.prompts import Prompts
from pddl2nl.policies.toolbox import PLAN, SUBMIT, Toolbox
from pddl2nl.policies.tools import CallDialogue

Service = Literal["check", "plan", "validate", "simulate"]
DOMAIN, _FILE = "domain.pddl", re.compile(r"[\w-]{1,60}\.pddl")
_LONGEST_ANSWER = 10_000
_LEFT_OUT = ("told", "goal_told", "missing", "seconds", "expanded", "search")
"""Of the answers of tools: words, which are of a wording for other names, and what differs from run to run."""
_TEXT = {"type": "string"}
_SERVICES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "write_file": {"file": _TEXT, "text": _TEXT},
    "check": {"problem": _TEXT},
    "plan": {"problem": _TEXT},
    "validate": {"problem": _TEXT, "plan": PLAN},
    "simulate": {"problem": _TEXT, "plan": PLAN},
}
_TEXTS = "copilot_tools.txt"


class Copilot(Policy):
    """Writes the problem, plans, checks, and submits the plan."""

    summary = "the model writes the problem in PDDL, and plans and checks by tools"
    prompts = Prompts(__package__)

    tools: Annotated[
        tuple[Service, ...], Meta(description="The tools beside those that write a file and submit the plan.")
    ] = get_args(Service)
    tool_choice: Annotated[
        ToolChoice, Meta(description="Whether the endpoint is asked to make the model call a tool in each reply.")
    ] = "required"
    calls: Annotated[
        Positive, Meta(description="The limit of steps where --steps gives none; each call is a step.")
    ] = 20
    seconds: Annotated[Positive, Meta(description="The time of a call of a tool.")] = 60

    uses = frozenset({"history"})
    mistakes = MISTAKES
    prompt_names = ("copilot.txt", _TEXTS)

    @property
    def own_steps(self) -> int | None:
        return self.calls

    def effort(self, actions: int) -> Effort:
        """Write, plan, validate, submit; the problem has about three facts for each action of its plan."""
        return Effort(1, 3, 60 * actions, 15 * actions * (3 + 1 + 1))

    def run(self, episode: Episode) -> None:
        domain = write_domain(episode.setting.simulator.task.domain)
        prompts = self.prompts.replacing(episode.setting.prompts)
        system = prompts.fill("copilot.txt", domain=domain)
        opening = [Message("system", system), Message("user", problem_text(episode))]
        with TemporaryDirectory() as folder:
            (Path(folder) / DOMAIN).write_text(domain, encoding="utf-8")
            box = CopilotBox(episode, self.tools, Path(folder), self.seconds, prompts.lines(_TEXTS))
            dialogue = CallDialogue(episode, box, Conversation(episode, opening), self.tool_choice)
            while not episode.done:
                dialogue.take_turn(box.answer)


class CopilotBox(Toolbox):
    """The tools of a copilot on the files in a folder."""

    reading = frozenset(get_args(Service))

    def __init__(
        self, episode: Episode, services: tuple[str, ...], folder: Path, seconds: int, texts: Mapping[str, str]
    ):
        offered = ("write_file", *(name for name in get_args(Service) if name in services))
        super().__init__(episode, plans=True, more={name: _SERVICES[name] for name in offered}, texts=texts)
        self._folder = folder
        self._planning = PlanningTools(folder, seconds)
        # Whether the oracle has had its plan checked.
        self._checked = False

    def tell(self, call: ToolCall) -> str | None:
        """What a tool answers; raises `CallError` for a file that there is not."""
        given = checked_arguments(call.arguments, call.name, _SERVICES[call.name])
        if call.name == "write_file":
            return self._write(given["file"], given["text"])
        problem = given["problem"]
        if not isinstance(problem, str) or not _FILE.fullmatch(problem) or not (self._folder / problem).is_file():
            there = ", ".join(sorted(path.name for path in self._folder.iterdir()))
            raise CallError(f"there is no such file of yours; there are {there}")
        try:
            answer = self._served(call.name, problem, given.get("plan", []))
        except MissingExtraError:
            raise
        except InputError as error:
            return str(error)[:_LONGEST_ANSWER]
        told = {name: value for name, value in answer.items() if name not in _LEFT_OUT}
        return json.dumps(told, ensure_ascii=False)[:_LONGEST_ANSWER]

    def _write(self, name: object, text: object) -> str:
        if not isinstance(name, str) or not _FILE.fullmatch(name) or name == DOMAIN:
            raise CallError(f"a file is called by letters, digits, _ and -, ends with .pddl, and is not {DOMAIN}")
        if not isinstance(text, str):
            raise CallError("the argument text has to be a text")
        (self._folder / name).write_text(text, encoding="utf-8")
        return f"{name} is written."

    def _served(self, service: str, problem: str, plan: object) -> dict[str, Any]:
        if not isinstance(plan, list) or not all(isinstance(line, str) for line in plan):
            raise CallError("the plan has to be a list of texts, one for each action")
        actions = "\n".join(" ".join(line.split()) for line in plan)
        if service == "check":
            return self._planning.check(DOMAIN, problem)
        if service == "plan":
            return self._planning.plan(DOMAIN, problem)
        if service == "validate":
            return self._planning.validate(DOMAIN, problem, actions)
        return self._planning.state(DOMAIN, problem, actions)

    # ── the oracle ───────────────────────────────────────────────────────────────────────────────

    def answer(self, oracle: PlanOracle) -> tuple[ToolCall, ...]:
        """What the oracle calls: every tool on the problem that it reads from the prompt, and then the submission."""
        task = self._told()
        if not (self._folder / "problem.pddl").is_file():
            text = write_problem(task.task.problem)
            calls: list[tuple[str, dict[str, Any]]] = [("write_file", {"file": "problem.pddl", "text": text})]
            calls += [(name, {"problem": "problem.pddl"}) for name in ("check", "plan") if name in self.names]
            return _calls(calls, self.episode.steps)
        plan = task.plan_from(task.simulator.initial)
        actions = [*map(str, plan)]
        asked = [name for name in ("validate", "simulate") if name in self.names]
        if asked and not self._checked:
            self._checked = True
            return _calls([(name, {"problem": "problem.pddl", "plan": actions}) for name in asked], self.episode.steps)
        said = spoiled(oracle.mistake, task, task.simulator.initial, plan) if oracle.mistake else actions
        return _calls([(SUBMIT, {"plan": said})], self.episode.steps)

    def _told(self) -> ToldTask:
        setting = self.episode.setting
        try:
            return read_told_task(problem_text(self.episode), setting.simulator.task.domain, setting.teller.wording)
        except NLReadError as error:
            raise InputError(f"the oracle cannot read this task: {error}") from error


def _calls(calls: list[tuple[str, dict[str, Any]]], number: int) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(f"call_{number}_{place}", name, json.dumps(arguments, ensure_ascii=False))
        for place, (name, arguments) in enumerate(calls)
    )
