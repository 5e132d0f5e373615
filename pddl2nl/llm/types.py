"""Requests to models and their replies, the protocols of models, and the exceptions of this package."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from pddl2nl.errors import InfrastructureError, InputError

if TYPE_CHECKING:
    from pddl2nl.llm.constraint import Constraint

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["text", "length", "refused", "filtered", "empty"]
Purpose = str
"""The role of a model in a run: one of `PURPOSES`, or a role of a system."""
PURPOSES: tuple[Purpose, ...] = ("wording", "thoughts", "planner", "translator")
"""The roles of every run, in the order in which it needs them."""
Answer = Callable[[Any], "str | tuple[ToolCall, ...]"]
"""How an oracle answers a request from the task itself, in words or by calls: a function of the oracle."""
ToolChoice = Literal["auto", "required"]
Tariff = Literal["standard", "batch"]
_CHARACTERS: Callable[[Any], int] = attrgetter("characters")


NO_SYSTEM_ROLE = "the endpoint takes no system role: the system prompt begins the first user message"
"""The remark on replies of such an endpoint; a record has it once."""


class ModelConfigurationError(InputError):
    """A model that cannot be set up as asked."""


class MissingKeyError(ModelConfigurationError):
    """The environment has no key for the model, or no value for one of its headers."""


class EndpointError(InfrastructureError):
    """The endpoint failed, for good or after all retries; the message never holds a key."""


class EndpointRefusedError(EndpointError):
    """The endpoint refused for good (400, 401, 403, 404, no credit): it would refuse every further call as well.

    ``refused`` is what of the request it named as not taken: a field such as ``tools``, or ``system`` for the role.
    """

    refused: str = ""


class ContextWindowError(EndpointError):
    """The prompt is longer than the model's context window: a limit of the model, not a fault of the endpoint."""


AGENT_LEFT = "the agent ended the session before the goal was reached"


class AgentLeftError(EndpointError):
    """An agent that stands for a model calls nothing any more (`AGENT_LEFT`): its run ends as one that it gave up."""


class ReplyPendingError(Exception):
    """There is no reply yet: a batch will bring it. Not a failure; it passes up to the code that runs the batch."""


class ReplayError(InfrastructureError):
    """A recorded or scripted model has no reply for this prompt."""


