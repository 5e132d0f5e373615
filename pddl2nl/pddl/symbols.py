"""What a domain and a problem declare, in the form in which checks ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import Domain, Problem, TypedName

__all__ = ["Signature", "Symbols", "Types", "signature_text"]

Types = tuple[str, ...]


class Signature(NamedTuple):
    """What a predicate or a function is applied to: its parameters' names, and the types of each."""

    names: tuple[str, ...]
    types: tuple[Types, ...]


def signature_text(name: str, signature: Signature) -> str:
    """A signature as its declaration has it: ``(on ?x - block ?y - block)``."""
    told = [f"{parameter} - {type_text(types)}" for parameter, types in zip(*signature, strict=True)]
    return f"({' '.join((name, *told))})"


def type_text(types: Types) -> str:
    """Types as PDDL has them: one, or ``(either …)``."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def _signatures(declared: Iterable[tuple[str, Sequence[TypedName]]]) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for name, parameters in declared:
        signature = Signature(tuple(item.name for item in parameters), tuple(item.types for item in parameters))
        found.setdefault(name, signature)
    return found


@dataclass
class Symbols:
    """Types, predicates, functions and objects by name, and which types can have an object in common."""

    above: dict[str, frozenset[str]]
    predicates: dict[str, Signature]
    functions: dict[str, Signature]
    function_types: dict[str, Types]
    objects: dict[str, Types]
    derived: frozenset[str]
    _below: dict[str, set[str]] = field(default_factory=dict)
    _meets: dict[tuple[Types, Types], bool] = field(default_factory=dict)
    _fits: dict[tuple[Types, Types], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: Domain, problem: Problem | None = None) -> Symbols:
        """The symbols of a domain, and of a problem of it."""
        objects = {item.name: item.types for item in domain.constants}
        if problem is not None:
            for item in problem.objects:
                # A constant that is declared once more as an object is of both types.
                known = objects.get(item.name, ())
                objects[item.name] = item.types if item.types == known else known + item.types
        return cls(
            supertypes(domain),
            _signatures((item.name, item.parameters) for item in domain.predicates),
            _signatures((item.name, item.parameters) for item in domain.functions),
            {item.name: item.types for item in domain.functions},
            objects,
            frozenset(item.name for item in domain.derived),
        )

    def fits(self, own: Types, wanted: Types) -> bool:
        """Whether an object of these types is of one of the wanted ones."""
        key = (own, wanted)
        known = self._fits.get(key)
        if known is None:
            goal = set(wanted)
            known = "object" in goal or any(not goal.isdisjoint(self.above.get(one, (one,))) for one in own)
            self._fits[key] = known
        return known

    def meets(self, own: Types, wanted: Types) -> bool:
        """Whether an object can be of one of the first and one of the second types: whether a type lies below both."""
        key = (own, wanted)
        known = self._meets.get(key)
        if known is None:
            known = self.fits(own, wanted) or not self._all_below(own).isdisjoint(self._all_below(wanted))
            self._meets[key] = known
        return known

    def _all_below(self, types: Types) -> set[str]:
        found: set[str] = set()
        for one in types:
            if one not in self._below:
                self._below[one] = {name for name, above in self.above.items() if one in above}
            found |= self._below[one]
        return found
