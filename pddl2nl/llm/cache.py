"""The cache of replies: one SQLite file, shared by the threads and processes of a machine, and a model that uses it.

A reply is found by everything that determines it (`pddl2nl.llm.EndpointModel.identity`: endpoint, body as sent, sample
number). Time-outs, retries and keys are not part of it. Any SQLite tool can read the file.

Each reply is one transaction and is stored before anything uses it, so a reply that has arrived is never paid for
twice, not even after ``kill -9``; a power cut may lose the last ones. Two processes that ask at the same moment may
both pay; the reply that is stored first stays. The write-ahead log needs memory shared by all users of the file, so
machines that share a network folder need one file each.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm.keys import Keyed, canonical_json, identity_key, keyed_identity, sha256
from pddl2nl.llm.replies import KEPT, completion_from_json, completion_to_json
from pddl2nl.llm.types import Completion, EndpointError, EndpointModel, ReplyPendingError, Request

_APPLICATION = 0x70326E6C
"""SQLite's ``application_id`` of a cache, "p2nl"; the format is its ``user_version``."""
_FORMAT = 2
_LOG = logging.getLogger("pddl2nl.llm")
_IN_SILENCE, _PATIENCE = 2, 60
"""Seconds to wait for another process that uses the file: without a word, and after a warning."""
_REMEDY = "--cache names another file"
_TABLE = """
CREATE TABLE replies (
    key TEXT PRIMARY KEY,      -- SHA-256 of the identity
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
    identity TEXT NOT NULL,    -- JSON: kind ("chat" or "embedding"), endpoint, body as sent, sample
    reply TEXT NOT NULL,       -- JSON: text, finish, tokens, ... (pddl2nl.llm.replies), or the vector of an embedding
    checksum TEXT NOT NULL     -- SHA-256 of key, line break and reply
) WITHOUT ROWID"""


