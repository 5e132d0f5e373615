"""Executors: worlds in which actions are carried out, which may differ from the model."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pddl2nl.pddl import changed_predicates
from pddl2nl.worlds.faults import Failure, Faults, WorldChange, check_faults
from pddlval import GroundAction, Simulator, State


class Executor(Protocol):
    """A world in which actions are carried out, which may differ from the model of it.

    Attributes:
        reported: the error that the world reported of the last action, which was not carried out; else empty.
    """

    reported: str

    def execute(self, state: State, action: GroundAction) -> State:
        """The state that is observed after an action; unchanged if the action is not applicable."""
        ...


@dataclass(frozen=True)
class Occurrence:
    """A fault that took effect; ``step`` is the number of the action (from 1), ``fault`` the statement."""

    step: int
    fault: str


class FaultyExecutor:
    """A world with faults. It counts the actions that it carries out, so every run needs its own.

    Args:
        simulator: the model.
        faults: how the world differs from it.
        seed: of the probabilities, unless the faults name one.

    Attributes:
        steps: how many actions were carried out, inapplicable ones included.
        occurred: the faults that changed something, in order.
        reported: the error that the world reported of the last action, which was not carried out; else empty.

    Raises:
        InputError: the faults do not fit the task (`check_faults`).
    """

    def __init__(self, simulator: Simulator, faults: Faults, seed: int = 1):
        check_faults(faults, simulator.task)
        self.steps = 0
        self.occurred: list[Occurrence] = []
        self.reported = ""
        self._simulator = simulator
        self._faults = faults
        self._seed = seed if faults.seed is None else faults.seed
        self._failed: Counter[int] = Counter()

    def execute(self, state: State, action: GroundAction) -> State:
        """The state after an action in this world.

        Changes before the action come first, whether the action is then applicable or not; a failure only happens to
        an applicable action.

        Raises:
            BadActionError: the task has no such action.
        """
        self._simulator.check(action)
        self.steps += 1
        self.reported = ""
        state = self._changed(state, after=False)
        successor = self._simulator.step(state, action).successor
        if successor is not None:
            failure = self._failure(action)
            if failure is None:
                state = successor
            elif failure.kind == "break":
                state = self._broken(state, action)
            else:
                self.reported = failure.report
        return self._changed(state, after=True)

    def _broken(self, state: State, action: GroundAction) -> State:
        """The state without all facts about the first object of an action that actions can change."""
        changing = changed_predicates(self._simulator.task.domain)
        atoms = (atom for atom in state.atoms if atom[0] not in changing or not {*atom[1:]} & {*action.args[:1]})
        return self._simulator.state(atoms, dict(state.values))

    def _failure(self, action: GroundAction) -> Failure | None:
        for number, failure in enumerate(self._faults.failures):
            if self._meets(number, failure, action):
                self._failed[number] += 1
                self.occurred.append(Occurrence(self.steps, str(failure)))
                return failure
        return None

    def _meets(self, number: int, failure: Failure, action: GroundAction) -> bool:
        if failure.pattern is not None and not failure.pattern.matches(action):
            return False
        if failure.steps and self.steps not in failure.steps:
            return False
        if failure.times is not None and self._failed[number] >= failure.times:
            return False
        # A string seed gives the same numbers in every process; each step has a generator of its own.
        return failure.chance == 1 or random.Random(f"{self._seed} {number} {self.steps}").random() < failure.chance

    def _changed(self, state: State, *, after: bool) -> State:
        due: Sequence[WorldChange] = [
            change for change in self._faults.changes if (change.step, change.after) == (self.steps, after)
        ]
        for change in due:
            changed = self._applied(state, change)
            if changed != state:
                self.occurred.append(Occurrence(self.steps, str(change)))
                state = changed
        return state

    def _applied(self, state: State, change: WorldChange) -> State:
        if not all(state.true(fact.atom) for fact in change.undone):
            return state
        atoms = set(state.atoms).difference(fact.atom for fact in change.undone)
        values = dict(state.values)
        for fact in change.facts:
            if fact.value is not None:
                values[fact.atom] = fact.value
            elif fact.positive:
                atoms.add(fact.atom)
            else:
                atoms.discard(fact.atom)
        return self._simulator.state(atoms, values)
