"""A model that answers from the records of earlier runs, without a network.

A record is a JSON Lines file of events (`pddl2nl.policies.events`); only ``prompted``, ``replied`` and ``failed``
matter here. A reply is found by the key of the whole request. A prompt that was never recorded is an error that shows
its difference from the nearest recorded one.

Replies come as they were recorded: text, finish, tokens, cost, tariff, and whether a cache had them. A replay spends
nothing, so its accounts repeat those of the recorded run, and a run's limits stop it where they stopped then. A call
that failed fails again with the same message.
"""

from __future__ import annotations

import copy
import difflib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.conversion import plain_convert
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import long_line, unreadable
from pddl2nl.limits import LIMITS
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.keys import request_key
from pddl2nl.llm.replies import Amount, Count, StoredCompletion
from pddl2nl.llm.settings import Price
from pddl2nl.llm.types import (
    AGENT_LEFT,
    AgentLeftError,
    Completion,
    ContextWindowError,
    EndpointError,
    Message,
    ModelConfigurationError,
    Purpose,
    ReplayError,
    Request,
    Tariff,
    Tool,
    ToolChoice,
    Usage,
)

_DIFF_LINES = 40
_SETTINGS = ("temperature", "seed", "max_tokens", "stop", "sample", "constraint", "until", "likelihood", "tool_choice")


@dataclass(frozen=True)
class RecordedCompletion(Completion):
    """A reply from a record; ``usd`` is what it cost when it was paid, None if the price was unknown."""

    usd: float | None = None


@dataclass(frozen=True)
class _Paid(Price):
    """The price of one call, known from its record; price lists change."""

    amount: float = 0.0

    def usd(self, usage: Usage, tariff: Tariff = "standard") -> float:
        return self.amount


def recorded_price(completion: Completion) -> Price | None:
    """The price at which a recorded reply costs what it cost then; None if that was unknown."""
    usd = completion.usd if isinstance(completion, RecordedCompletion) else None
    return None if usd is None else _Paid(0.0, 0.0, 0.0, amount=usd)


@dataclass(frozen=True)
class Exchange:
    """A recorded request with its reply, and the record's file."""

    request: Request
    completion: Completion
    file: str


@dataclass(frozen=True)
class Unanswered:
    """A request whose call failed, or whose reply the record does not hold, with the error and the record's file."""

    request: Request
    error: InfrastructureError
    file: str


_Call = Exchange | Unanswered


