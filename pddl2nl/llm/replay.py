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

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.keys import request_key
from pddl2nl.llm.replies import Amount, StoredCompletion
from pddl2nl.llm.settings import Price
from pddl2nl.llm.types import (
    Completion,
    ContextWindowError,
    EndpointError,
    Message,
    ModelConfigurationError,
    ReplayError,
    Request,
    Tariff,
    Usage,
)

__all__ = [
    "Exchange",
    "RecordedCompletion",
    "ReplayModel",
    "Unanswered",
    "read_calls",
    "read_events",
    "read_exchanges",
    "recorded_price",
]

_DIFF_LINES = 40
_MOST_COMPARED = 200
_SETTINGS = ("temperature", "seed", "max_tokens", "stop", "sample")


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
    """A request whose call failed, or whose reply the record does not hold.

    ``message`` says why it failed, and is empty if the record ends there; ``context_window`` says that the prompt was
    longer than the model takes.
    """

    request: Request
    file: str
    message: str = ""
    context_window: bool = False

    def error(self) -> InfrastructureError:
        """The error of the recorded call."""
        if self.context_window:
            return ContextWindowError(self.message)
        if self.message:
            return EndpointError(self.message)
        return ReplayError(f"{self.file}: the record ends before the reply to this prompt")


_Call = Exchange | Unanswered


class ReplayModel:
    """Answers from records.

    Args:
        path: a folder, searched recursively for ``*.jsonl`` and the ``*.jsonl.partial`` of unfinished runs; or one such
            file.
        empty: accept records without any reply, such as those of runs that asked no model.

    Raises:
        ModelConfigurationError: there is no record or no reply, or a record is malformed.
    """

    def __init__(self, path: str | Path, *, empty: bool = False):
        self.name = f"replay:{path}"
        found: dict[str, list[_Call]] = defaultdict(list)
        for file in _record_files(Path(path)):
            for call in read_calls(file):
                found[request_key(call.request)].append(call)
        self._calls = {key: _settled(found[key]) for key in found}
        self._served: dict[str, int] = defaultdict(int)
        self._asked: list[str] = []
        self._missed: list[str] = []
        self._lock = threading.Lock()
        if not empty and not any(isinstance(call, Exchange) for call in self._all()):
            raise ModelConfigurationError(f"{path}: no recorded reply in any *.jsonl there")

    @property
    def purposes(self) -> frozenset[str]:
        """The roles in which a model was asked when these records were made."""
        return frozenset(call.request.purpose for call in self._all())

    @property
    def asked(self) -> tuple[str, ...]:
        """The keys of all requests so far, in order, answered or not."""
        return tuple(self._asked)

    @property
    def missed(self) -> tuple[str, ...]:
        """For every request so far that was never recorded, its difference from the nearest recorded one."""
        return tuple(self._missed)

    def __repr__(self) -> str:
        return f"ReplayModel({self.name!r}, requests={len(self._calls)})"

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
            self._asked.append(key)
            call = self._next(key)
            if call is None:
                difference = self._difference(request)
                self._missed.append(difference)
                raise ReplayError(f"{self.name}: {difference}")
            self._served[key] += 1
        if isinstance(call, Unanswered):
            raise call.error()
        return call.completion

    def _next(self, key: str) -> _Call | None:
        found = self._calls.get(key)
        return found[min(self._served[key], len(found) - 1)] if found else None

    def _all(self) -> list[_Call]:
        return [call for calls in self._calls.values() for call in calls]

    def _difference(self, request: Request) -> str:
        calls = self._all()
        if not calls:
            return "this prompt was never recorded, nor any other"
        nearest = _nearest(request, calls)
        lines = [f"this prompt was never recorded; the nearest one stands in {nearest.file}"]
        for setting in _SETTINGS:
            recorded, asked = getattr(nearest.request, setting), getattr(request, setting)
            if recorded != asked:
                lines.append(f"  {setting}: recorded {recorded!r}, asked {asked!r}")
        place = _first_difference(nearest.request.messages, request.messages)
        lines += [f"  first different in {place}"] if place else []
        before, now = _lines(nearest.request), _lines(request)
        diff = list(difflib.unified_diff(before, now, "recorded", "asked", n=1, lineterm=""))
        lines += diff[:_DIFF_LINES]
        if len(diff) > _DIFF_LINES:
            lines.append(f"… and {len(diff) - _DIFF_LINES} more lines")
        return "\n".join(lines)


# ── reading records ──────────────────────────────────────────────────────────────────────────────


def read_exchanges(file: Path) -> Iterator[Exchange]:
    """The requests and replies of one record, in order; a torn last line (of a killed run) is skipped.

    Raises:
        ModelConfigurationError: the file cannot be read, or a line is no event of a run.
    """
    return (call for call in read_calls(file) if isinstance(call, Exchange))


