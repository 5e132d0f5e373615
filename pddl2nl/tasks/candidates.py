"""Candidates for sets: problems that generators draw, no two isomorphic, measured by planners, named.

The choice never depends on measured seconds: candidates are solved in groups of one size, whatever the number of
workers, and their results are used in the order in which they were drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import read_text
from pddl2nl.pddl import Domain, Task, parse_problem
from pddl2nl.tasks.generators import Generated, Generator
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.manifest import Instance, Proof, Role
from pddl2nl.tasks.measuring import OPTIMAL, PLANNERS, Measured, MeasuredSearch, SearchLimits, in_threads

GROUP = 24
"""How many candidates are drawn and solved together."""

_PLACES: dict[Role, tuple[str, str]] = {
    "example": ("example", "example.pddl"),
    "benchmark": ("p{:02}", "p{:02}.pddl"),
    "scaled": ("s{:02}", "scaled/s{:02}.pddl"),
    "unsolvable": ("u{:02}", "unsolvable/u{:02}.pddl"),
}


class Progress:
    """Receives the progress of making a set; by default does nothing."""

    def stage(self, name: str, total: int) -> None:
        """A stage with a number of steps begins."""

    def step(self) -> None:
        """One step is done; called from several threads."""


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
    are solved at a time. ``stop`` stops running planners. Problems isomorphic to ``problems`` are not drawn.
    """

    generator: Generator
    domain: Domain
    domain_text: str
    search: MeasuredSearch
    planner: str
    limits: SearchLimits = field(default_factory=SearchLimits)
    workers: int = 2
    progress: Progress = field(default_factory=Progress)
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
            self.progress.step()
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
        self.progress.stage(f"{self.generator.domain}: measuring the set", len(named))
        measured = self.solve([generated.text for *_, generated in named], PLANNERS)
        rows = [
            self._row(role, name, file, generated, found)
            for (role, name, file, generated), found in zip(named, measured, strict=True)
        ]
        return MadeSet(tuple(rows), {name: generated.text for _, name, _, generated in named}, tuple(notes))

    def _row(
        self, role: Role, name: str, file: str, generated: Generated, measured: Mapping[str, Measured]
    ) -> Instance:
        proof = _proof(f"{self.generator.domain} {name}", generated, measured)
        decides = measured[{"lmcut": "lmcut", "brfs": "brfs"}.get(proof, "ff")]
        return Instance(
            name=name,
            file=file,
            role=role,
            call=generated.call,
            objects=generated.objects,
            optimal_length=None if proof == "unsolvable" else decides.length,
            proof=proof,
            ff_length=measured["ff"].length,
            measured=measured,
            limits=self.limits,
            planner=self.planner,
        )

    def _add(self, text: str, name: str) -> str | None:
        return self.problems.add(Task(self.domain, parse_problem(text, self.domain)), name)


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
