"""How many tokens a text has, estimated from its characters until an endpoint has counted.

The ratio of a model is calibrated by the prompts whose tokens its endpoint has counted: those of this process, and for
the estimate of a dry run those in the cache.
"""

from __future__ import annotations

import math
import threading

CHARACTERS_A_TOKEN = 3.3
"""Of English prompts about planning tasks; they hold many short names and numbers."""
_PRIOR_TOKENS = 1000.0
"""The weight of `CHARACTERS_A_TOKEN` beside what was counted."""
_COUNTED: dict[str, tuple[float, float]] = {}
"""Characters and tokens by model."""
_LOCK = threading.Lock()


def estimate_tokens(characters: float, model: str | None = None) -> int:
    """The tokens of a text of so many characters, rounded up; with a model by what its endpoint has counted so far."""
    counted, tokens = _COUNTED.get(model or "", (0.0, 0.0))
    ratio = (counted + CHARACTERS_A_TOKEN * _PRIOR_TOKENS) / (tokens + _PRIOR_TOKENS)
    return math.ceil(characters / ratio)


def note_tokens(model: str, characters: float, tokens: int) -> None:
    """Notes that a model's endpoint counted so many tokens in a prompt; zero means that it did not count."""
    if characters > 0 and tokens > 0:
        with _LOCK:
            before = _COUNTED.get(model, (0.0, 0.0))
            _COUNTED[model] = (before[0] + characters, before[1] + tokens)
