"""Stopping an experiment early: the request to stop, the models that obey it, and the budget that the runs share."""

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
    """No model may be asked any more. It is no `Pddl2nlError`, as it is no verdict on the run: episodes let it pass."""


class Stop:
    """Whether the experiment is to stop, and why; the first reason stands.

    Attributes:
        reason: why no further run begins; None if runs may begin.
        now: whether running runs must stop as well, before their next call.
        refused: whether an endpoint or a cluster is gone for good.
        interrupted: whether the user asked to stop.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.now = False
        self.refused = False
        self.interrupted = False
        # A signal handler may call `wish` in a thread that is within it.
        self._lock = threading.RLock()

    def wish(self, reason: str, *, now: bool = True, refused: bool = False, interrupted: bool = False) -> None:
        """Stops the experiment: no further run begins, and with ``now`` no model is asked."""
        with self._lock:
            self.interrupted = self.interrupted or interrupted
            self.now = self.now or now
            if self.reason is None:
                self.reason, self.refused = reason, refused

    def check(self) -> None:
        """Raises `StoppedError` if no model may be asked."""
        if self.now:
            raise StoppedError(self.reason)


@contextmanager
def interrupts_heard(heard: Callable[[], None]) -> Iterator[None]:
    """Within the context, Ctrl-C calls ``heard`` instead of interrupting, so that no result is lost.

    The third Ctrl-C interrupts as usual. Nothing changes if other code handles the signal (a notebook, ``nohup``), or
    outside of the main thread.
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
    """A model that is not asked once the experiment stops, and that stops it when its endpoint refuses for good."""

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
            # A failure caused by the stop (a planner that was ended) is no result.
            if not self._stop.now:
                raise
        raise StoppedError


class Share(SharedBudget):
    """The shared budget as one run sees it: replies from the run's own record are booked there already.

    Args:
        budget: of all runs.
        in_passes: whether the run is repeated after each batch. Replies of a batch are booked when they arrive
            (`BatchPasses`), and all others once, in the pass that ends the run.
    """

    def __init__(self, budget: SharedBudget, *, in_passes: bool = False):
        super().__init__(budget.limits, budget.already)
        self._budget = budget
        self._in_passes = in_passes
        self._waiting: list[tuple[Completion, float | None]] = []

    @property
    def spent(self) -> Account:
        """The spending of all runs together."""
        return self._budget.spent

    def check(self, promised: Account | None = None) -> None:
        """As `SharedBudget.check`, for the shared budget."""
        self._budget.check(promised)

    def book(self, completion: Completion, usd: float | None) -> None:
        """Books a reply that is new."""
        if isinstance(completion, RecordedCompletion):
            return
        if not self._in_passes:
            self._budget.book(completion, usd)
        elif completion.from_cache or completion.tariff != "batch":
            self._waiting.append((completion, usd))

    def forget(self) -> None:
        """Drops what waits for the end of the run, which will be repeated."""
        self._waiting.clear()

    def settle(self) -> None:
        """Books what has waited for the end of the run."""
        for completion, usd in self._waiting:
            self._budget.book(completion, usd)
        self._waiting.clear()
