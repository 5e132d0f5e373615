"""What a kind of question is: what it asks about at one place, how it is said, and what decides it.

A topic is one kind at one place. It proposes subjects (an action, some facts, a sequence of actions), decides about
them with a certificate, and tells them. A wrong subject differs from a right one in one thing where it can: one object
of an action or a fact, one step of a sequence. A topic can also read back what it tells.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pddl2nl.pddl import GroundAtom, TypedName, write_condition
from pddl2nl.questions.answers import AnswerReader
from pddl2nl.questions.deciding import Certificate, Decision
from pddl2nl.questions.places import StatePlace
from pddl2nl.questions.question import FORMS, Form
from pddlval import GroundAction, validate

MOST_LISTED = 60
"""Questions for all actions or facts are not asked where there are more."""
MOST_TRIED = 40
"""Subjects that are tried at one place."""


class OpenTopic(ABC):
    """One kind of question at one place, asked in its open form.

    Attributes:
        forms: in which it is asked.
        needs_plan: whether the place must have a plan; the goal is told then.
        varied: whether there are several open questions at a place.
        all: the open question.
        shown: the name in the texts of the questions of a sequence of actions that they show; empty for none.
        sequence: that sequence.
    """

    forms: tuple[Form, ...] = ("open",)
    needs_plan = False
    varied = False
    all = ""
    shown = ""
    sequence: tuple[GroundAction, ...] = ()

    def __init__(self, place: StatePlace, rng: random.Random):
        self.place = place
        self.places = place.places
        self.task = place.places.task
        self.rng = rng

    @property
    def base(self) -> Mapping[str, str] | None:
        """What the texts of the questions name besides the subject; None if nothing is to be asked here."""
        return {self.shown: self.told_plan(self.sequence)} if self.shown else {}

    def restore(self, base: Mapping[str, str], reader: AnswerReader) -> None:
        """Reads what `base` has told back out of a question's text, which need not show it."""
        if self.shown:
            self.sequence = reader.numbered_plan(base.get(self.shown, ""))

    @property
    def context(self) -> str:
        """What is told after the domain and the objects: the state, and the goal where it matters."""
        told = self.place.state_text
        return f"{told}\n\n{self.places.goal_text}" if self.needs_plan else told

    @property
    def problem_pddl(self) -> str:
        """The problem by which answers are judged, in the state that is asked about."""
        return self.place.problem_pddl

    @abstractmethod
    def answer(self) -> tuple[Any, Certificate] | None:
        """The answer of the open question; None if it is not to be asked here."""

    @abstractmethod
    def said(self, answer: Any) -> str:
        """The answer of the open question in words; of several right ones, one."""

    # ── what questions are made of ───────────────────────────────────────────────────────────────

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """Some of these, in an order of its own."""
        return self.rng.sample(items, min(len(items), MOST_TRIED))

    def told_atoms(self, atoms: Sequence[GroundAtom]) -> str:
        """Facts joined by "and"."""
        return " and ".join(map(self.places.teller.fact, atoms))

    def told_plan(self, plan: Sequence[GroundAction]) -> str:
        """Actions, numbered from 1, a line each."""
        return "\n".join(f"{number}. {self.places.teller.action(action)}" for number, action in enumerate(plan, 1))

    def said_actions(self, actions: Sequence[str]) -> str:
        """PDDL actions in words, a line each."""
        return "\n".join(self.places.teller.action(GroundAction.parse(text)) for text in actions)

    def said_facts(self, facts: Sequence[str]) -> str:
        """PDDL facts in words, a line each; ``None`` for none."""
        atoms = (GroundAtom(text.strip("()").split()) for text in facts)
        return "\n".join(map(self.places.teller.fact, atoms)) or "None"

    def padded(self, plan: tuple[GroundAction, ...]) -> tuple[GroundAction, ...]:
        """The plan with a detour: two actions that lead back to the state before them, where there are such."""
        simulator, state = self.places.simulator, self.place.state
        at = self.rng.randrange(len(plan) + 1)
        state = simulator.follow(state, plan[:at]).state
        for there, beyond in self.shuffled([*simulator.successors(state)]):
            for back, after in () if beyond == state else simulator.successors(beyond):
                if after == state:
                    return (*plan[:at], there, back, *plan[at:])
        return plan