def read_calls(file: Path) -> Iterator[Exchange | Unanswered]:
    """The calls of one record, those without a reply at the place where they failed; raises as `read_exchanges`."""
    messages: dict[str, tuple[Message, ...]] = {}
    waiting: dict[int, Request] = {}
    begun = False
    for number, event in read_events(file):
        try:
            kind = event.get("event")
            if kind == "started":
                if begun:
                    raise InputError("a record has one 'started'")
                begun = True
            elif kind == "prompted":
                # A prompt is written as what is new since the last one of its purpose that was answered.
                before = messages.get(event["purpose"], ())[: event["kept"]]
                said = (*before, *map(_message, event["messages"]))
                settings = {name: event[name] for name in _SETTINGS}
                settings["stop"] = tuple(settings["stop"])
                if (failed := waiting.pop(event["call"], None)) is not None:
                    # A second prompt under the same number came after the failure of the first.
                    yield Unanswered(failed, str(file))
                waiting[event["call"]] = Request(said, event["purpose"], **settings)
            elif kind == "replied":
                request = waiting.pop(event["call"])
                messages[request.purpose] = request.messages
                yield Exchange(request, _completion(event), str(file))
            elif kind == "failed":
                request = waiting.pop(event["call"])
                yield Unanswered(request, str(file), event["message"], event["context_window"])
        except (KeyError, TypeError, ValueError) as error:  # InputError and msgspec's errors are ValueErrors
            raise ModelConfigurationError(f"{file}:{number}: not an event of a run: {error!r}") from None
    for request in waiting.values():
        yield Unanswered(request, str(file))


def read_events(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The events of one record as JSON objects, with their line numbers; raises as `read_exchanges`."""
    torn = 0
    try:
        # As bytes: a line may be torn within a character, and only "\n" ends a line of JSON Lines, while a reply may
        # hold U+2028 or U+0085 unescaped.
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if torn:
                    raise ModelConfigurationError(f"{file}:{torn}: not JSON")
                try:
                    event = json.loads(line.decode("utf-8"))
                except (json.JSONDecodeError, UnicodeDecodeError):
                    torn = number
                    continue
                except (ValueError, RecursionError) as error:
                    reason = error if isinstance(error, ValueError) else "its brackets are nested too deeply"
                    raise ModelConfigurationError(f"{file}:{number}: not JSON: {reason}") from None
                if isinstance(event, dict):
                    yield number, event
    except OSError as error:
        raise ModelConfigurationError(f"{file}: the record cannot be read: {error.strerror}") from error


class _Replied(StoredCompletion, frozen=True):
    """The event of a reply; the fields that matter here."""

    from_cache: bool = False
    usd: Amount | None = None


def _completion(event: Mapping[str, Any]) -> RecordedCompletion:
    reply = msgspec.convert(event, _Replied)
    return RecordedCompletion(**{**vars(reply.completion()), "from_cache": reply.from_cache}, usd=reply.usd)


def _message(data: Mapping[str, Any]) -> Message:
    message = Message(**data)
    if not isinstance(message.content, str):
        raise InputError(f"the content of a message is a text; found {message.content!r:.60}")
    return message


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


# ── what is different ────────────────────────────────────────────────────────────────────────────


def _nearest(asked: Request, calls: Sequence[_Call]) -> _Call:
    ranks = [_likeness(asked, call.request) for call in calls]
    best = max(ranks)
    like = [call for call, rank in zip(calls, ranks, strict=True) if rank == best][:_MOST_COMPARED]
    text = "\n".join(_lines(asked))

    def alike(call: _Call) -> float:
        return difflib.SequenceMatcher(None, text, "\n".join(_lines(call.request)), False).quick_ratio()

    return like[0] if len(like) == 1 else max(like, key=alike)


def _likeness(asked: Request, recorded: Request) -> tuple[bool, int, int, int]:
    # The shared beginning first: two turns of one episode differ at the end, two tasks much earlier. Then the same
    # turn, so that a prompt whose beginning changed is compared with itself and not with a later turn.
    one, other = asked.messages, recorded.messages
    beginning, ending = _shared(one, other), _shared(one[::-1], other[::-1])
    return asked.purpose == recorded.purpose, beginning, -abs(len(one) - len(other)), ending


def _shared(one: Sequence[Message | str], other: Sequence[Message | str]) -> int:
    """How many of the first items are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))


def _first_difference(recorded: Sequence[Message], asked: Sequence[Message]) -> str:
    """The place of the first difference in words; empty if there is none."""
    number = _shared(recorded, asked)
    if number == max(len(recorded), len(asked)):
        return ""
    there = asked[number] if number < len(asked) else recorded[number]
    place = f"message {number + 1} ({there.role})"
    if number < min(len(recorded), len(asked)):
        line = _shared(recorded[number].content.split("\n"), asked[number].content.split("\n"))
        place += f", line {line + 1}"
    return place


def _lines(request: Request) -> list[str]:
    return [f"{message.role}: {line}" for message in request.messages for line in message.content.split("\n")]
