"""Making sets of problems that generators draw: no two isomorphic, measured by planners, named.

The choice never depends on measured seconds: candidates are solved in groups of one size, for any number of
workers, and their results are used in the order in which they were drawn.

* The primary set of a domain has twenty benchmarks and an example, with shortest plans of 3 to 20 steps, as in the
  AutoPlanBench paper (section 5): small solvable problems, and a short one as the solved example of prompts. Lengths
  are spread as evenly as the domain allows; among problems of one length, new parameters and sizes are preferred.
* The scaled sets have twenty problems around the size at which an optimal planner first fails (ibid., appendix B): one
  parameter grows, all objects of the growing type matter, and N is the value at which breadth-first search or A* with
  LM-cut first fails within its limits.
* The unsolvable sets have twenty problems without a plan, as proved by exhaustive search. They measure whether a model
  recognises this. Generators make them in several ways, which take turns.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import read_text
from pddl2nl.pddl import Domain, Task, parse_problem
from pddl2nl.tasks.generators import Draw, Generated, Generator
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.manifest import OPTIMAL, PLANNERS, Instance, Measured, Proof, Role, SearchLimits

T = TypeVar("T")
R = TypeVar("R")

GROUP = 24
"""How many candidates are drawn and solved together."""

_PLACES: dict[Role, tuple[str, str]] = {
    "example": ("example", "example.pddl"),
    "benchmark": ("p{:02}", "p{:02}.pddl"),
    "scaled": ("s{:02}", "scaled/s{:02}.pddl"),
    "unsolvable": ("u{:02}", "unsolvable/u{:02}.pddl"),
}


MeasuredSearch = Callable[[str, str, Sequence[str], SearchLimits], Mapping[str, Measured]]
"""Runs planners on the PDDL texts of a domain and a problem within limits, and returns the result of each by its name.
It is called from several threads at a time, validates plans, and raises `InfrastructureError` if one cannot be run.
"""


def in_threads(function: Callable[[T], R], items: Iterable[T], workers: int, stop: Callable[[], None]) -> list[R]:
    """The function's results in the order of the items, computed in threads, which wait for planners' processes.

    ``stop`` is called if one fails or Ctrl-C is pressed, to stop the others.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(function, items))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()
        raise
    finally:
        pool.shutdown()


@dataclass(frozen=True)
class Candidate:
    """A problem that a generator drew from a seed and parameters; ``number`` counts the draws from 1."""

    seed: int
    parameters: Mapping[str, int | str]
    generated: Generated
    number: int

    @property
    def traits(self) -> tuple[tuple[str, int | str], ...]:
        """Parameters and size, to choose varied problems by."""
        return (*self.parameters.items(), ("objects", self.generated.objects))


@dataclass(frozen=True)
class MadeSet:
    """A set that was made: its lines of the manifest, the problems' PDDL by instance, and remarks for the user."""

    rows: tuple[Instance, ...]
    texts: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass
