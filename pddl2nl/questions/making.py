"""Makes questions of a task: balanced, each once, the same for a seed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.pddl import Task, write_domain
from pddl2nl.questions.acp_topics import ACPBENCH
from pddl2nl.questions.deciding import Certificate
from pddl2nl.questions.places import StatePlaces
from pddl2nl.questions.planbench_topics import PLANBENCH
from pddl2nl.questions.question import LABELS, Form, Question
from pddl2nl.questions.topic import OpenTopic, Topic
from pddlval import State

TOPICS: Mapping[str, type[OpenTopic]] = {**ACPBENCH, **PLANBENCH}
"""All kinds of questions by their names (`pddl2nl.questions.question.KINDS`)."""
_PATIENCE = 100
"""After so many places without a new question there seems to be none left."""


@dataclass(frozen=True)
class _AskedText:
    text: str
    answer: Any
    certificate: Certificate
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same for questions about one state that ask the same."""
        return "\n".join((self.text, *sorted(self.choices)))


def make_questions(
    task: Task, teller: Teller, kind: str, form: Form, count: int, *, seed: int = 1, seconds: int = 5
) -> Iterator[Question]:
    """Up to so many questions of one kind and form; fewer where the task has no more, or none that can be decided.

    Of each two questions one is answered with yes, and of each four every letter is right once. No two questions ask
    the same of the same state.

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
    seen: defaultdict[State, set[str]] = defaultdict(set)
    made = missed = 0
    size = len(LABELS) if form == "choice" else 2
    sides: list[int] = []
    for place in places.draw(again=form != "open" or topic.varied):
        if made == count or missed == _PATIENCE:
            return
        sides = sides or rng.sample(range(size), size)
        about = topic(place, rng)
        asked = _ask(about, form, sides[0], rng, seen[place.state])
        if asked is None:
            missed += 1
            continue
        seen[place.state].add(asked.key)
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
        )


def _ask(topic: OpenTopic, form: Form, side: int, rng: random.Random, before: set[str]) -> _AskedText | None:
    """A new question about a topic, or None.

    Args:
        side: the number of the right letter; of yes (0) and no the right one.
        before: the keys of questions that were asked about the same state.
    """
    base = topic.base
    if base is None:
        return None
    if form == "open":
        text = topic.all.format(**base)
        answered = None if text in before else topic.answer()
        return None if answered is None else _AskedText(text, *answered)
    assert isinstance(topic, Topic)
    asked = _yes_or_no(topic, base, before, right=side == 0) if form == "bool" else _choice(topic, base, side, rng)
    return None if asked is None or asked.key in before else asked


def _yes_or_no(topic: Topic, base: Mapping[str, str], before: set[str], *, right: bool) -> _AskedText | None:
    for subject in topic.subjects(right):
        text = topic.one.format(subject=topic.told(subject), **base)
        decided = None if text in before else topic.decide(subject)
        if decided is not None and decided.answer is right:
            return _AskedText(text, "yes" if right else "no", decided.certificate)
    return None


def _choice(topic: Topic, base: Mapping[str, str], place: int, rng: random.Random) -> _AskedText | None:
    """One right choice among wrong ones; the letter of the right one is given by its place."""
    made = topic.choices(len(LABELS) - 1)
    if made is None:
        return None
    right, wrong, certificate = made
    choices = rng.sample(wrong, len(wrong))
    choices.insert(place, right)
    return _AskedText(topic.which.format(**base), LABELS[place], certificate, tuple(choices))
