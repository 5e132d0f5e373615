"""Rows for training from the events of runs: prompts with reward columns, and prompts with the planner's reply.

*Prompt rows* are for reinforcement learning (GRPO): the first prompt of a run by Basic, CoT or a system's policy whose
first reply is a plan, and the columns from which `scoring` rewards any reply to it.

*Pair rows* are for supervised fine-tuning. A model visits states that no correct plan visits, so a planner answers each
prompt of a run again, from the state that the conversation has led to and in the form of the prompt: a thought where
one is asked for, and the next action of a plan (DAgger; Ross, Gordon and Bagnell 2011). What the model said stays in
the conversation and is never a label.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TextIO

import msgspec

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.errors import InputError
from pddl2nl.files import replaced_file
from pddl2nl.llm import Completion, Message, Request, Tool
from pddl2nl.nl import template_wording, wording_from_json
from pddl2nl.nl.markers import ACTION, PLAN_START, THOUGHT
from pddl2nl.pddl import parse_domain
from pddl2nl.plugins import provided
from pddl2nl.policies.events import Prompted, RunEvent, Started
from pddl2nl.policies.policy import is_core, make_policy
from pddl2nl.policies.prompting import PromptedPolicy


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True):
    """What all rows hold.

    Attributes:
        prompt: the conversation up to the reply.
        domain_name, task: the domain's name, and the problem's or what an experiment calls it.
        policy: whose prompt it is.
    """

    prompt: tuple[Message, ...]
    domain_name: str
    task: str
    policy: str


class PromptRow(TrainingRow, frozen=True, kw_only=True):
    """A prompt with the columns of `rewards.RewardColumns`."""

    domain: str
    problem: str
    wording: str = ""
    names: str = ""
    optimum: float | None = None


class PairRow(TrainingRow, frozen=True, kw_only=True):
    """A prompt with the planner's reply.

    ``completion`` is the reply as one message; ``thought`` and ``action`` are its parts, empty for a whole plan.
    """

    completion: tuple[Message, ...]
    thought: str = ""
    action: str = ""


class CallRow(TrainingRow, frozen=True, kw_only=True):
    """A prompt with the planner's calls of tools: messages as chat templates take them, and the tools.

    ``tools`` is JSON, as TRL takes it: a column of schemas would give each the properties of all others.
    """

    prompt: tuple[Mapping[str, Any], ...]  # type: ignore[assignment]
    completion: tuple[Mapping[str, Any], ...]
    tools: str


Variant = Literal["paper", "sound"]
"""Rewards as a paper defines them, or repaired."""


@dataclass(frozen=True)
class PlanForm:
    """The rows and rewards of a system whose replies are plans of another form (`pddl2nl.plugins.System.training`).

    Attributes:
        column: the column by which its rows are known.
        row: the row of a run, made of the one with the columns of all rows; None if the run's first reply is no such
            plan.
        rewards: the rewards of a reply by name, given its row.
        reply: the right reply to a row's prompt.
    """

    column: str
    row: Callable[[Started, PromptRow], PromptRow | None]
    rewards: Callable[[str, Mapping[str, Any], Variant], Mapping[str, float]]
    reply: Callable[[Any], str]


class RowFiles:
    """Files of rows below a folder, split into train and test by domain; they are there when the context ends well.

    Rows are written as they come, since a training set may be larger than the memory, and each once, since runs of one
    task by several models share prompts.

    Args:
        folder: the folder of the files.
        test: the domains whose rows are for tests only.

    Raises:
        InputError: at the end, if no row is of a domain in ``test``.
    """

    def __init__(self, folder: Path, test: Iterable[str]):
        self.counts: Counter[str] = Counter()
        self._folder = folder
        self._test = set(test)
        self._domains: set[str] = set()
        self._seen: set[bytes] = set()
        self._files: dict[str, TextIO] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        with self._stack.pop_all() as stack:
            if error is not None:
                stack.__exit__(kind, error, trace)
            elif unknown := self._test - self._domains:
                known = ", ".join(sorted(self._domains))
                raise InputError(f"--test {min(unknown)}: no row is of this domain; there are {known}")

    def add(self, kind: str, rows: Iterable[TrainingRow]) -> None:
        """Adds rows to the files of a kind, ``prompts`` or ``pairs``."""
        for row in rows:
            self._domains.add(row.domain_name)
            name = f"{kind}-{'test' if row.domain_name in self._test else 'train'}.jsonl"
            line = f"{msgspec.json.encode(row).decode()}\n"
            digest = hashlib.sha256(f"{name}\n{line}".encode()).digest()
            if digest not in self._seen:
                self._seen.add(digest)
                self.counts[name] += 1
                if name not in self._files:
                    self._files[name] = self._stack.enter_context(replaced_file(self._folder / name))
                self._files[name].write(line)


def prompt_rows(events: Sequence[RunEvent], optimum: float | None = None) -> Iterator[PromptRow]:
    """The first prompt of a run; nothing for runs by policies whose first reply is no plan.

    Args:
        events: of the run, finished or not.
        optimum: the cost of an optimal plan, if it is known.
    """
    started, asked = _planner_prompts(events)
    if started is None or not asked:
        return
    in_words = started.style == "nl" and started.wording is not None
    row = PromptRow(
        prompt=asked[0].messages,
        domain_name=started.domain,
        task=started.task or started.problem,
        policy=started.policy,
        domain=started.domain_pddl,
        problem=started.problem_pddl,
        wording=json.dumps(started.wording, ensure_ascii=False) if in_words else "",
        names=json.dumps(dict(started.names), ensure_ascii=False) if in_words else "",
        optimum=optimum,
    )
    mechanism = _mechanism(started)
    if mechanism is not None and mechanism.one_shot:
        yield row
    for _, form in provided("training"):
        made = form.row(started, row)
        if made is not None:
            yield made


def shown_pairs(rows: Iterable[PromptRow]) -> Iterator[PairRow]:
    """Prompts of systems' policies with the right plans of their tasks, of those rows whose system knows one."""
    for row in rows:
        for _, form in provided("training"):
            if getattr(row, form.column, None):
                reply = (Message("assistant", form.reply(row)),)
                yield PairRow(
                    prompt=row.prompt, domain_name=row.domain_name, task=row.task, policy=row.policy, completion=reply
                )


