"""Asking models on behalf of one run: the accounts, the limits and the events are kept here and nowhere else.

A run asks in up to four roles (`pddl2nl.llm.Purpose`). Wording and thoughts are asked for before its first event can
be written, since that holds what they gave; their events wait until then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, ContextWindowError, Message, Model, Purpose, Request, holds
from pddl2nl.policies import events
from pddl2nl.policies.budget import Accounts, Asked, BudgetSpentError, Limits, Purse
from pddl2nl.policies.event_making import prompted_event, replied_event

__all__ = ["Asking", "LimitReachedError"]


class LimitReachedError(Exception):
    """A limit of the run forbids another call; the message says which."""


class Asking:
    """The models of a run, and everything that is kept about its calls.

    Args:
        models: what is asked in which role; a role without a model of its own asks the planner's.
        limits: of this run.
        purse: the budget that it shares with other runs, if any.
        emit: is given every event; events before `attach` wait for it where this is None.
    """

    def __init__(
        self,
        models: Mapping[Purpose, Asked],
        limits: Limits | None = None,
        purse: Purse | None = None,
        emit: Callable[[events.Event], None] | None = None,
    ):
        self.accounts = Accounts()
        self._models = models
        self._limits = limits or Limits()
        self._purse = purse
        self._waiting: list[events.Event] = []
        self._emit = emit or self._waiting.append
        self._last_messages: dict[Purpose, tuple[Message, ...]] = {}

    def attach(self, emit: Callable[[events.Event], None]) -> None:
        """From now on events go there, those that waited first."""
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            emit(event)
        self._emit = emit

    def complete(self, request: Request) -> Completion:
        """The reply of the model that is asked in the request's role.

        Raises:
            LimitReachedError: a limit of this run is reached.
            BudgetSpentError: the shared budget is spent.
            InfrastructureError: no reply could be had.
        """
        asked = self._models.get(request.purpose, self._models.get("planner"))
        if asked is None:
            raise InfrastructureError("this run has no model to ask")
        self._check(asked.model, request)
        call = self.accounts.calls + 1
        self._emit(prompted_event(call, request, self._last_messages.get(request.purpose, ())))
        try:
            completion = asked.model.complete(request)
        except InfrastructureError as error:
            self._emit(events.Failed(call, str(error), isinstance(error, ContextWindowError)))
            raise
        usd = self.accounts.book(request.purpose, completion, asked.price_of(completion))
        if self._purse is not None:
            self._purse.book(completion, usd)
        self._emit(replied_event(call, completion, usd))
        self._last_messages[request.purpose] = request.messages
        return completion

    def _check(self, model: Model, request: Request) -> None:
        """Raises where a limit forbids the call; a reply that is there already costs nothing, and none forbids it."""
        exhausted = self.accounts.exhausted(self._limits)
        if exhausted and not holds(model, request):
            raise LimitReachedError(exhausted)
        try:
            if self._purse is not None:
                self._purse.check()
        except BudgetSpentError:
            if not holds(model, request):
                raise

    def model(self, purpose: Purpose) -> Model:
        """What is asked in one role, as a model like any other, whose calls are on this run's account."""
        asked = self._models.get(purpose, self._models.get("planner"))
        if asked is None:
            raise InfrastructureError("this run has no model to ask")
        return _Accounted(self, asked.model.name, purpose)


class _Accounted:
    def __init__(self, asking: Asking, name: str, purpose: Purpose):
        self._asking = asking
        self._name = name
        self._purpose = purpose

    @property
    def name(self) -> str:
        """The name of the model itself."""
        return self._name

    def complete(self, request: Request) -> Completion:
        """As `Asking.complete`, in this role."""
        return self._asking.complete(replace(request, purpose=self._purpose))
