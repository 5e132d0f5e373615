"""How an experiment stops before its end: the wish, the models that heed it, and the budget that the runs share."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, EndpointRefusedError, Model, Request, Wrapped
from pddl2nl.llm.replay import RecordedCompletion
from pddl2nl.policies.budget import Account, SharedBudget

__all__ = ["Share", "Stop", "StoppedError", "Watched", "interrupts_heard"]


class StoppedError(Exception):
    """Nothing more is to be asked; no verdict on the run, so none of our errors, and it passes through an episode."""


class Stop:
    """Whether the experiment is to stop, and why; the first reason stands.

    Attributes:
        reason: why no further run begins; None where runs do.
        now: whether those that go on are to stop as well, before their next call.
        refused: whether an endpoint or a cluster is gone for good.
        interrupted: whether somebody wished to stop.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.now = False
        self.refused = False
        self.interrupted = False
        # A signal's handler may wish as well, in the very thread that is wishing.
        self._lock = threading.RLock()

    def wish(self, reason: str, *, now: bool = True, refused: bool = False, interrupted: bool = False) -> None:
        """From here on no run begins, and with ``now`` nothing is asked."""
        with self._lock:
            self.interrupted = self.interrupted or interrupted
            self.now = self.now or now
            if self.reason is None:
                self.reason, self.refused = reason, refused

    def check(self) -> None:
        """Raises `StoppedError` where nothing is to be asked."""
        if self.now:
            raise StoppedError(self.reason)


@contextmanager
def interrupts_heard(heard: Callable[[], None]) -> Iterator[None]:
    """While the context lasts, Ctrl-C calls ``heard`` and interrupts nothing, so that no result is lost half way.

    The third one interrupts as ever, whatever it meets. Where somebody else listens (a notebook, ``nohup``), or
    outside of the main thread, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread() or (
        signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    count = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count > _HEARD:
            raise KeyboardInterrupt
        heard()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_HEARD = 2


class Watched(Wrapped):
    """A model that is asked no more once the experiment is to stop, and that has it stop when it refuses for good."""

    def __init__(self, model: Model, stop: Stop):
        super().__init__(model)
        self._stop = stop

    def complete(self, request: Request) -> Completion:
        """The model's reply."""
        self._stop.check()
        try:
            return self._model.complete(request)
        except EndpointRefusedError as error:
            self._stop.wish(str(error), refused=True)
        except InfrastructureError:
            # What fails because of the stop (a planner that was ended) is no result.
            if not self._stop.now:
                raise
        raise StoppedError


class Share(SharedBudget):
    """The shared budget as one run sees it: replies that it had already are booked there.

    Args:
        budget: of all runs.
        in_passes: whether the run is tried again whenever a batch has brought something. What a batch brought is
            booked when it arrives (`BatchPasses`), and the rest once, in the pass in which the run comes to its end.
    """

    def __init__(self, budget: SharedBudget, *, in_passes: bool = False):
        super().__init__(budget.limits, budget.already)
        self._budget = budget
        self._in_passes = in_passes
        self._waiting: list[tuple[Completion, float | None]] = []

    @property
    def spent(self) -> Account:
        """What all runs together have spent."""
        return self._budget.spent

    def check(self, promised: Account | None = None) -> None:
        """As `SharedBudget.check`, of the shared budget."""
        self._budget.check(promised)

    def book(self, completion: Completion, usd: float | None) -> None:
        """Books what is new."""
        if isinstance(completion, RecordedCompletion):
            return
        if not self._in_passes:
            self._budget.book(completion, usd)
        elif completion.from_cache or completion.tariff != "batch":
            self._waiting.append((completion, usd))

    def forget(self) -> None:
        """The run will be tried again, and what it had so far will be booked then."""
        self._waiting.clear()

    def settle(self) -> None:
        """Books what has waited for the end of the run."""
        for completion, usd in self._waiting:
            self._budget.book(completion, usd)
        self._waiting.clear()
