"""The shipped domains and instances, in an installed package and in a checkout.

A wheel has the data in the package (``pddl2nl/domains``, ``pddl2nl/instances``); a checkout has the two folders at its
top, beside the package. A domain's folder has ``domain.pddl``, ``wording.json`` and a README; its instances are in a
folder of the same name. ``manifest.csv`` describes generated sets; ``tasks.json`` describes the tasks of an authored
domain, which were written by hand, with texts and ground truths (`pddl2nl.tasks.reference_files`).

A package adds a domain of its own by an entry point in the group ``pddl2nl.domains``, which names a package whose
folder has ``domain.pddl``, perhaps ``wording.json``, the problems, and perhaps a ``manifest.csv``. Its
``__init__.py`` may hold a generator, ``GENERATOR`` (`pddl2nl.tasks.generators.Generator`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from itertools import chain
from pathlib import Path

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import read_text
from pddl2nl.pddl import Domain, Problem, Task, load_domain, load_problem, parse_problem
from pddl2nl.plugins import DOMAIN_GROUP, installed, load_object, loadable, systems
from pddl2nl.tasks.manifest import Instance, Role, read_manifest
from pddl2nl.tasks.reference_files import TaskReference, read_references

_TASKS = "tasks.json"


@dataclass(frozen=True)
class ShippedDomain:
    """One shipped domain: its files, and the instances of all its sets, the example first.

    ``references`` are the texts and ground truths of an authored domain's tasks; empty for generated sets.
    """

    name: str
    folder: Path
    domain_path: Path
    wording_path: Path
    instances_folder: Path
    instances: tuple[Instance, ...]
    references: tuple[TaskReference, ...] = ()

    @cached_property
    def domain(self) -> Domain:
        return load_domain(self.domain_path)

    @property
    def example(self) -> Instance:
        """The instance that prompts show with its plan of about five steps.

        Raises:
            InputError: the domain has no instances.
        """
        found = self._of("example")
        if not found:
            raise InputError(f"no example of {self.name} is shipped: {self.instances_folder} has none")
        return found[0]

    @property
    def benchmarks(self) -> tuple[Instance, ...]:
        """The primary set without the example, by plan length; of an authored domain, in its order."""
        return self._of("benchmark")

    @property
    def scaled(self) -> tuple[Instance, ...]:
        """The scaled set: around the size at which an optimal planner first fails. Empty for most domains."""
        return self._of("scaled")

    @property
    def unsolvable(self) -> tuple[Instance, ...]:
        """The instances that have no plan. Empty for most domains."""
        return self._of("unsolvable")

    def _of(self, role: Role) -> tuple[Instance, ...]:
        return tuple(instance for instance in self.instances if instance.role == role)

    def instance(self, name: str) -> Instance:
        """The instance of that name; raises `InputError`, with near names, for an unknown one."""
        for instance in self.instances:
            if instance.name == name:
                return instance
        names = [instance.name for instance in self.instances]
        raise InputError(f"no instance '{name}' of {self.name} is shipped{_near(name, names)}")

    def task(self, name: str) -> Task:
        """Domain and instance together; raises `InputError` for an unknown instance."""
        return Task(self.domain, load_problem(self.instance(name).path, self.domain))


@lru_cache(maxsize=1)
def shipped_domains() -> tuple[str, ...]:
    """The names of the shipped domains of the benchmark set, in alphabetical order; authored ones are not in it."""
    authored = authored_domains()
    return tuple(name for name in _all_domains() if name not in authored)


@lru_cache(maxsize=1)
def authored_domains() -> tuple[str, ...]:
    """The names of the shipped domains whose tasks were written by hand, in alphabetical order."""
    instances = _data("instances")
    return tuple(name for name in _all_domains() if (instances / name / _TASKS).is_file())


def find_domain(name: str) -> Path:
    """The domain file of a shipped domain; raises `InputError` for an unknown name that is not a file either."""
    known = domain_names()
    if name not in known:
        raise InputError(f"{name}: no such file, and no shipped domain of this name{_near(name, known)}")
    return shipped_domain(name).domain_path


def find_task(domain: str | Path, problem: str | Path) -> Task:
    """A task of two files, or of a shipped domain and an instance by their names; raises as `find_instance`."""
    path = Path(domain) if Path(domain).is_file() else find_domain(str(domain))
    read = load_domain(path)
    return Task(read, read_problem(problem if Path(problem).is_file() else find_instance(str(problem), path), read))


def read_problem(path: str | Path, domain: Domain) -> Problem:
    """A problem's file, in PDDL or in the form of a system (`pddl2nl.plugins.System.problems`), such as a scene graph.

    Raises:
        InputError: the file cannot be read, or does not have its form.
        PDDLError: the problem has an error.
    """
    system = next((each for each in systems().values() if Path(path).suffix in each.problems), None)
    if system is None:
        return load_problem(path, domain)
    text = system.load(system.problems[Path(path).suffix])(read_text(path, "problem"), domain, str(path))
    return parse_problem(text, domain, str(path))


def find_instance(name: str, domain: Path) -> Path:
    """The problem file of an instance of a shipped domain; raises `InputError` for an unknown name.

    Args:
        name: the instance's name.
        domain: the path of a domain's file; if it is not a shipped domain's, `name` is a path.
    """
    folder = domain.resolve().parent
    shipped = ((each, _data("domains") / each) for each in (*shipped_domains(), *authored_domains()))
    brought = loadable(DOMAIN_GROUP, lambda entry: (entry.name, _folders(entry.name)[0]))
    known = next((each for each, place in chain(shipped, brought) if place.resolve() == folder), None)
    if known is None or domain.name != "domain.pddl":
        return Path(name)
    instances = {each.name: each.path for each in shipped_domain(known).instances}
    if name not in instances:
        raise InputError(f"{name}: no such file, and no instance of {known} has this name{_near(name, [*instances])}")
    return instances[name]


def domain_names() -> list[str]:
    """The names of all shipped domains, authored ones too, and of those that installed packages bring."""
    return sorted({*shipped_domains(), *authored_domains(), *(entry.name for entry in installed(DOMAIN_GROUP))})


@lru_cache(maxsize=64)
def shipped_domain(name: str) -> ShippedDomain:
    """The shipped domain of that name (that of its folder); raises `InputError`, with near names, otherwise."""
    folder, beside = _folders(name)
    files = (folder / "domain.pddl", folder / "wording.json", beside)
    references = read_references(beside / _TASKS) if (beside / _TASKS).is_file() else ()
    if references:
        instances = tuple(_authored(beside, each) for each in references)
    elif (beside / "manifest.csv").is_file():
        instances = read_manifest(beside / "manifest.csv")
    else:
        problems = sorted(path for path in beside.glob("*.pddl") if path != files[0])
        instances = tuple(Instance(path.stem, path.name, "benchmark", folder=beside) for path in problems)
    return ShippedDomain(name, folder, *files, instances, references)


def domain_path(name: str) -> Path:
    """The domain file of a shipped domain of that name, whose manifest is not read for it."""
    return _folders(name)[0] / "domain.pddl"


def _folders(name: str) -> tuple[Path, Path]:
    """The folder of a domain, and that of its instances."""
    if name in (*shipped_domains(), *authored_domains()):
        return _data("domains") / name, _data("instances") / name
    for entry in installed(DOMAIN_GROUP):
        if entry.name == name:
            load_object(entry.module)
            folder = Path(str(resources.files(entry.module)))
            return folder, folder
    raise InputError(f"no domain '{name}' is shipped{_near(name, domain_names())}")


def shipped_task(domain: str, instance: str) -> Task:
    """A shipped task, read: ``shipped_task("blocksworld", "p01")``; raises `InputError` for unknown names."""
    return shipped_domain(domain).task(instance)


def match_shipped(domain: Domain) -> ShippedDomain | None:
    """The shipped domain that equals a domain; None without one.

    Requirements are not compared: they change no state and no action.
    """
    wanted = replace(domain, requirements=())
    header = re.compile(rf"\(\s*domain\s+{re.escape(domain.name)}\s*\)", re.IGNORECASE)
    for name in (*shipped_domains(), *authored_domains()):
        candidate = shipped_domain(name)
        # Only domains of its name are parsed.
        if header.search(_text(candidate.domain_path)) and replace(candidate.domain, requirements=()) == wanted:
            return candidate
    return None


@lru_cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _all_domains() -> tuple[str, ...]:
    return tuple(sorted(entry.name for entry in _data("domains").iterdir() if (entry / "domain.pddl").is_file()))


def _data(kind: str) -> Path:
    package = Path(str(resources.files("pddl2nl")))
    for folder in (package / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"the shipped {kind} are missing: neither {package / kind} nor {package.parent / kind} exists")


def _authored(folder: Path, reference: TaskReference) -> Instance:
    proof = reference.ways[0].proof
    return Instance(
        name=reference.instance,
        file=f"{reference.instance}.pddl",
        role=reference.role,
        call="",
        objects=reference.objects,
        optimal_length=reference.length,
        proof="upper bound" if proof == "best known" else proof,
        folder=folder,
    )


def _near(name: str, names: list[str]) -> str:
    # 'p1' means p01 but is more similar to p19.
    padded = re.sub(r"(?<![0-9])[0-9]$", r"0\g<0>", name.lower())
    wrong = padded if padded in names else name.lower()
    return did_you_mean(wrong, names, f"; there are {', '.join(names)}")
