"""The entries of ``domains`` in an experiment's file: from names, files and folders to domains with their tasks.

::

    domains = [
        "blocksworld",                                                    # shipped: its primary set
        {shipped = "blocksworld", set = "scaled", transform = "obfuscate:generic"},
        {domain = "mine/domain.pddl", problems = ["mine/p*.pddl"]},
        {suite = "downward-benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m"},
        {shipped = ["ferry", "grippers"], set = "scaled", section = "larger", row = "{domain}, large"},
    ]

Every entry may have filters (`pddl2nl.experiments.spec_filters`) and transformations (`pddl2nl.tasks.transformations`).
A suite whose tasks have domains of their own becomes several domains under the suite's name. ``section`` says with
which others an entry's rows stand together in a table, ``row`` what they are called there; where there are several sets
of shipped domains, those other than the primary one have sections by their names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.experiments.spec_filters import FILTERS, Filters, Sized, fits, read_filters, read_keys
from pddl2nl.experiments.spec_parts import SpecDomain, SpecTask, told_apart
from pddl2nl.experiments.spec_variables import unset
from pddl2nl.experiments.toml_places import (
    Kind,
    TOMLText,
    choice,
    list_of,
    near,
    one_or_many,
    shown,
    text,
    truth,
    whole,
)
from pddl2nl.pddl import Domain, Task, load_domain, load_problem
from pddl2nl.tasks import ShippedDomain, authored_domains, shipped_domain, shipped_domains
from pddl2nl.tasks.suites import Suite, SuiteTask, find_suites
from pddl2nl.tasks.transformations import TRANSFORMATIONS
from pddlval import Simulator

__all__ = ["DomainEntries", "SpecDomain", "SpecTask"]

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
            if unset(entry):
                continue
            try:
                found += self._entry(entry)
            except InputError as error:
                self._file.wrong(f"'domains': {error}", "domains", value=_named(entry))
        self._unknown_instances(found)
        try:
            return told_apart(found)
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
        from pddl2nl.experiments.transformed import transformed

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
        kept = self._kept(label, [(each, None) for each in tasks], filters)
        return SpecDomain(label, path, domain, kept, {}, origin=("file", str(path.resolve())))

    def _shipped(self, shipped: ShippedDomain, said: Mapping[str, Any], filters: Filters) -> SpecDomain:
        # Whoever names instances may name those of any set, the example among them.
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
        kept = self._kept(shipped.name, tasks, filters)
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


def _named(entry: object) -> object:
    """What of an entry can be looked for in the file."""
    if not isinstance(entry, dict):
        return entry
    value = next((entry[key] for key in ("domain", "shipped", "suite") if key in entry), None)
    return value[0] if isinstance(value, list) and value else value
