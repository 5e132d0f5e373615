"""The entries of ``domains`` in an experiment's file: names, files and folders become domains with their tasks.

::

    domains = [
        "blocksworld",                                                    # shipped: its primary set
        {shipped = "blocksworld", set = "scaled", transform = "obfuscate:generic"},
        {domain = "mine/domain.pddl", problems = ["mine/p*.pddl"]},
        {suite = "downward-benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m", max-objects = 20},
        {shipped = ["ferry", "grippers"], set = "scaled", section = "larger", row = "{domain}, large"},
    ]

Every entry may have transformations (`pddl2nl.tasks.transformations`) and filters. Names and sizes are decided here;
``solved-by``, ``unsolved-by`` and ``costlier``, which need a planner or an estimate, by
`pddl2nl.experiments.task_filters` after the rest of the file was checked.

A suite whose tasks have domains of their own becomes several domains under the suite's name. Entries with the same
``section`` stand together in a table, and ``row`` is their name there. If several sets of shipped domains are used, all
but the primary set form a section of their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import glob
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from pddl2nl.baselines import PLANNERS, TaskTexts
from pddl2nl.baselines.fast_downward import MAX_MEMORY_MB, MIN_MEMORY_MB
from pddl2nl.errors import InputError, UnsupportedError, did_you_mean
from pddl2nl.experiments.example import SolvedProblem, find_example
from pddl2nl.experiments.toml_file import (
    Kind,
    TOMLText,
    choice,
    list_of,
    one_or_many,
    real,
    shown,
    text,
    truth,
    unset,
    whole,
)
from pddl2nl.nl import Wording, choose_wording, template_wording
from pddl2nl.pddl import Domain, Task, load_domain, load_problem, parse_task, write_domain, write_problem
from pddl2nl.quantities import megabytes, seconds
from pddl2nl.tasks import ShippedDomain, authored_domains, match_shipped, shipped_domain, shipped_domains
from pddl2nl.tasks.suites import Suite, SuiteTask, find_suites
from pddl2nl.tasks.transformations import TRANSFORMATIONS, Change, changes_of
from pddlval import Simulator
from pddlval.plans import plan_of

__all__ = [
    "Costlier",
    "DomainEntries",
    "FILTERS",
    "Filters",
    "SolvedBy",
    "SpecDomain",
    "SpecTask",
    "among",
    "fits",
    "memory_mb",
    "whole_seconds",
]


WITHIN = 1800
"""The default time limit of a planner in seconds: that of the planning competitions."""


_planner = choice(PLANNERS)


FILTERS: dict[str, Kind] = {
    "instances": one_or_many(text),
    "except": one_or_many(text),
    "min_objects": whole(0),
    "max_objects": whole(0),
    "min_optimal_length": whole(0),
    "max_optimal_length": whole(0),
    "solved_by": one_or_many(_planner),
    "unsolved_by": one_or_many(_planner),
    "within": Kind(
        'a time such as "30m", "90s", "1h30m", or whole seconds, at most "1000h"',
        lambda value: whole_seconds(value) is not None,
    ),
    "memory": Kind(
        f'an amount such as "8g", "500m", or MB, from {MIN_MEMORY_MB} to {MAX_MEMORY_MB}',
        lambda value: memory_mb(value) is not None,
    ),
    "costlier": Kind(
        'a table such as { than = 150.0, as = "gpt-4o-2024-08-06", solved-by = "brfs" }',
        lambda value: isinstance(value, dict),
    ),
}
"""The keys that every entry may have."""

_COSTLIER: dict[str, Kind] = {"than": real(0), "as": text, "solved_by": _planner, "section": text}


def whole_seconds(value: Any) -> int | None:
    """A time as whole seconds; None if it is not one, or too long."""
    try:
        found = seconds(value)
    except (TypeError, ValueError):
        return None
    return int(found) if found == int(found) else None


def memory_mb(value: Any) -> int | None:
    """An amount of memory in MiB; None if it is not one, too small or too large."""
    try:
        found = megabytes(value)
    except (TypeError, ValueError):
        return None
    return found if MIN_MEMORY_MB <= found <= MAX_MEMORY_MB else None


@dataclass(frozen=True)
class SolvedBy:
    """The condition that a planner solves a task within limits, or does not if not ``wanted``."""

    planner: str
    seconds: int
    memory_mb: int | None
    wanted: bool = True

    def __str__(self) -> str:
        memory = "" if self.memory_mb is None else f" and {self.memory_mb} MB"
        return f"{'' if self.wanted else 'un'}solved-by {self.planner} within {_told(self.seconds)}{memory}"


def _told(seconds: int) -> str:
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return "".join(f"{amount}{unit}" for amount, unit in parts if amount)


@dataclass(frozen=True)
class Costlier:
    """The limit on a suite's estimated costs; above it, only the tasks that a cheap planner solves are kept.

    Attributes:
        than: the limit in USD for the runs of all columns on the suite.
        model: the model whose prices are used.
        condition: which tasks are kept above the limit.
        section: the section of the tables for a suite above the limit.
    """

    than: float
    model: str
    condition: SolvedBy
    section: str


_Measured: TypeAlias = "tuple[SpecTask, int | None]"
"""A task, and the length of a shortest plan if it is known."""


@dataclass(frozen=True)
class Filters:
    """The filters of an entry; None and empty tuples accept every task."""

    instances: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    objects: tuple[int | None, int | None] = (None, None)
    length: tuple[int | None, int | None] = (None, None)
    solved_by: tuple[SolvedBy, ...] = ()
    costlier: Costlier | None = None

    def named(self, name: str) -> bool:
        """Whether ``instances`` and ``except`` accept a name."""
        return (not self.instances or fits(name, self.instances)) and not fits(name, self.excluded)

    def unused(self, names: Iterable[str]) -> list[str]:
        """The patterns of ``instances`` that match none of the names."""
        known = [*names]
        return [pattern for pattern in self.instances if not any(fits(name, (pattern,)) for name in known)]

    def passing(self, tasks: Sequence[_Measured], label: str, left_out: list[str]) -> tuple[SpecTask, ...]:
        """The named tasks that are neither too small nor too large; ``left_out`` gets the number of others.

        Raises:
            InputError: optimal lengths are needed and not known.
        """
        tasks = [each for each in tasks if self.named(each[0].name)]
        if self.length != (None, None) and any(length is None for _, length in tasks):
            raise InputError(
                f"optimal lengths are known only for shipped instances with a plan, not for all tasks of {label}; "
                'solved-by = "lmcut" with within = TIME takes those that LM-cut solves'
            )
        looks: tuple[tuple[str, tuple[int | None, int | None], Callable[[_Measured], int]], ...] = (
            ("objects", self.objects, lambda each: len(each[0].task.problem.objects)),
            ("optimal-length", self.length, lambda each: each[1] or 0),
        )
        for name, (least, most), look in looks:
            kept = [
                each
                for each in tasks
                if (least is None or look(each) >= least) and (most is None or look(each) <= most)
            ]
            if len(kept) < len(tasks):
                bounds = [
                    f"{kind}-{name} = {bound}" for kind, bound in (("min", least), ("max", most)) if bound is not None
                ]
                left_out.append(f"{len(tasks) - len(kept)} of {len(tasks)} tasks of {label}: {', '.join(bounds)}")
            tasks = kept
        return tuple(replace(task, filters=self.solved_by) for task, _ in tasks)


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name, or its part after the last ``/``, matches one of the patterns, ignoring case."""
    said = name.lower()
    return any(fnmatchcase(part, pattern.lower()) for pattern in patterns for part in (said, said.rpartition("/")[2]))