class Workshop:
    """Makes the sets of one domain: draws, solves and names candidates.

    ``planner`` is the program of the planners in ``search`` with its version, ``workers`` the number of problems that
    are solved at a time. ``stage`` is told when a stage with a number of steps begins, ``step`` after each step, from
    several threads; ``stop`` stops running planners. Problems isomorphic to ``problems`` are not drawn.
    """

    generator: Generator
    domain: Domain
    domain_text: str
    search: MeasuredSearch
    planner: str
    limits: SearchLimits = field(default_factory=SearchLimits)
    workers: int = 2
    stage: Callable[[str, int], None] = lambda name, total: None
    step: Callable[[], None] = lambda: None
    stop: Callable[[], None] = lambda: None
    problems: DistinctProblems = field(default_factory=DistinctProblems)

    def know(self, paths: Iterable[Path]) -> None:
        """Adds existing problems; isomorphic ones are not drawn again.

        Raises:
            PDDLError: one of them cannot be read.
        """
        for path in paths:
            self._add(read_text(path, "PDDL file"), str(path))

    def draw(
        self, parameters: Callable[[], Mapping[str, int | str]], seeds: Iterator[int], attempts: int
    ) -> Iterator[Candidate]:
        """Candidates, none isomorphic to an earlier one, until `attempts` draws in a row give nothing new.

        Contradicting parameters are skipped.
        """
        number, in_vain = 0, 0
        while in_vain < attempts:
            in_vain += 1
            seed, given = next(seeds), parameters()
            try:
                generated = self.generator.generate(seed, given)
            except InputError:
                continue
            if self._add(generated.text, generated.name) is None:
                number, in_vain = number + 1, 0
                yield Candidate(seed, given, generated, number)

    def solve(
        self, texts: Sequence[str], planners: Sequence[str], limits: SearchLimits | None = None
    ) -> list[Mapping[str, Measured]]:
        """The planners' results on each problem, in order.

        Raises:
            InfrastructureError: a planner cannot be run, or failed.
        """

        def one(text: str) -> Mapping[str, Measured]:
            found = self.search(self.domain_text, text, planners, limits or self.limits)
            for name, measured in found.items():
                if measured.status in ("error", "unsupported"):
                    raise InfrastructureError(f"{self.planner} ({name}) failed: {measured.message}")
            self.step()
            return found

        return in_threads(one, texts, self.workers, self.stop)

    def finish(self, chosen: Sequence[tuple[Role, Candidate]], notes: Iterable[str] = ()) -> MadeSet:
        """The set of the chosen candidates: named in their order, measured by all planners."""
        counts: Counter[Role] = Counter()
        named: list[tuple[Role, str, str, Generated]] = []
        for role, candidate in chosen:
            counts[role] += 1
            name, file = (place.format(counts[role]) for place in _PLACES[role])
            title = f"{self.generator.domain}-{name}"
            generated = self.generator.generate(candidate.seed, candidate.parameters, title)
            named.append((role, name, file, generated))
        self.stage(f"{self.generator.domain}: measuring the set", len(named))
        measured = self.solve([generated.text for *_, generated in named], PLANNERS)
        rows = [
            measured_row(Instance(name, file, role, limits=self.limits, planner=self.planner), generated, found)
            for (role, name, file, generated), found in zip(named, measured, strict=True)
        ]
        return MadeSet(tuple(rows), {name: generated.text for _, name, _, generated in named}, tuple(notes))

    def _add(self, text: str, name: str) -> str | None:
        return self.problems.add(Task(self.domain, parse_problem(text, self.domain)), name)


def measured_row(row: Instance, generated: Generated, measured: Mapping[str, Measured]) -> Instance:
    """The line of a problem with its results, and with the proof and the lengths that follow from them.

    Raises:
        InfrastructureError: no planner finished, or one contradicts another or how the problem was made.
    """
    proof = _proof(f"{generated.domain} {row.name}", generated, measured)
    decides = measured[{"lmcut": "lmcut", "brfs": "brfs"}.get(proof, "ff")]
    return replace(
        row,
        call=generated.call,
        objects=generated.objects,
        optimal_length=None if proof == "unsolvable" else decides.length,
        proof=proof,
        ff_length=measured["ff"].length,
        measured=measured,
    )


def _proof(name: str, generated: Generated, measured: Mapping[str, Measured]) -> Proof:
    lengths = {measured[planner].length for planner in OPTIMAL if measured[planner].solved}
    proved_unsolvable = any(measured[planner].status == "unsolvable" for planner in measured)
    if len(lengths) > 1 or (proved_unsolvable and any(each.solved for each in measured.values())):
        raise InfrastructureError(f"the planners contradict each other on {name}, made by: {generated.call}")
    if proved_unsolvable != (not generated.solvable) and (proved_unsolvable or lengths):
        made = "to have a plan" if generated.solvable else "to have none"
        raise InfrastructureError(f"{name} was made {made}, and planners prove the opposite: {generated.call}")
    if proved_unsolvable:
        return "unsolvable"
    if measured["lmcut"].solved:
        return "lmcut"
    if measured["brfs"].solved:
        return "brfs"
    if measured["ff"].solved:
        return "upper bound"
    raise InfrastructureError(f"no planner finished {name} within its limits; made by: {generated.call}")


def pick_varied(pool: list[Candidate], used: Counter[tuple[str, int | str]]) -> Candidate:
    """Removes from the pool the candidate whose traits were used least so far, and counts them as used."""
    chosen = min(pool, key=lambda each: (sum(used[trait] for trait in each.traits), each.number))
    pool.remove(chosen)
    used.update(chosen.traits)
    return chosen


