"""A model that tests make in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pddl2nl.llm import Completion, Request, ScriptedModel, ScriptedReply

Said = str | Completion | Exception


class Answering:
    """Answers every request with the same, or with what a function of the request gives; an error is raised.

    ``requests`` are those that it was asked. With a ``base_url`` it passes for a model behind an endpoint.
    """

    def __init__(self, said: Said | Callable[[Request], Said], name: str = "answering", **attributes: Any):
        self.name = name
        self.requests: list[Request] = []
        self._said = said
        vars(self).update(attributes)

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self._said(request) if callable(self._said) else self._said
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Completion) else Completion(said, model=self.name)


def scripted(*replies: str | ScriptedReply, **attributes: Any) -> Answering:
    """A scripted model that keeps what it was asked."""
    return Answering(ScriptedModel(replies).complete, "scripted", **attributes)
