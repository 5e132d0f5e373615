"""Writes the record of a run: a JSON Lines file of events, which gets its final name when it is complete.

Resuming a run: the replies that it already had are served first, so that none is asked for again.

A killed run leaves its partial record with every reply that had arrived, including those that a cache does not store
(cut off by length, refused, empty). Run again from its beginning with these replies, the run comes to the same place
and continues with the cache and the endpoint. A reply comes back as it was recorded, with its tokens, tariff,
fingerprint, seconds and whether our cache had it, so the final record is that of an undisturbed run. A prompt that has
changed since is asked again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import Completion, Model, Request, Wrapped, request_key
from pddl2nl.llm.keys import canonical_json, sha256
from pddl2nl.llm.replay import Exchange, RecordedCompletion, read_exchanges
from pddl2nl.policies.budget import Account
from pddl2nl.policies.events import RunEvent, event_to_json

_JSON = json.JSONEncoder(ensure_ascii=False).encode
_HASH = 12
_LONGEST_PART = 40

VOLATILE = frozenset(("started.time", "replied.from_cache", "replied.retries", "finished.spent", "answered.spent"))
"""``event.field`` of the fields of a record that differ between two runs of one specification: when the run began,
how often requests were sent again, and what was paid for now. So do every field ``seconds`` and every ``digest``: see
`is_volatile`.

All other bytes of a record are the same on every machine of a kind, thread and cluster, and after any number of
interruptions.
"""


def is_volatile(event: str, field: str) -> bool:
    """Whether a field of an event differs between two runs of one specification."""
    return field in ("seconds", "wall_seconds", "digest") or f"{event}.{field}" in VOLATILE


def partial_path(path: Path) -> Path:
    """The path of an incomplete record: ``NAME.jsonl.partial``."""
    return path.with_name(path.name + ".partial")


def leftovers(path: Path) -> tuple[Path, Path]:
    """What unfinished attempts leave: the partial record of the last one, and ``NAME.jsonl.earlier`` of one before."""
    return partial_path(path), path.with_name(path.name + ".earlier")


class Seal:
    """The digest that the last line of a record holds: eight hexadecimal digits for each line, and SHA-256 of all.

    A line's digits depend on all lines before it, so the first line that was changed, removed or added is known. The
    last line counts without its field ``digest``, which `close` adds at its end.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._marks: list[str] = []

    def add(self, line: bytes) -> str:
        """Adds a line, and returns the digits of it."""
        self._hash.update(line + b"\n")
        self._marks.append(self._hash.hexdigest()[:8])
        return self._marks[-1]

    def close(self, line: bytes) -> bytes:
        """The last line, a JSON object, with the digest of the record."""
        self.add(line)
        return line.removesuffix(b"}") + f', "digest": "{"".join(self._marks)}{self._hash.hexdigest()}"}}'.encode()


class RecordWriter:
    """Writes events as they happen, each flushed, to ``NAME.jsonl.partial``.

    The end of the context renames the file to ``NAME.jsonl`` (atomically, replacing an older one), so that a record of
    that name is always complete. A run that dies leaves the partial file, from which it can be resumed.

    A partial file with replies that exists already is kept as ``NAME.jsonl.earlier`` meanwhile, unless the one that is
    kept there has more. However often a run is killed, one of the two holds all replies that it had.

    Raises:
        InfrastructureError: the disk refuses.
    """

    def __init__(self, path: Path):
        self.path = path
        self._partial, self._earlier = leftovers(path)
        self._seal = Seal()
        self._end = ""
        with self._disk_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            if _replies(self._partial) >= max(1, _replies(self._earlier)):
                os.replace(self._partial, self._earlier)
            self._file = self._partial.open("wb")

    def write(self, event: RunEvent) -> None:
        data = event_to_json(event)
        data.pop("digest", None)
        try:
            line = _JSON(data).encode()
        except UnicodeEncodeError:
            # A server may send half of a surrogate pair, which UTF-8 cannot encode.
            line = json.dumps(data).encode()
        self._end = self._end or event.last
        if event.event == self._end:
            line = self._seal.close(line)
        else:
            self._seal.add(line)
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._lost(error) from error

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            return
        with self._disk_errors():
            self._file.close()
            # In this order: whoever is killed in between leaves the whole run, and no file that stays for ever.
            self._earlier.unlink(missing_ok=True)
            os.replace(self._partial, self.path)

    @contextlib.contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> InfrastructureError:
        return InfrastructureError(f"cannot write the record {self.path}: {error.strerror}")


def _replies(record: Path) -> int:
    """The number of replies in an unfinished record, without a torn last line."""
    lines = record.read_bytes().split(b"\n")[:-1] if record.exists() else ()
    return sum(line.startswith(b'{"event": "replied"') for line in lines)


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Whether this process alone may write the record, while the context lasts.

    It takes a lock of the operating system on ``NAME.jsonl.lock``, which ends with its process, so that a killed run
    leaves none behind.

    Raises:
        InfrastructureError: the lock's file cannot be created.
    """
    # Imported here: a report needs no lock.
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"))
    mine = True
    try:
        # A moment, for the file of a previous holder that is just being removed.
        lock.acquire(timeout=0.05, poll_interval=0.01)
    except Timeout:
        mine = False
    except OSError as error:
        raise InfrastructureError(f"cannot lock the record {path}: {error.strerror}") from error
    try:
        yield mine
    finally:
        if mine:
            # Before the release, so that the file of another holder is never removed; Windows refuses it.
            with contextlib.suppress(OSError):
                Path(lock.lock_file).unlink()
            lock.release()


def record_name(*parts: str) -> str:
    """A file name without its ending, from parts: ``blocksworld-p01-react-oracle-nl-1``."""
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", part).strip("_.") or "x" for part in parts)


def job_name(parts: Iterable[str], identity: object) -> str:
    """The name of a job's record without its ending: readable parts, and the hash of all that determines the job."""
    short = [part if len(part) <= _LONGEST_PART else part[: _LONGEST_PART - 1] + "_" for part in parts]
    return f"{record_name(*short)}-{sha256(canonical_json(identity))[:_HASH]}"


def free_record_path(folder: Path, name: str) -> Path:
    """An unused path for a record in the folder, reserved by its partial file, so that parallel runs never collide."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl")
            with contextlib.suppress(FileExistsError):
                partial_path(path).open("x").close()
                if not path.exists():
                    return path
                partial_path(path).unlink()
    except OSError as error:
        raise InfrastructureError(f"cannot write a record in {folder}: {error.strerror}") from error
    raise AssertionError("unreachable")


# ── resume ──────────────────────────────────────────────────────────────────────────────────────

_Replies = dict[tuple[str, str], deque[Completion]]


class Recollection:
    """The replies of one run; each is served once, in the order in which they came.

    If several records that the run has left hold the same request, one resumed the other, and the one with more replies
    to it counts.
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
        records += [[*read_exchanges(left)] for left in leftovers(path) if left.exists()]
    except InputError as error:
        raise InputError(f"{error}; mend or remove that file, and the run begins anew") from None
    return Recollection(records)


def _key(request: Request) -> tuple[str, str]:
    # With its purpose: in two roles two models may be asked the same.
    return request.purpose, request_key(request)
