"""A model that answers by stage, and what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pddl2nl.llm import Completion, Message, Request
from pddl2nl.policies.prompts import PromptLayout, stage_of

Answer = str | Callable[[dict[str, str]], str]
"""A reply, or what makes one of the sections of the question."""


class Staged:
    """Answers each stage with its replies in order; the last one stays."""

    name = "staged"

    def __init__(self, replies: Mapping[str, Answer | Sequence[Answer]], layout: PromptLayout):
        self._replies = {
            stage: [said] if isinstance(said, str) or callable(said) else list(said) for stage, said in replies.items()
        }
        self.requests: list[Request] = []
        self._layout = layout

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        stage = stage_of(request.messages)
        assert stage in self._layout.stages, request.messages[0].content[:60]
        left = self._replies.get(stage, [""])
        said = left.pop(0) if len(left) > 1 else left[0]
        return Completion(said if isinstance(said, str) else said(self._layout.read(request.messages[-1].content)))

    def asked(self, stage: str) -> list[dict[str, str]]:
        """The sections of all questions of a stage."""
        return [self._layout.read(question) for question in self.questions(stage)]

    def questions(self, stage: str) -> list[str]:
        """The last messages of all questions of a stage."""
        return [item[-1].content for item in self.conversations(stage)]

    def conversations(self, stage: str) -> list[tuple[Message, ...]]:
        """All that was said in the questions of a stage."""
        return [request.messages for request in self.requests if stage_of(request.messages) == stage]

    @property
    def stages(self) -> list[str]:
        """The stages in the order in which they were asked."""
        return [str(stage_of(request.messages)) for request in self.requests]


def block(*actions: str) -> str:
    """A reply with these actions."""
    return "\n".join(["First one thing, then the other.", "Actions:", *actions])
