"""What can be asked where the rules of a domain decide: subjects that look alike, balanced over a set of questions.

No other context makes a subject right that is wrong. So a subject is only asked about if both answers were found for
what is seen in it (`LastingTopic.seen`), and each question is the one of several that leaves every feature of texts
most nearly as frequent among right answers as among wrong ones. In clinical trials this is called minimisation (Pocock
and Simon, "Sequential treatment assignment with balancing for prognostic factors", Biometrics 31, 1975).

A perfect balance would be a hint as well: a word that was right in the other questions would be wrong in this one. So
of questions with yes and no only a share of the features is counted, drawn by the seed, such that their excess is about
as large as by chance.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import Any

from pddl2nl.questions.deciding import Decision
from pddl2nl.questions.question import LABELS
from pddl2nl.questions.surface import words
from pddl2nl.questions.topic import LastingTopic
from pddlval import State

Features = Mapping[Hashable, float]
_SUBJECTS = 8
"""Subjects of each sort that are decided on at one visit of a place."""
_MOST_PASSED = 12
"""So often the next place is tried instead of one whose best statement would make the balance worse."""
_COMPARED = 60
"""Candidates that are compared for one question."""
_COUNTED = 0.15
"""The share of features of questions with yes and no that the balance counts.

If all are counted, a regression that learns from other questions of a set finds the wrong answer in 58 of 100.
"""


@dataclass(frozen=True)
class DecidedSubject:
    """A subject at a place, and what was decided."""

    topic: LastingTopic
    subject: Any
    told: str
    decision: Decision

    @cached_property
    def measures(self) -> dict[str, int]:
        """What can be counted in its text."""
        said = words(self.told)
        repeated = said.total() - len(said)
        return {"length": len(self.told) // 4, "words": said.total(), "repeated words": repeated}

    @cached_property
    def family(self) -> Hashable:
        """What must occur with both answers before it is asked about with yes or no."""
        return self.topic.seen(self.subject), self.measures["words"], self.measures["repeated words"]

    @cached_property
    def features(self) -> Features:
        said = [*words(self.told).elements()]
        # A reader of many questions learns words: they weigh most.
        learnt = (*said, *map(" ".join, pairwise(self.told.split())), self.told)
        found: defaultdict[Hashable, float] = defaultdict(
            float, dict.fromkeys((("text", each) for each in learnt), 3.0)
        )
        found.update({("mark", mark): 1.0 for mark in self.topic.marks(self.subject)})
        found.update(dict.fromkeys(self.measures.items(), 1.0))
        found.update({("amount of", name): value / 8 for name, value in self.measures.items()})
        return found


def _choice_features(choices: Sequence[DecidedSubject]) -> list[Features]:
    """The features of each choice, with those of its place among the others, by likeness and by what is counted."""
    said = [words(each.told) for each in choices]
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


def _excess_of_right(right: Features, wrong: Sequence[Features]) -> Features:
    """The features of the right choice less the mean of the wrong ones'."""
    excess = defaultdict(float, right)
    for each in wrong:
        for feature, value in each.items():
            excess[feature] -= value / len(wrong)
    return {feature: value for feature, value in excess.items() if value}