def among(names: Iterable[str], patterns: Sequence[str]) -> bool:
    """Whether one of the names matches one of the patterns, ignoring case."""
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in names for pattern in patterns)


# ── reading them ─────────────────────────────────────────────────────────────────────────────────


def read_keys(entry: Mapping[str, Any], kinds: Mapping[str, Kind], needed: Sequence[str]) -> dict[str, Any]:
    """The values of an entry, with ``_`` for ``-`` in its keys.

    Raises:
        InputError: an unknown key, a missing key, or a value of the wrong kind.
    """
    said = {key.replace("-", "_"): value for key, value in entry.items()}
    for key in [*said, *needed]:
        if key not in kinds:
            known = did_you_mean(key, kinds) or f"; there are {', '.join(kind.replace('_', '-') for kind in kinds)}"
            raise InputError(f"unknown key '{key}'{known}")
        if key not in said or not kinds[key].accepts(said[key]):
            found = f"is {shown(said[key])}" if key in said else "is missing"
            hint = did_you_mean(str(said.get(key)), kinds[key].known) if kinds[key].known else ""
            raise InputError(f"'{key.replace('_', '-')}' {found}; {kinds[key].expected} was expected{hint}")
    return said


def read_filters(said: Mapping[str, Any]) -> Filters:
    """The filters among the values of an entry, which `read_keys` has checked.

    Raises:
        InputError: a limit without a planner to be limited.
    """
    planners = [
        (name, wanted) for key, wanted in (("solved_by", True), ("unsolved_by", False)) for name in _many(said, key)
    ]
    for key in ("within", "memory"):
        if key in said and not planners and "costlier" not in said:
            raise InputError(f"'{key}' limits a planner, and none is named: solved-by = \"ff\" is missing")
    seconds = whole_seconds(said["within"]) if "within" in said else None
    memory = memory_mb(said["memory"]) if "memory" in said else None
    return Filters(
        _many(said, "instances"),
        _many(said, "except"),
        (said.get("min_objects"), said.get("max_objects")),
        (said.get("min_optimal_length"), said.get("max_optimal_length")),
        tuple(SolvedBy(name, seconds or WITHIN, memory, wanted) for name, wanted in planners),
        _costlier(said["costlier"], seconds or WITHIN, memory) if "costlier" in said else None,
    )


