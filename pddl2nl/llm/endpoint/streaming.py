"""A streamed chat completion: server-sent events, read as they arrive, and the end of a reply before its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pddl2nl.llm.endpoint.faults import EndpointFault
from pddl2nl.llm.replies import parse_json, split_reasoning


class ReplyStream:
    """Puts the events of one answer together.

    Args:
        until: a regular expression; the reply ends behind its first match in the answer, which is looked for at the
            ends of lines. Empty for the whole reply.

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
        self._buffer = b""
        self._content = ""
        self._message: dict[str, Any] = {}
        self._answer: dict[str, Any] = {}
        self._usage: Mapping[str, Any] = {}
        self._finish: object = None

    def feed(self, data: bytes) -> bool:
        """Takes the next bytes; returns whether no more are needed.

        Raises:
            EndpointFault: an event is not JSON.
        """
        *lines, self._buffer = (self._buffer + data).split(b"\n")
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
            raise EndpointFault(f"the reply broke off after {len(self._content)} characters", passing=True)
        choice = {"message": {**self._message, "content": self._content}, "finish_reason": self._finish or "stop"}
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
                self._message[name] = self._message.get(name, "") + delta[name]
                self.pieces += 1
        for name in ("tool_calls", "function_call"):
            if delta.get(name):
                self._message[name] = delta[name]
        if isinstance(new, str) and new:
            self._content += new
            self.pieces += 1
            if self._until is not None and "\n" in new:
                answer = split_reasoning(self._content)[1]
                if match := self._until.search(answer):
                    self._content = self._content[: len(self._content) - len(answer) + match.end()]
                    self.ended = True
