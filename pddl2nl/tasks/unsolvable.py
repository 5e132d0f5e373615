"""The unsolvable sets: twenty problems without a plan, as proved by exhaustive search.

They measure whether a model recognises this. Generators make them in several ways, which take turns.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pddl2nl.errors import InputError
from pddl2nl.tasks.candidates import GROUP, Candidate, MadeSet, Workshop, pick_varied
from pddl2nl.tasks.generators import Draw, Generator
from pddl2nl.tasks.manifest import Role

UNSOLVABLE = 20
"""The size of an unsolvable set."""

_PARAMETER = "unsolvable"
_GROUPS = 8
"""The most groups of candidates."""
_PLENTY = 2
"""Proved problems per chosen one; no more are searched for."""
_ATTEMPTS = 300


@dataclass
class _Pool:
    """Candidates of one way: those that a search proved unsolvable, and those that the translator did."""

    searched: list[Candidate] = field(default_factory=list)
    refuted: list[Candidate] = field(default_factory=list)


def ways(generator: Generator) -> tuple[str, ...]:
    """The ways in which a generator makes unsolvable problems; empty for most."""
    found = [parameter.choices for parameter in generator.parameters if parameter.name == _PARAMETER]
    return tuple(way for way in found[0] if way != "no") if found else ()


def make_unsolvable(workshop: Workshop, seed: int) -> MadeSet:
    """Draws, proves, chooses and measures the unsolvable set.

    Ways take turns. Problems that the planner's translator alone proves unsolvable are used only if there are too few
    others.

    Raises:
        InputError: the generator makes no such problems, too few were proved within a sixth of the time, or one has a
            plan.
        InfrastructureError: a planner failed.
    """
    generator = workshop.generator
    if not ways(generator):
        raise InputError(f"the generator of {generator.domain} has no parameter '{_PARAMETER}'")
    pools = _proved(workshop, seed)
    used: Counter[tuple[str, int | str]] = Counter()
    taken: Counter[str] = Counter()
    chosen: list[tuple[int, Candidate]] = []
    while len(chosen) < UNSOLVABLE and any(pool.searched or pool.refuted for pool in pools.values()):
        way = min((way for way, pool in pools.items() if pool.searched or pool.refuted), key=lambda way: taken[way])
        candidate = pick_varied(pools[way].searched or pools[way].refuted, used)
        taken[way] += 1
        chosen.append((candidate.generated.objects, candidate))
    if len(chosen) < UNSOLVABLE:
        raise InputError(f"only {len(chosen)} problems of {generator.domain} were proved unsolvable; give more time")
    chosen.sort(key=lambda each: (each[0], each[1].number))
    roles: list[tuple[Role, Candidate]] = [("unsolvable", candidate) for _, candidate in chosen]
    return workshop.finish(roles, [", ".join(f"{way}: {taken[way]}" for way in ways(generator))])


def _proved(workshop: Workshop, seed: int) -> dict[str, _Pool]:
    """Candidates that were proved unsolvable, by way."""
    draw = Draw(f"{workshop.generator.domain} unsolvable {seed}")
    names = ways(workshop.generator)
    turns = itertools.cycle(names)

    def parameters() -> Mapping[str, int | str]:
        return {**workshop.generator.small(draw), _PARAMETER: next(turns)}

    candidates = workshop.draw(parameters, itertools.count(1), _ATTEMPTS)
    patience = replace(workshop.limits, seconds=max(1, workshop.limits.seconds // 6))
    pools = {way: _Pool() for way in names}
    enough = -(-UNSOLVABLE * _PLENTY // len(names))
    workshop.progress.stage(f"{workshop.generator.domain}: proving unsolvability", _GROUPS * GROUP)
    for _ in range(_GROUPS):
        group = list(itertools.islice(candidates, GROUP))
        texts = [candidate.generated.text for candidate in group]
        for candidate, found in zip(group, workshop.solve(texts, ("brfs",), patience), strict=True):
            if found["brfs"].solved:
                raise InputError(f"a problem that was made unsolvable has a plan: {candidate.generated.call}")
            if found["brfs"].status == "unsolvable":
                pool = pools[str(candidate.parameters[_PARAMETER])]
                (pool.searched if found["brfs"].expanded else pool.refuted).append(candidate)
        if len(group) < GROUP or all(len(pool.searched) + len(pool.refuted) >= enough for pool in pools.values()):
            break
    return pools
