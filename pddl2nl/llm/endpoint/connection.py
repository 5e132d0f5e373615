"""The openai clients of this process: one per endpoint and key, shared by all models and threads.

Making a client takes some 20 ms, most of it for certificates, and each client has its own connections. What all answers
pass is `_Transport`, which bounds their size and their time as a whole (the HTTP library's time-out begins anew with
every byte; a streamed answer is bounded in the time between two pieces) and refuses redirects to another origin, where
the key and the prompt do not belong.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from pddl2nl.llm.endpoint.faults import EndpointFault
from pddl2nl.llm.endpoint.urls import public_url
from pddl2nl.llm.types import EndpointRefusedError

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.settings import ModelSettings

_NO_KEY = "no-key-needed"
_LONGEST_CONNECT = 30.0
_KEPT_OPEN = 60.0
"""Seconds for which an unused connection stays open."""
_MOST_BYTES = 16_000_000
"""Of an answer, uncompressed: the longest replies of today's models have under 1 MB."""
_MOST_BYTES_BELOW = {"/embeddings": 128_000_000, "/content": 2_000_000_000}
"""By the end of the path: 256 vectors in a call, and the output file of a batch."""
_CLIENTS: dict[str, OpenAI] = {}
_FEED: ContextVar[Callable[[bytes], bool] | None] = ContextVar("feed", default=None)
"""What is given the pieces of a streamed answer: the openai client hands nothing of ours to its transport."""


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
        "default_headers": settings.filled_headers(),
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
    """Closes the connections that stay open between calls, at the end of the process."""
    for client in _CLIENTS.values():
        client.close()


def post(
    client: OpenAI,
    path: str,
    body: Mapping[str, Any],
    timeout: float,
    feed: Callable[[bytes], bool] | None = None,
) -> bytes:
    """Sends a body as JSON and returns the body of the answer; raises `openai.OpenAIError` or `EndpointFault`.

    As bytes, since the client would decode them as the header says, and JSON is UTF-8 whatever that says. The time-out
    is in seconds, for the answer as a whole. With ``feed`` the answer is streamed: each piece is given to it as it
    arrives, until it returns true, and the time-out is for the wait for each piece.
    """
    options: Any = {"timeout": _wait(timeout)}
    fed = _FEED.set(feed)
    try:
        answer: Any = client.post(path, cast_to=_library().Response, body=body, options=options)
    finally:
        _FEED.reset(fed)
    content: bytes = answer.content
    return content


def _wait(timeout: float) -> Any:
    import openai

    return openai.Timeout(timeout, connect=min(timeout, _LONGEST_CONNECT))


def _make(address: Address, api_version: str | None, timeout: float, options: dict[str, Any]) -> OpenAI:
    import openai

    library = _library()
    # As many connections as threads call at once stay open between their calls.
    limits = library.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEPT_OPEN)
    transport = _Transport(library, library.HTTPTransport(limits=limits, proxy=_proxy(address.base)))
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


class _Transport:
    """Hands on requests, and returns answers that are read to their end within bounds."""

    def __init__(self, library: Any, inner: Any):
        self._library = library
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        until = time.monotonic() + request.extensions["timeout"]["read"]
        answer = self._inner.handle_request(request)
        try:
            self._check_redirect(request, answer)
            content = self._content(request, answer, until)
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

    def _content(self, request: Any, answer: Any, until: float) -> bytes:
        path = request.url.path
        most = next((size for end, size in _MOST_BYTES_BELOW.items() if path.endswith(end)), _MOST_BYTES)
        parts, size, feed = [], 0, _FEED.get()
        for part in answer.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > most:
                raise EndpointFault(f"the answer is too large: more than {most / 1e6:.0f} MB")
            if feed is not None:
                if feed(part):
                    break
            elif time.monotonic() > until:
                raise self._library.ReadTimeout("the answer as a whole took too long", request=request)
        return b"".join(parts)
