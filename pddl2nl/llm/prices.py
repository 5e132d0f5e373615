"""What tokens cost: USD per million tokens. The figures stand in ``models.toml``, as OpenAI listed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pddl2nl.llm.types import Tariff, Usage

__all__ = ["FREE", "PRICES", "Price", "price_of"]

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """USD per million tokens: of the prompt, of the part of it that the provider had cached, of the reply.

    ``batch`` is the part of these prices that a call through the provider's batch endpoint costs.
    """

    prompt: float
    cached: float
    completion: float
    batch: float = 0.5

    def usd(self, usage: Usage, tariff: Tariff = "standard") -> float:
        """What a call cost; reasoning tokens are among the completion tokens, cached ones among the prompt's."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        total = fresh * self.prompt + usage.cached_tokens * self.cached + usage.completion_tokens * self.completion
        return total / _MILLION * (self.batch if tariff == "batch" else 1.0)

    def in_batch(self) -> Price:
        """What the same tokens cost through the batch endpoint."""
        return Price(self.prompt * self.batch, self.cached * self.batch, self.completion * self.batch, 1.0)


FREE = Price(0.0, 0.0, 0.0)


class _ShippedPrices(Mapping[str, Price]):
    """The prices of the shipped models; the file is read when the first one is asked for, not at every start."""

    def _prices(self) -> dict[str, Price]:
        from pddl2nl.llm.settings import shipped_catalogue

        catalogue = shipped_catalogue()
        priced = {name: catalogue.of(name).price for name in catalogue.names()}
        return {name: price for name, price in priced.items() if price is not None}

    def __getitem__(self, name: str) -> Price:
        return self._prices()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prices())

    def __len__(self) -> int:
        return len(self._prices())


PRICES: Mapping[str, Price] = _ShippedPrices()
"""By model name; a dated snapshot that is not listed itself costs what its family costs."""


def price_of(model: str) -> Price | None:
    """The listed price of a model, None where it is not known; an unknown price is never taken for zero."""
    from pddl2nl.llm.settings import shipped_catalogue

    return shipped_catalogue().of(model).price
