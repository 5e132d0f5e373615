"""What plays the runs of an experiment: threads of this process, or workers elsewhere (`cluster_runs`)."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol

from pddl2nl.experiments.jobs import Job
from pddl2nl.experiments.run_one import Left, Result

__all__ = ["Executor", "Threads"]


class Executor(Protocol):
    """Plays runs, several at once; all its methods are called by one thread, but for `wake`.

    Attributes:
        going: how many runs were submitted whose results were not received yet.
        playing: how many of them have begun, as far as that is known.
        room: how many more may be submitted now.
        patience: seconds for which a run is tried again that another process seems to be at.
        note: what a person should know of it just now (``no worker yet``), empty for nothing.
    """

    @property
    def going(self) -> int: ...

    @property
    def playing(self) -> int: ...

    @property
    def room(self) -> int: ...

    @property
    def patience(self) -> float: ...

    @property
    def note(self) -> str: ...

    def submit(self, job: Job) -> None:
        """Submits a run."""

    def receive(self, seconds: float) -> tuple[Job, Result] | None:
        """The next result; None if none came within so many seconds, or after `wake`.

        Raises:
            InfrastructureError: no further results will come.
        """

    def wake(self) -> None:
        """Ends the wait of `receive`; may be called by a signal's handler."""

    def wind_down(self) -> None:
        """Starts no further run; running ones finish."""

    def abandon(self, grace: float) -> None:
        """Gives up on running runs after so many seconds of grace."""

    def close(self) -> None:
        """Releases its resources; all runs have ended or were abandoned."""


class Threads:
    """Threads of this process. They wait for models, and for the planners, which are processes of their own.

    Args:
        play: plays a run and raises nothing; after a stop it returns each run unfinished.
        size: runs at a time.
    """

    patience = 0.0
    note = ""

    def __init__(self, play: Callable[[Job], Result], size: int):
        self._play = play
        self._size = size
        self._going = 0
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[Job, Result] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    @property
    def going(self) -> int:
        """The number of running runs."""
        return self._going

    @property
    def playing(self) -> int:
        """The same: each has a thread."""
        return self._going

    @property
    def room(self) -> int:
        """The number of idle threads."""
        return self._size - self._going

    def submit(self, job: Job) -> None:
        """Has a thread play a run."""
        if len(self._threads) < min(self._going + 1, self._size):
            # Daemons: what hangs in a call must not keep the process from its end.
            thread = threading.Thread(target=self._work, name=f"run-{len(self._threads)}", daemon=True)
            thread.start()
            self._threads.append(thread)
        self._going += 1
        self._jobs.put(job)

    def receive(self, seconds: float) -> tuple[Job, Result] | None:
        """A result, or None."""
        try:
            received = self._results.get(timeout=seconds)
        except queue.Empty:
            return None
        self._going -= received is not None
        return received

    def wake(self) -> None:
        """Ends a wait."""
        self._results.put(None)

    def wind_down(self) -> None:
        """Nothing waits here: who has been submitted has begun, or finds that it is not to."""

    def abandon(self, grace: float) -> None:
        """Waits for the threads for a moment; those that hang die with the process."""
        self.close()
        end = time.monotonic() + grace
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """Ends the threads."""
        for _ in self._threads:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                result = self._play(job)
            except BaseException as error:  # noqa: BLE001 — a caller that waits for a result must get one
                result = Left("broken", f"{type(error).__name__}: {error}")
            self._results.put((job, result))
