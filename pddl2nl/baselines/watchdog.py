"""Kills process groups when this process dies, however it dies.

One small Python process reads the groups to watch from a pipe. The kernel closes the pipe when this process ends, also
on ``kill -9``; the watchdog then kills the groups that are left. Linux's parent-death signal would reach the direct
child only, and is sent when the *thread* that started it ends; a pipe covers grandchildren and works on every Unix.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SCRIPT = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""
_LOCK = threading.Lock()
_groups: set[int] = set()
_watchdog: subprocess.Popen[bytes] | None = None
_owner = 0


def begin_watching() -> None:
    """Starts the watchdog if none runs.

    Called before the group's leader is started: then a kill between the leader's start and its watch is all but
    impossible, which with a watchdog that must start first it is not.

    Raises:
        OSError: it cannot be started.
    """
    with _LOCK:
        if _watchdog is None or _owner != os.getpid():
            _start()


@contextmanager
def watched_group(group: int) -> Iterator[None]:
    """Watches a process group for as long as the block runs.

    Args:
        group: its id, which is the process id of its leader.

    Raises:
        OSError: the watchdog cannot be started.
    """
    with _LOCK:
        _groups.add(group)
        _send(f"+{group}\n")
    try:
        yield
    finally:
        with _LOCK:
            _groups.discard(group)
            _send(f"-{group}\n")


def _send(line: str) -> None:
    pipe = None if _watchdog is None or _owner != os.getpid() else _watchdog.stdin
    try:
        if pipe is not None:
            pipe.write(line.encode())
            return
    except BrokenPipeError:
        # It was killed: start another.
        pass
    _start()


def _start() -> None:
    global _watchdog, _owner
    _watchdog = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Ctrl-C and `timeout` signal our group, and must not reach the watchdog.
        start_new_session=True,
        bufsize=0,
    )
    _owner = os.getpid()
    atexit.register(_stop, _watchdog, _owner)
    assert _watchdog.stdin is not None
    for group in _groups:
        _watchdog.stdin.write(f"+{group}\n".encode())


def _stop(watchdog: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner and watchdog.stdin is not None:
        watchdog.stdin.close()
        watchdog.wait()
