"""The cache: every complete reply that was ever paid for, in one SQLite file.

A reply is found by what determines it (`pddl2nl.llm.EndpointModel.identity`: endpoint, body as sent, sample
number), and by nothing else: time-outs, retries and keys are not in it. The file can be read with any SQLite tool:
the table ``replies`` has the identity and the reply as JSON, and beside them, for counting, what is in them.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import cache_upkeep as upkeep
from pddl2nl.llm.cache_file import CacheFile, reset_after_fork
from pddl2nl.llm.claims import Claims
from pddl2nl.llm.stored import StoredReply, read_reply, store, utc

__all__ = ["Cache", "default_cache_path"]


def default_cache_path() -> Path:
    """Where replies are kept if nothing else is said.

    ``PDDL2NL_CACHE``, else ``pddl2nl/replies.sqlite`` in ``XDG_CACHE_HOME``, else in ``~/.cache``.
    """
    named = os.environ.get("PDDL2NL_CACHE")
    if named:
        return Path(named)
    # The XDG specification has relative paths ignored.
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "pddl2nl" / "replies.sqlite"


class Cache:
    """Replies in an SQLite file, for any number of threads and processes at once.

    ``file`` is the SQLite file itself, in which other tables may stand beside ours; ``claims`` says who is asking for
    what is not there yet.

    Args:
        path: the file, which is made where there is none.
        read_only: the file must be there and is not changed.

    Raises:
        InputError: a path that can be no cache; see `pddl2nl.llm.cache_file.CacheFile`.
        InfrastructureError: the disk failed, or the file is damaged.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False):
        self._path = Path(path)
        self._read_only = read_only
        self.file = CacheFile(self._path, read_only=read_only)
        self.claims = Claims(self.file)
        self._unsaved: dict[str, StoredReply] = {}
        self.forked()
        reset_after_fork(self)

    def forked(self) -> None:
        """In a child process: a lock that nobody holds."""
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def __repr__(self) -> str:
        return f"Cache({str(self._path)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent to another process, it is the same file opened there.
        return _opened, (self._path, self._read_only)

    def __enter__(self) -> Cache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self.file.read("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        """Closes the file; whoever goes on using the cache opens it again."""
        with self._lock:
            unsaved = list(self._unsaved.values())
        if unsaved:
            with suppress(InfrastructureError):
                self._write(unsaved)
        self.claims.close()
        self.file.close()

    def get(self, key: str) -> dict[str, Any] | None:
        """The reply that is kept under a key, as JSON, or None where there is none.

        Raises:
            InfrastructureError: it is damaged, or the file is. A damaged reply is never handed out.
        """
        unsaved = self._unsaved.get(key)
        if unsaved is not None:
            return read_reply(key, unsaved.checksum, unsaved.reply)
        rows = self.file.read("SELECT checksum, reply FROM replies WHERE key = ?", (key,))
        if not rows:
            return None
        try:
            return read_reply(key, *rows[0])
        except InputError as error:
            raise InfrastructureError(
                f"the cache {self._path}: the reply {key} is damaged: {error}. 'pddl2nl cache verify' names all that "
                "is, 'pddl2nl cache prune --damaged' removes it"
            ) from None

    def put(self, key: str, identity: Mapping[str, Any], reply: Mapping[str, Any]) -> bool:
        """Keeps a reply; when this returns, it is durably on the disk.

        Args:
            key: `identity_key` of the identity.
            identity: what determines the reply.
            reply: of a chat what `completion_to_json` makes, of an embedding ``{"vector": [numbers]}``.

        Returns:
            Whether the reply was entered; False where there was one already, which stays.

        Raises:
            InputError: the key is another one's, or the reply is not a complete one.
            InfrastructureError: the disk refused. The reply stays in memory, where `get` finds it, and is written
                with the next one that the disk takes.
        """
        entry = store(identity, reply, utc())
        if entry.key != key:
            raise InputError(f"the key of this identity is {entry.key}, and not {key}")
        with self._lock:
            unsaved = list(self._unsaved.values())
        try:
            return self._write([*unsaved, entry])
        except InfrastructureError:
            with self._lock:
                self._unsaved.setdefault(key, entry)
            raise

    def _write(self, entries: list[StoredReply]) -> bool:
        """Writes entries, and says whether the last of them was entered."""

        def insert(connection: sqlite3.Connection) -> bool:
            entered = [upkeep.insert(connection, entry) for entry in entries]
            # Whoever claimed a reply has brought it.
            connection.executemany("DELETE FROM claims WHERE key = ?", [(entry.key,) for entry in entries])
            return entered[-1]

        entered = self.file.write(insert)
        if self._unsaved:
            with self._lock:
                for entry in entries:
                    self._unsaved.pop(entry.key, None)
        return entered

    def stats(self) -> upkeep.CacheStats:
        """What is in the cache, by kind, model and endpoint."""
        return upkeep.stats(self.file)

    def verify(self) -> upkeep.Verification:
        """Checks the file and every reply in it: each key, checksum, column and reply."""
        return upkeep.verify(self.file)

    def export(self, stream: TextIO) -> upkeep.Exported:
        """Writes every sound reply as a line of JSON, in the order of the keys."""
        return upkeep.export(self.file, stream)

    def import_(self, lines: Iterable[str]) -> upkeep.Imported:
        """Takes in what `export` wrote: all lines that are sound, in one step, or none where the disk refuses."""
        return upkeep.import_lines(self.file, lines)

    def prune(
        self,
        *,
        older_than: timedelta | None = None,
        model: str | None = None,
        endpoint: str | None = None,
        keep_newest: int = 0,
        damaged: bool = False,
        dry_run: bool = False,
    ) -> upkeep.Pruned:
        """Removes the replies that meet every condition given, and gives their room back to the disk.

        Args:
            older_than: only what was kept longer ago than this.
            model: only what was asked of this model.
            endpoint: only what was asked of this endpoint.
            keep_newest: of what meets the conditions, this many that came last stay.
            damaged: only what `verify` finds damaged.
            dry_run: only count.

        Raises:
            InfrastructureError: the disk refused, and nothing was removed.
        """
        return upkeep.prune(
            self.file,
            older_than=older_than,
            model=model,
            endpoint=endpoint,
            keep_newest=keep_newest,
            damaged=damaged,
            dry_run=dry_run,
        )


def _opened(path: Path, read_only: bool) -> Cache:
    return Cache(path, read_only=read_only)
