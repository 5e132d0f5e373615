"""Work whose replies come through a provider's batch endpoint: pass, batch, pass, until no reply is missing.

Each pass runs everything that is not finished from its beginning. The cache answers what it can; other requests are
noted and end in `ReplyPendingError`. Then a batch brings the replies to what was noted.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.llm import Completion, EndpointModel, Model, Price, ReplyPendingError, Request, Usage, Wrapped, request_key
from pddl2nl.llm.batch import BatchProgress, BatchRunner
from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.policies.budget import Account, BudgetSpentError, SharedBudget

__all__ = ["BatchPasses"]

Result = TypeVar("Result")

_REPLY = 300
"""The assumed tokens of a reply that has not come yet, at most."""


class BatchPasses:
    """The passes of one command, and the batches between them.

    A reply from a batch is in the cache before anything uses it. At its first use it is booked as spent and not as a
    cache hit, since it was paid for now.

    Args:
        access: how models are reached; needs a cache.
        poll_seconds: between two looks at the batches.
        on_progress: called after each look at the batches.

    Raises:
        InputError: there is no cache to remember what was submitted.
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
        self._runner = BatchRunner(
            cache,
            on_progress=on_progress or (lambda progress: None),
            on_reply=self._brought,
            poll_seconds=poll_seconds,
        )
        self._fresh: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._budget: SharedBudget | None = None
        self._prices: dict[str, Price | None] = {}
        self._promised = Account()
        self._collecting = threading.Lock()
        self._access = replace(access, cache=cache, collect=self._collect)

    def charge(self, budget: SharedBudget) -> None:
        """Books the replies of batches there when they come; no batch is larger than the budget allows."""
        self._budget = budget

    @property
    def pending(self) -> int:
        """How many requests wait for a batch."""
        return self._runner.pending

    def bring(self) -> None:
        """Brings the replies to everything that was noted.

        Raises:
            InfrastructureError: the endpoint failed or refused.
        """
        self._promised = Account()
        self._runner.run()

    def attempt(self, work: Callable[[Access], Result]) -> Result:
        """The result of the work, which reaches its models through the access that it is given.

        Raises:
            ReplyPendingError: a reply is missing; try again after `bring`.
        """
        used: list[str] = []
        before = self._access.before
        try:
            return work(replace(self._access, before=lambda model: _Fresh(before(model), self, used)))
        except BaseException:
            # The work failed, so the replies are booked when another attempt uses them.
            with self._lock:
                self._fresh.update(used)
            raise

    def until_done(self, work: Callable[[Access], Result]) -> Result:
        """The result of the work, after as many batches as it needs."""
        while True:
            try:
                return self.attempt(work)
            except ReplyPendingError:
                self.bring()

    def booked(self, request: Request, completion: Completion, used: list[str]) -> Completion:
        """The reply as the accounts should see it: paid for now, if a batch of this command brought it."""
        key = request_key(request)
        with self._lock:
            if not completion.from_cache or not self._fresh[key]:
                return completion
            self._fresh[key] -= 1
        used.append(key)
        return replace(completion, from_cache=False)

    def _collect(self, request: Request, model: EndpointModel) -> Completion | None:
        """Notes a request for the next batch; one that the budget may not allow waits for a later batch."""
        with self._collecting:
            noted = self._runner.pending
            if self._budget is not None and noted:
                try:
                    self._budget.check(self._promised)
                except BudgetSpentError as error:
                    raise ReplyPendingError(str(error)) from None
            found = self._runner.collect(request, model)
            settings = getattr(model, "settings", None)
            price = self._prices[request_key(request)] = None if settings is None else settings.price
            if self._runner.pending > noted:
                characters = sum(len(message.content) for message in request.messages)
                usage = Usage(estimate_tokens(characters), min(_REPLY, request.max_tokens or _REPLY))
                usd = 0.0 if price is None else price.usd(usage, "batch")
                self._promised.book(Completion("", usage=usage), usd)
        return found

    def _brought(self, request: Request, completion: Completion) -> None:
        key = request_key(request)
        with self._lock:
            self._fresh[key] += 1
        if self._budget is not None and key in self._prices:
            price = self._prices[key]
            self._budget.book(completion, None if price is None else price.usd(completion.usage, "batch"))


class _Fresh(Wrapped):
    def __init__(self, model: Model, passes: BatchPasses, used: list[str]):
        super().__init__(model)
        self._passes = passes
        self._used = used

    def complete(self, request: Request) -> Completion:
        """The model's reply, booked as `BatchPasses.booked` says."""
        return self._passes.booked(request, self._model.complete(request), self._used)
