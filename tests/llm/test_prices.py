"""What tokens cost."""

from __future__ import annotations

import pytest

from pddl2nl.llm import FREE, Price, Usage, price_of
from pddl2nl.llm.settings import shipped_catalogue

CATALOGUE = shipped_catalogue()
PRICES = {name: price for name in CATALOGUE.names() if (price := CATALOGUE.of(name).price) is not None}


def test_a_call_is_priced_by_its_kinds_of_tokens() -> None:
    price = price_of("gpt-4o-2024-08-06")
    assert price is not None
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=100_000, cached_tokens=400_000, reasoning_tokens=50_000)
    assert price.usd(usage) == pytest.approx(0.6 * 2.50 + 0.4 * 1.25 + 0.1 * 10)
    assert FREE.usd(usage) == 0


def test_a_snapshot_costs_what_its_family_costs_unless_listed() -> None:
    assert price_of("gpt-4.1-2025-04-14") == PRICES["gpt-4.1"]
    assert price_of("gpt-4o-2024-05-13") != PRICES["gpt-4o"]


@pytest.mark.parametrize("name", ["my-llama", "gpt-4o-finetuned", "", "oracle"])
def test_an_unknown_price_is_not_zero(name: str) -> None:
    assert price_of(name) is None


def test_a_batch_costs_its_part_of_the_price() -> None:
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000, cached_tokens=500_000)
    price = PRICES["gpt-4o-mini"]
    assert price.usd(usage, "batch") == pytest.approx(price.usd(usage) / 2)
    assert Price(1, 1, 1, batch=0.25).usd(usage, tariff="batch") == pytest.approx(0.5)
    assert Price(1, 1, 1).usd(usage, "standard") == pytest.approx(2.0)


def test_the_shipped_prices_are_those_of_the_shipped_file() -> None:
    assert PRICES["gpt-4o-2024-08-06"] == Price(2.50, 1.25, 10.0)
    assert PRICES["o3-mini"] == Price(1.10, 0.55, 4.40)
    assert "my-llama" not in PRICES
    assert len(PRICES) == len(list(PRICES)) > 15
