"""Chat completions through the openai client, for OpenAI and every server that speaks its protocol.

The key comes from an environment variable (``OPENAI_API_KEY`` unless the settings name another) and is removed from
everything that is shown or returned. A server on this machine or in its own network needs no key.

Calls are repeated here and not by the openai client: a pause that a server asks for must hold for all threads and may
last minutes, some faults come with status 200 or break the reply off, and each fault becomes an error of its own kind
(`pddl2nl.llm.endpoint.faults`).
"""

from __future__ import annotations

import json
import logging
import os
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from pddl2nl.limits import LIMITS
from pddl2nl.llm.constraint import WAYS, Constraint, Way
from pddl2nl.llm.endpoint.connection import Address, attempt_of, connect, post
from pddl2nl.llm.endpoint.faults import (
    EndpointFault,
    FilteredError,
    backoff,
    fault_in_reply,
    fault_of,
    shown,
    status_fault,
)
from pddl2nl.llm.endpoint.limiter import Limiter
from pddl2nl.llm.endpoint.redaction import Redactor, guard_logs, secrets_of_url
from pddl2nl.llm.endpoint.streaming import ReplyStream
from pddl2nl.llm.endpoint.urls import host_of, is_near, public_url
from pddl2nl.llm.replies import is_broken_off, parse_json, read_completion, read_logprob, read_usage, read_vectors
from pddl2nl.llm.tokens import estimate_tokens, note_tokens
from pddl2nl.llm.types import (
    NO_SYSTEM_ROLE,
    Completion,
    EndpointError,
    EndpointRefusedError,
    Message,
    MissingKeyError,
    ModelConfigurationError,
    Request,
    Tariff,
    Usage,
)
from pddl2nl.llm.written_tools import called

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.settings import ModelSettings

