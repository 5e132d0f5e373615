"""The openai clients of this process: one per endpoint and key, shared by all models and threads.

Making a client takes some 20 ms, most of it for certificates, and each client has its own connections. What all answers
pass is `_Transport`, which bounds their size, also once they are decompressed, and refuses redirects to another origin,
where the key and the prompt do not belong. The HTTP library's time-out begins anew with every byte, so each read of the
socket is bounded by what the attempt has left (`CallAttempt`): a server that sends one byte of a header now and then
or interim responses without end, has no more time than others.
"""

from __future__ import annotations

import atexit
import hashlib
import inspect
import json
import os
import sys
import time
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from pddl2nl.limits import LIMITS
from pddl2nl.llm.endpoint.faults import EndpointFault
from pddl2nl.llm.endpoint.urls import public_url
from pddl2nl.llm.types import EndpointRefusedError

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.endpoint.streaming import ReplyStream
    from pddl2nl.llm.settings import ModelSettings

_NO_KEY = "no-key-needed"
_KEPT_OPEN = 60.0
"""Seconds for which an unused connection stays open."""
_MOST_BYTES_BELOW = {"/embeddings": LIMITS.vectors_bytes, "/content": LIMITS.batch_bytes}
"""By the end of the path."""
_INFLATED = 1 << 20
"""Bytes that a piece of a compressed answer is decompressed into at a time."""
_CLIENTS: dict[str, OpenAI] = {}


@dataclass(eq=False)
class CallAttempt:
    """The time that one attempt of a call has, and the stream that takes its answer.

    Attributes:
        seconds: for the whole attempt; where the answer is streamed, between two pieces of text.
        end: the time (`time.monotonic`) at which it ends in any case.
        stream: takes the pieces of a streamed answer.
    """

    seconds: float
    end: float
    stream: ReplyStream | None = None
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.go_on()

    def go_on(self) -> None:
        """Begins the time anew."""
        self.until = min(self.end, time.monotonic() + self.seconds)

    def left(self, timeout: float | None, late: type[Exception]) -> float:
        """The seconds for the next read or write; raises ``late`` at the end of the time."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise late("the attempt as a whole took too long")
        return left if timeout is None else min(left, timeout)


_ATTEMPT: ContextVar[CallAttempt | None] = ContextVar("attempt", default=None)
"""The attempt of this thread: the openai client hands nothing of ours to its transport."""


@contextmanager
def attempt_of(seconds: float, end: float) -> Iterator[None]:
    """What this thread sends meanwhile belongs to one attempt."""
    token = _ATTEMPT.set(CallAttempt(seconds, end))
    try:
        yield
    finally:
        _ATTEMPT.reset(token)


@dataclass(frozen=True, repr=False)
class Address:
    """An endpoint's address; its text and ``repr`` leave out user, password and query."""

    whole: str

    @property
    def base(self) -> str:
        """Without query and fragment, so that a path can be appended; with user and password."""
        return urlunsplit((*urlsplit(self.whole)[:3], "", ""))

    @property
    def query(self) -> dict[str, str]:
        """The fields of the query, which belong behind every path."""
        return dict(parse_qsl(urlsplit(self.whole).query, keep_blank_values=True))

    def __str__(self) -> str:
        return public_url(self.whole)

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"


