"""Talking to models: one-method protocols, the openai client, scripted and recorded models, prices.

Nothing here imports the openai package before the first call to an endpoint.
"""

from __future__ import annotations

from pddl2nl.llm.keys import request_key, request_to_json
from pddl2nl.llm.openai_model import OpenAIModel, public_url
from pddl2nl.llm.prices import FREE, PRICES, Price, price_of
from pddl2nl.llm.replay import ReplayModel
from pddl2nl.llm.scripted import ScriptedModel, ScriptedReply
from pddl2nl.llm.types import (
    PURPOSES,
    Completion,
    ContextWindowError,
    Embedder,
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
    Usage,
    Wrapped,
    holds,
)

__all__ = [
    "FREE",
    "PRICES",
    "PURPOSES",
    "Completion",
    "ContextWindowError",
    "Embedder",
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
    "ScriptedModel",
    "ScriptedReply",
    "Tariff",
    "Usage",
    "Wrapped",
    "holds",
    "price_of",
    "public_url",
    "request_key",
    "request_to_json",
]
