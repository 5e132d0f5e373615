"""What objects are called in language: a reversible map between PDDL's names and told names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from pddl2nl.errors import InputError
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import GroundAtom

__all__ = ["SCHEMES", "Names", "make_names", "static_types"]


@dataclass(frozen=True)
class Names:
    """A bijection between the objects' PDDL names (keys) and their told names (values), in declaration order."""

    to_nl: Mapping[str, str]
    scheme: str = "original"

    @cached_property
    def to_pddl(self) -> Mapping[str, str]:
        """The inverse map: told name → PDDL name."""
        return MappingProxyType({told: name for name, told in self.to_nl.items()})


def make_names(task: Task, scheme: str = "typed", nouns: Mapping[str, str] = MappingProxyType({})) -> Names:
    """Names for all objects of a task under one of `SCHEMES`.

    ``typed``: the object's own type (the first, for ``either``) and a number, ``truck_0``, counted a type in
    declaration order. ``original``: as in PDDL. ``inferred``: as typed, but in a domain without types a static
    unary predicate that is true of the object stands for the type; of several, the one with the fewest
    members, on ties the one declared first. Constants keep their own names, and no other object gets one.

    ``nouns`` are a wording's words for types. Where it has one for ``object``, that stands for it in the names,
    so that an object of untyped Blocksworld, told to be a block, is ``block_0`` and not ``object_0``.

    Raises `InputError` for an unknown scheme.
    """
    if scheme not in SCHEMES:
        raise InputError(f"--names {scheme}: no such scheme; there are {', '.join(SCHEMES)}")
    general = re.sub(r"[^\w-]+", "_", nouns.get("object", "")).strip("_").lower() or "object"
    return Names(MappingProxyType(SCHEMES[scheme](task, general)), scheme)


def _original(task: Task, general: str) -> dict[str, str]:
    return {name: name for name in task.objects}


def _typed(task: Task, general: str) -> dict[str, str]:
    own = {name: item.types[0] for name, item in task.objects.items() if item.types[0] != "object"}
    return _numbered(task, own, general)


def _inferred(task: Task, general: str) -> dict[str, str]:
    if task.domain.types:
        return _typed(task, general)
    return _numbered(task, static_types(task), general)


def _numbered(task: Task, stems: Mapping[str, str], general: str) -> dict[str, str]:
    constants = {item.name for item in task.domain.constants}
    taken = set(constants)
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for name in task.objects:
        if name in constants:
            names[name] = name
            continue
        stem = stems.get(name, general)
        number = counts.get(stem, 0)
        while f"{stem}_{number}" in taken:
            number += 1
        counts[stem] = number + 1
        names[name] = f"{stem}_{number}"
        taken.add(names[name])
    return names


def static_types(task: Task) -> dict[str, str]:
    """For objects of which a static unary predicate is true: the most specific such predicate."""
    changed = changed_predicates(task.domain)
    unary = {
        item.name: position
        for position, item in enumerate(task.domain.predicates)
        if len(item.parameters) == 1 and item.name not in changed
    }
    members: dict[str, dict[str, None]] = {name: {} for name in unary}
    atom: GroundAtom
    for atom in task.problem.init:
        if len(atom) == 2 and atom[0] in unary:
            members[atom[0]][atom[1]] = None
    found: dict[str, str] = {}
    for predicate in sorted(unary, key=lambda name: (len(members[name]), unary[name])):
        for name in members[predicate]:
            found.setdefault(name, predicate)
    return found


SCHEMES: Mapping[str, Callable[[Task, str], dict[str, str]]] = MappingProxyType(
    {"typed": _typed, "original": _original, "inferred": _inferred}
)
