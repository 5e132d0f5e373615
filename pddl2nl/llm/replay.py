"""A model that answers from the records of earlier runs, with no network.

A record is a JSON Lines file of events (`pddl2nl.policies.events`, of which only ``prompted``, ``replied`` and
``failed`` matter here). A reply is found by the key of the whole request; a prompt that was never recorded is reported
with its difference from the nearest recorded one, since a replay that silently asked something else would prove
nothing.

Replies come as they were recorded: text, finish, tokens, what they cost, at which tariff, and whether a cache had
them. Nothing is spent in a replay, so its accounts repeat those of the recorded run, and the limits of a run, which
are about what was spent, stop it where they stopped then. A call that failed fails again, with the same message.
"""

from __future__ import annotations

import copy
import difflib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.keys import request_key
from pddl2nl.llm.prices import Price
from pddl2nl.llm.stored import completion_from_json
from pddl2nl.llm.types import (
    Completion,
    ContextWindowError,
    EndpointError,
    Finish,
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
_SETTINGS = ("temperature", "seed", "max_tokens", "stop", "sample")
_COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
_KEPT = ("text", "model", "fingerprint", "seconds", *_COUNTS)
_MOST_COMPARED = 200


@dataclass(frozen=True)
class RecordedCompletion(Completion):
    """A reply from a record; ``usd`` is what it cost when it was paid, None where no price was known."""

    usd: float | None = None


@dataclass(frozen=True)
class _Paid(Price):
    """The price of one call, which is known from its record; lists of prices change."""

    amount: float = 0.0

    def usd(self, usage: Usage, tariff: Tariff = "standard") -> float:
        return self.amount


def recorded_price(completion: Completion) -> Price | None:
    """The price by which a recorded reply costs again what it cost then; None where that was not known."""
    usd = completion.usd if isinstance(completion, RecordedCompletion) else None
    return None if usd is None else _Paid(0.0, 0.0, 0.0, amount=usd)


@dataclass(frozen=True)
class Exchange:
    """A request that was recorded, with its reply and the file it stands in."""

    request: Request
    completion: Completion
    file: str


@dataclass(frozen=True)
class Unanswered:
    """A request whose call failed, or whose reply the record does not hold.

    ``message`` says why it failed, and is empty where the record ends there; ``context_window`` says that the prompt
    was longer than the model takes.
    """

    request: Request
    file: str
    message: str = ""
    context_window: bool = False

    def error(self) -> InfrastructureError:
        """What the recorded call raised, as far as it is known."""
        if self.context_window:
            return ContextWindowError(self.message)
        if self.message:
            return EndpointError(self.message)
        return ReplayError(f"{self.file}: the record ends before the reply to this prompt")


_Call = Exchange | Unanswered


@dataclass
class _Recorded:
    """All calls of some records by the key of their request, and what was asked of them so far."""

    calls: dict[str, list[_Call]] = field(default_factory=dict)
    served: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    asked: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class ReplayModel:
    """Answers from records.

    Args:
        path: a folder, searched with all below it for ``*.jsonl`` and the ``*.jsonl.partial`` of runs that
            did not finish; or one such file.
        empty: whether records without any call will do, such as those of runs that asked no model.

    Raises:
        ModelConfigurationError: nothing there, or no reply in it.
    """

    def __init__(self, path: str | Path, *, empty: bool = False):
        self._name = f"replay:{path}"
        found: dict[str, list[_Call]] = defaultdict(list)
        for file in _record_files(Path(path)):
            for call in read_calls(file):
                found[request_key(call.request)].append(call)
        calls = {key: _settled(found[key]) for key in found}
        self._recorded = _Recorded(calls)
        if not empty and not any(isinstance(call, Exchange) for each in calls.values() for call in each):
            raise ModelConfigurationError(f"{path}: no recorded reply in any *.jsonl there")

    @property
    def name(self) -> str:
        """``replay:DIR``."""
        return self._name

    @property
    def purposes(self) -> frozenset[str]:
        """The roles in which a model was asked when these records were made."""
        return frozenset(call.request.purpose for each in self._recorded.calls.values() for call in each)

    @property
    def asked(self) -> tuple[str, ...]:
        """The keys of all requests so far, in order, answered or not."""
        return tuple(self._recorded.asked)

    @property
    def missed(self) -> tuple[str, ...]:
        """For every request so far that was never recorded, how it differs from the nearest one that was."""
        return tuple(self._recorded.missed)

    def __repr__(self) -> str:
        return f"ReplayModel({self._name!r}, requests={len(self._recorded.calls)})"

    def under(self, name: str) -> ReplayModel:
        """The same replies, served in the same turn, under another name: that of the model that gave them."""
        other = copy.copy(self)
        other._name = name
        return other

    def holds(self, request: Request) -> bool:
        """Whether the next reply to a request cost nothing when it was recorded, as a cache had it."""
        with self._recorded.lock:
            call = self._next(request_key(request))
        return isinstance(call, Exchange) and call.completion.from_cache

    def _next(self, key: str) -> _Call | None:
        found = self._recorded.calls.get(key)
        return found[min(self._recorded.served[key], len(found) - 1)] if found else None

    def complete(self, request: Request) -> Completion:
        """The recorded reply. The same request recorded several times is answered in turn, the last time on.

        Raises:
            ReplayError: this request was never recorded; the message shows what is different.
            InfrastructureError: this call failed when it was recorded.
        """
        key = request_key(request)
        recorded = self._recorded
        with recorded.lock:
            recorded.asked.append(key)
            call = self._next(key)
            if call is not None:
                recorded.served[key] += 1
                if isinstance(call, Exchange):
                    return call.completion
                raise call.error()
            difference = self._difference(request)
            recorded.missed.append(difference)
        raise ReplayError(f"{self._name}: {difference}")

    def _difference(self, request: Request) -> str:
        calls = [call for each in self._recorded.calls.values() for call in each]
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
    """The requests and replies of one record, in order, as it is read; a torn last line (a killed run) is left out.

    Raises:
        ModelConfigurationError: the file cannot be read, or a line before the last is torn or no event.
    """
    return (call for call in read_calls(file) if isinstance(call, Exchange))


def read_calls(file: Path) -> Iterator[Exchange | Unanswered]:
    """The calls of one record, those that failed at the place where the run ended; raises as `read_exchanges`."""
    messages: dict[str, tuple[Message, ...]] = {}
    waiting: dict[int, Request] = {}
    for number, event in read_events(file):
        try:
            kind = event.get("event")
            if kind == "prompted":
                # A prompt is written as what is new since the last one of its purpose that was answered.
                before = messages.get(event["purpose"], ())[: event["kept"]]
                said = (*before, *map(_message, event["messages"]))
                settings = {name: event[name] for name in _SETTINGS}
                settings["stop"] = tuple(settings["stop"])
                if (failed := waiting.pop(event["call"], None)) is not None:
                    # What is asked under the number of a call before it came after that one's failure.
                    yield Unanswered(failed, str(file))
                waiting[event["call"]] = Request(said, event["purpose"], **settings)
            elif kind == "replied":
                request = waiting.pop(event["call"])
                messages[request.purpose] = request.messages
                yield Exchange(request, _completion(event), str(file))
            elif kind == "failed":
                request = waiting.pop(event["call"])
                yield Unanswered(request, str(file), event["message"], event["context_window"])
            elif kind == "finished":
                # Older records have no "failed": what a run ended with says why its last call did.
                for request in waiting.values():
                    yield Unanswered(request, str(file), event["message"], event["outcome"] == "budget")
                waiting.clear()
        except (KeyError, TypeError) as error:
            raise ModelConfigurationError(f"{file}:{number}: not an event of a run: {error!r}") from None
        except InputError as error:
            raise ModelConfigurationError(f"{file}:{number}: not an event of a run: {error}") from None
    for request in waiting.values():
        yield Unanswered(request, str(file))


def read_events(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The events of one record as JSON objects, with their line numbers; raises as `read_exchanges`."""
    torn = 0
    try:
        # Bytes: a line is torn anywhere, in the middle of a character too; and what ends a line of JSON Lines is
        # "\n" alone, while a reply may hold U+2028 or U+0085 as it is.
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if torn:
                    raise ModelConfigurationError(f"{file}:{torn}: not JSON")
                try:
                    event = json.loads(line.decode("utf-8"))
                except ValueError:
                    torn = number
                    continue
                if isinstance(event, dict):
                    yield number, event
    except OSError as error:
        raise ModelConfigurationError(f"{file}: the record cannot be read: {error.strerror}") from error


def _completion(event: Mapping[str, Any]) -> RecordedCompletion:
    # Older records have neither: they knew no cache and no batches.
    tariff, from_cache = event.get("tariff", "standard"), event.get("from_cache", False)
    # A record may have been written by anybody; what the cache holds is checked in the same way.
    kept = completion_from_json({**{name: event[name] for name in _KEPT}, "finish": "text", "tariff": tariff})
    finish, usd = event["finish"], event.get("usd")
    if finish not in get_args(Finish):
        raise InputError(f"the finish of a reply is one of {', '.join(get_args(Finish))}; found {finish!r}")
    if usd is not None and (isinstance(usd, bool) or not isinstance(usd, int | float)):
        raise InputError(f"the usd of a reply is a number or null; found {usd!r}")
    return RecordedCompletion(
        kept.text,
        finish,
        kept.usage,
        kept.model,
        kept.fingerprint,
        seconds=kept.seconds,
        from_cache=bool(from_cache),
        tariff=kept.tariff,
        usd=usd,
    )


def _message(data: Mapping[str, Any]) -> Message:
    message = Message(**data)
    if not isinstance(message.content, str):
        raise InputError(f"the content of a message is a text; found {message.content!r}")
    return message


def _record_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ModelConfigurationError(f"{path}: no such folder of records")
    return sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.partial")})


def _settled(calls: list[_Call]) -> list[_Call]:
    """The calls of one request; one that failed counts for nothing where another record has the reply."""
    answered = {call.file for call in calls if isinstance(call, Exchange)}
    return [call for call in calls if isinstance(call, Exchange) or answered <= {call.file}]


# ── what is different ────────────────────────────────────────────────────────────────────────────


def _nearest(asked: Request, calls: Sequence[_Call]) -> _Call:
    ranks = [_likeness(asked, call.request) for call in calls]
    best = max(ranks)
    like = [call for call, rank in zip(calls, ranks, strict=True) if rank == best][:_MOST_COMPARED]
    text = _text(asked.messages)

    def alike(call: _Call) -> float:
        return difflib.SequenceMatcher(None, text, _text(call.request.messages), False).quick_ratio()

    return like[0] if len(like) == 1 else max(like, key=alike)


def _likeness(asked: Request, recorded: Request) -> tuple[bool, int, int, int]:
    # The shared beginning first: two turns of one episode differ at the end, two tasks much earlier. Then the
    # same turn, so that a prompt whose beginning changed is compared with what it was and not with a later turn.
    one, other = asked.messages, recorded.messages
    beginning = _shared(one, other)
    ending = _shared(one[::-1], other[::-1])
    return asked.purpose == recorded.purpose, beginning, -abs(len(one) - len(other)), ending


def _shared(one: Sequence[Message | str], other: Sequence[Message | str]) -> int:
    """How many of the first items are the same."""
    same = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        same += 1
    return same


def _first_difference(recorded: Sequence[Message], asked: Sequence[Message]) -> str:
    """The place of the first difference in words; empty where there is none."""
    number = _shared(recorded, asked)
    if number == max(len(recorded), len(asked)):
        return ""
    there = asked[number] if number < len(asked) else recorded[number]
    place = f"message {number + 1} ({there.role})"
    if number < min(len(recorded), len(asked)):
        line = _shared(recorded[number].content.split("\n"), asked[number].content.split("\n"))
        place += f", line {line + 1}"
    return place


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def _lines(request: Request) -> list[str]:
    return [f"{message.role}: {line}" for message in request.messages for line in message.content.split("\n")]
