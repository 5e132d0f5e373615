"""What a kind of question is: what it asks about at one place, how it is said, and what decides it.

A topic is one kind at one place. It proposes subjects (an action, some facts, a sequence of actions), decides about
them with a certificate, and tells them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import Any, Self

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.nl import Teller
from pddl2nl.nl.telling.teller import GOAL_START
from pddl2nl.pddl import Condition, GroundAtom, Problem, Task, write_condition, write_problem
from pddl2nl.questions.deciding import Certificate, Decision, condition_of, is_plan
from pddl2nl.questions.places import StatePlace
from pddl2nl.questions.question import FORMS, Form
from pddlval import GroundAction, validate

MOST_LISTED = 60
"""Questions for all actions or facts are not asked where there are more."""
MOST_TRIED = 40
"""Subjects that are tried at one place."""
_TRIED_AT_A_STEP = 10


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

    def padded(self, plan: tuple[GroundAction, ...], longest: int = 2) -> tuple[GroundAction, ...]:
        """The plan with at most so many actions that it can do without, where there are such."""
        simulator = self.places.simulator
        # A walk from the end would fit most often: each place is tried several times before another.
        for at in self.shuffled(range(len(plan) + 1)):
            here = simulator.follow(self.place.state, plan[:at]).state
            for _ in range(_TRIED_AT_A_STEP):
                walk = islice(simulator.walk(here, self.rng), self.rng.randint(1, longest))
                longer = (*plan[:at], *(action for action, _ in walk), *plan[at:])
                if len(longer) > len(plan) and is_plan(simulator, self.place.state, longer):
                    return longer
        return plan

    def with_another_object(
        self, name: str, args: Sequence[str], fitting: Callable[[str, int], Collection[str]]
    ) -> list[Any]:
        """An atom's or an action's arguments, one of them another object that fits there."""
        changed = [
            (name, *args[:at], other, *args[at + 1 :])
            for at, arg in enumerate(args)
            for other in fitting(name, at)
            if other != arg
        ]
        return self.shuffled(changed)

    def near_actions(self, action: GroundAction) -> Iterator[GroundAction]:
        """Actions of the same schema that differ in one object."""
        for name, *args in self.with_another_object(action.name, action.args, self.places.fits_action):
            yield GroundAction(name, tuple(args))


class GoalTopic(OpenTopic):
    """A kind that is asked about a goal, which need not be the task's own.

    Attributes:
        start: the state that is asked about.
        goal: the goal.
        metric: what makes a plan the best one; None for the number of its actions.
    """

    needs_plan = True

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self.start = place.state
        self.goal: Condition = self.task.problem.goal
        self.metric = self.task.problem.metric

    @property
    def context(self) -> str:
        return f"{self.place.state_text}\n\n{self.told_goal(self.goal)}"

    @property
    def problem(self) -> Problem:
        problem = problem_in_state(self.task.problem, self.start, self.start.values)
        return replace(problem, goal=self.goal, metric=self.metric)

    @property
    def problem_pddl(self) -> str:
        return write_problem(self.problem)

    def told_goal(self, goal: Condition) -> str:
        """A goal, told as the task's own."""
        return self._told(replace(self.task.problem, goal=goal, metric=self.metric))

    def goal_within(self, goal: Condition) -> str:
        """A goal within a sentence, without the metric."""
        told = self._told(replace(self.task.problem, goal=goal, metric=None))
        if self.places.teller.style == "pddl":
            return told.removeprefix("(:goal ").removesuffix(")")
        return told.removeprefix(GOAL_START).replace("\n", " ").removesuffix(".")

    def _told(self, problem: Problem) -> str:
        teller = self.places.teller
        return Teller(Task(self.task.domain, problem), teller.wording, teller.names, teller.style).goal_text()

    def for_goal(self, goal: Iterable[GroundAtom]) -> Self:
        """The same with another goal, of which plans of the fewest actions are the best."""
        other = copy(self)
        other.goal, other.metric = condition_of(goal), None
        return other


class Topic(OpenTopic):
    """A kind that is also asked about single subjects.

    Attributes:
        one: the question about one subject, to be answered with yes or no.
        which: the question which of several subjects is right.
        draws_goals: whether these two are asked about goals that are drawn, so that no planner is needed.
    """

    forms = FORMS
    one = ""
    which = ""
    draws_goals = False

    @abstractmethod
    def decide(self, subject: Any) -> Decision | None:
        """Whether a subject is right; None if that is not decided."""

    @abstractmethod
    def told(self, subject: Any) -> str:
        """A subject in words."""


class VariedTopic(Topic):
    """A kind of which the state, the goal or the actions that are shown decide what is right."""

    @abstractmethod
    def contexts(self) -> Iterator[Self]:
        """This topic in several contexts that are alike."""

    @abstractmethod
    def right(self, subject: Any) -> bool | None:
        """Whether a subject is right, without a certificate; None if it is not to be asked about."""

    @abstractmethod
    def likely(self) -> Iterable[Any]:
        """Subjects that are worth asking about here or in other contexts."""

    def nearby(self) -> Iterator[Self]:
        """This topic in states near this one."""
        for state in self.places.around(self.place.state, self.rng):
            yield type(self)(self.places.place(state), self.rng)


class LastingTopic(Topic):
    """A kind of which the rules of the domain decide for most subjects what is right, whatever the state."""

    @abstractmethod
    def subjects(self, right: bool) -> Iterator[Any]:
        """Subjects that are likely to be right, or likely to be wrong."""

    @abstractmethod
    def near(self, subject: Any) -> Iterator[Any]:
        """Subjects that differ from a right one in one thing."""

    @abstractmethod
    def seen(self, subject: Any) -> Hashable:
        """What is seen in a subject's text without the task: equal for subjects that look alike."""

    def marks(self, subject: Any) -> Iterable[Hashable]:
        """What else is seen in a subject, which shall be as frequent in right ones as in wrong ones."""
        yield self.seen(subject)

    def asks(self, subject: Any) -> bool:
        """Whether a subject of another state can be asked about in this one."""
        return True


def judged_plan(task: Task, plan: Sequence[GroundAction]) -> Decision:
    """Whether actions are a plan of a task, with the verdict on them."""
    report = validate(task, plan)
    if report.valid:
        return Decision(True, {"verdict": report.verdict, "plan": [*map(str, plan)]})
    unmet = [write_condition(part) for part in report.unmet or report.unmet_goals]
    return Decision(False, {"verdict": report.verdict, "failed_step": report.failed_step, "unmet": unmet})
