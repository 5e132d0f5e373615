"""The request as it is sent: what it asks for, in the form that the settings of a model want.

It needs no endpoint and no key, so that a run can be told from another one where no model can be asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pddl2nl.llm.types import Request

if TYPE_CHECKING:
    from pddl2nl.llm.settings import ModelSettings

__all__ = ["chat_body"]


def chat_body(name: str, settings: ModelSettings, request: Request) -> dict[str, Any]:
    """The JSON body of a chat completion, as this model takes it; a temperature that is set for it stands."""
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    body: dict[str, Any] = {"model": name, "messages": messages}
    limit = settings.max_tokens if request.max_tokens is None else request.max_tokens
    temperature = request.temperature if settings.temperature is None else settings.temperature
    stop = list(dict.fromkeys((*request.stop, *settings.stop)))
    if limit is not None:
        body[settings.max_tokens_name] = limit
    if temperature is not None and settings.takes_temperature:
        body["temperature"] = temperature
    if request.seed is not None and settings.takes_seed:
        body["seed"] = request.seed
    if stop and settings.takes_stop:
        body["stop"] = stop
    if settings.reasoning_effort is not None:
        body["reasoning_effort"] = settings.reasoning_effort
    body.update(settings.extra_body)
    return body
