"""What no plan can bring about: the pairs of literals that hold together in no state that can be reached.

This is h² of Haslum and Geffner ("Admissible heuristics for optimal planning", 2000): a pair of literals is possible
if it holds in the state, or if some action whose needs are pairwise possible adds one of the two and leaves the other.
What is impossible here is impossible in the task; what is possible here need not be reachable.

Larger sets are refuted by induction (`Mutexes.unreachable`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.pddl import Condition, GroundAtom
from pddl2nl.search.grounding import GroundActions, RelaxedAction, bits
from pddlval import State


class Mutexes:
    """The pairs of literals that may hold together in a state that some of the actions reach.

    Args:
        ground: the actions and the numbers of their literals.
        state: where plans begin.
        without: an atom that no action may add; what needs it is then impossible as well.
    """

    def __init__(self, ground: GroundActions, state: State, without: GroundAtom | None = None):
        self._ground = ground
        actions: Sequence[RelaxedAction] = ground.actions or ()
        forbidden = 0 if without is None else ground.mask([(without, True)])
        self._actions = [action for action in actions if not action.adds & forbidden]
        self._begin = begin = ground.holding(state)
        self._with: list[int] = []
        """For each literal those that may hold together with it, itself among them; 0 if it never holds."""
        self._size(begin)
        for number in bits(begin):
            self._with[number] = begin
        self._possible = begin
        while self._sweep():
            pass

    def _size(self, mask: int) -> None:
        self._with.extend([0] * (mask.bit_length() - len(self._with)))

    def _with_of(self, number: int) -> int:
        """The literals that may hold together with one."""
        return self._with[number] if number < len(self._with) else 0

    def _sweep(self) -> bool:
        """Applies every action once; whether a pair became possible."""
        changed = False
        for action in self._actions:
            common = self._together(action.needs)
            if common is None:
                continue
            kept = common & ~action.deletes & ~action.adds
            self._size(action.adds)
            for added in bits(action.adds):
                new = (kept | action.adds) & ~self._with[added]
                if new:
                    changed = True
                    self._with[added] |= new
                    self._possible |= 1 << added
                    for other in bits(new):
                        self._with[other] |= 1 << added
        return changed

    def _together(self, needs: int) -> int | None:
        """The literals that may hold together with each of these; None if these may not hold together."""
        common = self._possible
        if needs.bit_length() > len(self._with):
            return None
        for number in bits(needs):
            if needs & ~self._with[number]:
                return None
            common &= self._with[number]
        return common

    def refutation(self, condition: Condition) -> tuple[str, ...] | None:
        """One literal of a ground condition that never holds, or two that never hold together, or None.

        Always None where there are too many actions (`GroundActions.actions`).
        """
        return self.never(self._ground.needs(condition))

    def never(self, needs: int) -> tuple[str, ...] | None:
        """As `refutation`, for a set of literals."""
        if self._ground.actions is None:
            return None
        self._size(needs)
        for number in bits(needs):
            if not self._with[number]:
                return (self._ground.literal(number),)
        for number in bits(needs):
            if missing := needs & ~self._with[number]:
                return self._ground.literal(number), self._ground.literal(next(bits(missing)))
        return None

    def unreachable(self, atoms: int, one: int) -> bool:
        """Whether induction proves that a set of atoms, or some of it with `one` among them, never holds together.

        A set never holds if it does not hold at first and no action can complete it: an action that adds to it deletes
        another, or needs what cannot hold together with the rest. A tower that stands on itself is an example, of which
        each pair of blocks is possible. What some action does complete is left out of the set.
        """
        core = atoms | one
        while core & one and core & ~self._begin:
            completing = next((action.adds & core for action in self._actions if self._completes(action, core)), 0)
            if not completing:
                return True
            core &= ~completing
        return False

    def _completes(self, action: RelaxedAction, atoms: int) -> bool:
        if not action.adds & atoms or action.deletes & atoms or self._together(action.needs) is None:
            return False
        return self.never((atoms & ~action.adds) | action.needs) is None
