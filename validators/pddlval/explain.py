"""Why a condition does not hold: the step that undid it, or that it never held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pddl2nl.lean import dataclass
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, write_condition
from pddlval.effects import Outcome
from pddlval.numeric import UndefinedError
from pddlval.semantics import ground_atom
from pddlval.state import State

__all__ = ["Cause", "Executed", "causes"]


_NOTHING: Mapping[str, str] = MappingProxyType({})


class Executed(NamedTuple):
    """A happening that was executed: its steps' numbers in the plan, from 1, their effects, and the state after."""

    numbers: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a condition fails.

    ``deleted_by_step`` is the step that last made it false (for a negative literal: that added its atom), None
    where no step did; ``never_held`` says that it was true in no state so far; ``lost_after_step``, for goals, is
    the first step after which it no longer held although it had. Of steps that happen together the last one stands
    for all, unless it is known which of them it was.
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


class _Turn(NamedTuple):
    """A step after which an atom is true or false."""

    number: int
    value: bool


def causes(
    conditions: Iterable[Condition], initial: State, executed: Sequence[Executed], *, goals: bool
) -> tuple[Cause, ...]:
    """The cause of every unmet condition, in their order.

    Args:
        conditions: ground conditions that do not hold in the end.
        initial: the state that the plan began in.
        executed: what happened, in order.
        goals: whether the conditions are goals, for which the first loss is told too.
    """
    conditions = tuple(conditions)
    literals = {condition: literal for condition in conditions if (literal := _literal(condition, initial)) is not None}
    turns = _turns({atom for atom, _ in literals.values()}, executed)
    others = _values([condition for condition in conditions if condition not in literals], executed)
    found = []
    for condition in conditions:
        if condition in literals:
            atom, wanted = literals[condition]
            held = initial.true(atom) is wanted
            values = [_Turn(number, value is wanted) for number, value in turns.get(atom, ())]
        else:
            held = _held(condition, initial)
            values = others[condition]
        found.append(_cause(condition, held, values, goals))
    return tuple(found)


def _values(conditions: Sequence[Condition], executed: Sequence[Executed]) -> dict[Condition, list[_Turn]]:
    """Whether each of these conditions holds after each happening; what is derived for that is not kept."""
    values: dict[Condition, list[_Turn]] = {condition: [] for condition in conditions}
    if values:
        for one in executed:
            for condition, turns in values.items():
                turns.append(_Turn(one.numbers[-1], _held(condition, one.state)))
            one.state.forget()
    return values


def _literal(condition: Condition, initial: State) -> tuple[GroundAtom, bool] | None:
    """The atom of a literal and the value it should have; None where it is no literal, or follows from others."""
    wanted, atom = True, condition
    while isinstance(atom, Not):
        wanted, atom = not wanted, atom.body
    if not isinstance(atom, Atom) or atom.predicate in initial.layout.derived:
        return None
    return ground_atom(atom), wanted


def _turns(atoms: set[GroundAtom], executed: Sequence[Executed]) -> dict[GroundAtom, list[_Turn]]:
    """When each of these atoms was added or deleted: one pass, however many atoms there are."""
    turns: dict[GroundAtom, list[_Turn]] = {}
    for one in executed:
        # Adds come last: of what is deleted and added at one time the add wins.
        values = {
            atom: _Turn(number, value=False)
            for number, outcome in zip(one.numbers, one.outcomes, strict=True)
            for atom in outcome.deletes
            if atom in atoms
        }
        values |= {
            atom: _Turn(number, value=True)
            for number, outcome in zip(one.numbers, one.outcomes, strict=True)
            for atom in outcome.adds
            if atom in atoms
        }
        for atom, turn in values.items():
            turns.setdefault(atom, []).append(turn)
    return turns


def _held(condition: Condition, state: State) -> bool:
    try:
        return state.layout.holds(condition, state, _NOTHING)
    except UndefinedError:
        return False


def _cause(condition: Condition, held: bool, values: Iterable[_Turn], goal: bool) -> Cause:
    never_held = not held
    first_loss: int | None = None
    last_loss: int | None = None
    for number, holds_now in values:
        if held and not holds_now:
            first_loss = number if first_loss is None else first_loss
            last_loss = number
        never_held = never_held and not holds_now
        held = holds_now
    return Cause(condition, last_loss, never_held, first_loss if goal else None)
