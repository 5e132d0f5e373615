"""Makes questions of a task: balanced, each once, the same for a seed, and with texts that do not give answers away.

Half of the answers are yes, and each letter is right equally often, in an order that is drawn beforehand. So what is
asked must be such that any answer could be due:

- A subject is only asked about with yes or no if both answers were found for what is seen in it: for the same text in
  two states where the state decides (`Topic.varies`), else for another subject that looks alike (`Topic.seen`).
- The choices look alike. Where the state decides, each of them is right in some state and wrong in another.
- A sequence of actions is asked about in one of several states from which it ends differently, drawn among these ends.

Among the questions that are left, `SurfaceBalance` chooses.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.pddl import Task, write_domain
from pddl2nl.questions.acp_topics import ACPBENCH, VERDICTS, Validation
from pddl2nl.questions.deciding import Certificate, Decision
from pddl2nl.questions.places import StatePlaces
from pddl2nl.questions.planbench_topics import PLANBENCH, PlanVerification
from pddl2nl.questions.question import FORMAT, LABELS, Form, Question
from pddl2nl.questions.surface import Features, Surface, SurfaceBalance, choice_features, excess_of_right
from pddl2nl.questions.topic import OpenTopic, Topic
from pddlval import State

TOPICS: Mapping[str, type[OpenTopic]] = {**ACPBENCH, **PLANBENCH}
"""All kinds of questions by their names (`pddl2nl.questions.question.KINDS`)."""
_PATIENCE = 100
"""After so many places without a new question there seems to be none left."""
_SUBJECTS = 8
"""Subjects of each sort that are decided on at one visit of a place."""
_MOST_PASSED = 12
"""So often the next place is tried instead of one whose best choices would make the balance worse."""
_COMPARED = 60
"""Candidates that are compared for one question."""
_COUNTED = 0.15
"""The share of features that the balance counts: all of yes or no, and words of choices of which the state decides.

