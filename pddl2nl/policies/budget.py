"""The model calls of a run: its models, its accounts, its limits, and the budget that several runs share.

*Used* is what the replies of a run cost when they were paid, by anyone: it is the same whether they came from the
endpoint or from our cache. *Spent* is what was paid in this run: a reply from the cache costs nothing, is no call, and
is counted separately as a hit. Limits apply to what is spent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import (
    FREE,
    Completion,
    ContextWindowError,
    Model,
    Price,
    Purpose,
    Request,
    holds,
    request_key,
)
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.types import NO_SYSTEM_ROLE
from pddl2nl.policies.events import Failed, Prompted, Replied, RunEvent

PriceOf = Callable[[Completion], Price | None]
"""The price of a call, given its reply; None where it is unknown."""


class LimitReachedError(Exception):
    """A limit of the run forbids another call; the message says which."""


class BudgetSpentError(Exception):
    """The budget shared by several runs is spent. It is no verdict on any of them, so it passes through an episode."""


def free(completion: Completion) -> Price | None:
    """The price of a model that costs nothing."""
    return FREE


@dataclass(frozen=True)
class PricedModel:
    """A model and the price of its calls."""

    model: Model
    price_of: PriceOf = free


@dataclass(frozen=True)
class Limits:
    """The limits of one run; None is no limit.

    Attributes:
        steps: turns of an interactive policy, moves of the random walk.
        calls, tokens, usd, seconds: checked before each call of a model; a reply that was paid for is always used.
        failures: successive turns of an interactive policy without an executed action; claims to be finished aside.
        false_claims: successive claims to be finished while the goal does not hold.
    """

    steps: int | None = None
    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    failures: int | None = None
    false_claims: int | None = 2


@dataclass
class Account:
    """Calls, tokens and US dollars of one role; ``usd`` is None after a call of unknown price.

    ``cache_hits`` are replies from our cache; they are calls of what is used, but not of what is spent. ``seconds`` is
    the time spent waiting for replies.
    """

    calls: int = 0
    cache_hits: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def book(self, completion: Completion, usd: float | None) -> None:
        """Adds a call at its cost, or a hit where the reply came from the cache."""
        if completion.from_cache:
            self.cache_hits += 1
        else:
            self.pay(completion, usd)

    def pay(self, completion: Completion, usd: float | None) -> None:
        """Adds a call at its cost."""
        usage = completion.usage
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.usd = None if self.usd is None or usd is None else self.usd + usd
        self.seconds += completion.seconds


def total(accounts: Iterable[Account | Mapping[str, Any]]) -> Account:
    """The sum of several accounts, also in the form in which a record holds them."""
    rows = [vars(account) if isinstance(account, Account) else account for account in accounts]
    sums: dict[str, Any] = {}
    for name, zero in vars(Account()).items():
        column = [row.get(name, zero) for row in rows]
        sums[name] = None if None in column else sum(column, zero)
    return Account(**sums)


def _exhausted(spent: Account, limits: Limits, seconds: float) -> str | None:
    """The limit that forbids another call, in words; None where none does."""
    tokens = spent.prompt_tokens + spent.completion_tokens
    for name, amount in (("calls", spent.calls), ("tokens", tokens), ("usd", spent.usd), ("seconds", seconds)):
        limit = getattr(limits, name)
        if limit is not None and amount is not None and amount >= limit:
            return f"the limit of {limit:g} {name} is reached"
    return None


class SharedBudget:
    """A budget that the runs of an experiment share; safe for threads.

    Calls that are on their way when a limit is reached are still paid, and used. What was spent in earlier sessions
    (``already``) counts towards the limits and not in `spent`.
    """

    def __init__(self, limits: Limits, already: Account | None = None):
        self.limits = limits
        self.already = already or Account()
        self._spent = Account()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Account:
        with self._lock:
            return replace(self._spent)

    def check(self, promised: Account | None = None) -> None:
        """Raises `BudgetSpentError` where a limit is reached once ``promised`` is spent as well."""
        with self._lock:
            reason = _exhausted(total([self.already, self._spent, promised or Account()]), self.limits, 0.0)
        if reason is not None:
            raise BudgetSpentError(reason)

    def book(self, completion: Completion, usd: float | None) -> None:
        with self._lock:
            self._spent.book(completion, usd)

    def add(self, account: Account) -> None:
        """Adds what was spent elsewhere, with the hits of its cache."""
        with self._lock:
            self._spent = total([self._spent, account])


class ModelCalls:
    """Calls the models of one run: checks the limits, keeps the accounts, writes the events.

    A run calls models in several roles (`pddl2nl.llm.Purpose`); a role without a model asks the planner's. Wording and
    thoughts are asked for before the first event can be written, which holds their results: events wait until `attach`.

    Attributes:
        used, spent: the accounts, by role.
    """

    def __init__(
        self, models: Mapping[Purpose, PricedModel], limits: Limits | None = None, budget: SharedBudget | None = None
    ):
        self.used: dict[Purpose, Account] = {}
        self.spent: dict[Purpose, Account] = {}
        self._began = time.monotonic()
        self._earlier = 0.0
        self._models = models
        self._limits = limits or Limits()
        self._limited = replace(self._limits, steps=None, failures=None) != Limits()
        self._budget = budget
        self._waiting: list[RunEvent] = []
        self._emit: Callable[[RunEvent], None] = self._waiting.append
        self._last_requests: dict[Purpose, Request] = {}
        self._without_system: set[str] = set()

    @property
    def seconds(self) -> float:
        """Wall time of the run, with the waiting for replies in earlier processes from which it was resumed."""
        return time.monotonic() - self._began + self._earlier

    def used_json(self) -> dict[str, dict[str, int | float | None]]:
        """What was used, by role; without times and hits, which differ between two runs of one specification."""
        return {
            purpose: {key: value for key, value in asdict(account).items() if key not in ("seconds", "cache_hits")}
            for purpose, account in sorted(self.used.items())
        }

    def spent_json(self) -> dict[str, dict[str, int | float | None]]:
        return {purpose: asdict(account) for purpose, account in sorted(self.spent.items())}

    def attach(self, emit: Callable[[RunEvent], None]) -> None:
        """Sends the events that wait, and all later ones, to ``emit``."""
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            emit(event)
        self._emit = emit

    def complete(self, request: Request) -> Completion:
        """The reply of the model of the request's role.

        Raises:
            LimitReachedError: a limit of this run is reached.
            BudgetSpentError: the shared budget is spent.
            InfrastructureError: there is no reply.
        """
        asked = self._model_of(request.purpose)
        self._check(asked.model, request)
        call = sum(account.calls for account in self.used.values()) + 1
        self._emit(_prompted(call, request, self._last_requests.get(request.purpose, Request(()))))
        began = time.monotonic()
        try:
            # A model may be a plug-in's.
            answer: Any = asked.model.complete(request)
            if not (isinstance(answer, Completion) and isinstance(answer.text, str)):
                raise InputError(f"the model '{asked.model.name}' gave {answer!r}; expected a Completion of a text")
            completion = self._said_once(answer, asked.model.name)
            if completion.tool_calls and not request.tools and not completion.text.strip():
                completion = replace(completion, remark="the reply holds only tool calls")
        except InfrastructureError as error:
            self._emit(Failed(call, str(error), isinstance(error, ContextWindowError)))
            raise
        if not completion.from_cache:
            # A reply from the run's own record took longer when it was recorded.
            self._earlier += max(0.0, completion.seconds - (time.monotonic() - began))
        price = asked.price_of(completion)
        usd = None if price is None else price.usd(completion.usage, completion.tariff)
        self.used.setdefault(request.purpose, Account()).pay(completion, usd)
        self.spent.setdefault(request.purpose, Account()).book(completion, usd)
        if self._budget is not None:
            self._budget.book(completion, usd)
        self._emit(_replied(call, completion, usd))
        self._last_requests[request.purpose] = request
        return completion

    def _said_once(self, completion: Completion, model: str) -> Completion:
        """The reply without the remark that its model takes no system role, where this record has it already."""
        remarks = completion.remark.split("; ")
        if NO_SYSTEM_ROLE not in remarks:
            return completion
        if model not in self._without_system:
            self._without_system.add(model)
            return completion
        return replace(completion, remark="; ".join(remark for remark in remarks if remark != NO_SYSTEM_ROLE))

    def model(self, purpose: Purpose) -> Model:
        """The model of one role as a plain `Model`, whose calls are on this run's accounts."""
        return _AccountedModel(self, self._model_of(purpose).model.name, purpose)

    def _model_of(self, purpose: Purpose) -> PricedModel:
        asked = self._models.get(purpose, self._models.get("planner"))
        if asked is None:
            raise InfrastructureError("this run has no model to ask")
        return asked

    def _check(self, model: Model, request: Request) -> None:
        """Raises where a limit forbids the call; a reply that exists already costs nothing and is always allowed."""
        try:
            if self._limited and (exhausted := _exhausted(total(self.spent.values()), self._limits, self.seconds)):
                raise LimitReachedError(exhausted)
            if self._budget is not None:
                self._budget.check()
        except (LimitReachedError, BudgetSpentError):
            if not holds(model, request):
                raise


