"""The openai clients of this process: one for each endpoint and key, whatever the number of models and threads.

Making a client takes some 20 ms, most of it for certificates, and a client of its own would give every episode new
connections to open. What is sent through it and comes back passes `post`, which holds an answer to its time as a
whole: the client's own time-out begins anew with every byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pddl2nl.llm.urls import Address

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.settings import ModelSettings

__all__ = ["connect", "post"]

_NO_KEY = "no-key-needed"
_LONGEST_CONNECT = 30.0
_AS_STREAM = {"X-Stainless-Raw-Response": "stream"}
"""What makes the client hand out an answer before its body has come, in all its versions."""
_CLIENTS: dict[str, OpenAI] = {}
_LOCK = threading.Lock()


def connect(address: Address, settings: ModelSettings, key: str, timeout: float) -> OpenAI:
    """The client for an endpoint, made when it is first asked for; it does not try anything again by itself.

    Args:
        address: the endpoint; for Azure the resource's.
        settings: say what else is sent along.
        key: may be empty.
        timeout: seconds that one attempt may take.
    """
    options: dict[str, Any] = {
        "api_key": key or _NO_KEY,
        "organization": settings.organization,
        "project": settings.project,
        "default_headers": settings.filled_headers(),
        # The client would put its paths behind a query.
        "default_query": address.query,
    }
    # The environment, as the client itself reads the organisation from there; the process, as no connection survives
    # a fork. Only the hash is kept, for there is a key in it.
    around = [os.environ.get(name) for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")]
    parts = [os.getpid(), address.base, settings.api_version, timeout, options, around]
    identity = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    with _LOCK:
        if identity not in _CLIENTS:
            _CLIENTS[identity] = _make(address, settings.api_version, timeout, options)
        return _CLIENTS[identity]


def post(client: OpenAI, path: str, body: Mapping[str, Any], timeout: float) -> bytes:
    """The body of the endpoint's answer, once it is there as a whole.

    As bytes: the client would read them in whatever encoding the header names, and JSON is UTF-8 whatever that says.

    Args:
        client: of `connect`.
        path: behind the client's base URL.
        body: is sent as JSON.
        timeout: seconds that the whole answer may take.

    Raises:
        OpenAIError: a status other than 2xx, a dropped connection, an answer that takes too long.
    """
    import openai

    until = time.monotonic() + timeout
    parts: list[bytes] = []
    response: Any = None
    try:
        response = client.post(path, cast_to=object, body=body, options={"headers": _AS_STREAM})
        for part in response.iter_bytes():
            parts.append(part)
            if time.monotonic() > until:
                raise openai.APITimeoutError(request=response.http_request)
        return b"".join(parts)
    except Exception as error:
        # Behind the headers the client lets errors of its HTTP library through, httpx or httpx2.
        if not type(error).__module__.startswith("httpx"):
            raise
        kind = openai.APITimeoutError if "Timeout" in type(error).__name__ else openai.APIConnectionError
        raise kind(request=None) from error  # type: ignore[arg-type]
    finally:
        if response is not None:
            response.close()


def _make(address: Address, api_version: str | None, timeout: float, options: dict[str, Any]) -> OpenAI:
    import openai

    # Its pool takes 1,000 connections at once and keeps 100 idle ones, enough for hundreds of threads.
    options = {
        **options,
        "max_retries": 0,
        "timeout": openai.Timeout(timeout, connect=min(timeout, _LONGEST_CONNECT)),
    }
    if api_version is None:
        return openai.OpenAI(base_url=address.base, **options)
    return openai.AzureOpenAI(azure_endpoint=address.base, api_version=api_version, **options)
