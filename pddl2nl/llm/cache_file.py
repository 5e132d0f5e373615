"""The SQLite file below the cache: opened with care, shared by many threads and processes, its faults explained.

Writes are committed in groups: whoever may write next commits, in one transaction, what all threads of the process
have brought by then, and each of them goes on when that is on the disk (``synchronous=FULL``). So the disk is
waited for once a group and not once a reply, and durability costs little even where it takes long to sync.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pddl2nl.errors import InfrastructureError, InputError, Pddl2nlError

__all__ = ["FORMAT", "CacheFile", "reset_after_fork"]

FORMAT = 1
"""The version of the file's tables, in its ``user_version``."""

_APPLICATION = 0x70326E6C  # "p2nl": what tells our files from other SQLite files
_BUSY_SECONDS = 60.0
_ELSEWHERE = "name another file with --cache"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    finish TEXT,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    tariff TEXT NOT NULL,
    created TEXT NOT NULL,
    checksum TEXT NOT NULL,
    identity TEXT NOT NULL,
    reply TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS claims (
    key TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    born TEXT NOT NULL,
    expires REAL NOT NULL
);
"""
# SQLite's write-ahead log needs memory that all its users share, which hosts of a network file system do not have;
# some of these let it be set up all the same, and then lose data.
_NETWORK = re.compile(
    r"nfs4?|cifs|smb3|smbfs|ncpfs|9p|afs|coda|ceph|lustre|gpfs|beegfs|glusterfs|orangefs|pvfs2|panfs|davfs"
    r"|fuse\.(sshfs|glusterfs|ceph|rclone|davfs2|s3fs)"
)
_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: f"another process has held it for more than {_BUSY_SECONDS:g} s",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CORRUPT: "it is damaged; 'pddl2nl cache verify' says what of it, and 'export' saves what is sound",
    sqlite3.SQLITE_NOTADB: "it is damaged, or no SQLite file any more",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_IOERR: "the disk failed",
}

T = TypeVar("T")


class _Job:
    """A change that a thread wants made, and what came of it."""

    def __init__(self, action: Callable[[sqlite3.Connection], Any]):
        self.action = action
        self.done = False
        self.leads = False
        self.waited_for = True
        self.woken = threading.Event()
        self.result: Any = None
        self.error: Exception | None = None


class CacheFile:
    """An open cache file.

    Args:
        path: the file; it and the folders above it are made where there are none.
        read_only: nothing is made or changed, and the file must be there.

    Raises:
        InputError: a path that is no such file: a folder, no SQLite file, one of other software or of a newer version;
            or, to be read only, one that is not there.
        InfrastructureError: it may not be read or written, the disk failed, or the file is damaged.
    """

    def __init__(self, path: Path, *, read_only: bool = False):
        self.path = path
        self.read_only = read_only
        self._immutable = False
        self._abandoned: list[sqlite3.Connection] = []
        self._reset()
        if path.is_dir():
            raise InputError(f"{path} is a folder; the cache is a file")
        if read_only and not path.is_file():
            raise InputError(f"{path}: no such cache")
        if not read_only:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = f"{error.strerror}: {error.filename}"
                raise InfrastructureError(f"the cache {path} cannot be made ({reason}); {_ELSEWHERE}") from None
        self._check()
        reset_after_fork(self)

    def _reset(self) -> None:
        self._read_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._queueing = threading.Lock()
        self._committing = False
        self._queue: list[_Job] = []
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    def forked(self) -> None:
        """In a child process: leaves the parent's connections and locks alone, and starts with its own."""
        # Closing a connection that a parent opened is as wrong as using it; kept, it is closed by nobody.
        self._abandoned += [one for one in (self._reader, self._writer) if one is not None]
        self._reset()

    def connect(self, mode: str | None = None) -> sqlite3.Connection:
        """A connection of the caller's own, for long reads; in autocommit mode."""
        # A file that was removed meanwhile must not come back empty.
        mode = "ro" if self.read_only else mode or "rw"
        # The name of the file may hold what means something in a URI; `as_uri` escapes it.
        uri = f"{self.path.absolute().as_uri()}?mode={mode}{'&immutable=1' if self._immutable else ''}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # Bytes that are no UTF-8 are damage, which a checksum shall find and not the reading of a row.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            connection.execute(f"PRAGMA synchronous={'FULL' if _journal(connection) == 'wal' else 'EXTRA'}")
            connection.execute("PRAGMA fullfsync=1")
        except BaseException:
            connection.close()
            raise
        return connection

    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            InfrastructureError: the file or the disk failed.
        """
        with self.faults(), self._read_lock:
            self._reader = self._reader or self._kept(self.connect())
            # All rows: a query that is not read to its end keeps what it saw, and the log cannot be cleared.
            return self._reader.execute(sql, parameters).fetchall()

    def write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Does something in a transaction and returns its result once that is durably on the disk.

        Raises:
            InfrastructureError: the file or the disk failed, and nothing was changed.
        """
        job = _Job(action)
        try:
            with self._queueing:
                self._queue.append(job)
                job.leads = not self._committing
                self._committing = True
            # Each waits for itself: waking all after every commit, as a condition does, has them fight for nothing.
            if not job.leads:
                job.woken.wait()
            if job.leads:
                self._commit(job)
        except BaseException:
            # Ctrl-C hits one thread, which waits no more; its change is made all the same, by whoever commits next.
            with self._queueing:
                job.waited_for = False
                if job.leads:
                    self._next_leads(job)
            raise
        if job.error is not None:
            if isinstance(job.error, sqlite3.Error):
                raise self.explained(job.error)
            raise job.error
        result: T = job.result
        return result

    def close(self) -> None:
        """Closes the connections; the file is then whole without the files beside it, if nobody else has it open."""
        with self._read_lock, self._write_lock:
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()
            self._reader = self._writer = None

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Explains SQLite's errors as ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.explained(error) from None

    def explained(self, error: sqlite3.Error) -> InfrastructureError:
        """What an error of SQLite means for a cache that was sound when it was opened."""
        advice = _ADVICE.get(_code(error))
        return InfrastructureError(f"the cache {self.path}: {f'{advice} ({error})' if advice else error}")

    def _kept(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        weakref.finalize(self, _close_own, connection, os.getpid())
        return connection

    def _commit(self, leader: _Job) -> None:
        """Makes the changes that have come together; the leader's thread is the only one that does."""
        with self._queueing:
            jobs, self._queue = self._queue, []
        done = True
        try:
            with self._write_lock:
                self._writer = self._writer or self._kept(self.connect())
                self._transact(self._writer, jobs)
        except Exception as error:  # noqa: BLE001 — each thread raises it as its own
            for job in jobs:
                job.error = error
        except BaseException:
            done = False
            raise
        finally:
            with self._queueing:
                for job in jobs if done else ():
                    job.done = True
                    job.woken.set()
                if done:
                    self._next_leads(leader)
                else:
                    self._queue = jobs + self._queue

    def _next_leads(self, leader: _Job) -> None:
        """Whoever has waited longest commits next; called with the queue locked."""
        leader.leads = False
        following = next((job for job in self._queue if job.waited_for), None)
        self._committing = following is not None
        if following is not None:
            following.leads = True
            following.woken.set()

    @staticmethod
    def _transact(connection: sqlite3.Connection, jobs: Sequence[_Job]) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                connection.execute("SAVEPOINT job")
                try:
                    job.result, job.error = job.action(connection), None
                except Exception as error:
                    if not connection.in_transaction:
                        raise  # SQLite has rolled all of it back
                    connection.execute("ROLLBACK TO job")
                    job.error = error
                connection.execute("RELEASE job")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise

    def _check(self) -> None:
        """Makes sure that the file is a cache of ours that can be used as asked, and makes it where there is none."""
        try:
            try:
                self._check_once()
            except sqlite3.OperationalError as error:
                # Where the folder may not be written, a log that is not there cannot be shared; nor need it be.
                log = self.path.with_name(self.path.name + "-wal")
                if not self.read_only or _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                    raise
                if log.exists() and log.stat().st_size:
                    raise
                self._immutable = True
                self._check_once()
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def _check_once(self) -> None:
        connection = self.connect("rwc")
        try:
            # In one transaction: another process may be making the file at this very moment.
            connection.execute("BEGIN")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            connection.execute("COMMIT")
            if (application, tables, version) == (0, 0, 0) and not self.read_only:
                _choose_journal(connection, self.path)
                self._make(connection)
            elif application != _APPLICATION:
                raise InputError(f"{self.path} is no cache of replies, but some other SQLite file")
            elif version > FORMAT:
                raise InputError(
                    f"{self.path} is a cache of format {version}, made by a newer pddl2nl; this one reads format "
                    f"{FORMAT}. Update pddl2nl, or name another file with --cache"
                )
            elif not self.read_only:
                # A file that may only be read would otherwise be noticed when the first reply has been paid for.
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
        finally:
            connection.close()

    @staticmethod
    def _make(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={_APPLICATION}")
            connection.execute(f"PRAGMA user_version={FORMAT}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _unusable(self, error: sqlite3.Error) -> Pddl2nlError:
        code = _code(error)
        if code == sqlite3.SQLITE_NOTADB:
            return InputError(f"{self.path} is no SQLite file, and so no cache of replies; {_ELSEWHERE}")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            what = "read" if self.read_only else "written"
            return InfrastructureError(f"the cache {self.path} cannot be {what} ({error}); {_ELSEWHERE}")
        return self.explained(error)


class _Forkable(Protocol):
    def forked(self) -> None: ...


_FORKABLE: weakref.WeakSet[_Forkable] = weakref.WeakSet()


def reset_after_fork(thing: _Forkable) -> None:
    """Has ``thing.forked()`` called in every child process that is forked from this one."""
    _FORKABLE.add(thing)


def _forked() -> None:
    for thing in list(_FORKABLE):
        thing.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _close_own(connection: sqlite3.Connection, pid: int) -> None:
    if os.getpid() == pid:
        with suppress(sqlite3.Error):
            connection.close()


def _code(error: sqlite3.Error) -> int:
    """The primary one of SQLite's codes; 0 where the module itself raised the error."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _journal(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _choose_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Sets the write-ahead log, with which readers wait for nobody; the file keeps it for all who open it."""
    if _on_network(path):
        return
    # While others do the same, SQLite may say at once that the file is busy, and not wait as it does elsewhere.
    for attempt in range(50):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY:
                # A file system without shared memory: SQLite's own journal does as well, only slower.
                return
            time.sleep(0.01 * (attempt + 1))


def _on_network(path: Path) -> bool:
    """Whether a path lies on a network file system; where the system does not tell, it is taken not to."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    here = path.absolute().parent.resolve()
    found, kind = Path("/"), ""
    for line in lines:
        _, where, this, *_ = line.split(" ")
        mount = Path(where.replace("\\040", " "))
        if here.is_relative_to(mount) and len(mount.parts) >= len(found.parts):
            found, kind = mount, this
    return _NETWORK.fullmatch(kind) is not None
