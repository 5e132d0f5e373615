"""The eight kinds of questions of ACPBench (Kokel et al., 2024 and 2025)."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Self

from pddl2nl.pddl import GroundAtom, Task, conjuncts, write_condition
from pddl2nl.questions.deciding import Certificate, Decision, condition_of, goal_atoms, left_out, removals
from pddl2nl.questions.places import StatePlace
from pddl2nl.questions.question import FORMS
from pddl2nl.questions.topic import (
    MOST_LISTED,
    MOST_TRIED,
    GoalTopic,
    LastingTopic,
    OpenTopic,
    VariedTopic,
    judged_plan,
)
from pddlval import GroundAction, State
from pddlval.semantics import holds

_TRIED_ACTIONS = 5
_STAYING = 2
_STATES, _GOALS = 5, 12
"""States and goals of each that are looked at for one question."""
_PLAN_GOALS, _LARGEST_GOAL = 40, 6
"""Goals that a plan reaches, and their most facts."""
_WAYS = 5
"""Ways to a goal whose facts are asked about."""


class Applicability(VariedTopic):
    """Which actions can be executed now."""

    one = "Can this action be executed now: {subject}?"
    which = "Which of these actions can be executed now?"
    all = "Which actions can be executed now? List all of them, one on each line."

    def contexts(self) -> Iterator[Self]:
        yield from self.nearby()

    def likely(self) -> Iterable[GroundAction]:
        return self.shuffled(self.place.applicable)

    def right(self, subject: GroundAction) -> bool:
        return self.places.simulator.is_applicable(self.place.state, subject)

    def told(self, subject: GroundAction) -> str:
        return self.places.teller.action(subject)

    def decide(self, subject: GroundAction) -> Decision:
        result = self.places.simulator.step(self.place.state, subject)
        if result.successor is not None:
            return Decision(True, {"applicable": str(subject)})
        return Decision(False, {"unmet": [write_condition(part) for part in result.unmet]})

    def answer(self) -> tuple[Any, Certificate] | None:
        actions = sorted(map(str, self.place.applicable))
        return (actions, {"applicable": len(actions)}) if 0 < len(actions) <= MOST_LISTED else None


class Progression(VariedTopic):
    """What an action changes."""

    varied = True
    one = "Suppose this action is executed: {action}. Does this hold afterwards: {subject}?"
    which = "Suppose this action is executed: {action}. Which of these facts holds afterwards?"
    all = (
        "Suppose this action is executed: {action}. Which facts become true that were false before, and which become "
        "false that were true? Write 'Becomes true:' and below it the first, one on each line, and then 'Becomes "
        "false:' and the others."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        self.sequence = self.drawn()

    def drawn(self) -> tuple[GroundAction, ...]:
        """The actions that are executed; none if nothing was found that changes the state."""
        walks = (next(self.places.simulator.walk(self.place.state, self.rng), None) for _ in range(_TRIED_ACTIONS))
        return (*islice((step[0] for step in walks if step is not None and step[1] != self.place.state), 1),)

    @property
    def base(self) -> Mapping[str, str] | None:
        return {"action": self.places.teller.action(self.sequence[0])} if self.sequence else None

    @cached_property
    def changed(self) -> tuple[tuple[GroundAtom, ...], tuple[GroundAtom, ...]]:
        """What becomes true and what becomes false, of what is told."""
        before, after = set(self.place.state.changing()), set(self._end.changing())
        told = set(self.places.atoms)
        return tuple(sorted(told & after - before)), tuple(sorted(told & before - after))

    def contexts(self) -> Iterator[Self]:
        yield from self.nearby()

    def likely(self) -> Iterable[GroundAtom]:
        # What stays as it was is asked about as well.
        staying = sorted({*self.places.atoms}.intersection(self.place.state.changing()))
        return (*self.changed[0], *self.changed[1], *self.shuffled(staying)[:_STAYING])

    @cached_property
    def _end(self) -> State:
        return self.place.after(self.sequence)

    def right(self, subject: GroundAtom) -> bool:
        return self._end.true(subject)

    def told(self, subject: GroundAtom) -> str:
        return self.places.teller.fact(subject)

    def decide(self, subject: GroundAtom) -> Decision:
        added, deleted = self.changed
        held = self.place.state.true(subject)
        difference = {"added": [*map(str, added)], "deleted": [*map(str, deleted)], "held_before": held}
        return Decision(subject in added or (held and subject not in deleted), difference)

    def answer(self) -> tuple[Any, Certificate] | None:
        added, deleted = ([*map(str, atoms)] for atoms in self.changed)
        return {"pos": added, "neg": deleted}, {"action": str(self.sequence[0])}


class Reachability(LastingTopic):
    """Which facts can hold, alone or together."""

    one = "Is there a way to reach a state in which this holds: {subject}?"
    which = "In which case is there a way to reach a state where this holds?"
    all = (
        "Which fact can never hold, whatever actions are executed from now on? Name one, or say none if there is none."
    )

    def subjects(self, right: bool) -> Iterator[tuple[GroundAtom, ...]]:
        told = set(self.places.atoms)
        for state in self.place.decider.some_states(self.rng, MOST_TRIED):
            holding = sorted(told.intersection(state.changing()))
            for one, other in zip(self.shuffled(holding), self.shuffled(holding), strict=True):
                subject = (one,) if self.rng.random() < 0.5 else tuple(dict.fromkeys((one, other)))
                if all(map(self.place.state.true, subject)):
                    continue
                if right:
                    yield subject
                    break
                yield from self.near(subject)

    def near(self, subject: tuple[GroundAtom, ...]) -> Iterator[tuple[GroundAtom, ...]]:
        return (near for near in self._near(subject) if len({*near}) == len(near))

    def _near(self, subject: tuple[GroundAtom, ...]) -> Iterator[tuple[GroundAtom, ...]]:
        *before, last = subject
        for near in self._near_atoms(last):
            yield (*before, near)
            if not before:
                yield (last, near)
        yield from ((*subject, atom) for atom in self.shuffled(self.places.fitting_atoms))

    def _near_atoms(self, atom: GroundAtom) -> Iterator[GroundAtom]:
        yield from map(GroundAtom, self.with_another_object(atom[0], atom[1:], self.places.fits_atom))

    def seen(self, subject: tuple[GroundAtom, ...]) -> Hashable:
        objects = [arg for atom in subject for arg in dict.fromkeys(atom[1:])]
        return len(subject), len(objects) - len(set(objects))

    def marks(self, subject: tuple[GroundAtom, ...]) -> Iterator[Hashable]:
        yield self.seen(subject)
        yield tuple(sorted(atom[0] for atom in subject)), self.seen(subject)

    def asks(self, subject: tuple[GroundAtom, ...]) -> bool:
        return not all(map(self.place.state.true, subject))

    def told(self, subject: tuple[GroundAtom, ...]) -> str:
        return self.told_atoms(subject)

    def decide(self, subject: tuple[GroundAtom, ...]) -> Decision | None:
        return self.place.decider.reach(condition_of(subject), fast=True)

    def answer(self) -> tuple[Any, Certificate] | None:
        decisions = {str(atom): self.decide((atom,)) for atom in self.places.atoms}
        return _examples({name: made.certificate for name, made in decisions.items() if made and not made.answer})


class ActionReachability(LastingTopic):
    """Which actions can be executed at some time."""

    one = "Is there a way to reach a state in which this action can be executed: {subject}?"
    which = "Which of these actions can be executed in some state that can be reached?"
    all = "Which action can never be executed, whatever actions are executed before it? Name one, or say none."

    def subjects(self, right: bool) -> Iterator[GroundAction]:
        for state in self.place.decider.some_states(self.rng, MOST_TRIED):
            for action in self.shuffled([*self.places.simulator.applicable(state)])[:2]:
                if not right:
                    yield from self.near_actions(action)
                elif action not in self.place.applicable:
                    yield action
        yield from self.shuffled(self.places.actions)

    def near(self, subject: GroundAction) -> Iterator[GroundAction]:
        yield from self.near_actions(subject)
        for action in self.shuffled(self.places.actions):
            yield from self.near_actions(action)

    def seen(self, subject: GroundAction) -> Hashable:
        return subject.name, tuple(map(subject.args.index, subject.args))

    def told(self, subject: GroundAction) -> str:
        return self.places.teller.action(subject)

    def decide(self, subject: GroundAction) -> Decision | None:
        return self.place.decider.action(subject, fast=True)

    def answer(self) -> tuple[Any, Certificate] | None:
        mutexes = self.place.decider.mutexes
        proofs: dict[str, Certificate] = {}
        for item in self.places.ground.actions or ():
            refuted = mutexes.never(item.needs)
            if refuted is not None:
                proofs[str(item.action)] = {"unreachable": [*refuted], "proof": "h2"}
        for action in self.shuffled(self.places.actions):
            for near in [*self.near_actions(action)][:3]:
                decided = self.decide(near)
                if decided is not None and not decided.answer:
                    proofs[str(near)] = decided.certificate
        return _examples(proofs)


class Validation(OpenTopic):
    """Whether a sequence of actions is a plan, and where it first fails."""

    forms = FORMS
    shown = "sequence"
    varied = True
    needs_plan = True
    one = "Is this sequence of actions a plan for my goal?\n{sequence}"
    which = "Which of these claims is true of this sequence of actions?\n{sequence}"
    all = (
        "Which is the first action of this sequence that cannot be executed when its turn comes? Give its index, "
        "counted from 0.\n{sequence}"
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        plan = self.padded(place.plan or ())
        self.sequence = rng.choice([place.plan or (), plan, *self.near(plan)])

    def near(self, subject: tuple[GroundAction, ...]) -> Iterator[tuple[GroundAction, ...]]:
        """The sequence with one step left out, exchanged with the next, or about another object."""
        places = self.shuffled(range(len(subject)))
        for at in places:
            if len(subject) > 1:
                yield subject[:at] + subject[at + 1 :]
            yield (*subject[:at], *subject[at : at + 2][::-1], *subject[at + 2 :])
            for other in [*self.near_actions(subject[at])][:2]:
                yield (*subject[:at], other, *subject[at + 1 :])

    def decide(self) -> Decision:
        return judged_plan(self.place.decider.task, self.sequence)

    def answer(self) -> tuple[Any, Certificate] | None:
        decided = self.decide()
        failed = decided.certificate.get("failed_step")
        return None if failed is None else (failed - 1, decided.certificate)

    def ends(self) -> dict[str, Validation]:
        """What is claimed of the sequence, each with this topic at a state near this one for which it is true."""
        simulator = self.places.simulator
        ends: dict[str, Validation] = {}
        for state in self.places.around(self.place.state, self.rng):
            followed = simulator.follow(state, self.sequence)
            if followed.complete:
                claim = VERDICTS["valid" if simulator.is_goal(followed.state) else "goal-not-satisfied"]
            else:
                claim = _FAILS.format(step=len(followed.actions) + 1)
            if claim not in ends and not simulator.is_goal(state):
                ends[claim] = self.at(state)
        return ends

    def at(self, state: State) -> Self:
        """The same sequence from another state."""
        other = type(self)(self.places.place(state), self.rng)
        other.sequence = self.sequence
        return other


VERDICTS: Mapping[str, str] = {
    "valid": "It is a plan for my goal.",
    "goal-not-satisfied": "All its actions can be executed, but my goal does not hold at its end.",
}
"""What is claimed of sequences that can be executed."""
_LONGEST_DETOUR = 4
_FAILS = "Its action {step} is the first that cannot be executed."


class Justification(GoalTopic, VariedTopic):
    """Which actions can be left out of a plan."""

    shown = "plan"
    varied = True
    one = "Here is a plan for my goal:\n{plan}\nIs it still a plan without {subject}?"
    which = "Here is a plan for my goal:\n{plan}\nWhat can be left out so that it is still a plan?"
    all = (
        "Here is a plan for my goal:\n{plan}\nMake it shorter: leave out one action, or two that follow each other, "
        "so that it is still a plan. Give the shorter plan, one action on each line."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        # A detour of several actions names what the plan names nowhere else, and none of them can be left out alone.
        self.sequence = self.padded(self.padded(place.plan or (), _LONGEST_DETOUR))

    @cached_property
    def removable(self) -> frozenset[tuple[int, int]]:
        """The stretches, start and length, without which it is still a plan."""
        return frozenset(removals(self.places.simulator, self.place.state, self.sequence))

    def contexts(self) -> Iterator[Self]:
        """This plan for its own goal, and for others that it reaches."""
        yield self
        end = self.place.after(self.sequence).changing()
        new = sorted({*self.places.atoms}.intersection(end).difference(self.place.state.changing()))
        for goal in _drawn_goals(new, self.rng, _PLAN_GOALS, _LARGEST_GOAL):
            yield self.for_goal(goal)

    @cached_property
    def _ends(self) -> Mapping[tuple[int, int], State]:
        """Where the plan leads without each stretch that can be left out so that the others can be executed."""
        stretches = [(start, length) for length in (1, 2) for start in range(len(self.sequence) - length + 1)]
        rests = {each: self.places.simulator.follow(self.place.state, self._without(*each)) for each in stretches}
        return {each: followed.state for each, followed in rests.items() if followed.complete}

    def _without(self, start: int, length: int) -> tuple[GroundAction, ...]:
        return self.sequence[:start] + self.sequence[start + length :]

    def likely(self) -> Iterable[tuple[int, int]]:
        return self._ends

    def right(self, subject: tuple[int, int]) -> bool:
        return subject in self._ends and holds(self.goal, self._ends[subject])

    def told(self, subject: tuple[int, int]) -> str:
        start, length = subject
        return f"action {start + 1}" if length == 1 else f"actions {start + 1} and {start + 2}"

    def decide(self, subject: tuple[int, int]) -> Decision:
        return judged_plan(Task(self.task.domain, self.problem), self._without(*subject))

    def answer(self) -> tuple[Any, Certificate] | None:
        if not self.removable:
            return None
        texts = [str(action) for action in self.sequence]
        items = [left_out(texts, *stretch) for stretch in sorted(self.removable)]
        start, length = min(self.removable)
        return items, {"plan": texts, "shorter_plan": texts[:start] + texts[start + length :]}


class _NearGoalTopic(GoalTopic, VariedTopic):
    """A kind that is asked about goals that are reached near a state; only its open form is about the task's goal."""

    draws_goals = True

    def contexts(self) -> Iterator[Self]:
        states = self.rng.sample(self.places.states, min(len(self.places.states), _STATES))
        for state in dict.fromkeys((self.place.state, *states)):
            topic = type(self)(self.places.place(state), self.rng)
            yield from map(topic.for_goal, topic._goals())

    def _goals(self) -> Iterator[tuple[GroundAtom, ...]]:
        """Goals that take some steps, the task's own first if it is reached."""
        around, told = self.place.decider.nearby, set(self.places.atoms)
        own = tuple(sorted(goal_atoms(self.task.problem.goal)))
        conjoined = len(own) == len([*conjuncts(self.task.problem.goal)])
        if conjoined and around.distance(own) and not all(map(self.place.state.true, own)):
            yield own
        states = [state for state, steps in around.steps.items() if steps > 1]
        for state in self.rng.sample(states, min(len(states), _GOALS)):
            new = sorted(told.intersection(state.changing()).difference(self.place.state.changing()))
            yield from (goal for goal in _drawn_goals(new, self.rng, 1, 2) if (around.distance(goal) or 0) > 1)

    @cached_property
    def goal_facts(self) -> tuple[GroundAtom, ...]:
        return tuple(goal_atoms(self.goal))


