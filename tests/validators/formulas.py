"""A world made of plain sets, for cases by hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pddl2nl.pddl import Domain, GroundAtom, Problem, Task, TypedName

_KINDS = {"a": "small", "c": "large", "b": "small", "d": "large", "t": "tool"}
OBJECTS = tuple(TypedName(name, (kind,)) for name, kind in _KINDS.items())
TYPES = (
    TypedName("thing"),
    TypedName("small", ("thing",)),
    TypedName("large", ("thing",)),
    TypedName("tool"),
    TypedName("nothing"),
)
TASK = Task(Domain("plain", types=TYPES), Problem("x", "plain", objects=OBJECTS))
"""``small`` and ``large`` are things; nothing is of the type ``nothing``."""


class PlainWorld:
    """A state as a set of atoms, such as ``"q a"``, and a dictionary of values."""

    tolerance = Fraction(0)

    def __init__(self, *atoms: str, values: Mapping[str, int] | None = None):
        self._atoms = {GroundAtom(atom.split()) for atom in atoms}
        self._values = {GroundAtom(name.split()): value for name, value in (values or {}).items()}

    def true(self, atom: GroundAtom) -> bool:
        return atom in self._atoms

    def level(self, fluent: GroundAtom) -> int | None:
        return self._values.get(fluent)

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return TASK.objects_of(types)
