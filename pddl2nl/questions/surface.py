"""What a text shows without the task: alternatives are even where this is the same for right answers as for wrong ones.

A question is drawn among alternatives that differ in their answers (`pddl2nl.questions.making`). It gives nothing away
if each word, the length, and what a text shares with the actions that are shown are as frequent among
right alternatives as among wrong ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\s().,:?]+")


@lru_cache(10_000)
def words(text: str) -> Counter[str]:
    """The words of a text and how often each occurs; the same object for the same text, which must not be changed."""
    return Counter(_WORD.findall(text))


@lru_cache(10_000)
def shared(text: str, shown: str) -> dict[str, int]:
    """How much a text shares with the actions that are shown, a line each."""
    said, all_shown, last = words(text), words(shown), words(shown[shown.rfind("\n") + 1 :])
    return {
        "words shown": (said & all_shown).total(),
        "times shown": sum(all_shown[word] for word in said),
        "words of the last action": (said & last).total(),
    }


def features(text: str, shown: str) -> Counter[Hashable]:
    """All that can be counted in a text, and in the actions that are shown before it."""
    said = _WORD.findall(text)
    found: Counter[Hashable] = Counter(said)
    found.update({("shown", word): count for word, count in words(shown).items()})
    found.update(shared(text, shown))
    found["repeated words"] = len(said) - len({*said})
    return found


def even(right: Iterable[tuple[str, str]], wrong: Iterable[tuple[str, str]]) -> bool:
    """Whether texts, each with the actions shown before it, have the same features in all."""
    sums = [sum((features(*each) for each in texts), Counter[Hashable]()) for texts in (right, wrong)]
    return sums[0] == sums[1]


def leaning(shown: str, choices: Sequence[str], right: int) -> tuple[float, ...]:
    """How far what choices share with the actions that are shown speaks for the right one; 0 for not at all.

    Each number is positive where the right one shares more, or shares most or least more often than by chance.
    """
    rows = [shared(choice, shown).values() for choice in choices]
    found: list[float] = []
    for values in zip(*rows, strict=True):
        most, least, own, mean = max(values), min(values), values[right], sum(values) / len(values)
        found.append((own - mean) / (most - least) if most > least else 0.0)
        found += ((own == extreme) / values.count(extreme) - 1 / len(values) for extreme in (most, least))
    return tuple(found)