class PlanLandmarks(_NearGoalTopic):
    """Which facts every plan makes true on its way: not those that hold now or that the goal asks for."""

    one = "Must this fact hold at some point, whatever plan reaches my goal from here: {subject}?"
    which = "Which of these facts must hold at some point, whatever plan reaches my goal from here?"
    all = (
        "Which fact must hold at some point, whatever plan reaches my goal from here? Name one that neither holds now "
        "nor is part of my goal, or say none if there is none."
    )

    @cached_property
    def facts(self) -> list[GroundAtom]:
        """The facts that are asked about, those of the known plan first."""
        goal = goal_atoms(self.task.problem.goal)
        return [atom for atom in self.places.atoms if atom not in goal and not self.place.state.true(atom)]

    def likely(self) -> Iterable[GroundAtom]:
        around = self.place.decider.nearby
        met = {fact for state in islice(around.reaching(self.goal_facts), _WAYS) for fact in around.met(state)}
        return sorted(met.intersection(self.facts))

    def right(self, subject: GroundAtom) -> bool | None:
        decided = self.decide(subject)
        return None if decided is None else decided.answer

    def told(self, subject: GroundAtom) -> str:
        return self.places.teller.fact(subject)

    def decide(self, subject: GroundAtom) -> Decision | None:
        asked = not self.place.state.true(subject) and subject not in self.goal_facts
        return self.place.decider.landmark_for(self.goal_facts, subject) if asked else None

    def answer(self) -> tuple[Any, Certificate] | None:
        sides: dict[str, list[str]] = {"yes": [], "no": []}
        proofs = {}
        for fact in self.facts:
            decided = self.place.decider.landmark(fact)
            if decided is None:
                return None
            sides["yes" if decided.answer else "no"].append(str(fact))
            proofs[str(fact)] = decided.certificate
        return sides, proofs


