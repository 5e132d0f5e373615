"""What embeddings need besides chats: calls of a sensible size, and vectors that are checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["chunks", "read_vectors"]

_MOST_TEXTS = 256
_MOST_CHARACTERS = 200_000


def chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts that an endpoint takes in one call (OpenAI: 2,048 texts and 300,000 tokens)."""
    part: list[str] = []
    size = 0
    for text in texts:
        if part and (len(part) == _MOST_TEXTS or size + len(text) > _MOST_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield part


def read_vectors(data: Mapping[str, Any], number: int) -> list[list[float]] | None:
    """The vectors of an ``embedding`` list in the order of the texts; None where there is not one for each."""
    items = data.get("data") if isinstance(data, dict) else None
    if not isinstance(items, list) or len(items) != number or not all(isinstance(item, dict) for item in items):
        return None
    places = [item.get("index", place) for place, item in enumerate(items)]
    if not all(isinstance(place, int) for place in places):
        return None
    by_index = {place: item.get("embedding") for place, item in zip(places, items, strict=True)}
    if set(by_index) != set(range(number)):
        return None
    vectors = [by_index[place] for place in range(number)]
    if not all(isinstance(vector, list) and vector and all(map(_is_number, vector)) for vector in vectors):
        return None
    return [[float(number) for number in vector] for vector in vectors]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
