"""What is said to a model and what comes back: frozen dataclasses and the one-method protocols.

The exceptions of this room::

    Pddl2nlError (pddl2nl.errors)
    ├── InputError
    │   └── ModelConfigurationError   a model that cannot be set up: no key, an unknown price, a bad script
    └── InfrastructureError
        ├── EndpointError             the endpoint failed, for good or after all retries
        └── ReplayError               a recorded or scripted model has no reply for this prompt
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pddl2nl.errors import InfrastructureError, InputError

__all__ = [
    "Completion",
    "Embedder",
    "EndpointError",
    "Finish",
    "Message",
    "Model",
    "ModelConfigurationError",
    "Purpose",
    "ReplayError",
    "Request",
    "Role",
    "Usage",
]

Role = Literal["system", "user", "assistant"]
Finish = Literal["text", "length", "refused", "filtered", "empty"]
Purpose = Literal["planner", "translator", "thoughts", "wording"]


class ModelConfigurationError(InputError):
    """A model that cannot be set up as asked."""


class EndpointError(InfrastructureError):
    """The endpoint failed; the message never holds a key."""


class ReplayError(InfrastructureError):
    """A recorded or scripted model has no reply for this prompt."""


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Role
    content: str


@dataclass(frozen=True)
class Request:
    """All that determines a reply. ``purpose`` says which role of a mechanism asks, for the accounts."""

    messages: tuple[Message, ...]
    purpose: Purpose = "planner"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sample: int = 0


@dataclass(frozen=True)
class Usage:
    """Tokens as the endpoint counted them; all zero where no endpoint was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True)
class Completion:
    """A reply. ``finish`` other than ``text`` says how it fell short; ``seconds`` is wall time."""

    text: str
    finish: Finish = "text"
    usage: Usage = Usage()
    model: str = ""
    fingerprint: str = ""
    seconds: float = 0.0


class Model(Protocol):
    """Anything that completes a chat."""

    @property
    def name(self) -> str:
        """The name under which the model is recorded."""
        ...

    def complete(self, request: Request) -> Completion:
        """The model's reply; raises `EndpointError` where none can be had."""
        ...


class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, all of one length."""
        ...
