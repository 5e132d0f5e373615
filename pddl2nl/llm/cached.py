"""A model behind an endpoint whose replies are cached, so that none is paid for twice."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pddl2nl.errors import Pddl2nlError
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.keys import identity_key
from pddl2nl.llm.replies import completion_from_json, completion_to_json, vector_from_json
from pddl2nl.llm.types import Completion, EndpointError, EndpointModel, ReplyPendingError, Request

__all__ = ["CachedModel"]

_LOG = logging.getLogger(__name__)


class CachedModel:
    """Looks into the cache first, and asks the model for what is missing.

    Threads that ask for the same reply at the same time share one call. Only replies that finished with text are
    stored, before they are returned.

    If the cache cannot store a reply that has been paid for, the reply is returned all the same: a warning is logged
    once, and the reply stays in memory until the cache can write again. Nothing new is asked before that: the next
    call raises `InfrastructureError`.

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
        self._warned = False

    def __repr__(self) -> str:
        return f"CachedModel({self.model!r}, {self.cache!r})"

    def holds(self, request: Request) -> bool:
        """Whether the cache has the reply."""
        return self.cache.get(identity_key(self.model.identity(request))) is not None

    def complete(self, request: Request) -> Completion:
        """The cached reply, with ``from_cache`` set and the seconds that finding it took; else the model's.

        Raises:
            EndpointError: the model has no reply.
            InfrastructureError: the cache failed before anything was asked.
            ReplyPendingError: a batch will bring the reply.
        """
        began = time.perf_counter()
        identity = self.model.identity(request)
        key = identity_key(identity)
        found = self._cached(key, began)
        if found is None and self._collect is not None:
            found = self._collect(request, self.model)
            if found is None:
                raise ReplyPendingError(f"a batch will bring the reply {key}")
        if found is not None:
            return found
        with self.cache.asking([key]):
            # Another thread may have brought it meanwhile.
            return self._cached(key, began) or self._ask(key, identity, request, began)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text; only texts whose vectors are not cached are sent, in one call.

        Raises:
            EndpointError: the model has none.
            InfrastructureError: as in `complete`.
        """
        identities = {text: self.model.embedding_identity(text) for text in texts}
        keys = {text: identity_key(identity) for text, identity in identities.items()}
        vectors = {text: found for text in keys if (found := self._vector(keys[text])) is not None}
        if missing := [text for text in keys if text not in vectors]:
            with self.cache.asking(keys[text] for text in missing):
                vectors |= {text: found for text in missing if (found := self._vector(keys[text])) is not None}
                missing = [text for text in missing if text not in vectors]
                vectors |= self._embed(missing) if missing else {}
                for text in missing:
                    self._store(identities[text], {"vector": vectors[text]})
        return [list(vectors[text]) for text in texts]

    def _cached(self, key: str, began: float) -> Completion | None:
        data = self.cache.get(key)
        if data is None:
            return None
        return replace(completion_from_json(data), from_cache=True, seconds=time.perf_counter() - began)

    def _vector(self, key: str) -> list[float] | None:
        data = self.cache.get(key)
        return None if data is None else vector_from_json(data)

    def _ask(self, key: str, identity: Mapping[str, Any], request: Request, began: float) -> Completion:
        self.cache.save()
        paid = self.model.complete(request)
        if paid.finish != "text" or self._store(identity, completion_to_json(paid)):
            return paid
        # Another process was first. A repeated run sees that reply; what counts now is what was paid now.
        standing = self._cached(key, began) or paid
        return replace(standing, usage=paid.usage, tariff=paid.tariff, from_cache=False)

    def _embed(self, texts: list[str]) -> dict[str, list[float]]:
        self.cache.save()
        found = self.model.embed(texts)
        if len(found) != len(texts):
            raise EndpointError(f"{self.base_url} answered {len(texts)} texts with {len(found)} vectors")
        return dict(zip(texts, found, strict=True))

    def _store(self, identity: Mapping[str, Any], reply: Mapping[str, Any]) -> bool:
        """Stores a reply that was paid for; False if there is one already. A failing cache must not lose the reply."""
        try:
            return self.cache.put(identity, reply)
        except Pddl2nlError as error:
            if not self._warned:
                self._warned = True
                _LOG.warning("a reply that was paid for could not be stored, and the run goes on with it: %s", error)
            return True
