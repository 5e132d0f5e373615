"""Requests through a provider's batch endpoint, at its lower price: collect, submit, poll, store, repeat.

Work is run in passes. In each pass the models are `CachedModel(model, cache, collect=runner.collect)`: cached replies
are returned, every other request is noted and ends in `ReplyPendingError`; `BatchRunner.run` then brings the replies::

    runner = BatchRunner(cache)
    while True:
        ...            # run everything that is not finished; ReplyPendingError means: again in the next pass
        if not runner.pending:
            break
        runner.run()

What was submitted is in the cache's file (`BatchStore`): where a process is killed, the same command, run again, notes
the same requests and waits for the batches that are there. A batch is paid for twice only if the answer to its creation
is lost, or if two processes submit the same requests at the same moment. Both are rare, and cheaper than a search for
lost batches.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from sqlite3 import Connection
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from pddl2nl.conversion import BUILDING
from pddl2nl.llm.cache import Cache
from pddl2nl.llm.endpoint.client import OpenAIModel
from pddl2nl.llm.keys import canonical_json, identity_key
from pddl2nl.llm.replies import KEPT, StoredCompletion, completion_to_json, parse_json
from pddl2nl.llm.types import (
    Completion,
    ContextWindowError,
    EndpointError,
    EndpointModel,
    EndpointRefusedError,
    ModelConfigurationError,
    Request,
)

_Group = tuple[str, str]
"""Endpoint and model: all lines of a batch share them."""
_Outcome = Completion | EndpointError
"""Of a line. A plain `EndpointError` may pass, and the line is submitted again; those of its subclasses do not."""
_LONGEST_REASON = 500
_ENDED = ("completed", "failed", "expired", "cancelled")
_PASSING_CODES = frozenset(
    ("internal_error", "internal_server_error", "rate_limit_exceeded", "server_error", "service_unavailable")
)
_TOO_MUCH = frozenset(("token_limit_exceeded", "enqueued_token_limit_exceeded"))


@dataclass(frozen=True)
class BatchProgress:
    """How far the batches are; ``states`` counts them by the provider's status."""

    lines: int
    treated: int
    states: Mapping[str, int]


class Submission(msgspec.Struct, frozen=True):
    """A batch as the store remembers it, by the provider's id; ``keys`` are the lines that are not collected yet."""

    keys: frozenset[str]
    batch: str
    endpoint: str
    model: str
    made: float

    @property
    def group(self) -> _Group:
        """Its endpoint and model."""
        return self.endpoint, self.model

    @property
    def place(self) -> str:
        """What tells it from all others."""
        return f"{self.batch} {self.endpoint}"


@dataclass(frozen=True)
class BatchState:
    """The provider's account of a batch: ``files`` with the outcomes of lines, how many lines are treated, and, if it
    failed as a whole, the problem and whether more was enqueued than the account may have."""

    status: str
    files: tuple[str, ...]
    treated: int
    problem: EndpointError
    too_much: bool

    @property
    def ended(self) -> bool:
        """Whether it will not change any more."""
        return self.status in _ENDED


# ── what was submitted ───────────────────────────────────────────────────────────────────────────


class BatchStore:
    """Two tables in the cache's file, so that a crash does not pay for a line twice.

    ``batches`` holds what is submitted and not collected. ``batch_short`` holds replies that fell short (refused,
    filtered, empty): they do not belong into the cache.
    """

    def __init__(self, cache: Cache):
        self._cache = cache
        with cache.transaction() as connection:
            for table, column in (("batches", "submission"), ("batch_short", "reply")):
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (key TEXT NOT NULL PRIMARY KEY, {column} TEXT NOT NULL)"
                )

    def save(self, submission: Submission) -> None:
        """Remembers a submission."""
        with self._cache.transaction() as connection:
            self._save(connection, submission)

    def _save(self, connection: Connection, submission: Submission) -> None:
        row = (submission.place, msgspec.json.encode(submission).decode())
        connection.execute("INSERT OR REPLACE INTO batches VALUES (?, ?)", row)

    def collect(
        self,
        submission: Submission,
        keys: Collection[str],
        replies: Mapping[str, tuple[Mapping[str, Any], Completion]] | None = None,
    ) -> None:
        """Stores replies, given with the identities of their requests, and forgets these lines, in one transaction."""
        with self._cache.transaction() as connection:
            for key, (identity, reply) in (replies or {}).items():
                data = completion_to_json(reply)
                if reply.finish in KEPT:
                    self._cache.insert(connection, identity, data)
                else:
                    connection.execute("INSERT OR REPLACE INTO batch_short VALUES (?, ?)", (key, canonical_json(data)))
            # Another process may have collected other lines of it.
            for stored in self.open():
                if stored.place == submission.place:
                    self._save(connection, msgspec.structs.replace(stored, keys=stored.keys.difference(keys)))
            connection.execute("DELETE FROM batches WHERE json_array_length(submission, '$.keys') = 0")

    def open(self) -> list[Submission]:
        """All submissions with lines that are not collected yet, the oldest first."""
        rows = self._cache.read("SELECT submission FROM batches")
        with BUILDING:
            return sorted((msgspec.json.decode(row, type=Submission) for (row,) in rows), key=lambda each: each.made)

    def short(self, key: str) -> Completion | None:
        """The reply to a line that was paid for and fell short, if there is one."""
        for (text,) in self._cache.read("SELECT reply FROM batch_short WHERE key = ?", (key,)):
            with BUILDING:
                return msgspec.json.decode(text, type=StoredCompletion).completion()
        return None