class Cache:
    """The replies in an SQLite file, which is created if it is missing.

    Raises:
        InputError: the path is a folder or another file than a cache.
        InfrastructureError: here and in every method, the file or the disk failed.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._unsaved: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None
        self._asking: dict[str, threading.Event] = {}
        if self.path.is_dir():
            raise InputError(f"{path} is a folder; the cache is a file")
        # A write transaction: another process may be creating the file now, and a file without write permission must be
        # noticed before the first reply is paid for.
        with self.transaction() as connection:
            application, version, tables = (
                connection.execute(sql).fetchone()[0]
                for sql in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
            )
            foreign = connection.execute("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')")
            if found := foreign.fetchone():
                raise InputError(f"{path} has the {found[0]} '{found[1]}', which no cache of ours has; {_REMEDY}")
            if (application, version, tables) == (0, 0, 0):
                for sql in (_TABLE, f"PRAGMA application_id={_APPLICATION}", f"PRAGMA user_version={_FORMAT}"):
                    connection.execute(sql)
            elif (application, version) != (_APPLICATION, _FORMAT):
                raise InputError(
                    f"{path} is not a cache but another SQLite file, or one of another version of pddl2nl; {_REMEDY}"
                )

    def __repr__(self) -> str:
        return f"Cache({str(self.path)!r})"

    def __len__(self) -> int:
        return int(self.read("SELECT count(*) FROM replies")[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; using it again reopens it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def get(self, key: str) -> dict[str, Any] | None:
        """The reply stored under a key, as JSON, or None; raises `InfrastructureError` if it is damaged."""
        for checksum, reply in self.read("SELECT checksum, reply FROM replies WHERE key = ?", (key,)):
            if sha256(f"{key}\n{reply}") != checksum:
                raise InfrastructureError(
                    f"the cache {self.path}: the reply {key} is damaged (the checksum differs). To ask again, remove "
                    f"it: sqlite3 {self.path} \"DELETE FROM replies WHERE key = '{key}'\""
                )
            stored: dict[str, Any] = json.loads(reply)
            return stored
        return None

    def put(self, identity: Mapping[str, Any], reply: Mapping[str, Any], keyed: Keyed | None = None) -> bool:
        """Stores a reply unless there is one already; returns whether it was stored.

        The reply is ``{"vector": [numbers]}`` for an embedding, else the result of `completion_to_json`. ``keyed`` is
        `keyed_identity` of the identity, for a caller that has it already: it takes time in proportion to the prompt.
        """
        try:
            with self.transaction() as connection:
                return self.insert(connection, identity, reply, keyed)
        except InfrastructureError:
            self._unsaved = (identity, reply)
            raise

    def insert(
        self,
        connection: sqlite3.Connection,
        identity: Mapping[str, Any],
        reply: Mapping[str, Any],
        keyed: Keyed | None = None,
    ) -> bool:
        """As `put`, within a `transaction`."""
        (key, asked), answered = keyed or keyed_identity(identity), canonical_json(reply)
        row = (key, identity["body"]["model"], identity["endpoint"], asked, answered, sha256(f"{key}\n{answered}"))
        sql = (
            "INSERT OR IGNORE INTO replies (key, model, endpoint, identity, reply, checksum) VALUES (?, ?, ?, ?, ?, ?)"
        )
        return connection.execute(sql, row).rowcount == 1

    def check_writable(self) -> None:
        """Stores a reply that could not be stored before; raises `InfrastructureError` while that fails.

        Call it before paying for a reply, so that a full disk costs one reply and not one for each run.
        """
        if (unsaved := self._unsaved) is not None:
            self.put(*unsaved)
            self._unsaved = None

    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._connected() as connection:
            return self._patiently(connection, sql, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed when the block ends, rolled back if it raises."""
        with self._connected() as connection:
            self._patiently(connection, "BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some errors.
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def _patiently(self, connection: sqlite3.Connection, sql: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:
        """Executes a statement; waits for another process that has locked the file, and says so."""
        try:
            return connection.execute(sql, parameters)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
        _LOG.warning("another process has locked the cache %s; waiting for up to %d s", self.path, _PATIENCE)
        connection.execute(f"PRAGMA busy_timeout={_PATIENCE * 1000}")
        try:
            return connection.execute(sql, parameters)
        finally:
            connection.execute(f"PRAGMA busy_timeout={_IN_SILENCE * 1000}")

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Lets one thread of this process ask for a key; the others wait here, and then find the reply in the cache."""
        mine = threading.Event()
        while (other := self._asking.setdefault(key, mine)) is not mine:
            other.wait()
        try:
            yield
        finally:
            del self._asking[key]
            mine.set()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; SQLite's and the disk's errors become errors of ours."""
        try:
            with self._lock:
                if self._connection is None:
                    self._connection = self._connect()
                yield self._connection
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
                raise InputError(
                    f"{self.path} is not an SQLite file, and so not a cache of replies; {_REMEDY}"
                ) from None
            raise InfrastructureError(f"the cache of replies {self.path} cannot be used ({error}); {_REMEDY}") from None

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_IN_SILENCE, isolation_level=None, check_same_thread=False)
        # Bytes that are not UTF-8 are damage, which the checksum finds; reading a row must not fail.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        # Readers never wait for a writer, and no commit waits for the disk. Setting it fails while another process is
        # using the file, which then sets it itself.
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        # A cache may be a stranger's file: nothing in its schema may call functions with side effects.
        connection.execute("PRAGMA trusted_schema=OFF")
        return connection


class CachedModel:
    """Looks into the cache first, and asks the model for what is missing.

    Threads that ask for the same reply at the same time share one call. Only replies that finished with text
    or by length are stored, before they are returned.

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

    def __repr__(self) -> str:
        return f"CachedModel({self.model!r}, {self.cache!r})"

    def holds(self, request: Request) -> bool:
        """Whether the cache has the reply."""
        return self.cache.get(identity_key(self.model.identity(request))) is not None

    def complete(self, request: Request) -> Completion:
        """The cached reply, with ``from_cache`` set and the seconds that finding it took; else the model's.

        Raises:
            EndpointError: the model has no reply.
            InfrastructureError: the cache's file failed.
            ReplyPendingError: a batch will bring the reply.
        """
        began = time.perf_counter()
        identity = self.model.identity(request)
        keyed = keyed_identity(identity)
        key = keyed[0]
        with self.cache.alone(key):
            if (reply := self._cached(key, began)) is not None:
                return reply
            if self._collect is not None:
                reply = self._collect(request, self.model)
                if reply is None:
                    raise ReplyPendingError(f"a batch will bring the reply {key}")
                return reply
            self.cache.check_writable()
            paid = self.model.complete(request)
            if paid.finish not in KEPT or self.cache.put(identity, completion_to_json(paid), keyed):
                return paid
            # Another process was first. A repeated run sees that reply; what counts now is what was paid now.
            first = self._cached(key, began) or paid
            return replace(first, usage=paid.usage, tariff=paid.tariff, retries=paid.retries, from_cache=False)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text; only texts whose vectors are not cached are sent, in one call; raises as `complete`."""
        identities = {text: self.model.embedding_identity(text) for text in texts}
        with self.cache.alone("embeddings"):
            stored = {text: self.cache.get(identity_key(identity)) for text, identity in identities.items()}
            missing = [text for text, data in stored.items() if data is None]
            if missing:
                self.cache.check_writable()
            vectors = self.model.embed(missing) if missing else []
            if len(vectors) != len(missing):
                raise EndpointError(f"{self.base_url} answered {len(missing)} texts with {len(vectors)} vectors")
            for text, vector in zip(missing, vectors, strict=True):
                stored[text] = {"vector": vector}
                self.cache.put(identities[text], {"vector": vector})
        return [list((stored[text] or {})["vector"]) for text in texts]

    def _cached(self, key: str, began: float) -> Completion | None:
        data = self.cache.get(key)
        if data is None:
            return None
        return replace(completion_from_json(data), from_cache=True, seconds=time.perf_counter() - began)
