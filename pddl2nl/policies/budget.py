"""What a run may spend, what it has spent, and what it has used, for each role in which a model is asked.

*Used* is what a run's replies took when they were paid, whoever paid them: it is the same whether they came from the
endpoint or from our cache. *Spent* is what was paid now: a reply from the cache costs nothing, counts as no call, and
is counted apart as a hit. Limits are about what is spent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pddl2nl.llm import FREE, Completion, Model, Price, Purpose

__all__ = ["Account", "Accounts", "Asked", "BudgetSpentError", "Limits", "PriceOf", "Purse", "free", "total"]

PriceOf = Callable[[Completion], Price | None]
"""What a call costs by its reply; None where that is not known."""


class BudgetSpentError(Exception):
    """The budget that several runs share is spent: no verdict on any of them, so it passes through an episode."""


def free(completion: Completion) -> Price | None:
    """The price of a model that costs nothing."""
    return FREE


@dataclass(frozen=True)
class Asked:
    """A model that is asked, and what its calls cost."""

    model: Model
    price_of: PriceOf = free


@dataclass(frozen=True)
class Limits:
    """The limits of one run; None is no limit.

    ``steps`` bounds the turns of interactive policies and the moves of the random walk (a one-shot mechanism
    has one turn, whatever the length of its plan). The others are looked at before each call of a model:
    a reply that was paid for is always used.
    """

    steps: int | None = None
    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None

    def to_json(self) -> dict[str, int | float | None]:
        """The limits as a record holds them."""
        return asdict(self)


@dataclass
class Account:
    """Calls, tokens and money of one role; ``usd`` is None from the first call on whose price is unknown.

    ``cache_hits`` are replies that our cache had; they are among the calls of what is used, and not of what is spent.
    ``seconds`` is how long was waited for replies.
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
        """Books a call at what it cost."""
        usage = completion.usage
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.usd = None if usd is None or self.usd is None else self.usd + usd
        self.seconds += completion.seconds


def total(accounts: Iterable[Account | Mapping[str, Any]]) -> Account:
    """Several accounts, or what a record holds of them, as one."""
    whole = Account()
    for account in accounts:
        one = account if isinstance(account, Account) else Account(**account)
        for item in fields(Account):
            if item.name != "usd":
                setattr(whole, item.name, getattr(whole, item.name) + getattr(one, item.name))
        whole.usd = None if whole.usd is None or one.usd is None else whole.usd + one.usd
    return whole


@dataclass
class Accounts:
    """The accounts of one run, by role."""

    used: dict[Purpose, Account] = field(default_factory=dict)
    spent: dict[Purpose, Account] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Wall time since the run began."""
        return time.monotonic() - self._began

    @property
    def calls(self) -> int:
        """How many replies were used so far."""
        return sum(account.calls for account in self.used.values())

    def book(self, purpose: Purpose, completion: Completion, price: Price | None) -> float | None:
        """Books a call at the price of its model, and gives what it cost in USD when it was paid."""
        usd = None if price is None else price.usd(completion.usage, completion.tariff)
        self.used.setdefault(purpose, Account()).book(completion, usd)
        spent = self.spent.setdefault(purpose, Account())
        if completion.from_cache:
            spent.cache_hits += 1
        else:
            spent.book(completion, usd)
        return usd

    def used_json(self) -> dict[str, dict[str, int | float | None]]:
        """What was used, by role; without times and hits, which differ between two runs of one specification."""
        return {
            purpose: {key: value for key, value in asdict(account).items() if key not in ("seconds", "cache_hits")}
            for purpose, account in sorted(self.used.items())
        }

    def spent_json(self) -> dict[str, dict[str, int | float | None]]:
        """What was spent, by role."""
        return {purpose: asdict(account) for purpose, account in sorted(self.spent.items())}

    def exhausted(self, limits: Limits) -> str | None:
        """The limit that forbids another call, in words; None where none does."""
        return _exhausted(total(self.spent.values()), limits, self.seconds)


def _exhausted(spent: Account, limits: Limits, seconds: float) -> str | None:
    amounts = {
        "calls": spent.calls,
        "tokens": spent.prompt_tokens + spent.completion_tokens,
        "usd": spent.usd,
        "seconds": seconds,
    }
    for name, amount in amounts.items():
        limit = getattr(limits, name)
        if limit is not None and amount is not None and amount >= limit:
            return f"the limit of {limit:g} {name} is reached"
    return None


class Purse:
    """A budget that the runs of an experiment share; safe for threads.

    With several runs at a time those calls that are on their way when a limit is reached are still paid, and used.

    Args:
        limits: of all runs together.
        already: what was spent before this time, which counts in the limits and not in `spent`.
    """

    def __init__(self, limits: Limits, already: Account | None = None):
        self.limits = limits
        self.already = already or Account()
        self._spent = Account()
        self._hits = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> Account:
        """What all runs together have spent so far this time."""
        with self._lock:
            return total([self._spent, Account(cache_hits=self._hits)])

    def check(self, promised: Account | None = None) -> None:
        """Raises `BudgetSpentError` where nothing more is to be asked, if what is ``promised`` is spent as well."""
        with self._lock:
            reason = _exhausted(total([self.already, self._spent, promised or Account()]), self.limits, 0.0)
        if reason is not None:
            raise BudgetSpentError(reason)

    def book(self, completion: Completion, usd: float | None) -> None:
        """Books a reply; one from the cache is free."""
        with self._lock:
            if completion.from_cache:
                self._hits += 1
            else:
                self._spent.book(completion, usd)

    def add(self, account: Account) -> None:
        """Books what was spent elsewhere, with the hits of its cache."""
        with self._lock:
            self._hits += account.cache_hits
            self._spent = total([self._spent, replace(account, cache_hits=0)])
