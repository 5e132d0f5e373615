"""A domain and a problem together, with what follows from them: all objects, the type hierarchy, what can change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pddl2nl.pddl.tree import And, Atom, Condition, Domain, Forall, Not, Problem, TypedName, When

__all__ = ["Task", "changed_predicates", "supertypes"]


def supertypes(domain: Domain) -> dict[str, frozenset[str]]:
    """For every type its supertypes, itself and ``object`` included.

    ``(either a b)`` above a type counts as both. A cycle, which the checks report, is cut here.
    """
    parents: dict[str, set[str]] = {"object": set()}
    for declared in domain.types:
        parents.setdefault(declared.name, set()).update(declared.types)
        for parent in declared.types:
            parents.setdefault(parent, set())
    above: dict[str, frozenset[str]] = {}
    for name in parents:
        seen = {name, "object"}
        todo = [name]
        while todo:
            for parent in parents.get(todo.pop(), ()):
                if parent not in seen:
                    seen.add(parent)
                    todo.append(parent)
        above[name] = frozenset(seen)
    return above


def changed_predicates(domain: Domain) -> frozenset[str]:
    """The predicates that an action adds or deletes, or that are derived: all others are static."""
    changed = {item.name for item in domain.derived}

    def visit(effect: Condition) -> None:
        if isinstance(effect, Atom):
            changed.add(effect.predicate)
        elif isinstance(effect, Not | Forall):
            visit(effect.body)
        elif isinstance(effect, When):
            visit(effect.effect)
        elif isinstance(effect, And):
            for part in effect.parts:
                visit(part)

    for action in domain.actions:
        visit(action.effect)
    return frozenset(changed)


@dataclass(frozen=True)
class Task:
    """A planning task: the domain, the problem, and the objects and types of both."""

    domain: Domain
    problem: Problem

    @cached_property
    def objects(self) -> dict[str, TypedName]:
        """All objects by name: the domain's constants first, then the problem's objects, in file order."""
        found = {constant.name: constant for constant in self.domain.constants}
        for item in self.problem.objects:
            found.setdefault(item.name, item)
        return found

    @cached_property
    def supertypes(self) -> dict[str, frozenset[str]]:
        """For every type its supertypes, itself and ``object`` included."""
        return supertypes(self.domain)

    def is_a(self, name: str, types: Iterable[str]) -> bool:
        """Whether an object is of one of the types (a parameter's ``types`` are alternatives)."""
        item = self.objects.get(name)
        if item is None:
            return False
        wanted = set(types)
        return "object" in wanted or any(
            not wanted.isdisjoint(self.supertypes.get(own, frozenset((own,)))) for own in item.types
        )

    def objects_of(self, types: Iterable[str]) -> tuple[str, ...]:
        """The names of all objects of one of the types, in declaration order."""
        key = tuple(types)
        cache = self._objects_by_types
        if key not in cache:
            cache[key] = tuple(name for name in self.objects if self.is_a(name, key))
        return cache[key]

    @cached_property
    def _objects_by_types(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {}