@dataclass(frozen=True)
class _AccountedModel:
    calls: ModelCalls
    name: str
    purpose: Purpose

    def complete(self, request: Request) -> Completion:
        return self.calls.complete(replace(request, purpose=self.purpose))


def _prompted(call: int, request: Request, before: Request) -> Prompted:
    """A request as an event, which holds the messages that are new since ``before``, and tools that are others."""
    messages = request.messages
    kept = len(before.messages)
    # Most prompts go on where the last one ended; tuples compare their items by identity first.
    if before.messages != messages[:kept]:
        same = [old == new for old, new in zip(before.messages, messages, strict=False)]
        kept = [*same, False].index(False)
    same_named = ("purpose", "temperature", "seed", "max_tokens", "stop", "sample", "until", "likelihood")
    return Prompted(
        call=call,
        kept=kept,
        messages=messages[kept:],
        request_sha256=request_key(request),
        tools=None if request.tools == before.tools else request.tools,
        tool_choice=request.tool_choice,
        constraint=request.constraint.key if isinstance(request.constraint, Constraint) else request.constraint,
        **{name: getattr(request, name) for name in same_named},
    )


_SAME_NAMED = tuple(item.name for item in fields(Completion) if item.name in Replied.__struct_fields__)


def _replied(call: int, completion: Completion, usd: float | None) -> Replied:
    same = {name: getattr(completion, name) for name in _SAME_NAMED}
    return Replied(**(same | vars(completion.usage) | {"call": call, "usd": usd}))
