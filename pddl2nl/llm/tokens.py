"""How many tokens a text has.

For prompts of any model they are estimated from the characters until an endpoint has counted: a model's ratio is
calibrated by the prompts whose tokens its endpoint has counted in this process. Where no model is meant, as for the
size of a scene graph, they are those of GPT-4's tokenizer, `TOKENIZER`, which rs-bpe (extra ``tokens``) has without a
network; without it they are estimated.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

TOKENIZER = "cl100k_base"
"""The tokenizer of GPT-4 and GPT-3.5."""
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


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    return import_module("rs_bpe.bpe").openai.cl100k_base() if find_spec("rs_bpe") else None


def tokenizer_name() -> str:
    """The tokenizer of `count_tokens`; empty if it estimates."""
    return TOKENIZER if _tokenizer() is not None else ""


def count_tokens(text: str) -> int:
    """The tokens of a text by `TOKENIZER`; estimated without rs-bpe."""
    tokenizer = _tokenizer()
    return estimate_tokens(len(text)) if tokenizer is None else int(tokenizer.count(text))


def note_tokens(model: str, characters: float, tokens: int) -> None:
    """Notes that a model's endpoint counted so many tokens in a prompt; zero means that it did not count."""
    if characters > 0 and tokens > 0:
        counted, before = _RATIOS[model]
        _RATIOS[model] = (counted + characters, before + tokens)
