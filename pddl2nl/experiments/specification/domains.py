"""The entries of ``domains``: names, files and folders become domains with their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path
from typing import Any

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InputError, UnsupportedError, did_you_mean
from pddl2nl.experiments.example import find_example
from pddl2nl.experiments.specification.schema import (
    DOMAIN_ENTRIES,
    DomainEntry,
    FilesEntry,
    ShippedEntry,
    SpecFile,
    SuiteEntry,
    many,
)
from pddl2nl.nl import Wording, choose_wording, template_wording
from pddl2nl.pddl import Domain, Task, load_domain, load_problem, parse_task, write_domain, write_problem
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.tasks import match_shipped, shipped_domain
from pddl2nl.tasks.suites import Suite, find_suites
from pddl2nl.tasks.transformations import TaskChange, changes_of
from pddlval import Simulator
from pddlval.plans import plan_of

_ROLES = {"primary": "benchmark", "scaled": "scaled", "unsolvable": "unsolvable"}
_UNTOLD = "+strip-costs"


def matches(names: Iterable[str], patterns: Iterable[str]) -> bool:
    """Whether one of the names, or its part after the last ``/``, matches one of the patterns, ignoring case."""
    parts = {part.lower() for name in names for part in (name, name.rpartition("/")[2])}
    return any(fnmatchcase(part, pattern.lower()) for pattern in patterns for part in parts)


@dataclass(frozen=True)
class SpecTask:
    """One task; its name is unique within its suite, and ``path`` the problem's file, also of a transformed task.

    ``plan_length`` is that of FF's plan, if it is known, ``optimal_length`` of a shortest one. ``texts`` are for
    planners, if they differ from the files; ``example`` is the solved problem for prompts, transformed as the task was.
    """

    name: str
    path: Path
    task: Task
    plan_length: int | None = None
    optimal_length: int | None = None
    texts: TaskTexts | None = None
    example: SolvedProblem | None = None


@dataclass(frozen=True)
class SpecDomain:
    """A domain with its tasks, and its wordings by their labels; ``llm`` maps to itself.

    Attributes:
        name: its name, or its suite's, in the names of records.
        path: the domain's file, also of a transformed domain.
        origin: its source, the same for all domains of a suite.
        label: its name in messages: a suite's domains have one each.
        section: the section of its rows in tables; empty if there are no sections.
        row: its name in tables; a suite whose tasks have domains of their own is one row.
        part: the name by which ``--sections`` selects it: the section or the shipped set of its entry.
        original: the domain before its transformations, which are ``changes``.
    """

    name: str
    path: Path
    domain: Domain
    tasks: tuple[SpecTask, ...]
    origin: tuple[str, ...]
    label: str
    section: str = ""
    row: str = ""
    part: str = ""
    original: Domain | None = None
    changes: tuple[TaskChange, ...] = ()
    wordings: Mapping[str, Wording | str] = field(default_factory=dict)

    @property
    def renamed(self) -> bool:
        """Whether its names were replaced by names that mean something else, or nothing."""
        return any(name.startswith("obfuscate") for name in self.origin)

    def worded(self, spec: str | None) -> Wording:
        """The wording by `choose_wording`, transformed as the domain was; the template is made for what it is now."""
        wording = choose_wording(spec, self.original or self.domain, self.path)
        if self.original is not None and wording == template_wording(self.original):
            return template_wording(self.domain)
        for change in self.changes:
            wording = change.wording(wording)
        return wording


def read_domains(
    file: SpecFile,
    entries: Sequence[str | dict[str, Any]],
    instances: Sequence[str],
    left_out: list[str],
    notes: list[str],
) -> list[SpecDomain]:
    """The domains with their tasks, without wordings.

    ``instances`` are those of shipped domains that the file names for all of them, empty for the primary sets.
    ``left_out`` gets a sentence for each thing that is not run, ``notes`` for things to check by hand.

    Raises:
        InputError: an entry is wrong; the message has its place in the file.
    """
    reader = _DomainReader(file, instances, left_out, notes)
    domains: list[SpecDomain] = []
    for number, raw in enumerate(entries):
        if isinstance(raw, str):
            entry: DomainEntry = ShippedEntry(shipped=raw)
            value: object = raw
        else:
            kind = next((kind for kind in DOMAIN_ENTRIES if kind in raw), "domain")
            entry = file.convert(raw, DOMAIN_ENTRIES[kind], "domains", number)
            value = raw[kind] if isinstance(raw[kind], str) else raw[kind][0]
        try:
            domains += reader.domains(entry)
        except InputError as error:
            raise file.error(f"domains: {error}", "domains", number, value=value) from None
    for pattern in instances:
        if not any(matches([name], [pattern]) for name in reader.shipped_names):
            hint = did_you_mean(pattern, reader.shipped_names)
            message = f"instances holds {pattern!r}, and no shipped domain here has it{hint}"
            raise file.error(message, "instances", value=pattern)
    try:
        return _in_rows(domains)
    except InputError as error:
        raise file.error(f"domains: {error}", "domains") from None


class _DomainReader:
    """Reads entries; see `read_domains`. ``shipped_names`` are those of all tasks of shipped domains."""

    def __init__(self, file: SpecFile, instances: Sequence[str], left_out: list[str], notes: list[str]):
        self._file = file
        self._instances = instances
        self._left_out = left_out
        self._notes = notes
        self.shipped_names: list[str] = []

    def domains(self, entry: DomainEntry) -> Iterator[SpecDomain]:
        if isinstance(entry, ShippedEntry):
            domains = [self._shipped(name, entry) for name in many(entry.shipped)]
        elif isinstance(entry, FilesEntry):
            domains = [self._files(entry)]
        else:
            assert isinstance(entry, SuiteEntry)
            domains = self._suites(entry)
        for one in domains:
            placed = replace(
                one,
                section=entry.section or "",
                part=one.part if entry.section is None else entry.section,
                row=(entry.row or "").replace("{domain}", one.name),
            )
            changes = many(entry.transform)
            yield _transformed(placed, changes) if changes and placed.tasks else placed

    def _shipped(self, name: str, entry: ShippedEntry) -> SpecDomain:
        shipped = shipped_domain(name)
        own = many(entry.instances)
        wanted = own or (self._instances if entry.set is None else ())
        # Named instances may come from any set, also the example.
        role = None if wanted and entry.set is None else _ROLES[entry.set or "primary"]
        instances = [each for each in shipped.instances if role in (None, each.role)]
        names = [each.name for each in instances]
        if not instances:
            raise InputError(f"{shipped.name} has no set '{entry.set}'")
        if wanted and not own and not any(matches([each], wanted) for each in names):
            raise InputError(f"{name} has none of 'instances'; it has {', '.join(names)}")
        _check_names(name, names, own)
        tasks = [
            SpecTask(each.name, each.path, shipped.task(each.name), each.ff_length, each.optimal_length)
            for each in instances
            if not wanted or matches([each.name], wanted)
        ]
        self.shipped_names += [task.name for task in tasks]
        path = shipped.domain_path
        origin = ("file", str(path.resolve()))
        kept = self._passing(tasks, entry, name)
        return SpecDomain(name, path, shipped.domain, kept, origin, name, part=entry.set or "primary")

    def _files(self, entry: FilesEntry) -> SpecDomain:
        path = self._file.path_of(entry.domain)
        whole = path.resolve()
        domain = load_domain(path)
        tasks = []
        for pattern in entry.problems:
            # The pattern may match the domain's own file.
            files = [Path(name) for name in sorted(glob(str(self._file.path_of(pattern)), recursive=True))]
            problems = [file for file in files if file.is_file() and file.resolve() != whole]
            if not problems:
                why = "that is the domain itself" if files else f"no such file in {self._file.path.parent}"
                raise InputError(f"no problem is called {pattern!r}: {why}")
            tasks += [SpecTask(file.stem, file, _executable(domain, file)) for file in problems]
        # Most domains are called domain.pddl, so the folder gives the name.
        name = whole.parent.name if path.stem.lower() in ("domain", "dom") else path.stem
        kept = self._passing(tasks, entry, name)
        return SpecDomain(name, path, domain, kept, ("file", str(whole)), name)

    def _suites(self, entry: SuiteEntry) -> list[SpecDomain]:
        root = self._file.path_of(entry.suite)
        collection = find_suites(root)
        if entry.only:
            collection = collection.only(list(many(entry.only)))
        _check_names(entry.suite, [task.name for task in collection.tasks], many(entry.instances))
        domains = [one for suite in collection.suites for one in self._suite(root, suite, entry) if one.tasks]
        if not domains:
            why = "; ".join(self._left_out) or "'instances' and 'except' let none pass"
            raise InputError(f"{root}: none of its {len(collection.tasks)} tasks is left: {why}")
        return domains

    def _suite(self, root: Path, suite: Suite, entry: SuiteEntry) -> Iterator[SpecDomain]:
        """The domains of a suite: one, or as many as its tasks have of their own."""
        groups: list[tuple[Path, Domain, list[SpecTask]]] = []
        loaded: dict[Path, int] = {}
        for each in suite.tasks:
            if not _named(each.name, entry):
                continue
            if each.guess:
                guess = f"the domain of {each.name} is a guess, {each.domain.name}: {each.why}"
                self._notes.append(f"suite {suite.name}: {guess}")
            try:
                if each.domain not in loaded:
                    domain = load_domain(each.domain)
                    equal = (index for index, (_, other, _) in enumerate(groups) if other == domain)
                    loaded[each.domain] = next(equal, len(groups))
                    if loaded[each.domain] == len(groups):
                        groups.append((each.domain, domain, []))
                _, domain, tasks = groups[loaded[each.domain]]
                tasks.append(SpecTask(each.name, each.problem, _executable(domain, each.problem)))
            except InputError as error:
                how = "executed" if isinstance(error, UnsupportedError) else "read"
                reason = str(error).splitlines()[0]
                self._left_out.append(f"suite {suite.name}: {each.name} cannot be {how}: {reason}")
        groups = [group for group in groups if group[2]]
        for number, (path, domain, tasks) in enumerate(groups, 1):
            tail = f"/{tasks[0].name}" if len(tasks) == 1 else f"-{number}"
            label = suite.name + (tail if len(groups) > 1 else "")
            origin = ("suite", str(root.resolve()), suite.name)
            yield SpecDomain(suite.name, path, domain, self._passing(tasks, entry, label), origin, label)

    def _passing(self, tasks: Sequence[SpecTask], entry: DomainEntry, label: str) -> tuple[SpecTask, ...]:
        """The named tasks that are not too large."""
        tasks = [task for task in tasks if _named(task.name, entry)]
        if entry.max_optimal_length is not None and any(task.optimal_length is None for task in tasks):
            raise InputError(
                f"optimal lengths are known only for shipped instances with a plan, not for all tasks of {label}"
            )
        for key, most in (("max-objects", entry.max_objects), ("max-optimal-length", entry.max_optimal_length)):
            kept = [task for task in tasks if most is None or _size(task, key) <= most]
            if len(kept) < len(tasks):
                self._left_out.append(f"{len(tasks) - len(kept)} of {len(tasks)} tasks of {label}: {key} = {most}")
            tasks = kept
        return tuple(tasks)


def _size(task: SpecTask, key: str) -> int:
    return len(task.task.problem.objects) if key == "max-objects" else task.optimal_length or 0


def _named(name: str, entry: DomainEntry) -> bool:
    wanted, excluded = many(entry.instances), many(entry.excluded)
    return (not wanted or matches([name], wanted)) and not matches([name], excluded)


def _check_names(label: str, names: Sequence[str], patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if not any(matches([name], [pattern]) for name in names):
            raise InputError(f"no task of {label} is called '{pattern}'{did_you_mean(pattern, names)}")


def _executable(domain: Domain, problem: Path) -> Task:
    """The task of a problem's file; raises `InputError` for one that cannot be executed."""
    task = Task(domain, load_problem(problem, domain))
    Simulator(task)
    return task


