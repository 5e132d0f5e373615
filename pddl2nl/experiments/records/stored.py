"""Runs that are finished: a run that was just played, or its record file, is a `RunRecord`.

Files of planners are `PlannerRecord`, those that systems write are records of theirs.

``NAME.jsonl`` is a finished record. ``NAME.jsonl.partial`` belongs to a run that was cut off or still runs: it is
listed and never counted. A malformed line in a finished record is an error that names file and line, because skipping
the record would silently change every table.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from msgspec import Struct, to_builtins

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.experiments.planners import Planned
from pddl2nl.experiments.records.reader import read_events
from pddl2nl.llm import Message
from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.pddl import Task
from pddl2nl.plugins import System, provided
from pddl2nl.policies import system_of
from pddl2nl.policies.budget import Account, total
from pddl2nl.policies.events import (
    SOLVED,
    Fault,
    Finished,
    Prompted,
    RecordError,
    Replied,
    RunEvent,
    Started,
    counted,
)
from pddl2nl.policies.reporting import Reference, read_task, reference_of

# ── calls, tokens and money ───────────────────────────────────────────────────────────────────────


class RoleUsage(Struct, frozen=True):
    """The cost of the answered calls in one role, or in all roles, when they were first made.

    If an endpoint reports no token counts, they are estimated from the number of characters
    (`pddl2nl.llm.tokens.CHARACTERS_A_TOKEN`). A prompt counts with all its messages, those of earlier turns included,
    as in Tables 6 and 7 of the AutoPlanBench paper.

    ``cached_tokens`` are tokens sent that the provider had cached, ``cache_hits`` replies from our own cache. ``usd``
    is None if a price or a token count is unknown. ``prompt_estimated`` and ``completion_estimated`` say whether the
    tokens contain an estimate. ``new_tokens`` are those of the messages behind the beginning that a prompt shares with
    the previous one of its role, by their share of the characters.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_hits: int = 0
    usd: float | None = 0.0
    prompt_estimated: bool = False
    completion_estimated: bool = False
    new_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def estimated(self) -> bool:
        """Whether tokens of either kind contain an estimate."""
        return self.prompt_estimated or self.completion_estimated

    def __add__(self, other: RoleUsage) -> RoleUsage:
        return RoleUsage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_hits + other.cache_hits,
            # An unknown price is not zero.
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            self.prompt_estimated or other.prompt_estimated,
            self.completion_estimated or other.completion_estimated,
            self.new_tokens + other.new_tokens,
        )


def usage_by_role(events: Iterable[RunEvent]) -> Mapping[str, RoleUsage]:
    """The usage of each role with a reply, in the order of their first replies."""
    found: dict[str, RoleUsage] = {}
    prompts: dict[str, list[int]] = {}  # the lengths of the tools and the messages of each role's last answered prompt
    role, asked, kept = "", list[int](), 0
    endpoint = False
    for event in events:
        if isinstance(event, Prompted):
            # A record holds only the messages since the last answered prompt of this role. Tools stand before them.
            role, before = event.purpose, prompts.get(event.purpose, [0])
            tools = before[0] if event.tools is None else sum(tool.characters for tool in event.tools)
            kept = event.kept + 1 if event.tools is None else 0
            asked = [tools, *before[1 : event.kept + 1], *(message.characters for message in event.messages)]
        elif isinstance(event, Replied):
            prompts[role] = asked
            usage = _of_reply(event, asked, kept, endpoint)
            found[role] = found[role] + usage if role in found else usage
        elif isinstance(event, Started):
            endpoint = event.base_url is not None
    return found


def _of_reply(reply: Replied, asked: Sequence[int], kept: int, endpoint: bool) -> RoleUsage:
    no_prompt = not reply.prompt_tokens and any(asked)
    said = Message("assistant", reply.text, reply.tool_calls).characters
    no_completion = not reply.completion_tokens and bool(said)
    # An endpoint that counted no tokens priced them at zero: the real cost is unknown.
    unpriced = endpoint and (no_prompt or no_completion) and not reply.usd
    prompt = estimate_tokens(sum(asked)) if no_prompt else reply.prompt_tokens
    return RoleUsage(
        1,
        prompt,
        estimate_tokens(said) if no_completion else reply.completion_tokens,
        reply.cached_tokens,
        reply.reasoning_tokens,
        int(reply.from_cache),
        None if unpriced else reply.usd,
        no_prompt,
        no_completion,
        # An endpoint counts whole prompts only.
        round(prompt * sum(asked[kept:]) / max(1, sum(asked))),
    )