def pair_rows(events: Sequence[RunEvent], *, time_limit: int | None = 60) -> Iterator[PairRow | CallRow]:
    """The prompts of a run by Basic, CoT, Act, ReAct or tools, each with the planner's reply; else as `shown_pairs`.

    A prompt from whose state no plan reaches the goal has no right answer and is left out.

    Args:
        events: of the run, finished or not.
        time_limit: seconds of the planner for each state; None for no limit.

    Raises:
        InfrastructureError: a prompt cannot be read, or the planner ran into its limit.
        InputError: the recorded domain or wording cannot be read.
        MissingExtraError: Fast Downward is not installed.
    """
    started, asked = _planner_prompts(events)
    if started is None or _mechanism(started) is None:
        yield from shown_pairs(prompt_rows(events))
        return
    domain = parse_domain(started.domain_pddl)
    wording = template_wording(domain)
    if started.wording is not None:
        wording = wording_from_json(started.wording, domain, "the recorded wording")
    oracle = PlanOracle(domain, wording, time_limit=time_limit)
    about: dict[str, Any] = {
        "domain_name": started.domain,
        "task": started.task or started.problem,
        "policy": started.policy,
    }
    for request in asked:
        said = oracle.complete(request)
        if said.tool_calls:
            if said.tool_calls[0].name != "give_up":
                yield _call_row(request, said, about)
            continue
        reply = said.text
        whole = PLAN_START in reply
        thought, marked, action = reply.partition(ACTION)
        if not whole and not marked:
            continue
        yield PairRow(
            prompt=request.messages,
            completion=(Message("assistant", reply),),
            thought="" if whole else thought.removeprefix(THOUGHT).strip(),
            action="" if whole else action.strip(),
            **about,
        )


def _call_row(request: Request, said: Completion, about: Mapping[str, Any]) -> CallRow:
    def shown(message: Message) -> dict[str, Any]:
        told = dict(message.as_json)
        if message.tool_calls:
            # Chat templates write arguments as JSON themselves.
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.loads(call.arguments)},
                }
                for call in message.tool_calls
            ]
            told |= {"content": message.content, "tool_calls": calls}
        return told

    tools = json.dumps([tool.to_json() for tool in request.tools], ensure_ascii=False)
    reply = Message("assistant", said.text, said.tool_calls)
    return CallRow(prompt=tuple(map(shown, request.messages)), completion=(shown(reply),), tools=tools, **about)


def _planner_prompts(events: Sequence[RunEvent]) -> tuple[Started | None, list[Request]]:
    """How a run began, and the prompts of its policy in full, each once."""
    started = next((event for event in events if isinstance(event, Started)), None)
    asked: dict[tuple[Message, ...], Request] = {}
    before: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    for event in events:
        if isinstance(event, Prompted) and event.purpose == "planner":
            before = (*before[: event.kept], *event.messages)
            tools = tools if event.tools is None else event.tools
            asked[before] = Request(before, tools=tools)
    return started, [*asked.values()]


def _mechanism(started: Started) -> PromptedPolicy | None:
    """The policy of a run, if it is one that the planner can answer for."""
    policy = make_policy(started.policy, started.options) if is_core(started.policy) else None
    return policy if isinstance(policy, PromptedPolicy) else None
