"""The eight kinds of questions of ACPBench (Kokel et al., 2024 and 2025)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Self

from pddl2nl.pddl import GroundAtom, write_condition
from pddl2nl.questions.deciding import Certificate, Decision, condition_of, goal_atoms, left_out, removals
from pddl2nl.questions.places import StatePlace
from pddl2nl.questions.question import LABELS
from pddl2nl.questions.topic import MOST_LISTED, MOST_TRIED, ActionTopic, FactTopic, Topic, judged_plan
from pddlval import GroundAction, State


class Applicability(ActionTopic):
    """Which actions can be executed now."""

    varies = True
    one = "Can this action be executed now: {subject}?"
    which = "Which of these actions can be executed now?"
    all = "Which actions can be executed now? List all of them, one on each line."

    def subjects(self, right: bool) -> Iterator[GroundAction]:
        for action in self.shuffled(self.place.applicable):
            if right:
                yield action
            else:
                yield from self.near_actions(action)

    def decide(self, subject: GroundAction) -> Decision:
        result = self.places.simulator.step(self.place.state, subject)
        if result.successor is not None:
            return Decision(True, {"applicable": str(subject)})
        return Decision(False, {"unmet": [write_condition(part) for part in result.unmet]})

    def answer(self) -> tuple[Any, Certificate] | None:
        actions = sorted(map(str, self.place.applicable))
        return (actions, {"applicable": len(actions)}) if 0 < len(actions) <= MOST_LISTED else None


class Progression(FactTopic):
    """What an action changes."""

    varied = True
    varies = True
    one = "Suppose this action is executed: {action}. Does this hold afterwards: {subject}?"
    which = "Suppose this action is executed: {action}. Which of these facts holds afterwards?"
    all = (
        "Suppose this action is executed: {action}. Which facts become true that were false before, and which become "
        "false that were true? Write 'Becomes true:' and below it the first, one on each line, and then 'Becomes "
        "false:' and the others."
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        state = place.state
        changing = [item for item, after in place.places.simulator.successors(state) if after != state]
        self.sequence = (rng.choice(changing),) if changing else ()

    @property
    def base(self) -> Mapping[str, str] | None:
        return {"action": self.places.teller.action(self.sequence[0])} if self.sequence else None

    @cached_property
    def changed(self) -> tuple[tuple[GroundAtom, ...], tuple[GroundAtom, ...]]:
        """What becomes true and what becomes false, of what is told."""
        before, after = set(self.place.state.changing()), set(self.place.after(self.sequence).changing())
        told = set(self.places.atoms)
        return tuple(sorted(told & after - before)), tuple(sorted(told & before - after))

    def subjects(self, right: bool) -> Iterator[GroundAtom]:
        added, deleted = self.changed
        if right:
            # As many facts that became true as facts that stay.
            first, second = self.shuffled(added), self.shuffled(sorted({*self.place.state.changing()} - {*deleted}))
        else:
            first, second = self.shuffled(deleted), [near for atom in added for near in self.near_atoms(atom)]
        groups = [first, second]
        self.rng.shuffle(groups)
        told = set(self.places.atoms)
        yield from (atom for group in groups for atom in group if atom in told)

    def near(self, subject: GroundAtom) -> Iterator[GroundAtom]:
        yield from self.shuffled(self.changed[1])
        yield from self.near_atoms(subject)

    def seen(self, subject: GroundAtom) -> Hashable:
        shown, last = {arg for action in self.sequence for arg in action.args}, self.sequence[-1].args
        return super().seen(subject), len(shown.intersection(subject)), len({*last}.intersection(subject))

    def family(self, subject: GroundAtom) -> Hashable:
        # An action always brings about the same facts.
        return self.seen(subject)

    def decide(self, subject: GroundAtom) -> Decision:
        added, deleted = self.changed
        held = self.place.state.true(subject)
        difference = {"added": [*map(str, added)], "deleted": [*map(str, deleted)], "held_before": held}
        return Decision(subject in added or (held and subject not in deleted), difference)

    def answer(self) -> tuple[Any, Certificate] | None:
        added, deleted = ([*map(str, atoms)] for atoms in self.changed)
        return {"pos": added, "neg": deleted}, {"action": str(self.sequence[0])}


class Reachability(Topic):
    """Which facts can hold, alone or together."""

    strict = True
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
        *before, last = subject
        for near in self.near_atoms(last):
            yield (*before, near)
            if not before:
                yield (last, near)
        yield from ((*subject, atom) for atom in self.shuffled(self.places.fitting_atoms))

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


class ActionReachability(ActionTopic):
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


class Validation(Topic):
    """Whether a sequence of actions is a plan, and where it first fails."""

    shown = "sequence"
    varied = True
    needs_plan = True
    one = "Is this sequence of actions a plan for my goal?\n{subject}"
    which = "Which of these claims is true of this sequence of actions?\n{sequence}"
    all = (
        "Which is the first action of this sequence that cannot be executed when its turn comes? Give its index, "
        "counted from 0.\n{sequence}"
    )

    def __init__(self, place: StatePlace, rng: random.Random):
        super().__init__(place, rng)
        plan = self.padded(place.plan or ())
        self.sequence = rng.choice([place.plan or (), plan, *self.near(plan)])

    def subjects(self, right: bool) -> Iterator[tuple[GroundAction, ...]]:
        assert self.place.plan is not None
        padded = (self.padded(self.place.plan) for _ in range(MOST_TRIED))
        yield from (self.place.plan, *padded) if right else self.near(self.padded(self.place.plan))

    def near(self, subject: tuple[GroundAction, ...]) -> Iterator[tuple[GroundAction, ...]]:
        """The sequence with one step left out, exchanged with the next, or about another object."""
        places = self.shuffled(range(len(subject)))
        for at in places:
            if len(subject) > 1:
                yield subject[:at] + subject[at + 1 :]
            yield (*subject[:at], *subject[at : at + 2][::-1], *subject[at + 2 :])
            for other in [*self.near_actions(subject[at])][:2]:
                yield (*subject[:at], other, *subject[at + 1 :])

    def told(self, subject: tuple[GroundAction, ...]) -> str:
        return self.told_plan(subject)

    def decide(self, subject: tuple[GroundAction, ...]) -> Decision:
        return judged_plan(self.place, subject)

    def answer(self) -> tuple[Any, Certificate] | None:
        decided = self.decide(self.sequence)
        failed = decided.certificate.get("failed_step")
        return None if failed is None else (failed - 1, decided.certificate)

    def seen(self, subject: tuple[GroundAction, ...]) -> Hashable:
        return subject

    def ends(self) -> dict[str, Validation]:
        """What is claimed of the sequence, each with this topic at a state near this one for which it is true."""
        simulator, here = self.places.simulator, self.place.state
        near = [state for _, state in self.shuffled([*simulator.successors(here)])]
        walks = (islice(simulator.walk(here, self.rng), _NEAR_STEPS) for _ in range(_NEAR_WALKS))
        around = (state for walk in walks for _, state in walk)
        states = dict.fromkeys((here, *near, *around, *self.shuffled(self.places.states)))
        ends: dict[str, Validation] = {}
        for state in states:
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
        other = type(self)(StatePlace(self.places, state, None), self.rng)
        other.sequence = self.sequence
        return other


VERDICTS: Mapping[str, str] = {
    "valid": "It is a plan for my goal.",
    "goal-not-satisfied": "All its actions can be executed, but my goal does not hold at its end.",
}
"""What is claimed of sequences that can be executed."""
_NEAR_STEPS, _NEAR_WALKS = 4, 10
"""How far states are looked at from which a sequence ends otherwise."""
_LONGEST_DETOUR = 4
_FAILS = "Its action {step} is the first that cannot be executed."


class Justification(Topic):
    """Which actions can be left out of a plan."""

    lasting = False
    strict = True
    shown = "plan"
    varied = True
    needs_plan = True
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

    def subjects(self, right: bool) -> Iterator[tuple[int, int]]:
        stretches = [(start, length) for length in (1, 2) for start in range(len(self.sequence) - length + 1)]
        yield from self.shuffled([stretch for stretch in stretches if (stretch in self.removable) is right])

    def near(self, subject: tuple[int, int]) -> Iterator[tuple[int, int]]:
        start, length = subject
        last = len(self.sequence) - length
        yield from self.shuffled([(at, length) for at in range(last + 1) if at != start])

    def seen(self, subject: tuple[int, int]) -> Hashable:
        start, length = subject
        first, *_, last = self.sequence[start : start + length] * 2
        return length, {*first.args} == {*last.args}

    def surface(self, subject: tuple[int, int]) -> str:
        start, length = subject
        return f"{self.told(subject)}\n{self.told_plan(self.sequence[start : start + length])}"

    def measures(self, subject: tuple[int, int]) -> dict[str, int]:
        start, length = subject
        named, rest = self.sequence[start : start + length], self.sequence[:start] + self.sequence[start + length :]
        elsewhere = Counter(arg for action in rest for arg in {*action.args})
        times = [elsewhere[arg] for action in named for arg in action.args]
        return {
            "place": start,
            "part": 4 * start // len(self.sequence),
            "last": start == len(rest),
            "again": sum(rest.count(action) for action in named),
            "rarest object": min(times, default=0),
            "commonest object": max(times, default=0),
            "objects of both": len({*named[0].args}.intersection(named[-1].args)),
        }

    def told(self, subject: tuple[int, int]) -> str:
        start, length = subject
        return f"action {start + 1}" if length == 1 else f"actions {start + 1} and {start + 2}"

    def decide(self, subject: tuple[int, int]) -> Decision:
        start, length = subject
        shorter = (*self.sequence[:start], *self.sequence[start + length :])
        return judged_plan(self.place, shorter)

    def answer(self) -> tuple[Any, Certificate] | None:
        if not self.removable:
            return None
        texts = [str(action) for action in self.sequence]
        items = [left_out(texts, *stretch) for stretch in sorted(self.removable)]
        start, length = min(self.removable)
        return items, {"plan": texts, "shorter_plan": texts[:start] + texts[start + length :]}


class PlanLandmarks(FactTopic):
    """Which facts every plan makes true on its way: not those that hold now or that the goal asks for."""

    varies = True
    needs_plan = True
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

    def subjects(self, right: bool) -> Iterator[GroundAtom]:
        yield from self.shuffled(self.facts)

    def asks(self, subject: GroundAtom) -> bool:
        return subject in self.facts

    def near(self, subject: GroundAtom) -> Iterator[GroundAtom]:
        facts = set(self.facts)
        yield from (near for near in self.near_atoms(subject) if near in facts)
        yield from self.shuffled(self.facts)

    def decide(self, subject: GroundAtom) -> Decision | None:
        return self.place.decider.landmark(subject)

    def answer(self) -> tuple[Any, Certificate] | None:
        sides: dict[str, list[str]] = {"yes": [], "no": []}
        proofs = {}
        for fact in self.facts:
            decided = self.decide(fact)
            if decided is None:
                return None
            sides["yes" if decided.answer else "no"].append(str(fact))
            proofs[str(fact)] = decided.certificate
        return sides, proofs


class NextAction(ActionTopic):
    """Which actions begin an optimal plan."""

    varies = True
    needs_plan = True
    one = "Does this action bring me closer to my goal, so that an optimal plan can begin with it: {subject}?"
    which = "Which of these actions can an optimal plan for my goal begin with?"
    all = "Which action can an optimal plan for my goal begin with? Name one."

    def subjects(self, right: bool) -> Iterator[GroundAction]:
        if right:
            yield from (self.place.plan or ())[:1]
        yield from self.shuffled(self.place.applicable)

    def asks(self, subject: GroundAction) -> bool:
        # Where enough actions are applicable, no others are asked about.
        return subject in self.place.applicable or len(self.place.applicable) < len(LABELS)

    def near(self, subject: GroundAction) -> Iterator[GroundAction]:
        applicable = self.shuffled(self.place.applicable)
        yield from sorted(applicable, key=lambda action: action.name != subject.name)
        yield from self.near_actions(subject)

    def decide(self, subject: GroundAction) -> Decision | None:
        unmet = self.places.simulator.step(self.place.state, subject).unmet
        if unmet:
            return Decision(False, {"unmet": [write_condition(part) for part in unmet]})
        return self.place.decider.next_action(subject)

    def answer(self) -> tuple[Any, Certificate] | None:
        sides: dict[str, Any] = {"yes": [], "no": [], "maybe": [], "opt": ""}
        costs = {}
        if not 0 < len(self.place.applicable) <= MOST_LISTED:
            return None
        for action in self.place.applicable:
            decided = self.decide(action)
            if decided is None:
                return None
            sides["yes" if decided.answer else "no"].append(str(action))
            costs[str(action)] = decided.certificate["after"]
        sides["opt"] = str(self.place.decider.optimal)
        return sides, {"before": sides["opt"], "after": costs}


def _examples(proofs: Mapping[str, Certificate]) -> tuple[Any, Certificate] | None:
    """Some of what never comes about, with the proofs; None if nothing is proved."""
    listed = dict(islice(proofs.items(), MOST_LISTED))
    return ([*listed], listed) if listed else None


ACPBENCH: Mapping[str, type[Topic]] = {
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
