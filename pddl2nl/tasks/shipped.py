"""The shipped domains and instances, found alike in an installed package and in a checkout.

A wheel holds the data below the package (``pddl2nl/domains``, ``pddl2nl/instances``); a checkout, installed
in editable mode or not, has the two folders at its top, beside the package. Every domain's folder holds
``domain.pddl``, ``wording.json`` and a README; its instances stand in a folder of the same name, described by
``manifest.csv``.
"""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Literal, cast, get_args

from pddl2nl.pddl import Domain, InputError, Task, load_domain, load_problem

__all__ = [
    "Instance",
    "Role",
    "ShippedDomain",
    "match_shipped",
    "shipped_domain",
    "shipped_domains",
    "shipped_task",
]

Role = Literal["example", "benchmark"]
"""What an instance is for: shown solved in a prompt, or to be solved."""


@dataclass(frozen=True)
class Instance:
    """One shipped problem, as its line of the manifest describes it.

    ``objects`` counts the problem's objects; ``optimal_length`` is the number of steps of a shortest plan and
    ``proof`` how that was proved; ``ff_length`` is the length of the plan that greedy search with FF found.
    """

    name: str
    path: Path
    role: Role
    objects: int
    optimal_length: int
    proof: str
    ff_length: int


@dataclass(frozen=True)
class ShippedDomain:
    """One shipped domain: its files and instances, the example among them first."""

    name: str
    folder: Path
    domain_path: Path
    wording_path: Path
    instances: tuple[Instance, ...]

    @cached_property
    def domain(self) -> Domain:
        """The domain's syntax tree."""
        return load_domain(self.domain_path)

    @property
    def example(self) -> Instance:
        """The instance that prompts show solved; its optimal plan has five steps or nearly so."""
        return next(instance for instance in self.instances if instance.role == "example")

    @property
    def benchmarks(self) -> tuple[Instance, ...]:
        """The instances that are there to be solved."""
        return tuple(instance for instance in self.instances if instance.role == "benchmark")

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
    """The names of all shipped domains, in alphabetical order."""
    return tuple(sorted(entry.name for entry in _data("domains").iterdir() if (entry / "domain.pddl").is_file()))


@lru_cache(maxsize=64)
def shipped_domain(name: str) -> ShippedDomain:
    """The shipped domain of that name (that of its folder); raises `InputError`, with near names, otherwise."""
    if name not in shipped_domains():
        raise InputError(f"no domain '{name}' is shipped{_near(name, list(shipped_domains()))}")
    folder = _data("domains") / name
    instances = _read_manifest(_data("instances") / name / "manifest.csv")
    return ShippedDomain(name, folder, folder / "domain.pddl", folder / "wording.json", instances)


def shipped_task(domain: str, instance: str) -> Task:
    """A shipped task, read: ``shipped_task("blocksworld", "p01")``; raises `InputError` for unknown names."""
    return shipped_domain(domain).task(instance)


def match_shipped(domain: Domain) -> ShippedDomain | None:
    """The shipped domain that says the same as this tree, wherever its text came from; None where none does.

    The same means: equal but for the declared requirements, which change no state and no action.
    """
    wanted = replace(domain, requirements=())
    for name in shipped_domains():
        candidate = shipped_domain(name)
        if replace(candidate.domain, requirements=()) == wanted:
            return candidate
    return None


def _data(kind: str) -> Path:
    package = Path(str(resources.files("pddl2nl")))
    for folder in (package / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"the shipped {kind} are missing: neither {package / kind} nor {package.parent / kind} exists")


def _read_manifest(path: Path) -> tuple[Instance, ...]:
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            role = row["role"]
            if role not in get_args(Role):
                raise InputError(f"{path}: instance '{row['instance']}' has the unknown role '{role}'")
            found.append(
                Instance(
                    name=row["instance"],
                    path=path.parent / row["file"],
                    role=cast(Role, role),
                    objects=int(row["objects"]),
                    optimal_length=int(row["optimal_length"]),
                    proof=row["proof"],
                    ff_length=int(row["ff_length"]),
                )
            )
    return tuple(found)


def _near(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name.lower(), names, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are {', '.join(names)}"
