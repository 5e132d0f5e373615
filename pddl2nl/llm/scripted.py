"""A model that answers with the replies of a file, for tests, demonstrations and deliberate faults.

The ending tells the kind of file:

``*.json``
    A list. Each entry is a reply, or an object ``{"reply": TEXT, "calls": [CALL, …], "when": TEXT, "finish": F}``. A
    call of a tool is ``{"name": TEXT, "arguments": {…}}``, where the arguments may also be a text, for broken JSON, and
    an ``id`` may be given. An entry with ``when`` answers only a prompt whose last message of the user or a tool
    contains that text; ``finish`` (text, length, refused, filtered, empty; default text) says how the reply ended.
``*.jsonl``
    The same entries, one a line.
anything else
    Replies as plain text, separated by lines that hold ``---`` and nothing else.

Every entry answers once. A prompt gets the first entry left that may answer it; without one, `ReplayError` is
raised, so that a script that is too short is an infrastructure error and never a wrong plan.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.llm.types import Completion, Finish, ModelConfigurationError, ReplayError, Request, ToolCall


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call of a tool in a scripted reply; arguments that are a text are sent as they are."""

    name: str
    arguments: str | dict[str, Any] = {}
    id: str | None = None

    def at(self, number: int) -> ToolCall:
        """The call as the model sends it, with an id that no other call of the script has."""
        said = self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)
        return ToolCall(f"call_{number}" if self.id is None else self.id, self.name, said)


class ScriptedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reply of a script; ``when`` is a text that the last message of the user or a tool must contain."""

    reply: str = ""
    when: str | None = None
    finish: Finish = "text"
    calls: tuple[ScriptedCall, ...] = ()

    def answers(self, request: Request) -> bool:
        """Whether this reply may answer the request."""
        told = (message.content for message in reversed(request.messages) if message.role in ("user", "tool"))
        return self.when is None or self.when in next(told, "")


class ScriptedModel:
    """Answers with given replies, each once, in order."""

    def __init__(self, replies: Iterable[str | ScriptedReply], name: str = "script"):
        self._left = [ScriptedReply(reply) if isinstance(reply, str) else reply for reply in replies]
        self._total = len(self._left)
        self._calls = 0
        self.name = name
        self._lock = threading.Lock()

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedModel:
        """The model that a script file describes; raises `ModelConfigurationError` for a bad one."""
        try:
            return cls(_read_script(Path(path)), name=f"script:{path}")
        except InputError as error:
            raise ModelConfigurationError(f"cannot read the script {error}") from None

    def __repr__(self) -> str:
        return f"ScriptedModel(name={self.name!r}, left={len(self._left)})"

    def complete(self, request: Request) -> Completion:
        """The next reply that may answer; raises `ReplayError` if none is left."""
        with self._lock:
            for index, entry in enumerate(self._left):
                if entry.answers(request):
                    del self._left[index]
                    calls = tuple(call.at(self._calls + place) for place, call in enumerate(entry.calls))
                    self._calls += len(calls)
                    return Completion(entry.reply, entry.finish, model=self.name, tool_calls=calls)
            left = len(self._left)
        if left:
            raise ReplayError(f"{self.name}: none of the {left} replies left has a 'when' that the prompt holds")
        raise ReplayError(f"{self.name}: all of its {self._total} replies are used up")


def _read_script(path: Path) -> list[str | ScriptedReply]:
    text = read_text(path, "script")
    if path.suffix not in (".json", ".jsonl"):
        return [part.strip("\n") for part in re.split(r"^---[ \t]*$", text, flags=re.MULTILINE)]
    if path.suffix == ".jsonl":
        lines = [(f"{path}:{number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        entries = [(where, parse_json(line, where)) for where, line in lines]
    else:
        data = parse_json(text, str(path))
        if not isinstance(data, list):
            raise InputError(f"{path}: a list of replies was expected")
        entries = [(f"{path}, entry {number}", entry) for number, entry in enumerate(data, 1)]
    replies: list[str | ScriptedReply] = []
    for where, entry in entries:
        try:
            replies.append(entry if isinstance(entry, str) else convert(entry, ScriptedReply))
        except WrongValueError as error:
            expected = "a text or an object with 'reply', 'calls', 'when' and 'finish'"
            raise InputError(f"{where}: {expected}: {error}") from None
    return replies
