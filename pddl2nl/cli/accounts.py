"""What was asked and what it cost, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pddl2nl.policies.budget import Account

__all__ = ["account_text"]


def account_text(account: Account) -> str:
    """``4 calls, 2 from the cache, 3618 + 80 tokens, 0.0098 USD``: prompt and completion; hits where there are any."""
    hits = f", {account.cache_hits} from the cache" if account.cache_hits else ""
    usd = "price unknown" if account.usd is None else f"{account.usd:.4f} USD"
    return f"{account.calls} calls{hits}, {account.prompt_tokens} + {account.completion_tokens} tokens, {usd}"
