"""The nearest of some texts, by the cosine of their embeddings or by their letters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from rapidfuzz import fuzz

from pddl2nl.errors import InfrastructureError

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Computes one vector for each text, all of the same length."""

LEAST = 70.0
"""The least similarity by letters, from 0 to 100, as in `pddl2nl.nl`."""
_PARTIAL, _REORDERED = 0.9, 0.95
"""Factors for texts with some equal words, and for words in another order: "cracked egg" is
``egg_cracked_1`` rather than ``egg_1``."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NUMBER = re.compile(r"\d+")
_SMALL_WORD = re.compile(r"\b(?:the|an?|some|any|all|of)\b")
_TIE = 1e-9


def plain(text: str) -> str:
    """A name as words: ``StoveBurner-1`` and ``stove_burner_1`` are ``stove burner 1``."""
    return " ".join(re.findall(r"[^\W_]+", _CAMEL.sub(" ", text).lower()))


class Vectors:
    """A cache of embeddings; ``embed`` computes them."""

    def __init__(self, embed: Embed):
        self.embed = embed
        self._known: dict[str, Sequence[float]] = {}

    def of(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector for each text.

        Raises:
            InfrastructureError: the model returned a wrong number of vectors, or vectors of different lengths.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            found = self.embed(new)
            if len(found) != len(new):
                raise InfrastructureError(f"the embedding model gave {len(found)} vectors for {len(new)} texts")
            self._known.update(zip(new, found, strict=True))
        vectors = [self._known[text] for text in texts]
        lengths = {len(vector) for vector in vectors}
        if len(lengths) > 1:
            raise InfrastructureError(f"the embedding model gave vectors of {len(lengths)} different lengths")
        return vectors


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; 0 if one of them is zero."""
    size = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / size if size else 0.0


def nearest(said: str, choices: Sequence[str], vectors: Vectors | None = None) -> tuple[int, ...]:
    """The indices of the choices nearest to a text; more than one only if they are equally near.

    With embeddings the nearest is taken at any distance, because the model chose from a list. By letters the
    similarity must reach `LEAST`, and numbers in both must be equal: "egg 2" is not a typo of ``egg_1``.
    """
    words = plain(said)
    if not choices or not words:
        return ()
    scores = similarities(said, choices, vectors)
    best = max(scores)
    if vectors is None and best < LEAST:
        return ()
    return tuple(place for place, score in enumerate(scores) if score >= best - _TIE)


def similarities(said: str, choices: Sequence[str], vectors: Vectors | None = None) -> list[float]:
    """How similar each choice is to a text: a cosine with embeddings, by letters a number from 0 to 100."""
    words, texts = plain(said), [plain(choice) for choice in choices]
    if vectors is None:
        return [_resemblance(words, text) for text in texts]
    first, *others = vectors.of([words, *texts])
    return [cosine(first, other) for other in others]


def _resemblance(said: str, name: str) -> float:
    """The similarity of two texts by their letters, from 0 to 100."""
    said = _SMALL_WORD.sub(" ", f" {said} ").strip() or said
    ours, theirs = _NUMBER.findall(said), _NUMBER.findall(name)
    if ours and theirs and ours != theirs:
        return 0.0
    if not ours:
        # "the egg" may be any egg.
        name = _NUMBER.sub("", name).strip() or name
    partial, reordered = fuzz.token_set_ratio(said, name), fuzz.token_sort_ratio(said, name)
    return max(fuzz.ratio(said, name), _PARTIAL * partial, _REORDERED * reordered)