# ── the primary set ───────────────────────────────────────────────────────────────────────────────

BENCHMARKS = 20
"""The number of benchmarks."""

LENGTHS = range(3, 21)
"""The lengths of shortest plans."""

EXAMPLE_LENGTH = 5
"""The preferred length of the example's shortest plan."""

_PRIMARY_PLENTY = 4
"""Enough problems of one length to choose from."""
_PRIMARY_GROUPS = 25
"""The most groups of candidates."""
_PRIMARY_IN_VAIN = 4
"""The search ends after this many groups without a useful candidate."""
_PRIMARY_ATTEMPTS = 300
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
    candidates = workshop.draw(lambda: workshop.generator.small(draw), itertools.count(1), _PRIMARY_ATTEMPTS)
    by_length: _ByLength = {}
    unproved: list[Candidate] = []
    in_vain = 0
    workshop.stage(f"{workshop.generator.domain}: looking for plans of all lengths", _PRIMARY_GROUPS * GROUP)
    for _ in range(_PRIMARY_GROUPS):
        group = list(itertools.islice(candidates, GROUP))
        news = False
        for candidate, length in zip(group, _lengths(workshop, group), strict=True):
            if length is None:
                unproved.append(candidate)
            elif length in LENGTHS:
                pool = by_length.setdefault(length, [])
                news = news or len(pool) < _PRIMARY_PLENTY
                pool.append(candidate)
        in_vain = 0 if news else in_vain + 1
        enough = sum(map(len, by_length.values())) > BENCHMARKS
        if len(group) < GROUP or (enough and in_vain == _PRIMARY_IN_VAIN):
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


# ── the scaled set ────────────────────────────────────────────────────────────────────────────────

SCALED = 20
"""The size of a scaled set."""

_PROBES = 2
"""Problems of each size that are tried to find N."""
_OF_ONE_SIZE = 4
"""The most problems of one size in the set."""
_SCALED_ATTEMPTS = 60
"""A size is exhausted after this many draws in a row without a new problem."""

_Parameters = Mapping[str, int | str]


@dataclass(frozen=True)
class Ladder:
    """How problems of a domain grow: in the number of ``what``, from the ``first`` size to the ``last``.

    ``parameters`` are the generator's, for each kind of problem of a size; empty for a size that is skipped.
    """

    what: str
    parameters: Callable[[int], tuple[_Parameters, ...]]
    first: int
    last: int


