"""How many tokens a text has, estimated from its characters where no endpoint has counted them."""

from __future__ import annotations

import math

CHARACTERS_A_TOKEN = 3.3
"""Of English prompts about planning tasks; they hold many short names and numbers."""


def estimate_tokens(characters: float) -> int:
    """The tokens of a text of so many characters, rounded up."""
    return math.ceil(characters / CHARACTERS_A_TOKEN)
