"""Requests by a provider's batch endpoint, at its lower price: collect, submit, poll, take in, try again.

Whatever asks is run in passes. In each the models are `CachedModel(model, cache, collect=runner.collect)`: what the
cache has is answered, everything else is noted and ends in `ReplyPendingError`; `BatchRunner.run` then brings the
replies::

    runner = BatchRunner(cache)
    while True:
        ...            # run everything that is not finished; ReplyPendingError means: again in the next pass
        if not runner.pending:
            break
        runner.run()

A process may be killed at any moment, and no line is ever paid for twice: what is submitted is in the cache's file
(`batch_store`), and the same command, run again, notes the same requests and waits for the batches that are there
already. Several processes may share a cache.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pddl2nl.errors import InputError
from pddl2nl.llm.batch_endpoint import BatchEndpoint, BatchState, Outcome
from pddl2nl.llm.batch_store import BatchStore, Submission
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.keys import identity_key
from pddl2nl.llm.openai_model import OpenAIModel
from pddl2nl.llm.stored import StoredReply, completion_to_json, store, utc
from pddl2nl.llm.types import (
    Completion,
    EndpointError,
    EndpointModel,
    EndpointRefusedError,
    ModelConfigurationError,
    Request,
)

__all__ = ["BatchProgress", "BatchRunner", "BatchSummary"]

_Group = tuple[str, str]
_KEPT_BY_PROVIDER = 30 * 86_400.0
"""Seconds after which a provider may have deleted the files of a batch (OpenAI: 30 days)."""
_LOST = Outcome(error=EndpointError("a line of a batch failed: the endpoint gave no reply to it"), passing=True)


@dataclass(frozen=True)
class BatchProgress:
    """How far the batches are that are waited for; ``states`` counts them by the provider's status."""

    lines: int
    treated: int
    states: Mapping[str, int]


@dataclass(frozen=True)
class BatchSummary:
    """What a run of batches brought.

    Attributes:
        batches, lines: submitted in it.
        resumed: batches waited for that an earlier process, or another one, had submitted.
        answered: complete replies, which are in the cache now.
        replies: replies that fell short, by key; the next pass gets them from `BatchRunner.collect`.
        failed: lines without a reply after all attempts, by key; the next pass gets the error.
    """

    batches: int
    lines: int
    resumed: int
    answered: int
    replies: Mapping[str, Completion]
    failed: Mapping[str, EndpointError]


@dataclass(frozen=True)
class _Noted:
    request: Request
    model: OpenAIModel


@dataclass
class _Tally:
    """What becomes a summary."""

    on_reply: Callable[[Request, Completion], None]
    submitted: dict[str, int] = field(default_factory=dict)
    resumed: set[str] = field(default_factory=set)
    answered: int = 0
    replies: dict[str, Completion] = field(default_factory=dict)
    failed: dict[str, EndpointError] = field(default_factory=dict)
    stop: EndpointError | None = None

    def summary(self) -> BatchSummary:
        """All of it."""
        return BatchSummary(
            len(self.submitted),
            sum(self.submitted.values()),
            len(self.resumed),
            self.answered,
            self.replies,
            self.failed,
        )


def _unheard(request: Request, reply: Completion) -> None:
    """Whom nobody told where the accounts are."""


