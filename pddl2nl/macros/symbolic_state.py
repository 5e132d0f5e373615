"""A state of which not everything is known, as `pddl2nl.macros.symbolic` works with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pddl2nl.macros.circuit import FALSE, Lit
from pddl2nl.pddl import GroundAtom

__all__ = ["Effects", "Level", "SymbolicState", "Truth"]


class Truth(NamedTuple):
    """Where a condition is true, and where it is undefined; elsewhere it is false."""

    true: Lit
    undefined: Lit = FALSE


class Level(NamedTuple):
    """Where a fluent has a value, and that value."""

    defined: Lit
    term: int


@dataclass
class SymbolicState:
    """A state: what actions have made true or false, and the values that they have given; all else is as it was."""

    atoms: dict[GroundAtom, Lit] = field(default_factory=dict)
    levels: dict[GroundAtom, Level] = field(default_factory=dict)
    derived: dict[GroundAtom, Truth] = field(default_factory=dict)


@dataclass
class Effects:
    """What happens in one state: where each atom is added or deleted, the updates of each fluent, what is undefined."""

    adds: dict[GroundAtom, Lit] = field(default_factory=dict)
    deletes: dict[GroundAtom, Lit] = field(default_factory=dict)
    updates: dict[GroundAtom, list[tuple[Lit, str, int]]] = field(default_factory=dict)
    undefined: Lit = FALSE
