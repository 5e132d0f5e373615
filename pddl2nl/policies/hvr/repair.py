"""The deterministic repair: missing navigation steps are put in (HVR paper, section 2.4, "Heuristic-based").

The block is walked through on paper. An action that cannot be done, and all of whose failing conditions say where
somebody is, is what a missing movement looks like (`pddl2nl.macros.movement`): the shortest sequence of movements
after which it can be done is put in before it. Whether it can be done is asked of the simulator, so that a movement
that breaks another of its conditions does not count. Where no short sequence helps, the walk ends, and the rest of the
block stays as it is: what is wrong there is the validator's business, and the model's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.macros.movement import Movement, movements, moves_towards
from pddl2nl.pddl import Atom, Condition
from pddlval import BadActionError, GroundAction, Simulator, State
from pddlval.names import subformulas

__all__ = ["Repair", "Repaired"]

_LONGEST = 8
"""So many movements are put in at one place at most."""

_MOST_STATES = 300
"""So many states are looked at for one place at most."""


@dataclass(frozen=True)
class Repaired:
    """A block after the repair; ``inserted`` are the places of the actions that were put in, from 0."""

    actions: tuple[GroundAction, ...]
    inserted: tuple[int, ...] = ()


class Repair:
    """Puts missing movements into the blocks of one task.

    Args:
        simulator: of the task.
    """

    def __init__(self, simulator: Simulator):
        self._simulator = simulator
        self._movements: tuple[Movement, ...] = movements(simulator.task.domain)
        self._where = {name for movement in self._movements for name in movement.predicates}

    def repair(self, actions: Sequence[GroundAction], state: State) -> Repaired:
        """The block with what is missing, to be carried out from a state on."""
        if not self._movements:
            return Repaired(tuple(actions))
        done: list[GroundAction] = []
        inserted: list[int] = []
        for place, action in enumerate(actions):
            way = self._way(action, state)
            if way is None:
                return Repaired((*done, *actions[place:]), tuple(inserted))
            for step in (*way, action):
                if step is not action:
                    inserted.append(len(done))
                done.append(step)
                after = self._simulator.step(state, step).successor
                assert after is not None
                state = after
        return Repaired(tuple(done), tuple(inserted))

    def _way(self, action: GroundAction, start: State) -> tuple[GroundAction, ...] | None:
        """The movements before an action, none where it can be done at once; None where it cannot be mended so."""
        simulator = self._simulator
        try:
            first = simulator.step(start, action)
        except BadActionError:
            return None
        if first.applicable:
            return ()
        if not first.unmet or not all(map(self._says_where, first.unmet)):
            return None
        queue: deque[tuple[State, tuple[GroundAction, ...]]] = deque([(start, ())])
        seen = {start}
        while queue and len(seen) <= _MOST_STATES:
            state, way = queue.popleft()
            unmet = simulator.step(state, action).unmet
            for move in moves_towards(simulator, self._movements, state, (*unmet, *first.unmet)):
                after = simulator.step(state, move).successor
                if after is None or after in seen:
                    continue
                if simulator.is_applicable(after, action):
                    return (*way, move)
                seen.add(after)
                if len(way) + 1 < _LONGEST:
                    queue.append((after, (*way, move)))
        return None

    def _says_where(self, condition: Condition) -> bool:
        """Whether a failing condition is about where somebody is, so that a movement may mend it."""
        return any(isinstance(part, Atom) and part.predicate in self._where for part in subformulas(condition))