# ── records ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Record:
    """A finished record: of an episode, of a planner, or one that a system defines (`pddl2nl.plugins.System.records`).

    Attributes:
        path: of the record file; None for a run that was played and written nowhere.
        events: all of them.
        outcome: how the run ended: an outcome of an episode or a planner's status.
        policy: the policy's or planner's name.
        model: the model that was asked; empty if none was.
        plan: the executed actions, or a planner's plan.
        solvable: whether the task has a plan; None if that is unknown.
        fault: the first failure.
    """

    path: Path | None
    events: tuple[RunEvent, ...] = field(repr=False)
    outcome: str
    policy: str
    model: str = ""
    plan: tuple[str, ...] = ()
    solvable: bool | None = None
    fault: Fault | None = None

    metrics: ClassVar[tuple[str, ...]] = ()
    """The names of the metrics that it can have; none for all."""
    tables: ClassVar[tuple[str, ...]] = ()
    """The kinds of tables of an experiment with such records only; none for the usual ones."""
    not_judged: ClassVar[str] = ""
    """Why there is no plan that can be judged again; empty if there is one."""

    @classmethod
    @abstractmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        """The record with these events."""

    @property
    def id(self) -> str:
        return "" if self.path is None else self.path.name.removesuffix(".jsonl")

    @property
    def first(self) -> Any:
        """The first event: it has the PDDL texts, the names in them, and those that an experiment gives the task."""
        return self.events[0]

    @property
    def last(self) -> Any:
        return self.events[-1]

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, a plan was found, or the answer is right."""
        return self.outcome in SOLVED

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy or planner: such a run is never scored."""
        return self.outcome == "infrastructure-error"

    @property
    def facts(self) -> Mapping[str, object]:
        """What a page shows of how it was made, by name."""
        return {}

    def contradictions(self) -> Iterator[str]:
        """What in it contradicts the rest, each in words; a report counts no such record."""
        yield from ()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Fields of its summary (`pddl2nl.reports.summaries.RunSummary`)."""
        return {}

    @cached_property
    def usage(self) -> Mapping[str, RoleUsage]:
        return usage_by_role(self.events)

    @cached_property
    def total_usage(self) -> RoleUsage:
        return sum(self.usage.values(), RoleUsage())


class RunRecord(Record):
    """A finished run of a policy, as `pddl2nl.run` returns it and as a record holds it.

    ``steps`` are its turns, ``mistakes`` turns, or lines of a plan, meant as actions and not executed. ``plan`` has the
    actions that were executed, ``proposed`` those of a one-shot reply, else the same. ``seconds`` is wall time.
    """

    def __repr__(self) -> str:
        return f"<RunRecord: {self.outcome}, {self.steps} steps, {self.mistakes} mistakes, {self.spent.calls} calls>"

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_table

        fault = "" if self.fault is None else f"step {self.fault.step}, {self.fault.status}: {self.fault.text}"
        counts = f"{self.steps} steps, {self.mistakes} mistakes, {self.spent.calls} calls"
        return html_table(f"Run: {self.outcome}", (("", counts), ("first fault", fault), ("plan", self.proposed)))

    @classmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        """The record with these events.

        Raises:
            RecordError: the description of the run has the wrong fields.
        """
        record = cls.played(path, events)
        try:
            # Checked here, where the error can name file and line.
            convert(record.started.spec, _Spec, "spec")
            record.reference  # noqa: B018
        except (RecordError, WrongValueError) as error:
            raise RecordError(f"{path}:1: an event 'started' with the wrong fields: {error}") from error
        return record

    @classmethod
    def played(cls, path: Path | None, events: tuple[RunEvent, ...]) -> Self:
        """The record with the events of a run of this process."""
        started, finished = cast(Started, events[0]), cast(Finished, events[-1])
        model = "" if started.model == "none" else started.model
        solvable = True if finished.outcome in SOLVED else started.solvable
        return cls(path, events, finished.outcome, started.policy, model, finished.plan, solvable, finished.fault)

    def as_json(self) -> dict[str, Any]:
        """What ``pddl2nl run --json`` prints."""
        spent = self.spent
        costs = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens")
        return {
            "outcome": self.outcome,
            "fault": to_builtins(self.fault),
            "plan": list(self.proposed),
            "steps": self.steps,
            "mistakes": self.mistakes,
            **{name: getattr(spent, name) for name in costs},
            "usd": None if spent.usd is None else round(spent.usd, 6),
            "seconds": round(self.seconds, 3),
            "record": None if self.path is None else str(self.path),
            "cache_hits": spent.cache_hits,
            "accounts": {
                role: {key: round(value, 6) if isinstance(value, float) else value for key, value in account.items()}
                for role, account in self.accounts.items()
            },
        }

    @property
    def steps(self) -> int:
        """The number of turns."""
        return self.finished.steps

    @property
    def mistakes(self) -> int:
        """The number of turns, or lines of a plan, that were meant as actions and not executed."""
        return self.finished.mistakes

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.finished.seconds

    @property
    def message(self) -> str:
        """Why it ended, in a sentence."""
        return self.finished.message

    @property
    def proposed(self) -> tuple[str, ...]:
        """The actions of a one-shot reply, else those that were executed."""
        return self.finished.proposed or self.plan

    @cached_property
    def spent(self) -> Account:
        """What was paid when it was played; `usage` is what its replies cost when they were first made."""
        return total(self.accounts.values())

    @property
    def accounts(self) -> Mapping[str, Mapping[str, int | float | None]]:
        """What was paid by role (`pddl2nl.policies.budget.Account`): wording, thoughts, planner, translator."""
        return self.finished.spent

    @property
    def started(self) -> Started:
        return cast(Started, self.events[0])

    @property
    def finished(self) -> Finished:
        return cast(Finished, self.events[-1])

    @cached_property
    def conversation(self) -> tuple[Message, ...]:
        """The last prompt of the planning model and its reply; empty if no model was asked."""
        prompt: tuple[Message, ...] = ()
        reply: tuple[Message, ...] = ()
        call = 0
        for event in self.events:
            if isinstance(event, Prompted) and event.purpose == "planner":
                prompt, reply = (*prompt[: event.kept], *event.messages), ()
                call = event.call
            elif isinstance(event, Replied) and prompt and event.call == call:
                reply = (Message("assistant", event.text, event.tool_calls),)
        return prompt + reply

    @cached_property
    def counted(self) -> tuple[RunEvent, ...]:
        """The events without those of plans that do not count."""
        return counted(self.events)

    @cached_property
    def reference(self) -> Reference | None:
        """The ground truth of the task; None if it is unknown."""
        return reference_of(self.started.reference)

    @cached_property
    def system(self) -> System | None:
        """The system of its policy, by the policy's name or, for an unknown name, by its events."""
        brought = _systems_by_event()
        by_events = (brought[type(event)] for event in self.events if type(event) in brought)
        return system_of(self.policy) or next(by_events, None)

    @property
    def faults(self) -> str:
        """How the world of the run differs from its model; empty if it does not."""
        return str(self.started.options.get("faults") or "")


