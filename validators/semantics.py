"""What ground conditions mean, in one screen: the definition that everything else here must match.

All are read in the state before the action (Fox and Long 2003); `schemas.Ground` says what the action then changes.
"""

from __future__ import annotations

from collections.abc import Callable

from pddl2nl.pddl import And, Atom, Condition, Equality, GroundAtom, Not, conjuncts

__all__ = ["Truth", "ground_atom", "holds", "unmet"]

Truth = Callable[[GroundAtom], bool]
"""Whether a ground atom is true in the state at hand."""


def ground_atom(atom: Atom) -> GroundAtom:
    """The ground atom that an atom without variables stands for."""
    return GroundAtom((atom.predicate, *atom.args))


def holds(condition: Condition, true: Truth) -> bool:
    """Whether a ground condition holds.

    Raises:
        TypeError: a construct that `unsupported` refuses when a task is taken up.
    """
    match condition:
        case Atom():
            return true(ground_atom(condition))
        case Equality(left, right):
            return left == right
        case Not(body):
            return not holds(body, true)
        case And(parts):
            return all(holds(part, true) for part in parts)
    raise TypeError(f"not an executable condition: {type(condition).__name__}")


def unmet(condition: Condition, true: Truth) -> tuple[Condition, ...]:
    """The smallest parts of a ground condition that fail: of a conjunction its failing members, in order."""
    return tuple(part for part in conjuncts(condition) if not holds(part, true))