class ReplayModel:
    """Answers from records.

    Args:
        path: a folder, searched recursively for ``*.jsonl`` and the ``*.jsonl.partial`` of unfinished runs; or one such
            file.
        empty: accept records without any reply, such as those of runs that asked no model.

    Attributes:
        missed: for every request so far that was never recorded, its difference from the nearest recorded one.

    Raises:
        ModelConfigurationError: there is no record or no reply, or a record is malformed.
    """

    def __init__(self, path: str | Path, *, empty: bool = False):
        self.name = f"replay:{path}"
        recorded: dict[str, list[_Call]] = defaultdict(list)
        for file in _record_files(Path(path)):
            for call in read_calls(file):
                recorded[request_key(call.request)].append(call)
        self._calls = {key: _settled(recorded[key]) for key in recorded}
        self._served: dict[str, int] = defaultdict(int)
        self.missed: list[str] = []
        self._lock = threading.Lock()
        if not empty and not any(isinstance(call, Exchange) for call in self._all()):
            raise ModelConfigurationError(f"{path}: no recorded reply in any *.jsonl there")

    def __repr__(self) -> str:
        return f"ReplayModel({self.name!r}, requests={len(self._calls)})"

    @property
    def purposes(self) -> frozenset[str]:
        """The purposes of the recorded requests; a run asks for its example's thoughts only if they were recorded."""
        return frozenset(call.request.purpose for call in self._all())

    def under(self, name: str) -> ReplayModel:
        """The same replies, served in the same order, under the name of the model that gave them."""
        other = copy.copy(self)  # it shares the calls and what was served of them
        other.name = name
        return other

    def holds(self, request: Request) -> bool:
        """Whether the next reply to a request came from a cache when it was recorded, and so cost nothing."""
        with self._lock:
            call = self._next(request_key(request))
        return isinstance(call, Exchange) and call.completion.from_cache

    def complete(self, request: Request) -> Completion:
        """The recorded reply. A request recorded several times gets its replies in order, the last one repeatedly.

        Raises:
            ReplayError: the request was never recorded; the message shows the difference.
            InfrastructureError: this call failed when it was recorded.
        """
        key = request_key(request)
        with self._lock:
            call = self._next(key)
            if call is None:
                difference = self._difference(request)
                self.missed.append(difference)
                raise ReplayError(f"{self.name}: {difference}")
            self._served[key] += 1
        if isinstance(call, Unanswered):
            raise type(call.error)(str(call.error))
        return call.completion

    def _next(self, key: str) -> _Call | None:
        calls = self._calls.get(key)
        return calls[min(self._served[key], len(calls) - 1)] if calls else None

    def _all(self) -> list[_Call]:
        return [call for calls in self._calls.values() for call in calls]

    def _difference(self, request: Request) -> str:
        calls = self._all()
        if not calls:
            return "this prompt was never recorded, nor any other"
        nearest = _nearest(request, calls)
        lines = [f"this prompt was never recorded; the nearest one is in {nearest.file}"]
        for setting in _SETTINGS:
            recorded, asked = getattr(nearest.request, setting), getattr(request, setting)
            # Of a constraint only the key is recorded.
            asked = asked.key if isinstance(asked, Constraint) else asked
            if recorded != asked:
                lines.append(f"  {setting}: recorded {recorded!r}, asked {asked!r}")
        old, new = ({tool.name: tool for tool in each.tools} for each in (nearest.request, request))
        if different := sorted(name for name in {*old, *new} if old.get(name) != new.get(name)):
            lines.append(f"  tools: recorded {len(old)}, asked {len(new)}; different: {', '.join(different)}")
        before, now = nearest.request.messages, request.messages
        number = _shared(before, now)
        if number < max(len(before), len(now)):
            one, other = (messages[number] if number < len(messages) else None for messages in (before, now))
            place = f"  first different in message {number + 1} ({(other or before[number]).role})"
            if one is not None and other is not None:
                place += f", line {_shared(one.content.splitlines(), other.content.splitlines()) + 1}"
            lines.append(place)
        diff = [*difflib.unified_diff(_lines(nearest.request), _lines(request), "recorded", "asked", n=1, lineterm="")]
        lines += diff[:_DIFF_LINES]
        if len(diff) > _DIFF_LINES:
            lines.append(f"… and {len(diff) - _DIFF_LINES} more lines")
        return "\n".join(lines)


# ── reading records ──────────────────────────────────────────────────────────────────────────────


class _PromptedLine(msgspec.Struct):
    call: int
    purpose: Purpose
    kept: int
    messages: tuple[Message, ...]
    temperature: int | float | None  # 0 and 0.0 have different keys
    seed: int | None
    max_tokens: int | None
    stop: tuple[str, ...]
    sample: int
    constraint: str | None = None
    until: str | None = None
    likelihood: bool = False
    tools: tuple[Tool, ...] | None = None
    tool_choice: ToolChoice = "auto"


class _RepliedLine(StoredCompletion, frozen=True, kw_only=True):
    call: int
    from_cache: bool = False
    usd: Amount | None = None
    retries: Count | None = None


class _FailedLine(msgspec.Struct):
    call: int
    message: str
    context_window: bool


def read_exchanges(file: Path) -> Iterator[Exchange]:
    """The requests and replies of one record, in order; a torn last line (of a killed run) is skipped.

    Raises:
        ModelConfigurationError: the file cannot be read, or a line is not an event of a run.
    """
    return (call for call in read_calls(file) if isinstance(call, Exchange))