def connect(address: Address, settings: ModelSettings, key: str, timeout: float) -> OpenAI:
    """The client for an endpoint (for Azure the resource's), made on first use; it repeats no call by itself."""
    options: dict[str, Any] = {
        "api_key": key or _NO_KEY,
        "organization": settings.organization,
        "project": settings.project,
        # The two that `_Transport` reads.
        "default_headers": {"Accept-Encoding": "gzip, deflate", **settings.filled_headers()},
        # The client would put its paths behind a query.
        "default_query": address.query,
    }
    # The client itself reads the organisation from the environment, and no connection survives a fork. Only the hash is
    # kept, as the options hold the key.
    around = [os.environ.get(name) for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")]
    parts = [os.getpid(), address.base, settings.api_version, timeout, options, around]
    identity = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    known = _CLIENTS.get(identity)
    return known or _CLIENTS.setdefault(identity, _make(address, settings.api_version, timeout, options))


@atexit.register
def _close_clients() -> None:
    for client in _CLIENTS.values():
        client.close()


def post(
    client: OpenAI, path: str, body: Mapping[str, Any], timeout: float, stream: ReplyStream | None = None
) -> bytes:
    """Sends a body as JSON and returns the body of the answer; raises `openai.OpenAIError` or `EndpointFault`.

    As bytes, since the client would decode them as the header says, and JSON is always UTF-8.
    """
    if stream is not None and (attempt := _ATTEMPT.get()) is not None:
        attempt.stream, attempt.end = stream, min(attempt.end, time.monotonic() + LIMITS.stream_seconds)
    options: Any = {"timeout": _wait(timeout)}
    answer: Any = client.post(path, cast_to=_library().Response, **_sent(client, body), options=options)
    content: bytes = answer.content
    return content


def _sent(client: OpenAI, body: Mapping[str, Any]) -> dict[str, Any]:
    """The body, written here where the client takes it so: it would write a long conversation in ten times the time."""
    import openai

    # Azure's client reads the model in the body; older ones take objects only.
    if _takes_bytes() and not isinstance(client, openai.AzureOpenAI):
        with suppress(UnicodeEncodeError):
            return {"content": msgspec.json.encode(body)}
    return {"body": body}


@lru_cache
def _takes_bytes() -> bool:
    import openai

    return "content" in inspect.signature(openai.OpenAI.post).parameters


def _wait(timeout: float) -> Any:
    import openai

    return openai.Timeout(timeout, connect=min(timeout, LIMITS.connect_seconds))


def _make(address: Address, api_version: str | None, timeout: float, options: dict[str, Any]) -> OpenAI:
    import openai

    library = _library()
    # As many connections as threads call at once stay open between their calls.
    limits = library.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEPT_OPEN)
    inner = library.HTTPTransport(limits=limits, proxy=_proxy(address.base))
    # The library has no public way to bound an answer's headers in time.
    pool = inner._pool
    pool._network_backend = _Network(pool._network_backend)
    inner._pool = _Connections(pool)
    transport = _Transport(library, inner)
    options = {
        **options,
        "max_retries": 0,
        "timeout": _wait(timeout),
        "http_client": openai.DefaultHttpxClient(transport=transport),  # type: ignore[arg-type]
    }
    if api_version is None:
        return openai.OpenAI(base_url=address.base, **options)
    return openai.AzureOpenAI(azure_endpoint=address.base, api_version=api_version, **options)


def _library() -> Any:
    """The HTTP library that the client is built on: httpx, or httpx2 in newer versions."""
    import openai

    base = next(base for base in openai.DefaultHttpxClient.__mro__ if base.__name__ == "Client")
    return sys.modules[base.__module__.partition(".")[0]]


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address, as the HTTP library finds it for its own transport."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


class _Network:
    """The network of the HTTP library, whose connections have no more time than the attempt that uses them."""

    def __init__(self, inner: Any):
        self._inner = inner
        library = sys.modules[type(inner).__module__.partition(".")[0]]
        self._late: type[Exception] = library.ReadTimeout

    def connect_tcp(self, *arguments: Any, timeout: float | None = None, **more: Any) -> Any:
        return _Connection(self._inner.connect_tcp(*arguments, timeout=self.left(timeout), **more), self)

    def left(self, timeout: float | None) -> float | None:
        """The seconds for the next read or write."""
        attempt = _ATTEMPT.get()
        return timeout if attempt is None else attempt.left(timeout, self._late)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Connection:
    def __init__(self, inner: Any, network: _Network):
        self._inner, self._network = inner, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, self._network.left(timeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._network.left(timeout))

    def start_tls(self, *arguments: Any, timeout: float | None = None, **more: Any) -> Any:
        left = self._network.left(timeout)
        return _Connection(self._inner.start_tls(*arguments, timeout=left, **more), self._network)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Connections:
    """The open connections to an endpoint, as many as threads call it at once.

    The library's own pool looks at every connection at each call, which with 256 takes longer than the call itself. It
    still makes the connections, through a proxy where there is one.
    """

    def __init__(self, pool: Any):
        self._pool = pool
        self._idle: deque[Any] = deque()

    def handle_request(self, request: Any) -> Any:
        connection = self._taken(request.url.origin)
        answer = connection.handle_request(request)
        answer.stream = _Body(answer.stream, connection, self)
        return answer

    def give_back(self, connection: Any) -> None:
        """Keeps a connection, and closes the one that has waited longest if its time is over."""
        if connection.is_idle():
            self._idle.append(connection)
        with suppress(IndexError):
            oldest = self._idle.popleft()
            if oldest.has_expired():
                oldest.close()
            else:
                self._idle.appendleft(oldest)

    def close(self) -> None:
        for connection in self._idle:
            connection.close()

    def _taken(self, origin: Any) -> Any:
        with suppress(IndexError):
            # Only this thread has what it popped.
            while connection := self._idle.pop():
                if connection.can_handle_request(origin) and not connection.has_expired():
                    return connection
                connection.close()
        return self._pool.create_connection(origin)


