"""What an episode may spend, and what it has spent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from pddl2nl.llm import FREE, Completion, Model, Price

__all__ = ["Accounts", "Asked", "Limits", "PriceOf", "free"]

PriceOf = Callable[[Completion], Price | None]
"""What a call costs by its reply; None where that is not known."""


def free(completion: Completion) -> Price | None:
    """The price of a model that costs nothing."""
    return FREE


@dataclass(frozen=True)
class Asked:
    """A model that an episode asks, and what its calls cost."""

    model: Model
    price_of: PriceOf = free


@dataclass(frozen=True)
class Limits:
    """The limits of one episode; None is no limit.

    ``steps`` bounds the turns of interactive policies and the moves of the random walk (a one-shot mechanism
    has one turn, whatever the length of its plan). The others are looked at before each call of the model:
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
class Accounts:
    """What was spent so far; ``usd`` is None from the first call on whose price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = 0.0
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Wall time since the episode began."""
        return time.monotonic() - self._began

    def book(self, completion: Completion, price: Price | None) -> float | None:
        """Books a call at the price of its model, and gives what it cost in USD."""
        usage = completion.usage
        self.calls += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        usd = None if price is None else price.usd(usage)
        self.usd = None if usd is None or self.usd is None else self.usd + usd
        return usd

    def exhausted(self, limits: Limits) -> str | None:
        """The limit that forbids another call, in words; None where none does."""
        spent = {
            "calls": self.calls,
            "tokens": self.prompt_tokens + self.completion_tokens,
            "usd": self.usd,
            "seconds": self.seconds,
        }
        for name, amount in spent.items():
            limit = getattr(limits, name)
            if limit is not None and amount is not None and amount >= limit:
                return f"the limit of {limit:g} {name} is reached"
        return None
