"""What tokens cost: USD per million tokens, as OpenAI listed them (standard tier, no batch discount)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pddl2nl.llm.types import Usage

__all__ = ["FREE", "PRICES", "Price", "price_of"]

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """USD per million tokens: of the prompt, of the part of it that the provider had cached, of the reply."""

    prompt: float
    cached: float
    completion: float

    def usd(self, usage: Usage) -> float:
        """What a call cost; reasoning tokens are among the completion tokens, cached ones among the prompt's."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        total = fresh * self.prompt + usage.cached_tokens * self.cached + usage.completion_tokens * self.completion
        return total / _MILLION


FREE = Price(0.0, 0.0, 0.0)

PRICES: dict[str, Price] = {
    "gpt-3.5-turbo": Price(0.50, 0.50, 1.50),
    "gpt-4": Price(30.0, 30.0, 60.0),
    "gpt-4-turbo": Price(10.0, 10.0, 30.0),
    "gpt-4o": Price(2.50, 1.25, 10.0),
    "gpt-4o-2024-05-13": Price(5.0, 5.0, 15.0),
    "gpt-4o-2024-08-06": Price(2.50, 1.25, 10.0),
    "gpt-4o-2024-11-20": Price(2.50, 1.25, 10.0),
    "gpt-4o-mini": Price(0.15, 0.075, 0.60),
    "gpt-4.1": Price(2.0, 0.50, 8.0),
    "gpt-4.1-mini": Price(0.40, 0.10, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.025, 0.40),
    "gpt-5": Price(1.25, 0.125, 10.0),
    "gpt-5-mini": Price(0.25, 0.025, 2.0),
    "gpt-5-nano": Price(0.05, 0.005, 0.40),
    "o1": Price(15.0, 7.50, 60.0),
    "o3": Price(2.0, 0.50, 8.0),
    "o3-mini": Price(1.10, 0.55, 4.40),
    "o4-mini": Price(1.10, 0.275, 4.40),
}
"""By model name; a dated snapshot that is not listed itself costs what its family costs."""


def price_of(model: str) -> Price | None:
    """The price of a model, None where it is not known; an unknown price is never taken for zero."""
    return PRICES.get(model) or PRICES.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model))
