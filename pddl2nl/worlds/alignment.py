"""Alignment: where the state that was expected and the state that is observed differ.

"At runtime, the expected state is aligned with the scene graph" (HVR paper, section 2.4). Both are states of the same
task here; what differs are atoms, or triples, and values of numeric fluents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Comparison,
    Condition,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    Task,
    Update,
    When,
    write_number,
)
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
    """What of an expected state is missing in the observed one, and what is there beyond it; both sorted.

    A fluent with another value than expected stands in both value tuples; one without a value only in one of them.
    """

    missing: tuple[GroundAtom, ...] = ()
    surplus: tuple[GroundAtom, ...] = ()
    missing_values: tuple[Value, ...] = ()
    surplus_values: tuple[Value, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the states do not differ."""
        return not (self.missing or self.surplus or self.missing_values or self.surplus_values)

    def triples(self, names: Mapping[str, str] = MappingProxyType({})) -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
        """The atoms as triples: the missing ones, and the surplus ones; objects by their ``names``."""
        return tuple(triple_of(atom, names) for atom in self.missing), tuple(
            triple_of(atom, names) for atom in self.surplus
        )

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """All that is missing in PDDL: atoms, then values."""
        return (*map(str, self.missing), *map(str, self.missing_values))

    @property
    def surplus_texts(self) -> tuple[str, ...]:
        """All that is there beyond the expected in PDDL: atoms, then values."""
        return (*map(str, self.surplus), *map(str, self.surplus_values))


def align(expected: State, observed: State, ignored: Collection[str] = ()) -> Alignment:
    """Where two states of a task differ.

    Args:
        expected: the state that the model of the world says.
        observed: the state that the world is in.
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
    """The functions that keep accounts and are no part of the world: no condition or other function hangs on them.

    ``total-cost`` is one almost everywhere. An action that fails costs less than was expected, and that is nothing
    that could be observed.
    """
    domain = task.domain
    read: set[str] = set()
    for action in domain.actions:
        read.update(_read(action.precondition))
        read.update(_read(action.effect))
    for derived in domain.derived:
        read.update(_read(derived.condition))
    read.update(_read(task.problem.goal))
    return frozenset(function.name for function in domain.functions if function.name not in read)


def _read(condition: Condition) -> Iterator[str]:
    """The functions whose values a condition or an effect reads."""
    match condition:
        case Comparison(_, left, right):
            yield from _named(left)
            yield from _named(right)
        case Update(_, fluent, value):
            # What is only added to itself is still an account.
            yield from (name for name in _named(value) if name != fluent.name)
        case Not(body) | Forall(_, body) | Exists(_, body):
            yield from _read(body)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _read(part)
        case Imply(left, right) | When(left, right):
            yield from _read(left)
            yield from _read(right)


def _named(expression: Expression) -> Iterator[str]:
    match expression:
        case Fluent(name):
            yield name
        case Arithmetic(_, operands):
            for operand in operands:
                yield from _named(operand)
