"""States of a task: which atoms are true, and what the numeric fluents are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from pddl2nl.pddl import GroundAtom

__all__ = ["Number", "State", "Statics"]

Number = int | Fraction
"""An exact number; whole ones are kept as ``int``, with which sums are ten times as fast."""


class Statics:
    """What no action changes, shared by all states of a task: atoms, and values of functions."""

    __slots__ = ("atoms", "values")

    def __init__(self, atoms: frozenset[GroundAtom], values: Mapping[GroundAtom, Number]):
        self.atoms = atoms
        self.values = values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Statics):
            return NotImplemented
        return self is other or (self.atoms == other.atoms and self.values == other.values)

    def __hash__(self) -> int:
        return hash(self.atoms)


class State:
    """A state: immutable, hashable, and equal to every state with the same atoms and values.

    States are made by a `Simulator` (`Simulator.initial`, `Simulator.step`, `Simulator.state`). Ask them with
    ``atom in state``, iteration (sorted), `atoms`, `values` and `value`. The other attributes are for this room
    alone, and how they hold a state may change.
    """

    __slots__ = ("_hash", "changing", "levels", "statics")

    def __init__(self, statics: Statics, changing: frozenset[GroundAtom], levels: Mapping[GroundAtom, Number]):
        self.statics = statics
        self.changing = changing
        self.levels = levels
        self._hash: int | None = None

    @property
    def atoms(self) -> frozenset[GroundAtom]:
        """All atoms that are true."""
        return self.statics.atoms | self.changing

    @property
    def values(self) -> Mapping[GroundAtom, Fraction]:
        """The value of every numeric fluent that has one: ``{GroundAtom(("total-cost",)): Fraction(3)}``."""
        both = {**self.statics.values, **self.levels}
        return MappingProxyType({fluent: Fraction(value) for fluent, value in both.items()})

    def value(self, fluent: GroundAtom) -> Fraction | None:
        """The value of one numeric fluent, or None where it has none."""
        found = self.levels.get(fluent)
        if found is None:
            found = self.statics.values.get(fluent)
        return None if found is None else Fraction(found)

    def __contains__(self, atom: object) -> bool:
        return atom in self.changing or atom in self.statics.atoms

    def __iter__(self) -> Iterator[GroundAtom]:
        return iter(sorted(self.atoms))

    def __len__(self) -> int:
        return len(self.changing) + len(self.statics.atoms)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.changing == other.changing and self.levels == other.levels and self.statics == other.statics

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.changing, frozenset(self.levels.items())))
        return self._hash

    def __repr__(self) -> str:
        return f"<State of {len(self)} atoms>"
