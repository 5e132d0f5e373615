"""What a domain and a problem declare: predicates, functions and objects by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from pddl2nl.pddl.task import Hierarchy, Task
from pddl2nl.pddl.tree import Domain, Problem, TypedName

Types = tuple[str, ...]
_SHOWN = 12
"""How many members of a list a message shows: each of ten thousand errors may show the same long list."""


class Signature(NamedTuple):
    """The parameters of a predicate or a function: their names, and the types of each."""

    names: tuple[str, ...]
    types: tuple[Types, ...]

    @classmethod
    def of(cls, parameters: Sequence[TypedName]) -> Signature:
        """The signature with these parameters."""
        return cls(tuple([item.name for item in parameters]), tuple([item.types for item in parameters]))


def signature_text(name: str, signature: Signature) -> str:
    """A signature as in its declaration: ``(on ?x - block ?y - block)``."""
    pairs = islice(zip(*signature, strict=True), _SHOWN)
    shown = [f"{parameter} - {type_text(types)}" for parameter, types in pairs]
    return f"({' '.join((name, *shown))}{' …' if len(signature.names) > _SHOWN else ''})"


def type_text(types: Types) -> str:
    """Types as PDDL has them: one, or ``(either …)``, cut short if it is long."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types[:_SHOWN])}{' …' if len(types) > _SHOWN else ''})"


def _signatures(declared: Iterable[tuple[str, Sequence[TypedName]]]) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    again: dict[str, list[Signature]] = {}
    for name, parameters in declared:
        signature = Signature.of(parameters)
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
    """Types, predicates, functions and objects by name."""

    task: Task
    predicates: dict[str, Signature]
    functions: dict[str, Signature]
    function_types: dict[str, Types]
    objects: dict[str, Types]
    derived: frozenset[str]
    _objects_of: dict[Types, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: Domain, problem: Problem | None = None) -> Symbols:
        """The symbols of a domain, and of a problem of it."""
        task = Task(domain, problem or Problem("", ""))
        return cls(
            task,
            _signatures((item.name, item.parameters) for item in domain.predicates),
            _signatures((item.name, item.parameters) for item in domain.functions),
            {item.name: item.types for item in domain.functions},
            {name: item.types for name, item in task.objects.items()},
            frozenset(item.name for item in domain.derived),
        )

    @property
    def above(self) -> Hierarchy:
        """For every type its supertypes."""
        return self.task.supertypes

    def objects_of(self, types: Types) -> frozenset[str]:
        """The names of all objects of one of the types."""
        known = self._objects_of.get(types)
        if known is None:
            known = self._objects_of[types] = frozenset(self.task.objects_of(types))
        return known
