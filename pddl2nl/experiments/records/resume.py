"""Resuming a run: the replies that it already had are served first, so that none is asked for again.

A killed run leaves its partial record with every reply that had arrived, including those that a cache does not store
(cut off by length, refused, empty). Run again from its beginning with these replies, the run comes to the same place
and continues with the cache and the endpoint. A reply comes back as it was recorded, with its tokens, tariff,
fingerprint, seconds and whether our cache had it, so the final record is that of an undisturbed run. A prompt that has
changed since is asked again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.writer import partial_path, resuming_path
from pddl2nl.llm import Completion, Model, Request, Wrapped, request_key
from pddl2nl.llm.replay import Exchange, RecordedCompletion, read_exchanges
from pddl2nl.policies.budget import Account

_Replies = dict[tuple[str, str], deque[Completion]]


class Recollection:
    """The replies of one run; each is served once, in the order in which they came.

    Args:
        records: the exchanges in each record that the run has left. If several hold the same request, one resumed the
            other, and the one with more replies to it counts.
    """

    def __init__(self, records: Iterable[Iterable[Exchange]] = ()):
        self._replies: _Replies = {}
        for record in records:
            own: _Replies = {}
            for exchange in record:
                own.setdefault(_key(exchange.request), deque()).append(exchange.completion)
            for key, replies in own.items():
                if len(replies) > len(self._replies.get(key, ())):
                    self._replies[key] = replies

    def __len__(self) -> int:
        return sum(map(len, self._replies.values()))

    def spent(self) -> Account:
        """The cost of the replies that are not served yet; those from a cache cost nothing."""
        account = Account()
        for replies in self._replies.values():
            for reply in replies:
                if not reply.from_cache:
                    account.book(reply, reply.usd if isinstance(reply, RecordedCompletion) else None)
        return account

    def before(self, model: Model) -> Model:
        """A model that answers from these replies, and asks the given model for all others."""
        return _Recalled(self._replies, model) if self._replies else model


class _Recalled(Wrapped):
    def __init__(self, replies: _Replies, model: Model):
        super().__init__(model)
        self._replies = replies

    def holds(self, request: Request) -> bool:
        """Whether the run had the reply, or the model behind it has it."""
        return bool(self._replies.get(_key(request))) or super().holds(request)

    def complete(self, request: Request) -> Completion:
        """The reply that the run had, else the model's."""
        # One run asks one thing after the other, so no lock is needed.
        replies = self._replies.get(_key(request))
        return replies.popleft() if replies else self._model.complete(request)


def recollect(path: Path) -> Recollection:
    """What the records hold that an unfinished or failed run under this name has left.

    Raises:
        InputError: a record that cannot be read; the message says where.
    """
    records = []
    try:
        if path.exists():
            # It ended with an infrastructure error; if a filter's verdict was the cause, that request is tried again.
            records.append([each for each in read_exchanges(path) if each.completion.finish != "filtered"])
        records += [[*read_exchanges(left)] for left in (partial_path(path), resuming_path(path)) if left.exists()]
    except InputError as error:
        raise InputError(f"{error}; mend or remove that file, and the run begins anew") from None
    return Recollection(records)


def _key(request: Request) -> tuple[str, str]:
    # With its purpose: in two roles two models may be asked the same.
    return request.purpose, request_key(request)