@dataclass
class BalancedSubjects:
    """Finds what to ask, at one place after another.

    Args:
        rng: draws subjects.
        counting: draws which features are counted.
    """

    rng: random.Random
    counting: random.Random
    excess: defaultdict[Hashable, float] = field(default_factory=lambda: defaultdict(float))
    """How much more frequent a feature is among right answers so far."""
    decided: defaultdict[State, dict[str, DecidedSubject]] = field(default_factory=lambda: defaultdict(dict))
    """What was decided about a state, by the text of the subject."""
    found: defaultdict[tuple[Hashable, bool], dict[str, DecidedSubject]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """What was found to be right or wrong, by its family."""
    passed: int = 0
    """Visits since the last question whose best candidate would have said more of its answer."""
    chosen: set[str] = field(default_factory=set)
    """The texts of all choices so far: what is right once is always right, and would be remembered."""

    def statement(self, topic: LastingTopic, *, right: bool) -> DecidedSubject | None:
        """What is right, or wrong, at this place or an earlier one; both were found for what is seen in it."""
        self._decide(topic)
        families = [seen for seen, answer in self.found if answer is right and self.found.get((seen, not right))]
        candidates = [one for seen in families for one in self.found[seen, right].values()]
        if not candidates:
            return None
        sign = 1 if right else -1
        sample = self.rng.sample(candidates, min(len(candidates), _COMPARED))
        weighed = [(one, {name: sign * value for name, value in one.features.items()}) for one in sample]
        one, excess = min(weighed, key=lambda each: self._imbalance(each[1]))
        if self._worsens(excess) and self.passed < _MOST_PASSED:
            self.passed += 1
            return None
        self.passed = 0
        for feature, value in excess.items():
            if self.counting.random() < _COUNTED:
                self.excess[feature] += value
        asked = self.found[one.family, right]
        del asked[next(key for key, each in asked.items() if each is one)]
        return one

    def choices(self, topic: LastingTopic) -> list[DecidedSubject] | None:
        """One right subject of this place, and as many wrong ones as there are letters left; they look alike."""
        self._decide(topic)
        here = [*self.decided[topic.place.state].values()]
        groups = _groups(each for each in here if each.told not in self.chosen) or _groups(here)
        if not groups:
            return None
        chosen, excess = self._searched(*self.rng.choice(groups))
        if self._worsens(excess) and (topic.strict or self.passed < _MOST_PASSED):
            self.passed += 1
            return None
        self.passed = 0
        for feature, value in excess.items():
            self.excess[feature] += value
        self.chosen.update(each.told for each in chosen)
        return chosen

    def _decide(self, topic: LastingTopic) -> None:
        """Decides on some subjects of a place: likely right and likely wrong ones, and those of other places."""
        right = [*islice(topic.subjects(right=True), _SUBJECTS)]
        near = chain.from_iterable(islice(topic.near(subject), _SUBJECTS) for subject in right[:2])
        known = [one.subject for each in self.found.values() for one in each.values()]
        sample = dict.fromkeys(self.rng.sample(known, min(len(known), _COMPARED)))
        others = filter(topic.asks, sample)
        for subject in (*right, *islice(topic.subjects(right=False), _SUBJECTS), *near, *islice(others, _SUBJECTS)):
            told = topic.told(subject)
            if told in self.decided[topic.place.state]:
                continue
            decision = topic.decide(subject)
            if decision is not None:
                one = DecidedSubject(topic, subject, told, decision)
                self.decided[topic.place.state][told] = one
                self.found[one.family, decision.answer][f"{topic.place.state} {told}"] = one

    def _searched(
        self, wrong: Sequence[DecidedSubject], right: Sequence[DecidedSubject]
    ) -> tuple[list[DecidedSubject], Features]:
        """A right subject and wrong ones, and what they add to the balance: the best of a local search."""

        def weighed(chosen: list[DecidedSubject]) -> tuple[list[DecidedSubject], Features]:
            of_right, *of_wrong = _choice_features(chosen)
            return chosen, _excess_of_right(of_right, of_wrong)

        best = weighed([self.rng.choice(right), *self.rng.sample(wrong, len(LABELS) - 1)])
        for _ in range(_COMPARED):
            chosen, at = [*best[0]], self.rng.randrange(len(LABELS))
            chosen[at] = self.rng.choice(wrong if at else right)
            if len({one.told for one in chosen}) == len(LABELS):
                best = min(best, weighed(chosen), key=lambda each: self._imbalance(each[1]))
        return best

    def _worsens(self, excess: Features) -> bool:
        """Whether a question adds to what is already more frequent on one side."""
        return sum(value * self.excess[feature] for feature, value in excess.items()) > 0

    def _imbalance(self, excess: Features) -> float:
        """The sum of the squares of all excesses after this candidate, but for a constant."""
        return sum(value * (2 * self.excess[feature] + value) for feature, value in excess.items())


def _groups(decided: Iterable[DecidedSubject]) -> list[tuple[list[DecidedSubject], list[DecidedSubject]]]:
    """The wrong and the right subjects of each look, where there are enough for a choice."""
    groups: defaultdict[Hashable, tuple[list[DecidedSubject], list[DecidedSubject]]] = defaultdict(lambda: ([], []))
    for one in decided:
        groups[one.topic.seen(one.subject)][one.decision.answer].append(one)
    return [(wrong, right) for wrong, right in groups.values() if right and len(wrong) >= len(LABELS) - 1]
