"""A planner that is none, and a workshop that uses it: for tests of how sets are made and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pddl2nl.tasks.generators import generator_of
from pddl2nl.tasks.manifest import Measured, SearchLimits
from pddl2nl.tasks.sets import Workshop
from pddl2nl.tasks.shipped import shipped_domain

VERSION = "Fake 1.0"


def digest(problem: str) -> int:
    """A number that depends on a problem's text alone, its name apart."""
    text = re.sub(r"\(problem [^)]*\)", "", problem).strip()
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def any_length(problem: str) -> int:
    """Some length from 1 to 24."""
    return 1 + digest(problem) % 24


@dataclass
class FakeSearch:
    """Answers at once, out of the text.

    Attributes:
        length: of a shortest plan of a problem; 0 where there is none. FF's has one step more.
        gives_up: whether a planner runs out of time on a problem.
        calls: what was asked.
    """

    length: Callable[[str], int] = any_length
    gives_up: Callable[[str, str], bool] = lambda planner, problem: False
    calls: list[tuple[str, tuple[str, ...], SearchLimits]] = field(default_factory=list)

    def __call__(
        self, domain: str, problem: str, planners: Sequence[str], limits: SearchLimits
    ) -> Mapping[str, Measured]:
        self.calls.append((problem, tuple(planners), limits))
        return {planner: self.one(planner, problem) for planner in planners}

    def one(self, planner: str, problem: str) -> Measured:
        """One planner's answer."""
        if self.gives_up(planner, problem):
            return Measured("timeout", message="no plan in time")
        length = self.length(problem)
        if length == 0:
            return Measured("unsolvable", None, 0.1, 7)
        return Measured("solved", length + (planner == "ff"), 0.1, 10 * length + len(planner))


def workshop(domain: str, search: FakeSearch, workers: int = 2) -> Workshop:
    """A workshop of a shipped domain."""
    shipped = shipped_domain(domain)
    return Workshop(
        generator=generator_of(domain),
        domain=shipped.domain,
        domain_text=shipped.domain_path.read_text(encoding="utf-8"),
        search=search,
        planner=VERSION,
        limits=SearchLimits(30, 4096),
        workers=workers,
    )


def objects_in(problem: str) -> int:
    """How many objects a problem declares that a generator wrote."""
    declared = re.search(r":objects(.*?)\)", problem, re.DOTALL)
    return len(re.sub(r"- \S+", "", declared[1]).split()) if declared else 0
