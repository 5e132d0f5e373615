"""A time and a memory limit on a whole command: it goes on in a child process, and this one watches over it.

A separate process can always be stopped. A signal handler or a timer of Python would wait until a single long
multiplication or regular expression ends.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress

from pddl2nl.baselines.watchdog import watched_group
from pddl2nl.cli.output import INFRASTRUCTURE, print_error

_FORWARDED = {signal.SIGINT, signal.SIGTERM}


def continue_in_child(seconds: float | None, memory_mb: int | None) -> None:
    """Returns in a child process with these limits; this process waits for it and exits with its exit code.

    A command that reached a limit gave no verdict: it exits with 3, even if it printed something before.
    """
    sys.stdout.flush()
    # In the hooks that Python calls after a fork, an exception of a handler would be lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    child = os.fork()
    if child:
        sys.exit(_wait(child, seconds))
    # A group of its own: it is stopped with all processes that it started.
    os.setsid()
    if memory_mb is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)


def _wait(child: int, seconds: float | None) -> int:
    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    for number in _FORWARDED:
        # This process ends when the child has.
        signal.signal(number, lambda sent, frame: _send(child, sent))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    signal.signal(signal.SIGALRM, stop)
    try:
        with watched_group(child):
            signal.setitimer(signal.ITIMER_REAL, seconds or 0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeoutError:
        _send(child, signal.SIGKILL)
        print_error(f"no result within {seconds:g} s (--seconds)")
        return INFRASTRUCTURE
    if code >= 0:
        return code
    _send(child, signal.SIGKILL)
    print_error(f"no result: {signal.Signals(-code).name} ended the process")
    return INFRASTRUCTURE


def _send(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        try:
            os.killpg(child, number)
        except ProcessLookupError:
            # It does not lead its group yet.
            os.kill(child, number)
