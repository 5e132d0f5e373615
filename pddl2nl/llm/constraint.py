"""What a reply may be, as endpoints are told it: a GBNF grammar, or a JSON schema whose replies become text again.

llama.cpp takes the grammar as ``grammar``, vLLM as ``structured_outputs`` (before 0.11 ``guided_grammar``), OpenAI's
API the schema as ``response_format``. Actions of a whole task stay in slots: a grammar of 8,000 lines takes llama.cpp
14 s a reply, the same set by slots 1 s. The lines of one state, which no slots describe, share their beginnings.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

__all__ = ["WAYS", "Constraint", "Line", "Way"]

Way = Literal["structured_outputs", "grammar", "guided_grammar", "json_schema"]
WAYS: tuple[Way, ...] = get_args(Way)
"""The ways of sending a constraint, in the order in which they are tried."""

Line = tuple[str | tuple[str, ...], ...]
"""A line in parts: texts, and for each slot the texts that may stand there."""
_ANY = r"[^\n]+"
_IN_QUOTES = r'[^"\\\n]+'
_MOST_LISTED = 500
"""Lines in a schema's ``enum``; OpenAI takes no more."""


@dataclass(frozen=True)
class Constraint:
    """The form of a reply, and the lines that it may hold.

    Attributes:
        lines: the actions; None for any text.
        action, thought: what stands before an action, and before a thought; where ``thought`` is empty there is none.
        after: what stands behind an action.
        begin, end: what stands around a plan of any number of steps; both empty for one step.
        words: whether lines of any words may stand before ``begin``.
        instead: replies that are allowed as they are; a JSON schema cannot offer them.
    """

    lines: tuple[Line, ...] | None = None
    action: str = ""
    thought: str = ""
    after: str = ""
    begin: str = ""
    end: str = ""
    words: bool = False
    instead: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """A SHA-256 of all that it says."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def fields(self, way: Way) -> dict[str, Any]:
        """The fields of a request's body that send it."""
        if way == "json_schema":
            schema = {"name": "reply", "strict": True, "schema": self.schema()}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        return {way: {"grammar": self.grammar()} if way == "structured_outputs" else self.grammar()}

    @property
    def only(self) -> str | None:
        """The one action that it allows, if it is one."""
        (line,) = self.lines if self.lines is not None and len(self.lines) == 1 else ((None,),)
        return line[0] if len(line) == 1 and isinstance(line[0], str) else None

    # ── a grammar ────────────────────────────────────────────────────────────────────────────────

    def grammar(self) -> str:
        """The reply in llama.cpp's GBNF, which vLLM reads as well."""
        rules: dict[str, str] = {}
        thought = f'{_quoted(self.thought)} {_ANY} "\\n" ' if self.thought else ""
        step = f"{thought}{_quoted(self.action)} action" if self.action else "action"
        step = f"{step} {_quoted(self.after)}" if self.after else step
        words = f'({_ANY} "\\n")* ' if self.words else ""
        end = f" {_quoted(self.end)}" if self.end else ""
        root = f'{words}{_quoted(self.begin)} ({step} "\\n")*{end}' if self.begin else step
        rules["root"] = " | ".join([root, *map(_quoted, self.instead)])
        rules["action"] = (_IN_QUOTES if self.after else _ANY) if self.lines is None else self._actions(rules)
        return "\n".join(f"{name} ::= {rule}" for name, rule in rules.items())

    def _actions(self, rules: dict[str, str]) -> str:
        slots: dict[tuple[str, ...], str] = {}
        whole, choices = [], []
        for line in self.lines or ():
            if all(isinstance(part, str) for part in line):
                whole.append("".join(map(str, line)))
                continue
            for part in line:
                if isinstance(part, tuple) and part not in slots:
                    slots[part] = name = f"slot{len(slots)}"
                    rules[name] = " | ".join(map(_quoted, part))
            choices.append(" ".join(_quoted(part) if isinstance(part, str) else slots[part] for part in line))
        if whole:
            choices.append(_tree([re.findall(r"\S*\s*", text)[:-1] for text in sorted(set(whole))]))
        return " | ".join(choices)

    # ── a schema ─────────────────────────────────────────────────────────────────────────────────

    def schema(self) -> dict[str, Any]:
        """The reply as JSON: a step with ``action`` and perhaps ``thought``, or ``steps``."""
        action: dict[str, Any] = {"type": "string"}
        if self.lines is not None:
            literal = ["".join(line) for line in self.lines if all(isinstance(part, str) for part in line)]  # type: ignore[arg-type]
            listed = len(literal) == len(self.lines) <= _MOST_LISTED
            action |= {"enum": literal} if listed else {"pattern": f"^({'|'.join(map(_pattern, self.lines))})$"}
        parts = {"thought": {"type": "string"}, "action": action} if self.thought else {"action": action}
        step = _object(parts)
        words = {"words": {"type": "string"}} if self.words else {}
        return _object({**words, "steps": {"type": "array", "items": step}}) if self.begin else step

    def text(self, reply: str) -> str:
        """A reply to the schema as the text that the grammar describes; one that is no such JSON stays as it is."""
        try:
            data = json.loads(reply)
            if not self.begin:
                return self._step(data)
            words = f"{str(data['words']).strip()}\n" if self.words else ""
            return "".join([words, self.begin, *(f"{self._step(step)}\n" for step in data["steps"]), self.end])
        except (ValueError, KeyError, TypeError, RecursionError):
            return reply

    def _step(self, data: Any) -> str:
        thought = f"{self.thought}{' '.join(str(data['thought']).split())}\n" if self.thought else ""
        return f"{thought}{self.action}{data['action']}{self.after}"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _pattern(line: Line) -> str:
    return "".join(_plain(part) if isinstance(part, str) else f"({'|'.join(map(_plain, part))})" for part in line)


def _plain(text: str) -> str:
    # ECMAScript's expressions, which schemas have, know no escape of a blank as `re.escape` makes it.
    return re.sub(r"[\\^$.|?*+()\[\]{}/]", r"\\\g<0>", text)


def _tree(lines: Iterable[Sequence[str]]) -> str:
    """An expression for sorted lines, given in words, in which common beginnings stand once."""
    groups: dict[str, list[Sequence[str]]] = {}
    for line in lines:
        groups.setdefault(line[0] if line else "", []).append(line[1:])
    choices = []
    for word, rest in groups.items():
        while rest[0] and all(line[:1] == rest[0][:1] for line in rest):
            word, rest = word + rest[0][0], [line[1:] for line in rest]
        more = [line for line in rest if line]
        after = "" if not more else f" {_tree(more)}" if len(more) == len(rest) else f" ({_tree(more)})?"
        choices.append(_quoted(word) + after)
    return choices[0] if len(choices) == 1 else f"({' | '.join(choices)})"
