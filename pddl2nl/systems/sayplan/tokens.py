"""The size of a scene graph in tokens of GPT-4's tokenizer, which rs-bpe (extra ``tokens``) has without a network.

Without rs-bpe they are estimated.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pddl2nl.llm.tokens import estimate_tokens

_TOKENIZER = "cl100k_base"
"""The tokenizer of GPT-4 and GPT-3.5."""


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    return import_module("rs_bpe.bpe").openai.cl100k_base() if find_spec("rs_bpe") else None


def tokenizer_name() -> str:
    """The tokenizer of `count_tokens`; empty if it estimates."""
    return _TOKENIZER if _tokenizer() is not None else ""


def count_tokens(text: str) -> int:
    """The tokens of a text; estimated without rs-bpe."""
    tokenizer = _tokenizer()
    return estimate_tokens(len(text)) if tokenizer is None else int(tokenizer.count(text))