_DEFAULT_BASE_URL = "https://api.openai.com/v1"
_DEFAULT_MAX_RETRIES = 10
_PATIENCE = 10.0
"""Seconds for which an endpoint is tried that was never reached: it may be starting, but most often its address is
wrong."""
_SHORT_WAIT = 2.0
_LONG_WAIT = 30.0
_SHORT_PAUSE = 1.0
_SURELY_COUNTED = 500
"""Tokens of a prompt from which on the estimate is no more than a third off."""
_SHORTENED = 0.5
_SHORTENING: set[tuple[str, str]] = set()
"""The endpoints and models that were warned about, once for all their calls: the replies say it each time."""
_MOST_TEXTS = 256
_MOST_CHARACTERS = 200_000
_PROBED = "kiwi 7"
_PROBE = Constraint(((_PROBED,),))
_LOG = logging.getLogger("pddl2nl.llm")
T = TypeVar("T")


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint, for any number of threads at once.

    Args:
        name: the model's name at the endpoint, such as ``gpt-4o-2024-08-06``.
        base_url: the endpoint up to ``/v1``; None means that of the settings, else ``OPENAI_BASE_URL``, else OpenAI.
        settings: the model's settings; None means those of `load_catalogue`.
        limiter: limits the calls; None means the one that all models of this name and endpoint share.
        max_retries: how often a call is repeated after a fault that may pass; None means as in the settings, else ten.
        timeout: seconds for one attempt; None means as in the settings, else 600, and twice as long after each
            time-out, for a slow machine would not be ready in the same time either.

    Raises:
        MissingKeyError: a key is needed and missing, or the variable of a header is not set.
        ModelConfigurationError: no name, a malformed base URL, a key that cannot be sent.
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
        self.name = name
        self.settings = settings = load_catalogue().of(name) if settings is None else settings
        self._address = Address(_endpoint(name, base_url, settings))
        retries = settings.max_retries if max_retries is None else max_retries
        self._max_retries = _DEFAULT_MAX_RETRIES if retries is None else retries
        self._timeout = timeout or settings.timeout or LIMITS.reply_seconds
        self._adaptive = timeout is None and settings.timeout is None
        self._check_key()
        settings.filled_headers()
        self._limiter = limiter or Limiter.shared(
            self.base_url, name, settings.requests_per_minute, settings.tokens_per_minute
        )
        self._client: OpenAI | None = None
        self._redactor: Redactor | None = None
        self._reached = False
        self._changes: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        self._way: Way | None = None
        self._tried = False
        self._probes: list[Usage] = []
        self._trying = threading.Lock()
        self._sleep: Callable[[float], None] = time.sleep
        self._dice = random.Random()

    @property
    def base_url(self) -> str:
        """The endpoint, without user, password and query."""
        return str(self._address)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self.base_url!r})"

    # ── asking ───────────────────────────────────────────────────────────────────────────────────

    def complete(self, request: Request) -> Completion:
        """The endpoint's reply; ``finish`` says if it is a refusal, filtered, cut off or empty.

        Raises:
            EndpointRefusedError: the endpoint refused for good (the key, the model, the request's form, no credit).
            ContextWindowError: the prompt is longer than the model takes.
            EndpointError: no reply, for good or after all retries. No message ever holds the key.
        """
        began = time.perf_counter()
        body = self.body(request)
        constraint = request.constraint if isinstance(request.constraint, Constraint) else None
        if request.likelihood and constraint is not None:
            body |= self._rating(body, constraint)
        elif constraint is not None and (not constraint.optional or self._obeyed() is not None):
            body |= constraint.fields(self._constraining())
        characters = request.characters
        prompt = estimate_tokens(characters, self.name)
        estimate = prompt + (body.get(self.settings.max_tokens_name) or 0)
        attempts = count()
        try:
            data, stream = self._ask(body, request.until, attempts, estimate)
        except FilteredError:
            self._limiter.settle(0, prompt)
            seconds = time.perf_counter() - began
            return Completion("", "filtered", model=self.name, seconds=seconds, retries=next(attempts) - 1)
        completion = self._remarked(self.read(data, time.perf_counter() - began), prompt, body)
        completion = replace(completion, retries=next(attempts) - 1)
        if constraint is not None and "response_format" in body:
            completion = replace(completion, text=constraint.text(completion.text))
        if request.tools and self.settings.tools == "written":
            completion = called(completion)
        if stream is not None and stream.ended:
            completion = _ended(completion, stream, prompt)
        if request.likelihood and constraint is not None:
            completion = self._rated(completion, data, constraint)
        usage = completion.usage
        note_tokens(self.name, characters, usage.prompt_tokens)
        counted = usage.prompt_tokens + usage.completion_tokens
        said = len(completion.text) + sum(len(call.arguments) for call in completion.tool_calls)
        self._limiter.settle(estimate, counted or prompt + estimate_tokens(said, self.name) + 1)
        if "system" in self._changes and any(message.role == "system" for message in request.messages):
            completion = _remarking(completion, NO_SYSTEM_ROLE)
        return completion if constraint is None else self._with_probes(completion)

    def _ask(
        self, body: dict[str, Any], until: str | None, attempts: Iterator[int], estimate: float = 0
    ) -> tuple[Any, ReplyStream | None]:
        """The answer; each time that the request is sent takes one of the attempts.

        What the endpoint refuses by name goes in another form that says the same, from then on.
        """
        changes = self._changes

        def attempt() -> tuple[Any, ReplyStream | None]:
            next(attempts)
            return self._answer(sent, until)

        while True:
            sent = _changed(body, changes)
            try:
                answer = self.retried(attempt, estimate)
            except EndpointRefusedError as error:
                if error.refused in changes or _changed(sent, {error.refused}) == sent:
                    raise
                changes = changes | {error.refused}
            else:
                self._changes = changes
                return answer

    def _answer(self, body: dict[str, Any], until: str | None) -> tuple[Any, ReplyStream | None]:
        if until is None:
            return self._post("/chat/completions", body), None
        stream = ReplyStream(until)
        streamed = {"stream": True, "stream_options": {"include_usage": True}, **self.settings.stream_body}
        return self._post("/chat/completions", body | streamed, stream), stream

    def _obeyed(self) -> Way | None:
        """How constraints are sent to this endpoint, tried out once where the settings do not say; None if it can't."""
        if self.settings.constrain != "auto":
            return self.settings.constrain
        with self._trying:
            if not self._tried:
                self._way, self._tried = next((way for way in WAYS if self._obeys(way)), None), True
        return self._way

    def _constraining(self) -> Way:
        """How constraints are sent to this endpoint, which must obey them."""
        way = self._obeyed()
        if way is None:
            ways = ", ".join(WAYS)
            raise self._error(
                EndpointFault(
                    f"it obeys no constraint on replies; --constrain needs one of {ways}", EndpointRefusedError
                )
            )
        return way

    def _rating(self, body: Mapping[str, Any], constraint: Constraint) -> dict[str, Any]:
        if self.settings.likelihood == "prompt":
            said = {"role": "assistant", "content": f"{constraint.action}{constraint.only}"}
            form = {"add_generation_prompt": False, "continue_final_message": True, "prompt_logprobs": 0}
            return {"messages": [*body["messages"], said], self.settings.max_tokens_name: 1, **form}
        if (way := self._constraining()) == "json_schema":
            reason = "it obeys JSON schemas, in whose replies the likelihood of an action is not given"
            raise self._error(EndpointFault(reason, EndpointRefusedError))
        # A token has at least one byte.
        longest = len(f"{constraint.action}{constraint.only}".encode()) + 1
        return {"logprobs": True, self.settings.max_tokens_name: longest, **constraint.fields(way)}

    def _rated(self, completion: Completion, data: Mapping[str, Any], constraint: Constraint) -> Completion:
        logprob = read_logprob(data, str(constraint.only))
        if logprob is None:
            name = "prompt_logprobs" if self.settings.likelihood == "prompt" else "logprobs"
            reason = f"it gives no likelihood of '{constraint.only}' ({name}), which --policy score needs"
            raise self._error(EndpointFault(reason, EndpointRefusedError))
        text = f"{constraint.action}{constraint.only}"
        return replace(completion, text=text, finish="text", logprob=logprob)

    def _obeys(self, way: Way) -> bool:
        """Whether an endpoint that is to say one thing says another because a constraint asks for it."""
        body = self.body(Request((Message("user", "Say hello."),), max_tokens=32)) | _PROBE.fields(way)
        try:
            reply = self.read(self._ask(body, None, count())[0], 0.0)
        except (EndpointRefusedError, FilteredError):
            self._probes.append(Usage())
            return False
        self._probes.append(reply.usage)
        return _PROBE.text(reply.text).strip() == _PROBED

    def _with_probes(self, completion: Completion) -> Completion:
        with self._trying:
            probes, self._probes = self._probes, []
        if not probes:
            return completion
        tried = f"its tokens include those of {len(probes)} calls that tried how the endpoint takes constraints"
        return _remarking(replace(completion, usage=sum(probes, completion.usage)), tried)

    def _remarked(self, completion: Completion, prompt: int, body: Mapping[str, Any]) -> Completion:
        """The reply with why it was cut off, and whether its prompt of about so many tokens seems to be shortened."""
        usage, limit = completion.usage, body.get(self.settings.max_tokens_name)
        remarks = [completion.remark] if completion.remark else []
        if completion.finish == "length" and usage.completion_tokens:
            tokens = f"the reply was cut off after {usage.completion_tokens} tokens"
            full = limit is None or usage.completion_tokens < limit
            cause = (
                f"the context is full, with {usage.prompt_tokens} tokens of the prompt"
                if full
                else "the limit on replies"
            )
            remarks.append(f"{tokens}: {cause}")
        if prompt > _SURELY_COUNTED and 0 < usage.prompt_tokens < prompt * _SHORTENED:
            remarks.append(
                f"the endpoint counted {usage.prompt_tokens} tokens in a prompt of about {prompt}: it may have "
                "shortened the prompt to its context"
            )
            if (endpoint := (self.base_url, self.name)) not in _SHORTENING:
                _SHORTENING.add(endpoint)
                _LOG.warning("%s, model '%s': %s", self.base_url, self.name, remarks[-1])
        return replace(completion, remark="; ".join(remarks))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, from the endpoint's embeddings; many texts are sent in several calls.

        Raises:
            EndpointError: as in `complete`, and if the answer is not one vector per text, all of one length.
        """
        vectors: list[list[float]] = []
        for chunk in _chunks(texts):
            body = {"model": self.name, "input": chunk, "encoding_format": "float"}
            estimate = estimate_tokens(sum(map(len, chunk)), self.name)
            data = self.retried(lambda sent=body: self._post("/embeddings", sent), estimate)  # type: ignore[misc]
            part = read_vectors(data, len(chunk))
            if part is None or (vectors and len(part[0]) != len(vectors[0])):
                answer = self.clean(shown(data))[:200]
                raise EndpointError(f"{self.base_url} answered with no embeddings, one for each text: {answer}")
            vectors += part
            self._limiter.settle(estimate, read_usage(data.get("usage")).prompt_tokens or estimate)
        return vectors

    def body(self, request: Request) -> dict[str, Any]:
        """The request as it is sent: the JSON body of a chat completion."""
        return self.settings.body(self.name, request)

    def identity(self, request: Request) -> dict[str, Any]:
        """As `EndpointModel.identity`.

        A seed that the model does not take is not in the body but beside it: it still tells one sample from the next.
        Otherwise the five seeds of an experiment would share one reply.
        """
        body = self.body(request)
        identity = {"kind": "chat", "endpoint": self._public_endpoint(), "body": body, "sample": request.sample}
        if isinstance(request.constraint, Constraint):
            # In each way of sending it.
            identity["constraint"] = request.constraint.key
        if request.seed is not None and "seed" not in body:
            identity["seed"] = request.seed
        if request.until:
            identity["until"] = request.until
        if request.likelihood:
            identity["likelihood"] = self.settings.likelihood
        return identity

    def embedding_identity(self, text: str) -> dict[str, Any]:
        """As `EndpointModel.embedding_identity`."""
        body = {"model": self.name, "input": text}
        return {"kind": "embedding", "endpoint": self._public_endpoint(), "body": body, "sample": 0}

    def _public_endpoint(self) -> str:
        version = self.settings.api_version
        return self.base_url if version is None else f"{self.base_url}?api-version={version}"

    # ── answers ──────────────────────────────────────────────────────────────────────────────────

    def read(self, data: Mapping[str, Any], seconds: float, tariff: Tariff = "standard") -> Completion:
        """The reply in a ``chat.completion`` object that took so many seconds.

        Raises:
            EndpointError: the object is malformed, or reports a failure.
        """
        fault = fault_in_reply(data, self.settings.key_variable)
        if fault is not None:
            raise self._error(fault)
        completion = read_completion(data, self.name, self._secrets().strike_reply, seconds, tariff)
        if completion is None:
            raise self._error(EndpointFault(f"answered with no chat completion: {shown(data)}"))
        return completion

    def read_failure(
        self, status: int, body: object, seconds: float = 0.0, tariff: Tariff = "standard"
    ) -> Completion | EndpointError:
        """The meaning of an error status with its body, such as of a batch's line: a filtered reply, or an error."""
        error = self._error(status_fault(status, body, {}, self.settings.key_variable))
        if isinstance(error, FilteredError):
            return Completion("", "filtered", model=self.name, seconds=seconds, tariff=tariff)
        return error

    def clean(self, text: str) -> str:
        """The text without key, header values and credentials."""
        return self._secrets().strike(text)

    def _error(self, fault: EndpointFault, tries: str = "") -> EndpointError:
        return fault.error(self.clean, f"{self.base_url}, model '{self.name}'", tries)

    # ── calling ──────────────────────────────────────────────────────────────────────────────────

    def client(self) -> OpenAI:
        """The connected openai client; all models of this process with the same endpoint and key share one."""
        with self._lock:
            if self._client is None:
                # What is sent from now on must be struck out, even if the environment changes.
                self._redactor = self._redacting()
                self._client = connect(self._address, self.settings, self._key(), self._timeout)
                guard_logs(self._redactor)
            return self._client

    def retried(self, call: Callable[[], T], tokens: float = 0) -> T:
        """The result of a call of the `client`, repeated while its fault may pass.

        Args:
            call: raises an exception of the client, or a `EndpointFault`.
            tokens: how many it will take, about.

        Raises:
            EndpointError: as in `complete`; `FilteredError` for a prompt that a filter stopped.
        """
        import openai

        began = end = 0.0
        spent = ""
        for attempt in count():
            sent = self._limiter.acquire(tokens)
            if not attempt:
                # Not before: many threads may wait for their turn.
                began = time.monotonic()
                end = began + max(LIMITS.call_seconds, self._timeout)
            try:
                with attempt_of(self._timeout, end):
                    result = call()
                self._reached = True
                return result
            except (openai.OpenAIError, EndpointFault, ValueError, RecursionError) as error:
                fault = fault_of(error, self._timeout, self.settings.key_variable)
                if self._adaptive and isinstance(error, openai.APITimeoutError) and not fault.unreached:
                    self._timeout = min(2 * self._timeout, LIMITS.call_seconds)
            self._limiter.settle(tokens, 0)
            self._reached = self._reached or not fault.unreached
            elapsed = time.monotonic() - began
            absent = fault.unreached and not self._reached
            if not fault.passing or attempt >= self._max_retries or (absent and elapsed > _PATIENCE):
                break
            seconds = backoff(attempt, fault.wait, self._dice, crowded=fault.crowded)
            if absent:
                seconds = min(seconds, _SHORT_WAIT)
            if time.monotonic() + seconds >= end:
                spent = f"; a call with all its retries has {end - began:g} s at most"
                break
            self._wait(fault, attempt, sent, seconds)
        tries = (f"; tried {attempt + 1} times in {elapsed:.1f} s" if attempt else "") + spent
        tries += "; is a server running there? --base-url names another address" if absent else ""
        # Raised out here, so that no exception of the client is its context: those hold the request.
        raise self._error(fault, tries)

    def _post(self, path: str, body: dict[str, Any], stream: ReplyStream | None = None) -> Any:
        """The JSON that the endpoint answers with; raises the `EndpointFault` that it reports with status 200."""
        # Not the client's own objects: building them takes longer than all the rest of a call.
        data = post(self.client(), path, body, self._timeout, stream)
        answer = stream.completion() if stream is not None and stream.begun else _json(data)
        if (fault := fault_in_reply(answer, self.settings.key_variable)) is not None:
            raise fault
        return answer

    def _wait(self, fault: EndpointFault, attempt: int, sent: float, seconds: float) -> None:
        # One call's own backoff is not everybody's: if the server names no time, the others wait only a moment.
        held = fault.wait or min(seconds, _SHORT_PAUSE)
        news = self._limiter.pause(held, sent) if fault.crowded else True
        # A long wait would look like a hang; but only one of many threads that wait for one pause says so.
        level = logging.WARNING if news and seconds >= _LONG_WAIT else logging.INFO
        if _LOG.isEnabledFor(level):
            again = f"trying again in {seconds:.1f} s ({attempt + 1} of {self._max_retries})"
            _LOG.log(level, "%s; %s", self._error(fault), again)
        self._sleep(seconds)

    # ── secrets ──────────────────────────────────────────────────────────────────────────────────

    def _key(self) -> str:
        return os.environ.get(self.settings.key_variable, "").strip()

    def _keys(self) -> list[str]:
        """What may be sent as a key, to be struck out."""
        return [self._key()]

    def _check_key(self) -> None:
        key, variable = self._key(), self.settings.key_variable
        if not key and not is_near(host_of(self._address.whole) or ""):
            raise MissingKeyError(
                f"the model '{self.name}' at {self.base_url} needs a key in the environment variable "
                f"{variable} (script:FILE and replay:DIR need none, nor does the oracle of 'run')"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelConfigurationError(f"the environment variable {variable} holds no key: it has odd characters")

    def _secrets(self) -> Redactor:
        return self._redactor or self._redacting()

    def _redacting(self) -> Redactor:
        settings = self.settings
        headers = settings.filled_headers()
        # "Bearer …" as a whole, and what follows it.
        secret = [
            form
            for name, value in headers.items()
            if settings.secret_header(name)
            for form in (value, *value.split(" ")[1:])
        ]
        # The client reads these from the environment by itself.
        if settings.api_version is not None:
            secret.append(os.environ.get("AZURE_OPENAI_AD_TOKEN", ""))
        around = [os.environ.get(name, "") for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")]
        private = [*headers.values(), settings.organization or "", settings.project or "", *around]
        return Redactor([*self._keys(), *secret, *secrets_of_url(self._address.whole)], private)


def _json(data: bytes) -> Any:
    text = data.decode(json.detect_encoding(data), "replace")
    try:
        return parse_json(text)
    except ValueError as error:
        # Without an announced length, nothing else tells a reply that broke off from a whole one.
        if is_broken_off(text, error):
            raise EndpointFault(f"the reply broke off after {len(text)} characters", passing=True) from None
        # The whole text, which is shortened once the key is struck out: half a key would not be found.
        raise EndpointFault(f"answered with something that is not JSON ({error}): {text}") from None


def _changed(body: dict[str, Any], changes: Collection[str]) -> dict[str, Any]:
    """The body in the form for an endpoint that takes none of these: ``system``, or a name of the limit on replies."""
    from pddl2nl.llm.settings import fold_system

    body = dict(body)
    if "system" in changes:
        body["messages"] = fold_system(body["messages"])
    for name, other in (("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")):
        if name in changes and name in body:
            body[other] = body.pop(name)
            break
    return body


def _remarking(completion: Completion, remark: str) -> Completion:
    return replace(completion, remark="; ".join(filter(None, (completion.remark, remark))))


def _ended(completion: Completion, stream: ReplyStream, prompt: int) -> Completion:
    """A reply that was ended at its first action, with its tokens; ``prompt`` is the estimate for its prompt."""
    remark = "the reply was ended at its first action"
    if stream.counted:
        return _remarking(completion, remark)
    # Most endpoints count at the end only.
    usage = replace(completion.usage, prompt_tokens=prompt)
    remark = f"{remark}; the endpoint counted no tokens, these are estimates"
    return _remarking(replace(completion, usage=usage), remark)


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts that an endpoint takes in one call (OpenAI: 2,048 texts and 300,000 tokens)."""
    part: list[str] = []
    for text in texts:
        if part and (len(part) == _MOST_TEXTS or sum(map(len, part)) + len(text) > _MOST_CHARACTERS):
            yield part
            part = []
        part.append(text)
    if part:
        yield part


def _endpoint(name: str, base_url: str | None, settings: ModelSettings) -> str:
    """The endpoint's address; raises `ModelConfigurationError` if it is malformed, or missing for Azure."""
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
