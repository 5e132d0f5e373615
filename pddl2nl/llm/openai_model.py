"""Chat completions through the openai client, for OpenAI and every server that speaks its protocol.

The key comes from an environment variable (``OPENAI_API_KEY`` unless the settings name another) and from nowhere
else, and is struck out of everything that is shown or handed on; a server on this machine or in its own network
needs none. What failed and may pass is tried again here and not by the client, so that a pause that the server asks
for holds for all threads, and so that every fault becomes an error of its own kind (`pddl2nl.llm.faults`).
"""

from __future__ import annotations

import json
import logging
import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from pddl2nl.llm.chat_body import chat_body
from pddl2nl.llm.connection import connect, post
from pddl2nl.llm.embedding import chunks, read_vectors
from pddl2nl.llm.faults import Fault, backoff, fault_in_reply, fault_of, status_fault
from pddl2nl.llm.limiter import CHARACTERS_A_TOKEN, Limiter
from pddl2nl.llm.reading import is_part_of_reply, read_completion, read_text, read_usage
from pddl2nl.llm.redaction import Redactor, guard_logs, secrets_of_url
from pddl2nl.llm.types import (
    Completion,
    EndpointError,
    MissingKeyError,
    ModelConfigurationError,
    Request,
    Tariff,
    Usage,
)
from pddl2nl.llm.urls import Address, host_of, is_near, public_url

if TYPE_CHECKING:
    from openai import OpenAI, OpenAIError

    from pddl2nl.llm.settings import ModelSettings

__all__ = ["OpenAIModel", "public_url"]

