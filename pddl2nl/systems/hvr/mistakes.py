"""The mistakes that the oracle can make on purpose, one of each kind that HVR's validator can find.

===================  ==============================================================================================
name                 what is wrong
===================  ==============================================================================================
wrong-precondition   the last macro-action claims the negation of a literal that it needs
missing-navigation   movements (`pddl2nl.systems.hvr.repair`) are missing from each block; from the first block another
                     action as well, because HVR's deterministic repair inserts missing movements
wrong-order          two actions of a block are exchanged
missing-step         an action other than a movement is missing from a block
impossible-macro     the macro plan has a macro-action that no block can carry out
===================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby, islice, product
from typing import Literal, get_args

from pddl2nl.macros.macro import Conditions
from pddl2nl.pddl import And, Atom, Condition, Not, changed_predicates, conjuncts
from pddl2nl.systems.hvr.oracle_world import PromptWorld
from pddl2nl.systems.hvr.repair import movements
from pddlval import BadActionError, GroundAction
from pddlval.semantics import unmet as unmet_parts

Mistake = Literal["wrong-precondition", "missing-navigation", "wrong-order", "missing-step", "impossible-macro"]
MISTAKES: tuple[str, ...] = get_args(Mistake)
"""The names of all mistakes."""

IMPOSSIBLE = "Do what cannot be done"
"""The macro-action that no block can carry out."""

_MOST_TRIED = 5_000


def wrong_precondition(conditions: Conditions) -> tuple[Conditions, Condition | None]:
    """The conditions with one literal of the precondition negated, and that literal; None if there is none."""
    parts = list(conjuncts(conditions.precondition))
    for place, part in enumerate(parts):
        if isinstance(part, Atom):
            parts[place] = Not(part)
            return replace(conditions, precondition=And(tuple(parts))), parts[place]
    return conditions, None


def impossible_block(world: PromptWorld) -> tuple[GroundAction, ...]:
    """An action that can never be applied, because of static facts."""
    changing = changed_predicates(world.task.domain)
    for action in islice(_candidates(world), _MOST_TRIED):
        try:
            unmet = world.simulator.step(world.initial, action).unmet
        except BadActionError:
            continue
        if any(_predicate(part) not in {"", *changing} for part in unmet):
            return (action,)
    return ()


def mistaken_block(
    mistake: Mistake, world: PromptWorld, right: Sequence[GroundAction], goal: Condition, *, first: bool
) -> tuple[GroundAction, ...] | None:
    """A block with the mistake, which makes it fail; None if the mistake cannot be made in this block.

    Args:
        mistake: which.
        world: the block begins in its initial state.
        right: the correct block.
        goal: the goal of the block.
        first: whether nothing was done before it.
    """
    movement = movements(world.task.domain)
    moving = frozenset(each.schema.name for each in movement)
    where = {name for each in movement for name in each.predicates}
    # Whether the failing conditions shall be about locations.
    wanted = {mistake == "missing-navigation"}
    candidates = list(_variants(mistake, right, moving))
    if mistake == "missing-navigation" and first:
        for wrong in (shorter for block in candidates for shorter in _without_an_action(block, moving)):
            if _failing(world, wrong, goal, where) == {True, False}:
                return wrong
    other = None
    for wrong in candidates:
        found = _failing(world, wrong, goal, where)
        if found == wanted:
            return wrong
        # If conditions of both kinds fail, movements alone do not help either.
        if other is None and found > wanted and False in wanted:
            other = wrong
    return other


def _failing(world: PromptWorld, block: Sequence[GroundAction], goal: Condition, where: Collection[str]) -> set[bool]:
    """Whether the failing conditions of a block are about locations, as a set of answers; empty if nothing fails."""
    tried = world.simulator.follow(world.initial, block)
    unmet = tried.unmet or unmet_parts(goal, tried.state)
    return {_predicate(part) in where for part in unmet if isinstance(part, Atom | Not)}


def _variants(
    mistake: Mistake, right: Sequence[GroundAction], moving: Collection[str]
) -> Iterator[tuple[GroundAction, ...]]:
    """The blocks with the mistake, the likeliest first."""
    if mistake == "missing-navigation":
        runs = [list(places) for _, places in groupby(range(len(right)), lambda place: right[place].name in moving)]
        for places in sorted(runs, key=len, reverse=True):
            if right[places[0]].name in moving:
                yield (*right[: places[0]], *right[places[-1] + 1 :])
    elif mistake == "missing-step":
        yield from _without_an_action(right, moving)
    elif mistake == "wrong-order":
        fixed = [place for place, action in enumerate(right) if action.name not in moving]
        for one, other in sorted(combinations(fixed, 2), key=lambda pair: pair[1] - pair[0]):
            swapped = list(right)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            yield tuple(swapped)


def _without_an_action(block: Sequence[GroundAction], moving: Collection[str]) -> Iterator[tuple[GroundAction, ...]]:
    """The blocks without one action that is no movement."""
    for place, action in enumerate(block):
        if action.name not in moving:
            yield (*block[:place], *block[place + 1 :])


def _predicate(condition: Condition) -> str:
    """The predicate of a literal; empty for other conditions."""
    body = condition.body if isinstance(condition, Not) else condition
    return body.predicate if isinstance(body, Atom) else ""


def _candidates(world: PromptWorld) -> Iterator[GroundAction]:
    for schema in world.task.domain.actions:
        for args in product(*(world.task.objects_of(item.types) for item in schema.parameters)):
            if len(set(args)) == len(args):
                yield GroundAction(schema.name, args)