# ── transformations ──────────────────────────────────────────────────────────────────────────────


def _transformed(one: SpecDomain, names: Sequence[str]) -> SpecDomain:
    """The domain with its tasks after transformations, the same for all of its tasks."""
    problems = [each.task.problem for each in one.tasks]
    shipped = match_shipped(one.domain)
    if shipped is not None:
        # Names are dealt to the objects of the example as well.
        problems.append(shipped.task(shipped.example.name).problem)
    changes = changes_of(one.domain, problems, names, seed=1)
    tasks = []
    domain: Domain | None = None
    for each in one.tasks:
        # Parsed from its new text, so that nothing of the old one is left.
        changed = _changed(each.task, changes)
        texts = TaskTexts(write_domain(changed.domain), write_problem(changed.problem))
        task = parse_task(texts.domain, texts.problem)
        domain = domain or task.domain
        example = None if shipped is None else _changed_example(each.task, changes)
        tasks.append(replace(each, task=Task(domain, task.problem), texts=texts, example=example))
    assert domain is not None
    called = "+" + "+".join(names).replace(":", "-")
    return replace(
        one,
        name=one.name + called,
        label=one.label + called,
        domain=domain,
        tasks=tuple(tasks),
        origin=(*one.origin, *names),
        original=one.domain,
        changes=changes,
    )


