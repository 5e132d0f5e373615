"""The ground actions of a task as sets of literals: what relaxations of the task are computed on.

This holds for every task that the simulator executes: of a precondition only the conjoined literals are needed, a
conditional effect may always add and never surely deletes, and derived predicates and numbers are not looked at. So
what is impossible for these actions is impossible in the task; what is possible for them need not be possible there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pddl2nl.pddl import And, Atom, Condition, GroundAtom, Not, conjuncts
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import has_comparison, negation_normal, predicates_in
from pddlval.schemas import Ground, Instances
from pddlval.semantics import ground_atom
from pddlval.state import StateLayout

MOST_ACTIONS = 20_000
"""Of tasks with more ground actions nothing is proved impossible here."""

Literal = tuple[GroundAtom, bool]


@dataclass(frozen=True)
class RelaxedAction:
    """A ground action; ``needs``, ``adds`` and ``deletes`` are sets of literals, a bit a literal."""

    action: GroundAction
    needs: int
    adds: int
    deletes: int


class GroundActions:
    """The ground actions of a task whose static preconditions hold, and the numbers of their literals.

    Args:
        simulator: of the task; the initial state plays no part.
    """

    def __init__(self, simulator: Simulator):
        self.simulator = simulator
        self.layout: StateLayout = simulator.initial.layout
        self._numbers: dict[Literal, int] = {}
        self._literals: list[Literal] = []

    @cached_property
    def actions(self) -> tuple[RelaxedAction, ...] | None:
        """The actions that may be applicable in some state; None if there are more than `MOST_ACTIONS`."""
        grounds = list(islice(self.grounds(), MOST_ACTIONS + 1))
        if len(grounds) > MOST_ACTIONS:
            return None
        needs = [[*self._literals_of(ground.precondition())] for ground in grounds]
        # Only negative literals that an action needs are numbered: an atom that is added ends its negation.
        for literal in (literal for each in needs for literal in each):
            self._number(literal)
        return tuple(self._relaxed(ground, each) for ground, each in zip(grounds, needs, strict=True))

    def grounds(self) -> Iterator[Ground]:
        """The ground actions, compiled, in the order of the file; the objects of each in the order of their names."""
        for schema in self.simulator.task.domain.actions:
            static = (
                part
                for part in conjuncts(negation_normal(schema.precondition))
                if predicates_in(part).isdisjoint(self.layout.dynamic) and not has_comparison(part)
            )
            for args in sorted(self.layout.engine.solutions(And(tuple(static)), schema.parameters, {})):
                ground = self.simulator.ground(GroundAction(schema.name, args))
                if ground.possible:
                    yield ground

    def _literals_of(self, condition: Condition) -> Iterator[Literal]:
        """The conjoined literals of a ground condition over what actions change."""
        for part in conjuncts(negation_normal(condition)):
            body = part.body if isinstance(part, Not) else part
            if isinstance(body, Atom) and body.predicate in self.layout.changing:
                yield ground_atom(body, {}), body is part

    def _relaxed(self, ground: Ground, needs: Iterable[Literal]) -> RelaxedAction:
        adds: set[GroundAtom] = set()
        may_delete: set[GroundAtom] = set()
        deletes: set[GroundAtom] = set()
        for part in Instances(self.layout, ground.action).parts(ground.schema.effect, ground.binding()):
            adds.update(part.adds)
            may_delete.update(part.deletes)
            if not (part.literals or part.tests):
                deletes.update(part.deletes)
        sure = adds if not ground.schema.effect.conditional else set[GroundAtom]()
        ended = [(atom, True) for atom in deletes - adds] + [(atom, False) for atom in sure]
        begun = [(atom, True) for atom in adds] + [(atom, False) for atom in may_delete - sure]
        begun = [literal for literal in begun if literal[1] or literal in self._numbers]
        ended = [literal for literal in ended if literal[1] or literal in self._numbers]
        return RelaxedAction(ground.action, self.mask(needs), self.mask(begun), self.mask(ended))

    def _number(self, literal: Literal) -> int:
        number = self._numbers.setdefault(literal, len(self._literals))
        if number == len(self._literals):
            self._literals.append(literal)
        return number

    @property
    def numbered(self) -> tuple[Literal, ...]:
        """All literals that have a number, in their order."""
        return tuple(self._literals)

    def mask(self, literals: Iterable[Literal]) -> int:
        mask = 0
        for literal in literals:
            mask |= 1 << self._number(literal)
        return mask

    def needs(self, condition: Condition) -> int:
        """The conjoined literals of a ground condition, without negative ones that no action needs."""
        return self.mask(each for each in self._literals_of(condition) if each[1] or each in self._numbers)

    def holding(self, state: State) -> int:
        """The numbered literals that hold in a state, and all its atoms."""
        mask = self.mask((atom, True) for atom in state.changing())
        for (atom, positive), number in self._numbers.items():
            if not positive and not state.true(atom):
                mask |= 1 << number
        return mask

    def literal(self, number: int) -> str:
        atom, positive = self._literals[number]
        return str(atom) if positive else f"(not {atom})"


def bits(mask: int) -> Iterator[int]:
    """The numbers in a set, the smallest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
