"""Alignment: the differences between the expected and the observed state.

"At runtime, the expected state is aligned with the scene graph" (HVR paper, section 2.4). Both are states of the same
task here; they differ in atoms and in values of numeric fluents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction

from pddl2nl.pddl import Comparison, Condition, Fluent, GroundAtom, Task, Update, write_number
from pddl2nl.pddl.tree import Node, walk
from pddlval import State


@dataclass(frozen=True, order=True)
class Value:
    """The value of a numeric fluent; its text is ``(= (fuel truck-1) 3)``."""

    fluent: GroundAtom
    value: Fraction

    def __str__(self) -> str:
        return f"(= {self.fluent} {write_number(self.value)})"


@dataclass(frozen=True)
class Alignment:
    """What an observed state lacks of the expected one, and what it has in addition; both sorted.

    A fluent with an unexpected value stands in both tuples of values.
    """

    missing: tuple[GroundAtom, ...] = ()
    surplus: tuple[GroundAtom, ...] = ()
    missing_values: tuple[Value, ...] = ()
    surplus_values: tuple[Value, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the states are equal."""
        return self == Alignment()

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """All that is missing, in PDDL: atoms, then values."""
        return (*map(str, self.missing), *map(str, self.missing_values))

    @property
    def surplus_texts(self) -> tuple[str, ...]:
        """All that is surplus, in PDDL: atoms, then values."""
        return (*map(str, self.surplus), *map(str, self.surplus_values))


def align(expected: State, observed: State, ignored: Collection[str] = ()) -> Alignment:
    """The differences between two states of a task.

    Args:
        expected: the state by the model.
        observed: the state of the world.
        ignored: functions whose values are not compared (`accounts`).
    """
    if expected == observed:
        return Alignment()
    one, other = frozenset(expected.changing()), frozenset(observed.changing())
    ours, theirs = (
        frozenset(Value(fluent, value) for fluent, value in state.values.items() if fluent[0] not in ignored)
        for state in (expected, observed)
    )
    return Alignment(
        tuple(sorted(one - other)),
        tuple(sorted(other - one)),
        tuple(sorted(ours - theirs)),
        tuple(sorted(theirs - ours)),
    )


def accounts(task: Task) -> frozenset[str]:
    """The functions that only accumulate, such as ``total-cost``: no condition and no other function depends on them.

    They are not observable: an action that fails silently costs less than expected.
    """
    domain = task.domain
    formulas: list[Condition] = [task.problem.goal, *(derived.condition for derived in domain.derived)]
    for action in domain.actions:
        formulas += (action.precondition, action.effect)
    read = {name for formula in formulas for node in walk(formula) for name in _functions_read(node)}
    return frozenset(function.name for function in domain.functions if function.name not in read)


def _functions_read(node: Node) -> Iterator[str]:
    """The functions whose values a comparison or an update reads."""
    if isinstance(node, Comparison):
        yield from (part.name for part in walk(node) if isinstance(part, Fluent))
    elif isinstance(node, Update):
        # A function that is only added to itself still accumulates.
        names = (part.name for part in walk(node.value) if isinstance(part, Fluent))
        yield from (name for name in names if name != node.fluent.name)
