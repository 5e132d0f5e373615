"""A model behind an endpoint whose replies are kept, so that none is ever paid for twice."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError, Pddl2nlError
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.keys import identity_key
from pddl2nl.llm.stored import completion_from_json, completion_to_json, vector_from_json
from pddl2nl.llm.types import Completion, EndpointError, EndpointModel, ReplyPendingError, Request

__all__ = ["CachedModel"]

_LOG = logging.getLogger(__name__)


class CachedModel:
    """Looks in the cache first, and asks the model for what is not there, once.

    Whoever asks for what another thread or another process on the same cache is asking for already waits for it and
    gets that reply from the cache; if none came, or none that can be kept, it asks itself. Only replies that finished
    with text are kept, and they are on the disk before they are returned.

    Should the cache fail once a reply has been paid for, the reply is returned all the same: a warning is logged
    once, the reply stays in memory for this process, and is written as soon as the cache takes it. If it fails before,
    nothing is asked and `InfrastructureError` raised, since what would be paid for could not be kept.

    Args:
        model: what answers.
        cache: where replies are kept; shared by all that ask at once.
        collect: for batches. Called with the request and the model in place of asking; gives the reply where a batch
            has brought one that is not to be kept, else None, and then `ReplyPendingError` is raised.
    """

    def __init__(
        self,
        model: EndpointModel,
        cache: Cache,
        *,
        collect: Callable[[Request, EndpointModel], Completion | None] | None = None,
    ):
        self.model = model
        self.cache = cache
        self._collect = collect
        self._warned = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def base_url(self) -> str:
        """The model's endpoint."""
        return self.model.base_url

    def __repr__(self) -> str:
        return f"CachedModel({self.model!r}, {self.cache!r})"

    def identity(self, request: Request) -> dict[str, Any]:
        """All that determines the reply; see `EndpointModel`."""
        return self.model.identity(request)

    def embedding_identity(self, text: str) -> dict[str, Any]:
        """All that determines the vector of a text; see `EndpointModel`."""
        return self.model.embedding_identity(text)

    def holds(self, request: Request) -> bool:
        """Whether the cache has the reply."""
        return self.cache.get(identity_key(self.model.identity(request))) is not None

    def complete(self, request: Request) -> Completion:
        """The reply that is kept, with ``from_cache`` set and the seconds that finding it took; else the model's.

        Raises:
            EndpointError: the model has no reply.
            InfrastructureError: the cache failed before anything was asked.
            ReplyPendingError: a batch will bring the reply.
        """
        began = time.perf_counter()
        identity = self.model.identity(request)
        key = identity_key(identity)
        turn = 0
        while (found := self._kept(key, began)) is None:
            if self._collect is not None:
                brought = self._collect(request, self.model)
                if brought is not None:
                    return brought
                raise ReplyPendingError(f"a batch will bring the reply {key}")
            if self.cache.claims.take([key]):
                return self._asked(key, identity, request, began)
            self.cache.claims.wait(key, turn)
            turn += 1
        return found

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text; only texts whose vectors are not kept are sent, in one call.

        Raises:
            EndpointError: the model has none.
            InfrastructureError: as in `complete`.
        """
        identities = {text: self.model.embedding_identity(text) for text in texts}
        keys = {text: identity_key(identity) for text, identity in identities.items()}
        vectors: dict[str, list[float]] = {}
        turn = 0
        while missing := self._missing(keys, vectors):
            taken = set(self.cache.claims.take(keys[text] for text in missing))
            if taken:
                self._embed([text for text in missing if keys[text] in taken], identities, keys, vectors)
            else:
                self.cache.claims.wait(keys[missing[0]], turn)
                turn += 1
        return [list(vectors[text]) for text in texts]

    def _kept(self, key: str, began: float) -> Completion | None:
        data = self.cache.get(key)
        if data is None:
            return None
        try:
            found = completion_from_json(data)
        except InputError as error:
            raise self._damaged(key, error) from None
        return replace(found, from_cache=True, seconds=time.perf_counter() - began)

    def _asked(self, key: str, identity: Mapping[str, Any], request: Request, began: float) -> Completion:
        stored = False
        try:
            # Between the look into the cache and the claim another may have brought it.
            found = self._kept(key, began)
            if found is not None:
                return found
            completion = self.model.complete(request)
            if completion.finish != "text":
                return completion
            entered = self._keep(key, identity, completion_to_json(completion))
            stored = entered is not None
            return self._standing(key, completion, began) if entered is False else completion
        finally:
            self.cache.claims.release([key], stored=stored)

    def _standing(self, key: str, paid: Completion, began: float) -> Completion:
        """The reply that came into the cache by another way first: what a repeated run sees, at what was paid now."""
        try:
            standing = self._kept(key, began) or paid
        except InfrastructureError:
            return paid
        return replace(standing, usage=paid.usage, tariff=paid.tariff, from_cache=False)

    def _missing(self, keys: Mapping[str, str], vectors: dict[str, list[float]]) -> list[str]:
        """The texts whose vectors are neither here nor kept; those that are kept are added."""
        missing = []
        for text, key in keys.items():
            if text in vectors:
                continue
            data = self.cache.get(key)
            if data is None:
                missing.append(text)
                continue
            try:
                vectors[text] = vector_from_json(data)
            except InputError as error:
                raise self._damaged(key, error) from None
        return missing

    def _embed(
        self,
        texts: Sequence[str],
        identities: Mapping[str, Mapping[str, Any]],
        keys: Mapping[str, str],
        vectors: dict[str, list[float]],
    ) -> None:
        """Asks for the vectors of texts that are claimed."""
        stored: set[str] = set()
        try:
            missing = self._missing({text: keys[text] for text in texts}, vectors)
            found = self.model.embed(missing) if missing else []
            if len(found) != len(missing):
                raise EndpointError(f"{self.base_url} answered {len(missing)} texts with {len(found)} vectors")
            for text, vector in zip(missing, found, strict=True):
                vectors[text] = vector
                if self._keep(keys[text], identities[text], {"vector": vector}) is not None:
                    stored.add(keys[text])
        finally:
            self.cache.claims.release([key for key in map(keys.__getitem__, texts) if key in stored], stored=True)
            self.cache.claims.release([key for key in map(keys.__getitem__, texts) if key not in stored])

    def _keep(self, key: str, identity: Mapping[str, Any], reply: Mapping[str, Any]) -> bool | None:
        """Keeps a reply that was paid for. False where there is one already; None where the cache does not take it,
        which must not lose the reply."""
        try:
            return self.cache.put(key, identity, reply)
        except Pddl2nlError as error:
            if not self._warned:
                self._warned = True
                _LOG.warning("a reply that was paid for could not be kept, and the run goes on with it: %s", error)
            return None

    def _damaged(self, key: str, error: InputError) -> InfrastructureError:
        return InfrastructureError(f"the cache {self.cache.path}: what is kept under {key} is damaged: {error}")
