"""What can be asked where the rules of a domain decide: subjects that look alike, drawn so that words tell nothing.

No other context makes a subject right that is wrong. But right and wrong subjects can be drawn with such weights that
each feature of their texts (a word, two words in a row, the length) is as frequent on the average among the right ones
as among the wrong ones. A linear program finds them; subjects for which there are none are not asked about. Choices are
then weighed as a whole, so that it tells nothing either which one is most like the others or the longest.

Each question is drawn by itself, without looking at earlier ones. A balance over a set of questions would be a hint: a
word that was right in the other questions would be wrong in this one.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import Any

from pddl2nl.questions.deciding import Decision
from pddl2nl.questions.question import LABELS
from pddl2nl.questions.surface import words
from pddl2nl.questions.topic import LastingTopic
from pddlval import State

Features = Mapping[Hashable, float]
_SUBJECTS, _NEAR = 20, 4
"""Subjects of each sort that are decided on at one visit of a place, and right ones whose neighbours are."""
_KNOWN = 300
"""Subjects of other places that are decided on as well."""
_COMPARED = 150
"""Candidates that are weighed for one question with choices."""


@dataclass(frozen=True)
class DecidedSubject:
    """A subject at a place, and what was decided."""

    topic: LastingTopic
    subject: Any
    told: str
    decision: Decision

    @cached_property
    def words(self) -> Counter[str]:
        return words(self.told)

    @cached_property
    def measures(self) -> dict[str, int]:
        """What can be counted in its text."""
        said = self.words.total()
        return {"length": len(self.told), "words": said, "repeated words": said - len(self.words)}

    @cached_property
    def features(self) -> Features:
        # In PDDL two objects in a row may be the whole subject, whose answer is always the same.
        said = [] if self.topic.places.teller.style == "pddl" else self.told.split()
        marks = (("mark", mark) for mark in self.topic.marks(self.subject))
        found: dict[Hashable, float] = dict.fromkeys((*self.words, *pairwise(said), *marks), 1.0)
        return {**found, **{("amount", name): value / 8 for name, value in self.measures.items()}}


_Weighted = tuple[list[DecidedSubject], list[float]]


class EvenSubjects:
    """Finds what to ask, at one place after another.

    Args:
        rng: draws subjects.
    """

    def __init__(self, rng: random.Random):
        self.rng = rng
        self._decided: defaultdict[State, dict[str, DecidedSubject]] = defaultdict(dict)
        """What was decided about a state, by the text of the subject."""
        self._known: dict[Any, None] = {}
        """The subjects of all places."""

    def statement(self, topic: LastingTopic, *, right: bool) -> DecidedSubject | None:
        """What is right, or wrong, at this place."""
        return next((self.rng.choices(*sides[right])[0] for sides in self._sides(topic)), None)

    def choices(self, topic: LastingTopic) -> list[DecidedSubject] | None:
        """One right subject of this place, and as many wrong ones as there are letters left; they look alike."""
        for wrong, right in self._sides(topic):
            drawn = [
                [*self.rng.choices(*right), *self.rng.choices(*wrong, k=len(LABELS) - 1)] for _ in range(_COMPARED)
            ]
            fours = [four for four in drawn if len({one.told for one in four}) == len(LABELS)]
            weights = _even_weights([*map(_excess_of_right, fours)])
            if weights is not None:
                return self.rng.choices(fours, weights)[0]
        return None

    def _sides(self, topic: LastingTopic) -> Iterator[tuple[_Weighted, _Weighted]]:
        """The wrong and the right subjects of each look, weighed so that they have the same features on the average."""
        self._decide(topic)
        looks: defaultdict[Hashable, tuple[list[DecidedSubject], list[DecidedSubject]]] = defaultdict(lambda: ([], []))
        for one in self._decided[topic.place.state].values():
            looks[topic.seen(one.subject)][one.decision.answer].append(one)
        for wrong, right in self.rng.sample([*looks.values()], len(looks)):
            if not wrong or not right:
                continue
            signed = [
                {name: sign * value / len(side) for name, value in {**one.features, "a subject": 1.0}.items()}
                for sign, side in ((-1, wrong), (1, right))
                for one in side
            ]
            weights = _even_weights(signed)
            if weights is not None:
                yield (wrong, weights[: len(wrong)]), (right, weights[len(wrong) :])

    def _decide(self, topic: LastingTopic) -> None:
        """Decides on some subjects of a place: likely right and likely wrong ones, and those of other places."""
        right = [*islice(topic.subjects(right=True), _SUBJECTS)]
        near = chain.from_iterable(islice(topic.near(subject), _SUBJECTS) for subject in right[:_NEAR])
        known = self.rng.sample([*self._known], min(len(self._known), _KNOWN))
        decided = self._decided[topic.place.state]
        for subject in (*right, *islice(topic.subjects(right=False), _SUBJECTS), *near, *filter(topic.asks, known)):
            told = topic.told(subject)
            if told not in decided and (decision := topic.decide(subject)) is not None:
                decided[told] = DecidedSubject(topic, subject, told, decision)
                self._known[subject] = None


def _even_weights(excesses: Sequence[Features]) -> list[float] | None:
    """Weights under which each feature is 0 on the average, the largest as small as can be; None if there are none."""
    if not excesses:
        return None
    # Imported here, because it takes longer than to make a question.
    import numpy as np
    from scipy.optimize import linprog

    count = len(excesses)
    row_of = {name: row for row, name in enumerate(dict.fromkeys(chain.from_iterable(excesses)), 1)}
    # The first row is the sum of the weights, and the last column their bound.
    rows = np.zeros((len(row_of) + 1, count + 1))
    rows[0, :count] = 1
    for column, excess in enumerate(excesses):
        for name, value in excess.items():
            rows[row_of[name], column] = value
    found = linprog(
        np.eye(count + 1)[count],
        A_ub=np.hstack([np.eye(count), np.full((count, 1), -1)]),
        b_ub=np.zeros(count),
        A_eq=rows,
        b_eq=np.eye(len(rows))[0],
    )
    return None if found.status else [max(0.0, float(weight)) for weight in found.x[:count]]


def _excess_of_right(choices: Sequence[DecidedSubject]) -> Features:
    """The features of the first choice less the mean of the others'."""
    right, *wrong = _choice_features(choices)
    excess = defaultdict(float, right)
    for each in wrong:
        for feature, value in each.items():
            excess[feature] -= value / len(wrong)
    return {feature: value for feature, value in excess.items() if value}


def _choice_features(choices: Sequence[DecidedSubject]) -> list[Features]:
    """The features of each choice, with those of its place among the others, by likeness and by what is counted."""
    said, seen = [each.words for each in choices], [each.features.keys() for each in choices]
    alike = [[(one & other).total() / (one | other).total() for other in said if other is not one] for one in said]
    orders: dict[str, list[float]] = {
        "like the others": [sum(each) for each in alike],
        "like another": [max(each) for each in alike],
        "unlike the others": [float(sum(len(one ^ other) for other in seen)) for one in seen],
        **{name: [float(each.measures[name]) for each in choices] for name in choices[0].measures},
    }
    ranked = [defaultdict(float, each.features) for each in choices]
    for name, values in orders.items():
        spread = max(values) - min(values)
        for number, own in enumerate(values):
            ranked[number][name, "of the spread"] = (own - min(values)) / spread if spread else 0.0
            # Equal ones share their ranks.
            below, equal = sum(other < own for other in values), values.count(own)
            for rank in range(below, below + equal):
                ranked[number][name, rank] += 1 / equal
    return [*ranked]