# ── the provider ─────────────────────────────────────────────────────────────────────────────────


class BatchEndpoint:
    """Files and batches of one model's endpoint, as OpenAI's reference describes them."""

    def __init__(self, model: OpenAIModel):
        self.model = model
        host = urlsplit(model.base_url).hostname or ""
        # Azure has the address without the version.
        self.url = "/chat/completions" if host.endswith(".azure.com") else "/v1/chat/completions"

    def line(self, key: str, request: Request) -> bytes:
        """A line of the input file; raises `ModelConfigurationError` for a constrained request."""
        if request.constraint is not None:
            raise ModelConfigurationError("--constrain and --provider-batch exclude each other")
        line = {"custom_id": key, "method": "POST", "url": self.url, "body": self.model.body(request)}
        return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"

    def upload(self, data: bytes) -> str:
        """The id of a new input file."""
        file = ("pddl2nl.jsonl", data, "application/jsonl")
        made = self.model.retried(lambda: self.model.client().files.create(file=file, purpose="batch"))
        return self._text(made, "id", "an uploaded file")

    def create(self, input_file: str) -> str:
        """The id of a new batch of the lines in an input file."""
        made = self.model.retried(
            lambda: self.model.client().batches.create(
                input_file_id=input_file,
                # The client lists the addresses that OpenAI knows.
                endpoint=cast(Any, self.url),
                completion_window="24h",
            )
        )
        return self._text(made, "id", "a new batch")

    def state(self, batch: str) -> BatchState:
        """How far a batch is."""
        answer = self.model.retried(lambda: self.model.client().batches.retrieve(batch))
        status = self._text(answer, "status", "the state of a batch").lower()
        errors = getattr(getattr(answer, "errors", None), "data", None)
        problems = [(getattr(one, "code", None), getattr(one, "message", one)) for one in errors or ()]
        codes = {str(code) for code, _ in problems if code}
        problem = self.model.clean("; ".join(dict.fromkeys(str(message or code) for code, message in problems)))
        kind = EndpointError if codes <= _PASSING_CODES | _TOO_MUCH else EndpointRefusedError
        counts = getattr(answer, "request_counts", None)
        treated = [getattr(counts, name, None) for name in ("completed", "failed")]
        files = [getattr(answer, name, None) for name in ("output_file_id", "error_file_id")]
        return BatchState(
            status,
            tuple(name for name in files if isinstance(name, str) and name),
            sum(count for count in treated if isinstance(count, int)),
            kind(f"the batch {batch} failed as a whole: {problem[:_LONGEST_REASON] or 'the endpoint says no reason'}"),
            bool(codes & _TOO_MUCH),
        )

    def outcomes(self, file: str) -> Iterator[tuple[str, _Outcome]]:
        """Key and outcome of each line in an output or error file, in no order.

        Nothing is taken from a malformed file: lines that were lost on the way would be paid for again.
        """
        data = self.model.retried(lambda: self.model.client().files.content(file).content)
        try:
            entries = [parse_json(line) for line in data.splitlines() if line.strip()]
            lines = [(str(entry["custom_id"]), entry) for entry in entries]
        except (ValueError, KeyError, TypeError):
            raise EndpointError(
                f"{self.model.base_url} answered with a file of a batch that holds something else than "
                "JSON with a custom_id a line; the same command asks for it again"
            ) from None
        for key, entry in lines:
            yield key, self._outcome(entry)

    def _outcome(self, entry: Mapping[str, Any]) -> _Outcome:
        response = entry.get("response")
        if isinstance(response, Mapping) and isinstance(response.get("status_code"), int):
            status, body = response["status_code"], response.get("body")
            # The same as when the endpoint answers a call with it.
            if not 200 <= status < 300:
                return self.model.read_failure(status, body, 0.0, "batch")
            try:
                return self.model.read(body if isinstance(body, Mapping) else {}, 0.0, "batch")
            except EndpointError as error:
                return error
        failure = entry.get("error")
        details = failure if isinstance(failure, Mapping) else {}
        reason = self.model.clean(str(details.get("message") or details.get("code") or "no reason given"))[
            :_LONGEST_REASON
        ]
        return EndpointError(f"a line of a batch failed: {reason}")

    def _text(self, answer: object, name: str, what: str) -> str:
        text = getattr(answer, name, None)
        if isinstance(text, str) and text:
            return text
        kind = type(answer).__name__
        raise EndpointError(f"{self.model.base_url} answered with {kind} where {what} was expected; has it batches?")


