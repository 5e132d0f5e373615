"""What an experiment's file comes to: domains with their tasks, each with a name of its own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InputError
from pddl2nl.experiments.example import SolvedProblem
from pddl2nl.experiments.spec_filters import Costlier, SolvedBy
from pddl2nl.nl import Wording, choose_wording, template_wording
from pddl2nl.pddl import Domain, Task
from pddl2nl.tasks.transformations import Change

__all__ = ["SpecDomain", "SpecTask", "told_apart"]


@dataclass(frozen=True)
class SpecTask:
    """One task.

    Attributes:
        name: no other's within its suite.
        path: the problem's file, also where the task was transformed.
        task: the task to be solved.
        plan_length: of FF's plan, where that is known.
        texts: the domain and the problem as planners get them, where that is not what the files hold.
        filters: planners that must solve it, or must not; nothing is run before that is decided.
        example: a solved problem for prompts, where the task was transformed and it along with it.
    """

    name: str
    path: Path
    task: Task
    plan_length: int | None = None
    texts: TaskTexts | None = None
    filters: tuple[SolvedBy, ...] = ()
    example: SolvedProblem | None = None


@dataclass(frozen=True)
class SpecDomain:
    """A domain with its tasks, and the wordings that fit it by their labels; ``llm`` stands for itself.

    Attributes:
        label: no other's in the experiment.
        path: the domain's file, also where it was transformed.
        suite: what the domain is called in the names of records; the label where this is empty.
        origin: what it was read from: what was read from the same, in one section, is one domain.
        section: of the tables in which its rows stand; empty where there are none.
        row: what a table calls it, which it may share: a suite whose tasks have domains of their own is one row. Until
            `told_apart`, what its entry says of it; empty for nothing.
        shipped_set: of a shipped domain whose entry names no section: primary, scaled or unsolvable.
        costlier: what is kept of it where it would cost too much; then ``section_before`` is what its section was asked
            for by before; None for what was left where it was.
        original: the domain before its transformations, which are ``changes``.
    """

    label: str
    path: Path
    domain: Domain
    tasks: tuple[SpecTask, ...]
    wordings: Mapping[str, Wording | str]
    suite: str = ""
    origin: tuple[str, ...] = ()
    original: Domain | None = None
    changes: tuple[Change, ...] = ()
    section: str = ""
    row: str = ""
    shipped_set: str = ""
    costlier: Costlier | None = None
    section_before: str | None = None

    @property
    def name(self) -> str:
        """What it is called in the names of records."""
        return self.suite or self.label

    @property
    def part(self) -> str:
        """What its section is asked for by: its name, or that of the set where a table needs none."""
        return self.section or self.shipped_set if self.section_before is None else self.section_before

    @property
    def renamed(self) -> bool:
        """Whether names were put in the place of its own that say something else, or nothing."""
        return any(name.startswith("obfuscate") for name in self.origin)

    def worded(self, spec: str | None) -> Wording:
        """The wording by `choose_wording`, transformed as the domain was; the template is made for what it is now."""
        if self.original is None:
            return choose_wording(spec, self.domain, self.path)
        wording = choose_wording(spec, self.original, self.path)
        if wording == template_wording(self.original):
            return template_wording(self.domain)
        for change in self.changes:
            wording = change.wording(wording)
        return wording


_UNTOLD = re.compile(r"\+strip-costs(-all)?")


# ── no two of one name ───────────────────────────────────────────────────────────────────────────


def told_apart(domains: Sequence[SpecDomain]) -> list[SpecDomain]:
    """The domains, each once in a section, with numbers in labels, rows and suites' names that others have as well.

    Raises:
        InputError: entries that contradict each other: in filters of one task, in rows of one domain, or by one row for
            several domains.
    """
    # The same domain may stand there several times with different problems.
    same: dict[tuple[tuple[str, ...], str], list[SpecDomain]] = defaultdict(list)
    for one in _sectioned(domains):
        same[one.origin, one.section].append(one)
    origins: dict[str, tuple[str, ...]] = {}
    owners: dict[str, tuple[str, ...]] = {}
    labels: set[str] = set()
    names: dict[str, str] = {}
    given: dict[tuple[str, str], str] = {}
    found: list[SpecDomain] = []
    for (origin, section), some in same.items():
        # The domains of one suite have its name in common; all others would be mixed up with it in a report.
        owner = (*origin[:3], *origin[4:]) if some[0].suite else origin
        suite = next(name for name in _numbered(some[0].suite) if owners.get(name, owner) == owner)
        label = next(
            name
            for name in _numbered(some[0].label)
            if origins.get(name, origin) == origin and owners.get(name, owner) == owner
        )
        origins[label] = origin
        row = suite or label
        owners[row] = owner
        # A section that the file names tells records apart as well; one that a set has by itself never did.
        explicit = not any(one.shipped_set for one in some)
        if names.setdefault(row, section) != section:
            suite = f"{row}-{section}" if explicit and section else row
        label = label if label not in labels else f"{label} ({section or 'primary'})"
        labels.add(label)
        tasks = _each_once(label, [each for one in some for each in one.tasks])
        said = dict.fromkeys((given.get((row, section), some[0].row), *(one.row for one in some)))
        if len(said) > 1:
            told = " and ".join(f"'{each or row}'" for each in said)
            raise InputError(f"{label} stands there several times in one section, as row {told}: give them one 'row'")
        found.append(replace(some[0], label=label, suite=suite, row=row, section=section, tasks=tasks))
        given[row, section] = some[0].row
    return _with_rows(found, given)


def _with_rows(domains: Sequence[SpecDomain], given: Mapping[tuple[str, str], str]) -> list[SpecDomain]:
    """The domains as tables call them: as their entries say, else without what nobody is told of.

    A transformation that changes nothing in words is left out of a name, unless two rows would be called alike then.
    """
    rows = dict.fromkeys((one.row, one.section) for one in domains)
    plain = {row: _UNTOLD.sub("", row) for row, _ in rows}
    alike = Counter(plain.values())
    shown = {
        (row, section): given[row, section] or (plain[row] if alike[plain[row]] == 1 else row) for row, section in rows
    }
    called: dict[tuple[str, str], str] = {}
    for (row, section), name in shown.items():
        if (other := called.setdefault((name, section), row)) != row:
            raise InputError(f"{other} and {row} would both be the row '{name}' of a table: give one another 'row'")
    return [replace(one, row=shown[one.row, one.section]) for one in domains]


def _sectioned(domains: Sequence[SpecDomain]) -> list[SpecDomain]:
    """The domains, with sections of their own for the sets of shipped ones where there are several."""
    sets = {one.shipped_set for one in domains if one.shipped_set}
    return [
        replace(one, section=one.shipped_set) if len(sets) > 1 and one.shipped_set not in ("", "primary") else one
        for one in domains
    ]


def _numbered(name: str) -> Iterator[str]:
    """The name itself, then with the numbers from 1."""
    yield name
    yield from (f"{name}-{number}" for number in count(1))


def _each_once(label: str, tasks: Sequence[SpecTask]) -> tuple[SpecTask, ...]:
    """The tasks, each once: without filters where it stands there without any."""
    found: dict[Path, SpecTask] = {}
    for each in tasks:
        other = found.setdefault(each.path.resolve(), each)
        if not each.filters:
            found[each.path.resolve()] = each
        elif other.filters and each.filters != other.filters:
            raise InputError(
                f"{each.name} of {label} stands there twice, with {other.filters[0]} and with {each.filters[0]}: "
                "give both filters in one entry, or tell the tasks apart by 'instances' or 'only'"
            )
    return tuple(found.values())
