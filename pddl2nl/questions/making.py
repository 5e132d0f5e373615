"""Makes questions of a task: balanced, each once, the same for a seed, and with texts that do not give answers away.

Half of the answers are yes, and each letter is right equally often, in an order that is drawn beforehand. Each question
is drawn among alternatives that look alike and differ in their answers, so that any of these could be due:

- Where the state, the goal or the actions that are shown decide (`VariedTopic`), the same text is asked about in two
  contexts, of which one makes it right and the other wrong, and the same four choices in four contexts, each of which
  makes another of them the right one. A text about different actions belongs to a square: of two such texts each is
  right after the actions after which the other is wrong.
- A sequence of actions is asked about in one of several states from which it ends differently (`Validation`).

Of these kinds what is asked is chosen before the answer is, and without looking at earlier questions. So nothing is to
be learnt of the answer from the text, nor from the other questions of a set. Where the rules of the domain decide
(`LastingTopic`), a text has always the same answer. Right and wrong ones are drawn such that their words, and what can
be counted in them, are equally frequent on the average (`pddl2nl.questions.lasting`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.pddl import Task, write_domain
from pddl2nl.questions.acp_topics import ACPBENCH, VERDICTS, Validation
from pddl2nl.questions.deciding import Certificate
from pddl2nl.questions.lasting import EvenSubjects
from pddl2nl.questions.places import StatePlaces
from pddl2nl.questions.planbench_topics import PLANBENCH, PlanVerification
from pddl2nl.questions.question import FORMAT, LABELS, Form, Question
from pddl2nl.questions.surface import even, leaning
from pddl2nl.questions.topic import LastingTopic, OpenTopic, Topic, VariedTopic

TOPICS: Mapping[str, type[OpenTopic]] = {**ACPBENCH, **PLANBENCH}
"""All kinds of questions by their names (`pddl2nl.questions.question.KINDS`)."""
_TriedT = TypeVar("_TriedT")
_PATIENCE = 100
"""After so many places without a new question there seems to be none left."""
_CONTEXTS = 40
"""Contexts that are looked at for one question."""
_TRIES = 300
"""Alternatives that are tried for one question."""
_COMPARED, _SUBJECTS = 20, 40
"""Contexts and subjects that are compared for choices."""
_FITTED = 100
"""So often other contexts are tried for the same choices."""
_MOST_LEAN = 0.2
"""Choices may share so much more, or less, with the actions that are shown if they are right than if they are wrong."""


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
        """The same for questions that ask the same in the same context."""
        return "\n".join((self.topic.context, self.text, *sorted(self.choices)))


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
    # Statements and choices about goals that are drawn need no plan.
    plans = topic.needs_plan and (form == "open" or not (issubclass(topic, Topic) and topic.draws_goals))
    places = StatePlaces(task, teller, rng, seconds=seconds, plans=plans)
    domain_pddl, told = write_domain(task.domain), f"{teller.domain_text()}\n\n{teller.objects_text()}"
    asker = _Asker(form, rng, EvenSubjects(rng))
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
    lasting: EvenSubjects
    asked: set[str] = field(default_factory=set)
    """The keys of all questions."""

    @property
    def sides(self) -> int:
        """How many answers take turns."""
        return {"bool": 2, "choice": len(LABELS), "open": 3}[self.form]

    def ask(self, topic: OpenTopic, side: int) -> _AskedText | None:
        """A new question about this place, or about one that is near; None if none was found.

        Args:
            side: the number of the right letter; of yes (0) and no the right one; of an open question about a sequence
                0 for a plan, 1 for one that cannot be executed, 2 for one that misses the goal.
        """
        if topic.base is None:
            return None
        if isinstance(topic, Validation):
            made = self._about_a_sequence(topic, side)
        elif self.form == "open":
            made = _open_question(topic)
        else:
            assert isinstance(topic, Topic)
            made = self._statement(topic, side) if self.form == "bool" else self._choice(topic, side)
        if made is None or made.key in self.asked:
            return None
        self.asked.add(made.key)
        return made

    # ── sequences of actions ─────────────────────────────────────────────────────────────────────

    def _about_a_sequence(self, topic: Validation, side: int) -> _AskedText | None:
        """A question about a sequence from one of several states from which it ends differently."""
        ends = topic.ends()
        claims = self._claims(topic, [*ends])
        if len(claims) < self.sides or not ends.keys() >= set(claims):
            return None
        about = ends[claims[side]]
        if self.form == "open":
            return _open_question(about)
        base, certificate = about.base or {}, about.decide().certificate
        if self.form == "bool":
            return _AskedText(about, about.one.format(**base), "no" if side else "yes", certificate)
        return _AskedText(about, about.which.format(**base), LABELS[side], certificate, tuple(claims))

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

    # ── yes or no ────────────────────────────────────────────────────────────────────────────────

    def _statement(self, topic: Topic, side: int) -> _AskedText | None:
        """A question about one subject, drawn among those that are right, or wrong where ``side`` is 1."""
        if isinstance(topic, LastingTopic):
            found = self.lasting.statement(topic, right=side == 0)
            return None if found is None else _statement_of(found.topic, found.subject, "no" if side else "yes")
        assert isinstance(topic, VariedTopic)
        alternatives = self._in_two_contexts(topic)
        asked = [[_statement_of(*each, "no" if no else "yes") for each in of] for no, of in enumerate(alternatives)]
        if not asked or any(each is None or each.key in self.asked for of in asked for each in of):
            return None
        return self.rng.choice(asked[side])

    def _in_two_contexts(self, topic: VariedTopic) -> list[list[tuple[VariedTopic, Any]]]:
        """What is right and what is wrong in two contexts: one subject, or two where the texts around them differ."""
        contexts = _contexts_of(topic)
        for _ in range(_TRIES if len(contexts) > 1 else 0):
            one, other = self.rng.sample(contexts, 2)
            likely = dict.fromkeys((*one.likely(), *other.likely()))
            first, second = (_only_right(likely, *pair) for pair in ((one, other), (other, one)))
            if one.base == other.base and first:
                subject = self.rng.choice(first)
                return [[(one, subject)], [(other, subject)]]
            if first and second:
                here, there = self.rng.choice(first), self.rng.choice(second)
                right, wrong = [(one, here), (other, there)], [(one, there), (other, here)]
                if even(map(_seen, right), map(_seen, wrong)):
                    return [right, wrong]
        return []

    # ── choices ──────────────────────────────────────────────────────────────────────────────────

    def _choice(self, topic: Topic, side: int) -> _AskedText | None:
        """One right choice among wrong ones; each of them could be right. The letter of the right one is given."""
        if isinstance(topic, LastingTopic):
            four = self.lasting.choices(topic)
            return None if four is None else _choice_of([topic], [each.subject for each in four], 0, side)
        assert isinstance(topic, VariedTopic)
        found = self._in_four_contexts(topic)
        if found is None or any(_choice_of(*found, each, side).key in self.asked for each in range(len(LABELS))):
            return None
        return _choice_of(*found, self.rng.randrange(len(LABELS)), side)

    def _in_four_contexts(self, topic: VariedTopic) -> tuple[list[VariedTopic], list[Any]] | None:
        """Contexts and as many subjects: in each context another subject is the only right one."""
        contexts = _contexts_of(topic)
        contexts = self.rng.sample(contexts, min(len(contexts), _COMPARED))
        likely = [*dict.fromkeys(subject for each in contexts for subject in each.likely())]
        right: dict[Any, set[int]] = {}
        wrong: dict[Any, set[int]] = {}
        for subject in self.rng.sample(likely, min(len(likely), _SUBJECTS)):
            truth = [each.right(subject) for each in contexts]
            right[subject] = {number for number, each in enumerate(truth) if each}
            wrong[subject] = {number for number, each in enumerate(truth) if each is False}
        subjects = [subject for subject in right if right[subject] and wrong[subject]]
        shown = {each: _shown(each) for each in contexts}
        for _ in range(_TRIES if len(subjects) >= len(LABELS) else 0):
            four = self.rng.sample(subjects, len(LABELS))
            only = [right[one].intersection(*(wrong[other] for other in four if other != one)) for one in four]
            if all(only) and len({*map(topic.told, four)}) == len(four):
                fitting = [[contexts[number] for number in sorted(each)] for each in only]
                told = [*map(topic.told, four)]
                leans = [
                    {each: leaning(shown[each], told, number) for each in contexts}
                    for number, contexts in enumerate(fitting)
                ]
                # Often the same few are drawn again and again.
                tried = [*dict.fromkeys(tuple(map(self.rng.choice, fitting)) for _ in range(_FITTED))]
                chosen = _least_leaning(
                    tried, [[of[each] for of, each in zip(leans, one, strict=True)] for one in tried]
                )
                if chosen is not None:
                    return [*chosen], four
        return None


def _least_leaning(tried: Sequence[_TriedT], leans: Sequence[Sequence[tuple[float, ...]]]) -> _TriedT | None:
    """What tells least of which choice is right, over all alternatives; None if it tells too much."""
    most = [max(abs(sum(each)) for each in zip(*of_all, strict=True)) for of_all in leans]
    return tried[most.index(min(most))] if min(most) <= _MOST_LEAN else None


def _contexts_of(topic: VariedTopic) -> list[VariedTopic]:
    return [each for each in islice(topic.contexts(), _CONTEXTS) if each.base is not None]


def _only_right(subjects: Iterable[Any], here: VariedTopic, there: VariedTopic) -> list[Any]:
    return [subject for subject in subjects if here.right(subject) and there.right(subject) is False]


def _shown(topic: OpenTopic) -> str:
    """The actions that a question shows."""
    return "\n".join((topic.base or {}).values())


def _seen(asked: tuple[VariedTopic, Any]) -> tuple[str, str]:
    topic, subject = asked
    return topic.told(subject), _shown(topic)


def _open_question(topic: OpenTopic) -> _AskedText | None:
    answered = topic.answer()
    return None if answered is None else _AskedText(topic, topic.all.format(**topic.base or {}), *answered)


def _statement_of(topic: Topic, subject: Any, answer: str) -> _AskedText | None:
    decided = topic.decide(subject)
    if decided is None:
        return None
    assert decided.answer is (answer == "yes"), topic.told(subject)
    text = topic.one.format(subject=topic.told(subject), **(topic.base or {}))
    return _AskedText(topic, text, answer, decided.certificate)


def _choice_of(contexts: Sequence[Topic], subjects: Sequence[Any], number: int, side: int) -> _AskedText:
    """The question in which the choice of a number is right; it gets the letter of the side."""
    topic = contexts[number]
    decided = [topic.decide(subject) for subject in subjects]
    assert [each is not None and each.answer for each in decided] == [each == number for each in range(len(subjects))]
    right, *wrong = (each.certificate for each in (decided[number], *decided[:number], *decided[number + 1 :]) if each)
    choices = [topic.told(subject) for each, subject in enumerate(subjects) if each != number]
    choices.insert(side, topic.told(subjects[number]))
    text = topic.which.format(**topic.base or {})
    return _AskedText(topic, text, LABELS[side], {"right": right, "wrong": wrong}, tuple(choices))