class BatchRunner:
    """Brings the replies to requests by batches; one for all models of an experiment.

    Args:
        cache: where complete replies go, and where it is remembered what was submitted.
        poll_seconds: between two looks at the batches.
        max_attempts: how often a line is submitted that fails with what may pass (429, 5xx, expired, no outcome).
        max_lines, max_bytes: of one batch; by default what OpenAI takes.
        settle_seconds: how long after it was made a batch may be missing among the endpoint's recent ones.
        sleep: waits.

    Raises:
        InputError: a number out of range.
        InfrastructureError: the cache's file cannot be written.
    """

    def __init__(
        self,
        cache: Cache,
        *,
        poll_seconds: float = 30.0,
        max_attempts: int = 3,
        max_lines: int = 50_000,
        max_bytes: int = 200_000_000,
        settle_seconds: float = 5.0,
        sleep: Callable[[float], None] = time.sleep,
    ):
        if min(max_attempts, max_lines, max_bytes) < 1 or min(poll_seconds, settle_seconds) < 0:
            raise InputError("a batch needs at least one attempt, line and byte, and no negative seconds")
        self._cache = cache
        self._store = BatchStore(cache)
        self._poll_seconds = poll_seconds
        self._max_attempts = max_attempts
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._settle_seconds = settle_seconds
        self._sleep = sleep
        self._lock = threading.Lock()
        self._noted: dict[str, _Noted] = {}
        self._endpoints: dict[_Group, BatchEndpoint] = {}
        self._short: dict[str, Completion] = {}
        self._failed: dict[str, EndpointError] = {}
        self._attempts: Counter[str] = Counter()
        # How many lines a batch may have where the endpoint says that more is enqueued than it allows.
        self._narrow: dict[_Group, int] = {}

    @property
    def pending(self) -> int:
        """How many requests wait for a batch."""
        return len(self._noted)

    def collect(self, request: Request, model: EndpointModel) -> Completion | None:
        """Notes a request, once; gives the reply of an earlier batch where it fell short and so is not in the cache.

        Raises:
            EndpointError: its line failed in as many batches as are allowed.
            ModelConfigurationError: the model is none whose endpoint has batches.
        """
        if not isinstance(model, OpenAIModel):
            raise ModelConfigurationError(f"batches need a model behind an endpoint; '{model.name}' is none")
        key = identity_key(model.identity(request))
        failure = self._failed.get(key)
        if failure is not None:
            raise type(failure)(str(failure))
        short = self._short.get(key) or self._store.short(key)
        if short is not None:
            return replace(short, from_cache=True)
        with self._lock:
            self._noted.setdefault(key, _Noted(request, model))
            group = (model.base_url, model.name)
            if group not in self._endpoints:
                self._endpoints[group] = BatchEndpoint(model, self._settle_seconds, self._sleep)
        return None

    def run(
        self,
        on_progress: Callable[[BatchProgress], None] | None = None,
        on_reply: Callable[[Request, Completion], None] | None = None,
    ) -> BatchSummary:
        """Submits everything noted that no batch has yet, and waits until each of it has a reply or has failed.

        Args:
            on_progress: told after each look at the batches.
            on_reply: given each request and reply of a batch once the reply is kept; for accounts.

        Raises:
            EndpointRefusedError: the endpoint refused a line, a batch or a call for good; what was paid for is kept.
            EndpointError: the endpoint failed after all retries, or a batch was cancelled; run again to go on.
            InfrastructureError: the cache's file failed; what was submitted is remembered.
        """
        tally = _Tally(on_reply or _unheard)
        while self._noted:
            with self._store.submitting():
                self._recover()
                self._submit(tally)
            noted = self._noted.keys()
            waiting = [one for one in self._store.open() if one.batch and not noted.isdisjoint(one.keys)]
            tally.resumed.update(one.fingerprint for one in waiting if one.fingerprint not in tally.submitted)
            self._wait(waiting, tally, on_progress)
            if self._noted:
                self._sleep(self._poll_seconds)
        return tally.summary()

    # ── submitting ───────────────────────────────────────────────────────────────────────────────

    def _recover(self) -> None:
        """Finds what became of submissions whose process died, or lost the connection, before it knew."""
        for submission in self._store.open():
            endpoint = self._endpoints.get(submission.group)
            if submission.batch is not None or endpoint is None:
                continue
            found = endpoint.find(submission) if submission.state == "creating" else None
            if found is not None:
                self._store.submitted(submission, found)
            else:
                self._store.drop(submission)

    def _submit(self, tally: _Tally) -> None:
        taken = {key for submission in self._store.open() for key in submission.keys}
        groups: dict[_Group, list[str]] = {}
        for key, noted in list(self._noted.items()):
            if key in taken:
                continue
            if self._cache.get(key) is not None or self._store.short(key) is not None:
                self._noted.pop(key)  # another process has brought it
            else:
                groups.setdefault((noted.model.base_url, noted.model.name), []).append(key)
        for group, keys in groups.items():
            for chunk in self._chunks(group, keys):
                self._submit_one(group, chunk, tally)
                if group in self._narrow:
                    break

    def _chunks(self, group: _Group, keys: list[str]) -> Iterator[dict[str, bytes]]:
        """Lines by key, as many as one batch may have."""
        most = min(self._max_lines, self._narrow.get(group, self._max_lines))
        chunk: dict[str, bytes] = {}
        size = 0
        for key in keys:
            noted = self._noted[key]
            line = self._endpoints[group].line(key, noted.model.body(noted.request))
            if chunk and (len(chunk) >= most or size + len(line) > self._max_bytes):
                yield chunk
                chunk, size = {}, 0
            chunk[key] = line
            size += len(line)
        if chunk:
            yield chunk

    def _submit_one(self, group: _Group, lines: Mapping[str, bytes], tally: _Tally) -> None:
        endpoint = self._endpoints[group]
        submission = self._store.plan(*group, list(lines))
        if submission is None:
            return
        # Whatever interrupts this, a refusal too: the next run finds out how far it came.
        file = endpoint.upload(b"".join(line for key, line in lines.items() if key in submission.keys))
        submission = self._store.creating(submission, file)
        self._store.submitted(submission, endpoint.create(submission))
        tally.submitted[submission.fingerprint] = len(submission.keys)

    # ── taking in ────────────────────────────────────────────────────────────────────────────────

    def _wait(
        self, waiting: list[Submission], tally: _Tally, on_progress: Callable[[BatchProgress], None] | None
    ) -> None:
        """Polls until all of these have ended, and takes each in as it does."""
        lines = sum(len(submission.keys) for submission in waiting)
        states: dict[str, BatchState] = {}
        while waiting:
            for submission in waiting:
                try:
                    state = self._endpoints[submission.group].state(str(submission.batch))
                    if state.ended:
                        self._take(submission, state, tally)
                except EndpointRefusedError as error:
                    state = self._given_up(submission, error)
                states[submission.fingerprint] = state
            if on_progress is not None:
                treated = sum(state.treated for state in states.values())
                on_progress(BatchProgress(lines, treated, Counter(state.status for state in states.values())))
            if tally.stop is not None:
                raise tally.stop
            waiting = [submission for submission in waiting if not states[submission.fingerprint].ended]
            if waiting:
                self._sleep(self._poll_seconds)

    def _given_up(self, submission: Submission, error: EndpointRefusedError) -> BatchState:
        """Gives up a batch that the provider may have deleted; any other refusal stops everything."""
        if time.time() - submission.made > _KEPT_BY_PROVIDER:
            self._store.collected(submission, submission.keys)
            return BatchState("expired")
        day = datetime.fromtimestamp(submission.made, UTC).date().isoformat()
        raise EndpointRefusedError(
            f"the batch {submission.batch}, submitted on {day}, cannot be read: {error}. It takes the key and the "
            f"organisation that submitted it; to go on without it, name another cache than {self._cache.path}"
        )

    def _take(self, submission: Submission, state: BatchState, tally: _Tally) -> None:
        """Takes in what a batch brought that has ended: first the replies, all of them, then the failures."""
        if state.status == "failed":
            self._take_failure(submission, state, tally)
            return
        outcomes: dict[str, Outcome] = {}
        for file in state.files:
            for key, outcome in self._endpoints[submission.group].outcomes(file):
                if key not in outcomes or outcome.reply is not None:
                    outcomes[key] = outcome
        # The lines of others stay until those come who have their requests.
        mine = [key for key in submission.keys if key in self._noted]
        replies = {key: outcome.reply for key in mine if (outcome := outcomes.get(key, _LOST)).reply is not None}
        cancelled = state.status == "cancelled"
        for key in self._keep(submission, mine, replies, tally):
            outcome = outcomes.get(key, _LOST)
            if not (cancelled and outcome.passing):
                self._fail(key, outcome, tally)
        if cancelled:
            tally.stop = tally.stop or EndpointError(
                f"the batch {submission.batch} was cancelled at the provider; what it had answered is kept, and the "
                "same command submits the rest"
            )

    def _keep(
        self, submission: Submission, mine: list[str], replies: Mapping[str, Completion], tally: _Tally
    ) -> list[str]:
        """Keeps replies and books them; gives the lines without one."""
        whole: list[StoredReply] = []
        short: dict[str, Completion] = {}
        for key, reply in replies.items():
            noted = self._noted[key]
            if reply.finish == "text":
                whole.append(store(noted.model.identity(noted.request), completion_to_json(reply), utc()))
            else:
                short[key] = reply
        # What another process has taken in meanwhile is its to book, and to submit again.
        taken = self._store.collected(submission, mine, whole, short)
        self._short.update(short)
        tally.replies.update(short)
        tally.answered += len(whole)
        for key, reply in replies.items():
            request = self._noted.pop(key).request
            if key in taken:
                tally.on_reply(request, reply)
        return [key for key in mine if key in taken and key not in replies]

    def _fail(self, key: str, outcome: Outcome, tally: _Tally) -> None:
        """Notes what becomes of a line without a reply: again, given up, or the end of everything."""
        error = outcome.error or EndpointError("a line of a batch failed")
        self._attempts[key] += 1
        if outcome.passing and self._attempts[key] < self._max_attempts:
            return
        if isinstance(error, EndpointRefusedError):
            tally.stop = error
            return
        if outcome.passing:
            error = EndpointError(f"{error} ({self._attempts[key]} attempts in batches)")
        self._failed[key] = tally.failed[key] = error
        self._noted.pop(key)

    def _take_failure(self, submission: Submission, state: BatchState, tally: _Tally) -> None:
        """A batch that failed as a whole, of which nothing was done or paid."""
        taken = self._store.collected(submission, submission.keys)
        said = f"the batch {submission.batch} failed as a whole: {state.problem}"
        if state.too_much and len(submission.keys) > 1:
            # Less at a time, and one after the other, until it is little enough.
            before = self._narrow.get(submission.group, self._max_lines)
            self._narrow[submission.group] = max(1, min(before, len(submission.keys) // 2))
            return
        error = EndpointError(said) if state.passing else EndpointRefusedError(said)
        for key in taken & self._noted.keys():
            self._fail(key, Outcome(error=error, passing=state.passing), tally)
