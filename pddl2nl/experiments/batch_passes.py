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
from pddl2nl.experiments.models import Access
from pddl2nl.llm import Completion, EndpointModel, Model, Price, ReplyPendingError, Request, Usage, Wrapped, request_key
from pddl2nl.llm.batch import BatchProgress, BatchRunner
from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.policies import Policy, policies
from pddl2nl.policies.budget import Account, BudgetSpentError, SharedBudget

Result = TypeVar("Result")

_REPLY = 300
"""The assumed tokens of a reply that has not come yet, at most."""


def check_one_shot(policy: Policy, named: str) -> None:
    """Raises `InputError`, beginning with ``named``, for a policy that needs each reply before it asks again."""
    if policy.needs_model and not policy.one_shot:
        able = ", ".join(entry.name for entry in policies() if not entry.preset and entry.kind().one_shot)
        raise InputError(
            f"{named} needs each reply before it can ask again; a batch takes those that give a plan at once: {able}"
        )


class BatchPasses:
    """The passes of one command, and the batches between them.

    A reply from a batch is in the cache before anything uses it. At its first use it counts as spent and not as a cache
    hit, since it was paid for now.

    ``on_progress`` is called after each look at the batches, every ``poll_seconds``.

    Raises:
        InputError: there is no cache to remember what was submitted.
    """

    def __init__(
        self,
        access: Access,
        *,
        poll_seconds: float = 30.0,
        on_progress: Callable[[BatchProgress], None] = lambda progress: None,
    ):
        cache = access.opened_cache()
        if cache is None:
            raise InputError("--provider-batch remembers in the cache what it has submitted: it needs --cache FILE")
        self._runner = BatchRunner(cache, on_progress=on_progress, on_reply=self._brought, poll_seconds=poll_seconds)
        self._access = replace(access, cache=cache, collect=self._collect)
        self._lock = threading.RLock()
        self._unused: Counter[str] = Counter()
        """Replies that this command has paid for and no finished run has used, by the key of their request."""
        self._prices: dict[str, Price | None] = {}
        self._budget: SharedBudget | None = None
        self._promised = Account()
        """An estimate for what was noted since the last batch."""

    def charge(self, budget: SharedBudget) -> None:
        """Books the replies of batches there when they come; no batch is larger than the budget allows."""
        self._budget = budget

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
        used: Counter[str] = Counter()
        before = self._access.before

        def counted(model: Model) -> Model:
            return _Counted(before(model), self._unused, used, self._lock)

        try:
            return work(replace(self._access, before=counted))
        except BaseException:
            # Another attempt will use these replies.
            with self._lock:
                self._unused.update(used)
            raise

    def until_done(self, work: Callable[[Access], Result]) -> Result:
        """The result of the work, after as many batches as it needs."""
        while True:
            try:
                return self.attempt(work)
            except ReplyPendingError:
                self.bring()

    def _collect(self, request: Request, model: EndpointModel) -> Completion | None:
        """Notes a request for the next batch; one that the budget may not allow waits for a later batch."""
        with self._lock:
            noted = self._runner.pending
            if self._budget is not None and noted:
                try:
                    self._budget.check(self._promised)
                except BudgetSpentError as error:
                    raise ReplyPendingError(str(error)) from None
            reply = self._runner.collect(request, model)
            settings = getattr(model, "settings", None)
            price = self._prices[request_key(request)] = None if settings is None else settings.price
            if self._runner.pending > noted:
                characters = sum(len(message.content) for message in request.messages)
                usage = Usage(estimate_tokens(characters, model.name), min(_REPLY, request.max_tokens or _REPLY))
                self._promised.book(Completion("", usage=usage), 0.0 if price is None else price.usd(usage, "batch"))
        return reply

    def _brought(self, request: Request, completion: Completion) -> None:
        key = request_key(request)
        with self._lock:
            self._unused[key] += 1
        if self._budget is not None and key in self._prices:
            price = self._prices[key]
            self._budget.book(completion, None if price is None else price.usd(completion.usage, "batch"))


class _Counted(Wrapped):
    """A model whose replies from batches of this command count as paid for now."""

    def __init__(self, model: Model, unused: Counter[str], used: Counter[str], lock: threading.RLock):
        super().__init__(model)
        self._unused, self._used, self._lock = unused, used, lock

    def complete(self, request: Request) -> Completion:
        completion = self._model.complete(request)
        key = request_key(request)
        with self._lock:
            if not completion.from_cache or not self._unused[key]:
                return completion
            self._unused[key] -= 1
            self._used[key] += 1
        return replace(completion, from_cache=False)