class _Body:
    """The body of an answer, behind which its connection can be used again."""

    def __init__(self, inner: Any, connection: Any, connections: _Connections):
        self._inner, self._connection, self._connections = inner, connection, connections

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner

    def close(self) -> None:
        self._inner.close()
        self._connections.give_back(self._connection)


class _Transport:
    """Hands on requests, and returns answers that are read to their end within bounds."""

    def __init__(self, library: Any, inner: Any):
        self._library = library
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        answer = self._inner.handle_request(request)
        try:
            self._check_redirect(request, answer)
            content = self._content(request.url.path, answer)
        finally:
            answer.close()
        # The body is no longer compressed or in chunks.
        dropped = ("content-encoding", "content-length", "transfer-encoding")
        headers = [(name, value) for name, value in answer.headers.raw if name.decode("latin-1").lower() not in dropped]
        return self._library.Response(
            answer.status_code, headers=headers, content=content, extensions=answer.extensions, request=request
        )

    def close(self) -> None:
        self._inner.close()

    def _check_redirect(self, request: Any, answer: Any) -> None:
        if answer.has_redirect_location:
            url, target = request.url, request.url.join(answer.headers["location"])
            if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
                reason = f"the endpoint redirects to another address, {public_url(str(target))}; see --base-url"
                raise EndpointFault(reason, EndpointRefusedError)

    @staticmethod
    def _content(path: str, answer: Any) -> bytes:
        most = next((size for end, size in _MOST_BYTES_BELOW.items() if path.endswith(end)), LIMITS.answer_bytes)
        parts, size, attempt = [], 0, _ATTEMPT.get()
        stream = None if attempt is None else attempt.stream
        for part in _inflated(answer):
            parts.append(part)
            size += len(part)
            if size > most:
                raise EndpointFault(f"the answer is too large: more than {most / 1e6:.0f} MB")
            if attempt is not None and stream is not None:
                before = stream.pieces
                if stream.feed(part):
                    break
                if stream.pieces > before:
                    attempt.go_on()
        return b"".join(parts)


def _inflated(answer: Any) -> Iterator[bytes]:
    """The body in pieces, decompressed at most once, and never more of it than is asked for.

    The HTTP library decompresses as often as the header says, and each piece whole: 5 kB become 3 GB.
    """
    named = ",".join(answer.headers.get_list("content-encoding")).lower().split(",")
    encodings = [name.strip() for name in named if name.strip() not in ("", "identity")]
    if not encodings:
        yield from answer.iter_raw()
        return
    if len(encodings) > 1 or encodings[0] not in ("gzip", "x-gzip", "deflate"):
        said = f"{', '.join(encodings)[:100]}"
        raise EndpointFault(f"the answer is encoded as '{said}'; gzip or deflate was asked for, once")
    # 47: zlib or gzip, as the head of the data says.
    inflater = zlib.decompressobj(47)
    try:
        for part in answer.iter_raw():
            while part:
                yield inflater.decompress(part, _INFLATED)
                part = inflater.unconsumed_tail
        yield inflater.flush()
    except zlib.error as error:
        raise EndpointFault(f"the answer cannot be decompressed ({error})", passing=True) from None
