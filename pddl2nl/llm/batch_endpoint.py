"""A provider's files and batches, as OpenAI's reference describes them, through the client of a model.

Calls are tried again as all calls of the model are. Making a batch is the one that must not be done twice, since
each time is paid for: before it is tried again the batch is looked for among the recent ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from pddl2nl.llm.batch_store import Submission
from pddl2nl.llm.openai_model import OpenAIModel
from pddl2nl.llm.types import Completion, ContextWindowError, EndpointError, EndpointRefusedError

__all__ = ["BatchEndpoint", "BatchState", "Outcome"]

_FINGERPRINT = "pddl2nl_batch"
_LONGEST_REASON = 500
_DAY = 86_400.0
_LONGEST_LIST = 2_000
_ENDED = ("completed", "failed", "expired", "cancelled")
_PASSING_CODES = frozenset(
    ("internal_error", "internal_server_error", "rate_limit_exceeded", "server_error", "service_unavailable")
)
_TOO_MUCH = frozenset(("token_limit_exceeded", "enqueued_token_limit_exceeded"))


@dataclass(frozen=True)
class BatchState:
    """What the provider says of a batch.

    ``files`` hold the outcomes of lines; ``treated`` is how many lines have one; ``problem`` is what the batch as a
    whole failed with, and ``too_much`` that more was enqueued than the account may have.
    """

    status: str
    files: tuple[str, ...] = ()
    treated: int = 0
    problem: str = ""
    passing: bool = True
    too_much: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in _ENDED


@dataclass(frozen=True)
class Outcome:
    """What came of a line: a reply, or an error; ``passing`` says that the line may be submitted again."""

    reply: Completion | None = None
    error: EndpointError | None = None
    passing: bool = False


class BatchEndpoint:
    """The batches of one model's endpoint.

    Args:
        model: whose client is used.
        settle_seconds: how long a batch that was just made may take to be among the recent ones.
        sleep: waits that long.

    Raises:
        EndpointRefusedError: in every method, the endpoint refused for good: a wrong key, no batches there.
        EndpointError: in every method, the endpoint failed after all retries.
    """

    def __init__(self, model: OpenAIModel, settle_seconds: float, sleep: Callable[[float], None]):
        self.model = model
        self._settle_seconds = settle_seconds
        self._sleep = sleep
        host = urlsplit(model.base_url).hostname or ""
        # Azure has the address without the version.
        self.url = "/chat/completions" if host.endswith(".azure.com") else "/v1/chat/completions"

    def line(self, key: str, body: Mapping[str, Any]) -> bytes:
        """A request as a line of an input file."""
        line = {"custom_id": key, "method": "POST", "url": self.url, "body": body}
        return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"

    def upload(self, data: bytes) -> str:
        """The id of a new input file."""
        file = ("pddl2nl.jsonl", data, "application/jsonl")
        made = self.model.retried(lambda: self.model.client().files.create(file=file, purpose="batch"))
        return self._id(made, "an uploaded file")

    def create(self, submission: Submission) -> str:
        """The id of the batch of a submission, made now, or by an attempt whose answer was lost."""
        tries = 0

        def attempt() -> str:
            nonlocal tries
            tries += 1
            found = None if tries == 1 else self._look(submission)
            return found or self._create(submission)

        return self.model.retried(attempt)

    def _create(self, submission: Submission) -> str:
        made = self.model.client().batches.create(
            input_file_id=str(submission.input_file),
            # The client lists the addresses that OpenAI knows.
            endpoint=cast(Any, self.url),
            completion_window="24h",
            metadata={_FINGERPRINT: submission.fingerprint},
        )
        return self._id(made, "a new batch")

    def find(self, submission: Submission) -> str | None:
        """The id of the batch that was made of a submission; None where there is none."""
        return self.model.retried(lambda: self._look(submission))

    def _look(self, submission: Submission) -> str | None:
        # What was on its way when a process died may arrive a moment later.
        self._sleep(self._settle_seconds)
        for number, batch in enumerate(self.model.client().batches.list(limit=100)):
            metadata = getattr(batch, "metadata", None)
            fingerprint = metadata.get(_FINGERPRINT) if isinstance(metadata, Mapping) else None
            # Not every server keeps metadata; the input file has one batch only.
            if submission.fingerprint == fingerprint or submission.input_file == getattr(batch, "input_file_id", ""):
                return self._id(batch, "a batch")
            created = getattr(batch, "created_at", None)
            # The newest come first; a day is far more than clocks differ.
            if number >= _LONGEST_LIST or (isinstance(created, int) and created < submission.made - _DAY):
                break
        return None

    def state(self, batch: str) -> BatchState:
        """How far a batch is."""
        found = self.model.retried(lambda: self.model.client().batches.retrieve(batch))
        status = getattr(found, "status", None)
        if not isinstance(status, str):
            raise self._nonsense("the state of a batch", found)
        errors = getattr(getattr(found, "errors", None), "data", None)
        told = [(getattr(one, "code", None), getattr(one, "message", one)) for one in errors or ()]
        codes = {str(code) for code, _ in told if code}
        said = "; ".join(dict.fromkeys(str(message or code) for code, message in told))
        counts = getattr(found, "request_counts", None)
        treated = [getattr(counts, name, None) for name in ("completed", "failed")]
        files = [getattr(found, name, None) for name in ("output_file_id", "error_file_id")]
        return BatchState(
            status.lower(),
            tuple(name for name in files if isinstance(name, str) and name),
            sum(count for count in treated if isinstance(count, int)),
            self.model.clean(said)[:_LONGEST_REASON] or "the endpoint says no reason",
            codes <= _PASSING_CODES | _TOO_MUCH,
            bool(codes & _TOO_MUCH),
        )

    def outcomes(self, file: str) -> Iterator[tuple[str, Outcome]]:
        """Key and outcome of each line in an output or error file, in no order.

        Raises:
            EndpointError: the file is not what a batch leaves; nothing is taken from it then, since lines that
                were lost on the way would be submitted, and paid for, again.
        """
        data = self.model.retried(lambda: self.model.client().files.content(file).content)
        found = []
        for line in data.splitlines():
            if line.strip():
                try:
                    entry = json.loads(line)
                    found.append((str(entry["custom_id"]), entry))
                except (ValueError, KeyError, TypeError):
                    raise EndpointError(
                        f"{self.model.base_url} answered with a file of a batch that holds something else than "
                        "JSON with a custom_id a line; the same command asks for it again"
                    ) from None
        for key, entry in found:
            yield key, self._outcome(entry)

    def _outcome(self, entry: Mapping[str, Any]) -> Outcome:
        response = entry.get("response")
        if isinstance(response, Mapping) and isinstance(response.get("status_code"), int):
            status, body = response["status_code"], response.get("body")
            if 200 <= status < 300:
                try:
                    return Outcome(self.model.read(body if isinstance(body, Mapping) else {}, 0.0, "batch"))
                except EndpointError as error:
                    return _failure(error)
            # The same as when the endpoint answers a call with it.
            found = self.model.read_failure(status, body, 0.0, "batch")
            return Outcome(found) if isinstance(found, Completion) else _failure(found)
        told = entry.get("error")
        said = told if isinstance(told, Mapping) else {}
        reason = self.model.clean(str(said.get("message") or said.get("code") or "no reason given"))[:_LONGEST_REASON]
        return Outcome(error=EndpointError(f"a line of a batch failed: {reason}"), passing=True)

    def _id(self, made: object, what: str) -> str:
        name = getattr(made, "id", None)
        if not isinstance(name, str) or not name:
            raise self._nonsense(what, made)
        return name

    def _nonsense(self, what: str, found: object) -> EndpointError:
        kind = type(found).__name__
        return EndpointError(f"{self.model.base_url} answered with {kind} where {what} was expected; has it batches?")


def _failure(error: EndpointError) -> Outcome:
    return Outcome(error=error, passing=not isinstance(error, EndpointRefusedError | ContextWindowError))
