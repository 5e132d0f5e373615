"""Questions whose texts do not give their answers away: what a text shows without the task says nothing of the answer.

A feature is anything that is seen in the texts alone: a word, the length, how like a choice is to the others, how many
words it shares with the actions that are shown. Each question is the one of several that leaves every feature most
nearly as frequent among right answers as among wrong ones. In clinical trials this is called minimisation (Pocock and
Simon, "Sequential treatment assignment with balancing for prognostic factors", Biometrics 31, 1975).

A perfect balance would be a hint as well: a word that was right in the other questions would be wrong in this one. So
only a share of the features is counted, drawn by the seed, such that their excess is about as large as by chance.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

Features = Mapping[Hashable, float]
_WORD = re.compile(r"[^\s().,:?]+")
_OF_SHOWN = ("words shown", "times shown", "words of the last action")
_CandidateT = TypeVar("_CandidateT")


class _Learnt(NamedTuple):
    """A word, two words or a whole text: who has read many answers may know how often it is right."""

    text: str


def words(text: str) -> Counter[str]:
    """The words of a text and how often each occurs."""
    return Counter(_WORD.findall(text))


@dataclass(frozen=True)
class Surface:
    """What is seen of a subject without the task.

    Attributes:
        text: what tells it.
        shown: the sequence of actions that the question shows, a line each; empty for none.
        marks: further things that are seen.
        counted: further things that are counted.
    """

    text: str
    shown: str = ""
    marks: tuple[Hashable, ...] = ()
    counted: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def measures(self) -> dict[str, int]:
        """What can be counted in a text, and what it shares with the actions that are shown."""
        return {**_measures(self.text, self.shown), **self.counted}

    @cached_property
    def features(self) -> Features:
        said, measures = _WORD.findall(self.text), self.measures
        # A reader of many questions learns words: they weigh most.
        learnt = (*said, *map(" ".join, pairwise(said)), self.text)
        found: defaultdict[Hashable, float] = defaultdict(float, dict.fromkeys(map(_Learnt, learnt), 3.0))
        found.update({("mark", mark): 1.0 for mark in self.marks})
        found.update(dict.fromkeys(measures.items(), 1.0))
        found.update({("amount of", name): value / 8 for name, value in measures.items()})
        found["shown", *(value for name, value in measures.items() if name in _OF_SHOWN)] += 2
        return found


def _measures(text: str, shown: str) -> dict[str, int]:
    """What can be counted in a text, and what it shares with the actions that are shown."""
    said, all_shown = words(text), words(shown)
    return {
        "length": len(text) // 4,
        "words": said.total(),
        "repeated words": said.total() - len(said),
        "words shown": _shared(said, all_shown),
        "times shown": sum(all_shown[word] for word in said),
        "words of the last action": _shared(said, words(shown[shown.rfind("\n") + 1 :])),
    }


def choice_features(choices: Sequence[Surface]) -> list[Features]:
    """The features of each choice, with those of its place among the others, by likeness and by what is counted."""
    said = [words(each.text) for each in choices]
    alike = [[_shared(one, other) / (one | other).total() for other in said if other is not one] for one in said]
    orders: dict[str, list[float]] = {
        "like the others": [sum(each) for each in alike],
        "like another": [max(each) for each in alike],
    }
    for each in choices:
        for name, value in each.measures.items():
            orders.setdefault(name, []).append(float(value))
    ranked: list[defaultdict[Hashable, float]] = [defaultdict(float, each.features) for each in choices]
    for name, values in orders.items():
        spread = max(values) - min(values)
        for number, own in enumerate(values):
            ranked[number][name, "amount"] = 2 * (own - min(values)) / spread if spread else 0.0
            # Equal ones share their ranks.
            below, equal = sum(other < own for other in values), values.count(own)
            for rank in range(below, below + equal):
                ranked[number][name, "rank", rank] += 2 / equal
    return [*ranked]


def _shared(one: Counter[str], other: Counter[str]) -> int:
    return (one & other).total()


class SurfaceBalance:
    """Chooses the candidate that leaves features most nearly as frequent among right answers as among wrong ones.

    Args:
        rng: draws which features are counted.
        share: the share that is counted.
        words_only: whether all features but words and texts are always counted.
    """

    def __init__(self, rng: random.Random, share: float = 1.0, *, words_only: bool = False) -> None:
        self._rng = rng
        self._share = share
        self._words_only = words_only
        self.excess: defaultdict[Hashable, float] = defaultdict(float)
        """How much more frequent a feature is among right answers so far."""

    def best(self, candidates: Sequence[tuple[_CandidateT, Features]]) -> _CandidateT:
        """Chooses among candidates, each with its features' excess among right answers, and counts the chosen one."""
        chosen, excess = min(candidates, key=lambda each: self.imbalance(each[1]))
        self.count(excess)
        return chosen

    def count(self, excess: Features) -> None:
        """Counts a question by its features' excess among right answers."""
        for feature, value in excess.items():
            if (self._words_only and not isinstance(feature, _Learnt)) or self._rng.random() < self._share:
                self.excess[feature] += value

    def worsens(self, excess: Features) -> bool:
        """Whether a question adds to what is already more frequent on one side."""
        return sum(value * self.excess[feature] for feature, value in excess.items()) > 0

    def imbalance(self, excess: Features) -> float:
        """The sum of the squares of all excesses after this candidate, but for a constant."""
        return sum(value * (2 * self.excess[feature] + value) for feature, value in excess.items())


def excess_of_right(right: Features, wrong: Sequence[Features]) -> Features:
    """The features of the right choice less the mean of the wrong ones'; without wrong ones its features."""
    excess = defaultdict(float, right)
    for each in wrong:
        for feature, value in each.items():
            excess[feature] -= value / len(wrong)
    return {feature: value for feature, value in excess.items() if value}