def _costlier(value: Mapping[str, Any], seconds: int, memory: int | None) -> Costlier:
    try:
        said = read_keys(value, _COSTLIER, ("than", "as", "solved_by"))
    except InputError as error:
        raise InputError(f"'costlier': {error}") from None
    condition = SolvedBy(said["solved_by"], seconds, memory)
    return Costlier(float(said["than"]), said["as"], condition, said.get("section", f"solved by {said['solved_by']}"))


def _many(said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = said.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True)
class SpecTask:
    """One task.

    Attributes:
        name: unique within its suite.
        path: the problem's file, also of a transformed task.
        task: the task to be solved.
        plan_length: of FF's plan, if it is known.
        texts: the domain and the problem for planners, if they differ from the files.
        filters: planners that must solve it, or must not, and that have not been asked yet.
        example: the solved problem for prompts, transformed as the task was.
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
    """A domain with its tasks, and its wordings by their labels; ``llm`` maps to itself.

    Attributes:
        label: unique in the experiment.
        path: the domain's file, also of a transformed domain.
        suite: its name in the names of records; empty if that is the label.
        origin: its source; entries with the same source and section are merged.
        section: the section of its rows in tables; empty if there are no sections.
        row: its name in tables. Several domains may share it: a suite whose tasks have domains of their own is one row.
            Before `disambiguate`, the value of its entry, or empty.
        shipped_set: of a shipped domain whose entry names no section: primary, scaled or unsolvable.
        costlier: the limit on its costs. ``section_before`` is its section before the limit moved it, else None.
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
        """Its name in the names of records."""
        return self.suite or self.label

    @property
    def part(self) -> str:
        """The name by which ``--sections`` selects it: its section, else its shipped set."""
        return self.section or self.shipped_set if self.section_before is None else self.section_before

    @property
    def renamed(self) -> bool:
        """Whether its names were replaced by names that mean something else, or nothing."""
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


# ── unique names ─────────────────────────────────────────────────────────────────────────────────


def disambiguate(domains: Sequence[SpecDomain]) -> list[SpecDomain]:
    """The domains, each once in a section, with numbers added to labels, rows and suites' names that occur twice.

    Raises:
        InputError: entries contradict each other: different filters for one task, different rows for one domain, or
            one row for several domains.
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
    """The domains with the names of their rows: those of their entries, else made from their labels.

    A row's name omits transformations that change nothing in words, unless two rows would then have the same name.
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
    """The domains, with a section for each shipped set but the primary one, if there are several sets."""
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
    """The tasks, each once; an entry without filters takes precedence."""
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


def transformed(one: SpecDomain, names: Sequence[str], seed: int = 1) -> SpecDomain:
    """A domain with its tasks after transformations, the same for all of its tasks.

    Args:
        one: the domain, without wordings; those of the new one are made by `SpecDomain.worded`.
        names: keys of `TRANSFORMATIONS`.
        seed: of all random choices.

    Raises:
        InputError: a transformation does not support the domain.
    """
    if not one.tasks:
        return one
    problems = [each.task.problem for each in one.tasks]
    shipped = match_shipped(one.domain)
    if shipped is not None:
        # Names are dealt to the shown problem's objects as well.
        problems.append(shipped.task(shipped.example.name).problem)
    changes = changes_of(one.domain, problems, names, seed)
    called = "+".join(names).replace(":", "-")
    tasks = tuple(_changed(each, changes, shows=shipped is not None) for each in one.tasks)
    return SpecDomain(
        f"{one.label}+{called}",
        one.path,
        tasks[0].task.domain,
        tuple(replace(each, task=Task(tasks[0].task.domain, each.task.problem)) for each in tasks),
        {},
        suite=f"{one.suite}+{called}" if one.suite else "",
        origin=(*one.origin, *names, str(seed)),
        original=one.domain,
        changes=changes,
        section=one.section,
        row=one.row,
        shipped_set=one.shipped_set,
        costlier=one.costlier,
    )


