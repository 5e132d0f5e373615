"""A streamed chat completion: server-sent events, read as they arrive, and the end of a reply before its own."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from typing import Any

from pddl2nl.llm.endpoint.faults import EndpointFault
from pddl2nl.llm.replies import parse_json, split_reasoning

_WINDOW = 8
_MORE = 1.1
_THOUGHT_ENDS = ("</think", "<|channel|>final")
_TAG = re.compile(r"</think(?:ing)?>|<\|message\|>")


class ReplyStream:
    """Puts the events of one answer together, and looks at each of its characters a few times only.

    Args:
        until: a regular expression; the reply ends behind its first match in the answer, which is looked for at the
            ends of lines, in the last eight of them. Empty for the whole reply.

    Attributes:
        begun: whether there was an event; a server that ignores ``stream`` sends none.
        ended: whether the reply was ended at ``until``.
        counted: whether the endpoint counted the tokens of the reply.
        pieces: the number of pieces of text, most of which are one token.
    """

    def __init__(self, until: str):
        self.begun = self.ended = self.counted = False
        self.pieces = 0
        self._until = re.compile(until) if until else None
        self._buffer: list[bytes] = []
        self._content: list[str] = []
        self._lines: deque[str] = deque(maxlen=_WINDOW)
        self._line: list[str] = []
        self._next_look = 0.0
        self._marks = list(_THOUGHT_ENDS)
        self._apart: dict[str, list[str]] = {}
        self._message: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._answer: dict[str, Any] = {}
        self._usage: Mapping[str, Any] = {}
        self._finish: object = None

    def feed(self, data: bytes) -> bool:
        """Takes the next bytes; returns whether no more are needed.

        Raises:
            EndpointFault: an event is not JSON.
        """
        self._buffer.append(data)
        if b"\n" not in data:
            return self.ended
        *lines, rest = b"".join(self._buffer).split(b"\n")
        self._buffer = [rest]
        for line in lines:
            if line.startswith(b"data:") and not self.ended:
                self._event(line[5:].strip().decode("utf-8", "replace"))
        return self.ended

    def completion(self) -> dict[str, Any]:
        """The answer as a ``chat.completion`` object, or the error that the stream reported.

        Raises:
            EndpointFault: the stream broke off.
        """
        if "error" in self._answer:
            return self._answer
        if self._finish is None and not self.ended:
            raise EndpointFault(f"the reply broke off after {sum(map(len, self._content))} characters", passing=True)
        texts = {"content": "".join(self._content), **{name: "".join(said) for name, said in self._apart.items()}}
        for call in self._calls.values():
            call["function"]["arguments"] = "".join(call["function"]["arguments"])
        choice = {"message": {**self._message, **texts}, "finish_reason": self._finish or "stop"}
        return {**self._answer, "choices": [choice], "usage": self._usage or {"completion_tokens": self.pieces}}

    def _event(self, text: str) -> None:
        self.begun = True
        if text == "[DONE]":
            return
        try:
            event = parse_json(text)
        except ValueError as error:
            raise EndpointFault(f"an event of the stream is not JSON ({error}): {text}") from None
        if not isinstance(event, dict):
            raise EndpointFault(f"an event of the stream is not an object: {text}")
        self._answer |= {key: event[key] for key in ("model", "system_fingerprint", "error") if event.get(key)}
        self._count(event)
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            self._finish = choice.get("finish_reason") or self._finish
            delta = choice.get("delta")
            self._add(delta if isinstance(delta, dict) else {})

    def _count(self, event: Mapping[str, Any]) -> None:
        """Keeps the latest counts: vLLM's and OpenAI's ``usage``, llama.cpp's ``timings``."""
        usage, timings = event.get("usage"), event.get("timings")
        if isinstance(usage, dict):
            self._usage = usage
        elif isinstance(timings, dict) and all(
            isinstance(timings.get(name), int) for name in ("cache_n", "prompt_n", "predicted_n")
        ):
            self._usage = {
                "prompt_tokens": timings["cache_n"] + timings["prompt_n"],
                "completion_tokens": timings["predicted_n"],
                "prompt_tokens_details": {"cached_tokens": timings["cache_n"]},
            }
        self.counted = bool(self._usage)

    def _add(self, delta: Mapping[str, Any]) -> None:
        new = delta.get("content")
        for name in ("reasoning_content", "reasoning", "refusal"):
            if isinstance(delta.get(name), str):
                self._apart.setdefault(name, []).append(delta[name])
                self.pieces += 1
        for name in ("reasoning_details", "thinking_blocks"):
            if isinstance(delta.get(name), list):
                self._message.setdefault(name, []).extend(delta[name])
        if isinstance(calls := delta.get("tool_calls"), list):
            self._add_calls(calls)
        if delta.get("function_call"):
            self._add_calls([{"function": delta["function_call"]}])
        if isinstance(new, str) and new:
            self._content.append(new)
            self.pieces += 1
            if self._until is not None:
                self._look_for_end(self._until, new)

    def _add_calls(self, calls: list[Any]) -> None:
        """Puts pieces of tool calls behind what came before of the calls of the same index."""
        self.pieces += 1
        whole = self._message.setdefault("tool_calls", [])
        for place, piece in enumerate(calls):
            if not isinstance(piece, dict):
                whole.append(piece)
                continue
            index = piece.get("index", place)
            call = self._calls.get(index) if isinstance(index, int) else None
            if call is None:
                call = {"function": {"name": "", "arguments": []}}
                whole.append(call)
                self._calls[index if isinstance(index, int) else len(whole)] = call
            call |= {name: value for name, value in piece.items() if name not in ("index", "function") and value}
            function = piece.get("function")
            if isinstance(function, dict):
                call["function"]["name"] += str(function.get("name") or "")
                arguments = function.get("arguments")
                call["function"]["arguments"].append(arguments if isinstance(arguments, str) else "")

    def _look_for_end(self, until: re.Pattern[str], new: str) -> None:
        *whole, rest = new.split("\n")
        found = False
        for line in whole:
            line = "".join([*self._line, line, "\n"])
            self._line.clear()
            if ended := next((mark for mark in self._marks if mark in line), None):
                # The first action behind a thought is not to be missed, and those in the thought do not count.
                self._marks.remove(ended)
                self._next_look = 0.0
                self._lines.clear()
                line = _TAG.split(line)[-1]
            self._lines.append(line)
            found = found or until.search("".join(self._lines)) is not None
        self._line.append(rest)
        if not found:
            return
        # It may stand in a thought, which only the whole text tells. So that thoughts full of matches take no quadratic
        # time, the next look waits until the text has grown by a tenth, or the thought has ended.
        content = "".join(self._content)
        if len(content) < self._next_look:
            return
        # Without the blanks around it, which are not the same in all forms.
        text, answer = content.rstrip(), split_reasoning(content)[1].rstrip()
        start = len(text) - len(answer)
        if text.endswith(answer) and (match := until.search(content[start:])):
            self._content = [content[: start + match.end()]]
            self.ended = True
        self._next_look = len(content) * _MORE
        self._lines.clear()
