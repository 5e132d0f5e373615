"""Alignment: the differences between the expected and the observed state.

"At runtime, the expected state is aligned with the scene graph" (HVR paper, section 2.4). Both are states of the same
task here; they differ in atoms (or triples) and in values of numeric fluents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from pddl2nl.pddl import Comparison, Condition, Fluent, GroundAtom, Task, Update, write_number
from pddl2nl.pddl.tree import Node, walk
from pddl2nl.worlds.triples import Triple, triple_of
from pddlval import State

__all__ = ["Alignment", "Value", "accounts", "align"]


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
        return not (self.missing or self.surplus or self.missing_values or self.surplus_values)

    def triples(self, names: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
        """The missing and the surplus atoms as triples; objects by their ``names``."""
        return tuple(triple_of(atom, names) for atom in self.missing), tuple(
            triple_of(atom, names) for atom in self.surplus
        )

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
    ours, theirs = _values(expected, ignored), _values(observed, ignored)
    return Alignment(
        tuple(sorted(one - other)),
        tuple(sorted(other - one)),
        tuple(sorted(ours - theirs)),
        tuple(sorted(theirs - ours)),
    )


def _values(state: State, ignored: Collection[str]) -> frozenset[Value]:
    return frozenset(Value(fluent, value) for fluent, value in state.values.items() if fluent[0] not in ignored)


def accounts(task: Task) -> frozenset[str]:
    """The functions that only accumulate, such as ``total-cost``: no condition and no other function depends on them.

    They are not observable: an action that fails silently costs less than expected.
    """
    domain = task.domain
    conditions: list[Condition] = [task.problem.goal, *(derived.condition for derived in domain.derived)]
    for action in domain.actions:
        conditions += (action.precondition, action.effect)
    read = {name for condition in conditions for name in _functions_read(condition)}
    return frozenset(function.name for function in domain.functions if function.name not in read)


def _functions_read(condition: Condition) -> Iterator[str]:
    """The functions whose values a condition or an effect reads."""
    for node in walk(condition):
        if isinstance(node, Comparison):
            yield from _fluents(node)
        elif isinstance(node, Update):
            # A function that is only added to itself still accumulates.
            yield from (name for name in _fluents(node.value) if name != node.fluent.name)


def _fluents(node: Node) -> Iterator[str]:
    return (part.name for part in walk(node) if isinstance(part, Fluent))