def _changed(one: SpecTask, changes: Sequence[Change], *, shows: bool) -> SpecTask:
    """The task after the changes, parsed from its new text, so that nothing of the old one is left."""
    task = _applied(one.task, changes)
    texts = TaskTexts(write_domain(task.domain), write_problem(task.problem))
    example = _example(one.task, changes) if shows else None
    return replace(one, task=parse_task(texts.domain, texts.problem), texts=texts, example=example)


def _applied(task: Task, changes: Sequence[Change]) -> Task:
    for change in changes:
        task = change.task(task)
    return task


def _example(task: Task, changes: Sequence[Change]) -> SolvedProblem | None:
    """The shipped example of the original task, changed; None if an example would be made from the task."""
    try:
        found = find_example(task)
    except InputError:
        # Without a planner there is none, which is said where it is needed.
        return None
    if found.source != "shipped":
        return None
    plan = plan_of(found.plan)
    for change in changes:
        plan = change.plan(plan)
    changed = _applied(found.task, changes)
    again = parse_task(write_domain(changed.domain), write_problem(changed.problem))
    return SolvedProblem(again, tuple(plan.actions), found.source)


_SETS = {"primary": "benchmark", "scaled": "scaled", "unsolvable": "unsolvable"}
_GENERIC = ("domain", "dom")
_texts = one_or_many(text)
_TRANSFORMS: dict[str, Kind] = {"transform": _texts, "transform_seed": whole(0)}
_SECTION = Kind("a text, which may be empty", lambda value: isinstance(value, str))
_EVERY: dict[str, Kind] = {**FILTERS, **_TRANSFORMS, "section": _SECTION, "row": text}
_ENTRIES: dict[str, dict[str, Kind]] = {
    "domain": {"domain": text, "problems": list_of(text), **_EVERY},
    "shipped": {"shipped": _texts, "set": choice(_SETS), **_EVERY},
    "suite": {"suite": text, "only": _texts, "guesses": truth, **_EVERY},
}
_NEEDED = {"domain": ("domain", "problems"), "shipped": ("shipped",), "suite": ("suite",)}


