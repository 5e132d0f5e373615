"""Chains in plans: steps that come together again and again, next to each other or once the plan is put in order.

A chain is a set of steps of one plan that can be carried out right after each other without changing what the plan
does. Neighbours are one always. Steps further apart are one where each is linked to another by a producer and a
consumer (one adds an atom that the other needs, and no step between adds it again), and where nothing between them has
to stay there: no other step must come after one of them and before another. Chains of the same canonical form
(`pddl2nl.macros.clusters`) are occurrences of one candidate.

Occurrences overlap, so that counting them all would count steps twice: the candidate that saves most steps is taken,
its occurrences are marked in the plans, and the others are counted again without what is marked, as pairs are in
grammar-based compression (Larsson and Moffat's Re-Pair).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pddl2nl.macros.clusters import Canonical, canonical_steps
from pddl2nl.macros.footprints import Footprint, Footprints, independent
from pddl2nl.macros.macro import MacroStep
from pddl2nl.pddl import Domain
from pddlval import GroundAction

__all__ = ["CHAINS", "Candidate", "Chains", "Found", "Occurrence", "candidates", "chosen"]

Chains = Literal["both", "contiguous", "linked"]
"""Which chains are looked at: neighbours of the plan, steps linked by producers and consumers, or both."""

CHAINS: tuple[Chains, ...] = ("both", "contiguous", "linked")

_SPAN = 24
"""The first and the last step of a chain lie at most so many places apart."""
_MOST_CHAINS = 20_000
"""So many sets of linked steps of one plan are looked at; plans of a thousand steps have far more."""


@dataclass(frozen=True)
class Occurrence:
    """A chain in a plan: the plan's number and the places of the steps, both from 0."""

    plan: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """A chain that occurs, with all places where it does, which may overlap."""

    form: Canonical
    occurrences: tuple[Occurrence, ...]

    def __len__(self) -> int:
        return len(self.form)

    @property
    def terms(self) -> int:
        """How many different objects it is about."""
        return len({word for step in self.form for word in step[1:] if word.startswith("?")})


@dataclass(frozen=True)
class Found:
    """A candidate that was chosen, with the occurrences that no other chosen one has taken."""

    form: Canonical
    occurrences: tuple[Occurrence, ...]

    @property
    def support(self) -> int:
        """How often it occurs, overlaps counted once."""
        return len(self.occurrences)

    @property
    def plans(self) -> int:
        """In how many plans it occurs."""
        return len({occurrence.plan for occurrence in self.occurrences})

    @property
    def saved(self) -> int:
        """By how many steps the plans are shorter where each occurrence is one step."""
        return (len(self.form) - 1) * self.support


def candidates(
    domain: Domain,
    plans: Sequence[Sequence[GroundAction]],
    *,
    max_length: int = 4,
    chains: Chains = "both",
    max_parameters: int | None = None,
) -> tuple[Candidate, ...]:
    """All chains of two to `max_length` steps in the plans, those that are the same together, in the order of finding.

    Args:
        domain: whose actions the plans are of.
        plans: valid ones.
        max_length: steps of a chain, at most.
        chains: which are looked at.
        max_parameters: objects that a chain is about, at most; None for any number.
    """
    footprints = Footprints(domain)
    constants = frozenset(item.name for item in domain.constants)
    found: dict[Canonical, list[Occurrence]] = {}
    for number, plan in enumerate(plans):
        mine = _Plan(plan, [footprints.of(step.name, step.args) for step in plan])
        seen: dict[tuple[int, ...], None] = {}
        if chains in ("both", "contiguous"):
            seen.update(dict.fromkeys(_windows(len(plan), max_length)))
        if chains in ("both", "linked"):
            seen.update(dict.fromkeys(mine.linked_chains(max_length)))
        for places in seen:
            if max_parameters is None or mine.objects(places, constants) <= max_parameters:
                found.setdefault(mine.form(places, constants), []).append(Occurrence(number, places))
    return tuple(Candidate(form, tuple(sorted(places, key=_by_end))) for form, places in found.items())


