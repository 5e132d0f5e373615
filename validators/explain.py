"""Why a literal does not hold: the step that undid it, or that it never held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, write_condition
from validators.schemas import Ground
from validators.semantics import ground_atom

__all__ = ["Cause", "Executed", "causes"]


class Executed(NamedTuple):
    """A step that was executed: its number in the plan, from 1, and its action."""

    number: int
    ground: Ground


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a literal fails.

    ``deleted_by_step`` is the step that last made it false (for a negative literal: that added its atom), None
    where no step did; ``never_held`` says that it was true in no state so far; ``lost_after_step``, for goals, is
    the first step after which it no longer held although it had.
    """

    literal: Condition
    deleted_by_step: int | None
    never_held: bool
    lost_after_step: int | None = None

    def as_json(self) -> dict[str, object]:
        """The cause as INTERFACE prints it."""
        return {
            "literal": write_condition(self.literal),
            "deleted_by_step": self.deleted_by_step,
            "never_held": self.never_held,
            "lost_after_step": self.lost_after_step,
        }


def causes(
    literals: Iterable[Condition],
    initially: Callable[[GroundAtom], bool],
    executed: Sequence[Executed],
    *,
    goals: bool,
) -> tuple[Cause, ...]:
    """The cause of every unmet literal, in their order.

    Args:
        literals: what does not hold in the end.
        initially: whether an atom was true in the initial state.
        executed: the steps in the order in which they happened.
        goals: whether the literals are goals, for which the first loss is told too.
    """
    return tuple(_cause(literal, initially, executed, goals) for literal in literals)


def _cause(
    literal: Condition, initially: Callable[[GroundAtom], bool], executed: Sequence[Executed], goal: bool
) -> Cause:
    wanted, atom = True, literal
    while isinstance(atom, Not):
        wanted, atom = not wanted, atom.body
    if not isinstance(atom, Atom):
        return Cause(literal, None, never_held=True)
    fact = ground_atom(atom)
    held = initially(fact) is wanted
    never_held = not held
    first_loss: int | None = None
    last_loss: int | None = None
    for number, ground in executed:
        if fact in ground.added:
            holds_now = wanted
        elif fact in ground.removed:
            holds_now = not wanted
        else:
            continue
        if held and not holds_now:
            first_loss = number if first_loss is None else first_loss
            last_loss = number
        never_held = never_held and not holds_now
        held = holds_now
    return Cause(literal, last_loss, never_held, first_loss if goal else None)