class DomainEntries:
    """Reads the entries of a file.

    Args:
        file: the file, in which errors are noted.
        instances: the instances of shipped domains that the file names for all of them; empty for the primary sets.
        folder: what paths are relative to.
        left_out: gets a sentence for each thing that is not run; ``notes`` for things to check by hand.
    """

    def __init__(self, file: TOMLText, instances: Sequence[str], folder: Path, left_out: list[str], notes: list[str]):
        self._file = file
        self._instances = instances
        self._folder = folder
        self._left_out = left_out
        self._notes = notes

    def read(self, entries: Sequence[object]) -> list[SpecDomain]:
        """The domains with their tasks, without wordings; each once, and no two with one label."""
        found: list[SpecDomain] = []
        for entry in entries:
            if unset(entry):
                continue
            try:
                found += self._entry(entry)
            except InputError as error:
                self._file.wrong(f"'domains': {error}", "domains", value=_named(entry))
        self._unknown_instances(found)
        try:
            return disambiguate(found)
        except InputError as error:
            self._file.wrong(f"'domains': {error}", "domains")
            return []

    def _entry(self, entry: object) -> list[SpecDomain]:
        if isinstance(entry, str):
            return [self._shipped(shipped_domain(entry), {}, Filters())]
        if not isinstance(entry, dict):
            known = '{domain = FILE, problems = [FILES]}, {shipped = NAME, set = "scaled"} or {suite = FOLDER}'
            raise InputError(f"found {shown(entry)}; a name or {known} was expected")
        kind = next((kind for kind in ("suite", "shipped") if kind in entry), "domain")
        said = read_keys(entry, _ENTRIES[kind], _NEEDED[kind])
        filters = read_filters(said)
        names = _transformations(said)
        if kind == "suite":
            found = self._suites(said, filters)
        elif kind == "shipped":
            shipped = [said["shipped"]] if isinstance(said["shipped"], str) else said["shipped"]
            found = [self._shipped(shipped_domain(name), said, filters) for name in shipped]
        else:
            found = [self._files(said, filters)]
        found = [self._placed(one, said, filters) for one in found]
        if not names:
            return found
        return [transformed(one, names, said.get("transform_seed", 1)) for one in found]

    def _placed(self, one: SpecDomain, said: Mapping[str, Any], filters: Filters) -> SpecDomain:
        """The domain with what its entry says of tables and of costs."""
        sectioned = {"section": said["section"], "shipped_set": ""} if "section" in said else {}
        row = said.get("row", "").replace("{domain}", one.name)
        return replace(one, **sectioned, row=row, costlier=filters.costlier)

    # ── files and shipped domains ────────────────────────────────────────────────────────────────

    def _files(self, said: Mapping[str, Any], filters: Filters) -> SpecDomain:
        path = self._path(said["domain"])
        domain = load_domain(path)
        tasks = []
        for pattern in said["problems"]:
            # The domain mostly stands beside its problems.
            files = [Path(file) for file in sorted(glob(str(self._path(pattern)), recursive=True))]
            problems = [file for file in files if file.is_file() and file.resolve() != path.resolve()]
            if not problems:
                why = "that is the domain itself" if files else f"no such file in {self._path('.')}"
                raise InputError(f"no problem is called {pattern!r}: {why}")
            tasks += [_task(file, domain) for file in problems]
        # A domain's file is mostly called domain.pddl: its folder tells it apart.
        label = path.resolve().parent.name if path.stem.lower() in _GENERIC else path.stem
        kept = filters.passing([(each, None) for each in tasks], label, self._left_out)
        return SpecDomain(label, path, domain, kept, {}, origin=("file", str(path.resolve())))

    def _shipped(self, shipped: ShippedDomain, said: Mapping[str, Any], filters: Filters) -> SpecDomain:
        # Named instances may come from any set, also the example.
        named = self._instances if not filters.instances and "set" not in said else ()
        role = _SETS[said.get("set", "primary")]
        anything = "set" not in said and (named or filters.instances)
        instances = [each for each in shipped.instances if anything or each.role == role]
        if named:
            instances = [each for each in instances if fits(each.name, named)]
        if not instances:
            raise InputError(_none_of(shipped, said.get("set", "primary"), bool(named)))
        tasks = [
            (SpecTask(each.name, each.path, shipped.task(each.name), each.ff_length), each.optimal_length)
            for each in instances
            if filters.named(each.name)
        ]
        self._check_names(shipped.name, [each.name for each in instances], filters)
        kept = filters.passing(tasks, shipped.name, self._left_out)
        path = shipped.domain_path
        origin = ("file", str(path.resolve()))
        shipped_set = "primary" if anything else said.get("set", "primary")
        return SpecDomain(shipped.name, path, shipped.domain, kept, {}, origin=origin, shipped_set=shipped_set)

    def _unknown_instances(self, found: list[SpecDomain]) -> None:
        names = {each.name for one in found if one.path in _shipped_paths() for each in one.tasks}
        known = [each.name for name in _all_shipped() for each in shipped_domain(name).instances]
        for name in self._instances:
            if not any(fits(each, [name]) for each in names) and self._file.sound:
                self._file.wrong(
                    f"'instances' holds {name!r}, and no shipped domain here has it{did_you_mean(name, known)}",
                    "instances",
                    value=name,
                )

    # ── suites ───────────────────────────────────────────────────────────────────────────────────

    def _suites(self, said: Mapping[str, Any], filters: Filters) -> list[SpecDomain]:
        root = self._path(said["suite"])
        collection = find_suites(root)
        if "only" in said:
            only = said["only"]
            collection = collection.only([only] if isinstance(only, str) else only)
        self._check_names(said["suite"], [task.name for task in collection.tasks], filters)
        found = [one for suite in collection.suites for one in self._suite(root, suite, said, filters)]
        if not found:
            why = "; ".join(self._left_out) or "'instances' and 'except' let none pass"
            raise InputError(f"{root}: none of its {len(collection.tasks)} tasks is left: {why}")
        return found

    def _suite(self, root: Path, suite: Suite, said: Mapping[str, Any], filters: Filters) -> list[SpecDomain]:
        """The domains of a suite: one, or as many as its tasks have of their own."""
        wanted = [each for each in suite.tasks if filters.named(each.name)]
        groups: dict[int, list[tuple[SuiteTask, SpecTask]]] = defaultdict(list)
        domains: list[Domain] = []
        trees: dict[Path, int] = {}
        for each in wanted:
            if each.guess:
                what = f"suite {suite.name}: the domain of {each.name} is a guess, {each.domain.name}: {each.why}"
                if not said.get("guesses", True):
                    self._left_out.append(what)
                    continue
                self._notes.append(what)
            try:
                if each.domain not in trees:
                    trees[each.domain] = _index(domains, load_domain(each.domain))
                task = Task(domains[trees[each.domain]], load_problem(each.problem, domains[trees[each.domain]]))
                Simulator(task)
            except InputError as error:
                how = "cannot be executed" if isinstance(error, UnsupportedError) else "cannot be read"
                self._left_out.append(f"suite {suite.name}: {each.name} {how}: {str(error).splitlines()[0]}")
                continue
            groups[trees[each.domain]].append((each, SpecTask(each.name, each.problem, task)))
        return [
            one
            for number, (tree, some) in enumerate(groups.items(), 1)
            if (one := self._of_suite(root, suite, domains[tree], some, filters, number, len(groups))).tasks
        ]

    def _of_suite(
        self,
        root: Path,
        suite: Suite,
        domain: Domain,
        some: Sequence[tuple[SuiteTask, SpecTask]],
        filters: Filters,
        number: int,
        of: int,
    ) -> SpecDomain:
        label = suite.name
        if of > 1:
            label += f"/{some[0][0].name}" if len(some) == 1 else f"-{number}"
        kept = filters.passing([(task, None) for _, task in some], label, self._left_out)
        origin = ("suite", str(root.resolve()), suite.name, str(some[0][0].domain.resolve()))
        return SpecDomain(label, some[0][0].domain, domain, kept, {}, suite=suite.name, origin=origin)

    # ── what entries have in common ──────────────────────────────────────────────────────────────

    def _path(self, name: str) -> Path:
        return self._folder / Path(name).expanduser()

    def _check_names(self, label: str, names: Sequence[str], filters: Filters) -> None:
        for pattern in filters.unused(names):
            raise InputError(f"no task of {label} is called '{pattern}'{did_you_mean(pattern, names)}")