class Tool(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """A function that the model may call.

    ``parameters`` is the JSON schema of its arguments, an object. With ``strict`` an endpoint decodes under the schema.
    ``reads`` says that a call changes nothing; no endpoint is told so.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    strict: bool = False
    reads: bool = False

    @cached_property
    def characters(self) -> int:
        """The length of all that it holds, for estimates of tokens."""
        return len(self.name) + len(self.description) + len(json.dumps(self.parameters))

    def to_json(self) -> dict[str, Any]:
        """The function as the chat protocol takes it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function | ({"strict": True} if self.strict else {})}


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call of a function in a reply.

    ``arguments`` is JSON as the model wrote it, right or wrong. ``extra`` is JSON of what else the endpoint put into
    the call and wants back with it, such as Gemini's ``thought_signature``.
    """

    id: str
    name: str
    arguments: str = ""
    extra: str = ""

    def to_json(self) -> dict[str, Any]:
        """The call as the chat protocol takes it in the message of an assistant."""
        function = {"name": self.name, "arguments": self.arguments}
        return {**_object(self.extra), "id": self.id, "type": "function", "function": function}


class Message(msgspec.Struct, frozen=True, omit_defaults=True, dict=True):
    """One message of a chat.

    An assistant's message may hold calls, and in ``returned`` what the endpoint wants back with them
    (`Completion.returned`). Each call is answered by a message of the role ``tool`` with its id, ``answers``.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    returned: str = ""

    # A message of a long conversation is written and counted in each turn, so both are kept.
    @cached_property
    def as_json(self) -> dict[str, Any]:
        """The message as the chat protocol takes it; not to be changed."""
        message: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            # Some templates take an empty text beside calls for a reply of its own.
            message["content"] = self.content or None
            message |= _object(self.returned)
            message["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.answers:
            message["tool_call_id"] = self.answers
        return message

    @cached_property
    def characters(self) -> int:
        """The length of all that it holds, for estimates of tokens."""
        calls = sum(len(call.name) + len(call.arguments) for call in self.tool_calls)
        return len(self.content) + calls + len(self.returned)


def _object(text: str) -> dict[str, Any]:
    """The fields of a JSON object; none for other texts, which only a stranger's record can hold."""
    try:
        data = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        data = {}
    return data if isinstance(data, dict) else {}


@dataclass(frozen=True)
class Request:
    """Everything that determines a reply. ``purpose`` is the role that asks, for the accounts.

    ``constraint`` is what the reply may be, where the endpoint decodes under one; of a recorded request only its key is
    known. ``tools`` are the functions that the model may call, and has to call if ``tool_choice`` is ``required``.
    ``until`` asks for a streamed reply, which ends behind the first match of this regular expression in the answer;
    where it is empty, the whole reply is streamed. With ``likelihood`` the constraint allows one reply only, and the
    completion says how likely it is. ``answer`` is for oracles and no part of what determines a reply.
    """

    messages: tuple[Message, ...]
    purpose: Purpose = "planner"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sample: int = 0
    constraint: Constraint | str | None = None
    until: str | None = None
    likelihood: bool = False
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    answer: Answer | None = field(default=None, compare=False, repr=False)

    @cached_property
    def characters(self) -> int:
        """The length of its messages and tools, for estimates of tokens."""
        return sum(map(_CHARACTERS, self.tools)) + sum(map(_CHARACTERS, self.messages))


@dataclass(frozen=True)
class Usage:
    """Tokens as the endpoint counted them; all zero if no endpoint was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Completion:
    """A reply. ``finish`` other than ``text`` says how it fell short; ``seconds`` is wall time.

    ``from_cache``: our own cache had it, so nothing was paid for it now (``usage`` is what it took when it was paid).
    ``tariff``: the provider's price at which it was paid. ``reasoning``: what a reasoning model thought before its
    answer; it is no part of ``text`` and of no later prompt. ``remark``: what is odd about the reply, such as that the
    context was full. ``logprob``: the natural logarithm of the likelihood of the reply, without what its form adds to
    it; None where it was not asked for, or is not known. ``tool_calls`` are its calls of functions, and ``returned`` is
    JSON of what the endpoint wants back with them in the next prompt, such as ``reasoning_content``. ``retries``: how
    often the request was sent again until the reply came; None where no endpoint was asked now.
    """

    text: str
    finish: Finish = "text"
    usage: Usage = Usage()
    model: str = ""
    fingerprint: str = ""
    seconds: float = 0.0
    from_cache: bool = False
    tariff: Tariff = "standard"
    reasoning: str = ""
    remark: str = ""
    logprob: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    returned: str = ""
    retries: int | None = None


class Model(Protocol):
    """Anything that completes a chat."""

    @property
    def name(self) -> str:
        """The name under which the model is recorded."""
        ...

    def complete(self, request: Request) -> Completion:
        """The model's reply; raises `EndpointError` if the endpoint gave none."""
        ...


def holds(model: Model, request: Request) -> bool:
    """Whether the model has the reply already, so that asking costs nothing; only models that store replies know."""
    held = getattr(model, "holds", None)
    return held is not None and bool(held(request))


class Wrapped:
    """Base of wrappers around a model: the model's name, and what it holds."""

    def __init__(self, model: Model):
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model itself."""
        return self._model.name

    def holds(self, request: Request) -> bool:
        """Whether a reply is there already."""
        return holds(self._model, request)


class EndpointModel(Model, Protocol):
    """A model behind an endpoint, whose replies are paid for and therefore cached."""

    @property
    def base_url(self) -> str:
        """The endpoint, without user, password and query."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, all of one length."""
        ...

    def identity(self, request: Request) -> dict[str, Any]:
        """Everything that determines the reply, as JSON: the endpoint, the body as sent, the sample number."""
        ...

    def embedding_identity(self, text: str) -> dict[str, Any]:
        """Everything that determines the vector of a text, as JSON."""
        ...