class NextAction(_NearGoalTopic):
    """Which actions begin an optimal plan."""

    one = "Does this action bring me closer to my goal, so that an optimal plan can begin with it: {subject}?"
    which = "Which of these actions can an optimal plan for my goal begin with?"
    all = "Which action can an optimal plan for my goal begin with? Name one."

    def likely(self) -> Iterable[GroundAction]:
        return self._first

    @cached_property
    def _first(self) -> Sequence[GroundAction]:
        """The actions with which optimal plans begin."""
        return self.place.decider.nearby.first_actions(self.goal_facts)

    def right(self, subject: GroundAction) -> bool:
        return subject in self._first

    def told(self, subject: GroundAction) -> str:
        return self.places.teller.action(subject)

    def decide(self, subject: GroundAction) -> Decision:
        before = self.place.decider.nearby.distance(self.goal_facts)
        return Decision(self.right(subject), {"before": before, "first": [*map(str, self._first)]})

    def answer(self) -> tuple[Any, Certificate] | None:
        sides: dict[str, Any] = {"yes": [], "no": [], "maybe": [], "opt": ""}
        costs = {}
        if not 0 < len(self.place.applicable) <= MOST_LISTED:
            return None
        for action in self.place.applicable:
            decided = self.place.decider.next_action(action)
            if decided is None:
                return None
            sides["yes" if decided.answer else "no"].append(str(action))
            costs[str(action)] = decided.certificate["after"]
        sides["opt"] = str(self.place.decider.optimal)
        return sides, {"before": sides["opt"], "after": costs}


def _drawn_goals(
    facts: Sequence[GroundAtom], rng: random.Random, count: int, largest: int
) -> Iterator[tuple[GroundAtom, ...]]:
    """Goals of some facts, at most so many at a time, each once."""
    sizes = (rng.randint(1, largest) for _ in range(count))
    drawn = (tuple(sorted(rng.sample(facts, min(len(facts), size)))) for size in sizes)
    yield from (goal for goal in dict.fromkeys(drawn) if goal)


def _examples(proofs: Mapping[str, Certificate]) -> tuple[Any, Certificate] | None:
    """Some of what never comes about, with the proofs; None if nothing is proved."""
    listed = dict(islice(proofs.items(), MOST_LISTED))
    return ([*listed], listed) if listed else None


ACPBENCH: Mapping[str, type[OpenTopic]] = {
    "applicability": Applicability,
    "progression": Progression,
    "reachability": Reachability,
    "action-reachability": ActionReachability,
    "validation": Validation,
    "justification": Justification,
    "landmarks": PlanLandmarks,
    "next-action": NextAction,
}
"""ACPBench's kinds."""
