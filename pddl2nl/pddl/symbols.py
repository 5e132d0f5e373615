"""What a domain and a problem declare: the hierarchy of types, and predicates, functions and objects by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from pddl2nl.pddl.tree import Domain, Problem, TypedName

Types = tuple[str, ...]
_FEW = 100
"""Up to this many types, sets of supertypes are compared, which needs no preparation."""
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


class Hierarchy(Mapping[str, frozenset[str]]):
    """For every type its supertypes, itself and ``object`` included; computed on demand.

    ``(either a b)`` above a type counts as both. A cycle, which the checks report, is cut here: all types on it lie
    above and below each other.
    """

    def __init__(self, domain: Domain):
        parents: dict[str, dict[str, None]] = {"object": {}}
        for declared in domain.types:
            own = parents.setdefault(declared.name, {})
            for parent in declared.types:
                parents.setdefault(parent, {})
                if parent not in ("object", declared.name):
                    own[parent] = None
        parents["object"] = {}
        self._parents = parents
        self._above: dict[str, frozenset[str]] = {}
        self._goals: dict[int, tuple[frozenset[str], tuple[str, ...]]] = {}
        self._below: dict[str, frozenset[str]] = {}
        self._children: dict[str, list[str]] = {}
        for name, own in parents.items():
            for parent in own:
                self._children.setdefault(parent, []).append(name)
        self._intervals = self._forest() if len(parents) > _FEW else {}

    def _forest(self) -> dict[str, tuple[int, int]]:
        """For each type an interval that contains those of its subtypes; empty if a type has two supertypes."""
        if any(len(own) > 1 for own in self._parents.values()):
            return {}
        found: dict[str, tuple[int, int]] = {}
        entered: dict[str, int] = {}
        todo = [name for name, own in self._parents.items() if not own]
        while todo:
            name = todo[-1]
            if name in entered:
                todo.pop()
                found[name] = (entered[name], len(entered))
            else:
                entered[name] = len(entered)
                todo.extend(self._children.get(name, ()))
        # Types on a cycle are below no root.
        return found if len(found) == len(self._parents) else {}

    def __getitem__(self, name: str) -> frozenset[str]:
        known = self._above.get(name)
        if known is None:
            if name not in self._parents:
                raise KeyError(name)
            known = self._above[name] = _reach((name, "object"), self._parents)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._parents)

    def __len__(self) -> int:
        return len(self._parents)

    def __contains__(self, name: object) -> bool:
        return name in self._parents

    def fits(self, own: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether one of the first types is, or lies below, one of the second."""
        goal = self._goal(tuple(wanted))
        if "object" in goal:
            return True
        intervals = self._intervals
        for one in own:
            if one in goal:
                return True
            if one not in self._parents:
                continue
            if not intervals or len(goal) > 1:
                if not goal.isdisjoint(self[one]):
                    return True
                continue
            number = intervals[one][0]
            stretch = intervals.get(next(iter(goal), ""))
            if stretch is not None and stretch[0] <= number < stretch[1]:
                return True
        return False

    def _goal(self, wanted: tuple[str, ...]) -> frozenset[str]:
        if len(wanted) < 8:
            return frozenset(wanted)
        # By identity, as in Symbols: hashing a long `(either …)` takes as long as searching it.
        known = self._goals.get(id(wanted))
        if known is None:
            if len(self._goals) > 1000:
                self._goals.clear()
            known = self._goals[id(wanted)] = (frozenset(wanted), wanted)
        return known[0]

    def meets(self, own: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether an object can be of one of the first and one of the second types: a type lies below both."""
        own, wanted = tuple(own), tuple(wanted)
        if self.fits(own, wanted) or self.fits(wanted, own):
            return True
        # In a forest two types have a common subtype only if one is below the other.
        return not self._intervals and not self.below(own).isdisjoint(self.below(wanted))

    def below(self, types: Iterable[str]) -> frozenset[str]:
        """The types and all their subtypes; of ``object``, all types."""
        names = tuple(types)
        if "object" in names:
            return frozenset(self._parents).union(names)
        if len(names) != 1:
            return frozenset().union(*(self.below((name,)) for name in names))
        known = self._below.get(names[0])
        if known is None:
            known = self._below[names[0]] = _reach(names, self._children)
        return known


def _reach(start: tuple[str, ...], edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    seen = set(start)
    todo = list(start)
    while todo:
        for name in edges.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return frozenset(seen)


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
    _objects_of: dict[Types, frozenset[str]] = field(default_factory=dict)
    _meets: dict[tuple[int, int], tuple[bool, Types, Types]] = field(default_factory=dict)
    _fits: dict[tuple[int, int], tuple[bool, Types, Types]] = field(default_factory=dict)

    @classmethod
    def of(cls, domain: Domain, problem: Problem | None = None) -> Symbols:
        """The symbols of a domain, and of a problem of it."""
        objects: dict[str, Types] = {}
        for item in (*domain.constants, *(() if problem is None else problem.objects)):
            known = objects.setdefault(item.name, item.types)
            if known != item.types:
                # Declared twice, with different types: it is of both.
                objects[item.name] = tuple(dict.fromkeys(known + item.types))
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
        # By identity, since `(either …)` may have thousands of members, and equal ones of a file are the same object.
        # The tuples are kept, so that no other tuple gets their ids.
        key = (id(own), id(wanted))
        known = memory.get(key)
        if known is None:
            known = memory[key] = (relation(own, wanted), own, wanted)
        return known[0]

    def objects_of(self, types: Types) -> frozenset[str]:
        """The names of all objects of one of the types."""
        known = self._objects_of.get(types)
        if known is None:
            known = self._objects_of[types] = self._of(types)
        return known

    def _of(self, types: Types) -> frozenset[str]:
        if "object" in types:
            return frozenset(self.objects)
        if not self._groups:
            for name, own in self.objects.items():
                for one in own:
                    self._groups.setdefault(one, []).append(name)
        below = self.above.below(types)
        smaller = below if len(below) < len(self._groups) else [one for one in self._groups if one in below]
        return frozenset().union(*(self._groups.get(one, ()) for one in smaller))