def _grids(cells: int) -> tuple[_Parameters, ...]:
    """Grids with that many cells and at least three rows, at most twice as wide as high."""
    sides = [(cells // rows, rows) for rows in range(3, 31) if cells % rows == 0]
    return tuple({"x": x, "y": y, "missing": 0, "visit": 100} for x, y in sides if y <= x <= 2 * y)


LADDERS: dict[str, Ladder] = {
    "blocksworld": Ladder("blocks", lambda size: ({"blocks": size, "goal": "full", "all": "yes"},), 3, 200),
    # More than 80 of a hundred cars move.
    "ferry": Ladder("cars", lambda size: ({"locations": 3, "cars": size, "moving": 81},), 2, 200),
    "grippers": Ladder("balls", lambda size: ({"robots": 1, "rooms": 2, "balls": size, "moving": 100},), 2, 200),
    "visitall": Ladder("cells", _grids, 9, 900),
}
"""The domains with scaled sets."""


def make_scaled(workshop: Workshop, ladder: Ladder) -> MadeSet:
    """Finds N, then chooses and measures the problems around it.

    Raises:
        InputError: the limits are never reached, or there are too few different problems around N.
        InfrastructureError: a planner failed, or none found a plan for a problem.
    """
    seeds = itertools.count(1)
    pools: dict[int, list[Candidate]] = {}

    def pool(size: int) -> list[Candidate]:
        if size not in pools:
            # Kinds take turns; sizes without any are skipped.
            turns = itertools.cycle(ladder.parameters(size))
            drawn = workshop.draw(lambda: next(turns), seeds, _SCALED_ATTEMPTS) if ladder.parameters(size) else ()
            pools[size] = list(itertools.islice(drawn, _OF_ONE_SIZE))
        return pools[size]

    threshold = _threshold(workshop, ladder, pool)
    sizes = sorted(
        range(ladder.first, min(2 * threshold, ladder.last) + 1), key=lambda size: (abs(size - threshold), size)
    )
    chosen: list[tuple[int, Candidate]] = []
    for size in sizes:
        chosen += [(size, candidate) for candidate in pool(size)][: SCALED - len(chosen)]
    if len(chosen) < SCALED:
        raise InputError(f"only {len(chosen)} different problems lie around {threshold} {ladder.what}")
    chosen.sort(key=lambda each: (each[0], each[1].number))
    roles: list[tuple[Role, Candidate]] = [("scaled", candidate) for _, candidate in chosen]
    smallest, greatest = chosen[0][0], chosen[-1][0]
    note = f"N is {threshold} {ladder.what} within {workshop.limits}; the set has {smallest} to {greatest}"
    return workshop.finish(roles, [note])


def _threshold(workshop: Workshop, ladder: Ladder, pool: Callable[[int], list[Candidate]]) -> int:
    workshop.stage(f"{workshop.generator.domain}: growing to the first failure", 0)
    for size in range(ladder.first, ladder.last + 1):
        texts = [candidate.generated.text for candidate in pool(size)[:_PROBES]]
        found = workshop.solve(texts, OPTIMAL)
        if any(measured.ran_out for each in found for measured in each.values()):
            return size
    raise InputError(f"no limit was reached up to {ladder.last} {ladder.what}; give less than {workshop.limits}")


# ── the unsolvable set ────────────────────────────────────────────────────────────────────────────

UNSOLVABLE = 20
"""The size of an unsolvable set."""

_PARAMETER = "unsolvable"
_UNSOLVABLE_GROUPS = 8
"""The most groups of candidates."""
_UNSOLVABLE_PLENTY = 2
"""Proved problems per chosen one; no more are searched for."""
_UNSOLVABLE_ATTEMPTS = 300


_Pool = tuple[list[Candidate], list[Candidate]]
"""Candidates of one way: those that a search proved unsolvable, and those that the translator did."""


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
    while len(chosen) < UNSOLVABLE and any(map(any, pools.values())):
        way = min((way for way, pool in pools.items() if any(pool)), key=lambda way: taken[way])
        searched, refuted = pools[way]
        candidate = pick_varied(searched or refuted, used)
        taken[way] += 1
        chosen.append((candidate.generated.objects, candidate))
    if len(chosen) < UNSOLVABLE:
        raise InputError(f"only {len(chosen)} problems of {generator.domain} were proved unsolvable; give more time")
    chosen.sort(key=lambda each: (each[0], each[1].number))
    roles: list[tuple[Role, Candidate]] = [("unsolvable", candidate) for _, candidate in chosen]
    return workshop.finish(roles, [", ".join(f"{way}: {taken[way]}" for way in ways(generator))])


def _proved(workshop: Workshop, seed: int) -> dict[str, _Pool]:
    draw = Draw(f"{workshop.generator.domain} unsolvable {seed}")
    names = ways(workshop.generator)
    turns = itertools.cycle(names)

    def parameters() -> Mapping[str, int | str]:
        return {**workshop.generator.small(draw), _PARAMETER: next(turns)}

    candidates = workshop.draw(parameters, itertools.count(1), _UNSOLVABLE_ATTEMPTS)
    patience = replace(workshop.limits, seconds=max(1, workshop.limits.seconds // 6))
    pools: dict[str, _Pool] = {way: ([], []) for way in names}
    enough = -(-UNSOLVABLE * _UNSOLVABLE_PLENTY // len(names))
    workshop.stage(f"{workshop.generator.domain}: proving unsolvability", _UNSOLVABLE_GROUPS * GROUP)
    for _ in range(_UNSOLVABLE_GROUPS):
        group = list(itertools.islice(candidates, GROUP))
        texts = [candidate.generated.text for candidate in group]
        for candidate, found in zip(group, workshop.solve(texts, ("brfs",), patience), strict=True):
            if found["brfs"].solved:
                raise InputError(f"a problem that was made unsolvable has a plan: {candidate.generated.call}")
            if found["brfs"].status == "unsolvable":
                searched, refuted = pools[str(candidate.parameters[_PARAMETER])]
                (searched if found["brfs"].expanded else refuted).append(candidate)
        if len(group) < GROUP or all(sum(map(len, pool)) >= enough for pool in pools.values()):
            break
    return pools
