"""An SQLite file of ours, shared by the threads and processes of one machine.

With the write-ahead log readers never wait for a writer, and ``synchronous=NORMAL`` does not wait for the disk at each
commit: what is committed survives ``kill -9``; a power cut may lose the last rows, but never damages the file. The log
needs memory shared by all users of the file, so machines that share a network folder need one file each.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pddl2nl.errors import InfrastructureError, InputError

_BUSY_SECONDS = 60.0
_FORMAT = 1
"""Of the tables, in the file's ``user_version``."""


@dataclass(frozen=True)
class FileKind:
    """What a file is for: its name and the remedy in messages, the SQL of its tables, SQLite's ``application_id``."""

    name: str
    application: int
    tables: tuple[str, ...]
    remedy: str


class SqliteFile:
    """A file of a kind; created if it is missing, unless ``read_only``.

    Raises:
        InputError: the path is a folder, or a file of another kind or format; with ``read_only``, it is missing.
        InfrastructureError: here and in every method, the file or the disk failed.
    """

    def __init__(self, path: str | Path, kind: FileKind, *, read_only: bool = False):
        self.path = Path(path)
        self._kind = kind
        self._read_only = read_only
        # By process: a forked child must use neither the connection nor the lock of its parent.
        self._locks: dict[int, threading.RLock] = {}
        self._connections: dict[int, sqlite3.Connection] = {}
        if self.path.is_dir():
            raise InputError(f"{path} is a folder; the cache is a file")
        if read_only and not self.path.is_file():
            raise InputError(f"{path}: no such cache")
        with self.faults():
            if not read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self.connect(create=not read_only)) as connection:
                self._prepare(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; using it again reopens it."""
        with self._lock():
            connection = self._connections.pop(os.getpid(), None)
            if connection is not None:
                connection.close()

    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._connected() as connection:
            return connection.execute(sql, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed when the block ends, rolled back if it raises."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back by itself after some errors.
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def connect(self, *, create: bool = False) -> sqlite3.Connection:
        """A new connection in autocommit mode, for long reads; a file removed meanwhile is not created again."""
        mode = "ro" if self._read_only else "rwc" if create else "rw"
        # Without a log nobody is writing, and in a folder without write permission its shared memory cannot be made.
        log = self.path.with_name(self.path.name + "-wal")
        if self._read_only and not log.exists() and not os.access(self.path.parent, os.W_OK):
            mode += "&immutable=1"
        # The name may hold characters that mean something in a URI; `as_uri` escapes them.
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # Bytes that are not UTF-8 are damage, which a checksum finds; reading a row must not fail.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Raises SQLite's and the disk's errors as errors of ours."""
        name, remedy = self._kind.name, self._kind.remedy
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
                raise InputError(f"{self.path} is not an SQLite file, and so not a {name}; {remedy}") from None
            raise InfrastructureError(f"the {name} {self.path} cannot be used ({error}); {remedy}") from None

    @property
    def size(self) -> int:
        """Bytes of the file and its log."""
        names = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(path.stat().st_size for path in names if path.exists())

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection of this process, for one thread at a time."""
        pid = os.getpid()
        with self.faults(), self._lock():
            if pid not in self._connections:
                self._connections[pid] = self.connect()
            yield self._connections[pid]

    def _lock(self) -> threading.RLock:
        return self._locks.setdefault(os.getpid(), threading.RLock())

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Checks the kind of the file, and creates the tables in a new one."""
        kind = self._kind
        # A write transaction: another process may be creating the file now, and a file without write permission must
        # be noticed before the first row is paid for.
        connection.execute("BEGIN" if self._read_only else "BEGIN IMMEDIATE")
        application, version, tables = (
            connection.execute(sql).fetchone()[0]
            for sql in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        )
        if (application, version, tables) == (0, 0, 0) and not self._read_only:
            for sql in (*kind.tables, f"PRAGMA application_id={kind.application}", f"PRAGMA user_version={_FORMAT}"):
                connection.execute(sql)
        elif application != kind.application:
            raise InputError(f"{self.path} is not a {kind.name} but another SQLite file; {kind.remedy}")
        elif version != _FORMAT:
            raise InputError(
                f"{self.path} is a {kind.name} of format {version}, made by a newer pddl2nl; this one reads format "
                f"{_FORMAT}; {kind.remedy}"
            )
        connection.execute("COMMIT")
        if not self._read_only:
            # It fails while another process is using the file, which then sets it itself.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode=WAL")
