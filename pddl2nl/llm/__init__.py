"""Language models: the protocol of one method, and the openai client, scripted and recorded models behind it.

========== =========================================================================
types      `Request`, `Completion`, the protocols and the errors
endpoint   `OpenAIModel`: a model behind an endpoint
providers  models that are reached in other ways
settings   what each model takes and costs (``models.toml``)
cache      the file of paid replies, and `CachedModel`, which looks there first
batch      a provider's batch endpoint
replay     `ReplayModel` answers from records, `ScriptedModel` (scripted) from a file
========== =========================================================================

The openai package is imported at the first call to an endpoint.
"""

from __future__ import annotations

from pddl2nl.llm.endpoint.client import OpenAIModel
from pddl2nl.llm.endpoint.urls import public_url
from pddl2nl.llm.keys import request_key, request_to_json
from pddl2nl.llm.replay import ReplayModel
from pddl2nl.llm.scripted import ScriptedModel, ScriptedReply
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
    Usage,
    Wrapped,
    holds,
)

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