Measured: if all words are counted, a regression on words that learns applicability from other questions of a set is
right in 10 of 100, and what it finds least likely is right in 47. With this share 28 and 22; other kinds up to 32.
"""


@dataclass(frozen=True)
class _AskedText:
    """A question's text; ``topic`` is asked about, at its place."""

    topic: OpenTopic
    text: str
    answer: Any
    certificate: Certificate
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same for questions about one state that ask the same."""
        return "\n".join((self.text, *sorted(self.choices)))


@dataclass(frozen=True)
class _Decided:
    """A subject at a place, and what was decided."""

    topic: Topic
    subject: Any
    told: str
    decision: Decision

    @cached_property
    def surface(self) -> Surface:
        topic, subject = self.topic, self.subject
        shown = "\n".join((topic.base or {}).values())
        return Surface(topic.surface(subject), shown, (*topic.marks(subject),), topic.measures(subject))

    @cached_property
    def family(self) -> Hashable:
        """What must occur with both answers before it is asked about with yes or no."""
        family = self.topic.family(self.subject)
        measures = self.surface.measures
        return family if self.topic.varies else (family, measures["words"], measures["repeated words"])


def make_questions(
    task: Task, teller: Teller, kind: str, form: Form, count: int, *, seed: int = 1, seconds: int = 5
) -> Iterator[Question]:
    """Up to so many questions of one kind and form; fewer where the task has no more, or none that can be decided.

    Of each two questions one is answered with yes, of each four every letter is right once, and of each three sequences
    to be verified one is a plan, one fails at an action and one at the goal. No two questions ask the same of the same
    state.

    Args:
        task: the task, in whose reachable states questions are asked.
        teller: tells the task.
        kind: of `TOPICS`.
        form: bool, choice or open.
        count: the most questions.
        seed: of everything random.
        seconds: the limit of each search of a planner. What is not decided within it is not asked.

    Raises:
        InputError: the kind is not asked in this form.
        MissingExtraError: the kind needs plans, and no planner is installed.
    """
    rng = random.Random(f"{kind} {form} {seed}")
    topic = TOPICS[kind]
    if form not in topic.forms:
        raise InputError(f"--kind {kind} --form {form}: it is asked in the form {' or '.join(topic.forms)}")
    places = StatePlaces(task, teller, rng, seconds=seconds, plans=topic.needs_plan)
    domain_pddl, told = write_domain(task.domain), f"{teller.domain_text()}\n\n{teller.objects_text()}"
    varies = form == "bool" or (issubclass(topic, Topic) and topic.varies)
    share = _COUNTED if varies else 1.0
    counting = random.Random(f"balance {kind} {form} {seed}")
    asker = _Asker(form, rng, SurfaceBalance(counting, share, words_only=form == "choice"))
    made = missed = 0
    sides: list[int] = []
    for place in places.draw(again=form != "open" or topic.varied):
        if made == count or missed == _PATIENCE:
            return
        sides = sides or rng.sample(range(asker.sides), asker.sides)
        asked = asker.ask(topic(place, rng), sides[0])
        if asked is None:
            missed += 1
            continue
        about = asked.topic
        del sides[0]
        missed = 0
        made += 1
        yield Question(
            id=f"{task.problem.name}-{kind}-{form}-{seed}-{made}",
            kind=kind,
            form=form,
            domain=task.domain.name,
            problem=task.problem.name,
            context=f"{told}\n\n{about.context}",
            question=asked.text,
            choices=asked.choices,
            answer=asked.answer,
            certificate=dict(asked.certificate),
            PDDL_domain=domain_pddl,
            PDDL_problem=about.problem_pddl,
            format=FORMAT,
        )


@dataclass
class _Asker:
    """Asks about one place after another, in one form."""

    form: Form
    rng: random.Random
    balance: SurfaceBalance
    asked: defaultdict[State, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The keys of the questions about each state."""
    decided: defaultdict[State, dict[str, _Decided]] = field(default_factory=lambda: defaultdict(dict))
    """What was decided about a state, by the question and the subject."""
    found: defaultdict[tuple[Hashable, bool], dict[str, _Decided]] = field(default_factory=lambda: defaultdict(dict))
    """What was found to be right or wrong, by its family."""
    owed: Hashable = None
    """The family of the question before, if it waits for one with the other answer."""
    passed: int = 0
    """Choices since the last question that would have said more of their answers."""
    chosen: set[str] = field(default_factory=set)
    """The texts of all choices so far."""
    answers: defaultdict[str, set[bool]] = field(default_factory=lambda: defaultdict(set))
    """Whether a subject was found to be right, wrong, or both."""

    @property
    def sides(self) -> int:
        """How many answers take turns."""
        return {"bool": 2, "choice": len(LABELS), "open": 3}[self.form]

    def ask(self, topic: OpenTopic, side: int) -> _AskedText | None:
        """A new question about this place, or one that it makes possible about an earlier one; None if there is none.

        Args:
            side: the number of the right letter; of yes (0) and no the right one; of an open question about a sequence
                0 for a plan, 1 for one that cannot be executed, 2 for one that misses the goal.
        """
        if topic.base is None:
            return None
        if isinstance(topic, Validation):
            made = self._about_a_sequence(topic, side)
        elif self.form == "open":
            answered = topic.answer()
            made = None if answered is None else _AskedText(topic, topic.all.format(**topic.base), *answered)
        else:
            assert isinstance(topic, Topic)
            self._decide(topic)
            made = self._yes_or_no(right=side == 0) if self.form == "bool" else self._choice(topic, side)
        if made is None or made.key in self.asked[made.topic.place.state]:
            return None
        self.asked[made.topic.place.state].add(made.key)
        return made

    # ── sequences of actions ─────────────────────────────────────────────────────────────────────

    def _about_a_sequence(self, topic: Validation, side: int) -> _AskedText | None:
        """A question about a sequence from one of several states from which it ends differently."""
        ends = topic.ends()
        claims = self._claims(topic, [*ends])
        if len(claims) < self.sides or not ends.keys() >= set(claims):
            return None
        if self.form == "choice":
            self._place_right(claims, topic.told(topic.sequence), side)
        about = ends[claims[side]]
        base, decided = about.base or {}, about.decide(about.sequence)
        if self.form == "open":
            answered = about.answer()
            return None if answered is None else _AskedText(about, about.all.format(**base), *answered)
        if self.form == "bool":
            text = about.one.format(subject=about.told(about.sequence))
            return _AskedText(about, text, "no" if side else "yes", decided.certificate)
        return _AskedText(about, about.which.format(**base), LABELS[side], decided.certificate, tuple(claims))

    def _place_right(self, claims: list[str], shown: str, side: int) -> None:
        """Makes that claim the right one, at its letter, whose features were rarest among right answers."""
        features = choice_features([Surface(claim, shown) for claim in claims])
        sides = [(n, excess_of_right(one, [*features[:n], *features[n + 1 :]])) for n, one in enumerate(features)]
        claims.insert(side, claims.pop(self.balance.best(sides)))

    def _claims(self, topic: Validation, ends: list[str]) -> list[str]:
        """Claims about a sequence, each of which is true in another state."""
        plan, missed = VERDICTS.values()
        ends = self.rng.sample(ends, len(ends))
        failing = [claim for claim in ends if claim not in (plan, missed)]
        match self.form:
            case "choice":
                claims = [*(claim for claim in (plan, missed) if claim in ends), *failing][: self.sides]
                return self.rng.sample(claims, len(claims))
            case "bool":
                return [plan, *(claim for claim in ends if claim != plan)][: self.sides]
            case _:
                if isinstance(topic, PlanVerification):
                    return [plan, *failing[:1], missed]
                # The question is which action fails.
                return failing[:1] * self.sides

    # ── single subjects ──────────────────────────────────────────────────────────────────────────

    def _decide(self, topic: Topic) -> None:
        """Decides on some subjects of a place: likely right and likely wrong ones, and those of other places."""
        right = [*islice(topic.subjects(right=True), _SUBJECTS)]
        near = chain.from_iterable(islice(topic.near(subject), _SUBJECTS) for subject in right[:2])
        known = [one.subject for each in self.found.values() for one in each.values()]
        sample = dict.fromkeys(self.rng.sample(known, min(len(known), _COMPARED)))
        others = filter(topic.asks, sample if topic.lasting else ())
        for subject in (*right, *islice(topic.subjects(right=False), _SUBJECTS), *near, *islice(others, _SUBJECTS)):
            told = topic.told(subject)
            key = f"{topic.base} {told}"
            if key in self.decided[topic.place.state]:
                continue
            decision = topic.decide(subject)
            if decision is not None:
                one = _Decided(topic, subject, told, decision)
                self.decided[topic.place.state][key] = one
                self.answers[told].add(decision.answer)
                self.found[one.family, decision.answer][f"{topic.place.state} {key}"] = one

    def _yes_or_no(self, *, right: bool) -> _AskedText | None:
        """A question about a subject for whose like both answers were found."""
        open_to_both = [seen for seen, answer in self.found if answer is right and self.found.get((seen, not right))]
        if (self.owed, right) in self.found:
            open_to_both = [seen for seen in open_to_both if seen == self.owed] or open_to_both
        candidates = [(one, seen) for seen in open_to_both for one in self.found[seen, right].values()]
        if not candidates:
            return None
        sample = self.rng.sample(candidates, min(len(candidates), _COMPARED))
        sign = 1 if right else -1
        weighed = []
        for one, seen in sample:
            found = one.surface.features
            weighed.append((one, seen, {name: sign * value for name, value in found.items()}))
        one, seen, excess = min(weighed, key=lambda each: self.balance.imbalance(each[2]))
        if not self._keeps_balance(one.topic, excess):
            return None
        # Of two questions, one with either answer, the second is of the same family, where that is no single text.
        self.owed = seen if self.owed is None and not one.topic.varies else None
        asked = self.found[seen, right]
        del asked[next(key for key, each in asked.items() if each is one)]
        text = one.topic.one.format(subject=one.told, **(one.topic.base or {}))
        return _AskedText(one.topic, text, "yes" if right else "no", one.decision.certificate)

    def _keeps_balance(self, topic: Topic, excess: Features) -> bool:
        """Whether a question is asked that adds this to the balance: then it is counted."""
        never = topic.strict and self.form == "choice"
        if self.balance.worsens(excess) and (never or self.passed < _MOST_PASSED):
            self.passed += 1
            return False
        self.passed = 0
        self.balance.count(excess)
        return True

    def _choice(self, topic: Topic, side: int) -> _AskedText | None:
        """One right choice among wrong ones that look alike; the letter of the right one is given."""
        base = topic.base or {}
        groups = self._alike(topic)
        if not groups:
            return None
        chosen, excess = self._searched(*self.rng.choice(groups))
        if not self._keeps_balance(topic, excess):
            return None
        self.chosen.update(each.surface.text for each in chosen)
        one, *others = chosen
        choices = [other.told for other in others]
        choices.insert(side, one.told)
        certificate = {"right": one.decision.certificate, "wrong": [each.decision.certificate for each in others]}
        return _AskedText(topic, topic.which.format(**base), LABELS[side], certificate, tuple(choices))

    def _searched(self, wrong: Sequence[_Decided], right: Sequence[_Decided]) -> tuple[list[_Decided], Features]:
        """A right subject and wrong ones, and what they add to the balance: the best of a local search."""

        def weighed(chosen: list[_Decided]) -> tuple[list[_Decided], Features]:
            of_right, *of_wrong = choice_features([one.surface for one in chosen])
            return chosen, excess_of_right(of_right, of_wrong)

        best = weighed([self.rng.choice(right), *self.rng.sample(wrong, len(LABELS) - 1)])
        for _ in range(_COMPARED):
            chosen, at = [*best[0]], self.rng.randrange(len(LABELS))
            chosen[at] = self.rng.choice(wrong if at else right)
            if len({one.told for one in chosen}) == len(LABELS):
                best = min(best, weighed(chosen), key=lambda each: self.balance.imbalance(each[1]))
        return best

    def _alike(self, topic: Topic) -> list[tuple[list[_Decided], list[_Decided]]]:
        """The wrong and the right subjects of a place, those that look alike together."""
        here = [one for key, one in self.decided[topic.place.state].items() if key.startswith(f"{topic.base} ")]
        if topic.varies:
            here = [one for one in here if len(self.answers[one.told]) == 2]
            # Where each is right in some state, those that look otherwise will do.
            return _groups(here, topic.seen) or _groups(here, lambda _: None)
        # What is right once is always right, and would be remembered.
        new = [one for one in here if one.surface.text not in self.chosen]
        return _groups(new, topic.seen) or _groups(here, topic.seen)


def _groups(
    decided: Iterable[_Decided], look: Callable[[Any], Hashable]
) -> list[tuple[list[_Decided], list[_Decided]]]:
    """The wrong and the right subjects of each look, where there are enough for a choice."""
    groups: defaultdict[Hashable, tuple[list[_Decided], list[_Decided]]] = defaultdict(lambda: ([], []))
    for one in decided:
        groups[look(one.subject)][one.decision.answer].append(one)
    return [(wrong, right) for wrong, right in groups.values() if right and len(wrong) >= len(LABELS) - 1]