# ── the runner ───────────────────────────────────────────────────────────────────────────────────


class BatchRunner:
    """Brings the replies to requests through batches; one for all models of an experiment.

    Args:
        cache: stores complete replies and what was submitted.
        on_progress: called after each look at the batches.
        on_reply: called with each request and its reply once the reply is stored; for accounts.
        poll_seconds: between two looks at the batches.
        max_attempts: how often a line is submitted whose fault may pass (429, 5xx, expired, no outcome).
        max_lines, max_bytes: of one batch; by default OpenAI's limits.
    """

    def __init__(
        self,
        cache: Cache,
        *,
        on_progress: Callable[[BatchProgress], None] = lambda progress: None,
        on_reply: Callable[[Request, Completion], None] = lambda request, reply: None,
        poll_seconds: float = 30.0,
        max_attempts: int = 3,
        max_lines: int = 50_000,
        max_bytes: int = 200_000_000,
    ):
        self._cache = cache
        self._store = BatchStore(cache)
        self._on_progress = on_progress
        self._on_reply = on_reply
        self._poll_seconds = poll_seconds
        self._max_attempts = max_attempts
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._noted: dict[str, tuple[Request, OpenAIModel]] = {}
        self._endpoints: dict[_Group, BatchEndpoint] = {}
        self._failed: dict[str, EndpointError] = {}
        self._attempts: Counter[str] = Counter()
        self._stop: EndpointError | None = None
        # How many lines a batch may have if the endpoint says that more is enqueued than it allows.
        self._narrow: dict[_Group, int] = {}

    @property
    def pending(self) -> int:
        """How many requests wait for a batch."""
        return len(self._noted)

    def collect(self, request: Request, model: EndpointModel) -> Completion | None:
        """Notes a request, once; returns the reply of an earlier batch if it fell short and so is not in the cache.

        Raises `EndpointError` if its line failed, and `ModelConfigurationError` for a model without an endpoint.
        """
        if not isinstance(model, OpenAIModel):
            raise ModelConfigurationError(f"batches need a model behind an endpoint; '{model.name}' is none")
        key = identity_key(model.identity(request))
        if (failure := self._failed.get(key)) is not None:
            raise type(failure)(str(failure))
        if (short := self._store.short(key)) is not None:
            return replace(short, from_cache=True)
        with self._lock:
            self._noted.setdefault(key, (request, model))
            group = (model.base_url, model.name)
            if group not in self._endpoints:
                self._endpoints[group] = BatchEndpoint(model)
        return None

    def run(self) -> None:
        """Submits everything noted that no batch has yet, and waits until each line has a reply or has failed.

        Raises:
            EndpointRefusedError: the endpoint refused a line, a batch or a call for good; paid replies are stored.
            EndpointError: the endpoint failed after all retries, or a batch was cancelled; run again to go on.
            InfrastructureError: the cache's file failed; what was submitted is remembered.
        """
        self._stop = None
        while self._noted:
            self._submit()
            self._wait([one for one in self._store.open() if not self._noted.keys().isdisjoint(one.keys)])
            if self._noted:
                time.sleep(self._poll_seconds)

    def _submit(self) -> None:
        taken = {key for submission in self._store.open() for key in submission.keys}
        groups: dict[_Group, list[str]] = {}
        for key, (_, model) in list(self._noted.items()):
            if key in taken:
                continue
            if self._cache.get(key) is not None or self._store.short(key) is not None:
                self._noted.pop(key)  # another process has brought it
            else:
                groups.setdefault((model.base_url, model.name), []).append(key)
        for group, keys in groups.items():
            endpoint = self._endpoints[group]
            for lines in self._chunks(group, keys):
                batch = endpoint.create(endpoint.upload(b"".join(lines.values())))
                self._store.save(Submission(frozenset(lines), batch, *group, time.time()))
                if group in self._narrow:
                    break

    def _chunks(self, group: _Group, keys: list[str]) -> Iterator[dict[str, bytes]]:
        """Lines by key, as many as one batch may have."""
        most = self._narrow.get(group, self._max_lines)
        chunk: dict[str, bytes] = {}
        size = 0
        for key in keys:
            line = self._endpoints[group].line(key, self._noted[key][0])
            if chunk and (len(chunk) >= most or size + len(line) > self._max_bytes):
                yield chunk
                chunk, size = {}, 0
            chunk[key] = line
            size += len(line)
        if chunk:
            yield chunk

    def _wait(self, waiting: list[Submission]) -> None:
        """Polls until all of these have ended, and collects each when it does."""
        lines = sum(len(submission.keys) for submission in waiting)
        states: dict[str, BatchState] = {}
        while waiting:
            for submission in waiting:
                states[submission.place] = state = self._look_at(submission)
                if state.status == "failed":
                    self._collect_failure(submission, state)
                elif state.ended:
                    self._collect(submission, state)
            treated = sum(state.treated for state in states.values())
            self._on_progress(BatchProgress(lines, treated, Counter(state.status for state in states.values())))
            if self._stop is not None:
                raise self._stop
            waiting = [submission for submission in waiting if not states[submission.place].ended]
            if waiting:
                time.sleep(self._poll_seconds)

    def _look_at(self, submission: Submission) -> BatchState:
        try:
            return self._endpoints[submission.group].state(submission.batch)
        except EndpointRefusedError as error:
            day = datetime.fromtimestamp(submission.made, UTC).date().isoformat()
            raise EndpointRefusedError(
                f"the batch {submission.batch}, submitted on {day}, cannot be read: {error}. It takes the key and the "
                f"organisation that submitted it; to go on without it, name another cache than {self._cache.path}"
            ) from None

    def _collect(self, submission: Submission, state: BatchState) -> None:
        """Stores the replies of a batch that has ended, all of them, and then notes the lines that failed."""
        outcomes: dict[str, _Outcome] = {}
        for file in state.files:
            for key, outcome in self._endpoints[submission.group].outcomes(file):
                if not isinstance(outcomes.get(key), Completion):
                    outcomes[key] = outcome
        # Lines that are not noted here stay until a command comes that has their requests.
        lost = EndpointError("a line of a batch failed: the endpoint gave no reply to it")
        ours = {key: outcomes.get(key, lost) for key in submission.keys if key in self._noted}
        replies = {}
        for key, outcome in ours.items():
            if isinstance(outcome, Completion):
                request, model = self._noted[key]
                replies[key] = (model.identity(request), outcome)
        self._store.collect(submission, ours, replies)
        for key, (_, reply) in replies.items():
            self._on_reply(self._noted.pop(key)[0], reply)
        cancelled = state.status == "cancelled"
        for key, outcome in ours.items():
            if isinstance(outcome, EndpointError) and not (cancelled and _may_pass(outcome)):
                self._fail(key, outcome)
        if cancelled:
            self._stop = self._stop or EndpointError(
                f"the batch {submission.batch} was cancelled at the provider; what it had answered is kept, and the "
                "same command submits the rest"
            )

    def _collect_failure(self, submission: Submission, state: BatchState) -> None:
        """A batch that failed as a whole: nothing of it was done or paid."""
        self._store.collect(submission, submission.keys)
        if state.too_much and len(submission.keys) > 1:
            # Less at a time, and one after the other, until it is little enough.
            before = self._narrow.get(submission.group, self._max_lines)
            self._narrow[submission.group] = min(before, len(submission.keys) // 2)
            return
        for key in submission.keys & self._noted.keys():
            self._fail(key, state.problem)

    def _fail(self, key: str, error: EndpointError) -> None:
        """Decides about a line without a reply: submitted again, given up, or the end of everything."""
        self._attempts[key] += 1
        if isinstance(error, EndpointRefusedError):
            self._stop = error
            return
        if _may_pass(error):
            if self._attempts[key] < self._max_attempts:
                return
            error = EndpointError(f"{error} ({self._attempts[key]} attempts in batches)")
        self._failed[key] = error
        self._noted.pop(key)


def _may_pass(error: EndpointError) -> bool:
    return not isinstance(error, EndpointRefusedError | ContextWindowError)
