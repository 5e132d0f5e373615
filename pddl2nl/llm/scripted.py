"""A model that answers with the replies of a file, for tests, demonstrations and deliberate faults.

The ending tells the kind of file:

``*.json``
    A list. Each entry is a reply, or an object ``{"reply": TEXT, "when": TEXT, "finish": F}``. An entry with
    ``when`` answers only a prompt whose last user message contains that text; ``finish`` (text, length, refused,
    filtered, empty; default text) says how the reply ended.
``*.jsonl``
    The same entries, one a line.
anything else
    Replies as plain text, separated by lines that hold ``---`` and nothing else.

Every entry answers once. A prompt gets the first entry left that may answer it; if there is none, `ReplayError` is
raised, so that a script that is too short is an infrastructure error and never a wrong plan.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from pddl2nl.llm.types import Completion, Finish, ModelConfigurationError, ReplayError, Request

__all__ = ["ScriptedModel", "ScriptedReply", "read_script"]


@dataclass(frozen=True)
class ScriptedReply:
    """One reply of a script; ``when`` is a text that the last user message must contain."""

    reply: str
    when: str | None = None
    finish: Finish = "text"

    def answers(self, request: Request) -> bool:
        """Whether this reply may answer the request."""
        if self.when is None:
            return True
        said = [message.content for message in request.messages if message.role == "user"]
        return bool(said) and self.when in said[-1]


class ScriptedModel:
    """Answers with given replies, each once, in order.

    Args:
        replies: texts or `ScriptedReply`.
        name: the name it is recorded under.
    """

    def __init__(self, replies: Iterable[str | ScriptedReply], name: str = "script"):
        self._left = [ScriptedReply(reply) if isinstance(reply, str) else reply for reply in replies]
        self._total = len(self._left)
        self.name = name
        self._lock = threading.Lock()

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedModel:
        """The model that a script file describes; raises `ModelConfigurationError` for a bad one."""
        return cls(read_script(Path(path)), name=f"script:{path}")

    def __repr__(self) -> str:
        return f"ScriptedModel(name={self.name!r}, left={len(self._left)})"

    def complete(self, request: Request) -> Completion:
        """The next reply that may answer; raises `ReplayError` if there is none."""
        with self._lock:
            for index, entry in enumerate(self._left):
                if entry.answers(request):
                    del self._left[index]
                    return Completion(entry.reply, entry.finish, model=self.name)
            left = len(self._left)
        if left:
            raise ReplayError(f"{self.name}: none of the {left} replies left has a 'when' that the prompt holds")
        raise ReplayError(f"{self.name}: all of its {self._total} replies are used up")


def read_script(path: Path) -> list[ScriptedReply]:
    """The replies of a script file; raises `ModelConfigurationError` naming file and entry."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelConfigurationError(f"cannot read the script {path}: {error}") from None
    if path.suffix == ".json":
        entries = _json(text, str(path))
        if not isinstance(entries, list):
            raise ModelConfigurationError(f"{path}: a list of replies was expected")
        return [_entry(entry, f"{path}, entry {number}") for number, entry in enumerate(entries, 1)]
    if path.suffix == ".jsonl":
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return [_entry(_json(line, f"{path}:{number}"), f"{path}:{number}") for number, line in lines]
    return [ScriptedReply(part.strip("\n")) for part in re.split(r"^---[ \t]*$", text, flags=re.MULTILINE)]


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "its brackets are nested too deeply"
        raise ModelConfigurationError(f"{where}: not JSON: {reason}") from None


def _entry(entry: object, where: str) -> ScriptedReply:
    if isinstance(entry, str):
        return ScriptedReply(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("reply"), str):
        raise ModelConfigurationError(f"{where}: a text or an object with a text under 'reply' was expected")
    unknown = set(entry) - {"reply", "when", "finish"}
    if unknown:
        raise ModelConfigurationError(f"{where}: unknown {', '.join(sorted(map(repr, unknown)))}")
    when, finish = entry.get("when"), entry.get("finish", "text")
    if when is not None and not isinstance(when, str):
        raise ModelConfigurationError(f"{where}: 'when' must be a text")
    if finish not in get_args(Finish):
        raise ModelConfigurationError(f"{where}: 'finish' must be one of {', '.join(get_args(Finish))}")
    return ScriptedReply(entry["reply"], when, cast(Finish, finish))