def read_calls(file: Path) -> Iterator[Exchange | Unanswered]:
    """The calls of one record, those without a reply at the place where they failed; raises as `read_exchanges`."""
    messages: dict[str, tuple[Message, ...]] = {}
    tools: dict[str, tuple[Tool, ...]] = {}
    waiting: dict[int, Request] = {}
    begun = False
    unanswered = ReplayError(f"{file}: the record ends before the reply to this prompt")
    for number, event in read_events(file):
        try:
            kind = event.get("event")
            if kind == "started":
                if begun:
                    raise InputError("a record has one 'started'")
                begun = True
            elif kind == "prompted":
                new = plain_convert(event, _PromptedLine)
                # A prompt is written as what is new since the last one of its purpose that was answered.
                prompt = (*messages.get(new.purpose, ())[: new.kept], *new.messages)
                if (failed := waiting.pop(new.call, None)) is not None:
                    # A second prompt under the same number came after the failure of the first.
                    yield Unanswered(failed, unanswered, str(file))
                waiting[new.call] = Request(
                    prompt,
                    new.purpose,
                    new.temperature,
                    new.seed,
                    new.max_tokens,
                    new.stop,
                    new.sample,
                    new.constraint,
                    new.until,
                    new.likelihood,
                    tools.get(new.purpose, ()) if new.tools is None else new.tools,
                    new.tool_choice,
                )
            elif kind == "replied":
                reply = plain_convert(event, _RepliedLine)
                request = waiting.pop(reply.call)
                messages[request.purpose], tools[request.purpose] = request.messages, request.tools
                now = {"from_cache": reply.from_cache, "retries": reply.retries}
                yield Exchange(
                    request, RecordedCompletion(**(vars(reply.completion()) | now), usd=reply.usd), str(file)
                )
            elif kind == "failed":
                failure = plain_convert(event, _FailedLine)
                error: type[EndpointError] = ContextWindowError if failure.context_window else EndpointError
                error = AgentLeftError if failure.message == AGENT_LEFT else error
                yield Unanswered(waiting.pop(failure.call), error(failure.message), str(file))
        except (KeyError, ValueError) as error:  # InputError and msgspec's errors are ValueErrors
            raise ModelConfigurationError(f"{file}:{number}: not an event of a run: {error!r}") from None
    for request in waiting.values():
        yield Unanswered(request, unanswered, str(file))


def read_events(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The events of one record as JSON objects, with their line numbers; raises as `read_exchanges`."""
    torn = 0
    try:
        # As bytes: a line may be torn within a character, and only "\n" ends a line of JSON Lines, while a reply may
        # hold U+2028 or U+0085 unescaped.
        with file.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(LIMITS.line_bytes + 1), b""), 1):
                if len(line) > LIMITS.line_bytes:
                    raise ModelConfigurationError(long_line(str(file), number))
                if torn:
                    raise ModelConfigurationError(f"{file}:{torn}: not JSON")
                try:
                    event = json.loads(line.decode("utf-8"))
                except (json.JSONDecodeError, UnicodeDecodeError):
                    torn = number
                    continue
                except (ValueError, RecursionError) as error:
                    raise ModelConfigurationError(f"{file}:{number}: not JSON: {unreadable(error)}") from None
                if isinstance(event, dict):
                    yield number, event
    except OSError as error:
        raise ModelConfigurationError(f"{file}: the record cannot be read: {error.strerror}") from error


def _record_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ModelConfigurationError(f"{path}: no such folder of records")
    return sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.partial")})


def _settled(calls: list[_Call]) -> list[_Call]:
    """The calls of one request, without those that failed if another record has the reply."""
    answered = {call.file for call in calls if isinstance(call, Exchange)}
    return [call for call in calls if isinstance(call, Exchange) or answered <= {call.file}]


def _nearest(asked: Request, calls: Sequence[_Call]) -> _Call:
    """The most similar recorded prompt: of the same role and turn if there is one, and then by its text."""

    def likeness(call: _Call) -> tuple[bool, int]:
        recorded = call.request
        return recorded.purpose == asked.purpose, -abs(len(recorded.messages) - len(asked.messages))

    from rapidfuzz import fuzz, process

    best = max(map(likeness, calls))
    like = [call for call in calls if likeness(call) == best]
    texts = ["\n".join(_lines(call.request)) for call in like]
    nearest = process.extractOne("\n".join(_lines(asked)), texts, scorer=fuzz.ratio)
    return like[nearest[2]]


def _shared(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))


def _lines(request: Request) -> list[str]:
    lines = []
    for message in request.messages:
        lines += [f"{message.role}: {line}" for line in message.content.split("\n")]
        lines += [f"{message.role}: {call.name}({call.arguments})" for call in message.tool_calls]
    return lines