class PlannerRecord(Record):
    """A planner's run as it was stored."""

    @classmethod
    def of(cls, path: Path, events: tuple[RunEvent, ...]) -> Self:
        planned = cast(Planned, events[0])
        outcome = "infrastructure-error" if planned.status == "error" else planned.status
        solvable = {"solved": True, "unsolvable": False}.get(planned.status)
        fault = None if outcome in SOLVED else Fault(0, planned.status, planned.message)
        return cls(path, events, outcome, planned.planner, "", planned.plan or (), solvable, fault)

    @property
    def planned(self) -> Planned:
        return cast(Planned, self.events[0])

    @property
    def facts(self) -> Mapping[str, object]:
        planned = self.planned
        return {
            "planner": planned.planner,
            "search": planned.search,
            "cost": planned.cost,
            "states expanded": planned.expanded,
            "message": planned.message,
        }


class _Spec(Struct):
    policy: str
    domain: str = ""
    problem: str = ""
    options: dict[str, object] = {}
    seed: int = 1
    style: str = ""
    suite: str = ""
    task_name: str = ""


def read_record(path: Path) -> Record:
    """A finished record.

    Raises:
        RecordError: as `pddl2nl.experiments.records.reader.read_events`.
    """
    events = read_events(path)
    return _kinds().get(type(events[0]), RunRecord).of(path, events)


@lru_cache(maxsize=1)
def _kinds() -> Mapping[type[RunEvent], type[Record]]:
    """The kinds of records, but for those of episodes, by their first event."""
    return {Planned: PlannerRecord} | {event: kind for _, own in provided("records") for event, kind in own.items()}


@lru_cache(maxsize=1)
def _systems_by_event() -> Mapping[type[RunEvent], System]:
    """The systems by the kinds of events that they bring."""
    return {kind: system for system, kinds in provided("events", RunEvent) for kind in kinds}


def record_paths(folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The files of finished records in a folder and below it, and of unfinished ones; each sorted by path.

    Raises:
        RecordError: there is no such folder, or one that cannot be read.
    """
    finished, unfinished = record_files(folder)
    return tuple(folder / file for file in finished), tuple(folder / file for file in unfinished)


def record_files(folder: Path) -> tuple[list[str], list[str]]:
    """As `record_paths`, relative to the folder and as text, which takes a quarter of the memory."""
    if not folder.is_dir():
        what = "a file, and a folder of records was expected" if folder.exists() else "no such folder of records"
        raise RecordError(f"{folder}: {what}")
    found = [*_files(folder, "")]
    return [file for file in found if file.endswith(".jsonl")], [
        file for file in found if file.endswith(".jsonl.partial")
    ]


def _files(folder: Path, below: str) -> Iterator[str]:
    try:
        with os.scandir(folder / below) as entries:
            names = sorted((entry.name, entry.is_dir() and not entry.is_symlink()) for entry in entries)
    except OSError as error:
        # The folder may hold records; leaving them out would silently change every table.
        raise RecordError(f"{error.filename}: the folder cannot be read: {error.strerror}") from error
    for name, is_folder in names:
        if is_folder:
            yield from _files(folder, f"{below}{name}/")
        else:
            yield f"{below}{name}"


def said_to_answer(model: str) -> str:
    """The model whose name no replay or report can vouch for; empty for those that answer in this process."""
    return "" if model.partition(":")[0] in ("", "none", "oracle", "script", "replay") else model


def task_of(record: Record) -> Task:
    """The task of a record; raises as `read_task` does."""
    return read_task(record.first.domain_pddl, record.first.problem_pddl)
