"""Language models: the protocol of one method, and the openai client, scripted and recorded models behind it.

The openai package is imported at the first call to an endpoint, and our client of it with its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pddl2nl.llm.endpoint.urls import public_url
from pddl2nl.llm.keys import request_key, request_to_json
from pddl2nl.llm.replay import ReplayModel
from pddl2nl.llm.scripted import ScriptedCall, ScriptedModel, ScriptedReply
from pddl2nl.llm.settings import FREE, Price, price_of
from pddl2nl.llm.types import (
    PURPOSES,
    Answer,
    Completion,
    ContextWindowError,
    EndpointError,
    EndpointModel,
    EndpointRefusedError,
    Finish,
    Message,
    MissingKeyError,
    Model,
    ModelConfigurationError,
    Purpose,
    ReplayError,
    ReplyPendingError,
    Request,
    Role,
    Tariff,
    Tool,
    ToolCall,
    Usage,
    Wrapped,
    holds,
)

if TYPE_CHECKING:
    from pddl2nl.llm.endpoint.client import OpenAIModel

__all__ = [
    "FREE",
    "PURPOSES",
    "Answer",
    "Completion",
    "ContextWindowError",
    "EndpointError",
    "EndpointModel",
    "EndpointRefusedError",
    "Finish",
    "Message",
    "MissingKeyError",
    "Model",
    "ModelConfigurationError",
    "OpenAIModel",
    "Price",
    "Purpose",
    "ReplayError",
    "ReplayModel",
    "ReplyPendingError",
    "Request",
    "Role",
    "ScriptedCall",
    "ScriptedModel",
    "ScriptedReply",
    "Tariff",
    "Tool",
    "ToolCall",
    "Usage",
    "Wrapped",
    "holds",
    "price_of",
    "public_url",
    "request_key",
    "request_to_json",
]


def __getattr__(name: str) -> object:
    if name == "OpenAIModel":
        # Reports and runs without an endpoint would wait for it.
        from pddl2nl.llm.endpoint.client import OpenAIModel

        return OpenAIModel
    raise AttributeError(f"module 'pddl2nl.llm' has no attribute {name!r}")
