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

Every entry answers once. A prompt gets the first entry left that may answer it; without one, `ReplayError` is
raised, so that a script that is too short is an infrastructure error and never a wrong plan.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.llm.types import Completion, Finish, ModelConfigurationError, ReplayError, Request


class ScriptedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reply of a script; ``when`` is a text that the last user message must contain."""

    reply: str
    when: str | None = None
    finish: Finish = "text"

    def answers(self, request: Request) -> bool:
        """Whether this reply may answer the request."""
        prompts = [message.content for message in request.messages if message.role == "user"]
        return self.when is None or (bool(prompts) and self.when in prompts[-1])


class ScriptedModel:
    """Answers with given replies, each once, in order."""

    def __init__(self, replies: Iterable[str | ScriptedReply], name: str = "script"):
        self._left = [ScriptedReply(reply) if isinstance(reply, str) else reply for reply in replies]
        self._total = len(self._left)
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
                    return Completion(entry.reply, entry.finish, model=self.name)
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
            raise InputError(f"{where}: a text or an object with 'reply', 'when' and 'finish': {error}") from None
    return replies