def chosen(
    items: Collection[Candidate], accept: Callable[[Found], bool], *, min_support: int = 2, number: int | None = None
) -> Iterator[Found]:
    """The candidates that save most steps, best first; each is counted without the steps that earlier ones have taken.

    Ties go to fewer objects, then to fewer steps, then to the alphabet.

    Args:
        items: the candidates.
        accept: whether a candidate is taken, asked when its turn has come; one that is not takes no steps.
        min_support: occurrences that a candidate must have, overlaps counted once.
        number: how many at most; None for all with that support.
    """
    taken: set[tuple[int, int]] = set()
    left = list(items)
    while left and (number is None or number > 0):
        counted = [(item, _free(item.occurrences, taken)) for item in left]
        counted = [(item, free) for item, free in counted if len(free) >= min_support]
        if not counted:
            return
        best, free = min(counted, key=lambda pair: (-(len(pair[0]) - 1) * len(pair[1]), _order(pair[0])))
        left = [item for item, _ in counted if item is not best]
        found = Found(best.form, free)
        if accept(found):
            yield found
            taken.update((occurrence.plan, place) for occurrence in free for place in occurrence.places)
            number = None if number is None else number - 1


def _order(item: Candidate) -> tuple[int, int, Canonical]:
    return item.terms, len(item), item.form


def _by_end(occurrence: Occurrence) -> tuple[int, int, tuple[int, ...]]:
    return occurrence.plan, occurrence.places[-1], occurrence.places


def _free(occurrences: Sequence[Occurrence], taken: Collection[tuple[int, int]]) -> tuple[Occurrence, ...]:
    """Occurrences that share no step with each other or with what is taken: those that end first, one by one."""
    used: set[tuple[int, int]] = set()
    free = []
    for occurrence in occurrences:
        steps = [(occurrence.plan, place) for place in occurrence.places]
        if not any(step in taken or step in used for step in steps):
            used.update(steps)
            free.append(occurrence)
    return tuple(free)


def _windows(length: int, longest: int) -> Iterator[tuple[int, ...]]:
    for size in range(2, longest + 1):
        for first in range(length - size + 1):
            yield tuple(range(first, first + size))


class _Plan:
    """One plan with what its steps read and write."""

    def __init__(self, steps: Sequence[GroundAction], footprints: Sequence[Footprint]):
        self._steps = steps
        self._footprints = footprints
        self._dependent: dict[tuple[int, int], bool] = {}

    def dependent(self, early: int, late: int) -> bool:
        """Whether two steps must stay in their order."""
        known = self._dependent.get((early, late))
        if known is None:
            known = not independent(self._footprints[early], self._footprints[late])
            self._dependent[early, late] = known
        return known

    def objects(self, places: Sequence[int], constants: Collection[str]) -> int:
        """How many objects of the problem the steps are about."""
        return len({name for place in places for name in self._steps[place].args} - set(constants))

    def form(self, places: Sequence[int], constants: Collection[str]) -> Canonical:
        """The canonical form of the chain, in which each object is taken to be one of its own."""
        steps = [MacroStep(*self._steps[place]) for place in places]
        return canonical_steps(steps, constants, lambda one, other: self.dependent(places[one], places[other]))

    def linked_chains(self, longest: int) -> Iterator[tuple[int, ...]]:
        """The chains whose steps are linked by producers and consumers."""
        links = self._links()
        left = _MOST_CHAINS
        for first in range(len(self._steps)):
            waiting: list[tuple[int, ...]] = [(first,)]
            seen: set[tuple[int, ...]] = {(first,)}
            while waiting:
                places = waiting.pop()
                left -= 1
                if left < 0:
                    return
                if len(places) > 1 and self._together(places):
                    yield places
                if len(places) == longest:
                    continue
                near = sorted({other for place in places for other in links.get(place, ())} - set(places))
                for other in reversed(near):
                    grown = tuple(sorted((*places, other)))
                    if first < other <= first + _SPAN and grown not in seen:
                        seen.add(grown)
                        waiting.append(grown)

    def _links(self) -> Mapping[int, tuple[int, ...]]:
        """For each step those that it gives an atom to, and those that it gets one from."""
        links: dict[int, set[int]] = {}
        last: dict[tuple[str, ...], int] = {}
        for place, footprint in enumerate(self._footprints):
            for pattern in footprint.needs:
                giver = last.get(pattern)
                if giver is not None and place - giver <= _SPAN:
                    links.setdefault(giver, set()).add(place)
                    links.setdefault(place, set()).add(giver)
            for pattern in footprint.adds:
                last[pattern] = place
        return {place: tuple(sorted(others)) for place, others in links.items()}

    def _together(self, places: tuple[int, ...]) -> bool:
        """Whether the steps can be put next to each other: none must come between two of them."""
        members = set(places)
        after: list[int] = []
        for place in range(places[0] + 1, places[-1] + 1):
            if place in members:
                if any(self.dependent(early, place) for early in after):
                    return False
            elif any(self.dependent(early, place) for early in (*after, *(p for p in places if p < place))):
                after.append(place)
        return True
