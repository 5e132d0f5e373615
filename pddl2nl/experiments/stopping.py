"""How an experiment stops before its end: the wish, the models that heed it, and the budget that the runs share."""

from __future__ import annotations

import threading

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, EndpointRefusedError, Model, Request, holds
from pddl2nl.llm.replay import RecordedCompletion
from pddl2nl.policies.budget import Account, Purse

__all__ = ["Share", "Stop", "StoppedError", "Watched"]


class StoppedError(Exception):
    """Nothing more is to be asked; no verdict on the run, so none of our errors, and it passes through an episode."""


class Stop:
    """Whether the experiment is to stop, and why; the first reason stands."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.refused = False
        self.interrupted = False
        self._lock = threading.Lock()

    def wish(self, reason: str, *, refused: bool = False, interrupted: bool = False) -> None:
        """From now on nothing is asked."""
        with self._lock:
            self.interrupted = self.interrupted or interrupted
            if self.reason is None:
                self.reason, self.refused = reason, refused

    def check(self) -> None:
        """Raises `StoppedError` where nothing is to be asked."""
        if self.reason is not None:
            raise StoppedError(self.reason)


class Watched:
    """A model that is asked no more once the experiment is to stop, and that has it stop when it refuses for good."""

    def __init__(self, model: Model, stop: Stop):
        self._model = model
        self._stop = stop

    @property
    def name(self) -> str:
        """The name of the model itself."""
        return self._model.name

    def holds(self, request: Request) -> bool:
        """Whether the reply is there already."""
        return holds(self._model, request)

    def complete(self, request: Request) -> Completion:
        """The model's reply."""
        self._stop.check()
        try:
            return self._model.complete(request)
        except EndpointRefusedError as error:
            self._stop.wish(str(error), refused=True)
        except InfrastructureError:
            # What fails because of the stop (a planner that was ended) is no result.
            if self._stop.reason is None:
                raise
        raise StoppedError


class Share(Purse):
    """The shared purse as one run sees it: replies that it had already are booked there."""

    def __init__(self, purse: Purse):
        super().__init__(purse.limits, purse.already)
        self._purse = purse

    @property
    def spent(self) -> Account:
        """What all runs together have spent."""
        return self._purse.spent

    def check(self) -> None:
        """As `Purse.check`, of the shared purse."""
        self._purse.check()

    def book(self, completion: Completion, usd: float | None) -> None:
        """Books what is new."""
        if not isinstance(completion, RecordedCompletion):
            self._purse.book(completion, usd)
