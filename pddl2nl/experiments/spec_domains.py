"""The entries of ``domains`` in an experiment's file: from names, files and folders to domains with their tasks.

::

    domains = [
        "blocksworld",                                                    # shipped: its primary set
        {shipped = "blocksworld", set = "scaled", transform = "obfuscate:generic"},
        {domain = "mine/domain.pddl", problems = ["mine/p*.pddl"]},
        {suite = "downward-benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m"},
    ]

Every entry may have filters (`pddl2nl.experiments.spec_filters`) and transformations (`pddl2nl.tasks.transformations`).
A suite whose tasks have domains of their own becomes several domains under the suite's name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import count
from pathlib import Path
from typing import Any

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.experiments.example import SolvedProblem
from pddl2nl.experiments.spec_filters import FILTERS, Filters, Sized, SolvedBy, read_filters, read_keys
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, list_of, near, shown, text, truth, whole
from pddl2nl.nl import Wording, choose_wording, template_wording
from pddl2nl.pddl import Domain, Task, load_domain, load_problem
from pddl2nl.tasks import ShippedDomain, shipped_domain, shipped_domains
from pddl2nl.tasks.suites import Suite, SuiteTask, find_suites
from pddl2nl.tasks.transformations import TRANSFORMATIONS, Change
from validators import Simulator

__all__ = ["DomainEntries", "SpecDomain", "SpecTask"]

_SETS = {"primary": "benchmark", "scaled": "scaled", "unsolvable": "unsolvable"}
_GENERIC = ("domain", "dom")
_texts = Kind("a text, or a list of texts", lambda value: text.accepts(value) or (bool(value) and _are_texts(value)))
_TRANSFORMS: dict[str, Kind] = {"transform": _texts, "transform_seed": whole(0)}
_EVERY = {**FILTERS, **_TRANSFORMS}
_ENTRIES: dict[str, dict[str, Kind]] = {
    "domain": {"domain": text, "problems": list_of(text), **_EVERY},
    "shipped": {"shipped": text, "set": choice(_SETS), **_EVERY},
    "suite": {"suite": text, "only": _texts, "guesses": truth, **_EVERY},
}
_NEEDED = {"domain": ("domain", "problems"), "shipped": ("shipped",), "suite": ("suite",)}


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(text.accepts, value))


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
        origin: what it was read from: what was read from the same is one domain.
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

    @property
    def name(self) -> str:
        """What it is called in the names of records."""
        return self.suite or self.label

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


class DomainEntries:
    """Reads the entries of a file.

    Args:
        file: the file, in which whatever is wrong is noted.
        instances: the instances of shipped domains that the file names for all of them; empty for the primary sets.
        folder: what paths are relative to.
        left_out: gets a sentence for whatever is not run; ``notes`` for what a person should look at.
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
            try:
                found += self._entry(entry)
            except InputError as error:
                self._file.wrong(f"'domains': {error}", "domains", value=_named(entry))
        self._unknown_instances(found)
        try:
            return _told_apart(found)
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
            found = [self._shipped(shipped_domain(said["shipped"]), said, filters)]
        else:
            found = [self._files(said, filters)]
        if not names:
            return found
        from pddl2nl.experiments.transformed import transformed

        return [transformed(one, names, said.get("transform_seed", 1)) for one in found]

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
        kept = self._kept(label, [(each, None) for each in tasks], filters)
        return SpecDomain(label, path, domain, kept, {}, origin=("file", str(path.resolve())))

    def _shipped(self, shipped: ShippedDomain, said: Mapping[str, Any], filters: Filters) -> SpecDomain:
        # Whoever names instances may name those of any set, the example among them.
        named = self._instances if not filters.instances and "set" not in said else ()
        role = _SETS[said.get("set", "primary")]
        anything = "set" not in said and (named or filters.instances)
        instances = [each for each in shipped.instances if anything or each.role == role]
        if named:
            instances = [each for each in instances if each.name in named]
        if not instances:
            raise InputError(_none_of(shipped, said.get("set", "primary"), bool(named)))
        tasks = [
            (SpecTask(each.name, each.path, shipped.task(each.name), each.ff_length), each.optimal_length)
            for each in instances
            if filters.named(each.name)
        ]
        self._check_names(shipped.name, [each.name for each in instances], filters)
        kept = self._kept(shipped.name, tasks, filters)
        path = shipped.domain_path
        return SpecDomain(shipped.name, path, shipped.domain, kept, {}, origin=("file", str(path.resolve())))

    def _unknown_instances(self, found: list[SpecDomain]) -> None:
        names = {each.name for one in found if one.path in _shipped_paths() for each in one.tasks}
        known = [each.name for name in shipped_domains() for each in shipped_domain(name).instances]
        for name in self._instances:
            if name not in names and self._file.sound:
                self._file.wrong(
                    f"'instances' holds {name!r}, and no shipped domain here has it{near(name, known)}",
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
        kept = self._kept(label, [(task, None) for _, task in some], filters)
        origin = ("suite", str(root.resolve()), suite.name, str(some[0][0].domain.resolve()))
        return SpecDomain(label, some[0][0].domain, domain, kept, {}, suite=suite.name, origin=origin)

    # ── what entries have in common ──────────────────────────────────────────────────────────────

    def _path(self, name: str) -> Path:
        return self._folder / Path(name).expanduser()

    def _check_names(self, label: str, names: Sequence[str], filters: Filters) -> None:
        for pattern in filters.unused(names):
            raise InputError(f"no task of {label} is called '{pattern}'{near(pattern, names)}")

    def _kept(self, label: str, tasks: Sequence[tuple[SpecTask, int | None]], filters: Filters) -> tuple[SpecTask, ...]:
        """The tasks that pass the filters, with those that need a planner still to be decided."""
        named = {each.name: each for each, _ in tasks if filters.named(each.name)}
        sized = [Sized(each.name, each.task, length) for each, length in tasks if each.name in named]
        passing = filters.passing(sized, label, self._left_out)
        return tuple(replace(named[each.name], filters=filters.solved_by) for each in passing)


def _none_of(shipped: ShippedDomain, wanted: str, named: bool) -> str:
    """Why a shipped domain has nothing of what is wanted."""
    known = ", ".join(each.name for each in shipped.instances)
    if named and known:
        return f"{shipped.name} has none of 'instances'; it has {known}"
    others = [
        name for name in shipped_domains() if any(each.role == _SETS[wanted] for each in shipped_domain(name).instances)
    ]
    there_are = f"there is one for {', '.join(others)}" if others else "no domain has one"
    return f"{shipped.name} has no set '{wanted}'; {there_are}"


def _shipped_paths() -> set[Path]:
    return {shipped_domain(name).domain_path for name in shipped_domains()}


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
            hint = near(name, TRANSFORMATIONS) or f"; there are {', '.join(TRANSFORMATIONS)}"
            raise InputError(f"no transformation is called '{name}'{hint}")
    if "transform_seed" in said and not found:
        raise InputError("'transform-seed' is given, and no 'transform'")
    return found


def _task(path: Path, domain: Domain) -> SpecTask:
    task = Task(domain, load_problem(path, domain))
    # Refuses what cannot be executed.
    Simulator(task)
    return SpecTask(path.stem, path, task)


def _told_apart(domains: list[SpecDomain]) -> list[SpecDomain]:
    """The domains, each once, with a number in the labels and the suites' names that others have as well."""
    # The same domain may stand there several times with different problems.
    same: dict[tuple[str, ...], list[SpecDomain]] = defaultdict(list)
    for one in domains:
        same[one.origin].append(one)
    labels: set[str] = set()
    owners: dict[str, tuple[str, ...]] = {}
    found: list[SpecDomain] = []
    for origin, some in same.items():
        # The domains of one suite have its name in common; all others would be mixed up with it in a report.
        owner = (*origin[:3], *origin[4:]) if some[0].suite else origin
        suite = next(name for name in _numbered(some[0].suite) if owners.get(name, owner) == owner)
        label = next(
            name for name in _numbered(some[0].label) if name not in labels and owners.get(name, owner) == owner
        )
        labels.add(label)
        owners[suite or label] = owner
        tasks = _each_once(label, [each for one in some for each in one.tasks])
        found.append(replace(some[0], label=label, suite=suite, tasks=tasks))
    return found


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


def _named(entry: object) -> object:
    """What of an entry can be looked for in the file."""
    if not isinstance(entry, dict):
        return entry
    return next((entry[key] for key in ("domain", "shipped", "suite") if key in entry), None)
