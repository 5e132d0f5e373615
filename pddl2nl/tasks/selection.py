"""The primary set of a domain: twenty benchmarks and an example, their shortest plans of 3 to 20 steps.

Made as in the AutoPlanBench paper (section 5): small solvable problems, one of them, with a short plan, the example
that prompts show solved. Lengths are spread as evenly as the domain allows; of problems of one length those are
preferred whose parameters and sizes are not there yet.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pddl2nl.errors import InputError
from pddl2nl.tasks.candidates import GROUP, Candidate, MadeSet, Workshop, pick_varied
from pddl2nl.tasks.generators import Draw
from pddl2nl.tasks.manifest import Role

__all__ = ["BENCHMARKS", "EXAMPLE_LENGTH", "LENGTHS", "choose_primary", "nearest_to_example", "spread"]

BENCHMARKS = 20
"""Benchmarks of a primary set."""

LENGTHS = range(3, 21)
"""Steps that shortest plans may have."""

EXAMPLE_LENGTH = 5
"""Steps of the example's shortest plan, or as near as the domain allows."""

_PLENTY = 4
"""Problems of one length from which one is chosen; more are not looked for."""
_GROUPS = 25
"""Groups of candidates at most."""
_GROUPS_IN_VAIN = 4
"""Groups without news after which no more are expected."""
_ATTEMPTS = 300
"""Draws in a row that give nothing new, after which a generator is taken to have no more."""

_SURVEY = (("lmcut", 30), ("brfs", 6), ("lmcut", 6))
"""The planners that look for lengths, with the share of the time that they have: what is easy for LM-cut takes no time,
and where it is lost breadth-first search mostly is not."""

_ByLength = dict[int, list[Candidate]]


def choose_primary(workshop: Workshop, seed: int) -> MadeSet:
    """Draws, solves and chooses the primary set.

    The same for the same seed and limits, as far as limits end the same searches.

    Args:
        workshop: of the domain.
        seed: of the set; the generator's own seeds are counted up from 1.

    Raises:
        InputError: the generator's small problems do not give 21 of the wanted lengths.
        InfrastructureError: a planner broke.
    """
    found = _survey(workshop, seed)
    if sum(map(len, found.values())) <= BENCHMARKS:
        counted = ", ".join(f"{length}: {len(found[length])}" for length in sorted(found))
        raise InputError(
            f"the small problems of {workshop.generator.domain} gave too few of {LENGTHS[0]} to {LENGTHS[-1]} steps "
            f"for {BENCHMARKS} benchmarks and an example: {counted or 'none'}; give more time, or widen what its "
            f"generator draws"
        )
    used: Counter[tuple[str, int | str]] = Counter()
    example = pick_varied(found[nearest_to_example(length for length in found if found[length])], used)
    counts = spread({length: len(pool) for length, pool in found.items()}, BENCHMARKS)
    chosen: list[tuple[int, Candidate]] = []
    for turn in range(BENCHMARKS):
        for length in sorted(counts):
            if turn < counts[length]:
                chosen.append((length, pick_varied(found[length], used)))
    chosen.sort(key=lambda each: (each[0], each[1].generated.objects, each[1].number))
    roles: list[tuple[Role, Candidate]] = [("example", example), *(("benchmark", each) for _, each in chosen)]
    return workshop.finish(roles)


def nearest_to_example(lengths: Iterator[int]) -> int:
    """The length that is nearest to the example's; the greater of two."""
    return min(lengths, key=lambda length: (abs(length - EXAMPLE_LENGTH), -length))


def spread(available: Mapping[int, int], wanted: int) -> dict[int, int]:
    """How many to take of each length, as evenly as there are so many: none differ by more than one but for want.

    Where only some lengths can have one more than the others, these lie evenly among them.
    """
    counts = {length: 0 for length in sorted(available) if available[length]}
    while (room := wanted - sum(counts.values())) > 0:
        open_lengths = [length for length in counts if counts[length] < available[length]]
        if not open_lengths:
            break
        level = min(counts[length] for length in open_lengths)
        lowest = [length for length in open_lengths if counts[length] == level]
        if len(lowest) > room:
            lowest = [lowest[(2 * place + 1) * len(lowest) // (2 * room)] for place in range(room)]
        for length in lowest:
            counts[length] += 1
    return counts


def _survey(workshop: Workshop, seed: int) -> _ByLength:
    """Candidates by the lengths of their shortest plans, or, where too few are proved, of the plans known."""
    draw = Draw(f"{workshop.generator.domain} primary {seed}")
    candidates = workshop.draw(lambda: workshop.generator.small(draw), itertools.count(1), _ATTEMPTS)
    by_length: _ByLength = {}
    unproved: list[Candidate] = []
    in_vain = 0
    workshop.progress.stage(f"{workshop.generator.domain}: looking for plans of all lengths", _GROUPS * GROUP)
    for _ in range(_GROUPS):
        group = list(itertools.islice(candidates, GROUP))
        news = False
        for candidate, length in zip(group, _lengths(workshop, group), strict=True):
            if length is None:
                unproved.append(candidate)
            elif length in LENGTHS:
                pool = by_length.setdefault(length, [])
                news = news or len(pool) < _PLENTY
                pool.append(candidate)
        in_vain = 0 if news else in_vain + 1
        enough = sum(map(len, by_length.values())) > BENCHMARKS
        if len(group) < GROUP or (enough and in_vain == _GROUPS_IN_VAIN):
            break
    if sum(map(len, by_length.values())) <= BENCHMARKS:
        for candidate, found in zip(unproved, workshop.solve(_texts(unproved), ("ff",)), strict=True):
            length = found["ff"].length
            if length is not None and length in LENGTHS:
                by_length.setdefault(length, []).append(candidate)
    return by_length


def _lengths(workshop: Workshop, group: list[Candidate]) -> list[int | None]:
    """The proved lengths, None where none was proved in a sixth of the time."""
    lengths: list[int | None] = [None] * len(group)
    for planner, share in _SURVEY:
        limits = replace(workshop.limits, seconds=max(1, workshop.limits.seconds // share))
        places = [place for place, length in enumerate(lengths) if length is None]
        found = workshop.solve(_texts([group[place] for place in places]), (planner,), limits)
        for place, measured in zip(places, found, strict=True):
            lengths[place] = measured[planner].length
    return lengths


def _texts(candidates: list[Candidate]) -> list[str]:
    return [candidate.generated.text for candidate in candidates]
