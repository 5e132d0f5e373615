"""PlanBench's tasks besides plan generation (Valmeekam et al., 2023), as questions.

Where PlanBench shows another problem with its plan, the question shows one of the same task. Changes are real ones:
what is replanned for is the effect of an action that another agent might have taken.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from itertools import islice
from typing import Any

from pddl2nl.pddl import And, Condition, GroundAtom, Task, conjuncts
from pddl2nl.questions.acp_topics import Progression, Validation
from pddl2nl.questions.deciding import Certificate, condition_of, goal_atoms
from pddl2nl.questions.places import StatePlace
from pddl2nl.questions.topic import MOST_LISTED, GoalTopic, OpenTopic
from pddlval import GroundAction, validate

_LONGEST_SEQUENCE = 6
_MOST_STATES = 400
"""States that are looked at for each part of a goal."""
_SHOWN = ("first", "second")
"""The goals that are shown with their plans, of one part and of two."""
_MOST_PARTS = 5
"""Parts of the largest goal."""
_PATTERNS = 6
"""Patterns of plans that are tried in one state."""
_Part = tuple[GroundAtom, tuple[GroundAction, ...]]
"""A part of a goal, and the actions that reach it behind the other parts."""
_Pattern = tuple[str, ...]
"""The predicate of a part, and the names of its actions."""


class PlanVerification(Validation):
    """Whether a given plan is valid, and if not, why."""

    all = (
        "Is this sequence of actions a plan for my goal? If it is, say: valid. Otherwise name a condition that is not "
        "met: of the first action that cannot be executed, or, if all can be, of my goal.\n{sequence}"
    )

    def answer(self) -> tuple[Any, Certificate] | None:
        certificate = self.decide().certificate
        unmet = certificate.get("unmet", [])
        if any(text.startswith(("(not ", "(or ", "(and ", "(=")) for text in unmet):
            # Only facts are named in answers.
            return None
        answer = {key: certificate.get(key) for key in ("verdict", "failed_step")}
        return {**answer, "unmet": unmet}, certificate


class SequenceExecution(Progression):
    """The state after a sequence of actions."""

    shown = "sequence"
    one = "Suppose these actions are executed, one after the other:\n{sequence}\nDoes this hold at the end: {subject}?"
    which = (
        "Suppose these actions are executed, one after the other:\n{sequence}\nWhich of these facts holds at the end?"
    )
    all = (
        "Suppose these actions are executed, one after the other:\n{sequence}\n"
        "Which facts hold at the end? List all of them, one on each line; those that no action can change may be left "
        "out."
    )

    def drawn(self) -> tuple[GroundAction, ...]:
        walk = self.places.simulator.walk(self.place.state, self.rng)
        return tuple(action for action, _ in islice(walk, self.rng.randint(2, _LONGEST_SEQUENCE)))

    @property
    def base(self) -> Mapping[str, str] | None:
        return {self.shown: self.told_plan(self.sequence)} if any(self.changed) else None

    def answer(self) -> tuple[Any, Certificate] | None:
        added, deleted = self.changed
        facts = sorted({*self.place.after(self.sequence).changing()}.intersection(self.places.atoms))
        difference = {"added": [*map(str, added)], "deleted": [*map(str, deleted)]}
        return ([*map(str, facts)], difference) if len(facts) <= MOST_LISTED else None


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


class _PlanTopic(GoalTopic):
    """A kind that is answered with a plan.

    Attributes:
        plan: one that reaches the goal from the start; None if nothing is to be asked here.
    """

    varied = True
    plan: tuple[GroundAction, ...] | None = None

    def answer(self) -> tuple[Any, Certificate] | None:
        if self.plan is None:
            return None
        report = validate(Task(self.task.domain, self.problem), self.plan)
        assert report.valid, report.verdict
        plan = [*map(str, self.plan)]
        answer = {"plan": plan, "cost": str(report.cost)}
        return answer, {"verdict": report.verdict, **answer}


class OptimalPlan(_PlanTopic):
    """A plan of the least cost."""

    varied = False
    all = "Give a plan for my goal, one action on each line, {wish}."

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self._search = place.decider.optimal_plan
        self.plan = None if self._search is None else self._search.plan

    @property
    def base(self) -> Mapping[str, str] | None:
        fewest, best = "with as few actions as possible", "the best one by what I have said of it"
        return {"wish": fewest if self.task.problem.metric is None else best} if self.plan else None

    def answer(self) -> tuple[Any, Certificate] | None:
        answered = super().answer()
        if answered is None or self._search is None:
            return None
        answer, certificate = answered
        return answer, {**certificate, "proof": f"optimal: {self._search.search}"}


class Replanning(_PlanTopic):
    """A plan after an unexpected change: what is told is the state at the beginning, and what has happened since."""

    all = (
        "I was executing this plan for my goal:\n{plan}\nAfter action {step} something unexpected happened. {change}\n"
        "Give a plan for my goal from then on, one action on each line."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self._planned = place.plan or ()
        self._step = rng.randint(1, max(1, len(self._planned) - 1))
        before = place.after(self._planned[: self._step])
        self._changes: tuple[tuple[GroundAtom, ...], tuple[GroundAtom, ...]] = (), ()
        for action in self.shuffled([*self.places.simulator.applicable(before)]):
            result = self.places.simulator.step(before, action)
            assert result.successor is not None
            if action not in self._planned[self._step : self._step + 1] and result.successor != before:
                self.start = result.successor
                self._changes = tuple(sorted(result.added)), tuple(sorted(result.deleted))
                break
        told = set(self.places.atoms).issuperset(self._changes[0] + self._changes[1])
        # By chance the change may bring about the goal.
        if any(self._changes) and told and not self.places.simulator.is_goal(self.start):
            self.plan = self.places.plan_from(self.start)

    @property
    def base(self) -> Mapping[str, str] | None:
        turns = zip(("true", "false"), self._changes, strict=True)
        change = " ".join(f"This became {turn}: {self.told_atoms(atoms)}." for turn, atoms in turns if atoms)
        told = {"plan": self.told_plan(self._planned), "step": str(self._step), "change": change}
        return told if self.plan else None


class PlanReuse(_PlanTopic):
    """A plan whose beginning reaches another goal."""

    all = (
        "Here is a plan for another goal, namely that {other}:\n{plan}\n"
        "Give a plan for my goal, one action on each line."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self._given = place.plan or ()
        told = set(self.places.atoms)
        for step in self.shuffled(range(1, len(self._given))):
            new = sorted(told.intersection(place.after(self._given[:step]).changing()) - {*place.state.changing()})
            if new:
                wanted = self.rng.sample(new, min(2, len(new)))
                self.goal = condition_of(wanted)
                ways = (self._given[:length] for length in range(step + 1))
                self.plan = next(way for way in ways if all(map(place.after(way).true, wanted)))
                break

    @property
    def base(self) -> Mapping[str, str] | None:
        other = self.goal_within(self.task.problem.goal)
        return {"other": other, "plan": self.told_plan(self._given)} if self.plan else None


class GoalShuffling(_PlanTopic):
    """The goal in another order than that for which a plan is shown."""

    all = "Here is a plan for the goal that {other}:\n{plan}\nGive a plan for my goal, one action on each line."

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self._other: Condition = self.task.problem.goal
        parts = [*conjuncts(self._other)]
        if len(parts) > 1:
            shuffled = rng.sample(parts, len(parts))
            self.goal = And(tuple(shuffled if shuffled != parts else parts[::-1]))
            self.plan = place.plan

    @property
    def base(self) -> Mapping[str, str] | None:
        return {"other": self.goal_within(self._other), "plan": self.told_plan(self.plan)} if self.plan else None


class GoalRewording(GoalShuffling):
    """The goal as the whole state that a plan leads to where the plan is shown for a part of it, or the reverse."""

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        end = place.after(place.plan or ())
        facts = sorted(set(end.changing()).intersection(self.places.atoms))
        whole, part = condition_of(facts), self.task.problem.goal
        self.goal, self._other = rng.sample([whole, part], 2)
        self.plan = place.plan if goal_atoms(part) < {*facts} and len(facts) <= MOST_LISTED else None


class Generalisation(_PlanTopic):
    """A larger goal of a kind for which smaller ones are shown with their plans, which repeat the same actions.

    PlanBench shows small instances that plans of one pattern solve, and asks for a plan of a larger one.
    """

    needs_plan = False
    all = (
        "From here, the goal that {first} is reached by this plan:\n{first_plan}\n"
        "The goal that {second} is reached by this plan:\n{second_plan}\n"
        "Give a plan for my goal, one action on each line."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self._parts: list[_Part] = []
        begun = self._alike(place)
        for pattern in self.rng.sample(sorted(begun), min(len(begun), _PATTERNS)):
            self._parts = [self.rng.choice(begun[pattern])]
            self._grow(pattern)
            if len(self._parts) > len(_SHOWN):
                self.goal, self.plan = condition_of(self._atoms(len(self._parts))), self._plan(len(self._parts))
                return

    def _grow(self, pattern: _Pattern) -> None:
        """Adds parts of a goal, each reached behind the others by the same actions with other objects."""
        while len(self._parts) < _MOST_PARTS:
            here = self.places.place(self.place.after(self._plan(len(self._parts))))
            alike = self._alike(here).get(pattern)
            if alike is None:
                return
            self._parts.append(self.rng.choice(alike))

    def _alike(self, here: StatePlace) -> Mapping[_Pattern, list[_Part]]:
        """The parts that can be added at a place, by what reaches them."""
        found: defaultdict[_Pattern, list[_Part]] = defaultdict(list)
        told = set(self.places.atoms)
        for atom, plan in here.decider.nearest(_MOST_STATES):
            if len(plan) > 1 and atom in told and all(map(here.after(plan).true, self._atoms(len(self._parts)))):
                found[atom[0], *(action.name for action in plan)].append((atom, plan))
        return found

    def _atoms(self, parts: int) -> list[GroundAtom]:
        return [atom for atom, _ in self._parts[:parts]]

    def _plan(self, parts: int) -> tuple[GroundAction, ...]:
        return tuple(action for _, plan in self._parts[:parts] for action in plan)

    @property
    def base(self) -> Mapping[str, str] | None:
        told: dict[str, str] = {}
        for parts, name in enumerate(_SHOWN, 1):
            told |= {name: self.told_atoms(self._atoms(parts)), f"{name}_plan": self.told_plan(self._plan(parts))}
        return told if self.plan else None


PLANBENCH: Mapping[str, type[OpenTopic]] = {
    "verification": PlanVerification,
    "execution": SequenceExecution,
    "optimal-plan": OptimalPlan,
    "replanning": Replanning,
    "plan-reuse": PlanReuse,
    "goal-shuffling": GoalShuffling,
    "goal-rewording": GoalRewording,
    "generalisation": Generalisation,
}
"""PlanBench's kinds."""