class Topic(OpenTopic):
    """A kind that is also asked about single subjects.

    Attributes:
        one: the question about one subject, to be answered with yes or no.
        which: the question which of several subjects is right.
    """

    forms = FORMS
    one = ""
    which = ""

    @abstractmethod
    def subjects(self, right: bool) -> Iterator[Any]:
        """Subjects that are likely to be right, or likely to be wrong."""

    @abstractmethod
    def near(self, subject: Any) -> Iterator[Any]:
        """Subjects that differ from a right one in one thing."""

    @abstractmethod
    def decide(self, subject: Any) -> Decision | None:
        """Whether a subject is right; None if that is not decided."""

    @abstractmethod
    def told(self, subject: Any) -> str:
        """A subject in words."""

    @abstractmethod
    def read(self, text: str, reader: AnswerReader) -> Any:
        """The subject that a text tells."""

    def choices(self, wrong: int) -> tuple[str, list[str], Certificate] | None:
        """A right choice in words, so many wrong ones, those first that differ from it in one thing, and why."""
        for subject in self.subjects(right=True):
            decided = self.decide(subject)
            if decided is None or not decided.answer:
                continue
            right, others = self.told(subject), dict[str, Certificate]()
            for near in self.near(subject):
                other = self.decide(near)
                if other is not None and not other.answer and self.told(near) != right:
                    others[self.told(near)] = other.certificate
                if len(others) == wrong:
                    return right, [*others], {"right": decided.certificate, "wrong": [*others.values()]}
        return None

    def right_choice(self, choices: Sequence[str], reader: AnswerReader) -> int | None:
        """The number of the one choice that is right; None if that is not decided."""
        decided = [self.decide(self.read(text, reader)) for text in choices]
        right = [number for number, each in enumerate(decided) if each is not None and each.answer]
        return right[0] if len(right) == 1 else None

    def with_another_object(self, name: str, args: Sequence[str], parameters: Sequence[TypedName]) -> list[Any]:
        """An atom's or an action's arguments, one of them another object of the parameter's types."""
        changed = [
            (name, *args[:at], other, *args[at + 1 :])
            for at, parameter in enumerate(parameters)
            for other in self.task.objects_of(parameter.types)
            if other != args[at]
        ]
        return self.shuffled(changed)

    def near_actions(self, action: GroundAction) -> Iterator[GroundAction]:
        """Actions of the same schema that differ in one object."""
        schema = self.task.domain.action(action.name)
        assert schema is not None
        for name, *args in self.with_another_object(action.name, action.args, schema.parameters):
            yield GroundAction(name, tuple(args))

    def near_atoms(self, atom: GroundAtom) -> Iterator[GroundAtom]:
        """Atoms of the same predicate that differ in one object."""
        predicate = self.task.domain.predicate(atom[0])
        assert predicate is not None
        yield from map(GroundAtom, self.with_another_object(atom[0], atom[1:], predicate.parameters))


class ActionTopic(Topic):
    """A topic whose subjects are actions."""

    def near(self, subject: GroundAction) -> Iterator[GroundAction]:
        yield from self.near_actions(subject)

    def told(self, subject: GroundAction) -> str:
        return self.places.teller.action(subject)

    def read(self, text: str, reader: AnswerReader) -> GroundAction:
        return reader.one_action(text)


class FactTopic(Topic):
    """A topic whose subjects are facts."""

    def told(self, subject: GroundAtom) -> str:
        return self.places.teller.fact(subject)

    def read(self, text: str, reader: AnswerReader) -> GroundAtom:
        return reader.one_fact(text)


def judged_plan(place: StatePlace, plan: Sequence[GroundAction]) -> Decision:
    """Whether actions are a plan from a place, with the verdict on them."""
    report = validate(place.decider.task, plan)
    if report.valid:
        return Decision(True, {"verdict": report.verdict, "plan": [*map(str, plan)]})
    unmet = [write_condition(part) for part in report.unmet or report.unmet_goals]
    return Decision(False, {"verdict": report.verdict, "failed_step": report.failed_step, "unmet": unmet})