def _none_of(shipped: ShippedDomain, wanted: str, named: bool) -> str:
    """Why a shipped domain has nothing of what is wanted."""
    known = ", ".join(each.name for each in shipped.instances)
    if named and known:
        return f"{shipped.name} has none of 'instances'; it has {known}"
    others = [
        name for name in _all_shipped() if any(each.role == _SETS[wanted] for each in shipped_domain(name).instances)
    ]
    there_are = f"there is one for {', '.join(others)}" if others else "no domain has one"
    return f"{shipped.name} has no set '{wanted}'; {there_are}"


def _shipped_paths() -> set[Path]:
    return {shipped_domain(name).domain_path for name in _all_shipped()}


def _all_shipped() -> tuple[str, ...]:
    return (*shipped_domains(), *authored_domains())


def _index(domains: list[Domain], domain: Domain) -> int:
    """The place of a domain among those that are not the same, to which it is added where it is new."""
    for number, other in enumerate(domains):
        if other == domain:
            return number
    domains.append(domain)
    return len(domains) - 1


def _transformations(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The transformations of an entry; several stand in a list, or in one text with commas between them."""
    value = said.get("transform", ())
    names = [value] if isinstance(value, str) else value
    found = tuple(part.strip() for name in names for part in name.split(","))
    for name in found:
        if name not in TRANSFORMATIONS:
            hint = did_you_mean(name, TRANSFORMATIONS) or f"; there are {', '.join(TRANSFORMATIONS)}"
            raise InputError(f"no transformation is called '{name}'{hint}")
    if "transform_seed" in said and not found:
        raise InputError("'transform-seed' is given, and no 'transform'")
    return found


def _task(path: Path, domain: Domain) -> SpecTask:
    task = Task(domain, load_problem(path, domain))
    # Refuses what cannot be executed.
    Simulator(task)
    return SpecTask(path.stem, path, task)


def _named(entry: object) -> object:
    """What of an entry can be looked for in the file."""
    if not isinstance(entry, dict):
        return entry
    value = next((entry[key] for key in ("domain", "shipped", "suite") if key in entry), None)
    return value[0] if isinstance(value, list) and value else value
