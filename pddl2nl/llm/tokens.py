"""How many tokens a text has, by an estimate from its characters.

A model's ratio is calibrated by the prompts whose tokens its endpoint has counted in this process.
"""

from __future__ import annotations

import math
from collections import defaultdict

CHARACTERS_A_TOKEN = 3.3
"""Of English prompts about planning tasks; they hold many short names and numbers."""
_PRIOR_TOKENS = 1000.0
"""The weight of `CHARACTERS_A_TOKEN` beside what was counted."""
_RATIOS: defaultdict[str, tuple[float, float]] = defaultdict(
    lambda: (CHARACTERS_A_TOKEN * _PRIOR_TOKENS, _PRIOR_TOKENS)
)
"""Characters and tokens by model."""


def estimate_tokens(characters: float, model: str = "") -> int:
    """The tokens of a text of so many characters, rounded up; with a model by what its endpoint has counted so far."""
    counted, tokens = _RATIOS[model]
    return math.ceil(characters * tokens / counted)


def note_tokens(model: str, characters: float, tokens: int) -> None:
    """Notes that a model's endpoint counted so many tokens in a prompt; zero means that it did not count."""
    if characters > 0 and tokens > 0:
        counted, before = _RATIOS[model]
        _RATIOS[model] = (counted + characters, before + tokens)
