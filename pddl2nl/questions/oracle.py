"""The oracle of questions: it reads the prompt, decides on what it read, and answers in the prompt's own words.

As for plans (`pddl2nl.baselines.oracle`), it is the check that a prompt holds everything that an answer needs: of the
task it has nothing but the domain and its wording. A prompt that it cannot read is an error of ours.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from pddl2nl.baselines.told_task import ToldTaskError, read_told_task
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Message
from pddl2nl.nl import Names, Teller, Wording
from pddl2nl.nl.telling.teller import EMPTY_GOAL, GOAL_START, IMPOSSIBLE_GOAL
from pddl2nl.pddl import And, Condition, Domain, Forall, Not, Task
from pddl2nl.pddl.tree import When, map_children
from pddl2nl.questions.acp_topics import VERDICTS
from pddl2nl.questions.answers import AnswerReader, UnreadAnswerError
from pddl2nl.questions.making import TOPICS
from pddl2nl.questions.places import StatePlace, StatePlaces
from pddl2nl.questions.question import INSTRUCTIONS, LABELS
from pddl2nl.questions.topic import OpenTopic, Topic

_SECONDS = 30


class QuestionOracle:
    """Answers the prompts of questions (`pddl2nl.questions.question`); see `pddl2nl.baselines.oracle.StagedOracle`.

    Args:
        domain, wording: what the prompts are about, and in which words.
        mistake: one of ``mistakes``, to be made always.
    """

    mistakes: ClassVar[Mapping[str, str]] = {
        "forget-deletes": "It answers as if actions made nothing false.",
        "trust-plans": "It takes every sequence of actions for a plan.",
        "mumble": "It never says what it means.",
    }

    def __init__(self, domain: Domain, wording: Wording, mistake: str = ""):
        self._domain = domain
        self._wording = wording
        self._mistake = mistake

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer; None if the prompt is no question.

        Raises:
            ToldTaskError: the prompt cannot be read.
            InfrastructureError: the answer was not decided within the limits.
        """
        *before, instruction = messages[-1].content.split("\n\n")
        form = next((form for form, text in INSTRUCTIONS.items() if instruction.startswith(text)), None)
        if form is None or not before:
            return None
        if self._mistake == "mumble":
            return "Answer: it depends"
        choices = [line.partition(". ")[2] for line in before.pop().splitlines()] if form == "choice" else []
        context, question = "\n\n".join(before[:-1]), before[-1]
        kind, named = _template(question, {"bool": "one", "choice": "which", "open": "all"}[form])
        if self._mistake == "trust-plans" and kind in ("validation", "verification"):
            return f"Answer: {_trusting(kind, form, choices, named)}"
        try:
            answer = self._answer(context, TOPICS[kind], named, choices)
        except UnreadAnswerError as unread:
            raise ToldTaskError(f"I do not understand the question: {unread.text!r} is {unread.status}") from unread
        if answer is None:
            raise InfrastructureError("the oracle did not decide what this prompt asks within its limits")
        return f"Answer:\n{answer}" if form == "open" else f"Answer: {answer}"

    def _answer(self, context: str, kind: type[OpenTopic], named: dict[str, str], choices: Sequence[str]) -> str | None:
        task, teller = self._told(context)
        reader = AnswerReader(task, teller.wording, teller.names)
        rng = random.Random(1)
        places = StatePlaces(task, teller, rng, seconds=_SECONDS, plans=False)
        topic = kind(StatePlace(places, places.simulator.initial, None), rng)
        subject = named.pop("subject", None)
        topic.restore(named, reader)
        if isinstance(topic, Topic) and (subject is not None or choices):
            # Only what is not decided otherwise needs a planner.
            decided = _decided(topic, subject, choices, reader)
            if decided is None:
                places.fast = False
                decided = _decided(topic, subject, choices, reader)
            return decided
        answered = topic.answer()
        return None if answered is None else topic.said(answered[0])

    def _told(self, context: str) -> tuple[Task, Teller]:
        """The task that a context tells, without a goal where none is told."""
        paragraphs = context.split("\n\n")
        formal = paragraphs[-1].startswith("(")
        if not paragraphs[-1].startswith((GOAL_START, EMPTY_GOAL, IMPOSSIBLE_GOAL, "(:goal")):
            paragraphs.append("(:goal (and))" if formal else EMPTY_GOAL)
        task = read_told_task("\n\n".join(paragraphs[-3:]), self._domain, self._wording).task
        if self._mistake == "forget-deletes":
            actions = tuple(replace(item, effect=_without_deletes(item.effect)) for item in task.domain.actions)
            task = Task(replace(task.domain, actions=actions), task.problem)
        names = Names({name: name for name in task.objects})
        return task, Teller(task, self._wording, names, "pddl" if formal else "nl")


def _decided(topic: Topic, subject: str | None, choices: Sequence[str], reader: AnswerReader) -> str | None:
    """Yes or no about a subject, or the letter of the right choice; None if that is not decided."""
    if subject is not None:
        decided = topic.decide(topic.read(subject, reader))
        return None if decided is None else "yes" if decided.answer else "no"
    right = topic.right_choice(choices, reader)
    return None if right is None else LABELS[right]


def _template(question: str, attribute: str) -> tuple[str, dict[str, str]]:
    """The kind whose template a question has, and what is filled in."""
    for kind, topic in TOPICS.items():
        match = _pattern(getattr(topic, attribute, "")).fullmatch(question)
        if match is not None:
            return kind, match.groupdict()
    asked = textwrap.shorten(question, 80, placeholder=" …")
    raise ToldTaskError(f"I do not understand the question: '{asked}' asks for nothing I know")


@lru_cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    written = (f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
    return re.compile("".join(written), re.DOTALL)


def _trusting(kind: str, form: str, choices: Sequence[str], named: Mapping[str, str]) -> str:
    """The answer that a sequence is a plan; the index of its first inapplicable action is then behind its end."""
    if form == "bool":
        return "yes"
    if form == "choice":
        return next(letter for letter, text in zip(LABELS, choices, strict=False) if text == VERDICTS["valid"])
    return "valid" if kind == "verification" else str(len(named["sequence"].splitlines()))


def _without_deletes(effect: Condition) -> Condition:
    match effect:
        case Not():
            return And()
        case When(effect=inner):
            return replace(effect, effect=_without_deletes(inner))
        case And() | Forall():
            return map_children(effect, _without_deletes)
    return effect
