"""Chat completions through the openai client, for OpenAI and every server that speaks its protocol.

The key comes from ``OPENAI_API_KEY`` and from nowhere else. It is read when the client is made, never kept in
an attribute of ours, and struck out of every message of an error; a server on this machine or in its own
network needs none. Time-outs, dropped connections, 408, 409, 429 (obeying Retry-After) and 5xx are tried again
by the client itself, with exponential backoff and jitter; everything else fails at once.
"""

from __future__ import annotations

import ipaddress
import os
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from pddl2nl.llm.types import Completion, EndpointError, Finish, ModelConfigurationError, Request, Usage

if TYPE_CHECKING:
    from openai import OpenAI, OpenAIError
    from openai.types.chat import ChatCompletion

__all__ = ["DEFAULT_BASE_URL", "OpenAIModel", "public_url"]

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_NO_KEY = "no-key-needed"
_LONGEST_MESSAGE = 500
_REASONING = re.compile(r"(o\d|gpt-5)(?![a-z0-9])")
_ADVICE = {
    400: "the endpoint refused the request as malformed",
    401: "the endpoint refused the key; OPENAI_API_KEY must hold a valid one",
    403: "the key may not use this model or endpoint",
    404: "the endpoint knows no such model or address; see --model and --base-url",
    429: "the endpoint's rate or spending limit is reached",
}


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        name: the model as the endpoint calls it, ``gpt-4o-2024-08-06`` say.
        base_url: the endpoint up to ``/v1``; None means ``OPENAI_BASE_URL``, else OpenAI itself.
        max_retries: how often a call is tried again after a fault that may pass.
        timeout: seconds that one attempt may take.

    Raises:
        ModelConfigurationError: no name, a base URL that is none, or no key where one is needed.
    """

    def __init__(self, name: str, base_url: str | None = None, *, max_retries: int = 5, timeout: float = 600.0):
        if not name:
            raise ModelConfigurationError("a model name is needed: --model gpt-4o-2024-08-06, say")
        self._name = name
        self._url = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        self._max_retries = max_retries
        self._timeout = timeout
        self._client: OpenAI | None = None
        self._lock = threading.Lock()
        host = _host(self._url)
        if host is None:
            raise ModelConfigurationError(f"not a base URL: {public_url(self._url)}; http://localhost:8000/v1, say")
        if not os.environ.get("OPENAI_API_KEY") and not _is_near(host):
            raise ModelConfigurationError(
                f"the model '{name}' at {public_url(self._url)} needs a key in the environment variable "
                "OPENAI_API_KEY (script:FILE and replay:DIR need none, nor does the oracle of 'run')"
            )

    @property
    def name(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._name

    @property
    def base_url(self) -> str:
        """The endpoint, without user, password and query."""
        return public_url(self._url)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._name!r}, base_url={self.base_url!r})"

    def complete(self, request: Request) -> Completion:
        """The endpoint's reply; a refusal, a filter, a cut or an empty reply is one too, named by ``finish``.

        Raises:
            EndpointError: no reply, for good or after all retries; the message never holds the key.
        """
        import openai

        began = time.perf_counter()
        failure: EndpointError | None = None
        reply: ChatCompletion | None = None
        try:
            reply = self._connect().chat.completions.create(**self._parameters(request))
        except openai.OpenAIError as error:
            if isinstance(error, openai.APIStatusError) and error.code == "content_filter":
                return Completion("", "filtered", model=self._name, seconds=time.perf_counter() - began)
            failure = self._explained(error)
        except ValueError as error:
            failure = EndpointError(self._clean(f"{self.base_url} answered with something that is no JSON: {error}"))
        # Raised out here, so that no exception of the client hangs on it as its context: those hold the request.
        if failure is not None:
            raise failure
        return self._completion(reply, time.perf_counter() - began)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, from the endpoint's embeddings.

        Raises:
            EndpointError: as in `complete`.
        """
        import openai

        failure: EndpointError | None = None
        try:
            reply = self._connect().embeddings.create(model=self._name, input=list(texts), encoding_format="float")
            return [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        except openai.OpenAIError as error:
            failure = self._explained(error)
        except (ValueError, AttributeError, TypeError) as error:
            failure = EndpointError(self._clean(f"{self.base_url} answered with no embeddings: {error}"))
        raise failure

    def _connect(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                key = os.environ.get("OPENAI_API_KEY") or _NO_KEY
                self._client = OpenAI(
                    api_key=key, base_url=self._url, max_retries=self._max_retries, timeout=self._timeout
                )
            return self._client

    def _parameters(self, request: Request) -> dict[str, Any]:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        parameters: dict[str, Any] = {"model": self._name, "messages": messages}
        reasoning = _REASONING.match(self._name) is not None
        # OpenAI's reasoning models know the limit under its newer name only, and refuse a temperature.
        if request.max_tokens is not None:
            parameters["max_completion_tokens" if reasoning else "max_tokens"] = request.max_tokens
        if request.temperature is not None and not reasoning:
            parameters["temperature"] = request.temperature
        if request.seed is not None:
            parameters["seed"] = request.seed
        if request.stop:
            parameters["stop"] = list(request.stop)
        return parameters

    def _completion(self, reply: ChatCompletion | None, seconds: float) -> Completion:
        # The client checks no types: a server may send anything, a page of HTML included.
        choices = getattr(reply, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        said, refusal = getattr(message, "content", None), getattr(message, "refusal", None)
        if not hasattr(message, "content") or not all(isinstance(part, str | None) for part in (said, refusal)):
            found = self._clean(str(reply))
            raise EndpointError(f"{self.base_url} answered with no chat completion: {found}")
        text = said or ""
        reason = getattr(choice, "finish_reason", None)
        finish: Finish = "text"
        if refusal:
            text, finish = refusal, "refused"
        elif reason == "content_filter":
            finish = "filtered"
        elif reason == "length":
            finish = "length"
        elif not text.strip():
            finish = "empty"
        model, fingerprint = getattr(reply, "model", None), getattr(reply, "system_fingerprint", None)
        usage = _usage(getattr(reply, "usage", None))
        return Completion(text, finish, usage, str(model or self._name), str(fingerprint or ""), seconds)

    def _explained(self, error: OpenAIError) -> EndpointError:
        import openai

        if isinstance(error, openai.APITimeoutError):
            reason = f"no answer within {self._timeout:g} s"
        elif isinstance(error, openai.APIConnectionError):
            reason = f"no connection ({type(error.__cause__).__name__ if error.__cause__ else 'dropped'})"
        elif isinstance(error, openai.APIStatusError):
            advice = _ADVICE.get(error.status_code, "the endpoint failed")
            reason = f"HTTP {error.status_code}, {advice}: {error.message}"
        else:
            reason = str(error)
        return EndpointError(self._clean(f"{self.base_url}, model '{self._name}': {reason}"))

    @staticmethod
    def _clean(text: str) -> str:
        key = os.environ.get("OPENAI_API_KEY")
        text = text.replace(key, "[key]") if key else text
        return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + " …"


def public_url(url: str) -> str:
    """The URL without user, password, query and fragment, fit for a record."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(unreadable URL)"
    host = parts.hostname or ""
    return urlunsplit((parts.scheme, f"[{host}]{port}" if ":" in host else host + port, parts.path, "", ""))


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname or None if parts.scheme in ("http", "https") else None


def _is_near(host: str) -> bool:
    """Whether a host is this machine or one of its own network, where servers ask for no key."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
    return address.is_loopback or address.is_private or address.is_unspecified


def _usage(usage: object) -> Usage:
    """The tokens that an endpoint counted; what it did not count, or not in whole numbers, is zero."""

    def count(account: object, name: str) -> int:
        found = getattr(account, name, None)
        return found if isinstance(found, int) else 0

    return Usage(
        count(usage, "prompt_tokens"),
        count(usage, "completion_tokens"),
        count(getattr(usage, "prompt_tokens_details", None), "cached_tokens"),
        count(getattr(usage, "completion_tokens_details", None), "reasoning_tokens"),
    )
