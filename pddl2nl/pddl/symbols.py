"""What a domain and a problem declare, in the form in which checks ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from pddl2nl.pddl.hierarchy import Hierarchy
from pddl2nl.pddl.tree import Domain, Problem, TypedName

__all__ = ["Signature", "Symbols", "Types", "signature_text"]

Types = tuple[str, ...]
_SHOWN = 12
"""So many members of a list are told in a message: each of ten thousand errors may tell the same long list."""


class Signature(NamedTuple):
    """What a predicate or a function is applied to: its parameters' names, and the types of each."""

    names: tuple[str, ...]
    types: tuple[Types, ...]


def signature_text(name: str, signature: Signature) -> str:
    """A signature as its declaration has it: ``(on ?x - block ?y - block)``."""
    pairs = islice(zip(*signature, strict=True), _SHOWN)
    told = [f"{parameter} - {type_text(types)}" for parameter, types in pairs]
    return f"({' '.join((name, *told))}{' …' if len(signature.names) > _SHOWN else ''})"


def type_text(types: Types) -> str:
    """Types as PDDL has them: one, or ``(either …)``, of which a long one is cut."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types[:_SHOWN])}{' …' if len(types) > _SHOWN else ''})"


def _signatures(declared: Iterable[tuple[str, Sequence[TypedName]]]) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    again: dict[str, list[Signature]] = {}
    for name, parameters in declared:
        signature = Signature(tuple(item.name for item in parameters), tuple(item.types for item in parameters))
        known = found.setdefault(name, signature)
        if known is not signature and len(known.types) == len(signature.types):
            again.setdefault(name, [known]).append(signature)
    for name, signatures in again.items():
        # Declared twice: each argument may be of either declaration's types.
        columns = zip(*(signature.types for signature in signatures), strict=True)
        both = tuple(tuple(dict.fromkeys(chain.from_iterable(column))) for column in columns)
        found[name] = Signature(found[name].names, both)
    return found


@dataclass
class Symbols:
    """Types, predicates, functions and objects by name, and which types can have an object in common."""

    above: Hierarchy
    predicates: dict[str, Signature]
    functions: dict[str, Signature]
    function_types: dict[str, Types]
    objects: dict[str, Types]
    derived: frozenset[str]
    _groups: dict[str, list[str]] = field(default_factory=dict)
    _meets: dict[tuple[int, int], tuple[bool, Types, Types]] = field(default_factory=dict)
    _fits: dict[tuple[int, int], tuple[bool, Types, Types]] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: Domain, problem: Problem | None = None) -> Symbols:
        """The symbols of a domain, and of a problem of it."""
        constants = {item.name: item.types for item in domain.constants}
        objects = dict(constants)
        if problem is not None:
            for item in problem.objects:
                # A constant that is declared once more as an object is of both types.
                known = constants.get(item.name, item.types)
                objects[item.name] = known if known == item.types else known + item.types
        return cls(
            Hierarchy(domain),
            _signatures((item.name, item.parameters) for item in domain.predicates),
            _signatures((item.name, item.parameters) for item in domain.functions),
            {item.name: item.types for item in domain.functions},
            objects,
            frozenset(item.name for item in domain.derived),
        )

    def fits(self, own: Types, wanted: Types) -> bool:
        """Whether an object of these types is of one of the wanted ones."""
        return self._remembered(self._fits, self.above.fits, own, wanted)

    def meets(self, own: Types, wanted: Types) -> bool:
        """Whether an object can be of one of the first and one of the second types: whether a type lies below both."""
        return self._remembered(self._meets, self.above.meets, own, wanted)

    @staticmethod
    def _remembered(
        memory: dict[tuple[int, int], tuple[bool, Types, Types]],
        relation: Callable[[Types, Types], bool],
        own: Types,
        wanted: Types,
    ) -> bool:
        # By identity, with the tuples kept so that none takes another's place: `(either …)` may hold thousands, and
        # equal ones of a file are the same.
        key = (id(own), id(wanted))
        known = memory.get(key)
        if known is None:
            known = memory[key] = (relation(own, wanted), own, wanted)
        return known[0]

    def objects_of(self, types: Types) -> frozenset[str]:
        """The names of all objects of one of the types."""
        if "object" in types:
            return frozenset(self.objects)
        if not self._groups:
            for name, own in self.objects.items():
                for one in own:
                    self._groups.setdefault(one, []).append(name)
        below = self.above.below(types)
        smaller = below if len(below) < len(self._groups) else [one for one in self._groups if one in below]
        return frozenset().union(*(self._groups.get(one, ()) for one in smaller))