_DEFAULT_BASE_URL = "https://api.openai.com/v1"
_DEFAULT_MAX_RETRIES = 10
_DEFAULT_TIMEOUT = 600.0
_PATIENCE = 10.0
"""Seconds; for so long, and with short waits, an endpoint is tried that was never reached: it may be starting, but
most often its address is wrong."""
_SHORT_WAIT = 2.0
_LONG_WAIT = 30.0
_SHORT_PAUSE = 1.0
_LOG = logging.getLogger("pddl2nl.llm")
T = TypeVar("T")


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint, for any number of threads at once.

    Args:
        name: the model as the endpoint calls it, ``gpt-4o-2024-08-06`` say.
        base_url: the endpoint up to ``/v1``; None means that of the settings, else ``OPENAI_BASE_URL``, else OpenAI.
        settings: what is particular to the model; None means what `load_catalogue` knows of it.
        limiter: limits the calls; None means the one that all models of this name and endpoint share.
        max_retries: how often a call is tried again after a fault that may pass; None means as in the settings,
            else ten times.
        timeout: seconds that one attempt may take; None means as in the settings, else 600.

    Raises:
        MissingKeyError: no key where one is needed, a header whose variable is not set.
        ModelConfigurationError: no name, a base URL that is none, a key that cannot be sent.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        *,
        settings: ModelSettings | None = None,
        limiter: Limiter | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ):
        from pddl2nl.llm.settings import load_catalogue

        if not name:
            raise ModelConfigurationError("a model name is needed: --model gpt-4o-2024-08-06, say")
        self._name = name
        self._settings = settings = load_catalogue().of(name) if settings is None else settings
        self._address = Address(_endpoint(name, base_url, settings))
        self._max_retries = _first(max_retries, settings.max_retries, _DEFAULT_MAX_RETRIES)
        self._timeout = _first(timeout, settings.timeout, _DEFAULT_TIMEOUT)
        self._check_key()
        settings.filled_headers()
        self._limiter = limiter or Limiter.shared(
            self.base_url, name, settings.requests_per_minute, settings.tokens_per_minute
        )
        self._client: OpenAI | None = None
        self._redactor: Redactor | None = None
        self._reached = False
        self._embedded = Usage()
        self._lock = threading.Lock()
        self._sleep: Callable[[float], None] = time.sleep
        self._dice = random.Random()

    @property
    def name(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._name

    @property
    def base_url(self) -> str:
        """The endpoint, without user, password and query."""
        return str(self._address)

    @property
    def settings(self) -> ModelSettings:
        """What is particular to the model."""
        return self._settings

    @property
    def embedded(self) -> Usage:
        """The tokens that all calls of `embed` took so far."""
        return self._embedded

    def __repr__(self) -> str:
        return f"OpenAIModel({self._name!r}, base_url={self.base_url!r})"

    def complete(self, request: Request) -> Completion:
        """The endpoint's reply; a refusal, a filter, a cut or an empty reply is one too, named by ``finish``.

        Raises:
            EndpointRefusedError: the endpoint refused for good (the key, the model, the request's form, no credit).
            ContextWindowError: the prompt is longer than the model takes.
            EndpointError: no reply, for good or after all retries. No message ever holds the key.
        """
        began = time.perf_counter()
        body = self.body(request)
        prompt = sum(len(message.content) for message in request.messages) // CHARACTERS_A_TOKEN
        estimate = prompt + (body.get(self._settings.max_tokens_name) or 0)
        data = self._persist(lambda: self._post("/chat/completions", body), estimate)
        if isinstance(data, Fault):
            self._limiter.settle(estimate, prompt)
            return Completion("", "filtered", model=self._name, seconds=time.perf_counter() - began)
        completion = self.read(data, time.perf_counter() - began)
        usage = completion.usage
        counted = usage.prompt_tokens + usage.completion_tokens
        self._limiter.settle(estimate, counted or prompt + len(completion.text) // CHARACTERS_A_TOKEN + 1)
        return completion

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, from the endpoint's embeddings; many texts are sent in several calls.

        Raises:
            EndpointError: as in `complete`, and where the vectors are not one a text and of one length.
        """
        vectors: list[list[float]] = []
        for chunk in chunks(texts):
            body = {"model": self._name, "input": chunk, "encoding_format": "float"}
            estimate = sum(map(len, chunk)) // CHARACTERS_A_TOKEN
            data = self._persist(lambda sent=body: self._post("/embeddings", sent), estimate)  # type: ignore[misc]
            if isinstance(data, Fault):
                raise self._error(data)
            found = read_vectors(data, len(chunk))
            if found is None or any(len(vector) != len((vectors or found)[0]) for vector in found):
                shown = self.clean(str(data))[:200]
                raise EndpointError(f"{self.base_url} answered with no embeddings, one for each text: {shown}")
            vectors += found
            usage = read_usage(data.get("usage"))
            self._limiter.settle(estimate, usage.prompt_tokens or estimate + 1)
            with self._lock:
                self._embedded = Usage(self._embedded.prompt_tokens + usage.prompt_tokens)
        return vectors

    def body(self, request: Request) -> dict[str, Any]:
        """The request as it is sent: the JSON body of a chat completion."""
        return chat_body(self._name, self._settings, request)

    def identity(self, request: Request) -> dict[str, Any]:
        """All that determines the reply, as JSON; nothing of time-outs, retries, headers and keys.

        A seed that the model does not take is not in the body, and still tells one sample from the next: it stands
        beside the body then. Otherwise the five seeds of an experiment would be one and the same reply.
        """
        body = self.body(request)
        identity = {"kind": "chat", "endpoint": self._public_endpoint(), "body": body, "sample": request.sample}
        if request.seed is not None and "seed" not in body:
            identity["seed"] = request.seed
        return identity

    def embedding_identity(self, text: str) -> dict[str, Any]:
        """All that determines the vector of a text, as JSON."""
        body = {"model": self._name, "input": text}
        return {"kind": "embedding", "endpoint": self._public_endpoint(), "body": body, "sample": 0}

    def read(self, data: Mapping[str, Any], seconds: float, tariff: Tariff = "standard") -> Completion:
        """The reply in a ``chat.completion`` object.

        Args:
            data: the object, as JSON.
            seconds: how long it took.
            tariff: at which price it was paid.

        Raises:
            EndpointError: the object is none, or tells of a failure.
        """
        fault = fault_in_reply(data, self._settings.key_variable)
        if fault is not None:
            raise self._error(fault)
        completion = read_completion(data, self._name, self._secrets().strike_reply, seconds, tariff)
        if completion is None:
            raise self._error(Fault("failed", f"answered with no chat completion: {data}"))
        return completion

    def read_failure(
        self, status: int, body: object, seconds: float = 0.0, tariff: Tariff = "standard"
    ) -> Completion | EndpointError:
        """What a status with its body, of a line of a batch say, comes to: a filtered reply, or an error to raise."""
        fault = status_fault(status, body, {}, self._settings.key_variable)
        if fault.kind == "filtered":
            return Completion("", "filtered", model=self._name, seconds=seconds, tariff=tariff)
        return self._error(fault)

    def refused(self, status: int, body: object) -> EndpointError:
        """The error that a status with its body stands for; `read_failure` tells filtered prompts apart."""
        return self._error(status_fault(status, body, {}, self._settings.key_variable))

    def explained(self, error: OpenAIError) -> EndpointError:
        """The error that an exception of the openai client stands for."""
        return self._error(self._fault(error))

    def clean(self, text: str) -> str:
        """The text without key, headers' values and credentials."""
        return self._secrets().strike(text)

    def retried(self, call: Callable[[], T]) -> T:
        """Makes a call of the `client` with this model's retries and pauses.

        Raises:
            EndpointError: as in `complete`.
        """
        result = self._persist(call)
        if isinstance(result, Fault):
            raise self._error(result)
        return result

    def client(self) -> OpenAI:
        """The openai client, connected; all models of this process with the same endpoint and key share one."""
        with self._lock:
            if self._client is None:
                # What is sent from now on is what must be struck out, whatever becomes of the environment.
                self._redactor = self._redacting()
                self._client = connect(self._address, self._settings, self._key(), self._timeout)
                guard_logs(self._redactor)
            return self._client

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON that the endpoint answers with, or the fault that it tells of with status 200."""
        # Not the client's own objects: building them takes longer than all the rest of ours, and checks nothing.
        text = read_text(post(self.client(), path, body, self._timeout))
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            # Where no length was announced, nothing else tells a reply that broke off from a whole one.
            if is_part_of_reply(text, error):
                return Fault("passing", f"the reply broke off after {len(text)} characters")
            # The text as a whole, since half a key would not be struck out; whoever makes an error of it shortens it.
            return Fault("failed", f"answered with something that is no JSON ({error}): {text}")
        return fault_in_reply(data, self._settings.key_variable) or data

    def _persist(self, call: Callable[[], T | Fault], tokens: float = 0) -> T | Fault:
        """The call's result, tried again while its fault may pass; a filtered prompt is a result as well."""
        began = time.monotonic()
        for attempt in count():
            sent = self._limiter.acquire(tokens)
            result = self._attempt(call)
            self._reached = self._reached or not isinstance(result, Fault) or not result.unreached
            if not isinstance(result, Fault) or result.kind == "filtered":
                return result
            self._limiter.settle(tokens, 0)
            elapsed = time.monotonic() - began
            absent = result.unreached and not self._reached
            if result.kind != "passing" or attempt >= self._max_retries or (absent and elapsed > _PATIENCE):
                tries = f"; tried {attempt + 1} times in {elapsed:.1f} s" if attempt else ""
                tries += "; is a server running there? --base-url names another address" if absent else ""
                # Raised out here, so that no exception of the client hangs on it as its context: those hold the
                # request.
                raise self._error(result, tries)
            self._wait(result, attempt, sent)
        raise AssertionError("counting has no end")

    def _attempt(self, call: Callable[[], T | Fault]) -> T | Fault:
        import openai

        try:
            return call()
        except openai.OpenAIError as error:
            return self._fault(error)
        except ValueError as error:
            return Fault("failed", f"answered with something that cannot be read: {error}")

    def _wait(self, fault: Fault, attempt: int, sent: float) -> None:
        seconds = backoff(attempt, fault.wait, self._dice, crowded=fault.crowded)
        if fault.unreached and not self._reached:
            seconds = min(seconds, _SHORT_WAIT)
        # One call's own backoff is not everybody's: where the server does not say, the others wait but a moment.
        held = fault.wait or min(seconds, _SHORT_PAUSE)
        news = self._limiter.pause(held, sent) if fault.crowded else True
        # A long wait would look like a hang; but of many threads that wait for one pause, one says so.
        level = logging.WARNING if news and seconds >= _LONG_WAIT else logging.INFO
        if _LOG.isEnabledFor(level):
            again = f"trying again in {seconds:.1f} s ({attempt + 1} of {self._max_retries})"
            _LOG.log(level, "%s; %s", self._error(fault), again)
        self._sleep(seconds)

    def _fault(self, error: OpenAIError) -> Fault:
        return fault_of(error, self._timeout, self._settings.key_variable)

    def _error(self, fault: Fault, tries: str = "") -> EndpointError:
        return fault.error(self.clean, f"{self.base_url}, model '{self._name}'", tries)

    def _public_endpoint(self) -> str:
        version = self._settings.api_version
        return self.base_url if version is None else f"{self.base_url}?api-version={version}"

    def _key(self) -> str:
        return os.environ.get(self._settings.key_variable, "").strip()

    def _check_key(self) -> None:
        key, variable = self._key(), self._settings.key_variable
        if not key and not is_near(host_of(self._address.whole) or ""):
            raise MissingKeyError(
                f"the model '{self._name}' at {self.base_url} needs a key in the environment variable "
                f"{variable} (script:FILE and replay:DIR need none, nor does the oracle of 'run')"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelConfigurationError(f"the environment variable {variable} holds no key: it has odd characters")

    def _secrets(self) -> Redactor:
        return self._redactor or self._redacting()

    def _redacting(self) -> Redactor:
        settings = self._settings
        headers = settings.filled_headers()
        # "Bearer …" as a whole, and what follows it.
        secret = [
            form
            for name, value in headers.items()
            if settings.secret_header(name)
            for form in (value, *value.split(" ")[1:])
        ]
        # The client takes these from the environment by itself.
        if settings.api_version is not None:
            secret.append(os.environ.get("AZURE_OPENAI_AD_TOKEN", ""))
        around = [os.environ.get(name, "") for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")]
        private = [*headers.values(), settings.organization or "", settings.project or "", *around]
        return Redactor([self._key(), *secret, *secrets_of_url(self._address.whole)], private)


def _first(*values: Any) -> Any:
    """The first value that is given; the last one where none is."""
    return next((value for value in values if value is not None), None)


def _endpoint(name: str, base_url: str | None, settings: ModelSettings) -> str:
    """The endpoint's address.

    Raises:
        ModelConfigurationError: it is no address, or there is none for Azure.
    """
    url = base_url or settings.base_url
    if settings.api_version is not None:
        if not url:
            raise ModelConfigurationError(
                f"the model '{name}' has an api_version and so is one of Azure's; its base_url is missing: "
                "https://RESOURCE.openai.azure.com, say"
            )
        # The client adds this part of the path by itself.
        url = url.rstrip("/").removesuffix("/openai")
    url = url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_BASE_URL
    if host_of(url) is None:
        raise ModelConfigurationError(f"not a base URL: {public_url(url)}; http://localhost:8000/v1, say")
    return url
