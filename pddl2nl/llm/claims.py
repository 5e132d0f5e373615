"""Who is asking for what: claims on replies that are not there yet, so that nobody pays for one twice.

A claim is a row beside the replies: the key, who holds it (host, process and when that began), and until when.
Its holder renews it while it waits for the endpoint, however long the endpoint, its time-outs and its retries take;
so a claim can be short, and one whose holder is gone is soon free: at once where the process died on this host, when
it expires where it died elsewhere or was stopped.

Nobody waits while holding a claim on what others may be waiting for with claims of their own: `Claims.take` never
waits, so there is no deadlock.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm.cache_file import CacheFile, reset_after_fork

__all__ = ["EXPIRY_SECONDS", "Claims"]

EXPIRY_SECONDS = 120.0
"""How long a claim holds that its holder no longer renews."""

_RENEW_SECONDS = EXPIRY_SECONDS / 4
_FIRST_POLL = 0.02
_LAST_POLL = 0.5


class Claims:
    """The claims in a cache file, and those that this process holds through this object."""

    def __init__(self, file: CacheFile):
        self._file = file
        self.forked()
        reset_after_fork(self)

    def forked(self) -> None:
        """In a child process: what the parent holds is not the child's."""
        self._lock = threading.Lock()
        self._owner = uuid.uuid4().hex
        self._held: dict[str, threading.Event] = {}
        self._renewer: threading.Thread | None = None
        self._stop = threading.Event()

    def take(self, keys: Iterable[str]) -> list[str]:
        """Claims what is free of these keys and returns that, without waiting for the rest.

        Raises:
            InfrastructureError: the cache cannot be written, in which case nothing is claimed.
        """
        with self._lock:
            mine = [key for key in dict.fromkeys(keys) if key not in self._held]
            self._held.update((key, threading.Event()) for key in mine)
        taken: list[str] = []
        try:
            free = [key for key in mine if not self._is_held_elsewhere(key)]
            if free:
                taken = self._file.write(lambda connection: [key for key in free if self._claim(connection, key)])
        finally:
            self._let_go(key for key in mine if key not in taken)
        if taken:
            self._keep_renewing()
        return taken

    def release(self, keys: Sequence[str], *, stored: bool = False) -> None:
        """Gives claims up, and wakes whoever waits for them here.

        Args:
            keys: what was taken.
            stored: their replies are in the cache, whose `Cache.put` has ended the claims in the file.
        """
        try:
            if not stored:
                # A claim that cannot be struck out now is not renewed either, and expires.
                with suppress(InfrastructureError):
                    self._file.write(lambda connection: self._strike(connection, keys))
        finally:
            self._let_go(keys)

    def wait(self, key: str, turn: int) -> None:
        """Waits until the key may be free or its reply there, not long: the caller looks, and waits again.

        Args:
            key: what `take` did not return.
            turn: how often the caller has waited for it already.
        """
        with self._lock:
            here = self._held.get(key)
        if here is not None:
            here.wait(_LAST_POLL)
        else:
            time.sleep(min(_LAST_POLL, _FIRST_POLL * 1.5 ** min(turn, 20)))

    def close(self) -> None:
        """Ends the renewing of claims."""
        self._stop.set()

    def _let_go(self, keys: Iterable[str]) -> None:
        with self._lock:
            for key in keys:
                event = self._held.pop(key, None)
                if event is not None:
                    event.set()

    def _is_held_elsewhere(self, key: str) -> bool:
        rows = self._file.read("SELECT host, pid, born, expires FROM claims WHERE key = ?", (key,))
        return any(_is_alive(*row) for row in rows)

    def _claim(self, connection: sqlite3.Connection, key: str) -> bool:
        rows = connection.execute("SELECT host, pid, born, expires FROM claims WHERE key = ?", (key,)).fetchall()
        if any(_is_alive(*row) for row in rows):
            return False
        values = (key, self._owner, _HOST, os.getpid(), _born(os.getpid()), time.time() + EXPIRY_SECONDS)
        connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", values)
        return True

    def _strike(self, connection: sqlite3.Connection, keys: Sequence[str]) -> None:
        rows = [(key, self._owner) for key in keys]
        connection.executemany("DELETE FROM claims WHERE key = ? AND owner = ?", rows)

    def _keep_renewing(self) -> None:
        with self._lock:
            if self._renewer is None and not self._stop.is_set():
                self._renewer = threading.Thread(target=self._renew, name="claims", daemon=True)
                self._renewer.start()

    def _renew(self) -> None:
        while not self._stop.wait(_RENEW_SECONDS):
            with self._lock:
                held = list(self._held)
                if not held:
                    self._renewer = None
                    return
            until = time.time() + EXPIRY_SECONDS
            rows = [(until, key, self._owner) for key in held]
            # Where it fails now it may do so no more at the next turn, which comes before the claim expires.
            with suppress(InfrastructureError):
                self._file.write(partial(_prolong, rows))


def _prolong(rows: Sequence[tuple[float, str, str]], connection: sqlite3.Connection) -> None:
    connection.executemany("UPDATE claims SET expires = ? WHERE key = ? AND owner = ?", rows)


def _is_alive(host: object, pid: object, born: object, expires: object) -> bool:
    """Whether whoever made a claim still holds it; a damaged claim is held by nobody."""
    if not isinstance(expires, int | float) or not time.time() < expires <= time.time() + 10 * EXPIRY_SECONDS:
        return False
    return host != _HOST or not isinstance(pid, int) or _born(pid) == born


def _born(pid: int) -> str:
    """What tells a process from a later one of the same number; empty where there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        # The second field is the program's name in brackets and may hold anything; the third is the state, where
        # a process that is dead and not yet buried says so, and the 22nd the time at which it began.
        values = stat.rpartition(")")[2].split()
        return "" if values[0] in "ZX" else values[19]
    except (OSError, IndexError):
        pass
    if os.name != "posix":
        return "alive"  # os.kill would not ask there, but kill
    try:
        os.kill(pid, 0)
    except PermissionError:
        return "alive"
    except (OSError, OverflowError):
        return ""
    return "alive"


def _host() -> str:
    """This host since it was started, and the name space of its process numbers: containers have their own."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


_HOST = _host()
