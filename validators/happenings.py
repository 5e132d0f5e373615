"""Happenings: what a plan does at one time, and whether actions at the same time get into each other's way.

An untimed step happens at the number that it has among the untimed ones. Steps less than a thousandth apart are one
happening, as VAL has it. Within one, all preconditions are read in the state before, and no action may add or delete
what another one needs, or do the opposite of what another one does (Fox and Long 2003, definition 12).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from pddl2nl.pddl import GroundAtom
from validators.actions import GroundAction
from validators.plans import Plan, PlanStep
from validators.schemas import Ground

__all__ = ["Claims", "Conflict", "Happening", "claim_effects", "happenings"]

_CLOSE = 0.01 / 10
"""VAL's tolerance of 0.01, of which it takes a tenth."""

Claim = Literal["needs", "adds", "deletes"]


class Happening(NamedTuple):
    """Steps that happen together; ``numbers`` are their places in the plan, from 1."""

    time: Fraction
    numbers: tuple[int, ...]
    actions: tuple[GroundAction, ...]


class Conflict(NamedTuple):
    """An action that adds or deletes an atom which others of its happening need or change.

    ``place`` and ``other`` count within the happening, from 0; ``other`` is None where several others need it.
    """

    place: int
    claim: Claim
    atom: GroundAtom
    other: int | None


class Claims(NamedTuple):
    """What was odd (VAL's warnings, in its words and order), and the conflict that ends it."""

    warnings: tuple[str, ...]
    conflict: Conflict | None


def happenings(plan: Plan) -> list[Happening]:
    """A plan's steps by time; steps of the same time stay in the order of the file."""
    if all(step.time is None for step in plan.steps):
        return [
            Happening(Fraction(number), (number,), (step.action,)) for number, step in enumerate(plan.steps, start=1)
        ]
    timed = sorted(_times(plan.steps), key=lambda item: item[0])
    groups: list[list[tuple[Fraction, int]]] = []
    for item in timed:
        if groups and float(item[0]) <= float(groups[-1][0][0]) + _CLOSE:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [
        Happening(
            group[0][0],
            tuple(number for _, number in group),
            tuple(plan.steps[number - 1].action for _, number in group),
        )
        for group in groups
    ]


def _times(steps: Iterable[PlanStep]) -> Iterable[tuple[Fraction, int]]:
    untimed = 0
    for number, step in enumerate(steps, start=1):
        if step.time is None:
            untimed += 1
        yield (Fraction(untimed) if step.time is None else step.time), number


@dataclass(slots=True)
class _Owner:
    """Who holds an atom: an action by its place, or None for several; what it did; how it needs it, if it does."""

    place: int | None
    claim: Claim
    needs: Literal["", "true", "false"] = ""


def claim_effects(grounds: Sequence[Ground]) -> Claims:
    """Lets every action of a happening claim what it needs, adds and deletes, and says where claims collide."""
    # A single action may change what it needs, so that nothing need be claimed.
    owners = _claim_needs(grounds) if len(grounds) > 1 else {}
    warnings: list[str] = []
    for place, ground in enumerate(grounds):
        effects: list[tuple[GroundAtom, Claim]] = [(atom, "adds") for atom in ground.adds]
        effects += [(atom, "deletes") for atom in ground.deletes]
        for atom, claim in effects:
            owner = owners.get(atom)
            if owner is None:
                owners[atom] = _Owner(place, claim)
                continue
            if owner.place != place and (owner.needs or owner.claim != claim):
                return Claims(tuple(warnings), Conflict(place, claim, atom, owner.place))
            warnings += _oddity(grounds, place, atom, claim, owner)
            if owner.claim == "needs":
                owner.claim = claim
        warnings += _twice_increased(ground)
    return Claims(tuple(warnings), None)


def _claim_needs(grounds: Sequence[Ground]) -> dict[GroundAtom, _Owner]:
    owners: dict[GroundAtom, _Owner] = {}
    for place, ground in enumerate(grounds):
        for atoms, needs in ((ground.positive, "true"), (ground.negative, "false")):
            for atom in atoms:
                owner = owners.setdefault(atom, _Owner(place, "needs", "true" if needs == "true" else "false"))
                if owner.place != place:
                    owner.place = None
    return owners


def _oddity(grounds: Sequence[Ground], place: int, atom: GroundAtom, claim: Claim, owner: _Owner) -> list[str]:
    """VAL's warning about an effect that is allowed but strange."""
    action = grounds[place].action
    if owner.claim == "needs":
        if claim == "adds" and owner.needs == "true":
            return [f"WARNING: {action} adds a precondition literal {atom}"]
        if claim == "deletes" and owner.needs == "false":
            return [f"WARNING: {action} deletes a false precondition literal {atom}"]
        return []
    if owner.claim != claim:
        return [f"WARNING: {action} adds and deletes the literal {atom}"]
    if owner.place == place or owner.place is None:
        return [f"WARNING: {action} {claim} the literal {atom} twice"]
    return [f"WARNING: {action} and {grounds[owner.place].action} both {claim[:-1]} the literal {atom}"]


def _twice_increased(ground: Ground) -> list[str]:
    warnings = []
    seen = set()
    for fluent, _ in ground.increases:
        if fluent in seen:
            # The missing blank is VAL's.
            warnings.append(f"WARNING: {ground.action} assigns to expression {fluent}twice")
        seen.add(fluent)
    return warnings
