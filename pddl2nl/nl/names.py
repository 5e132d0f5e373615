"""Names of objects in English: a bijection between PDDL names and told names."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from pddl2nl.errors import InputError
from pddl2nl.nl.wording.snippets import Wording, own_names
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import GroundAtom

_GENERAL = frozenset(("obj", "object", "thing", "item", "entity", "element"))
"""Predicates of these names say of an object that it is one: any other one that is true of it says more."""


@dataclass(frozen=True)
class Names:
    """A bijection between the objects' PDDL names (keys) and their told names (values), in declaration order.

    ``aliases`` are names of the wording's own that the scheme left unused (told name → PDDL name) and that
    clash with no told name: a reader takes them too, loosely.
    """

    to_nl: Mapping[str, str]
    scheme: str = "original"
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def to_pddl(self) -> Mapping[str, str]:
        """The inverse map: told name → PDDL name."""
        return MappingProxyType({told: name for name, told in self.to_nl.items()})


def make_names(task: Task, scheme: str = "typed", wording: Wording | None = None, seed: int | None = None) -> Names:
    """Names for all objects of a task under one of `SCHEMES`.

    ``typed``: the object's own type (the first, for ``either``) and a number, ``truck_0``, numbered per type in
    declaration order. ``original``: as in PDDL. ``inferred``: as typed, but in a domain without types a static
    unary predicate that is true of the object stands for the type; of several, the one with the fewest
    members, on ties the one declared first. Constants keep their own names, and no other object gets one.

    Args:
        task: whose objects are named.
        scheme: one of `SCHEMES`.
        wording: under ``typed`` and ``inferred`` its own names of objects (``Wording.objects``) are used
            first, unless two objects would share one. Its word for the type ``object``, where it has
            one, stands for it in made names, so that an object of untyped Blocksworld, told to be a block, is
            ``block_0`` and not ``object_0``.
        seed: shuffles the numbers in each type's names; None keeps the order of declaration.

    Raises:
        InputError: an unknown scheme.
    """
    if scheme not in SCHEMES:
        raise InputError(f"--names {scheme}: no such scheme; there are {', '.join(SCHEMES)}")
    constants = [item.name for item in task.domain.constants]
    own = own_names(wording.objects, task.objects) if wording is not None else {}
    stems = SCHEMES[scheme](task)
    if stems is None:
        told = {name: name for name in task.objects}
    else:
        word = wording.types.get("object", "") if wording is not None else ""
        general = re.sub(r"[^\w-]+", "_", word).strip("_").lower() or "object"
        told = _named(task.objects, constants, own, {name: stems.get(name, general) for name in task.objects}, seed)
    return Names(MappingProxyType(told), scheme, MappingProxyType(_aliases(told, own)))


def _original(task: Task) -> None:
    return None


def _typed(task: Task) -> dict[str, str]:
    return {name: item.types[0] for name, item in task.objects.items() if item.types[0] != "object"}


def _inferred(task: Task) -> dict[str, str]:
    if any(item.name != "object" for item in task.domain.types):
        return _typed(task)
    return static_types(task)


def _named(
    objects: Iterable[str], constants: Iterable[str], own: Mapping[str, str], stems: Mapping[str, str], seed: int | None
) -> dict[str, str]:
    """Constants by their names, then the wording's own names, then a stem and a number for all others."""
    names = {name: name for name in constants}
    taken = {_folded(name) for name in names}
    for name in objects:
        if name in own and name not in names and _folded(own[name]) not in taken:
            names[name] = own[name]
            taken.add(_folded(own[name]))
    groups: dict[str, list[str]] = {}
    for name in objects:
        if name not in names:
            groups.setdefault(stems[name], []).append(name)
    for stem, members in groups.items():
        if seed is not None:
            # A seed that is a text is hashed in the same way in every process.
            random.Random(f"{seed} {stem}").shuffle(members)
        number = 0
        for name in members:
            while _folded(f"{stem}_{number}") in taken:
                number += 1
            names[name] = f"{stem}_{number}"
            taken.add(_folded(names[name]))
    return {name: names[name] for name in objects}


def _folded(name: str) -> str:
    """A name as a reader compares it: without case, with underscores for hyphens."""
    return name.casefold().replace("-", "_")


def _aliases(told: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    taken = {_folded(name) for name in told.values()}
    found: dict[str, list[str]] = {}
    for name, alias in own.items():
        if told[name] != alias and _folded(alias) not in taken:
            found.setdefault(_folded(alias), []).append(name)
    return {own[names[0]]: names[0] for names in found.values() if len(names) == 1}


def static_types(task: Task) -> dict[str, str]:
    """The most specific static unary predicate that is true of each object.

    That is the predicate with the fewest members; predicates such as ``object`` come last.
    """
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
    for predicate in sorted(unary, key=lambda name: (name in _GENERAL, len(members[name]), unary[name])):
        for name in members[predicate]:
            found.setdefault(name, predicate)
    return found


SCHEMES: Mapping[str, Callable[[Task], dict[str, str] | None]] = MappingProxyType(
    {"typed": _typed, "original": _original, "inferred": _inferred}
)
"""For each scheme the stems of the made names by object, or None where PDDL's names stand."""
