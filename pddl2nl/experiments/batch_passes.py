"""Work whose replies come through a provider's batch endpoint: pass, batch, pass, until nothing is missing.

In each pass everything that is not finished is tried from its beginning. What the cache has is answered; a request that
it has not is noted, and whoever asked ends in `ReplyPendingError`. Then a batch brings what was noted.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.llm import Completion, Model, ReplyPendingError, Request, holds, request_key
from pddl2nl.llm.batch import BatchProgress, BatchRunner

__all__ = ["BatchPasses"]

Result = TypeVar("Result")


class BatchPasses:
    """The passes of one command, and the batches between them.

    A reply that a batch has brought is in the cache before anything uses it; it is booked as spent where it is used
    first, and not as a hit, since it was paid for now.

    Args:
        access: how models are reached; needs a cache.
        poll_seconds: between two looks at the batches.
        on_progress: told after each look at the batches.

    Raises:
        InputError: there is no cache, in which what was submitted could be remembered.
    """

    def __init__(
        self,
        access: Access,
        *,
        poll_seconds: float = 30.0,
        on_progress: Callable[[BatchProgress], None] | None = None,
    ):
        cache = access.opened_cache()
        if cache is None:
            raise InputError("--provider-batch remembers in the cache what it has submitted: it needs --cache FILE")
        self._runner = BatchRunner(cache, poll_seconds=poll_seconds)
        self._on_progress = on_progress
        self._fresh: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._access = replace(access, cache=cache, collect=self._runner.collect)

    @property
    def pending(self) -> int:
        """How many requests wait for a batch."""
        return self._runner.pending

    def bring(self) -> None:
        """Waits for a batch with everything that was noted.

        Raises:
            InfrastructureError: the endpoint failed or refused.
        """
        self._runner.run(self._on_progress, self._brought)

    def attempt(self, work: Callable[[Access], Result]) -> Result:
        """What the work gives, which reaches its models by the access it is given.

        Raises:
            ReplyPendingError: something that it asked for is missing; it is to be tried again after `bring`.
        """
        used: list[str] = []
        before = self._access.before
        try:
            return work(replace(self._access, before=lambda model: _Fresh(before(model), self, used)))
        except BaseException:
            # Nothing came of it: whoever uses these replies in the end has paid for them.
            with self._lock:
                self._fresh.update(used)
            raise

    def until_done(self, work: Callable[[Access], Result]) -> Result:
        """What the work gives once nothing that it asks for is missing any more."""
        while True:
            try:
                return self.attempt(work)
            except ReplyPendingError:
                self.bring()

    def booked(self, request: Request, completion: Completion, used: list[str]) -> Completion:
        """The reply as the accounts should see it: paid for now, where a batch of this command brought it."""
        key = request_key(request)
        with self._lock:
            if not completion.from_cache or not self._fresh[key]:
                return completion
            self._fresh[key] -= 1
        used.append(key)
        return replace(completion, from_cache=False)

    def _brought(self, request: Request, completion: Completion) -> None:
        with self._lock:
            self._fresh[request_key(request)] += 1


class _Fresh:
    def __init__(self, model: Model, passes: BatchPasses, used: list[str]):
        self._model = model
        self._passes = passes
        self._used = used

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def holds(self, request: Request) -> bool:
        """Whether the reply is there already."""
        return holds(self._model, request)

    def complete(self, request: Request) -> Completion:
        """The model's reply, booked as `BatchPasses.booked` says."""
        return self._passes.booked(request, self._model.complete(request), self._used)
