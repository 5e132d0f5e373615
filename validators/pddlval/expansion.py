"""Conditional and quantified effects of one ground action, taken apart once: each part with the bits that it needs.

What `effects.EffectBlock` works out anew in every state is done here for all states: quantified variables are
replaced by their objects, static conditions are decided, and the atoms of the others become bits of a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pddl2nl.pddl import GroundAtom
from pddlval.effects import Change, EffectBlock, Guard, NumericEffect, Outcome, choices
from pddlval.places import Slots, Test
from pddlval.state import BIT, BITS, Layout, State

__all__ = ["MOST_PARTS", "Masks", "Part", "expand", "holds_in", "masks_of", "outcome_of"]

Masks = tuple[tuple[int, int], ...]
"""Bits of a state: which of its integers, and which bits of that one."""

MOST_PARTS = 2_000
"""An action with more parts is not taken apart: they would fill the memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """Effects that happen where all ``needed`` bits are 1, all ``forbidden`` ones 0, and all tests pass."""

    needed: Masks = ()
    forbidden: Masks = ()
    tests: tuple[Test, ...] = ()
    slots: tuple[str, ...] = field(default=(), repr=False)
    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[NumericEffect, ...] = ()


class _TooManyError(Exception):
    """There are more than `MOST_PARTS`."""


def expand(block: EffectBlock, slots: Slots, layout: Layout) -> tuple[Part, ...] | None:
    """The parts of an action's effect, in the order in which they happen; None where there are too many.

    Args:
        block: the compiled effect.
        slots: the action's names; quantified variables are bound in it.
        layout: where the task's states hold their atoms.
    """
    parts: list[Part] = []
    try:
        for part in _parts(block, slots, layout, Part()):
            parts.append(part)
            if len(parts) > MOST_PARTS:
                return None
    except _TooManyError:
        return None
    return tuple(parts)


def _parts(block: EffectBlock, slots: Slots, layout: Layout, outer: Part) -> Iterator[Part]:
    if block.deletes or block.adds:
        deletes = tuple([GroundAtom(pick(slots)) for pick in block.deletes])
        yield replace(
            outer, slots=tuple(slots), deletes=deletes, adds=tuple([GroundAtom(pick(slots)) for pick in block.adds])
        )
    for guard, inner in block.whens:
        guarded = _guarded(guard, slots, layout, outer)
        if guarded is not None:
            read = guard.rest is None
            for part in _parts(inner, slots, layout, guarded):
                read = read or _same_conditions(part, guarded)
                yield part
            if not read:
                # Nothing follows, or nothing but what has further conditions, which are looked at first: what this
                # condition reads must have a value all the same.
                yield replace(guarded, slots=tuple(slots))
    if block.updates:
        yield replace(outer, slots=tuple(slots), updates=block.updates)
    for variables, screens, inner in block.foralls:
        static = tuple(tuple(screen for screen in own if screen.static) for own in screens or [()] * len(variables))
        for tried, bound in enumerate(choices(variables, static, slots, layout.empty)):
            # Also instances that no state makes happen take their time.
            if tried > 10 * MOST_PARTS:
                raise _TooManyError
            if bound:
                yield from _parts(inner, slots, layout, outer)


def _same_conditions(part: Part, other: Part) -> bool:
    return (part.needed, part.forbidden, part.tests) == (other.needed, other.forbidden, other.tests)


def _guarded(guard: Guard, slots: Slots, layout: Layout, outer: Part) -> Part | None:
    """The outer conditions and these; None where these can never hold."""
    for one, other, positive in guard.equalities:
        if (slots[one] == slots[other]) is not positive:
            return None
    for pick, positive in guard.static:
        if (pick(slots) in layout.statics.atoms) is not positive:
            return None
    needed = masks_of(layout, [GroundAtom(pick(slots)) for pick in guard.needed])
    forbidden = masks_of(layout, [GroundAtom(pick(slots)) for pick in guard.forbidden])
    tests = outer.tests if guard.rest is None else (*outer.tests, guard.rest)
    # A test reads the slots of its own quantifiers and of those around it, which are bound now.
    return replace(outer, needed=outer.needed + needed, forbidden=outer.forbidden + forbidden, tests=tests)


def masks_of(layout: Layout, atoms: Sequence[GroundAtom]) -> Masks:
    """The bits of these atoms."""
    masks: dict[int, int] = {}
    for atom in atoms:
        chunk, place = divmod(layout.number(atom), BITS)
        masks[chunk] = masks.get(chunk, 0) | BIT[place]
    return tuple(masks.items())


def holds_in(chunks: tuple[int, ...], needed: Masks, forbidden: Masks) -> bool:
    """Whether all of one kind of bits are 1 in a state, and all of the other kind 0."""
    count = len(chunks)
    for chunk, mask in needed:
        if chunk >= count or chunks[chunk] & mask != mask:
            return False
    for chunk, mask in forbidden:  # noqa: SIM110 (a generator costs more than the checks)
        if chunk < count and chunks[chunk] & mask:
            return False
    return True


def outcome_of(parts: Sequence[Part], state: State) -> Outcome:
    """What happens of these parts in a state.

    Raises:
        UndefinedError: an amount or a condition reads a fluent that has no value.
    """
    deletes: list[GroundAtom] = []
    adds: list[GroundAtom] = []
    updates: list[Change] = []
    chunks = state.chunks
    for part in parts:
        if not holds_in(chunks, part.needed, part.forbidden):
            continue
        if part.tests and not all(test(list(part.slots), state) for test in part.tests):
            continue
        deletes += part.deletes
        adds += part.adds
        if part.updates:
            slots = list(part.slots)
            updates += [
                Change(GroundAtom(pick(slots)), operator, value(slots, state)) for pick, operator, value in part.updates
            ]
    return Outcome(tuple(deletes), tuple(adds), tuple(updates))