def _changed(task: Task, changes: Sequence[TaskChange]) -> Task:
    for change in changes:
        task = change.task(task)
    return task


def _changed_example(task: Task, changes: Sequence[TaskChange]) -> SolvedProblem | None:
    """The shipped example of the original task, changed; None if it has none."""
    try:
        example = find_example(task)
    except InputError:
        # Without a planner there is none, which is said where it is needed.
        return None
    if example is None or example.source != "shipped":
        return None
    plan = plan_of(example.plan)
    for change in changes:
        plan = change.plan(plan)
    changed = _changed(example.task, changes)
    reread = parse_task(write_domain(changed.domain), write_problem(changed.problem))
    return SolvedProblem(reread, tuple(plan.actions), example.source)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────


def _in_rows(domains: Sequence[SpecDomain]) -> list[SpecDomain]:
    """The domains with their sections, rows, and names of records.

    If several sets of shipped domains are used, all but the primary set form a section of their own. A row is called as
    its entry says, else as the domain, without transformations that change nothing in words unless two rows would then
    have the same name.

    Raises:
        InputError: a domain occurs twice in a section, or two domains would be one row.
    """
    several_sets = len({one.part for one in domains if one.part and not one.section}) > 1
    plain = {one.name: one.name.replace(_UNTOLD, "") for one in domains}
    alike = Counter(plain.values())
    seen: set[tuple[object, ...]] = set()
    first_section: dict[str, str] = {}
    rows: dict[tuple[str, str], SpecDomain] = {}
    in_rows = []
    for one in domains:
        section = one.part if several_sets and one.part != "primary" else one.section
        if (key := (one.origin, one.path.resolve(), section)) in seen:
            raise InputError(f"{one.label} occurs twice in one section; make its entries one, or give one a 'section'")
        seen.add(key)
        row = one.row or (plain[one.name] if alike[plain[one.name]] == 1 else one.name)
        other = rows.setdefault((row, section), one)
        if other.origin != one.origin:
            raise InputError(f"{other.name} and {one.name} would both be the row '{row}' of a table: give one a 'row'")
        # A section that the file names tells records apart as well; one that a set has by itself never did.
        again = first_section.setdefault(one.name, section) != section
        name = f"{one.name}-{section}" if again and one.section else one.name
        in_rows.append(replace(one, name=name, section=section, row=row))
    return in_rows
