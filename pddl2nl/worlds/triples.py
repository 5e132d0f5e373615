"""Ground atoms as triples of subject, predicate and object, as scene graphs and prompts write them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pddl2nl.pddl import GroundAtom

IS = "is"
"""The predicate for facts about one object: ``(egg-1, is, cracked)``."""
WORLD = "world"
"""The subject of facts about no object: ``(world, is, hand-empty)``."""


class Triple(NamedTuple):
    """A subject, a predicate and an object; its text is ``(egg-1, inside, fridge-1)``."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return f"({', '.join(self)})"


def triple_of(atom: GroundAtom, names: Mapping[str, str] = MappingProxyType({})) -> Triple:
    """An atom as a triple; with more than two objects, all after the first share the last field.

    ``(open fridge-1)`` is ``(fridge-1, is, open)``, ``(hand-empty)`` is ``(world, is, hand-empty)``. ``names`` gives
    the objects' names in language (`pddl2nl.nl.Names.to_nl`).
    """
    predicate = atom[0]
    args = [names.get(name, name) for name in atom[1:]]
    if len(args) < 2:
        return Triple(args[0] if args else WORLD, IS, predicate)
    return Triple(args[0], predicate, ", ".join(args[1:]))
