"""The primary set of a domain: twenty benchmarks and an example, with shortest plans of 3 to 20 steps.

As in the AutoPlanBench paper (section 5): small solvable problems, and a short one as the solved example of prompts.
Lengths are spread as evenly as the domain allows; among problems of one length, new parameters and sizes are preferred.
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

BENCHMARKS = 20
"""The number of benchmarks."""

LENGTHS = range(3, 21)
"""The lengths of shortest plans."""

EXAMPLE_LENGTH = 5
"""The preferred length of the example's shortest plan."""

_PLENTY = 4
"""Enough problems of one length to choose from."""
_GROUPS = 25
"""The most groups of candidates."""
_GROUPS_IN_VAIN = 4
"""The search ends after this many groups without a useful candidate."""
_ATTEMPTS = 300
"""A generator is exhausted after this many draws in a row without a new problem."""

_SURVEY = (("lmcut", 30), ("brfs", 6), ("lmcut", 6))
"""The planners that find lengths, each with the divisor of its time limit: LM-cut solves easy problems at once, and
breadth-first search often solves those that are hard for LM-cut."""

_ByLength = dict[int, list[Candidate]]


def choose_primary(workshop: Workshop, seed: int) -> MadeSet:
    """Draws, solves and chooses the primary set.

    Deterministic for a seed and limits, if the same searches run out of limits.

    Args:
        workshop: the domain's.
        seed: of the set; the generator's seeds count from 1.

    Raises:
        InputError: the generator's small problems have too few of the wanted lengths.
        InfrastructureError: a planner failed.
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
    """The length nearest to `EXAMPLE_LENGTH`; of two, the greater."""
    return min(lengths, key=lambda length: (abs(length - EXAMPLE_LENGTH), -length))


def spread(available: Mapping[int, int], wanted: int) -> dict[int, int]:
    """How many problems to take of each length, as evenly as available.

    If only some lengths can have one more than the others, these are spread evenly, too.
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
    """Candidates by the lengths of their shortest plans, or of FF's plans if too few lengths are proved."""
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
    """The proved lengths; None if none was proved within the shares of the time limit."""
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
