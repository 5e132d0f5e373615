"""A model behind an endpoint whose replies are cached, so that none is paid for twice."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pddl2nl.llm.cache import Cache
from pddl2nl.llm.keys import identity_key
from pddl2nl.llm.replies import KEPT, completion_from_json, completion_to_json, vector_from_json
from pddl2nl.llm.types import Completion, EndpointError, EndpointModel, ReplyPendingError, Request


class CachedModel:
    """Looks into the cache first, and asks the model for what is missing.

    Threads that ask for the same reply at the same time share one call. Only replies that finished with text
    or by length are stored, before they are returned.

    Args:
        model: answers what the cache does not hold.
        cache: stores the replies.
        collect: for batches. Called with the request and the model instead of asking the model; returns the reply if a
            batch has brought one that is not to be cached, else None, and then `ReplyPendingError` is raised.
    """

    def __init__(
        self,
        model: EndpointModel,
        cache: Cache,
        *,
        collect: Callable[[Request, EndpointModel], Completion | None] | None = None,
    ):
        self.name = model.name
        self.base_url = model.base_url
        self.model = model
        self.cache = cache
        self._collect = collect

    def __repr__(self) -> str:
        return f"CachedModel({self.model!r}, {self.cache!r})"

    def holds(self, request: Request) -> bool:
        """Whether the cache has the reply."""
        return self.cache.get(identity_key(self.model.identity(request))) is not None

    def complete(self, request: Request) -> Completion:
        """The cached reply, with ``from_cache`` set and the seconds that finding it took; else the model's.

        Raises:
            EndpointError: the model has no reply.
            InfrastructureError: the cache's file failed.
            ReplyPendingError: a batch will bring the reply.
        """
        began = time.perf_counter()
        identity = self.model.identity(request)
        key = identity_key(identity)
        with self._alone(key):
            if (reply := self._cached(key, began)) is not None:
                return reply
            if self._collect is not None:
                reply = self._collect(request, self.model)
                if reply is None:
                    raise ReplyPendingError(f"a batch will bring the reply {key}")
                return reply
            self.cache.check_writable()
            paid = self.model.complete(request)
            if paid.finish not in KEPT or self.cache.put(identity, completion_to_json(paid)):
                return paid
            # Another process was first. A repeated run sees that reply; what counts now is what was paid now.
            first = self._cached(key, began) or paid
            return replace(first, usage=paid.usage, tariff=paid.tariff, from_cache=False)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text; only texts whose vectors are not cached are sent, in one call; raises as `complete`."""
        identities = {text: self.model.embedding_identity(text) for text in texts}
        keys = {text: identity_key(identity) for text, identity in identities.items()}
        with self._alone("embeddings"):
            stored = {text: self.cache.get(key) for text, key in keys.items()}
            missing = [text for text, data in stored.items() if data is None]
            if missing:
                self.cache.check_writable()
            vectors = self.model.embed(missing) if missing else []
            if len(vectors) != len(missing):
                raise EndpointError(f"{self.base_url} answered {len(missing)} texts with {len(vectors)} vectors")
            for text, vector in zip(missing, vectors, strict=True):
                stored[text] = {"vector": vector}
                self.cache.put(identities[text], {"vector": vector})
        return [vector_from_json(stored[text] or {}) for text in texts]

    def _cached(self, key: str, began: float) -> Completion | None:
        data = self.cache.get(key)
        if data is None:
            return None
        return replace(completion_from_json(data), from_cache=True, seconds=time.perf_counter() - began)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Lets one thread of this process ask for a key; the others wait here, and then find the reply in the cache."""
        place = (os.getpid(), str(self.cache.path.absolute()), key)
        mine = threading.Event()
        while (other := _ASKING.setdefault(place, mine)) is not mine:
            other.wait()
        try:
            yield
        finally:
            del _ASKING[place]
            mine.set()


_ASKING: dict[tuple[Any, ...], threading.Event] = {}
"""By process, file and key: set when the thread that asks has ended."""
