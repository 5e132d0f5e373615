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

Way = Literal["structured_outputs", "grammar", "guided_grammar", "json_schema"]
WAYS: tuple[Way, ...] = get_args(Way)
"""The ways of sending a constraint, in the order in which they are tried."""

Slot = tuple["str | Line", ...]
"""The texts or lines that may stand at one place of a line."""
Line = tuple["str | Slot | None", ...]
"""A line in parts: texts, slots, and None for any text without quotation marks and backslashes."""
_ANY = r"[^\n]+"
_IN_QUOTES = r'[^"\\\n]+'
_IN_TAGS = r"[^<\n]+"
_MOST_LISTED = 500
"""Lines in a schema's ``enum``; OpenAI takes no more."""


@dataclass(frozen=True)
class Constraint:
    """The form of a reply, and the lines that it may hold.

    Attributes:
        lines: the actions; None for any text.
        action, thought: what stands before an action, and before a thought; where ``thought`` is empty there is none.
        after: what stands behind an action.
        begin, end: what stands around a plan of any number of steps; all three empty for one step.
        between: what stands between the steps of a plan of at least one; where it is empty, a line break stands behind
            each step.
        words: whether lines of any words may stand before ``begin``.
        before: the tag before these words, which then have no other tags.
        instead: replies that are allowed as they are; a JSON schema cannot offer them.
        optional: whether a model that decodes under no constraint may answer freely.
    """

    lines: tuple[Line, ...] | None = None
    action: str = ""
    thought: str = ""
    after: str = ""
    begin: str = ""
    end: str = ""
    between: str = ""
    words: bool = False
    before: str = ""
    instead: tuple[str, ...] = ()
    optional: bool = False

    @cached_property
    def key(self) -> str:
        """A SHA-256 of all that it says."""
        said = {name: value for name, value in asdict(self).items() if name != "optional"}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

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
        if self.between:
            steps = f"{step} ({_quoted(self.between)} {step})*"
        else:
            steps = f'({step} "\\n")*' if self.begin else step
        words = f'({_IN_TAGS if self.before else _ANY} "\\n")*' if self.words else ""
        marks = [_quoted(text) if text else "" for text in (self.before, self.begin, self.end)]
        root = " ".join(filter(None, [marks[0], words, marks[1], steps, marks[2]]))
        rules["root"] = " | ".join([root, *map(_quoted, self.instead)])
        free = _IN_QUOTES if self.after else _ANY
        rules["action"] = free if self.lines is None else _choices(self.lines, rules, {})
        return "\n".join(f"{name} ::= {rule}" for name, rule in rules.items())

    @property
    def _is_plan(self) -> bool:
        return bool(self.begin or self.between)

    # ── a schema ─────────────────────────────────────────────────────────────────────────────────

    def schema(self) -> dict[str, Any]:
        """The reply as JSON: a step with ``action`` and perhaps ``thought``, or ``steps``."""
        action: dict[str, Any] = {"type": "string"}
        if self.lines is not None:
            literal = ["".join(line) for line in self.lines if all(isinstance(part, str) for part in line)]  # type: ignore[arg-type]
            listed = len(literal) == len(self.lines) <= _MOST_LISTED
            action |= {"enum": literal} if listed else {"pattern": f"^{_any_of(self.lines)}$"}
        parts = {"thought": {"type": "string"}, "action": action} if self.thought else {"action": action}
        step = _object(parts)
        words = {"words": {"type": "string"}} if self.words else {}
        return _object({**words, "steps": {"type": "array", "items": step}}) if self._is_plan else step

    def text(self, reply: str) -> str:
        """A reply to the schema as the text that the grammar describes; one that is no such JSON stays as it is."""
        try:
            # Not strict: an endpoint may write the line breaks of a pattern as they are.
            data = json.loads(reply, strict=False)
            if not self._is_plan:
                return self._step(data)
            words = f"{str(data['words']).strip()}\n" if self.words else ""
            steps = [self._step(step) for step in data["steps"]]
            plan = self.between.join(steps) if self.between else "".join(f"{step}\n" for step in steps)
            return f"{self.before}{words}{self.begin}{plan}{self.end}"
        except (ValueError, KeyError, TypeError, RecursionError):
            return reply

    def _step(self, data: Any) -> str:
        thought = f"{self.thought}{' '.join(str(data['thought']).split())}\n" if self.thought else ""
        return f"{thought}{self.action}{data['action']}{self.after}"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _choices(lines: Iterable[Line], rules: dict[str, str], slots: dict[Slot, str]) -> str:
    whole, choices = [], []
    for line in lines:
        if all(isinstance(part, str) for part in line):
            whole.append("".join(map(str, line)))
        else:
            choices.append(" ".join(_part(part, rules, slots) for part in line))
    if whole:
        choices.append(_tree([re.findall(r"\S*\s*", text)[:-1] for text in sorted(set(whole))]))
    return " | ".join(choices)


def _part(part: str | Slot | None, rules: dict[str, str], slots: dict[Slot, str]) -> str:
    if part is None or isinstance(part, str):
        return _IN_QUOTES if part is None else _quoted(part)
    if part not in slots:
        slots[part] = name = f"slot{len(slots)}"
        texts = [_quoted(each) for each in part if isinstance(each, str)]
        lines = _choices([each for each in part if not isinstance(each, str)], rules, slots)
        rules[name] = " | ".join(filter(None, [*texts, lines]))
    return slots[part]


def _any_of(choices: Iterable[str | Line]) -> str:
    return f"({'|'.join(_plain(each) if isinstance(each, str) else _pattern(each) for each in choices)})"


def _pattern(line: Line) -> str:
    parts = (_IN_QUOTES if part is None else _plain(part) if isinstance(part, str) else _any_of(part) for part in line)
    return "".join(parts)


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
