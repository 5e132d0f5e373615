"""A model that answers from the records of earlier runs, with no network.

A record is a JSON Lines file of events (`pddl2nl.policies.events`, of which only ``prompted`` and ``replied``
matter here). A reply is found by the key of the whole request; a prompt that was never recorded is reported
with its difference from the nearest recorded one, since a replay that silently asked something else would
prove nothing. Tokens and finish are those of the recorded run, so that a replayed run gives the same events.
"""

from __future__ import annotations

import difflib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pddl2nl.llm.keys import request_key
from pddl2nl.llm.types import Completion, Message, ModelConfigurationError, ReplayError, Request, Usage

__all__ = ["Exchange", "ReplayModel", "read_exchanges"]

_DIFF_LINES = 40
_SETTINGS = ("temperature", "seed", "max_tokens", "stop", "sample")


@dataclass(frozen=True)
class Exchange:
    """A request that was recorded, with its reply and the file it stands in."""

    request: Request
    completion: Completion
    file: str


class ReplayModel:
    """Answers from records.

    Args:
        path: a folder, searched with all below it for ``*.jsonl`` and the ``*.jsonl.partial`` of runs that
            did not finish; or one such file.

    Raises:
        ModelConfigurationError: nothing there, or no reply in it.
    """

    def __init__(self, path: str | Path):
        self._name = f"replay:{path}"
        self._exchanges: dict[str, list[Exchange]] = defaultdict(list)
        self._served: dict[str, int] = defaultdict(int)
        self._lock = threading.Lock()
        for file in _record_files(Path(path)):
            for exchange in read_exchanges(file):
                self._exchanges[request_key(exchange.request)].append(exchange)
        if not self._exchanges:
            raise ModelConfigurationError(f"{path}: no recorded reply in any *.jsonl there")

    @property
    def name(self) -> str:
        """``replay:DIR``."""
        return self._name

    def __repr__(self) -> str:
        return f"ReplayModel({self._name!r}, requests={len(self._exchanges)})"

    def complete(self, request: Request) -> Completion:
        """The recorded reply. The same request recorded several times is answered in turn, the last time on.

        Raises:
            ReplayError: this request was never recorded; the message shows what is different.
        """
        key = request_key(request)
        with self._lock:
            found = self._exchanges.get(key)
            if found:
                turn = min(self._served[key], len(found) - 1)
                self._served[key] += 1
                return found[turn].completion
        raise ReplayError(self._difference(request))

    def _difference(self, request: Request) -> str:
        nearest = max(
            (exchange for exchanges in self._exchanges.values() for exchange in exchanges),
            key=lambda exchange: _likeness(request, exchange.request),
        )
        lines = [f"{self._name}: this prompt was never recorded; the nearest one stands in {nearest.file}"]
        for setting in _SETTINGS:
            recorded, asked = getattr(nearest.request, setting), getattr(request, setting)
            if recorded != asked:
                lines.append(f"  {setting}: recorded {recorded!r}, asked {asked!r}")
        diff = list(difflib.unified_diff(_lines(nearest.request), _lines(request), "recorded", "asked", "", "", 1))
        lines += diff[:_DIFF_LINES]
        if len(diff) > _DIFF_LINES:
            lines.append(f"… and {len(diff) - _DIFF_LINES} more lines")
        return "\n".join(lines)


def read_exchanges(file: Path) -> Iterator[Exchange]:
    """The requests and replies of one record, in order; a torn last line (a killed run) is left out."""
    messages: dict[str, tuple[Message, ...]] = {}
    asked: dict[int, Request] = {}
    for number, event in _events(file):
        try:
            if event.get("event") == "prompted":
                # A prompt is written as what is new since the one before of its purpose.
                before = messages.get(event["purpose"], ())[: event["kept"]]
                said = (*before, *(Message(**message) for message in event["messages"]))
                messages[event["purpose"]] = said
                settings = {name: event[name] for name in _SETTINGS}
                settings["stop"] = tuple(settings["stop"])
                asked[event["call"]] = Request(said, event["purpose"], **settings)
            elif event.get("event") == "replied":
                yield Exchange(asked[event["call"]], _completion(event), str(file))
        except (KeyError, TypeError) as error:
            raise ModelConfigurationError(f"{file}:{number}: not an event of a run: {error!r}") from None


def _completion(event: Mapping[str, Any]) -> Completion:
    counts = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    usage = Usage(**{name: event[name] for name in counts})
    return Completion(
        event["text"], event["finish"], usage, event["model"], event["fingerprint"], seconds=event["seconds"]
    )


def _record_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ModelConfigurationError(f"{path}: no such folder of records")
    return sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.partial")})


def _events(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            if number == len(lines):
                return
            raise ModelConfigurationError(f"{file}:{number}: not JSON") from None
        if isinstance(event, dict):
            yield number, event


def _likeness(asked: Request, recorded: Request) -> tuple[int, int, float]:
    # The shared beginning first: two turns of one episode differ at the end, two tasks much earlier. Then the
    # same turn, so that a prompt whose beginning changed is compared with what it was and not with a later turn.
    same = 0
    for one, other in zip(asked.messages, recorded.messages, strict=False):
        if one != other:
            break
        same += 1
    rest = difflib.SequenceMatcher(None, _text(asked.messages[same:]), _text(recorded.messages[same:]), False)
    return same, -abs(len(asked.messages) - len(recorded.messages)), rest.quick_ratio()


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def _lines(request: Request) -> list[str]:
    return [f"{message.role}: {line}" for message in request.messages for line in message.content.split("\n")]
